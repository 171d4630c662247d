// SPDX-License-Identifier: GPL-2.0
/*
 * Stream scope (RFC 5042 6.1.1, R8): STags that serve a single queue pair of
 * their domain. Type 2B windows do so by definition (IBA 10.6.7.2.2), regions
 * at their owner's request. They end with the stream: otherwise a later queue
 * pair, allocated at the same address, would inherit them.
 */
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include "export.h"
#include "mem/mem.h"

/* STags to end between two calls of cond_resched() */
#define STREAM_BATCH	64

/**
 * srnic_stream_join() - Restrict an STag to a stream
 * @stag: quiesced, of the stream's domain, in no stream
 * @stream: the stream
 *
 * Context: BHs off.
 */
void srnic_stream_join(struct srnic_stag *stag, struct srnic_mem_stream *stream)
	__must_hold(&stag->lock)
{
	lockdep_assert_held(&stag->lock);
	WRITE_ONCE(stag->stream, stream);
	spin_lock(&stag->pd->lock);
	list_add(&stag->stream_node, &stream->stags);
	spin_unlock(&stag->pd->lock);
}

/**
 * srnic_stream_leave() - Remove an STag from its stream
 * @stag: need not be in a stream
 *
 * Does not wait for lookups in progress: they are served only if they are made
 * on behalf of that same stream.
 *
 * Context: BHs off.
 */
void srnic_stream_leave(struct srnic_stag *stag)
	__must_hold(&stag->lock)
{
	lockdep_assert_held(&stag->lock);
	if (!stag->stream)
		return;
	spin_lock(&stag->pd->lock);
	list_del_init(&stag->stream_node);
	spin_unlock(&stag->pd->lock);
	WRITE_ONCE(stag->stream, NULL);
}

/* RCU keeps the STag allocated; its owner may remove it from the list meanwhile. */
static struct srnic_stag *stream_first(struct srnic_mem_stream *stream)
{
	struct srnic_stag *stag;

	spin_lock(&stream->pd->lock);
	stag = list_first_entry_or_null(&stream->stags, struct srnic_stag, stream_node);
	spin_unlock(&stream->pd->lock);
	return stag;
}

/* End one STag, unless its owner has removed it from the stream meanwhile. */
static void stag_end_stream(struct srnic_stag *stag, const struct srnic_mem_stream *stream)
{
	spin_lock(&stag->lock);
	if (stag->stream != stream)
		goto unlock;
	if (stag->kind == SRNIC_STAG_MW2)
		srnic_window_unbind(stag);
	else
		srnic_stream_leave(stag);
unlock:
	spin_unlock(&stag->lock);
}

/* Return true if STags may be left. */
static bool stream_end_some(struct srnic_mem_stream *stream)
{
	unsigned int left = STREAM_BATCH;
	struct srnic_stag *stag;

	rcu_read_lock();
	local_bh_disable();
	while ((stag = stream_first(stream)) && left--)
		stag_end_stream(stag, stream);
	local_bh_enable();
	rcu_read_unlock();
	return stag;
}

/**
 * srnic_stream_end() - End all STags of a queue pair that is destroyed or reset
 * @stream: its stream, with no packet and no work request in progress
 *
 * Its windows are unbound; its regions serve no queue pair until they are
 * deregistered. There may be hundreds of thousands of STags: each is visited
 * once, with calls of cond_resched() in between.
 *
 * Context: process.
 */
void srnic_stream_end(struct srnic_mem_stream *stream)
{
	while (stream_end_some(stream))
		cond_resched();
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stream_end);

static void region_join(struct srnic_stag *stag, struct srnic_mem_stream *stream)
{
	spin_lock_bh(&stag->lock);
	srnic_stream_join(stag, stream);
	smp_store_release(&stag->one_stream, true);	/* pairs with stag_check() */
	spin_unlock_bh(&stag->lock);
}

/* Undo region_join(): let the region serve all QPs of its domain again. */
static void region_leave(struct srnic_stag *stag)
{
	spin_lock_bh(&stag->lock);
	WRITE_ONCE(stag->one_stream, false);
	srnic_stream_leave(stag);
	spin_unlock_bh(&stag->lock);
}

/**
 * srnic_region_bind() - Restrict a region to one queue pair from now on
 * @mr: valid; may be in use
 * @stream: stream of a queue pair of the region's domain
 *
 * When it returns, no access on behalf of another queue pair is in progress,
 * and none will begin. After its queue pair has been destroyed or reset, no access
 * at all begins. The region stays valid meanwhile: accesses on behalf of @stream
 * are never refused. A grace period suffices, because BHs are off while an active
 * reference is held.
 *
 * Context: process; one caller at a time.
 * Return: 0; -EEXIST: the region is already bound to a queue pair; -EBUSY:
 * windows are bound to the region, which may serve other queue pairs; -EINVAL:
 * not a region of a user process, or @stream belongs to another domain.
 */
int srnic_region_bind(struct srnic_mr *mr, struct srnic_mem_stream *stream)
{
	struct srnic_stag *stag = &mr->stag;

	if (!srnic_stag_is_users(stag) || stag->pd != stream->pd)
		return -EINVAL;
	if (stag->one_stream)
		return -EEXIST;
	if (atomic_read(&mr->windows))
		return -EBUSY;

	region_join(stag, stream);
	synchronize_rcu_expedited();
	if (!atomic_read(&mr->windows))
		return 0;

	/* a concurrent BIND_MW has not seen the restriction: undo */
	region_leave(stag);
	return -EBUSY;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_region_bind);

/**
 * srnic_region_unbind() - Remove a region that is being destroyed from its stream
 * @mr: need not be bound to a queue pair
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
