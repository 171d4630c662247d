// SPDX-License-Identifier: GPL-2.0
/*
 * Counters for "rdma statistic".
 */
#include "verbs/ops.h"

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
	if (port != SRNIC_PORT)
		return -EINVAL;

	for (int i = 0; i < SRNIC_STAT_COUNT; i++)
		stats->value[i] = srnic_stats_sum(to_srnic(ib)->stats, i);
	/* a gauge over all devices */
	stats->value[SRNIC_STAT_chunk_bytes] = srnic_chunk_bytes();
	return SRNIC_STAT_COUNT;
}
