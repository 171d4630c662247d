// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ibv_wr_*() interface: a batch of work requests is built directly in the ring,
 * between wr_start, which takes the lock, and wr_complete or wr_abort. The kernel sees
 * none of it until wr_complete moves prod over the whole batch.
 *
 * A builder takes the next slot; the setters that follow complete that entry. The
 * first error is kept, and wr_complete then drops the batch.
 */
#include <errno.h>

#include "wqe.h"

static void wr_start(struct ibv_qp_ex *ibqp)
{
	struct srnic_qp *qp = to_sqp_ex(ibqp);

	srnic_lock(&qp->sq_lock);
	qp->wr_next = qp->sq.mine;
	qp->wr_wqe = NULL;
	qp->wr_err = srnic_may_send(qp) ? 0 : EINVAL;
}

static int wr_complete(struct ibv_qp_ex *ibqp)
{
	struct srnic_qp *qp = to_sqp_ex(ibqp);
	uint32_t start = qp->sq.mine, count = qp->wr_next - start;
	int ret = qp->wr_err;
	bool produce = !ret && count;

	if (produce)
		ret = srnic_sq_produced(qp, qp->wr_next);
	else
		srnic_unclaim(&qp->send_claims, start);
	srnic_unlock(&qp->sq_lock);
	if (produce && !ret)
		ret = srnic_sq_kick(qp);
	/* a batch that the device has retired before it was gone was posted */
	return ret && produce && srnic_ring_retired(&qp->sq, start, count) == count ? 0 : ret;
}

static void wr_abort(struct ibv_qp_ex *ibqp)
{
	struct srnic_qp *qp = to_sqp_ex(ibqp);

	srnic_unclaim(&qp->send_claims, qp->sq.mine);
	srnic_unlock(&qp->sq_lock);
}

/**
 * begin_kind() - Take a slot for a work request
 *
 * The QP's type supports the opcode: srnic_set_wr_ops() installs no other builders.
 *
 * Return: the entry with its common fields filled in, or NULL after an error.
 */
static struct srnic_sq_wqe *begin_kind(struct ibv_qp_ex *ibqp, const struct srnic_wr_kind *kind)
{
	struct srnic_qp *qp = to_sqp_ex(ibqp);
	struct srnic_sq_wqe *wqe = NULL;

	if (!qp->wr_err)
		qp->wr_err = srnic_sq_take(qp, qp->wr_next);
	if (!qp->wr_err) {
		wqe = srnic_ring_slot(&qp->sq, qp->wr_next++);
		*wqe = (struct srnic_sq_wqe) {
			.wr_id = ibqp->wr_id,
			.opcode = kind->opcode,
			.flags = srnic_wqe_flags(kind, ibqp->wr_flags) | qp->always,
		};
	}
	qp->wr_wqe = wqe;
	return wqe;
}

static inline struct srnic_sq_wqe *begin(struct ibv_qp_ex *ibqp, enum ibv_wr_opcode opcode)
{
	return begin_kind(ibqp, &srnic_wr_kinds[opcode]);
}

static void wr_send(struct ibv_qp_ex *ibqp)
{
	begin(ibqp, IBV_WR_SEND);
}

static void wr_send_frame(struct ibv_qp_ex *ibqp)
{
	begin_kind(ibqp, &srnic_frame_kind);
}

static void wr_send_imm(struct ibv_qp_ex *ibqp, __be32 imm_data)
{
	struct srnic_sq_wqe *wqe = begin(ibqp, IBV_WR_SEND_WITH_IMM);

	if (wqe)
		wqe->imm = (__u32)imm_data;
}

static void wr_send_inv(struct ibv_qp_ex *ibqp, uint32_t invalidate_rkey)
{
	struct srnic_sq_wqe *wqe = begin(ibqp, IBV_WR_SEND_WITH_INV);

	if (wqe)
		wqe->imm = invalidate_rkey;
}

