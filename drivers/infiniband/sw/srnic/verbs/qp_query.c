// SPDX-License-Identifier: GPL-2.0
/*
 * Query QP (IBA 11.2.4.3).
 */
#include "verbs/ops.h"

/* Report the current PSNs; the rest is as modify_qp has stored it. */
static void qp_query_attr(struct srnic_qp *qp, struct ib_qp_attr *attr)
	__must_hold(&qp->lock)
{
	*attr = qp->attr;
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	if (qp->state == IB_QPS_RTR || qp->state == IB_QPS_RTS || qp->state == IB_QPS_SQD)
		attr->rq_psn = qp->resp.psn;
	if (qp->state == IB_QPS_RTS || qp->state == IB_QPS_SQD)
		attr->sq_psn = qp->req.psn;
}

int srnic_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init)
{
	struct srnic_qp *qp = to_srnic_qp(ib);

	spin_lock_bh(&qp->lock);
	qp_query_attr(qp, attr);
	spin_unlock_bh(&qp->lock);
	attr->sq_draining = srnic_qp_draining(qp);

	init->event_handler = ib->event_handler;
	init->qp_context = ib->qp_context;
	init->send_cq = ib->send_cq;
	init->recv_cq = ib->recv_cq;
	init->srq = ib->srq;
	init->xrcd = ib->xrcd;
	init->cap = attr->cap;
	init->qp_type = ib->qp_type;
	init->sq_sig_type = qp->sq.sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->create_flags = qp->sq.lso ? IB_QP_CREATE_IPOIB_UD_LSO : 0;
	return 0;
}
