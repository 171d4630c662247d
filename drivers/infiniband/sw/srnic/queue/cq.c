// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queues: add and poll completions, raise events.
 */
#include <linux/bottom_half.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include "export.h"
#include "srnic.h"
#include "queue/queue.h"

/*
 * Limit of consecutive calls of comp_handler in one context while completions
 * keep coming. The worker makes the remaining calls.
 */
#define CQ_MAX_CALLS	8

/* Limit of attempts to change a word that a process changes, too; interrupts are off */
#define ARM_TRIES	16

/* Return the consumer's index. A user's index is only ever compared. */
static u32 cq_cons(const struct srnic_cq *cq)
{
	if (!cq->ring.user)
		return cq->tail;

	/* Read before reusing slots: pairs with the provider's release. */
	return smp_load_acquire(&cq->ring.hdr->cons);
}

/*
 * Return the number of completions not yet polled. An invalid index of a user
 * yields more than the ring's size: the CQ then looks full, which only harms
 * its own user (R27).
 */
static u32 cq_used(const struct srnic_cq *cq)
{
	return cq->ring.head - cq_cons(cq);
}

/* IBA 11.4.2.2: a request for solicited events matches only those and errors. */
static bool cq_arm_matches(u8 arm, bool solicited)
{
	return arm == SRNIC_ARM_NEXT || (arm == SRNIC_ARM_SOLICITED && solicited);
}

/* Return what has been requested: SRNIC_ARM_*, or what a process likes. */
static u8 cq_request(const struct srnic_cq *cq)
	__must_hold(&cq->lock)
{
	if (!cq->ring.user)
		return cq->armed;

	/*
	 * Pairs with the full fence between the provider's store to arm and its
	 * last read of prod: either it sees the completion, or we see the
	 * request.
	 */
	smp_mb();
	return READ_ONCE(cq->ring.hdr->arm);
}

/* Disarm; return whether the request was still there: one event a request. */
static bool cq_disarm(struct srnic_cq *cq)
	__must_hold(&cq->lock)
{
	if (cq->ring.user)
		return xchg(&cq->ring.hdr->arm, SRNIC_ARM_NONE) != SRNIC_ARM_NONE;

	cq->armed = SRNIC_ARM_NONE;
	return true;
}

/**
 * srnic_cq_release() - Mark the event that has been requested, if any, as due
 * @cq: the CQ, with its lock held; call srnic_cq_notify() after it has been released
 */
void srnic_cq_release(struct srnic_cq *cq)
{
	u8 arm = cq_request(cq);

	if ((arm == SRNIC_ARM_NEXT || arm == SRNIC_ARM_SOLICITED) && cq_disarm(cq))
		set_bit(SRNIC_CQ_FIRE, &cq->state);
}

/*
 * A lost completion makes the queue permanently unusable (IBA 10.2.10.4): the
 * consumer can no longer know which work requests have completed.
 */
static int cq_overflow(struct srnic_cq *cq)
	__must_hold(&cq->lock)
{
	if (!cq->overflow) {
		cq->overflow = true;
		queue_work(srnic_wq, &cq->error_work);
	}
	return -EOVERFLOW;
}

/**
 * srnic_cq_push() - Add a completion
 * @cq: the CQ; the caller keeps one of its QPs alive, and so the CQ
 * @cqe: the completion; copied
 * @solicited: the sender of a receive requested an event, or the completion is
 *	an error
 *
 * Call srnic_cq_notify() after all locks have been released.
 *
 * Context: any; takes the CQ's lock with interrupts off.
 * Return: 0, or -EOVERFLOW if the CQ is or was full, and is now unusable. The
 * caller moves its QP to ERR; a worker moves the other QPs and notifies the
 * consumer (RFC 5042 6.4.6, R27).
 */
int srnic_cq_push(struct srnic_cq *cq, const struct srnic_cqe *cqe, bool solicited)
{
	struct srnic_ring *ring = &cq->ring;
	struct srnic_cqe *slot;
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&cq->lock, flags);
	if (unlikely(cq->overflow || cq_used(cq) >= ring->limit)) {
		err = cq_overflow(cq);
		goto out;
	}

	slot = srnic_ring_slot(ring, ring->head);
	memcpy(slot, cqe, sizeof(*slot));
	if (cq->timestamps)
		slot->timestamp = ktime_get_ns();
	/* Publish the entry before its index: pairs with the provider's acquire. */
	smp_store_release(&ring->hdr->prod, ++ring->head);
	cq->pushed++;
	if (cq_arm_matches(cq_request(cq), solicited) && !srnic_cq_holds_back(cq, cqe) &&
	    cq_disarm(cq))
		set_bit(SRNIC_CQ_FIRE, &cq->state);
