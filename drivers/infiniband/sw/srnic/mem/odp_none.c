// SPDX-License-Identifier: GPL-2.0
/*
 * Stands for odp.c in a kernel without on-demand paging (CONFIG_INFINIBAND_ON_DEMAND_PAGING):
 * ib_core refuses such regions there, so none exists.
 */
#include <linux/err.h>
#include "mem/odp.h"

int srnic_region_page(struct srnic_mr *mr, u64 start)
{
	return -EOPNOTSUPP;
}

int srnic_mem_page_in(const struct srnic_mem_stream *stream, const struct srnic_access *access,
		      u64 ahead)
{
	return 0;
}

int srnic_mem_prefetch(const struct srnic_mem_stream *stream, const struct srnic_access *access,
		       enum srnic_prefetch how)
{
	return -EOPNOTSUPP;
}

bool srnic_odp_paused(const struct srnic_stag *stag)
{
	return false;
}

bool srnic_odp_resident(const struct srnic_stag *stag, const struct srnic_access *access)
{
	return false;
}

void *srnic_odp_run(struct srnic_odp *odp, u64 off, u32 *run)
{
	return NULL;
}

void srnic_odp_stop(struct srnic_odp *odp)
{
}

void srnic_odp_destroy(struct srnic_odp *odp)
{
}
