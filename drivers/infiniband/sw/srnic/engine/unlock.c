// SPDX-License-Identifier: GPL-2.0
/*
 * What a QP's lock holder sets off, and what must wait until the lock is free:
 * completion handlers, asynchronous events, and packets on their way to the stack.
 */
#include "srnic.h"
#include "engine/backpressure.h"
#include "engine/srq.h"
#include "engine/state.h"
#include "engine/unlock.h"

/*
 * How often, and for how many jiffies, one context drains qp->out before it leaves the
 * rest to the worker: while post_send's caller hands packets to the stack,
 * acknowledgments that come in on the same core keep adding to them.
 */
#define SRNIC_FLUSH_ROUNDS	8
#define SRNIC_FLUSH_JIFFIES	1

/*
 * How long what nobody acknowledges is taken to be on its way: a turn's worth of
 * sealed packets may have to wait for as long again in the receiver's queue.
 */
#define OUT_JIFFIES		(HZ / 10)

/**
 * srnic_qp_kick - have the worker see to something
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

static void raise_srq(struct srnic_qp *qp, enum ib_event_type type)
{
	struct srnic_srq *srq = qp->srq;
	struct ib_event event = {
		.device = qp->ib.device,
		.element.srq = &srq->ib,
		.event = type,
	};

	if (srq->ib.event_handler)
		srq->ib.event_handler(&event, srq->ib.srq_context);
}

static void raise_qp(struct srnic_qp *qp, enum ib_event_type type)
{
	struct ib_event event = {
		.device = qp->ib.device,
		.element.qp = &qp->ib,
		.event = type,
	};

	if (qp->ib.event_handler)
		qp->ib.event_handler(&event, qp->ib.qp_context);
}

static void raise_events(struct srnic_qp *qp, u32 events)
{
	const u32 srq = 1U << IB_EVENT_SRQ_ERR | 1U << IB_EVENT_SRQ_LIMIT_REACHED;

	for (; events; events &= events - 1) {
		enum ib_event_type type = __ffs(events);

		if (srq & 1U << type)
			raise_srq(qp, type);
		else
			raise_qp(qp, type);
	}
}

/*
 * Two CPUs that hand packets to the stack hand them to two queues: of a veth's or
 * lo's receiver, of a NIC's transmitter. Whose order matters stay on one CPU as long
 * as any may be under way, wherever they are built.
 */
static bool at_home(const struct srnic_qp *qp)
{
	if (!qp->out_follows && !time_before(jiffies, qp->out_until))
		return true;
	return qp->out_cpu == smp_processor_id() || !cpu_online(qp->out_cpu);
}

/* Takes what is to be sent, if it may be sent from here. */
static bool take_out(struct srnic_qp *qp, struct sk_buff_head *batch)
	__must_hold(&qp->lock)
{
	if (skb_queue_empty(&qp->out))
		return false;
	if (unlikely(!at_home(qp))) {
		queue_work_on(qp->out_cpu, system_bh_wq, &qp->out_work);
		return false;
	}
	if (qp->out_ordered)
		qp->out_cpu = smp_processor_id();
	if (qp->out_timed)
		qp->out_until = jiffies + OUT_JIFFIES;
	qp->out_ordered = false;
	qp->out_timed = false;
	qp->out_follows = false;
	skb_queue_splice_init(&qp->out, batch);
	return true;
}

/*
 * Hands packets to the stack, up to one that a full queue refuses. Returns false then:
 * @refused says which it was, and what is behind it stays in @batch.
 */
static bool send_batch(struct srnic_qp *qp, struct sk_buff_head *batch,
		       struct srnic_out_cb *refused)
{
	struct sk_buff *skb;
	int err;

	while ((skb = __skb_dequeue(batch))) {
		unsigned int segs = skb_shinfo(skb)->gso_segs ?: 1;

		*refused = *srnic_out_cb(skb);
		err = srnic_net_send(skb);
		if (likely(!err))
			continue;
		if (err == NET_XMIT_DROP)
			return false;
		if (err == NET_XMIT_CN)
			srnic_txq_refused(&qp->txq);
		else
			srnic_count_add(qp->dev, send_err, segs);
	}
	return true;
}

/*
 * @batch has been taken by whoever set qp->flushing: us. BHs are off, so that it
 * leaves from the CPU that took it; when they are on again the receiver may run.
 */
