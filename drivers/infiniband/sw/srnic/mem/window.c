// SPDX-License-Identifier: GPL-2.0
/*
 * Memory windows of type 1 and 2B, bound to a part of a region by work request
 * (IBA 10.6.7, 11.4.1.1 Post Send, 9.9 for RDMA semantics).
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "export.h"
#include "mem/mem.h"

/* windows have no local rights, but applications may ask for one: it is ignored */
#define WINDOW_ACCESS	(SRNIC_ACCESS_REMOTE | SRNIC_ACCESS_FLUSH | IB_ZERO_BASED | \
			 IB_ACCESS_LOCAL_WRITE)

/**
 * srnic_window_unbind() - Invalidate and unbind a window
 * @window: need not be bound; keeps its key, which the next bind is compared
 *	with
 */
void srnic_window_unbind(struct srnic_stag *window)
	__must_hold(&window->lock)
{
	lockdep_assert_held(&window->lock);

	srnic_stag_quiesce_atomic(window);
	if (!window->mr)
		return;

	srnic_stream_leave(window);
	atomic_dec(&window->mr->windows);
	window->mr = NULL;
}

/* Check the rules of the window: IBA 10.6.7.2.2, statements o10-36 and o10-37. */
static int window_check(const struct srnic_mem_stream *stream, const struct srnic_stag *window,
			const struct srnic_abi_bind *bind)
	__must_hold(&window->lock)
{
	u32 new_key = bind->new_rkey;

	/*
	 * The work request names the window; verbs do not require the
	 * application to know its current key.
	 */
	if (window->index != new_key >> 8)
		return -EINVAL;
	if (window->pd != stream->pd)
		return -EACCES;
	if (bind->access & ~WINDOW_ACCESS)
		return -EOPNOTSUPP;

	if (window->kind == SRNIC_STAG_MW1)	/* may be rebound in any state; o10-36.2.2 */
		return bind->access & IB_ZERO_BASED ? -EINVAL : 0;

	/*
	 * o10-37.2.30, o10-37.2.40; the key must change, or peers with the old
	 * one get access.
	 */
	if (window->mr || !bind->length || new_key == window->key)
		return -EINVAL;
	return 0;
}

static u64 window_iova(const struct srnic_abi_bind *bind)
{
	return bind->access & IB_ZERO_BASED ? 0 : bind->addr;
}

/* Return the offset of the window from the start of the region's first block. */
static u64 window_offset(const struct srnic_stag *region, const struct srnic_abi_bind *bind)
{
	return region->offset + (bind->addr - region->iova);
}

/*
 * A word that the peer sees as aligned must be aligned in memory, for the
 * processor's atomics.
 */
static bool window_aligned(const struct srnic_stag *region, const struct srnic_abi_bind *bind)
{
	if (!(bind->access & IB_ACCESS_REMOTE_ATOMIC))
		return true;
	return !((window_iova(bind) ^ window_offset(region, bind)) % sizeof(u64));
}

/* Check the rules of the region. The caller holds an active reference to it. */
static int window_check_region(const struct srnic_mem_stream *stream,
			       const struct srnic_stag *region, const struct srnic_abi_bind *bind)
{
	u64 addr = bind->addr;
	u64 length = bind->length;

	if (region->key != bind->mr_lkey || !srnic_stag_is_users(region))
		return -EINVAL;
	if (region->pd != stream->pd)
		return -EACCES;
	if (!(region->access & IB_ACCESS_MW_BIND))
		return -EACCES;
	/*
	 * Accesses through the window would need no proof, or could come from
	 * another stream.
	 */
	if (READ_ONCE(region->mkeys) || READ_ONCE(region->one_stream))
		return -EACCES;
	/* remote writes need a region with local write access (C10-74) */
	if ((bind->access & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)) &&
	    !(region->access & IB_ACCESS_LOCAL_WRITE))
		return -EACCES;
	/* only registration can tell whether the memory is persistent */
	if (bind->access & SRNIC_ACCESS_FLUSH & ~region->access)
		return -EACCES;
	/* C10-75, R10 */
	if (addr < region->iova || length > region->length ||
	    addr - region->iova > region->length - length)
		return -EINVAL;
	return window_aligned(region, bind) ? 0 : -EINVAL;
}