static void wr_local_inv(struct ibv_qp_ex *ibqp, uint32_t invalidate_rkey)
{
	struct srnic_sq_wqe *wqe = begin(ibqp, IBV_WR_LOCAL_INV);

	if (wqe)
		wqe->imm = invalidate_rkey;
}

/* Common part of RDMA writes, reads and atomics. */
static struct srnic_sq_wqe *begin_remote(struct ibv_qp_ex *ibqp, enum ibv_wr_opcode opcode,
					 uint32_t rkey, uint64_t remote_addr)
{
	struct srnic_sq_wqe *wqe = begin(ibqp, opcode);

	if (wqe) {
		wqe->rkey = rkey;
		wqe->remote_addr = remote_addr;
	}
	return wqe;
}

static void wr_rdma_write(struct ibv_qp_ex *ibqp, uint32_t rkey, uint64_t remote_addr)
{
	begin_remote(ibqp, IBV_WR_RDMA_WRITE, rkey, remote_addr);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *ibqp, uint32_t rkey, uint64_t remote_addr,
			      __be32 imm_data)
{
	struct srnic_sq_wqe *wqe;

	wqe = begin_remote(ibqp, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, remote_addr);
	if (wqe)
		wqe->imm = (__u32)imm_data;
}

static void wr_rdma_read(struct ibv_qp_ex *ibqp, uint32_t rkey, uint64_t remote_addr)
{
	begin_remote(ibqp, IBV_WR_RDMA_READ, rkey, remote_addr);
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *ibqp, uint32_t rkey, uint64_t remote_addr,
			      uint64_t compare, uint64_t swap)
{
	struct srnic_sq_wqe *wqe;

	wqe = begin_remote(ibqp, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, remote_addr);
	if (wqe) {
		wqe->atomic.compare_add = compare;
		wqe->atomic.swap = swap;
	}
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *ibqp, uint32_t rkey, uint64_t remote_addr,
				uint64_t add)
{
	struct srnic_sq_wqe *wqe;

	wqe = begin_remote(ibqp, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, remote_addr);
	if (wqe)
		wqe->atomic.compare_add = add;
}

static void wr_atomic_write(struct ibv_qp_ex *ibqp, uint32_t rkey, uint64_t remote_addr,
			    const void *word)
{
	struct srnic_sq_wqe *wqe;

	wqe = begin_remote(ibqp, SRNIC_IBV_WR_ATOMIC_WRITE, rkey, remote_addr);
	if (wqe) {
		wqe->flags |= SRNIC_WQE_INLINE;
		memcpy(&wqe->atomic_write.value, word, SRNIC_WORD_LEN);
	}
}

static void wr_flush(struct ibv_qp_ex *ibqp, uint32_t rkey, uint64_t remote_addr, size_t len,
		     uint8_t type, uint8_t level)
{
	struct srnic_sq_wqe *wqe;

	wqe = begin_remote(ibqp, SRNIC_IBV_WR_FLUSH, rkey, remote_addr);
	if (!wqe)
		return;
	if (len > UINT32_MAX)
		to_sqp_ex(ibqp)->wr_err = EINVAL;
	wqe->flush.length = len;
	wqe->flush.types = type;
	wqe->flush.level = level;
}

static void wr_bind_mw(struct ibv_qp_ex *ibqp, struct ibv_mw *mw, uint32_t rkey,
		       const struct ibv_mw_bind_info *info)
{
	struct srnic_sq_wqe *wqe = begin(ibqp, IBV_WR_BIND_MW);

	if (wqe)
		to_sqp_ex(ibqp)->wr_err = srnic_put_bind(wqe, mw, rkey, info);
}

static void wr_set_ud_addr(struct ibv_qp_ex *ibqp, struct ibv_ah *ah, uint32_t remote_qpn,
			   uint32_t remote_qkey)
{
	struct srnic_sq_wqe *wqe = to_sqp_ex(ibqp)->wr_wqe;

	if (!wqe)
		return;
	wqe->ud.ah = to_sah(ah)->number;
	wqe->ud.qpn = remote_qpn;
	wqe->ud.qkey = remote_qkey;
}

