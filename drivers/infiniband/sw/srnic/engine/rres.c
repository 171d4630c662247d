// SPDX-License-Identifier: GPL-2.0
/*
 * The responder's ring of accepted READs, atomics, FLUSHes and ATOMIC WRITEs, which is used to
 * answer them and their duplicates (IBA 9.7.5.1.3, 9.7.5.1.4, A19).
 *
 * The ring only grows. If modify_qp lowers max_dest_rd_atomic, fewer may be outstanding, but no
 * duplicate is forgotten.
 */
#include <linux/slab.h>
#include "export.h"
#include "srnic.h"
#include "engine/fault.h"
#include "engine/responder.h"

/**
 * srnic_rres_full() - Tell whether as many requests are outstanding as may be
 * @resp: responder of an RC QP, with a limit that is not 0
 *
 * Entries are answered in order: if rres_limit of them are outstanding, they are the newest.
 *
 * Context: softirq, under the QP's lock.
 */
bool srnic_rres_full(const struct srnic_responder *resp)
{
	u32 at = resp->rres_next + resp->rres_size - resp->rres_limit;
	const struct srnic_rres *rres = &resp->rres[at % resp->rres_size];

	return rres->todo && !rres->repeat;
}

/**
 * srnic_rres_new() - Find an entry for a READ, atomic, FLUSH or ATOMIC WRITE
 * @qp: an RC QP
 * @pkt: the request
 * @packets: number of its responses
 *
 * The requester may have max_dest_rd_atomic of them outstanding; more end the stream (RFC 5042
 * 6.4.3.3). Duplicates do not count: a requester that sends a new request has the earlier
 * responses, so their repetition may end (IBA 9.7.5.1.3: as much as the resources allow).
 *
 * Context: softirq, under the QP's lock.
 * Return: the entry, to be given to srnic_rres_accept(); NULL if the request is refused, which
 * has been counted.
 */
struct srnic_rres *srnic_rres_new(struct srnic_qp *qp, const struct srnic_pkt *pkt, u32 packets)
{
	struct srnic_responder *resp = &qp->resp;
	struct srnic_rres *rres;

	lockdep_assert_held(&qp->lock);

	if (!resp->rres_limit || srnic_rres_full(resp)) {
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_rrq_exceeded);
		return NULL;
	}
	rres = &resp->rres[resp->rres_next];
	if (rres->todo)
		srnic_rres_answered(qp, rres);
	*rres = (struct srnic_rres) {
		.opcode = pkt->opcode,
		.proved = pkt->proved,
		.first_psn = pkt->psn,
		.last_psn = srnic_psn_add(pkt->psn, packets - 1),
		.from = pkt->psn,
		.next = pkt->psn,
		.unsent = pkt->psn,
		.to = srnic_psn_add(pkt->psn, packets - 1),
		.end = pkt->dmalen,
		.rkey = pkt->rkey,
		.length = pkt->dmalen,
		.srqn = pkt->srqn,
		.va = pkt->va,
	};
	return rres;
}

/**
 * srnic_rres_accept() - Note that a request will be answered
 * @qp: an RC QP
 * @rres: entry from srnic_rres_new()
 *
 * The answer also acknowledges all requests before it.
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_rres_accept(struct srnic_qp *qp, struct srnic_rres *rres)
{
	struct srnic_responder *resp = &qp->resp;

	lockdep_assert_held(&qp->lock);

	rres->todo = true;
	resp->rres_todo++;
	resp->rres_next = resp->rres_next + 1 == resp->rres_size ? 0 : resp->rres_next + 1;
	resp->ack_due = false;
}

/**
 * srnic_rres_answered() - Note that no more responses will be sent
 * @qp: an RC QP
 * @rres: entry with responses to be sent
 *
 * Context: process or softirq, under the QP's lock.
 */
void srnic_rres_answered(struct srnic_qp *qp, struct srnic_rres *rres)
{
	rres->todo = false;
	qp->resp.rres_todo--;
	if (!qp->resp.rres_todo)
		qp->resp.replay = false;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_rres_answered);

/* Move the entries to a larger ring, oldest first; return the former ring. */
static struct srnic_rres *rres_grow_ring(struct srnic_responder *resp, struct srnic_rres *to,
					 u16 size)
{
	struct srnic_rres *from = resp->rres;
	u16 i;

	for (i = 0; i < resp->rres_size; i++)
		to[i] = from[(resp->rres_next + i) % resp->rres_size];
	resp->rres = to;
	resp->rres_next = resp->rres_size;
	resp->rres_size = size;
	return from;
}

/**
 * srnic_rres_resize() - Apply the max_dest_rd_atomic that modify_qp has set
 * @qp: an RC QP, in RTR or later; its modify_mutex is held
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int srnic_rres_resize(struct srnic_qp *qp)
{
	struct srnic_responder *resp = &qp->resp;
	u16 limit = qp->attr.max_dest_rd_atomic;
	struct srnic_rres *ring = NULL;

	if (limit > resp->rres_size) {
		ring = kcalloc(limit, sizeof(*ring), GFP_KERNEL_ACCOUNT);
		if (!ring)
			return -ENOMEM;
	}
	spin_lock_bh(&qp->lock);
	if (ring)
		ring = rres_grow_ring(resp, ring, limit);
	resp->rres_limit = limit;
	spin_unlock_bh(&qp->lock);
	kfree(ring);
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_rres_resize);
