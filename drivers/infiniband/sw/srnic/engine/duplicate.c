// SPDX-License-Identifier: GPL-2.0
/*
 * Duplicates: requests that were executed before (IBA 9.7.5.1.3, 9.7.5.1.4). They do not write
 * memory, advance the MSN or complete work requests again.
 */
#include "srnic.h"
#include "engine/fault.h"
#include "engine/gso_watch.h"
#include "engine/responder.h"

/*
 * Limits for packets that repeat answers: so many a second, so many in a row, and two more for
 * each new request packet or new READ response. So duplicates use up a sub-key in hours, not in
 * seconds (protocol.md, sections 10 and 13), and a peer that loses packets gets the answers that
 * it needs (RFC 5042 6.4.4, R25).
 */
#define DUP_RATE	1024
#define DUP_CREDIT_MAX	8192
#define DUP_EARNED	2

/* Requests with one packet and one answer of their own */
#define OPF_SINGLE	(SRNIC_OPF_ATOMIC | SRNIC_OPF_FLUSH | SRNIC_OPF_ATOMIC_WRITE)

/*
 * Find the request that had @psn among its responses, if it is still kept. Search from the
 * latest on, because PSNs recur.
 */
static struct srnic_rres *find_rres(const struct srnic_qp *qp, u32 psn, u8 opcode)
{
	const struct srnic_responder *resp = &qp->resp;
	u32 i;

	for (i = 0; i < resp->rres_size; i++) {
		u32 at = resp->rres_next + resp->rres_size - 1 - i;
		struct srnic_rres *rres = &resp->rres[at % resp->rres_size];
		u32 span = srnic_psn_since(rres->last_psn, rres->first_psn);

		if (rres->opcode == opcode && srnic_psn_since(psn, rres->first_psn) <= span)
			return rres;
	}
	return NULL;
}

/* Packets earned since the credit was last replenished */
static u32 dup_earned(const struct srnic_responder *resp)
{
	unsigned long time = min(jiffies - resp->dup_time, (DUP_CREDIT_MAX / DUP_RATE + 1) * HZ);
	u32 fresh = min(resp->fresh - resp->dup_fresh, DUP_CREDIT_MAX);

	return time * DUP_RATE / HZ + DUP_EARNED * fresh;
}

/**
 * srnic_duplicate_may_answer() - Request permission to repeat one packet of an answer
 * @qp: an RC QP
 *
 * Without permission, the packet counts as lost: the requester asks again.
 *
 * Context: any up to softirq, under the QP's lock.
 * Return: true if permission is granted.
 */
bool srnic_duplicate_may_answer(struct srnic_qp *qp)
{
	struct srnic_responder *resp = &qp->resp;

	lockdep_assert_held(&qp->lock);

	if (!resp->dup_credit) {
		resp->dup_credit = min(dup_earned(resp), DUP_CREDIT_MAX);
		resp->dup_fresh = resp->fresh;
		resp->dup_time = jiffies;
	}
	if (!resp->dup_credit) {
		srnic_count(qp, duplicate_unanswered);
		return false;
	}
	resp->dup_credit--;
	return true;
}

static void repeat_answer(struct srnic_qp *qp, struct srnic_rres *rres)
{
	if (rres->todo)
		return;
	rres->todo = true;
	rres->repeat = true;
	qp->resp.rres_todo++;
}

/*
 * The peer lacks responses from @psn on. A READ that is repeated from its first response is not
 * reported to gso_watch.c, because it may just follow another READ that lost responses.
 */
static void duplicate_missed(struct srnic_qp *qp, const struct srnic_rres *rres, u32 psn)
{
	if (psn != rres->first_psn)
		srnic_gso_watch_judge(qp, &qp->resp.gso_watch, psn);
}

/* Note responses that the requester lacks while later ones are being sent: they follow those. */
static void note_gap(struct srnic_rres *rres, u32 psn, u32 end)
{
	if (!rres->gap || srnic_psn_diff(psn, rres->gap_from) < 0)
		rres->gap_from = psn;
	rres->gap_end = rres->gap ? max(rres->gap_end, end) : end;
	rres->gap = true;
}

/*
 * A READ whose answer is in progress continues from @psn. But if the requester asks for less
 * than remains to be sent, it keeps the responses behind the gap, and the gap follows later.
 */
static void read_on(struct srnic_qp *qp, struct srnic_rres *rres, u32 psn, u32 end)
{
	if (srnic_psn_diff(rres->next, psn) <= 0)
		return;
	if (end < rres->end) {
		note_gap(rres, psn, end);
		return;
	}
	duplicate_missed(qp, rres, psn);
	rres->from = psn;
	rres->next = psn;
}

static void repeat_from(struct srnic_qp *qp, struct srnic_rres *rres, u32 psn, u32 end)
{
	u32 off = srnic_psn_since(psn, rres->first_psn) * qp->mtu;

	duplicate_missed(qp, rres, psn);
	rres->from = psn;
	rres->next = psn;
	rres->to = srnic_psn_add(psn, srnic_read_packets(qp, end - off) - 1);
	rres->end = end;
	rres->gap = false;
	repeat_answer(qp, rres);
	qp->resp.replay = true;
}

/**
 * srnic_duplicate_gap() - Repeat responses that the requester has reported as missing
 * @qp: an RC QP
 * @rres: an entry with no responses left to send
 *
 * Context: any up to softirq, under the QP's lock.
 */
void srnic_duplicate_gap(struct srnic_qp *qp, struct srnic_rres *rres)
{
	if (rres->gap)
		repeat_from(qp, rres, rres->gap_from, rres->gap_end);
}

/*
 * Repeat a READ from any of its responses on, within the original range (IBA C9-114). It is
 * executed again, from present memory, and its rights are checked again. The worker sends the
 * responses: a packet of 32 bytes that fetches 2 GiB, as often as the peer likes, must not run
 * in softirq.
 */
static void repeat_read(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	struct srnic_rres *rres = find_rres(qp, pkt->psn, pkt->opcode);
	u32 off;

	if (!rres)
		return;
	off = srnic_psn_since(pkt->psn, rres->first_psn) * qp->mtu;
	if (pkt->rkey != rres->rkey || pkt->va != rres->va + off ||
	    pkt->dmalen > rres->length - off)
		return;

	if (rres->todo && !rres->repeat) {
		read_on(qp, rres, pkt->psn, off + pkt->dmalen);
		return;
	}
	rres->proved = pkt->proved;
	repeat_from(qp, rres, pkt->psn, off + pkt->dmalen);
}

/* Repeat the stored result, for exactly the same request (IBA C9-118, A19). */
static void repeat_single(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	struct srnic_rres *rres = find_rres(qp, pkt->psn, pkt->opcode);

	if (!rres || rres->va != pkt->va || rres->rkey != pkt->rkey ||
	    !srnic_duplicate_may_answer(qp))
		return;
	repeat_answer(qp, rres);
	if (rres->unfinished)
		qp->resp.replay = true;
}

/**
 * srnic_duplicate_rx() - Handle a request that is older than the expected one
 * @qp: an RC QP
 * @pkt: the request, verified
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_duplicate_rx(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	lockdep_assert_held(&qp->lock);

	srnic_qp_count_fault(qp, SRNIC_STAT_duplicate_request);
	if (pkt->opc->flags & SRNIC_OPF_READ)
		repeat_read(qp, pkt);
	else if (pkt->opc->flags & OPF_SINGLE)
		repeat_single(qp, pkt);
	else if (pkt->ackreq && !qp->resp.ack_due && srnic_duplicate_may_answer(qp))
		qp->resp.ack_due = true;
}
