// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that cannot be done where they become due: with interrupts off, in softirq for longer
 * than a turn, or because they sleep.
 */
#include <linux/sched/mm.h>
#include "srnic.h"
#include "engine/due.h"
#include "engine/handshake.h"
#include "engine/life.h"
#include "engine/requester.h"
#include "engine/responder.h"
#include "engine/state.h"
#include "engine/ud_keys.h"
#include "engine/unlock.h"
#include "engine/wqe.h"

/* The send queue was used for the first time in a context that cannot sleep. */
static void alloc_sq(struct srnic_qp *qp)
{
	if (srnic_sq_alloc(qp)) {
		srnic_qp_lock(qp);
		srnic_qp_fatal(qp, IB_EVENT_QP_FATAL);
		srnic_qp_unlock(qp);
		return;
	}
	set_bit(SRNIC_QP_WORK_SEND, &qp->work_bits);
	set_bit(SRNIC_QP_WORK_FLUSH, &qp->work_bits);
}

static bool worker_take(struct srnic_qp *qp, int why)
{
	return test_and_clear_bit(why, &qp->work_bits);
}

/**
 * srnic_qp_worker() - Run a turn of each task that has been requested
 * @work: a QP's work
 *
 * A task that needs another turn requests it, and queues behind the other QPs.
 *
 * Writeback may use a QP, so allocations here, including those of the crypto API, must not wait
 * for it.
 *
 * Context: process.
 */
void srnic_qp_worker(struct work_struct *work)
{
	struct srnic_qp *qp = container_of(work, struct srnic_qp, work);
	unsigned int noio = memalloc_noio_save();

	if (worker_take(qp, SRNIC_QP_WORK_HS))
		srnic_hs_work(qp);
	if (worker_take(qp, SRNIC_QP_WORK_REKEY))
		srnic_hs_rekey(qp);
	if (worker_take(qp, SRNIC_QP_WORK_WIPE))
		srnic_life_wipe(qp);
	if (worker_take(qp, SRNIC_QP_WORK_DGRAM))
		srnic_dgram_out_work(qp);
	if (worker_take(qp, SRNIC_QP_WORK_ALLOC))
		alloc_sq(qp);
	memalloc_noio_restore(noio);
	clear_bit(SRNIC_QP_WORK_UNLOCK, &qp->work_bits);

	srnic_qp_lock(qp);
	if (worker_take(qp, SRNIC_QP_WORK_REPLY))
		srnic_reply_run(qp);
	if (worker_take(qp, SRNIC_QP_WORK_SEND))
		srnic_requester_run(qp);
	if (worker_take(qp, SRNIC_QP_WORK_FLUSH) && srnic_qp_flush_some(qp))
		srnic_qp_kick(qp, SRNIC_QP_WORK_FLUSH);
	srnic_qp_unlock(qp);
	if (!test_bit(SRNIC_QP_WORK_SEND, &qp->work_bits))
		srnic_dgram_out_sent(qp);
}
