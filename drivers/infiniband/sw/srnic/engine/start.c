// SPDX-License-Identifier: GPL-2.0
/*
 * Start of a work request: it is checked, waits for others if it must, and gets its PSNs. A work
 * request that sends no packets (local.c) is also executed.
 */
#include "srnic.h"
#include "engine/requester.h"
#include "mem/mem.h"

/*
 * A local invalidation waits for all earlier work requests: retransmissions may read the region,
 * and responses may be placed in it.
 */
static int start_local(struct srnic_build *build, struct srnic_swqe *wqe)
{
	struct srnic_qp *qp = build->qp;
	enum ib_wc_status status;

	if (wqe->opcode == SRNIC_WQE_LOCAL_INV) {
		srnic_sq_retire(qp);
		if (qp->sq.cons != qp->sq.next)
			return -EAGAIN;
	}
	srnic_mem_cache_drop(&build->cache);
	status = srnic_local_op(qp, wqe);
	if (status) {
		srnic_sq_fail(qp, wqe, status);
		return -EINVAL;
	}
	wqe->state = SRNIC_SWQE_DONE;
	return 0;
}

/**
 * srnic_requester_start - Start the work request that the cursor has reached
 * @build: the turn
 * @wqe: in state NEW
 *
 * Return: 0: it has its PSNs, or was local and is done; -EAGAIN: it must wait; -EINVAL: it has
 * failed.
 */
int srnic_requester_start(struct srnic_build *build, struct srnic_swqe *wqe)
{
	struct srnic_qp *qp = build->qp;
	enum ib_wc_status status;

	lockdep_assert_held(&qp->lock);

	if (qp->state == IB_QPS_SQD)
		return -EAGAIN;		/* IBA 10.3.1.5: finish what was begun */

	status = srnic_wqe_check(qp, wqe);
	if (unlikely(status)) {
		srnic_count(qp, bad_wqe);
		srnic_sq_fail(qp, wqe, status);
		return -EINVAL;
	}
	/* IBA 10.8.3.3: a fence waits for all earlier READs and atomics */
	if (wqe->flags & SRNIC_SWQE_FENCE && qp->req.rd_atomic)
		return -EAGAIN;
	if (srnic_wqe_kind(wqe)->class == SRNIC_CLASS_LOCAL)
		return start_local(build, wqe);

	wqe->first_psn = qp->req.psn;
	wqe->last_psn = srnic_psn_add(wqe->first_psn, srnic_wqe_packets(wqe, qp->mtu) - 1);
	wqe->state = SRNIC_SWQE_ACTIVE;
	return 0;
}
