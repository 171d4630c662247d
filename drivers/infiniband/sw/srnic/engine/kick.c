// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of tasks from a QP's worker (worker.c), from any context.
 */
#include "srnic.h"
#include "engine/due.h"

/**
 * srnic_qp_kick() - Request a task of the worker
 * @qp: the QP
 * @why: SRNIC_QP_WORK_*
 *
 * Context: any.
 */
void srnic_qp_kick(struct srnic_qp *qp, int why)
{
	set_bit(why, &qp->work_bits);
	queue_work(srnic_wq, &qp->work);
}
