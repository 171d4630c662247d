// SPDX-License-Identifier: GPL-2.0
/*
 * Moderation of completion events: an event that has been requested waits for a number of
 * completions, or for a time (ibv_modify_cq(3)). Completions themselves are never delayed.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include "compat.h"
#include "export.h"
#include "queue/queue.h"

/**
 * struct srnic_cq_moderation - How the events of a CQ are delayed
 * @cq: the CQ, whose lock protects the members below
 * @timer: ends the delay; runs while @held is not 0
 * @count: completions that raise an event
 * @period: longest delay, us; 0: events are not delayed
 * @held: completions since the event was delayed; 0: none is
 */
struct srnic_cq_moderation {
	struct srnic_cq *cq;
	struct hrtimer timer;
	u32 count;
	u32 period;
	u32 held;
};

/* While an event is delayed, its request stays in place. */
static enum hrtimer_restart period_ends(struct hrtimer *timer)
{
	struct srnic_cq_moderation *m = container_of(timer, struct srnic_cq_moderation, timer);
	struct srnic_cq *cq = m->cq;
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	if (m->held) {
		m->held = 0;
		srnic_cq_release(cq);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	srnic_cq_notify(cq);
	return HRTIMER_NORESTART;
}

/**
 * srnic_cq_moderates() - Count a completion, and tell whether to delay its event
 * @m: moderation of the CQ, whose lock is held
 * @cqe: a completion that raises the event that has been requested
 *
 * An error is not delayed: its consumer has to act, and no more completions may follow.
 */
bool srnic_cq_moderates(struct srnic_cq_moderation *m, const struct srnic_cqe *cqe)
{
	if (!m->period)
		return false;
	if (cqe->status || ++m->held >= m->count) {
		m->held = 0;
		/* if it is running, it finds nothing to do, or an event that is a little early */
		hrtimer_try_to_cancel(&m->timer);
		return false;
	}
	if (m->held == 1)
		hrtimer_start(&m->timer, ns_to_ktime(m->period * (u64)NSEC_PER_USEC),
			      HRTIMER_MODE_REL_SOFT);
	return true;
}

static struct srnic_cq_moderation *moderation_new(struct srnic_cq *cq)
{
	struct srnic_cq_moderation *m = kzalloc(sizeof(*m), GFP_KERNEL_ACCOUNT);

	if (!m)
		return NULL;
	m->cq = cq;
	hrtimer_setup(&m->timer, period_ends, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	return m;
}

static void moderation_set(struct srnic_cq_moderation *m, u32 count, u32 period)
{
	struct srnic_cq *cq = m->cq;
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	cq->moderation = m;
	m->count = count;
	m->period = period;
	if (m->held) {
		m->held = 0;
		srnic_cq_release(cq);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	srnic_cq_notify(cq);
}

/**
 * srnic_cq_moderate() - Set how events are delayed
 * @cq: the CQ
 * @count: completions that raise an event; 0 and 1: each one does
 * @period: time after which an event is raised in any case, us; 0: events are not delayed
 *
 * An event that is being delayed is raised at once.
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int srnic_cq_moderate(struct srnic_cq *cq, u32 count, u32 period)
{
	struct srnic_cq_moderation *m;
	int err = 0;

	if (count <= 1)
		period = 0;
	mutex_lock(&cq->mutex);
	m = cq->moderation;
	if (!m && period) {
		m = moderation_new(cq);
		err = m ? 0 : -ENOMEM;
	}
	if (m)
		moderation_set(m, count, period);
	mutex_unlock(&cq->mutex);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_cq_moderate);

/**
 * srnic_cq_moderation_end() - Wait for the timer, and free the state
 * @cq: the CQ; no completions are added any more
 *
 * Context: process.
 */
void srnic_cq_moderation_end(struct srnic_cq *cq)
{
	if (!cq->moderation)
		return;
	hrtimer_cancel(&cq->moderation->timer);
	kfree(cq->moderation);
	cq->moderation = NULL;
}
