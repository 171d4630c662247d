/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of a device, one set a CPU. They are named in stat_list.h.
 */
#ifndef SRNIC_STATS_H
#define SRNIC_STATS_H

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

/* any context; the per-CPU word is updated by one instruction */
#define srnic_count_add(dev, name, n) \
	this_cpu_add((dev)->stats->val[SRNIC_STAT_##name], (n))
#define srnic_count(dev, name)	srnic_count_add(dev, name, 1)

#endif /* SRNIC_STATS_H */
