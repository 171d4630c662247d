// SPDX-License-Identifier: GPL-2.0
/*
 * Release of a QP's lock, and the actions that must wait for it: completion handlers,
 * asynchronous events, and packets for the stack.
 */
#include "compat.h"
#include "export.h"
#include "srnic.h"
#include "engine/backpressure.h"
#include "engine/due.h"
#include "engine/srq.h"
#include "engine/unlock.h"

/*
 * Rounds and jiffies after which a context that drains qp->out leaves the rest to the worker:
 * while post_send's caller passes packets to the stack, acknowledgments that arrive on the same
 * core keep adding packets.
 */
#define SRNIC_FLUSH_ROUNDS	8
#define SRNIC_FLUSH_JIFFIES	1

/*
 * Jiffies for which packets that are not acknowledged are assumed to be in flight: a turn's
 * worth of sealed packets may wait in the receiver's queue for as long as it took to seal them.
 */
#define OUT_JIFFIES		(HZ / 10)

/* Jiffies for which the same burst is refused by a full queue; after that, by a filter */
#define FULL_JIFFIES		(HZ / 10)

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
 * Return whether qp->out may leave from this CPU. Packets from two CPUs enter two queues: of
 * the receiver on veth or lo, or of the transmitter in a NIC. So packets whose order matters
 * leave from one CPU as long as any may be in flight, wherever they are built.
 */
static bool on_out_cpu(const struct srnic_qp *qp)
{
	if (!qp->out_follows && !time_before(jiffies, qp->out_until))
		return true;
	return qp->out_cpu == smp_processor_id() || !cpu_online(qp->out_cpu);
}

