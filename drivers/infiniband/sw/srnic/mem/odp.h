/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Regions that are paged on demand: for the files of mem. mem.h has what other rooms use.
 *
 * In a kernel without on-demand paging odp_none.c stands for odp.c, and ib_core refuses such
 * regions.
 */
#ifndef SRNIC_MEM_ODP_H
#define SRNIC_MEM_ODP_H

#include "mem/mem.h"

struct srnic_odp;

/* under RCU */
bool srnic_odp_paused(const struct srnic_stag *stag);
/* the caller holds an active reference */
bool srnic_odp_resident(const struct srnic_stag *stag, const struct srnic_access *access);
void *srnic_odp_run(struct srnic_odp *odp, u64 off, u32 *run);
/* process context */
void srnic_odp_stop(struct srnic_odp *odp);
void srnic_odp_destroy(struct srnic_odp *odp);

#endif /* SRNIC_MEM_ODP_H */
