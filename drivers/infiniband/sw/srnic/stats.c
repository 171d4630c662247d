// SPDX-License-Identifier: GPL-2.0
/*
 * Names of the counters: those of rdma statistic, of the log and of netlink.
 */
#include "stats.h"

const char *const srnic_stat_names[SRNIC_STAT_COUNT] = {
#define SRNIC_STAT(stat) \
	[SRNIC_STAT_##stat] = #stat,
#include "stat_list.h"
#undef SRNIC_STAT
};
