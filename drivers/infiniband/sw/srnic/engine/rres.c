// SPDX-License-Identifier: GPL-2.0
/*
 * What the responder keeps of READs and atomics: a ring of those that it has accepted, to
 * answer them and their duplicates (IBA 9.7.5.1.3, 9.7.5.1.4).
 *
 * The ring only grows. Where modify_qp lowers max_dest_rd_atomic fewer may be outstanding,
 * and no duplicate is forgotten.
 */
#include <linux/slab.h>
#include "export.h"
#include "srnic.h"
#include "engine/fault.h"
#include "engine/responder.h"

/* They are answered in order: if that many are outstanding, they are the newest ones. */
static bool all_outstanding(const struct srnic_responder *resp)
{
	u32 at = resp->rres_next + resp->rres_max - resp->rres_most;
	const struct srnic_rres *rres = &resp->rres[at % resp->rres_max];

	return rres->todo && !rres->again;
}

/**
 * srnic_rres_new - Find a place to keep what a READ or atomic has asked for
 * @qp: RC
 * @pkt: the request
 * @packets: how many responses it has
 *
 * The requester may have max_dest_rd_atomic of them outstanding; more end the stream
 * (RFC 5042 6.4.3.3). A duplicate is not one of them: a requester that asks for something
 * new has what came before, so its answer need not go on (IBA 9.7.5.1.3: as much as the
 * resources allow).
 *
 * Context: softirq, under the QP's lock.
 * Return: the place, to be given to srnic_rres_accept(); NULL: refused, and counted.
 */
struct srnic_rres *srnic_rres_new(struct srnic_qp *qp, const struct srnic_pkt *pkt, u32 packets)
{
	struct srnic_responder *resp = &qp->resp;
	struct srnic_rres *rres;

	lockdep_assert_held(&qp->lock);

	if (!resp->rres_most || all_outstanding(resp)) {
		srnic_qp_refuse(qp, pkt, rrq_exceeded);
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
		.va = pkt->va,
	};
	return rres;
}

/**
 * srnic_rres_accept - Note that a request will be answered
 * @qp: RC
 * @rres: what srnic_rres_new() has returned
 *
 * That acknowledges all before it, too.
 */
void srnic_rres_accept(struct srnic_qp *qp, struct srnic_rres *rres)
{
	struct srnic_responder *resp = &qp->resp;

	lockdep_assert_held(&qp->lock);

	rres->todo = true;
	resp->rres_todo++;
	resp->rres_next = resp->rres_next + 1 == resp->rres_max ? 0 : resp->rres_next + 1;
	resp->ack_due = false;
}

/**
 * srnic_rres_answered - Note that the last response has been sent, or is not worth it
 * @qp: RC
 * @rres: with responses to be sent
 */
void srnic_rres_answered(struct srnic_qp *qp, struct srnic_rres *rres)
{
	rres->todo = false;
	qp->resp.rres_todo--;
	if (!qp->resp.rres_todo)
		qp->resp.replay = false;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_rres_answered);

/* Oldest first; returns the former ring. */
static struct srnic_rres *move_ring(struct srnic_responder *resp, struct srnic_rres *to, u16 size)
{
	struct srnic_rres *from = resp->rres;
	u16 i;

	for (i = 0; i < resp->rres_max; i++)
		to[i] = from[(resp->rres_next + i) % resp->rres_max];
	resp->rres = to;
	resp->rres_next = resp->rres_max;
	resp->rres_max = size;
	return from;
}

/**
 * srnic_rres_resize - Let as many requests be outstanding as modify_qp has set
 * @qp: RC, in RTR or later; its modify_mutex is held
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int srnic_rres_resize(struct srnic_qp *qp)
{
	struct srnic_responder *resp = &qp->resp;
	u16 most = qp->attr.max_dest_rd_atomic;
	struct srnic_rres *ring = NULL;

	if (most > resp->rres_max) {
		ring = kcalloc(most, sizeof(*ring), GFP_KERNEL_ACCOUNT);
		if (!ring)
			return -ENOMEM;
	}
	spin_lock_bh(&qp->lock);
	if (ring)
		ring = move_ring(resp, ring, most);
	resp->rres_most = most;
	spin_unlock_bh(&qp->lock);
	kfree(ring);
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_rres_resize);
