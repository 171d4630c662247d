// SPDX-License-Identifier: GPL-2.0
/*
 * Resumption after backpressure: a QP continues when packets have left, and builds again those
 * that a full queue has dropped.
 *
 * A dropped packet has never been on the wire. So the cursor of the requester, or of the
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

	if (unlikely(qp->state == IB_QPS_RESET))
		return;
	qp->tx_stopped = false;
	qp->tx_ticks = false;
	if (qp->departures.count)
		srnic_tx_departed(qp);
	srnic_reply_run(qp);
	srnic_requester_answered(qp);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_tx_resume);

/* PSNs of dropped packets of a kind, if @any */
struct dropped_range {
	bool any;
	struct srnic_out_cb psns;
};

static void extend_range(struct dropped_range *range, const struct srnic_out_cb *cb)
{
	if (!range->any || srnic_psn_diff(cb->psn, range->psns.psn) < 0)
		range->psns.psn = cb->psn;
	if (!range->any || srnic_psn_diff(cb->last, range->psns.last) > 0)
		range->psns.last = cb->last;
	range->any = true;
}

static void requeue_packet(struct srnic_qp *qp, struct dropped_range ranges[SRNIC_OUT_KINDS],
			   const struct srnic_out_cb *cb)
{
	srnic_count(qp, send_requeued);
	if (cb->kind != SRNIC_OUT_FRAME)	/* it is not charged */
		srnic_txq_undo(&qp->txq, cb->truesize);
	extend_range(&ranges[cb->kind], cb);
}

/* The packets behind the dropped one are built again, too: out of order they would be useless. */
static void requeue_all(struct srnic_qp *qp, struct dropped_range ranges[SRNIC_OUT_KINDS],
			struct sk_buff_head *queue)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(queue))) {
		srnic_out_cb(skb)->truesize = skb->truesize;
		requeue_packet(qp, ranges, srnic_out_cb(skb));
		kfree_skb(skb);
	}
}

/**
 * srnic_tx_requeue() - Prepare to build packets again that a full queue has dropped
 * @qp: the QP
 * @dropped: the burst that was dropped
 * @rest: the bursts behind it; emptied
 *
 * The QP waits until half of its bytes in the stack have left. If it has none there, other
 * senders fill the queue, and it waits for a tick.
 *
 * Context: process or softirq, BHs off, under the QP's lock.
 */
void srnic_tx_requeue(struct srnic_qp *qp, const struct srnic_out_cb *dropped,
		      struct sk_buff_head *rest)
{
	struct dropped_range ranges[SRNIC_OUT_KINDS] = {};

	lockdep_assert_held(&qp->lock);

	requeue_packet(qp, ranges, dropped);
	requeue_all(qp, ranges, rest);
	requeue_all(qp, ranges, &qp->out);
	/* Nothing is built again, and the QP may be freed before a timer expires. */
	if (qp->state == IB_QPS_RESET)
		return;
	srnic_txq_dropped(&qp->txq);

	if (ranges[SRNIC_OUT_REQUEST].any) {
		srnic_requester_rewind(qp, ranges[SRNIC_OUT_REQUEST].psns.psn);
		srnic_tx_unmark(qp);
	}
	if (ranges[SRNIC_OUT_RESPONSE].any)
		srnic_reply_rewind(qp, &ranges[SRNIC_OUT_RESPONSE].psns);
	if (ranges[SRNIC_OUT_RESPONSE].any || ranges[SRNIC_OUT_ACK].any)
		srnic_reply_again(qp);

	qp->tx_stopped = true;
	qp->tx_ticks = !srnic_txq_wait(&qp->txq, srnic_txq_bytes(&qp->txq) / 2);
	if (qp->tx_ticks)
		srnic_timer_tick(qp);
	else
		qp->refused.since = 0;	/* it waits for its own packets */
}

SRNIC_EXPORT_FOR_KUNIT(srnic_tx_requeue);
