// SPDX-License-Identifier: GPL-2.0
/*
 * Details of objects for "rdma resource -dd". Keys and addresses are never
 * shown.
 */
#include <net/netlink.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>
#include "engine/congestion.h"
#include "engine/srq.h"
#include "verbs/ops.h"

struct res_word {
	const char *name;
	u32 value;
};

static int res_put(struct sk_buff *msg, const struct res_word *words, size_t num,
		   const char *name, const char *string)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);

	if (!table)
		return -EMSGSIZE;

	for (size_t i = 0; i < num; i++) {
		if (rdma_nl_put_driver_u32(msg, words[i].name, words[i].value))
			goto err;
	}
	if (name && rdma_nl_put_driver_string(msg, name, string))
		goto err;
	nla_nest_end(msg, table);
	return 0;

err:
	nla_nest_cancel(msg, table);
	return -EMSGSIZE;
}

int srnic_fill_res_qp(struct sk_buff *msg, struct ib_qp *ib)
{
	struct srnic_qp *qp = to_srnic_qp(ib);
	const char *seal = "none";
	struct res_word words[13 + SRNIC_FAULTS];

	spin_lock_bh(&qp->lock);
	words[0] = (struct res_word){ "sq_posted", READ_ONCE(qp->sq.prod) - qp->sq.cons };
	words[1] = (struct res_word){ "sq_limit", qp->sq.limit };
	words[2] = (struct res_word){ "mtu", qp->mtu };
	words[3] = (struct res_word){ "window", qp->req.cc.window };
	words[4] = (struct res_word){ "unacked", srnic_qp_unacked(qp) };
	words[5] = (struct res_word){ "reads_out", qp->req.rd_atomic };
	words[6] = (struct res_word){ "reads_in", qp->resp.rres_todo };
	words[7] = (struct res_word){ "srq_taken", READ_ONCE(qp->stream.taken) };
	words[8] = (struct res_word){ "srq_most", READ_ONCE(qp->stream.max_taken) };
	words[9] = (struct res_word){ "srq_unfair", READ_ONCE(qp->stream.denied) };
	words[10] = (struct res_word){ "grants", qp->grant_count };
	words[11] = (struct res_word){ "srtt_ns", qp->req.cc.srtt };
	words[12] = (struct res_word){ "min_rtt_ns", srnic_cc_min_rtt(&qp->req.cc) };
	words[13] = (struct res_word){ "in_stack", srnic_txq_bytes(&qp->txq) };
	for (int i = SRNIC_FAULT_NONE + 1; i < SRNIC_FAULTS; i++)
		words[13 + i] = (struct res_word){ srnic_fault_table[i].res, qp->faults[i] };
	if (qp->sth)
		seal = srnic_sth_suite_name(srnic_sth_params(qp->sth)->suite);
	spin_unlock_bh(&qp->lock);

	return res_put(msg, words, ARRAY_SIZE(words), "seal", seal);
}

int srnic_fill_res_cq(struct sk_buff *msg, struct ib_cq *ib)
{
	struct srnic_cq *cq = to_srnic_cq(ib);
	const struct res_word words[] = {
		{ "waiting", srnic_cq_waiting(cq) },
		{ "overflow", READ_ONCE(cq->overflow) },
	};

	return res_put(msg, words, ARRAY_SIZE(words), NULL, NULL);
}

static const char *const stag_kinds[] = {
	[SRNIC_STAG_USER] = "user",
	[SRNIC_STAG_ON_DEMAND] = "on-demand",
	[SRNIC_STAG_DMA] = "dma",
	[SRNIC_STAG_FAST] = "fast",
	[SRNIC_STAG_DEVICE] = "device",
	[SRNIC_STAG_DMABUF] = "dma-buf",
};

int srnic_fill_res_mr(struct sk_buff *msg, struct ib_mr *ib)
{
	struct srnic_mr *mr = to_srnic_mr(ib);
	const struct res_word words[] = {
		{ "valid", srnic_stag_valid(&mr->stag) },
		{ "access", READ_ONCE(mr->stag.access) },
		{ "windows", atomic_read(&mr->windows) },
		{ "protected", !!READ_ONCE(mr->stag.mkeys) },
		{ "one_stream", READ_ONCE(mr->stag.one_stream) },
	};

	return res_put(msg, words, ARRAY_SIZE(words), "kind", stag_kinds[mr->stag.kind]);
}

/* Return the receives that wait; 0 once the ring is gone. */
static u64 srq_waiting(const struct srnic_srq *srq)
{
	return srq->ring.hdr ? max(srnic_ring_pending(&srq->ring), 0) : 0;
}

int srnic_fill_res_srq(struct sk_buff *msg, struct ib_srq *ib)
{
	struct srnic_srq *srq = to_srnic_srq(ib);
	struct res_word words[4];
	unsigned long flags;

	spin_lock_irqsave(&srq->lock, flags);
	words[0] = (struct res_word){ "waiting", srq_waiting(srq) };
	words[1] = (struct res_word){ "wr", srq->ring.limit };
	words[2] = (struct res_word){ "limit", srq->limit };
	words[3] = (struct res_word){ "number", srq->number };
	spin_unlock_irqrestore(&srq->lock, flags);

	return res_put(msg, words, ARRAY_SIZE(words), NULL, NULL);
}
