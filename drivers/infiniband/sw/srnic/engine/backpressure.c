// SPDX-License-Identifier: GPL-2.0
/*
 * Backpressure: a QP builds only as many packets as the stack has room for, resumes when
 * packets have left, and builds again those that a full queue has refused.
 *
 * A refused packet has never been on the wire. So the cursor of the requester, or of the
 * response, returns to it; this is neither a loss nor a retry of the transport.
 *
 * UC and UD packets are not acknowledged: their work requests complete when the packets have
 * left this machine.
 */
#include "export.h"
#include "srnic.h"
#include "engine/backpressure.h"
#include "engine/requester.h"
#include "engine/responder.h"
#include "engine/timer.h"

/**
 * srnic_tx_room() - Resume a QP after packets have left
 * @txq: account of a QP that waits for room
 *
 * The QP resumes on the CPU that its packets last left from, which keeps them in order.
 *
 * Context: any up to softirq, under RCU; the caller may hold other locks.
 */
void srnic_tx_room(struct srnic_txq *txq)
{
	struct srnic_qp *qp = container_of(txq, struct srnic_qp, txq);
	int cpu = READ_ONCE(qp->out_cpu);

	queue_work_on(cpu_online(cpu) ? cpu : raw_smp_processor_id(), system_bh_wq,
		      &qp->out_work);
}

/**
 * srnic_tx_allowance() - Return how many bytes may be built now
 * @qp: the QP
 *
 * Context: any up to softirq, under the QP's lock.
 * Return: bytes; 0 if there is no room: srnic_tx_resume() is called when there is.
 */
u32 srnic_tx_allowance(struct srnic_qp *qp)
{
	u32 limit, bytes;

	lockdep_assert_held(&qp->lock);

	if (unlikely(qp->refused))
		return 0;
	if (unlikely(!qp->txq.sk))
		return U32_MAX;
	limit = srnic_txq_limit(&qp->txq);
	bytes = srnic_txq_bytes(&qp->txq);
	if (likely(bytes < limit))
		return limit - bytes;
	return srnic_txq_wait(&qp->txq, limit / 2) ? 0 : limit / 2;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_tx_allowance);

/* Drop the marks whose packets have left, and complete the work requests before them. */
static void departed(struct srnic_qp *qp)
{
	struct srnic_departures *dep = &qp->departures;
	u32 left = qp->txq.charged - srnic_txq_bytes(&qp->txq);

	while (dep->count) {
		struct srnic_departure *mark = &dep->mark[dep->first];

		if ((s32)(left - mark->charged) < 0)
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

	return srnic_txq_wait(&qp->txq, qp->txq.charged - dep->mark[dep->first].charged);
}

static void note_departures(struct srnic_qp *qp)
{
	departed(qp);
	while (qp->departures.count && !await_departure(qp))
		departed(qp);
}

/**
 * srnic_tx_mark() - Complete work requests once the packets built so far have left
 * @qp: a UC, UD or GSI QP, whose requester has built packets
 *
 * If there are too many marks, the newest one moves.
 *
 * Context: any up to softirq, under the QP's lock.
 */
void srnic_tx_mark(struct srnic_qp *qp)
{
	struct srnic_departures *dep = &qp->departures;
	struct srnic_departure *mark;

	lockdep_assert_held(&qp->lock);

	if (dep->count < SRNIC_DEPARTURES)
		dep->count++;
	mark = &dep->mark[(dep->first + dep->count - 1) % SRNIC_DEPARTURES];
	mark->psn = qp->req.psn;
	mark->charged = qp->txq.charged;
	note_departures(qp);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_tx_mark);

/**
 * srnic_tx_resume() - Send packets that have waited for room
 * @qp: the QP
 *
 * Context: softirq, under the QP's lock; packets leave at the unlock.
 */
void srnic_tx_resume(struct srnic_qp *qp)
{
	lockdep_assert_held(&qp->lock);

	qp->refused = false;
	if (qp->departures.count)
		note_departures(qp);
	srnic_reply_run(qp);
	srnic_requester_answered(qp);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_tx_resume);

/* Keep the lower PSN of @first and @cb. */
static void note_first(struct srnic_out_cb *first, const struct srnic_out_cb *cb)
{
	if (first->kind == SRNIC_OUT_FRAME || srnic_psn_diff(cb->psn, first->psn) < 0)
		*first = *cb;
}

static void note_refused(struct srnic_qp *qp, struct srnic_out_cb first[2],
			 const struct srnic_out_cb *cb)
{
	srnic_count(qp->dev, send_requeued);
	if (cb->kind != SRNIC_OUT_FRAME)
		note_first(&first[cb->kind], cb);
}

/* The packets behind the refused one are built again, too: out of order they would be useless. */
static void refuse_all(struct srnic_qp *qp, struct srnic_out_cb first[2],
		       struct sk_buff_head *queue)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(queue))) {
		note_refused(qp, first, srnic_out_cb(skb));
		kfree_skb(skb);
	}
}

/* Remove the marks of packets that were freed before they were sent. */
static void forget_departures(struct srnic_qp *qp)
{
	struct srnic_departures *dep = &qp->departures;

	while (dep->count) {
		u32 last = (dep->first + dep->count - 1) % SRNIC_DEPARTURES;

		if (srnic_psn_diff(dep->mark[last].psn, qp->req.psn) <= 0)
			return;
		dep->count--;
	}
}

/**
 * srnic_tx_refused() - Prepare to build packets again that a full queue has refused
 * @qp: the QP
 * @refused: the burst that was refused
 * @rest: the bursts behind it; emptied
 *
 * The QP waits until half of its bytes in the stack have left. If it has none there, other
 * senders fill the queue, and it waits for a tick.
 *
 * Context: process or softirq, BHs off, under the QP's lock.
 */
void srnic_tx_refused(struct srnic_qp *qp, const struct srnic_out_cb *refused,
		      struct sk_buff_head *rest)
{
	struct srnic_out_cb first[2] = {
		{ .kind = SRNIC_OUT_FRAME }, { .kind = SRNIC_OUT_FRAME },
	};

	lockdep_assert_held(&qp->lock);

	note_refused(qp, first, refused);
	refuse_all(qp, first, rest);
	refuse_all(qp, first, &qp->out);
	srnic_txq_refused(&qp->txq);

	if (first[SRNIC_OUT_REQUEST].kind == SRNIC_OUT_REQUEST) {
		srnic_requester_rewind(qp, first[SRNIC_OUT_REQUEST].psn);
		forget_departures(qp);
	}
	if (first[SRNIC_OUT_RESPONSE].kind == SRNIC_OUT_RESPONSE)
		srnic_reply_rewind(qp, first[SRNIC_OUT_RESPONSE].psn);

	qp->refused = true;
	if (!srnic_txq_wait(&qp->txq, srnic_txq_bytes(&qp->txq) / 2))
		srnic_timer_tick(qp);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_tx_refused);
