/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Per-CPU counters of a device, named in stat_list.h.
 */
#ifndef SRNIC_STATS_H
#define SRNIC_STATS_H

#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/u64_stats_sync.h>

enum srnic_stat {
#define SRNIC_STAT(name)	SRNIC_STAT_##name,
#include "stat_list.h"
#undef SRNIC_STAT
	SRNIC_STAT_COUNT,
};

struct srnic_stats {
	u64 val[SRNIC_STAT_COUNT];
};

extern const char *const srnic_stat_names[SRNIC_STAT_COUNT];

static inline u64 srnic_stats_sum(const struct srnic_stats __percpu *stats, enum srnic_stat stat)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(stats, cpu)->val[stat]);
	return sum;
}

/* any context; one instruction updates the per-CPU word */
#define srnic_stat_add(dev, stat, n)	this_cpu_add((dev)->stats->val[stat], (n))
#define srnic_count_add(dev, name, n)	srnic_stat_add(dev, SRNIC_STAT_##name, n)
#define srnic_count(dev, name)	srnic_count_add(dev, name, 1)

#endif /* SRNIC_STATS_H */
