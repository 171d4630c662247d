// SPDX-License-Identifier: GPL-2.0
/*
 * Receive work requests of RQs and SRQs, posted through a mapped ring or by a
 * kernel consumer.
 */
#include <linux/string.h>
#include "export.h"
#include "guard/guard.h"
#include "queue/queue.h"

static int rq_copy_wqe(struct srnic_rwqe *rwqe, const struct srnic_rq_wqe *wqe, const void *sges,
		       u32 max_sge)
{
	u64 length = 0;

	rwqe->wr_id = wqe->wr_id;
	rwqe->num_sge = 0;
	rwqe->length = 0;
	rwqe->done = 0;
	if (wqe->num_sge > max_sge)
		return -EINVAL;

	srnic_ring_read(rwqe->sge, sges, wqe->num_sge * sizeof(rwqe->sge[0]));
	for (u32 i = 0; i < wqe->num_sge; i++)
		length += rwqe->sge[i].length;
	if (length > SRNIC_MAX_MSG)
		return -EINVAL;

	rwqe->num_sge = wqe->num_sge;
	rwqe->length = length;
	return 0;
}

/**
 * srnic_rq_fetch() - Take the next receive work request
 * @ring: the ring of an RQ or SRQ
 * @rwqe: private copy; the caller sets @rwqe->valid
 * @max_sge: limit of this queue, at most SRNIC_MAX_SGE
 *
 * The producer may reuse the slot immediately.
 *
 * Context: any; the caller serialises consumers (QP's or SRQ's lock).
 * Return: 1 with @rwqe filled in; 0 if the ring is empty; -EINVAL if the entry
 * or the index is invalid. An invalid entry is consumed, and @rwqe has its
 * wr_id.
 */
int srnic_rq_fetch(struct srnic_ring *ring, struct srnic_rwqe *rwqe, u32 max_sge)
{
	int pending = srnic_ring_pending(ring);
	struct srnic_rq_wqe wqe;
	const void *slot;
	int err;

	if (pending <= 0)
		return pending;

	slot = srnic_ring_slot(ring, ring->head);
	srnic_ring_read(&wqe, slot, sizeof(wqe));
	err = rq_copy_wqe(rwqe, &wqe, slot + sizeof(wqe), max_sge);
	srnic_ring_publish_cons(ring, ++ring->head);
	return err ?: 1;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_rq_fetch);

/**
 * srnic_rq_post() - Post one receive for a kernel consumer
 * @ring: the ring, not mapped, so its indices can be trusted
 * @wr: one work request; the caller follows its chain
 * @max_sge: limit of this queue
 *
 * Context: any; the queue's irqsave lock serialises posters.
 * Return: 0, -ENOMEM if the queue is full, or -EINVAL for too many SGEs.
 */
int srnic_rq_post(struct srnic_ring *ring, const struct ib_recv_wr *wr, u32 max_sge)
{
	u32 prod = ring->hdr->prod;
	struct srnic_abi_sge *sge;
	struct srnic_rq_wqe *wqe;

	if (wr->num_sge < 0 || (u32)wr->num_sge > max_sge)
		return -EINVAL;
	/* Pairs with srnic_ring_publish_cons(): the slot has been read. */
	if (prod - smp_load_acquire(&ring->hdr->cons) >= ring->limit)
		return -ENOMEM;

	wqe = srnic_ring_slot(ring, prod);
	*wqe = (struct srnic_rq_wqe){ .wr_id = wr->wr_id, .num_sge = wr->num_sge };
	sge = (void *)(wqe + 1);
	for (int i = 0; i < wr->num_sge; i++)
		sge[i] = (struct srnic_abi_sge){
			.addr = wr->sg_list[i].addr,
			.length = wr->sg_list[i].length,
			.lkey = wr->sg_list[i].lkey,
		};

	/* Publish the entry before its index: pairs with srnic_ring_pending(). */
	smp_store_release(&ring->hdr->prod, prod + 1);
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_rq_post);

/**
 * srnic_rq_exchange() - Replace a queue's memory by one of another size
 * @ring: the ring in use; the caller holds the locks of both ends
 * @new: the new ring, of the same stride; returns the old memory
 * @move: progress of the move; zeroed before the first call
 *
 * Entries may be posted and taken between two calls.
 *
 * Context: any.
 * Return: 0; -EAGAIN if too many entries wait to be moved at once: call
 * srnic_ring_move_some() without the locks, then this again; or -EINVAL if more
 * receives wait than the new ring holds, or a user's index is invalid. @ring
 * changes only if 0 is returned.
 */
int srnic_rq_exchange(struct srnic_ring *ring, struct srnic_ring *new,
		      struct srnic_ring_move *move)
{
	int pending = srnic_ring_pending(ring);

	if (pending < 0 || (u32)pending > new->limit)
		return -EINVAL;
	if (srnic_ring_move_plan(move, ring->head, ring->head + pending))
		return -EAGAIN;

	srnic_ring_move_some(move, new, ring);
	new->head = ring->head - move->first;
	new->hdr->cons = new->head;
	new->hdr->prod = new->head + pending;
	swap(*ring, *new);
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_rq_exchange);
