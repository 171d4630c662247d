// SPDX-License-Identifier: GPL-2.0
/*
 * Resumption after backpressure: a QP continues when packets have left, and builds again those
 * that a full queue has refused.
 *
 * A refused packet has never been on the wire. So the cursor of the requester, or of the
 * response, returns to it; this is neither a loss nor a retry of the transport.
 */
#include "export.h"
#include "srnic.h"
#include "engine/backpressure.h"
#include "engine/requester.h"
#include "engine/responder.h"
#include "engine/timer.h"

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
		srnic_tx_departed(qp);
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
		srnic_tx_unmark(qp);
	}
	if (first[SRNIC_OUT_RESPONSE].kind == SRNIC_OUT_RESPONSE)
		srnic_reply_rewind(qp, first[SRNIC_OUT_RESPONSE].psn);

	qp->refused = true;
	if (!srnic_txq_wait(&qp->txq, srnic_txq_bytes(&qp->txq) / 2))
		srnic_timer_tick(qp);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_tx_refused);
