// SPDX-License-Identifier: GPL-2.0
/*
 * post_send and post_recv, and the doorbells of user QPs. They may be called in any context,
 * even with interrupts off (ib_mad does so for each CM MAD), so they only copy work requests
 * under a short irqsave lock. The caller's context then transmits where this is allowed and
 * short; otherwise the worker does.
 */
#include "export.h"
#include "srnic.h"
#include "engine/ah.h"
#include "engine/due.h"
#include "engine/requester.h"
#include "engine/ud.h"
#include "engine/unlock.h"
#include "engine/wqe.h"
#include "mem/mem.h"

/* ib_wr_opcode to our opcode, plus one; 0: not supported */
static const u8 wqe_opcode[] = {
	[IB_WR_SEND]			= SRNIC_WQE_SEND + 1,
	[IB_WR_SEND_WITH_IMM]		= SRNIC_WQE_SEND_IMM + 1,
	[IB_WR_SEND_WITH_INV]		= SRNIC_WQE_SEND_INV + 1,
	[IB_WR_RDMA_WRITE]		= SRNIC_WQE_WRITE + 1,
	[IB_WR_RDMA_WRITE_WITH_IMM]	= SRNIC_WQE_WRITE_IMM + 1,
	[IB_WR_RDMA_READ]		= SRNIC_WQE_READ + 1,
	[IB_WR_ATOMIC_CMP_AND_SWP]	= SRNIC_WQE_CMP_SWAP + 1,
	[IB_WR_ATOMIC_FETCH_AND_ADD]	= SRNIC_WQE_FETCH_ADD + 1,
	[IB_WR_LOCAL_INV]		= SRNIC_WQE_LOCAL_INV + 1,
	[IB_WR_REG_MR]			= SRNIC_WQE_REG_MR + 1,
	/* no FLUSH: the core has no work request that could carry its fields */
	[IB_WR_ATOMIC_WRITE]		= SRNIC_WQE_ATOMIC_WRITE + 1,
	[IB_WR_LSO]			= SRNIC_WQE_LSO + 1,
};

#define SEND_FLAGS	(IB_SEND_SIGNALED | IB_SEND_SOLICITED | IB_SEND_FENCE | IB_SEND_INLINE | \
			 IB_SEND_IP_CSUM)

static u16 wqe_flags(int flags)
{
	return (flags & IB_SEND_SIGNALED ? SRNIC_SWQE_SIGNALED : 0) |
	       (flags & IB_SEND_SOLICITED ? SRNIC_SWQE_SOLICITED : 0) |
	       (flags & IB_SEND_FENCE ? SRNIC_SWQE_FENCE : 0) |
	       (flags & IB_SEND_INLINE ? SRNIC_SWQE_INLINE : 0) |
	       (flags & IB_SEND_IP_CSUM ? SRNIC_SWQE_IP_CSUM : 0);
}

static int copy_sges(const struct srnic_sq *sq, struct srnic_swqe *wqe,
		     const struct ib_send_wr *wr)
{
	u64 length = 0;
	int i;

	if (wr->num_sge < 0 || wr->num_sge > sq->max_sge)
		return -EINVAL;
	for (i = 0; i < wr->num_sge; i++) {
		wqe->sge[i].addr = wr->sg_list[i].addr;
		wqe->sge[i].length = wr->sg_list[i].length;
		wqe->sge[i].lkey = wr->sg_list[i].lkey;
		length += wr->sg_list[i].length;
	}
	if (length > SRNIC_MAX_MSG)
		return -EINVAL;
	wqe->num_sge = wr->num_sge;
	wqe->length = length;
	return 0;
}

/* Copy inline data of a kernel consumer: addresses are pointers, and there are no keys. */
static int copy_inline(const struct srnic_sq *sq, struct srnic_swqe *wqe,
		       const struct ib_send_wr *wr)
{
	u32 length = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];

		if (sge->length > sq->max_inline - length)
			return -EINVAL;
		memcpy(wqe->inline_data + length, ib_virt_dma_to_ptr(sge->addr), sge->length);
		length += sge->length;
	}
	wqe->num_sge = 0;
	wqe->length = length;
	return 0;
}

static int copy_payload(const struct srnic_sq *sq, struct srnic_swqe *wqe,
			const struct ib_send_wr *wr)
{
	enum srnic_wqe_class class = srnic_wqe_kind(wqe)->class;
	int err;

	if (class == SRNIC_CLASS_LOCAL) {
		wqe->num_sge = 0;
		wqe->length = 0;
		return 0;
	}
	if (wqe->flags & SRNIC_SWQE_INLINE)
		return class == SRNIC_CLASS_DATA ? copy_inline(sq, wqe, wr) : -EINVAL;

	err = copy_sges(sq, wqe, wr);
	if (!err && (class == SRNIC_CLASS_ATOMIC || class == SRNIC_CLASS_CONFIRMED)) {
		if (wqe->length < sizeof(u64))
			return -EINVAL;
		wqe->length = sizeof(u64);	/* the SGEs may have room for more */
	}
	return err;
}

