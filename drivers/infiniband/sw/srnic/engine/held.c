// SPDX-License-Identifier: GPL-2.0
/*
 * Datagrams that have been opened and checked, and wait for pages of the receive buffer. Nobody
 * would send them again.
 */
#include <linux/slab.h>
#include "export.h"
#include "srnic.h"
#include "engine/held.h"

static bool has_room(const struct srnic_qp *qp)
{
	return qp->held_count < SRNIC_MAX_HELD && atomic_read(&qp->dev->held) < SRNIC_MAX_HELD_ALL;
}

/**
 * srnic_held_add() - Keep a datagram until pages have been faulted in
 * @qp: a UD QP
 * @pkt: the datagram
 * @cqe: its completion
 * @grh: the header that its buffer begins with
 *
 * If memory is short, or too many wait, it is lost.
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_held_add(struct srnic_qp *qp, const struct srnic_pkt *pkt,
		    const struct srnic_cqe *cqe, const u8 grh[SRNIC_GRH_LEN])
{
	struct srnic_held *held = NULL;

	lockdep_assert_held(&qp->lock);

	if (has_room(qp))
		held = kmalloc(struct_size(held, data, pkt->payload_len),
			       GFP_ATOMIC | __GFP_NOWARN);
	if (!held) {
		srnic_count(qp, page_drops);
		return;
	}
	held->pkt = *pkt;
	held->ends = *pkt->ends;
	held->pkt.skb = NULL;
	held->pkt.ends = &held->ends;
	held->pkt.hdr = NULL;
	held->pkt.payload = held->data;
	held->cqe = *cqe;
	memcpy(held->grh, grh, SRNIC_GRH_LEN);
	memcpy(held->data, pkt->payload, pkt->payload_len);
	list_add_tail(&held->node, &qp->held);
	qp->held_count++;
	atomic_inc(&qp->dev->held);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_held_add);

/**
 * srnic_held_remove() - Free a datagram that has been received
 * @qp: its QP
 * @held: the datagram
 */
void srnic_held_remove(struct srnic_qp *qp, struct srnic_held *held)
{
	lockdep_assert_held(&qp->lock);

	list_del(&held->node);
	qp->held_count--;
	atomic_dec(&qp->dev->held);
	kfree_sensitive(held);
}

/**
 * srnic_held_drop() - Free all datagrams that wait
 * @qp: the QP
 */
void srnic_held_drop(struct srnic_qp *qp)
{
	struct srnic_held *held, *next;

	list_for_each_entry_safe(held, next, &qp->held, node)
		srnic_held_remove(qp, held);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_held_drop);
