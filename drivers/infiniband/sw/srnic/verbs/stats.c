// SPDX-License-Identifier: GPL-2.0
/*
 * Counters, as rdma statistic shows them.
 */
#include "ops.h"

const char *const srnic_stat_names[SRNIC_STAT_COUNT] = {
#define SRNIC_STAT(stat) \
	[SRNIC_STAT_##stat] = #stat,
#include "stat_list.h"
#undef SRNIC_STAT
};

static const struct rdma_stat_desc stat_descs[SRNIC_STAT_COUNT] = {
#define SRNIC_STAT(stat) \
	[SRNIC_STAT_##stat] = { .name = #stat },
#include "stat_list.h"
#undef SRNIC_STAT
};

struct rdma_hw_stats *srnic_alloc_hw_port_stats(struct ib_device *ib, u32 port)
{
	return rdma_alloc_hw_stats_struct(stat_descs, SRNIC_STAT_COUNT,
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

int srnic_get_hw_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port, int index)
{
	struct srnic_dev *dev = to_srnic(ib);
	int cpu;

	if (port != SRNIC_PORT)
		return -EINVAL;

	memset(stats->value, 0, sizeof(stats->value[0]) * SRNIC_STAT_COUNT);
	for_each_possible_cpu(cpu) {
		const struct srnic_stats *sums = per_cpu_ptr(dev->stats, cpu);

		for (unsigned int i = 0; i < SRNIC_STAT_COUNT; i++)
			stats->value[i] += READ_ONCE(sums->val[i]);
	}
	return SRNIC_STAT_COUNT;
}