out:
	spin_unlock_irqrestore(&cq->lock, flags);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_cq_push);

/* Some handlers expect BHs to be disabled: ipoib's schedules NAPI. */
static void cq_call_handler(struct srnic_cq *cq)
{
	if (!cq->ib.comp_handler)
		return;

	local_bh_disable();
	cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
	local_bh_enable();
}

/* Call comp_handler for due events. Return true if events are due after CQ_MAX_CALLS calls. */
static bool cq_fire(struct srnic_cq *cq)
{
	unsigned int calls = CQ_MAX_CALLS;

	do {
		/* The context that is calling the handler will see our FIRE bit. */
		if (test_and_set_bit_lock(SRNIC_CQ_BUSY, &cq->state))
			return false;
		while (calls && test_and_clear_bit(SRNIC_CQ_FIRE, &cq->state)) {
			cq_call_handler(cq);
			calls--;
		}
		clear_bit_unlock(SRNIC_CQ_BUSY, &cq->state);
		/* Another context may have set FIRE and seen BUSY: check again. */
		smp_mb__after_atomic();
	} while (calls && test_bit(SRNIC_CQ_FIRE, &cq->state));

	return test_bit(SRNIC_CQ_FIRE, &cq->state);
}

/* Let a worker raise the event: on the processor of the CQ's vector, if it has one. */
static void cq_fire_later(struct srnic_cq *cq)
{
	if (cq->cpu != SRNIC_CQ_ANY_CPU && cpu_online(cq->cpu))
		queue_work_on(cq->cpu, srnic_cpu_wq, &cq->notify_work);
	else
		queue_work(srnic_wq, &cq->notify_work);
}

static bool cq_is_elsewhere(const struct srnic_cq *cq)
{
	return cq->cpu != SRNIC_CQ_ANY_CPU && cq->cpu != raw_smp_processor_id() &&
	       cpu_online(cq->cpu);
}

static void cq_notify_work(struct work_struct *work)
{
	struct srnic_cq *cq = container_of(work, struct srnic_cq, notify_work);

	if (cq_fire(cq))
		cq_fire_later(cq);
}

/**
 * srnic_cq_notify() - Raise the event that completions have made due, if any
 * @cq: the CQ; the caller keeps one of its QPs alive, and so the CQ
 *
 * comp_handler runs without any of our locks, with BHs disabled, and never
 * concurrently for one CQ; here, or on the processor of the CQ's vector.
 *
 * Context: process or softirq, no locks held.
 */
void srnic_cq_notify(struct srnic_cq *cq)
{
	if (likely(!test_bit(SRNIC_CQ_FIRE, &cq->state)))
		return;
	if (cq_is_elsewhere(cq) || cq_fire(cq))
		cq_fire_later(cq);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_cq_notify);

/**
 * srnic_cq_notify_later() - Let the worker raise the event that is due, if any
 * @cq: the CQ; the caller keeps one of its QPs alive, and so the CQ
 *
 * Inside post_send's call chain, the consumer may hold locks that comp_handler
 * takes.
 *
 * Context: any.
 */
void srnic_cq_notify_later(struct srnic_cq *cq)
{
	if (unlikely(test_bit(SRNIC_CQ_FIRE, &cq->state)))
		cq_fire_later(cq);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_cq_notify_later);

/**
 * srnic_cq_pop() - Take the oldest completion
 * @cq: the CQ of a kernel consumer
 * @cqe: result
 *
 * Return: false if the queue is empty, or is polled by a user.
 */