/* Move qp->out to @batch if it may be sent from this CPU. */
static bool dequeue_out(struct srnic_qp *qp, struct sk_buff_head *batch)
	__must_hold(&qp->lock)
{
	if (skb_queue_empty(&qp->out))
		return false;
	if (unlikely(!on_out_cpu(qp))) {
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

static bool is_refused_again(const struct srnic_refused *refused, const struct srnic_out_cb *cb)
{
	return refused->since && refused->kind == cb->kind &&
	       (refused->psn == cb->psn || refused->for_good);
}

/* Return whether a full queue has refused a burst, and not a filter, which would do so again. */
static bool queue_is_full(struct srnic_qp *qp, const struct srnic_out_cb *cb)
{
	struct srnic_refused *refused = &qp->refused;

	if (!is_refused_again(refused, cb))
		*refused = (struct srnic_refused) {
			.since = jiffies ?: 1,
			.psn = cb->psn,
			.kind = cb->kind,
		};
	else if (time_after(jiffies, refused->since + FULL_JIFFIES))
		refused->for_good = true;
	return !refused->for_good;
}

static void burst_accepted(struct srnic_qp *qp, const struct srnic_out_cb *cb)
{
	if (unlikely(is_refused_again(&qp->refused, cb)))
		qp->refused.since = 0;
}

/*
 * Pass packets to the stack, up to one that a full queue drops. Return false in that case:
 * @dropped describes that packet, and those behind it stay in @batch.
 */
static bool send_batch(struct srnic_qp *qp, struct sk_buff_head *batch,
		       struct srnic_out_cb *dropped)
{
	struct sk_buff *skb;
	int err;

	while ((skb = __skb_dequeue(batch))) {
		unsigned int segs = skb_shinfo(skb)->gso_segs ?: 1;

		*dropped = *srnic_out_cb(skb);
		dropped->truesize = skb->truesize;
		err = srnic_net_send(skb);
		if (err != NET_XMIT_DROP)
			burst_accepted(qp, dropped);
		else if (queue_is_full(qp, dropped))
			return false;
		if (likely(!err))
			continue;
		if (err == NET_XMIT_CN)
			srnic_txq_dropped(&qp->txq);
		else
			srnic_count_add(qp->dev, send_err, segs);
	}
	return true;
}

/* Whether packets have left could not be told while they were handed to the stack. */
static void departed_late(struct srnic_qp *qp)
{
	qp->departures.late = false;
	if (qp->state != IB_QPS_RESET)
		srnic_tx_departed(qp);
}

/*
 * Stop draining. Return false if packets have been added meanwhile. This takes no lock: when
 * packets have left, another CPU often holds it, which receives the answer.
 */
static bool drain_ends(struct srnic_qp *qp)
{
	return atomic_cmpxchg(&qp->drain, SRNIC_DRAIN, SRNIC_DRAIN_NONE) == SRNIC_DRAIN;
}

/* Start to drain, or leave the packets to the context that drains. Return true if it is ours. */
static bool drain_begins(struct srnic_qp *qp)
	__must_hold(&qp->lock)
{
	if (skb_queue_empty(&qp->out))
		return false;
	return atomic_read(&qp->drain) == SRNIC_DRAIN_NONE ||
	       atomic_cmpxchg(&qp->drain, SRNIC_DRAIN, SRNIC_DRAIN_MORE) == SRNIC_DRAIN_NONE;
}

/*
 * The caller has set qp->drain and taken @batch. BHs are off, so that @batch leaves from the CPU
 * that took it. When they are on again, the receiver may run. Packets that are not acknowledged
 * complete when they have left, which takes the lock.
 */
static void drain_out(struct srnic_qp *qp, struct sk_buff_head *batch)
{
	unsigned long until = jiffies + SRNIC_FLUSH_JIFFIES;
	int rounds = SRNIC_FLUSH_ROUNDS;
	struct srnic_out_cb dropped;
	bool rest = false;
	bool more, all, due;

	do {
		all = send_batch(qp, batch, &dropped);
		local_bh_enable();
		if (likely(all) && srnic_qp_reliable(qp) && drain_ends(qp))
			return;

		spin_lock_bh(&qp->lock);
		qp->departures.held = false;
		if (unlikely(!all))
			srnic_tx_requeue(qp, &dropped, batch);
		if (qp->departures.late)
			departed_late(qp);
		if (--rounds && time_before_eq(jiffies, until)) {
			more = dequeue_out(qp, batch);
		} else {
			more = false;
			rest = !skb_queue_empty(&qp->out);
		}
		if (more) {
			qp->departures.held = true;
			atomic_set(&qp->drain, SRNIC_DRAIN);
			spin_unlock(&qp->lock);
		} else {
			atomic_set(&qp->drain, SRNIC_DRAIN_NONE);
			due = qp->due;
			spin_unlock_bh(&qp->lock);
		}
	} while (more);

	if (rest || unlikely(due))
		srnic_qp_kick(qp, SRNIC_QP_WORK_UNLOCK);
}

/*
 * Release the lock, and take the packets for the stack into @batch. Return whether there are any:
 * then BHs stay off until drain_out() has sent them.
 */
static bool unlock_release(struct srnic_qp *qp, struct sk_buff_head *batch)
	__releases(&qp->lock)
{
	bool drain;

	__skb_queue_head_init(batch);
	drain = drain_begins(qp) && dequeue_out(qp, batch);
	qp->req.cc.now = 0;
	if (drain) {
		atomic_set(&qp->drain, SRNIC_DRAIN);
		qp->departures.held = true;
		spin_unlock(&qp->lock);
	} else {
		spin_unlock_bh(&qp->lock);
	}
	return drain;
}

/* Return whether to notify the receive CQ. If it is the send CQ, too, it is notified once. */
static bool rcq_due(const struct srnic_qp *qp, const struct srnic_cq *rcq, u32 due)
{
	return due & SRNIC_DUE_RCQ && (rcq != qp->scq || !(due & SRNIC_DUE_SCQ));
}

/* Release the lock, then notify CQs and send packets. */
static __always_inline void unlock_and_act(struct srnic_qp *qp, u32 due,
					   void (*notify)(struct srnic_cq *cq))
	__releases(&qp->lock)
{
	struct sk_buff_head batch;
	bool drain;

	lockdep_assert_held(&qp->lock);

	drain = unlock_release(qp, &batch);
	if (due & SRNIC_DUE_SCQ)
		notify(qp->scq);
	if (rcq_due(qp, qp->rcq, due))
		notify(qp->rcq);
	if (drain)
		drain_out(qp, &batch);
}

/*
 * The same, with events. The receive CQ of an XRC target is read under the lock, and lives until
 * the next grace period: its SRQ may be destroyed after the unlock (xrc_srq.c).
 */
static noinline void unlock_rarely(struct srnic_qp *qp, u32 due)
	__releases(&qp->lock)
{
	struct srnic_cq *rcq = qp->rcq;
	struct sk_buff_head batch;
	bool drain;

	lockdep_assert_held(&qp->lock);

	rcu_read_lock();
	drain = unlock_release(qp, &batch);
	if (due & SRNIC_DUE_SCQ)
		srnic_cq_notify(qp->scq);
	if (rcq_due(qp, rcq, due))
		srnic_cq_notify(rcq);
	rcu_read_unlock();
	raise_events(qp, due & SRNIC_DUE_EVENTS);
	if (drain)
		drain_out(qp, &batch);
}

/**
 * srnic_qp_unlock() - Release a QP's lock and perform the actions that are due
 * @qp: the QP
 *
 * Context: process or softirq, no other spinlock held; not inside the call chain of post_send
 * and post_recv.
 */
void srnic_qp_unlock(struct srnic_qp *qp)
	__releases(&qp->lock)
{
	u32 due = qp->due;

	qp->due = 0;
	if (unlikely(due & SRNIC_DUE_RARE))
		unlock_rarely(qp, due);
	else
		unlock_and_act(qp, due, srnic_cq_notify);
}

/**
 * srnic_qp_unlock_deferring() - Release a QP's lock; workers call the handlers that are due
 * @qp: the QP
 *
 * In the call chain of post_send and post_recv, the caller may hold locks that a completion or
 * event handler takes.
 *
 * Context: process or softirq, no other spinlock of srnic held.
 */
void srnic_qp_unlock_deferring(struct srnic_qp *qp)
	__releases(&qp->lock)
{
	u32 due = qp->due;

	qp->due = due & SRNIC_DUE_RARE;
	if (unlikely(qp->due))
		srnic_qp_kick(qp, SRNIC_QP_WORK_UNLOCK);
	unlock_and_act(qp, due & ~SRNIC_DUE_RARE, srnic_cq_notify_later);
}

/**
 * srnic_qp_out_work() - Drain qp->out, and resume after backpressure
 * @work: a QP's out_work, running on the CPU that it was queued on
 *
 * Context: softirq; process on kernels whose softirqs run no work items.
 */
void srnic_qp_out_work(struct work_struct *work)
{
	struct srnic_qp *qp = container_of(work, struct srnic_qp, out_work);

	srnic_qp_lock(qp);
	if (!qp->tx_ticks)
		srnic_tx_resume(qp);
	if (unlikely(!skb_queue_empty(&qp->out) && !on_out_cpu(qp))) {
		/* out_cpu has changed, but a running work can only be queued where it runs */
		srnic_qp_kick(qp, SRNIC_QP_WORK_UNLOCK);
		spin_unlock_bh(&qp->lock);
		return;
	}
	srnic_qp_unlock(qp);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_qp_out_work);
