// SPDX-License-Identifier: GPL-2.0
/*
 * Memory windows, type 1 and 2B: bound to a part of a region by work request (IBA
 * 10.6.7, 11.4.1.1 post send, 9.9 for RDMA semantics).
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "../export.h"
#include "../srnic.h"
#include "../engine/engine.h"
#include "mem.h"

/* a local right is no right of a window; applications that ask for one mean no harm */
#define WINDOW_ACCESS	(SRNIC_ACCESS_REMOTE | IB_ZERO_BASED | IB_ACCESS_LOCAL_WRITE)

/**
 * srnic_window_unbind - a window no longer stands for anything
 * @window: its key stays the next bind's to match
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

/* rules of the window itself; IBA 10.6.7.2.2 and the o10-36, o10-37 statements */
static int window_check(const struct srnic_qp *qp, const struct srnic_stag *window,
			const struct srnic_swqe *swqe)
	__must_hold(&window->lock)
{
	u32 new_key = swqe->bind.new_rkey;

	/*
	 * The work request names the window; which of its keys was the last is nothing
	 * that verbs make an application keep track of.
	 */
	if (window->index != new_key >> 8)
		return -EINVAL;
	if (window->pd != qp->pd)
		return -EACCES;
	if (swqe->bind.access & ~WINDOW_ACCESS)
		return -EOPNOTSUPP;

	if (window->kind == SRNIC_STAG_MW1)	/* rebinds in any state; o10-36.2.2 */
		return swqe->bind.access & IB_ZERO_BASED ? -EINVAL : 0;

	/* o10-37.2.30, o10-37.2.40; and a key that is worth nothing to who had the last one */
	if (window->mr || !swqe->bind.length || new_key == window->key)
		return -EINVAL;
	return 0;
}

static u64 window_iova(const struct srnic_swqe *swqe)
{
	return swqe->bind.access & IB_ZERO_BASED ? 0 : swqe->bind.addr;
}

/* where in the region's memory, which begins at a block */
static u64 window_offset(const struct srnic_stag *region, const struct srnic_swqe *swqe)
{
	return region->offset + (swqe->bind.addr - region->iova);
}

/* A word that is aligned for a peer must be so in memory: the processor's atomics ask for it. */
static bool window_aligned(const struct srnic_stag *region, const struct srnic_swqe *swqe)
{
	if (!(swqe->bind.access & IB_ACCESS_REMOTE_ATOMIC))
		return true;
	return !((window_iova(swqe) ^ window_offset(region, swqe)) % sizeof(u64));
}

/* rules of the region; the caller holds a count of it */
static int window_check_region(const struct srnic_qp *qp, const struct srnic_stag *region,
			       const struct srnic_swqe *swqe)
{
	u64 addr = swqe->bind.addr;
	u64 length = swqe->bind.length;

	if (region->key != swqe->bind.mr_lkey || region->kind != SRNIC_STAG_USER)
		return -EINVAL;
	if (region->pd != qp->pd)
		return -EACCES;
	if (!(region->access & IB_ACCESS_MW_BIND))
		return -EACCES;
	/* who has the window's key would have nothing to prove, or be another stream */
	if (READ_ONCE(region->mkeys) || READ_ONCE(region->one_stream))
		return -EACCES;
	/* remote writers need a region that may be written at all (C10-74) */
	if ((swqe->bind.access & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)) &&
	    !(region->access & IB_ACCESS_LOCAL_WRITE))
		return -EACCES;
	/* C10-75, R10 */
	if (addr < region->iova || length > region->length ||
	    addr - region->iova > region->length - length)
		return -EINVAL;
	return window_aligned(region, swqe) ? 0 : -EINVAL;
}