static void drain_out(struct srnic_qp *qp, struct sk_buff_head *batch)
{
	unsigned long until = jiffies + SRNIC_FLUSH_JIFFIES;
	int rounds = SRNIC_FLUSH_ROUNDS;
	struct srnic_out_cb refused;
	bool rest = false;
	bool more, all;

	do {
		all = send_batch(qp, batch, &refused);
		local_bh_enable();

		spin_lock_bh(&qp->lock);
		if (unlikely(!all))
			srnic_tx_refused(qp, &refused, batch);
		if (--rounds && time_before_eq(jiffies, until)) {
			more = take_out(qp, batch);
		} else {
			more = false;
			rest = !skb_queue_empty(&qp->out);
		}
		if (more) {
			spin_unlock(&qp->lock);
		} else {
			qp->flushing = false;
			spin_unlock_bh(&qp->lock);
		}
	} while (more);

	if (rest)
		srnic_qp_kick(qp, SRNIC_QP_WORK_UNLOCK);
}

/**
 * srnic_qp_unlock - release a QP's lock and do what has become due
 * @qp: the QP
 * @direct: false inside post_send's and post_recv's call chain, whose caller may hold
 *	what a handler would take: notifications and events are left to workers
 *
 * Context: process or softirq, no other lock held.
 */
void srnic_qp_unlock(struct srnic_qp *qp, bool direct)
	__releases(&qp->lock)
{
	u32 due = qp->due;
	struct sk_buff_head batch;
	bool drain;

	lockdep_assert_held(&qp->lock);

	__skb_queue_head_init(&batch);
	drain = !qp->flushing && take_out(qp, &batch);
	qp->due = 0;
	qp->req.cc.now = 0;
	if (unlikely(due & SRNIC_DUE_EVENTS) && !direct) {
		qp->due = due & SRNIC_DUE_EVENTS;
		due &= ~SRNIC_DUE_EVENTS;
		srnic_qp_kick(qp, SRNIC_QP_WORK_UNLOCK);
	}
	if (drain) {
		qp->flushing = true;
		spin_unlock(&qp->lock);		/* BHs stay off until it has been sent */
	} else {
		spin_unlock_bh(&qp->lock);
	}

	if (due & SRNIC_DUE_SCQ)
		srnic_cq_notify(qp->scq, direct);
	if (due & SRNIC_DUE_RCQ && (qp->rcq != qp->scq || !(due & SRNIC_DUE_SCQ)))
		srnic_cq_notify(qp->rcq, direct);
	if (unlikely(due & SRNIC_DUE_EVENTS))
		raise_events(qp, due & SRNIC_DUE_EVENTS);
	if (drain)
		drain_out(qp, &batch);
}

/**
 * srnic_qp_out_work - Drain qp->out, and go on where there was no room
 * @work: a QP's out_work; it runs on the CPU that it was queued on
 */
void srnic_qp_out_work(struct work_struct *work)
{
	struct srnic_qp *qp = container_of(work, struct srnic_qp, out_work);

	srnic_qp_lock(qp);
	if (unlikely(!skb_queue_empty(&qp->out) && !at_home(qp))) {
		/* it has moved since; a work that runs is queued where it runs, and nowhere else */
		srnic_qp_kick(qp, SRNIC_QP_WORK_UNLOCK);
		spin_unlock_bh(&qp->lock);
		return;
	}
	srnic_tx_resume(qp);
	srnic_qp_unlock(qp, true);
}

/**
 * srnic_qp_push - complete a work request
 * @qp: the QP
 * @cq: its send or receive CQ
 * @cqe: the completion
 * @solicited: it raises an event where only solicited ones do
 *
 * RFC 5042 6.4.3.2, 6.4.6: a full CQ is the fault of those who complete there. The
 * QP that finds it full goes to ERR here; the CQ tells its consumer and the rest.
 *
 * Context: process or softirq, under the QP's lock.
 */
void srnic_qp_push(struct srnic_qp *qp, struct srnic_cq *cq, const struct srnic_cqe *cqe,
		   bool solicited)
{
	lockdep_assert_held(&qp->lock);

	if (unlikely(srnic_cq_push(cq, cqe, solicited))) {
		srnic_count(qp->dev, cq_overflow);
		srnic_qp_fatal(qp, IB_EVENT_QP_FATAL);
		return;
	}
	qp->due |= cq == qp->scq ? SRNIC_DUE_SCQ : SRNIC_DUE_RCQ;
}
