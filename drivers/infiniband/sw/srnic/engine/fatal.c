// SPDX-License-Identifier: GPL-2.0
/*
 * Entry of a QP into ERR, from any part of the engine.
 */
#include "export.h"
#include "srnic.h"
#include "engine/due.h"
#include "engine/reorder.h"

/**
 * srnic_qp_enter_err() - Move a QP to ERR
 * @qp: the QP, not in ERR
 *
 * Nothing more is sent or accepted from the wire; the worker flushes.
 *
 * Context: process or softirq, under the QP's lock.
 */
void srnic_qp_enter_err(struct srnic_qp *qp)
{
	lockdep_assert_held(&qp->lock);

	qp->state = IB_QPS_ERR;
	srnic_reorder_drop(qp, &qp->req.early);
	srnic_reorder_drop(qp, &qp->resp.early);
	if (qp->rq.ring.user)
		WRITE_ONCE(qp->rq.ring.hdr->need_wakeup, 1);
	srnic_qp_kick(qp, SRNIC_QP_WORK_FLUSH);
}

/**
 * srnic_qp_fatal() - Move a QP to ERR after a fatal error
 * @qp: the QP
 * @event: enum ib_event_type to raise, or -1 if a completion reports the error
 *
 * Context: process or softirq, under the QP's lock.
 */
void srnic_qp_fatal(struct srnic_qp *qp, int event)
{
	lockdep_assert_held(&qp->lock);

	if (qp->state == IB_QPS_ERR || qp->state == IB_QPS_RESET)
		return;
	if (event >= 0)
		srnic_qp_event(qp, event);
	srnic_qp_enter_err(qp);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_qp_fatal);
