// SPDX-License-Identifier: GPL-2.0
/*
 * Replies of the responder: responses to READs, atomics, FLUSHes and ATOMIC WRITEs, then at most
 * one ACK or NAK per burst.
 * Responses leave in the order of the requests (IBA 9.7.5.1, C9-105): an acknowledgment waits
 * until all READs before it have been answered, and the answers are paced.
 */
#include "export.h"
#include "srnic.h"
#include "engine/backpressure.h"
#include "engine/build.h"
#include "engine/due.h"
#include "engine/fault.h"
#include "engine/page_in.h"
#include "engine/proof.h"
#include "engine/recv.h"
#include "engine/reorder.h"
#include "engine/responder.h"
#include "engine/write_back.h"
#include "engine/xrc.h"

/* No more is sent after one check of a READ's access than mem keeps in place. */
static_assert(SRNIC_TURN * 4096 <= SRNIC_MEM_TURN);

static int send_aeth(struct srnic_build *build, u8 opcode, u32 psn, u8 syndrome)
{
	build->pkt.opcode = build->qp->transport | opcode;
	build->pkt.psn = psn;
	build->pkt.syndrome = syndrome;
	return srnic_build_packet(build, NULL, 0, 1);
}

/* Acknowledge all requests before the expected one. */
static int send_positive_ack(struct srnic_build *build)
{
	return send_aeth(build, SRNIC_OPC_ACK, srnic_psn_add(build->qp->resp.psn, -1),
			 SRNIC_AETH_ACK | SRNIC_CREDIT_NONE);
}

/* Return the entry with the lowest PSN to be sent. */
static struct srnic_rres *first_todo(const struct srnic_qp *qp)
{
	const struct srnic_responder *resp = &qp->resp;
	struct srnic_rres *first = NULL;
	u32 i;

	for (i = 0; i < resp->rres_size; i++) {
		struct srnic_rres *rres = &resp->rres[i];

		if (rres->todo && (!first || srnic_psn_diff(rres->next, first->next) < 0))
			first = rres;
	}
	return first;
}

/* Responses that are not sent now count as lost: the requester asks again. */
static void give_up(struct srnic_qp *qp)
{
	struct srnic_rres *rres;

	while ((rres = first_todo(qp)))
		srnic_rres_answered(qp, rres);
}

static u8 read_opcode(const struct srnic_rres *rres)
{
	bool first = rres->next == rres->from;
	bool last = rres->next == rres->to;

	if (first)
		return last ? SRNIC_OPC_READ_RESP_ONLY : SRNIC_OPC_READ_RESP_FIRST;
	return last ? SRNIC_OPC_READ_RESP_LAST : SRNIC_OPC_READ_RESP_MIDDLE;
}

static int send_read_response(struct srnic_build *build, struct srnic_rres *rres,
			      const struct srnic_mem_ref *ref, u32 budget)
{
	struct srnic_qp *qp = build->qp;
	u32 off = srnic_psn_since(rres->next, rres->first_psn) * qp->mtu;
	u32 more = srnic_psn_since(rres->to, rres->next);
	struct srnic_source src = { .ref = ref, .at = rres->va + off };
	struct srnic_pkt *pkt = &build->pkt;

	pkt->opcode = read_opcode(rres);
	pkt->psn = rres->next;
	pkt->syndrome = SRNIC_AETH_ACK | SRNIC_CREDIT_NONE;
	if (pkt->opcode != SRNIC_OPC_READ_RESP_MIDDLE)
		more = 1;	/* its AETH makes it longer than the others */
	pkt->opcode |= qp->transport;
	return srnic_build_packet(build, &src, min(rres->end - off, qp->mtu), min(more, budget));
}

/* The region of a request that was accepted is not accessible any more: end the connection. */
static void refuse_accepted(struct srnic_qp *qp, u32 psn)
{
	qp->resp.nak = (struct srnic_refusal) {
		.due = true,
		.sent = true,
		.fatal = true,
		.syndrome = SRNIC_AETH_NAK | SRNIC_NAK_REM_ACCESS,
		.psn = psn,
		.event = IB_EVENT_QP_ACCESS_ERR,
	};
	give_up(qp);
}

/*
 * Check access again: the region may have been invalidated since the request was accepted. If
 * pages are absent, the responses remain to be sent.
 */
static bool read_refused(struct srnic_qp *qp, struct srnic_rres *rres, struct srnic_mem_ref *ref)
{
	u32 off = srnic_psn_since(rres->next, rres->first_psn) * qp->mtu;
	const struct srnic_access access = {
		.key = rres->rkey,
		.rights = IB_ACCESS_REMOTE_READ | srnic_proved_access(rres->proved),
		.va = rres->va + off,
		.len = rres->end - off,
	};
	const struct srnic_mem_stream *stream = srnic_xrc_stream(qp, rres->srqn);
	enum srnic_mem_status status;

	status = stream ? srnic_mem_get(stream, &access, ref) : SRNIC_MEM_PD;
	if (likely(!status))
		return false;
	if (status != SRNIC_MEM_ABSENT)
		srnic_qp_count_access(qp, rres->opcode, rres->next, status);
	else if (srnic_page_in(qp, SRNIC_FLOW_THEIRS, &access, access.len))
		return true;
	if (rres->repeat) {
		/*
		 * The request was answered before, and then the region was invalidated, as
		 * upper layer protocols do for each transfer. This retry is late, and counts
		 * as lost.
		 */
		srnic_rres_answered(qp, rres);
		return true;
	}
	refuse_accepted(qp, rres->next);
	return true;
}

