// SPDX-License-Identifier: GPL-2.0
/*
 * The send queue's private copies: from cons (oldest not completed) via next (first with
 * packets left to send) to prod. Completions leave in this order, even if the operations finish
 * in a different one (IBA C10-107).
 */
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include "srnic.h"
#include "engine/due.h"
#include "engine/wqe.h"
#include "mem/mem.h"

/* Most entries taken from a user ring at a time */
#define SRNIC_SQ_BATCH		32

/* Return how many ring pages the private copies of a user QP count as in the quota. */
static u32 sq_pages(const struct srnic_qp *qp)
{
	return qp->sq.ring.user ? PFN_UP((size_t)qp->sq.entries * qp->sq.stride) : 0;
}

/* Charge the memory cgroup of the QP's creator, also in the worker (R18). */
static void *sq_alloc_copies(const struct srnic_sq *sq)
{
	struct mem_cgroup *former = set_active_memcg(sq->memcg);
	void *wqes = kvcalloc(sq->entries, sq->stride, GFP_KERNEL_ACCOUNT);

	set_active_memcg(former);
	return wqes;
}

/* Owner of the QP's resources; NULL: the kernel or the administrator */
static struct srnic_user *qp_user(const struct srnic_qp *qp)
{
	return qp->mem.pd ? qp->mem.pd->user : NULL;
}

/**
 * srnic_sq_alloc() - Allocate the private copies, unless they exist
 * @qp: the QP
 *
 * They are allocated late, because most QPs of a large job never send: an idle one only costs
 * its rings.
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int srnic_sq_alloc(struct srnic_qp *qp)
{
	struct srnic_sq *sq = &qp->sq;
	u32 pages = sq_pages(qp);
	void *wqes;

	if (READ_ONCE(sq->wqes) || !sq->entries)
		return 0;
	if (srnic_quota_take_many(&qp->dev->guard, SRNIC_QUOTA_RING, qp_user(qp), pages)) {
		srnic_count(qp->dev, quota_refused);
		return -ENOMEM;
	}

	wqes = sq_alloc_copies(sq);
	if (!wqes)
		goto give;
	spin_lock_bh(&qp->lock);
	if (!sq->wqes) {
		WRITE_ONCE(sq->wqes, wqes);
		wqes = NULL;
	}
	spin_unlock_bh(&qp->lock);
	if (!wqes)
		return 0;

	/* another context was faster */
	kvfree(wqes);
give:
	srnic_quota_give_many(&qp->dev->guard, SRNIC_QUOTA_RING, qp_user(qp), pages);
	return READ_ONCE(sq->wqes) ? 0 : -ENOMEM;
}

/**
 * srnic_sq_free() - Free the copies of work requests, and return their quota
 * @qp: the QP, which nobody uses any more
 *
 * Context: process.
 */
void srnic_sq_free(struct srnic_qp *qp)
{
	if (!qp->sq.wqes)
		return;
	kvfree(qp->sq.wqes);
	qp->sq.wqes = NULL;
	srnic_quota_give_many(&qp->dev->guard, SRNIC_QUOTA_RING, qp_user(qp), sq_pages(qp));
}

static void sq_fetch_one(struct srnic_qp *qp)
{
	struct srnic_sq *sq = &qp->sq;
	struct srnic_swqe *wqe = srnic_sq_wqe(sq, sq->prod);

	wqe->state = SRNIC_SWQE_NEW;
	if (srnic_sq_fetch(&sq->ring, wqe, sq->max_sge, sq->max_inline)) {
		srnic_count(qp, bad_wqe);
		wqe->opcode = SRNIC_WQE_SEND;
		wqe->state = SRNIC_SWQE_FAILED;
		wqe->status = IB_WC_LOC_QP_OP_ERR;
	}
	sq->prod++;
}

static void sq_fetch_many(struct srnic_qp *qp, int take)
{
	while (take--)
		sq_fetch_one(qp);
}

/* The user's index is invalid. */
static void sq_fetch_failed(struct srnic_qp *qp)
{
	srnic_count(qp, bad_wqe);
	if (qp->state != IB_QPS_ERR)
		srnic_qp_fatal(qp, IB_EVENT_QP_FATAL);
}

/*
 * Take a batch of entries from the user's ring. If there are none, set need_wakeup and check
 * again: user space stores prod and then loads need_wakeup, so one of the two sees the other's
 * store.
 */
static bool sq_fetch(struct srnic_qp *qp)
{
	struct srnic_sq *sq = &qp->sq;
	u32 space = sq->entries - (sq->prod - sq->cons);
	int pending, take;

	do {
		pending = srnic_ring_pending(&sq->ring);
		if (unlikely(pending < 0)) {
			sq_fetch_failed(qp);
			return false;
		}
		if (pending && unlikely(!sq->wqes)) {
			srnic_qp_kick(qp, SRNIC_QP_WORK_ALLOC);
			return false;
		}
		take = min3((u32)pending, space, (u32)SRNIC_SQ_BATCH);
		if (take) {
			sq_fetch_many(qp, take);
			return true;
		}
		if (pending)
			return false;	/* no space until the next work request is retired */
	} while (srnic_sq_sleep(&sq->ring));
	return false;
}

/**
 * srnic_sq_peek() - Return the work request to send from
 * @qp: the QP
 *
 * Context: process or softirq, under the QP's lock.
 * Return: the work request at sq.next, fetched if necessary; %NULL if there is none.
 */
struct srnic_swqe *srnic_sq_peek(struct srnic_qp *qp)
{
	struct srnic_sq *sq = &qp->sq;

	lockdep_assert_held(&qp->lock);

	if (sq->next == srnic_sq_prod(sq)) {
		if (!sq->ring.user || !sq_fetch(qp))
			return NULL;
	}
	return srnic_sq_wqe(sq, sq->next);
}

