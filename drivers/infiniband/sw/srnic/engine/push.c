// SPDX-License-Identifier: GPL-2.0
/*
 * Completions of a QP's work requests.
 */
#include "srnic.h"
#include "engine/due.h"

/**
 * srnic_qp_push() - Write a completion
 * @qp: the QP
 * @cq: its send or receive CQ
 * @cqe: the completion
 * @solicited: raise an event if the CQ is armed for solicited completions only
 *
 * A full CQ is the fault of the QPs that complete there (RFC 5042 6.4.3.2, 6.4.6). The QP that
 * finds it full enters ERR here; the CQ notifies its consumer, and moves the other QPs to ERR.
 *
 * Context: process or softirq, under the QP's lock.
 */
void srnic_qp_push(struct srnic_qp *qp, struct srnic_cq *cq, const struct srnic_cqe *cqe,
		   bool solicited)
{
	lockdep_assert_held(&qp->lock);

	if (unlikely(srnic_cq_push(cq, cqe, solicited))) {
		srnic_count(qp, cq_overflow);
		srnic_qp_fatal(qp, IB_EVENT_QP_FATAL);
		return;
	}
	qp->due |= cq == qp->scq ? SRNIC_DUE_SCQ : SRNIC_DUE_RCQ;
}
