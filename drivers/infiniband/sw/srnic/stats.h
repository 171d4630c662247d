/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Per-CPU counters of a device, named in stat_list.h.
 */
#ifndef SRNIC_STATS_H
#define SRNIC_STATS_H

#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/u64_stats_sync.h>
#include <linux/xarray.h>

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

/**
 * struct srnic_stat_sets - Sets of counters beside the device's own one
 * @sets: number, from 1, to struct srnic_stat_set; its lock protects @past
 * @past: sums of the sets that are gone
 *
 * A queue pair counts in the device's set, or in one of these. The sums over all sets are the
 * device's.
 */
struct srnic_stat_sets {
	struct xarray sets;
	u64 past[SRNIC_STAT_COUNT];
};

/**
 * struct srnic_stat_set - A set of counters
 * @stats: the counters
 */
struct srnic_stat_set {
	struct srnic_stats __percpu *stats;
};

/* stats.c */
void srnic_stat_sets_init(struct srnic_stat_sets *sets);
void srnic_stat_sets_exit(struct srnic_stat_sets *sets);
int srnic_stat_set_new(struct srnic_stat_sets *sets, u32 *id);
struct srnic_stats __percpu *srnic_stat_set_get(struct srnic_stat_sets *sets, u32 id);
void srnic_stat_set_free(struct srnic_stat_sets *sets, u32 id);
u64 srnic_stat_sets_sum(struct srnic_stat_sets *sets, enum srnic_stat stat);

/*
 * Count for a device, or for a QP whose lock is held: @of is a pointer to either. Any context; one
 * instruction updates the per-CPU word.
 */
#define srnic_stat_add(of, stat, n)	this_cpu_add((of)->stats->val[stat], (n))
#define srnic_count_add(of, name, n)	srnic_stat_add(of, SRNIC_STAT_##name, n)
#define srnic_count(of, name)	srnic_count_add(of, name, 1)

#endif /* SRNIC_STATS_H */