/**
 * srnic_sq_waiting() - Return how many private copies there are from sq.next on
 * @qp: the QP
 *
 * Context: process or softirq, under the QP's lock.
 */
u32 srnic_sq_waiting(const struct srnic_qp *qp)
{
	return srnic_sq_prod(&qp->sq) - qp->sq.next;
}

/**
 * srnic_sq_drop() - Discard all posted work requests (RESET: no completions, IBA 10.3.1)
 * @qp: the QP
 *
 * Entries in a user's ring are skipped: its head moves to the prod that user space has stored,
 * whatever its value.
 *
 * Context: process, under the QP's lock.
 */
void srnic_sq_drop(struct srnic_qp *qp)
{
	struct srnic_sq *sq = &qp->sq;

	lockdep_assert_held(&qp->lock);

	if (sq->ring.user) {
		sq->ring.head = READ_ONCE(sq->ring.hdr->prod);
		WRITE_ONCE(sq->prod, sq->ring.head);
	}
	sq->next = sq->prod;
	smp_store_release(&sq->cons, sq->prod);	/* the copies may be overwritten */
	if (sq->ring.user) {
		srnic_ring_publish_cons(&sq->ring, sq->cons);
		WRITE_ONCE(sq->ring.hdr->need_wakeup, 1);
	}
}

/**
 * srnic_sq_complete() - Complete the oldest work request
 * @qp: the QP
 * @wqe: the work request at sq.cons; must not be used afterwards
 * @status: status of the completion; errors are always reported (IBA C10-102)
 *
 * The slot is released before the completion is written, because a consumer that polls on
 * another CPU may post again at once.
 *
 * Context: process or softirq, under the QP's lock.
 */
void srnic_sq_complete(struct srnic_qp *qp, const struct srnic_swqe *wqe,
		       enum ib_wc_status status)
{
	bool signaled = status || qp->sq.sig_all || wqe->flags & SRNIC_SWQE_SIGNALED;
	struct srnic_cqe cqe = {
		.wr_id = wqe->wr_id,
		.status = status,
		.qp_num = qp->ib.qp_num,
	};
	struct srnic_sq *sq = &qp->sq;

	lockdep_assert_held(&qp->lock);

	if (wqe->opcode < SRNIC_WQE_OPCODES)
		cqe.opcode = srnic_wqe_kind(wqe)->wc;
	if (!status)
		cqe.byte_len = wqe->length;

	smp_store_release(&sq->cons, sq->cons + 1);	/* the copy may be overwritten */
	if (sq->ring.user)
		srnic_ring_publish_cons(&sq->ring, sq->cons);
	if (signaled)
		srnic_qp_push(qp, qp->scq, &cqe, status);
}

/*
 * IBA 10.3.1.6: after a completion error, an RC or XRC QP enters ERR; on UC and UD, only the send
 * queue stops (SQE), and may be started again.
 */
static void sq_stop(struct srnic_qp *qp)
{
	if (srnic_qp_reliable(qp)) {
		srnic_qp_fatal(qp, -1);
		return;
	}
	if (qp->state == IB_QPS_RESET)
		return;
	if (qp->state != IB_QPS_ERR)
		qp->state = IB_QPS_SQE;
	srnic_qp_kick(qp, SRNIC_QP_WORK_FLUSH);
}

static bool is_complete(const struct srnic_qp *qp, const struct srnic_swqe *wqe)
{
	switch (wqe->state) {
	case SRNIC_SWQE_DONE:
		return true;
	case SRNIC_SWQE_ACTIVE:
		return srnic_psn_diff(qp->req.una, wqe->last_psn) > 0;
	default:
		return false;
	}
}

/**
 * srnic_sq_retire() - Complete the oldest work requests that are finished
 * @qp: the QP
 *
 * When all work requests before a failed one are complete, the queue stops, and the flush
 * reports the failure.
 *
 * Context: process or softirq, under the QP's lock.
 * Return: true if a work request was completed.
 */
bool srnic_sq_retire(struct srnic_qp *qp)
{
	struct srnic_sq *sq = &qp->sq;
	struct srnic_swqe *wqe;
	u32 first = sq->cons;
	u32 prod;

	lockdep_assert_held(&qp->lock);

	if (qp->state == IB_QPS_ERR || qp->state == IB_QPS_SQE)
		return false;	/* the flush completes them */

	prod = srnic_sq_prod(sq);
	while (sq->cons != prod && qp->state != IB_QPS_ERR) {
		wqe = srnic_sq_wqe(sq, sq->cons);
		if (!is_complete(qp, wqe))
			break;
		if (srnic_wqe_kind(wqe)->wc == IB_WC_SEND || wqe->opcode == SRNIC_WQE_LSO)
			srnic_count(qp, rdma_sends);
		srnic_sq_complete(qp, wqe, IB_WC_SUCCESS);
	}
	if ((s32)(sq->next - sq->cons) < 0)
		sq->next = sq->cons;	/* it was being retransmitted, but had arrived */
	if (sq->cons != prod && srnic_sq_wqe(sq, sq->cons)->state == SRNIC_SWQE_FAILED)
		sq_stop(qp);
	return sq->cons != first;
}

/**
 * srnic_sq_fail() - Mark a work request as failed
 * @qp: the QP
 * @wqe: the work request
 * @status: status of its completion, which follows those before it
 *
 * Context: process or softirq, under the QP's lock.
 */
void srnic_sq_fail(struct srnic_qp *qp, struct srnic_swqe *wqe, enum ib_wc_status status)
{
	lockdep_assert_held(&qp->lock);

	wqe->state = SRNIC_SWQE_FAILED;
	wqe->status = status;
	srnic_sq_retire(qp);
}