static void wr_set_xrc_srqn(struct ibv_qp_ex *ibqp, uint32_t remote_srqn)
{
	struct srnic_sq_wqe *wqe = to_sqp_ex(ibqp)->wr_wqe;

	if (wqe)
		wqe->xrc.srqn = remote_srqn;
}

static void wr_set_sge_list(struct ibv_qp_ex *ibqp, size_t num_sge, const struct ibv_sge *sg_list)
{
	struct srnic_qp *qp = to_sqp_ex(ibqp);

	if (qp->wr_wqe && srnic_put_gather(qp, qp->wr_wqe, sg_list, num_sge))
		qp->wr_err = EINVAL;
}

static void wr_set_sge(struct ibv_qp_ex *ibqp, uint32_t lkey, uint64_t addr, uint32_t length)
{
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	wr_set_sge_list(ibqp, 1, &sge);
}

static void wr_set_inline_data_list(struct ibv_qp_ex *ibqp, size_t num_buf,
				    const struct ibv_data_buf *bufs)
{
	struct srnic_qp *qp = to_sqp_ex(ibqp);
	struct srnic_sq_wqe *wqe = qp->wr_wqe;
	size_t i;

	if (!wqe)
		return;
	if (!srnic_takes_inline(wqe)) {
		qp->wr_err = EINVAL;
		return;
	}
	wqe->flags |= SRNIC_WQE_INLINE;
	wqe->inline_len = 0;
	for (i = 0; i < num_buf; i++) {
		if (srnic_put_inline(qp, wqe, bufs[i].addr, bufs[i].length)) {
			qp->wr_err = EINVAL;
			return;
		}
	}
}

static void wr_set_inline_data(struct ibv_qp_ex *ibqp, void *addr, size_t length)
{
	struct ibv_data_buf buf = { .addr = addr, .length = length };

	wr_set_inline_data_list(ibqp, 1, &buf);
}

/* The work request of each bit of send_ops_flags. */
static const struct {
	uint64_t bit;
	enum ibv_wr_opcode opcode;
} send_ops[] = {
	{ IBV_QP_EX_WITH_SEND, IBV_WR_SEND },
	{ IBV_QP_EX_WITH_SEND_WITH_IMM, IBV_WR_SEND_WITH_IMM },
	{ IBV_QP_EX_WITH_SEND_WITH_INV, IBV_WR_SEND_WITH_INV },
	{ IBV_QP_EX_WITH_RDMA_WRITE, IBV_WR_RDMA_WRITE },
	{ IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_WRITE_WITH_IMM },
	{ IBV_QP_EX_WITH_RDMA_READ, IBV_WR_RDMA_READ },
	{ IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_CMP_AND_SWP },
	{ IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD, IBV_WR_ATOMIC_FETCH_AND_ADD },
	{ IBV_QP_EX_WITH_LOCAL_INV, IBV_WR_LOCAL_INV },
	{ IBV_QP_EX_WITH_BIND_MW, IBV_WR_BIND_MW },
	{ SRNIC_QP_EX_WITH_FLUSH, SRNIC_IBV_WR_FLUSH },
	{ SRNIC_QP_EX_WITH_ATOMIC_WRITE, SRNIC_IBV_WR_ATOMIC_WRITE },
};

static uint64_t supported_ops(enum ibv_qp_type type)
{
	uint64_t ops = 0;
	size_t i;

	for (i = 0; i < sizeof(send_ops) / sizeof(send_ops[0]); i++)
		if (srnic_wr_kind(send_ops[i].opcode, type))
			ops |= send_ops[i].bit;
	return ops;
}

