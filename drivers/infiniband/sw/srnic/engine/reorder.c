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
#include "engine/responder.h"

/* PSNs that may lie between a packet that is kept and the one that is expected */
#define REORDER_SPAN	2048

static struct srnic_early *early_copy(const struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	struct srnic_early *early;

	early = kmalloc(struct_size(early, payload, pkt->payload_len),
			GFP_ATOMIC | __GFP_NOWARN);
	if (!early)
		return NULL;
	early->requested = false;
	early->lost_again = false;
	early->decrypted = qp->sth && srnic_sth_encrypts(srnic_sth_params(qp->sth)->mode);
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

/* Return the PSN behind @pkt: a READ request takes as many as its responses. */
static u32 psn_behind(const struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	u32 packets = 1;

	if ((pkt->opcode & SRNIC_OPC_MASK) == SRNIC_OPC_READ_REQ)
		packets = srnic_read_packets(qp, pkt->dmalen);
	return srnic_psn_add(pkt->psn, packets);
}

/* @early, which ends before @psn, has arrived from inside the gap before the next one. */
static void split_gap(struct srnic_early *early, u32 psn)
{
	struct srnic_early *next = early->next;

	next->gap_psn = psn;
	if (early->gap_psn != early->pkt.psn)
		next->lost_again = true;
}

/*
 * Put a copy where @link is; @gap_psn follows the packet before it. Return NULL if there is no
 * room for it.
 */
static struct srnic_early *early_insert(struct srnic_qp *qp, struct srnic_reorder *queue,
					struct srnic_early **link, const struct srnic_pkt *pkt,
					u32 gap_psn)
{
	struct srnic_early *early = has_room(qp, queue) ? early_copy(qp, pkt) : NULL;

	if (!early)
		return NULL;
	early->gap_psn = gap_psn;
	early->next = *link;
	if (early->next)
		split_gap(early, psn_behind(qp, pkt));
	else
		queue->last = early;
	*link = early;
	queue->count++;
	atomic_inc(&qp->dev->early);
	srnic_count(qp, early_kept);
	return early;
}

/**
 * srnic_reorder_keep - Copy a packet that came too early
 * @qp: RC
 * @queue: its requests that came early, or its responses
 * @psn: the packet that is expected
 * @pkt: verified; a later one
 *
 * Return: the copy, or an earlier copy of the same packet; NULL if there is no room for it.
 */
struct srnic_early *srnic_reorder_keep(struct srnic_qp *qp, struct srnic_reorder *queue, u32 psn,
				       const struct srnic_pkt *pkt)
{
	struct srnic_early **link = find_link(queue, pkt->psn);
	struct srnic_early *early = NULL;
	u32 gap_psn = psn;

	lockdep_assert_held(&qp->lock);

	if (*link && (*link)->pkt.psn == pkt->psn)
		return *link;
	if (link != &queue->first)
		gap_psn = psn_behind(qp, &container_of(link, struct srnic_early, next)->pkt);
	if (srnic_psn_diff(pkt->psn, psn) < REORDER_SPAN)
		early = early_insert(qp, queue, link, pkt, gap_psn);
	if (!early)
		srnic_count(qp, early_dropped);
	return early;
}

/*
 * Return the gap from @psn up to @early, as far as it is to be requested now. Each packet is
 * requested once, and again only if a later packet of the gap arrives before it: then it was lost
 * a second time. A long gap is requested in parts.
 */
static struct srnic_gap request_gap(struct srnic_early *early, u32 psn)
{
	s32 packets = srnic_psn_diff(early->pkt.psn, psn);
	struct srnic_gap gap = { .psn = psn };

	if (packets <= 0 ||
	    (early->requested && srnic_psn_diff(psn, early->requested_end) < 0))
		return gap;
	gap.packets = min_t(u32, packets, SRNIC_GAP_MAX);
	early->requested = true;
	early->requested_end = srnic_psn_add(psn, gap.packets);
	return gap;
}

/**
 * srnic_reorder_gap - Return the first gap, if it is to be requested now
 * @queue: early packets; the QP's lock is held
 * @psn: the packet that is expected
 *
 * If a part of it was lost again, the rest is requested again, too.
 *
 * Return: no packets if there is no gap, or it has been requested.
 */
struct srnic_gap srnic_reorder_gap(struct srnic_reorder *queue, u32 psn)
{
	struct srnic_early *first = queue->first;

	if (!first)
		return (struct srnic_gap) {};
	if (first->lost_again)
		first->requested = false;
	first->lost_again = false;
	return request_gap(first, psn);
}

/**
 * srnic_reorder_later_gap - Return a later gap that a packet shows, if it is to be requested now
 * @queue: early packets; the QP's lock is held
 * @early: one of them, which has just arrived
 *
 * The gap is the one before @early, or else the rest of the one behind it.
 *
 * Return: no packets if there is no such gap, or it has been requested.
 */
struct srnic_gap srnic_reorder_later_gap(const struct srnic_reorder *queue,
					 struct srnic_early *early)
{
	struct srnic_gap gap = {};

	if (early != queue->first)
		gap = request_gap(early, early->gap_psn);
	if (!gap.packets && early->next)
		gap = request_gap(early->next, early->next->gap_psn);
	return gap;
}

/**
 * srnic_reorder_take - Remove the packet with the lowest PSN
 * @qp: RC
 * @queue: not empty
 *
 * Handling the packet may empty @queue (srnic_qp_fatal()).
 *
 * Return: the packet; the caller calls srnic_reorder_free().
 */
struct srnic_early *srnic_reorder_take(struct srnic_qp *qp, struct srnic_reorder *queue)
{
	struct srnic_early *early = queue->first;

	lockdep_assert_held(&qp->lock);

	queue->first = early->next;
	if (!queue->first)
		queue->last = NULL;
	queue->count--;
	atomic_dec(&qp->dev->early);
	return early;
}

/**
 * srnic_reorder_free - Free a packet, and wipe a payload that was encrypted on the wire
 * @early: from srnic_reorder_take()
 */
void srnic_reorder_free(struct srnic_early *early)
{
	if (early->decrypted)
		kfree_sensitive(early);
	else
		kfree(early);
}

/**
 * srnic_reorder_drop - Free all packets
 * @qp: RC
 * @queue: may be empty
 */
void srnic_reorder_drop(struct srnic_qp *qp, struct srnic_reorder *queue)
{
	while (queue->first)
		srnic_reorder_free(srnic_reorder_take(qp, queue));
}

SRNIC_EXPORT_FOR_KUNIT(srnic_reorder_drop);