/* Copy the headers and sizes of a large send, whose SGEs have been copied, and check all of it. */
static int copy_lso(const struct srnic_qp *qp, struct srnic_swqe *wqe, const struct ib_ud_wr *wr)
{
	struct srnic_lso lso;

	if (!qp->sq.lso || wqe->flags & SRNIC_SWQE_INLINE)
		return -EINVAL;
	if (wr->hlen < 0 || wr->hlen > SRNIC_LSO_HDR_MAX || wr->mss <= 0 || wr->mss > U16_MAX)
		return -EINVAL;
	memcpy((u8 *)wqe + qp->sq.lso_at, wr->header, wr->hlen);
	wqe->ud.hlen = wr->hlen;
	wqe->ud.mss = wr->mss;
	lso = srnic_wqe_lso(&qp->sq, wqe);
	return srnic_lso_valid(&lso, qp->mtu) ? 0 : -EINVAL;
}

/* Copy the fields that depend on the operation. */
static void copy_operation(const struct srnic_qp *qp, struct srnic_swqe *wqe,
			   const struct ib_send_wr *wr)
{
	switch (wqe->opcode) {
	case SRNIC_WQE_WRITE:
	case SRNIC_WQE_WRITE_IMM:
	case SRNIC_WQE_READ:
	case SRNIC_WQE_ATOMIC_WRITE:
		wqe->raddr = rdma_wr(wr)->remote_addr;
		wqe->rkey = rdma_wr(wr)->rkey;
		break;
	case SRNIC_WQE_CMP_SWAP:
	case SRNIC_WQE_FETCH_ADD:
		wqe->raddr = atomic_wr(wr)->remote_addr;
		wqe->rkey = atomic_wr(wr)->rkey;
		wqe->atomic.compare_add = atomic_wr(wr)->compare_add;
		wqe->atomic.swap = atomic_wr(wr)->swap;
		break;
	case SRNIC_WQE_REG_MR:
		wqe->reg.mr = reg_wr(wr)->mr;
		wqe->reg.key = reg_wr(wr)->key;
		wqe->reg.access = reg_wr(wr)->access;
		break;
	default:
		if (srnic_qp_connected(qp))
			break;
		wqe->ud.ah = 0;
		wqe->ud.kah = to_srnic_ah(ud_wr(wr)->ah);
		wqe->ud.qpn = ud_wr(wr)->remote_qpn;
		wqe->ud.qkey = ud_wr(wr)->remote_qkey;
		wqe->ud.pkey_index = ud_wr(wr)->pkey_index;
	}
}

/* IBA 11.4.1.1: report immediate errors before the work request is accepted */
static int copy_wr(const struct srnic_qp *qp, struct srnic_swqe *wqe, const struct ib_send_wr *wr)
{
	u8 opcode = wr->opcode < ARRAY_SIZE(wqe_opcode) ? wqe_opcode[wr->opcode] : 0;
	int err;

	if (!opcode || !(srnic_wqe_kinds[opcode - 1].types & BIT(qp->ib.qp_type)))
		return -EINVAL;
	if (wr->send_flags & ~SEND_FLAGS)
		return -EINVAL;
	if (wr->send_flags & IB_SEND_IP_CSUM && !srnic_qp_offloads_ip(qp))
		return -EINVAL;

	wqe->wr_id = wr->wr_id;
	wqe->opcode = opcode - 1;
	wqe->flags = wqe_flags(wr->send_flags);
	wqe->imm = wr->ex.imm_data;	/* or invalidate_rkey */
	wqe->state = SRNIC_SWQE_NEW;
	copy_operation(qp, wqe, wr);
	err = copy_payload(&qp->sq, wqe, wr);
	if (!err && wr->opcode == IB_WR_LSO)
		err = copy_lso(qp, wqe, ud_wr(wr));
	return err;
}

static int copy_list(struct srnic_qp *qp, const struct ib_send_wr *wr,
		     const struct ib_send_wr **bad_wr)
{
	struct srnic_sq *sq = &qp->sq;
	unsigned long flags;
	u32 prod;
	int err = 0;

	spin_lock_irqsave(&sq->post_lock, flags);
	prod = sq->prod;
	for (; wr; wr = wr->next, prod++) {
		/* acquire: the context that retired the slot no longer uses it */
		if (prod - smp_load_acquire(&sq->cons) >= sq->limit) {
			err = sq->limit ? -ENOMEM : -EINVAL;	/* XRC targets do not send */
			break;
		}
		err = copy_wr(qp, srnic_sq_wqe(sq, prod), wr);
		if (err)
			break;
	}
	smp_store_release(&sq->prod, prod);	/* pairs with srnic_sq_peek() */
	spin_unlock_irqrestore(&sq->post_lock, flags);

	if (err)
		*bad_wr = wr;
	return err;
}

static void post_to_worker(struct srnic_qp *qp)
{
	srnic_qp_kick(qp, SRNIC_QP_WORK_SEND);
	srnic_qp_kick(qp, SRNIC_QP_WORK_FLUSH);
}