/* The response has been sent for the first time: it earns further repetitions (duplicate.c). */
static void fresh_response(struct srnic_qp *qp, struct srnic_rres *rres)
{
	rres->unsent = srnic_psn_add(rres->next, 1);
	qp->resp.fresh++;
}

/* Send at most @budget packets; return how many, or a negative errno. */
static int answer_read(struct srnic_build *build, struct srnic_rres *rres, int budget)
{
	struct srnic_mem_ref ref;
	bool bytes = rres->end;
	int sent = 0;
	bool repeat;
	int err = 0;

	if (bytes && read_refused(build->qp, rres, &ref))
		return rres->todo ? budget : 1;		/* a wait for pages ends the turn */

	while (sent < budget && rres->todo && !srnic_build_over(build)) {
		repeat = srnic_psn_diff(rres->next, rres->unsent) < 0;
		if (unlikely(repeat) && !srnic_duplicate_may_answer(build->qp)) {
			srnic_rres_answered(build->qp, rres);
			break;
		}
		err = send_read_response(build, rres, &ref, budget - sent);
		if (unlikely(err))
			break;
		if (likely(!repeat))
			fresh_response(build->qp, rres);
		build->last_psn = rres->next;
		sent++;
		if (rres->next == rres->to)
			srnic_rres_answered(build->qp, rres);
		rres->next = srnic_psn_add(rres->next, 1);
	}
	if (bytes)
		srnic_mem_put(&ref);
	if (!rres->todo)
		srnic_duplicate_gap(build->qp, rres);
	return err ?: sent;
}

/* Continue a FLUSH. Return true when it is finished, and may be answered. */
static bool flush_some(struct srnic_qp *qp, struct srnic_rres *rres)
{
	enum srnic_mem_status status = srnic_write_back(qp, rres);

	if (unlikely(status == SRNIC_MEM_ABSENT))
		return false;	/* for a moment: it needs no pages */
	if (unlikely(status)) {
		srnic_qp_count_access(qp, rres->opcode, rres->first_psn, status);
		refuse_accepted(qp, rres->first_psn);
		return false;
	}
	if (rres->unfinished)
		return false;
	qp->resp.flushing = 0;
	qp->resp.message = 0;
	return true;
}

/* IBA 9.4.5, A19 */
static u8 single_answer(const struct srnic_rres *rres)
{
	return srnic_opcode_table[rres->opcode].atomic ? SRNIC_OPC_ATOMIC_ACK :
							 SRNIC_OPC_READ_RESP_ONLY;
}

static int reply_answer(struct srnic_build *build, struct srnic_rres *rres, int budget)
{
	int err;

	if ((rres->opcode & SRNIC_OPC_MASK) == SRNIC_OPC_READ_REQ)
		return answer_read(build, rres, budget);
	if (unlikely(rres->unfinished) && !flush_some(build->qp, rres))
		return budget;	/* a piece is a turn */

	build->pkt.orig = rres->orig;
	err = send_aeth(build, single_answer(rres), rres->first_psn,
			SRNIC_AETH_ACK | SRNIC_CREDIT_NONE);
	build->last_psn = rres->first_psn;
	srnic_rres_answered(build->qp, rres);
	return err ?: 1;
}

/* Give up the responses after one could not be sent, and handle the error. */
static void reply_failed(struct srnic_qp *qp, int err)
{
	give_up(qp);
	if (err == -EKEYEXPIRED)
		srnic_qp_fatal(qp, IB_EVENT_QP_FATAL);
	else if (err == -ENOKEY)
		srnic_qp_kick(qp, SRNIC_QP_WORK_REKEY);
	else
		srnic_count(qp, send_err);
}

/* IBA 9.7.5.1.2: one ACK covers the whole burst; a NAK acknowledges all requests before it. */
static int send_ack(struct srnic_build *build)
{
	struct srnic_responder *resp = &build->qp->resp;
	struct srnic_refusal *nak = &resp->nak;

	resp->ack_due = false;
	if (!nak->due)
		return send_positive_ack(build);
	nak->due = false;
	build->pkt.gap = srnic_gap_code(nak->gap);
	return send_aeth(build, SRNIC_OPC_ACK, nak->psn, nak->syndrome);
}

/* Repeat the acknowledgment and report a later gap (protocol.md, section 2). */
static int report_gap(struct srnic_build *build, const struct srnic_gap *gap)
{
	build->pkt.msn = gap->psn;
	build->pkt.gap = srnic_gap_code(gap->packets);
	return send_positive_ack(build);
}

