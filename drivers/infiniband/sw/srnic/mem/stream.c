// SPDX-License-Identifier: GPL-2.0
/*
 * Stream scope (RFC 5042 6.1.1, R8): STags that serve one queue pair, and no other of its
 * domain. Windows of type 2B do by their nature (IBA 10.6.7.2.2), regions if their owner
 * asks for it. With the stream they end: else a later queue pair, whose memory lies where
 * that of the former did, would inherit them.
 */
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include "../export.h"
#include "../srnic.h"
#include "../engine/engine.h"
#include "mem.h"

/* STags ended between two calls of cond_resched() */
#define STREAM_BATCH	64

/**
 * srnic_stream_join - an STag serves a queue pair from now on
 * @stag: at rest, of that queue pair's domain, in no stream
 * @qp: the queue pair
 *
 * Context: BHs off.
 */
void srnic_stream_join(struct srnic_stag *stag, struct srnic_qp *qp)
	__must_hold(&stag->lock)
{
	lockdep_assert_held(&stag->lock);
	WRITE_ONCE(stag->qp, qp);
	spin_lock(&stag->pd->lock);
	list_add(&stag->stream, &qp->stags);
	spin_unlock(&stag->pd->lock);
}

/**
 * srnic_stream_leave - and serves none any more
 * @stag: may be in no stream
 *
 * Those who are looking at it are not waited for: to be served they would have to be that
 * queue pair.
 *
 * Context: BHs off.
 */
void srnic_stream_leave(struct srnic_stag *stag)
	__must_hold(&stag->lock)
{
	lockdep_assert_held(&stag->lock);
	if (!stag->qp)
		return;
	spin_lock(&stag->pd->lock);
	list_del_init(&stag->stream);
	spin_unlock(&stag->pd->lock);
	WRITE_ONCE(stag->qp, NULL);
}

/* RCU keeps the STag allocated; its owner may remove it from the list meanwhile. */
static struct srnic_stag *stream_first(struct srnic_qp *qp)
{
	struct srnic_stag *stag;

	spin_lock(&qp->pd->lock);
	stag = list_first_entry_or_null(&qp->stags, struct srnic_stag, stream);
	spin_unlock(&qp->pd->lock);
	return stag;
}

/* unless its owner has done so meanwhile */
static void stag_end(struct srnic_stag *stag, const struct srnic_qp *qp)
{
	spin_lock(&stag->lock);
	if (stag->qp != qp)
		goto unlock;
	if (stag->kind == SRNIC_STAG_MW2)
		srnic_window_unbind(stag);
	else
		srnic_stream_leave(stag);
unlock:
	spin_unlock(&stag->lock);
}

/* Return true if STags may be left. */
static bool stream_end_some(struct srnic_qp *qp)
{
	unsigned int left = STREAM_BATCH;
	struct srnic_stag *stag;

	rcu_read_lock();
	local_bh_disable();
	while ((stag = stream_first(qp)) && left--)
		stag_end(stag, qp);
	local_bh_enable();
	rcu_read_unlock();
	return stag;
}

/**
 * srnic_stream_end - a queue pair is going, or begins anew
 * @qp: neither a packet nor a work request of it is in progress any more
 *
 * Its windows are unbound; its regions serve nobody until they are deregistered. There may
 * be hundreds of thousands of them: each is looked at once, and the scheduler gets its turn.
 *
 * Context: process.
 */
void srnic_stream_end(struct srnic_qp *qp)
{
	while (stream_end_some(qp))
		cond_resched();
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stream_end);

static void region_join(struct srnic_stag *stag, struct srnic_qp *qp)
{
	spin_lock_bh(&stag->lock);
	srnic_stream_join(stag, qp);
	smp_store_release(&stag->one_stream, true);	/* pairs with stag_check() */
	spin_unlock_bh(&stag->lock);
}

/* Undo region_join(): the region serves all QPs of its domain again. */
static void region_leave(struct srnic_stag *stag)
{
	spin_lock_bh(&stag->lock);
	WRITE_ONCE(stag->one_stream, false);
	srnic_stream_leave(stag);
	spin_unlock_bh(&stag->lock);
}

/**
 * srnic_region_bind - from now on a region serves one queue pair, and no other
 * @mr: published; may be in use
 * @qp: of the region's domain
 *
 * When it returns no access on behalf of another is in progress, and none begins; nor does
 * one once @qp goes, or is reset. The region stays valid meanwhile: accesses on behalf of
 * @qp are never refused. A grace period is enough, for BHs are off as long as a count is
 * held.
 *
 * Context: process; one caller at a time.
 * Return: 0; -EEXIST: it serves one; -EBUSY: windows are bound to it, which may serve
 * others; -EINVAL: not a region of a process, or @qp is of another domain.
 */
int srnic_region_bind(struct srnic_mr *mr, struct srnic_qp *qp)
{
	struct srnic_stag *stag = &mr->stag;

	if (stag->kind != SRNIC_STAG_USER || stag->pd != qp->pd)
		return -EINVAL;
	if (stag->one_stream)
		return -EEXIST;
	if (atomic_read(&mr->windows))
		return -EBUSY;

	region_join(stag, qp);
	synchronize_rcu_expedited();
	if (!atomic_read(&mr->windows))
		return 0;

	/* a concurrent bind had not seen that: undo */
	region_leave(stag);
	return -EBUSY;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_region_bind);

/**
 * srnic_region_unbind - a region is going
 * @mr: may be bound to no queue pair
 *
 * Context: process.
 */
void srnic_region_unbind(struct srnic_mr *mr)
{
	spin_lock_bh(&mr->stag.lock);
	srnic_stream_leave(&mr->stag);
	spin_unlock_bh(&mr->stag.lock);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_region_unbind);