/* Send new work requests, or check the ring after a user's doorbell. */
static void post_transmit(struct srnic_qp *qp)
{
	if (in_hardirq() || irqs_disabled()) {
		post_to_worker(qp);
		return;
	}
	srnic_qp_lock(qp);
	if (likely(qp->state != IB_QPS_ERR && qp->state != IB_QPS_SQE))
		srnic_requester_run(qp);
	else
		srnic_qp_kick(qp, SRNIC_QP_WORK_FLUSH);
	srnic_qp_unlock_deferring(qp);
}

/* Tell whether valid work requests send more than a packet holds. A READ's bytes are sent to us. */
static bool sends_much(const struct srnic_qp *qp, const struct ib_send_wr *wr)
{
	u64 bytes = 0;
	int i;

	for (; wr; wr = wr->next) {
		if (wr->opcode == IB_WR_RDMA_READ)
			continue;
		for (i = 0; i < wr->num_sge; i++)
			bytes += wr->sg_list[i].length;
	}
	return bytes > qp->mtu;
}

/*
 * Copy a kernel consumer's work requests and send them. With BHs off, as ib_ipoib posts, the CPU
 * receives nothing until all is copied, checked and sealed, and the consumer's locks are held as
 * long. The worker, which may run on another CPU, sends what is longer than a packet, and what
 * waits behind it. A single packet is sent at once: to wake the worker takes longer.
 */
static int post_list(struct srnic_qp *qp, const struct ib_send_wr *wr,
		     const struct ib_send_wr **bad_wr)
{
	bool busy = READ_ONCE(qp->sq.next) != READ_ONCE(qp->sq.prod);
	int err = copy_list(qp, wr, bad_wr);

	if (softirq_count() && (busy || (!err && sends_much(qp, wr))))
		post_to_worker(qp);
	else
		post_transmit(qp);
	return err;
}

/**
 * srnic_post_send() - Post work requests, or ring a user QP's doorbell
 * @ibqp: the QP
 * @wr: list of work requests; NULL for a user QP, whose work requests are in its ring
 * @bad_wr: on failure, the first work request that was not posted
 *
 * Context: any; a doorbell in process context.
 * Return: 0; -EINVAL (state, or an immediate error); -ENOMEM (the queue is full, or no memory);
 * -EOPNOTSUPP (work requests of a user QP).
 */
int srnic_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		    const struct ib_send_wr **bad_wr)
{
	struct srnic_qp *qp = to_srnic_qp(ibqp);
	int err = 0;

	if (qp->sq.ring.user) {
		/* a user's work requests are in the ring, not in the system call */
		err = wr ? -EOPNOTSUPP : srnic_sq_alloc(qp);
		if (!err)
			post_transmit(qp);
	} else if (READ_ONCE(qp->state) < IB_QPS_RTS) {
		err = -EINVAL;		/* IBA C10-96 */
	} else {
		return post_list(qp, wr, bad_wr);
	}
	if (err)
		*bad_wr = wr;
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_post_send);

static int post_recv_list(struct srnic_qp *qp, const struct ib_recv_wr *wr,
			  const struct ib_recv_wr **bad_wr)
{
	struct srnic_rq *rq = &qp->rq;
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&rq->post_lock, flags);
	for (; wr; wr = wr->next) {
		err = srnic_rq_post(&rq->ring, wr, rq->max_sge);
		if (err)
			break;
	}
	spin_unlock_irqrestore(&rq->post_lock, flags);

	if (err)
		*bad_wr = wr;
	return err;
}

/**
 * srnic_post_recv() - Post receives, or flush the ring of a user QP in ERR
 * @ibqp: the QP
 * @wr: list of receives; NULL for a user QP, whose receives are in its ring
 * @bad_wr: on failure, the first receive that was not posted
 *
 * Receives are fetched when a message arrives, so a post needs no doorbell, except in ERR,
 * where receives are flushed.
 *
 * Context: any.
 * Return: 0; -EINVAL (state, an SRQ, or too many SGEs); -ENOMEM (the queue is full);
 * -EOPNOTSUPP (receives of a user QP).
 */
int srnic_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		    const struct ib_recv_wr **bad_wr)
{
	struct srnic_qp *qp = to_srnic_qp(ibqp);
	int err = 0;

	/* with an SRQ, or on an XRC initiator, there is no receive queue */
	if (!qp->rq.ring.hdr || READ_ONCE(qp->state) == IB_QPS_RESET) {
		*bad_wr = wr;
		return -EINVAL;		/* IBA C10-97 */
	}
	if (qp->rq.ring.user) {
		if (wr) {
			*bad_wr = wr;
			return -EOPNOTSUPP;
		}
	} else {
		err = post_recv_list(qp, wr, bad_wr);
	}
	/* pairs with the state change under the lock: the flush sees the receive, or we see ERR */
	smp_mb();
	if (unlikely(READ_ONCE(qp->state) == IB_QPS_ERR))
		srnic_qp_kick(qp, SRNIC_QP_WORK_FLUSH);
	return err;
}