/* The caller holds an active reference to @region, and @window is quiesced. */
static void window_set(struct srnic_mem_stream *stream, struct srnic_stag *window,
		       struct srnic_stag *region, const struct srnic_abi_bind *bind)
	__must_hold(&window->lock)
{
	atomic_inc(&region->mr->windows);
	window->mr = region->mr;
	window->access = bind->access & (SRNIC_ACCESS_REMOTE | SRNIC_ACCESS_FLUSH);
	window->iova = window_iova(bind);
	window->length = bind->length;
	window->offset = window_offset(region, bind);
	window->key = bind->new_rkey;

	if (window->one_stream)
		srnic_stream_join(window, stream);
	srnic_stag_publish(window);
}

/*
 * Type 1 only: a bind of zero bytes revokes access through the window (IBA
 * 10.6.7.2.4).
 */
static int window_revoke(struct srnic_stag *window, u32 new_key)
	__must_hold(&window->lock)
{
	srnic_window_unbind(window);
	window->key = new_key;
	return 0;
}

/*
 * Quiescing the window while holding an active reference to the region cannot
 * deadlock: regions of this kind are quiesced by sleeping, never by spinning,
 * and a burst never waits.
 */
static int window_bind(struct srnic_mem_stream *stream, struct srnic_stag *window,
		       const struct srnic_abi_bind *bind)
	__must_hold(&window->lock)
{
	struct srnic_stag *region;
	int err;

	err = window_check(stream, window, bind);
	if (err)
		return err;
	if (!bind->length)
		return window_revoke(window, bind->new_rkey);

	region = srnic_stag_find(stream, bind->mr_lkey);
	if (!region || !srnic_stag_get(region))
		return -EINVAL;

	err = window_check_region(stream, region, bind);
	if (!err) {
		srnic_window_unbind(window);
		window_set(stream, window, region, bind);
	}
	srnic_stag_put(region);
	return err;
}

/**
 * srnic_mem_bind() - Execute BIND_MW
 * @stream: stream of the work request; a type 2 window works on this stream only
 * @bind: address, length, keys and rights of the bind
 *
 * Context: process or softirq, BHs off, no srnic_mem_ref held.
 * Return: 0, or -EINVAL, -EACCES, -EOPNOTSUPP: to be completed with
 * MW_BIND_ERR.
 */
int srnic_mem_bind(struct srnic_mem_stream *stream, const struct srnic_abi_bind *bind)
{
	struct srnic_stag *window;
	int err = -EINVAL;

	rcu_read_lock();
	window = srnic_stag_find(stream, bind->mw_rkey);
	if (window && (window->kind == SRNIC_STAG_MW1 || window->kind == SRNIC_STAG_MW2)) {
		spin_lock(&window->lock);
		err = window_bind(stream, window, bind);
		spin_unlock(&window->lock);
	}
	rcu_read_unlock();
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mem_bind);

/**
 * srnic_window_invalidate() - Execute LOCAL_INV or a peer's SEND with Invalidate on a window
 * @stream: stream of the work request, or that received the SEND
 * @window: found under RCU
 * @key: all 32 bits
 *
 * Context: process or softirq, BHs off, no srnic_mem_ref held.
 * Return: 0; -EINVAL: not the key of a bound type 2 window (o10-37.2.26: type 1
 * windows cannot be invalidated); -EACCES: it belongs to another domain or
 * stream (R7, R8).
 */
int srnic_window_invalidate(const struct srnic_mem_stream *stream, struct srnic_stag *window,
			    u32 key)
{
	int err = 0;

	spin_lock(&window->lock);
	if (window->key != key || window->kind != SRNIC_STAG_MW2 || !window->mr)
		err = -EINVAL;
	else if (window->pd != stream->pd || window->stream != stream)
		err = -EACCES;
	else
		srnic_window_unbind(window);
	spin_unlock(&window->lock);
	return err;
}

/**
 * srnic_window_retire() - Unbind a window that is being deallocated
 * @window: removed from the table, so it cannot be bound again
 *
 * Context: process.
 */
void srnic_window_retire(struct srnic_stag *window)
{
	spin_lock_bh(&window->lock);
	srnic_window_unbind(window);
	window->pd = NULL;	/* lookups that found the window earlier now fail the check */
	spin_unlock_bh(&window->lock);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_window_retire);