bool srnic_cq_pop(struct srnic_cq *cq, struct srnic_cqe *cqe)
{
	unsigned long flags;
	bool found = false;

	if (cq->ring.user)
		return false;

	spin_lock_irqsave(&cq->lock, flags);
	if (cq->tail != cq->ring.head) {
		memcpy(cqe, srnic_ring_slot(&cq->ring, cq->tail++), sizeof(*cqe));
		found = true;
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return found;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_cq_pop);

/**
 * srnic_cq_waiting() - Return the number of completions not yet polled
 * @cq: any CQ
 *
 * Return: the number, at most the ring's size.
 */
u32 srnic_cq_waiting(struct srnic_cq *cq)
{
	unsigned long flags;
	u32 used;

	spin_lock_irqsave(&cq->lock, flags);
	used = min(cq_used(cq), cq->ring.entries);
	spin_unlock_irqrestore(&cq->lock, flags);
	return used;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_cq_waiting);

/*
 * Do as a provider does; an event for any completion may have been requested before. A process that
 * changes the word all the time gets an event for any completion.
 */
static void user_cq_arm(struct srnic_ring_hdr *hdr, u32 arm)
{
	u32 old = READ_ONCE(hdr->arm);
	int tries = ARM_TRIES;

	while (old != SRNIC_ARM_NEXT && !try_cmpxchg(&hdr->arm, &old, arm)) {
		if (--tries)
			continue;
		xchg(&hdr->arm, SRNIC_ARM_NEXT);
		break;
	}
	smp_mb();	/* before cq_used() */
}

/**
 * srnic_cq_arm() - Request an event (IBA 11.4.2.2)
 * @cq: any CQ
 * @arm: SRNIC_ARM_SOLICITED or SRNIC_ARM_NEXT; the wider of two requests counts
 *
 * Return: true if completions are already waiting, for which no event will be
 * raised.
 */
bool srnic_cq_arm(struct srnic_cq *cq, u8 arm)
{
	unsigned long flags;
	bool missed;

	spin_lock_irqsave(&cq->lock, flags);
	if (cq->ring.user)
		user_cq_arm(cq->ring.hdr, arm);
	else
		cq->armed = max(cq->armed, arm);
	missed = cq_used(cq) != 0;
	spin_unlock_irqrestore(&cq->lock, flags);
	return missed;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_cq_arm);

/* Return 0, -EAGAIN or -EINVAL, as srnic_rq_exchange(). */
static int cq_try_exchange(struct srnic_cq *cq, struct srnic_ring *ring,
			   struct srnic_ring_move *move)
	__must_hold(&cq->lock)
{
	u32 cons = cq_cons(cq);
	u32 used = cq->ring.head - cons;

	if (used > cq->ring.entries || used > ring->limit)
		return -EINVAL;
	if (srnic_ring_move_plan(move, cons, cq->ring.head))
		return -EAGAIN;

	srnic_ring_move_some(move, ring, &cq->ring);
	cq->tail = cons - move->first;
	ring->head = cq->ring.head - move->first;
	ring->hdr->cons = cq->tail;
	ring->hdr->arm = xchg(&cq->ring.hdr->arm, SRNIC_ARM_NONE);
	ring->hdr->prod = ring->head;
	swap(cq->ring, *ring);
	return 0;
}

/**
 * srnic_cq_exchange() - Replace a CQ's ring by one of another size
 * @cq: the CQ, with its mutex held; its user, if any, neither polls nor arms it
 *	meanwhile
 * @ring: the new ring; returns the old memory
 *
 * Waiting completions and a request for an event are moved, in order: none is
 * lost (RFC 5042 6.4.3.2, R21). All but the last batch is copied with
 * interrupts on, since there may be megabytes; completions may be added
 * meanwhile.
 *
 * Context: process; takes the CQ's lock with interrupts off.
 * Return: 0, or -EINVAL with no change if more completions wait than the new
 * ring holds, or a user's index is invalid.
 */
int srnic_cq_exchange(struct srnic_cq *cq, struct srnic_ring *ring)
{
	struct srnic_ring_move move = {};
	unsigned long flags;
	int err;

	for (;;) {
		spin_lock_irqsave(&cq->lock, flags);
		err = cq_try_exchange(cq, ring, &move);
		spin_unlock_irqrestore(&cq->lock, flags);
		if (err != -EAGAIN)
			return err;
		srnic_ring_move_some(&move, ring, &cq->ring);
		cond_resched();
	}
}

SRNIC_EXPORT_FOR_KUNIT(srnic_cq_exchange);

/**
 * srnic_cq_init() - Initialise a CQ, except for its ring
 * @cq: the CQ, zeroed
 * @on_error: function for error_work: notifies the consumer of an overflow and
 *	moves the CQ's QPs to ERR
 */
void srnic_cq_init(struct srnic_cq *cq, work_func_t on_error)
{
	spin_lock_init(&cq->lock);
	mutex_init(&cq->mutex);
	cq->cpu = SRNIC_CQ_ANY_CPU;
	INIT_LIST_HEAD(&cq->send_qps);
	INIT_LIST_HEAD(&cq->recv_qps);
	INIT_WORK(&cq->notify_work, cq_notify_work);
	INIT_WORK(&cq->error_work, on_error);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_cq_init);

/**
 * srnic_cq_stop() - Wait for events in progress, and prevent further ones
 * @cq: the CQ; no QP completes here any more
 *
 * Context: process.
 */
void srnic_cq_stop(struct srnic_cq *cq)
{
	srnic_cq_moderation_end(cq);
	cancel_work_sync(&cq->error_work);
	cancel_work_sync(&cq->notify_work);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_cq_stop);
