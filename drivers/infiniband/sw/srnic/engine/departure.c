// SPDX-License-Identifier: GPL-2.0
/*
 * Completion of UC and UD work requests. Their packets are not acknowledged, so they complete
 * when the packets have left this machine.
 */
#include "export.h"
#include "srnic.h"
#include "engine/backpressure.h"
#include "engine/wqe.h"

/* Return the bytes that must have left for a mark: never more than are charged. */
static u32 mark_charged(const struct srnic_qp *qp, const struct srnic_departure *mark)
{
	return (s32)(qp->txq.charged - mark->charged) < 0 ? qp->txq.charged : mark->charged;
}

/* Drop the marks whose packets have left, and complete the work requests before them. */
static void complete_departed(struct srnic_qp *qp)
{
	struct srnic_departures *dep = &qp->departures;
	u32 left = qp->txq.charged - srnic_txq_bytes(&qp->txq);

	while (dep->count) {
		struct srnic_departure *mark = &dep->mark[dep->first];

		if ((s32)(left + SRNIC_TXQ_SLACK - mark_charged(qp, mark)) < 0)
			break;
		qp->req.una = mark->psn;
		dep->first = (dep->first + 1) % SRNIC_DEPARTURES;
		dep->count--;
	}
	srnic_sq_retire(qp);
}

/* Return true if srnic_tx_resume() will be called for the oldest mark. */
static bool await_departure(struct srnic_qp *qp)
{
	const struct srnic_departures *dep = &qp->departures;

	return srnic_txq_wait(&qp->txq,
			      qp->txq.charged - mark_charged(qp, &dep->mark[dep->first]));
}

/**
 * srnic_tx_departed() - Complete work requests whose packets have left
 * @qp: a UC, UD or GSI QP
 *
 * While packets are handed to the stack, this waits until it is known whether a full queue has
 * dropped one (unlock.c).
 *
 * Context: any up to softirq, under the QP's lock.
 */
void srnic_tx_departed(struct srnic_qp *qp)
{
	lockdep_assert_held(&qp->lock);

	if (qp->departures.held) {
		qp->departures.late = true;
		return;
	}
	complete_departed(qp);
	while (qp->departures.count && !await_departure(qp))
		complete_departed(qp);
}

/* Mark the packets built so far; if there are too many marks, the newest one moves. */
static void add_mark(struct srnic_qp *qp)
{
	struct srnic_departures *dep = &qp->departures;
	struct srnic_departure *mark;

	if (dep->count < SRNIC_DEPARTURES)
		dep->count++;
	mark = &dep->mark[(dep->first + dep->count - 1) % SRNIC_DEPARTURES];
	mark->psn = qp->req.psn;
	mark->charged = qp->txq.charged;
}

/**
 * srnic_tx_mark() - Complete work requests once the packets built so far have left
 * @qp: a UC, UD or GSI QP, whose requester has built packets
 *
 * Context: any up to softirq, under the QP's lock.
 */
void srnic_tx_mark(struct srnic_qp *qp)
{
	lockdep_assert_held(&qp->lock);

	add_mark(qp);
	srnic_tx_departed(qp);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_tx_mark);

/**
 * srnic_tx_unmark() - Remove the marks of packets that were freed before they were sent
 * @qp: the QP; @qp->req.psn is that of the first of these packets, which are no longer charged
 *
 * The packets before it that shared such a mark get another.
 *
 * Context: any up to softirq, under the QP's lock.
 */
void srnic_tx_unmark(struct srnic_qp *qp)
{
	struct srnic_departures *dep = &qp->departures;
	bool removed = false;

	lockdep_assert_held(&qp->lock);

	while (dep->count) {
		u32 last = (dep->first + dep->count - 1) % SRNIC_DEPARTURES;

		if (srnic_psn_diff(dep->mark[last].psn, qp->req.psn) <= 0)
			break;
		dep->count--;
		removed = true;
	}
	if (removed && qp->req.psn != qp->req.una)
		add_mark(qp);
}