/* A report that cannot be sent counts as lost in transit: the requester's probe shows the gap. */
static int report_later_gaps(struct srnic_build *build)
{
	struct srnic_responder *resp = &build->qp->resp;
	int err = 0;
	u8 i;

	for (i = 0; i < resp->later_gaps && !err; i++)
		err = report_gap(build, &resp->later[i]);
	resp->later_gaps = 0;
	return err;
}

/* Answer @rres again from the first of its responses among @dropped on, if there is one. */
static void rres_rewind(struct srnic_responder *resp, struct srnic_rres *rres,
			const struct srnic_out_cb *dropped)
{
	u32 psn = dropped->psn;

	if (!rres->opcode || srnic_psn_diff(rres->first_psn, resp->psn) >= 0 ||
	    srnic_psn_diff(rres->to, psn) < 0 || srnic_psn_diff(rres->from, dropped->last) > 0)
		return;
	if (srnic_psn_diff(rres->from, psn) > 0)
		psn = rres->from;
	if (!rres->todo)
		resp->rres_todo++;
	else if (srnic_psn_diff(rres->next, psn) < 0)
		return;
	rres->todo = true;
	rres->next = psn;
	if (!rres->repeat && srnic_psn_diff(rres->unsent, psn) > 0)
		rres->unsent = psn;
}

/**
 * srnic_reply_rewind() - Send responses again that have not left
 * @qp: an RC QP
 * @dropped: PSNs of the first and the last of them
 *
 * Responses before and after these may have arrived long ago: they are no longer outstanding.
 *
 * Context: process or softirq, under the QP's lock.
 */
void srnic_reply_rewind(struct srnic_qp *qp, const struct srnic_out_cb *dropped)
{
	struct srnic_responder *resp = &qp->resp;
	u32 i;

	lockdep_assert_held(&qp->lock);

	if (!srnic_qp_receives(qp))
		return;
	for (i = 0; i < resp->rres_size; i++)
		rres_rewind(resp, &resp->rres[i], dropped);
}

/**
 * srnic_reply_again() - Send the last acknowledgment again
 * @qp: an RC QP
 *
 * An additional acknowledgment tells the peer nothing new.
 *
 * Context: process or softirq, under the QP's lock.
 */
void srnic_reply_again(struct srnic_qp *qp)
{
	struct srnic_responder *resp = &qp->resp;

	lockdep_assert_held(&qp->lock);

	if (!srnic_qp_receives(qp))
		return;
	resp->nak.due = resp->nak.sent;
	resp->ack_due = true;
}

static bool reply_due(const struct srnic_responder *resp)
{
	return resp->rres_todo || resp->nak.due || resp->ack_due || resp->later_gaps;
}

/**
 * srnic_reply_run() - Send replies that are due, a turn's worth; the worker continues
 * @qp: an RC QP
 *
 * Context: process or softirq, under the QP's lock; packets leave at the unlock.
 */
void srnic_reply_run(struct srnic_qp *qp)
{
	struct srnic_responder *resp = &qp->resp;
	struct srnic_build build __uninitialized;
	int budget = SRNIC_TURN;
	enum srnic_flight flight;
	int ret = 0;
	u32 allowance;

	lockdep_assert_held(&qp->lock);

	if (!srnic_qp_receives(qp) || !reply_due(resp))
		return;
	allowance = srnic_tx_allowance(qp);
	if (unlikely(!allowance))
		return;

	srnic_build_begin(&build, qp, &qp->path, SRNIC_FLOW_THEIRS);
	build.max_bytes = allowance;
	build.pkt.echo = resp->congested;
	build.pkt.msn = resp->msn;
	flight = resp->answering ? SRNIC_FLIGHT_CONTINUES : SRNIC_FLIGHT_BEGINS;
	while (resp->rres_todo && budget > 0 && ret >= 0 && !srnic_build_over(&build)) {
		ret = reply_answer(&build, first_todo(qp), budget);
		budget -= ret;
		srnic_qp_built_unacked(qp, flight);
	}
	if (ret >= 0 && !resp->rres_todo && (resp->nak.due || resp->ack_due))
		ret = send_ack(&build);
	if (ret >= 0 && !resp->rres_todo && unlikely(resp->later_gaps))
		ret = report_later_gaps(&build);
	srnic_build_end(&build);
	if (build.packets)
		resp->congested = false;

	if (unlikely(ret < 0))
		reply_failed(qp, ret);
	resp->answering = resp->rres_todo;
	if (resp->rres_todo) {
		if (resp->ack_due)
			srnic_count(qp, ack_deferred);
		if (srnic_tx_allowance(qp) && !srnic_page_in_due(qp, SRNIC_FLOW_THEIRS))
			srnic_qp_kick(qp, SRNIC_QP_WORK_REPLY);
	} else if (unlikely(resp->nak.fatal)) {
		srnic_qp_fatal(qp, resp->nak.event);
	}
}

SRNIC_EXPORT_FOR_KUNIT(srnic_reply_run);