static void set_builders(struct ibv_qp_ex *ex, uint64_t ops)
{
	if (ops & IBV_QP_EX_WITH_SEND)
		ex->wr_send = wr_send;
	if (ops & IBV_QP_EX_WITH_SEND_WITH_IMM)
		ex->wr_send_imm = wr_send_imm;
	if (ops & IBV_QP_EX_WITH_SEND_WITH_INV)
		ex->wr_send_inv = wr_send_inv;
	if (ops & IBV_QP_EX_WITH_RDMA_WRITE)
		ex->wr_rdma_write = wr_rdma_write;
	if (ops & IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
		ex->wr_rdma_write_imm = wr_rdma_write_imm;
	if (ops & IBV_QP_EX_WITH_RDMA_READ)
		ex->wr_rdma_read = wr_rdma_read;
	if (ops & IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP)
		ex->wr_atomic_cmp_swp = wr_atomic_cmp_swp;
	if (ops & IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
		ex->wr_atomic_fetch_add = wr_atomic_fetch_add;
	if (ops & IBV_QP_EX_WITH_LOCAL_INV)
		ex->wr_local_inv = wr_local_inv;
	if (ops & IBV_QP_EX_WITH_BIND_MW)
		ex->wr_bind_mw = wr_bind_mw;
}

/**
 * srnic_set_wr_ops() - Install the ibv_wr_*() operations of an extended QP
 * @type: the QP's type
 * @ops: IBV_QP_EX_WITH_*
 *
 * Return: 0, or EOPNOTSUPP if the type does not support all of @ops.
 */
int srnic_set_wr_ops(struct srnic_qp *qp, enum ibv_qp_type type, uint64_t ops)
{
	struct ibv_qp_ex *ex = &qp->vqp.qp_ex;

	if (ops & ~supported_ops(type))
		return EOPNOTSUPP;

	ex->wr_start = wr_start;
	ex->wr_complete = wr_complete;
	ex->wr_abort = wr_abort;
	ex->wr_set_sge = wr_set_sge;
	ex->wr_set_sge_list = wr_set_sge_list;
	ex->wr_set_inline_data = wr_set_inline_data;
	ex->wr_set_inline_data_list = wr_set_inline_data_list;
	ex->wr_set_ud_addr = wr_set_ud_addr;
	ex->wr_set_xrc_srqn = wr_set_xrc_srqn;
	set_builders(ex, ops);
	if (type == IBV_QPT_RAW_PACKET)
		ex->wr_send = ops & IBV_QP_EX_WITH_SEND ? wr_send_frame : NULL;
	return 0;
}

/* Store @op at the place @n behind the operations that every library has. */
static int set_late(struct srnic_qp *qp, unsigned int n, const void *op, const void *end)
{
	char *at = (char *)qp + offsetof(struct srnic_qp, vqp.qp_ex.wr_abort) +
		   (n + 1) * sizeof(void *);

	if (at + sizeof(void *) > (const char *)end)
		return EOPNOTSUPP;
	memcpy(at, op, sizeof(void *));
	return 0;
}

/**
 * srnic_set_late_wr_ops() - Install the operations that came with rdma-core 44 and 45
 * @ops: IBV_QP_EX_WITH_*
 * @end: where the running library's struct ibv_qp_ex ends, see offer_wr()
 *
 * They are at its end, and the verbs.h of this build need not know them.
 *
 * Return: 0, or EOPNOTSUPP if the library is older than one of @ops.
 */
int srnic_set_late_wr_ops(struct srnic_qp *qp, uint64_t ops, const void *end)
{
	void (*atomic_write)(struct ibv_qp_ex *, uint32_t, uint64_t, const void *) =
		wr_atomic_write;
	void (*flush)(struct ibv_qp_ex *, uint32_t, uint64_t, size_t, uint8_t, uint8_t) = wr_flush;
	int ret = 0;

	if (ops & SRNIC_QP_EX_WITH_ATOMIC_WRITE)
		ret = set_late(qp, 0, &atomic_write, end);
	if (!ret && ops & SRNIC_QP_EX_WITH_FLUSH)
		ret = set_late(qp, 1, &flush, end);
	return ret;
}
