// SPDX-License-Identifier: GPL-2.0
/*
 * Receive work requests, which are taken from the QP's receive queue or the shared one, and
 * completed. If one was taken and not used up, because an unreliable message broke off, it
 * serves the next message.
 */
#include "srnic.h"
#include "engine/due.h"
#include "engine/fault.h"
#include "engine/recv.h"
#include "engine/srq.h"
#include "engine/timer.h"
#include "engine/xrc.h"

/* Jiffies to wait, beyond the RNR delay, for a stream that found the queue empty */
#define SRQ_RETRY_SLACK	msecs_to_jiffies(20)

/* IBA 10.2.9.2: report once that fewer entries than the limit remain; then disarm */
static bool srq_limit_reached(struct srnic_srq *srq)
{
	int left = srnic_ring_pending(&srq->ring);

	if (!srq->limit || left < 0 || (u32)left >= srq->limit)
		return false;
	srq->limit = 0;
	return true;
}

/*
 * Return true if the SRQ enters the error state because its index is invalid. It provides no
 * WQEs from then on, and each QP that needs one enters ERR (IBA 10.2.9.3, 11.6.3.3).
 */
static bool srq_enter_error(struct srnic_srq *srq)
{
	if (srq->error || srnic_ring_pending(&srq->ring) >= 0)
		return false;
	srq->error = true;
	return true;
}

/* A stream that takes too much waits for those that do not (R20). */
static enum srnic_share_answer srq_ask(struct srnic_srq *srq, struct srnic_qp *qp)
{
	const struct srnic_share_queue queue = {
		.capacity = srq->ring.limit,
		.avail = srnic_ring_pending(&srq->ring),
		.retry_time = 2 * srnic_timer_rnr_delay(qp->attr.min_rnr_timer) + SRQ_RETRY_SLACK,
		.greed = srnic_limit_get(&qp->dev->guard, SRNIC_LIMIT_GREED),
	};

	return srnic_share_ask(&srq->share, &qp->stream, &queue, jiffies);
}

static int srq_take(struct srnic_srq *srq, struct srnic_qp *qp)
{
	int ret = srnic_rq_fetch(&srq->ring, &qp->resp.rwqe, srq->max_sge);

	if (ret)
		srnic_share_took(&srq->share, &qp->stream);
	return ret;
}

/* An XRC target may take from another queue before it is unlocked. */
static void srq_event(struct srnic_qp *qp, enum ib_event_type type)
{
	if (qp->xrc)
		srnic_xrc_srq_event(qp->srq, type);
	else
		srnic_qp_event(qp, type);
}

static int srq_get(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	enum srnic_share_answer answer = SRNIC_SHARE_EMPTY;
	struct srnic_srq *srq = qp->srq;
	bool low, error;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&srq->lock, flags);
	error = srq_enter_error(srq);
	if (srq->error)
		ret = -EIO;
	else
		answer = srq_ask(srq, qp);
	if (answer == SRNIC_SHARE_TAKE)
		ret = srq_take(srq, qp);
	/* also if nothing was taken: the limit may have been armed above what waits */
	low = srq_limit_reached(srq);
	spin_unlock_irqrestore(&srq->lock, flags);

	if (unlikely(error))
		srq_event(qp, IB_EVENT_SRQ_ERR);
	if (low)
		srq_event(qp, IB_EVENT_SRQ_LIMIT_REACHED);
	if (unlikely(answer == SRNIC_SHARE_UNFAIR))
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_srq_unfair);
	return ret;
}

/**
 * srnic_recv_get() - Get a receive work request into resp.rwqe
 * @qp: the QP
 * @pkt: the packet that needs it; may be NULL if the QP has its own receive queue
 *
 * Context: process or softirq, under the QP's lock.
 * Return: 1; 0 if none is posted, or none for this QP; -EINVAL if the entry is invalid; -EIO if
 * the shared queue is in error, and there is nothing to complete.
 */
int srnic_recv_get(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	struct srnic_rwqe *rwqe = &qp->resp.rwqe;
	int ret;

	lockdep_assert_held(&qp->lock);

	if (rwqe->valid) {
		rwqe->done = 0;
		return 1;
	}
	rwqe->wr_id = 0;
	if (qp->srq)
		ret = srq_get(qp, pkt);
	else
		ret = srnic_rq_fetch(&qp->rq.ring, rwqe, qp->rq.max_sge);

	/* an invalid entry must complete, too, in error */
	rwqe->valid = ret && ret != -EIO;
	if (unlikely(ret < 0))
		srnic_count(qp, bad_wqe);
	return ret;
}

/**
 * srnic_recv_complete() - Complete the receive work request in use after a message
 * @qp: the QP
 * @cqe: completion; opcode, byte_len and a datagram's sender are set
 * @pkt: last packet of the message
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_recv_complete(struct srnic_qp *qp, struct srnic_cqe *cqe, const struct srnic_pkt *pkt)
{
	struct srnic_rwqe *rwqe = &qp->resp.rwqe;

	lockdep_assert_held(&qp->lock);

	cqe->wr_id = rwqe->wr_id;
	cqe->status = IB_WC_SUCCESS;
	cqe->qp_num = qp->ib.qp_num;
	if (pkt->opc->flags & SRNIC_OPF_IMM) {
		cqe->wc_flags |= SRNIC_WC_WITH_IMM;
		cqe->imm = (__force u32)pkt->imm;
	} else if (pkt->opc->flags & SRNIC_OPF_IETH) {
		cqe->wc_flags |= SRNIC_WC_WITH_INV;
		cqe->imm = pkt->rkey;
	}
	rwqe->valid = false;
	srnic_count(qp, rdma_recvs);
	srnic_qp_push(qp, qp->rcq, cqe, pkt->se);
}

/**
 * srnic_recv_fail() - Complete the receive work request in use, if any, in error
 * @qp: the QP
 * @status: the error
 *
 * Context: process or softirq, under the QP's lock.
 */
void srnic_recv_fail(struct srnic_qp *qp, enum ib_wc_status status)
{
	struct srnic_rwqe *rwqe = &qp->resp.rwqe;
	struct srnic_cqe cqe = {
		.wr_id = rwqe->wr_id,
		.status = status,
		.opcode = IB_WC_RECV,
		.qp_num = qp->ib.qp_num,
	};

	lockdep_assert_held(&qp->lock);

	if (!rwqe->valid)
		return;
	rwqe->valid = false;
	if (qp->xrc)
		qp->due |= SRNIC_DUE_XRC;
	srnic_qp_push(qp, qp->rcq, &cqe, status);
}
