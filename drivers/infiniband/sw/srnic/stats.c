// SPDX-License-Identifier: GPL-2.0
/*
 * Names of the counters: those of rdma statistic, of the log and of netlink. And sets of counters,
 * for QPs that are counted apart (verbs/counter.c).
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "export.h"
#include "stats.h"

const char *const srnic_stat_names[SRNIC_STAT_COUNT] = {
#define SRNIC_STAT(stat) \
	[SRNIC_STAT_##stat] = #stat,
#include "stat_list.h"
#undef SRNIC_STAT
};

/**
 * srnic_stat_sets_init() - Begin with no set but the device's
 * @sets: the sets of a device
 */
void srnic_stat_sets_init(struct srnic_stat_sets *sets)
{
	xa_init_flags(&sets->sets, XA_FLAGS_ALLOC1);
	memset(sets->past, 0, sizeof(sets->past));
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stat_sets_init);

/**
 * srnic_stat_sets_exit() - Undo srnic_stat_sets_init()
 * @sets: the sets, all of which have been freed
 */
void srnic_stat_sets_exit(struct srnic_stat_sets *sets)
{
	WARN_ON(!xa_empty(&sets->sets));
	xa_destroy(&sets->sets);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stat_sets_exit);

/**
 * srnic_stat_set_new() - Create a set of counters, which are zero
 * @sets: the sets of a device
 * @id: result: its number
 *
 * Context: process; the memory is charged to the caller.
 * Return: 0 or a negative errno.
 */
int srnic_stat_set_new(struct srnic_stat_sets *sets, u32 *id)
{
	struct srnic_stat_set *set = kzalloc(sizeof(*set), GFP_KERNEL_ACCOUNT);
	int err = -ENOMEM;

	if (!set)
		return -ENOMEM;
	set->stats = alloc_percpu_gfp(struct srnic_stats, GFP_KERNEL_ACCOUNT);
	if (set->stats)
		err = xa_alloc(&sets->sets, id, set, xa_limit_32b, GFP_KERNEL);
	if (!err)
		return 0;
	free_percpu(set->stats);
	kfree(set);
	return err;
}

/**
 * srnic_stat_set_get() - Return a set of counters
 * @sets: the sets of a device
 * @id: its number
 *
 * Context: process; the caller keeps the set from being freed.
 * Return: the counters.
 */
struct srnic_stats __percpu *srnic_stat_set_get(struct srnic_stat_sets *sets, u32 id)
{
	const struct srnic_stat_set *set = xa_load(&sets->sets, id);

	return set->stats;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stat_set_get);

/**
 * srnic_stat_set_free() - Free a set of counters; the device's sums keep what it has counted
 * @sets: the sets of a device
 * @id: its number; no QP has begun to count there since the last one was taken away
 *
 * Context: process; sleeps.
 */
void srnic_stat_set_free(struct srnic_stat_sets *sets, u32 id)
{
	struct srnic_stat_set *set;

	xa_lock(&sets->sets);
	set = __xa_erase(&sets->sets, id);
	for (int i = 0; i < SRNIC_STAT_COUNT; i++)
		sets->past[i] += srnic_stats_sum(set->stats, i);
	xa_unlock(&sets->sets);
	free_percpu(set->stats);
	kfree(set);
}

/**
 * srnic_stat_sets_sum() - Sum up a counter of all sets but the device's own
 * @sets: the sets of a device
 * @stat: the counter
 *
 * Context: process.
 */
u64 srnic_stat_sets_sum(struct srnic_stat_sets *sets, enum srnic_stat stat)
{
	struct srnic_stat_set *set;
	unsigned long id;
	u64 sum;

	xa_lock(&sets->sets);
	sum = sets->past[stat];
	xa_for_each(&sets->sets, id, set)
		sum += srnic_stats_sum(set->stats, stat);
	xa_unlock(&sets->sets);
	return sum;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stat_sets_sum);
