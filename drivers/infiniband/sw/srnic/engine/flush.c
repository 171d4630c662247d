// SPDX-License-Identifier: GPL-2.0
/*
 * Flush of a QP's queues in ERR: each work request completes as "flushed", in order (IBA
 * 10.3.1.6, C10-42). This includes work requests posted later, because kernel consumers drain
 * their QPs that way (ib_drain_qp()). In SQE, only the send queue is flushed.
 */
#include "srnic.h"
#include "engine/due.h"
#include "engine/recv.h"
#include "engine/state.h"
#include "engine/wqe.h"

/* Most completions per turn, for each queue */
#define FLUSH_TURN	64

static enum ib_wc_status flush_status(const struct srnic_swqe *wqe)
{
	switch (wqe->state) {
	case SRNIC_SWQE_DONE:
		return IB_WC_SUCCESS;
	case SRNIC_SWQE_FAILED:
		return wqe->status;
	default:
		return IB_WC_WR_FLUSH_ERR;
	}
}

/* Return true if work requests remain. */
static bool flush_sq(struct srnic_qp *qp)
{
	struct srnic_sq *sq = &qp->sq;
	struct srnic_swqe *wqe = NULL;
	int budget = FLUSH_TURN;

	sq->next = sq->cons;
	while (budget--) {
		wqe = srnic_sq_peek(qp);
		if (!wqe)
			break;
		srnic_sq_complete(qp, wqe, flush_status(wqe));
		sq->next = sq->cons;
	}
	return wqe;
}

static bool flush_rq(struct srnic_qp *qp)
{
	struct srnic_ring *ring = &qp->rq.ring;
	int budget = FLUSH_TURN;

	srnic_recv_fail(qp, IB_WC_WR_FLUSH_ERR);
	if (!ring->hdr)
		return false;

	while (srnic_ring_pending(ring) > 0) {
		if (!budget--)
			return true;
		srnic_recv_get(qp, NULL);
		srnic_recv_fail(qp, IB_WC_WR_FLUSH_ERR);
	}
	return false;
}

/**
 * srnic_qp_flush_some() - Flush a turn's worth of work requests
 * @qp: the QP
 *
 * After the last one, a QP that uses a shared receive queue reports that it takes no more from
 * it (IBA 11.6.3.1.6, "Last WQE Reached").
 *
 * Context: process or softirq, under the QP's lock.
 * Return: true if work requests remain.
 */
bool srnic_qp_flush_some(struct srnic_qp *qp)
{
	bool more;

	lockdep_assert_held(&qp->lock);

	if (qp->state != IB_QPS_ERR && qp->state != IB_QPS_SQE)
		return false;

	more = flush_sq(qp);
	if (qp->state == IB_QPS_SQE)
		return more;

	more |= flush_rq(qp);
	if (!more && !qp->flushed) {
		qp->flushed = true;
		if (qp->srq || qp->xrc)
			srnic_qp_event(qp, IB_EVENT_QP_LAST_WQE_REACHED);
	}
	return more;
}