/* the caller holds a count of @region, and @window is at rest */
static void window_set(struct srnic_qp *qp, struct srnic_stag *window, struct srnic_stag *region,
		       const struct srnic_swqe *swqe)
	__must_hold(&window->lock)
{
	atomic_inc(&region->mr->windows);
	window->mr = region->mr;
	window->access = swqe->bind.access & SRNIC_ACCESS_REMOTE;
	window->iova = window_iova(swqe);
	window->length = swqe->bind.length;
	window->offset = window_offset(region, swqe);
	window->key = swqe->bind.new_rkey;

	if (window->one_stream)
		srnic_stream_join(window, qp);
	srnic_stag_publish(window);
}

/* type 1 only: a bind of no bytes takes the window's right away (IBA 10.6.7.2.4) */
static int window_bind_nothing(struct srnic_stag *window, u32 new_key)
	__must_hold(&window->lock)
{
	srnic_window_unbind(window);
	window->key = new_key;
	return 0;
}

/*
 * Waiting for the window's bursts with a count of the region in hand is in order:
 * regions of this kind are never waited for by spinning, and bursts wait for
 * nothing.
 */
static int window_bind(struct srnic_qp *qp, struct srnic_stag *window,
		       const struct srnic_swqe *swqe)
	__must_hold(&window->lock)
{
	struct srnic_stag *region;
	int err;

	err = window_check(qp, window, swqe);
	if (err)
		return err;
	if (!swqe->bind.length)
		return window_bind_nothing(window, swqe->bind.new_rkey);

	region = srnic_stag_find(qp->dev, swqe->bind.mr_lkey);
	if (!region || !srnic_stag_get(region))
		return -EINVAL;

	err = window_check_region(qp, region, swqe);
	if (!err) {
		srnic_window_unbind(window);
		window_set(qp, window, region, swqe);
	}
	srnic_stag_put(region);
	return err;
}

/**
 * srnic_mem_bind - carry out BIND_MW
 * @qp: whose work request it is; type 2: the window works on this QP only
 * @swqe: address, length, keys and rights of the bind
 *
 * Context: process or softirq, BHs off, no srnic_mem_ref held.
 * Return: 0, or -EINVAL, -EACCES, -EOPNOTSUPP: completes with MW_BIND_ERR.
 */
int srnic_mem_bind(struct srnic_qp *qp, const struct srnic_swqe *swqe)
{
	struct srnic_stag *window;
	int err = -EINVAL;

	rcu_read_lock();
	window = srnic_stag_find(qp->dev, swqe->bind.mw_rkey);
	if (window && (window->kind == SRNIC_STAG_MW1 || window->kind == SRNIC_STAG_MW2)) {
		spin_lock(&window->lock);
		err = window_bind(qp, window, swqe);
		spin_unlock(&window->lock);
	}
	rcu_read_unlock();
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mem_bind);

/**
 * srnic_window_invalidate - carry out LOCAL_INV, or a peer's SEND with invalidate
 * @qp: whose work request, or whose peer, it is
 * @window: found under RCU
 * @key: all 32 bits
 *
 * Context: process or softirq, BHs off, no srnic_mem_ref held.
 * Return: 0, -EINVAL if that is no key of a bound type-2 window (o10-37.2.26: type 1
 * is not invalidated), -EACCES if it belongs to another domain or stream (R7, R8).
 */
int srnic_window_invalidate(struct srnic_qp *qp, struct srnic_stag *window, u32 key)
{
	int err = 0;

	spin_lock(&window->lock);
	if (window->key != key || window->kind != SRNIC_STAG_MW2 || !window->mr)
		err = -EINVAL;
	else if (window->pd != qp->pd || window->qp != qp)
		err = -EACCES;
	else
		srnic_window_unbind(window);
	spin_unlock(&window->lock);
	return err;
}

/**
 * srnic_window_retire - a window is to be deallocated
 * @window: no longer in the table; nothing binds it again
 *
 * Context: process.
 */
void srnic_window_retire(struct srnic_stag *window)
{
	spin_lock_bh(&window->lock);
	srnic_window_unbind(window);
	window->pd = NULL;	/* whoever found it before fails the check */
	spin_unlock_bh(&window->lock);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_window_retire);
