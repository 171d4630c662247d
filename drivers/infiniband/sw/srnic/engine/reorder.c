// SPDX-License-Identifier: GPL-2.0
/*
 * RC packets that arrive before earlier ones: verified copies wait here in the order of their
 * PSNs until the gap before them is filled. The peer then sends only the gap again (protocol.md,
 * section 2), and not all that follows (IBA 9.7.5.1.1).
 *
 * The number of copies is limited. A packet that finds no room counts as lost, and the peer goes
 * back N packets. The copies are handled in order, like packets that have just arrived, so that
 * no transport state changes early.
 */
#include <linux/slab.h>
#include "export.h"
#include "srnic.h"
#include "engine/reorder.h"

/* PSNs that may lie between a packet that is kept and the one that is expected */
#define REORDER_SPAN	2048

static struct srnic_early *early_copy(const struct srnic_pkt *pkt)
{
	struct srnic_early *early;

	early = kmalloc(struct_size(early, payload, pkt->payload_len),
			GFP_ATOMIC | __GFP_NOWARN);
	if (!early)
		return NULL;
	early->pkt = *pkt;
	early->ends = *pkt->ends;
	memcpy(early->payload, pkt->payload, pkt->payload_len);
	early->pkt.ends = &early->ends;
	early->pkt.payload = early->payload;
	/* The carrier is freed before the copy is handled */
	early->pkt.skb = NULL;
	early->pkt.hdr = NULL;
	early->pkt.mkey = NULL;
	return early;
}

/* Return the link to the first packet with @psn or a later one. */
static struct srnic_early **find_link(struct srnic_reorder *queue, u32 psn)
{
	struct srnic_early **link = &queue->first;

	if (queue->last && srnic_psn_diff(psn, queue->last->pkt.psn) > 0)
		return &queue->last->next;
	while (*link && srnic_psn_diff(psn, (*link)->pkt.psn) > 0)
		link = &(*link)->next;
	return link;
}

static bool has_room(const struct srnic_qp *qp, const struct srnic_reorder *queue)
{
	return queue->count < SRNIC_MAX_EARLY &&
	       atomic_read(&qp->dev->early) < SRNIC_MAX_EARLY_ALL;
}

/* Put a copy where @link is. Return false if there is no room for it. */
static bool early_insert(struct srnic_qp *qp, struct srnic_reorder *queue,
			 struct srnic_early **link, const struct srnic_pkt *pkt)
{
	struct srnic_early *early = has_room(qp, queue) ? early_copy(pkt) : NULL;

	if (!early)
		return false;
	early->next = *link;
	if (!early->next)
		queue->last = early;
	*link = early;
	queue->count++;
	atomic_inc(&qp->dev->early);
	srnic_count(qp->dev, early_kept);
	return true;
}

/**
 * srnic_reorder_keep - Copy a packet that came too early
 * @qp: RC
 * @queue: its requests that came early, or its responses
 * @psn: the packet that is expected
 * @pkt: verified; a later one
 *
 * Return: as srnic_reorder_gap(); 0, too, if there is no room for the packet.
 */
u32 srnic_reorder_keep(struct srnic_qp *qp, struct srnic_reorder *queue, u32 psn,
		       const struct srnic_pkt *pkt)
{
	struct srnic_early **link = find_link(queue, pkt->psn);

	lockdep_assert_held(&qp->lock);

	if (*link && (*link)->pkt.psn == pkt->psn)
		return srnic_reorder_gap(queue, psn);	/* a copy */
	if (srnic_psn_diff(pkt->psn, psn) >= REORDER_SPAN || !early_insert(qp, queue, link, pkt)) {
		srnic_count(qp->dev, early_dropped);
		return 0;
	}
	return srnic_reorder_gap(queue, psn);
}

/**
 * srnic_reorder_gap - Return how many missing packets are to be requested now
 * @queue: early packets; the QP's lock is held
 * @psn: the packet that is expected
 *
 * The gap ends before the first packet of @queue. It is requested once, and again if a packet
 * from inside arrives and leaves a smaller gap: the rest was lost a second time.
 *
 * Return: 0 if there is no gap, or it has been requested.
 */
u32 srnic_reorder_gap(struct srnic_reorder *queue, u32 psn)
{
	u32 end;
	bool asked;

	if (!queue->first || srnic_psn_diff(queue->first->pkt.psn, psn) <= 0)
		return 0;
	end = queue->first->pkt.psn;
	asked = queue->filling && srnic_psn_diff(psn, queue->gap_end) < 0 &&
		srnic_psn_diff(queue->gap_end, end) <= 0;
	if (asked)
		return 0;
	end = srnic_psn_add(psn, min_t(u32, srnic_psn_diff(end, psn), SRNIC_GAP_MAX));
	queue->filling = true;
	queue->gap_end = end;
	return srnic_psn_diff(end, psn);
}

/**
 * srnic_reorder_take - Remove the packet with the lowest PSN
 * @qp: RC
 * @queue: not empty
 *
 * Handling the packet may empty @queue (srnic_qp_fatal()).
 *
 * Return: the packet; the caller frees it.
 */
struct srnic_early *srnic_reorder_take(struct srnic_qp *qp, struct srnic_reorder *queue)
{
	struct srnic_early *early = queue->first;

	lockdep_assert_held(&qp->lock);

	queue->first = early->next;
	if (!queue->first) {
		queue->last = NULL;
		queue->filling = false;
	}
	queue->count--;
	atomic_dec(&qp->dev->early);
	return early;
}

/**
 * srnic_reorder_drop - Free all packets
 * @qp: RC
 * @queue: may be empty
 */
void srnic_reorder_drop(struct srnic_qp *qp, struct srnic_reorder *queue)
{
	while (queue->first)
		kfree(srnic_reorder_take(qp, queue));
}

SRNIC_EXPORT_FOR_KUNIT(srnic_reorder_drop);
