/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of the RDMA core's API that queue uses.
 */
#ifndef SRNIC_HOST_IB_VERBS_H
#define SRNIC_HOST_IB_VERBS_H

#include "shim.h"

struct ib_mr;

struct ib_cq {
	void *cq_context;
};

struct ib_sge {
	u64 addr;
	u32 length;
	u32 lkey;
};

struct ib_recv_wr {
	struct ib_recv_wr *next;
	u64 wr_id;
	struct ib_sge *sg_list;
	int num_sge;
};

#endif /* SRNIC_HOST_IB_VERBS_H */
