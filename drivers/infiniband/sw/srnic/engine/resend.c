// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that are sent once more by themselves, while the cursor stays where it is.
 */
#include "srnic.h"
#include "engine/backpressure.h"
#include "engine/request.h"
#include "engine/requester.h"
#include "engine/unlock.h"

/**
 * srnic_requester_repeat - Send the oldest unacknowledged packet once more, alone
 * @qp: RC; the oldest work request is active
 *
 * It asks for an answer: a READ for the oldest response that is missing.
 *
 * Return: true if it has been sent.
 */
bool srnic_requester_repeat(struct srnic_qp *qp)
{
	const struct srnic_swqe *wqe = srnic_sq_wqe(&qp->sq, qp->sq.cons);
	u32 i = (qp->req.una - wqe->first_psn) & SRNIC_PSN_MASK;
	struct srnic_build build __uninitialized;
	int err;

	lockdep_assert_held(&qp->lock);

	srnic_build_begin(&build, qp, &qp->path, SRNIC_FLOW_OURS);
	switch (srnic_wqe_kind(wqe)->class) {
	case SRNIC_CLASS_READ:
		err = srnic_request_read(&build, wqe, i, 1, 1);
		break;
	case SRNIC_CLASS_ATOMIC:
		err = srnic_request_atomic(&build, wqe, 1);
		break;
	default:
		err = srnic_request_data(&build, wqe, i, true, 1);
	}
	srnic_build_end(&build);
	if (err)
		return false;
	srnic_qp_built_requests(qp, true);
	return true;
}
