// SPDX-License-Identifier: GPL-2.0
/*
 * The completer: responses to our requests (IBA 9.7.6).
 *
 * req.una is the oldest PSN that has not been answered; inside a READ it is the next
 * response expected. It lies in the work request at sq.cons, or, if nothing is
 * outstanding, where the next one will begin.
 */
#include <linux/nospec.h>
#include <linux/slab.h>
#include "srnic.h"
#include "engine/completer.h"
#include "engine/congestion.h"
#include "engine/due.h"
#include "engine/ecn.h"
#include "engine/fault.h"
#include "engine/page_in.h"
#include "engine/probe.h"
#include "engine/reorder.h"
#include "engine/requester.h"
#include "engine/timer.h"
#include "mem/mem.h"

/* NAK codes, IBA table 45 */
static const enum ib_wc_status nak_status[] = {
	[SRNIC_NAK_INVALID_REQ]	= IB_WC_REM_INV_REQ_ERR,
	[SRNIC_NAK_REM_ACCESS]	= IB_WC_REM_ACCESS_ERR,
	[SRNIC_NAK_REM_OP]	= IB_WC_REM_OP_ERR,
	[SRNIC_NAK_INV_RD]	= IB_WC_REM_INV_RD_REQ_ERR,
};

static struct srnic_swqe *completer_oldest(const struct srnic_qp *qp)
{
	const struct srnic_sq *sq = &qp->sq;

	if (sq->cons == srnic_sq_prod(sq))
		return NULL;
	return srnic_sq_wqe(sq, sq->cons);
}

/*
 * Return the oldest work request if some of its packets are unanswered. NULL: nothing is
 * outstanding, or a completion has found the CQ full, and the work requests are flushed.
 */
static struct srnic_swqe *oldest_active(struct srnic_qp *qp)
{
	struct srnic_swqe *wqe = srnic_qp_sends(qp) ? completer_oldest(qp) : NULL;

	return wqe && wqe->state == SRNIC_SWQE_ACTIVE ? wqe : NULL;
}

/*
 * Stop counting a request whose responses have all arrived: the pieces of a READ end at fixed
 * offsets (requester.h).
 */
static void request_answered(struct srnic_qp *qp, const struct srnic_swqe *wqe)
{
	u32 done = srnic_psn_since(qp->req.una, wqe->first_psn);
	bool last = srnic_psn_diff(qp->req.una, wqe->last_psn) > 0;

	if ((last || done % SRNIC_READ_PIECE == 0) && qp->req.rd_atomic)
		qp->req.rd_atomic--;
}

static void set_una(struct srnic_qp *qp, u32 psn)
{
	struct srnic_requester *req = &qp->req;

	srnic_cc_acked(qp, psn);
	req->una = psn;
	req->nak_handled = false;
	req->rnr_naks = 0;
	srnic_probe_progress(qp);
	srnic_timer_progress(qp);

	/* The acknowledged packets were being retransmitted, but had arrived */
	if (srnic_psn_diff(req->una, req->psn) > 0) {
		req->psn = req->una;
		qp->sq.next = qp->sq.cons;
	}
	if (qp->sth && srnic_sth_advance(qp->sth, SRNIC_FLOW_OURS, req->una))
		srnic_qp_kick(qp, SRNIC_QP_WORK_REKEY);
}

/*
 * Acknowledge all packets before @psn (IBA 9.7.6.1: acknowledgments are coalesced), up to a
 * READ or atomic, which only its own responses answer. Return false if one of those is missing.
 */
static bool ack_until(struct srnic_qp *qp, u32 psn)
{
	struct srnic_swqe *wqe;
	u32 end;

	while (srnic_psn_diff(psn, qp->req.una) > 0) {
		wqe = oldest_active(qp);
		if (!wqe)
			return true;	/* failed, or ERR: the rest is flushed */
		if (srnic_wqe_answered(wqe))
			return false;

		end = srnic_psn_add(wqe->last_psn, 1);
		set_una(qp, srnic_psn_diff(psn, end) < 0 ? psn : end);
		srnic_sq_retire(qp);
	}
	return true;
}

/*
 * A missing response before one that has arrived is an implied NAK (IBA 9.7.6.1.1). @gap: the
 * number of responses to request again; 0: unknown, or they have been requested.
 */
static void implied_nak(struct srnic_qp *qp, u32 gap)
{
	struct srnic_requester *req = &qp->req;

	if (req->wait_rnr || (!gap && (req->nak_handled || srnic_reorder_filling(&req->early))))
		return;
	srnic_count(qp, rcvd_seq_err);
	if (gap)
		srnic_requester_ask_again(qp, gap);
	else
		srnic_requester_lost(qp, SRNIC_LOSS_REPORTED);
	req->nak_handled = true;
}

/*
 * Keep @pkt: a READ or atomic before it has not been answered. An acknowledgment of the oldest one
 * itself only tells that its response is missing; if it were kept, catch_up() would never end.
 */
static void response_early(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	struct srnic_requester *req = &qp->req;

	if (pkt->psn != req->una)
		srnic_reorder_keep(qp, &req->early, req->una, pkt);
	implied_nak(qp, srnic_reorder_gap(&req->early, req->una).packets);
}

/*
 * IBA 9.7.5.2.4: the responder expects the oldest packet. The NAK counts against the retries
 * unless packets have been acknowledged since the last one. The responder sends one NAK for
 * each gap; a second one for the same flight is a duplicate and must not use up the retries. If
 * the responder keeps the packets behind the gap, only the gap is sent again.
 */
static void sequence_nak(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	struct srnic_requester *req = &qp->req;
	struct srnic_swqe *wqe = oldest_active(qp);

	srnic_qp_count_fault(qp, SRNIC_STAT_rcvd_seq_err);
	if (!wqe || req->wait_rnr || req->nak_handled)
		return;
	if (!req->retry_left) {
		srnic_count(qp, retry_exceeded_err);
		srnic_sq_fail(qp, wqe, IB_WC_RETRY_EXC_ERR);
		return;
	}
	req->retry_left--;
	req->tells_gaps |= pkt->gap;
	if (pkt->gap && req->una == pkt->psn)
		srnic_requester_fill(qp, srnic_gap_packets(pkt->gap));
	else
		srnic_requester_lost(qp, SRNIC_LOSS_REPORTED);
	req->nak_handled = true;
	srnic_timer_start(qp, SRNIC_FLIGHT_BEGINS);
}

/* IBA 9.7.5.2.8 */
static void rnr_nak(struct srnic_qp *qp, u8 code)
{
	struct srnic_requester *req = &qp->req;
	struct srnic_swqe *wqe = oldest_active(qp);

	srnic_qp_count_fault(qp, SRNIC_STAT_rcvd_rnr_err);
	if (!wqe || req->wait_rnr)
		return;
	if (!req->rnr_left) {
		srnic_count(qp, retry_rnr_exceeded_err);
		srnic_sq_fail(qp, wqe, IB_WC_RNR_RETRY_EXC_ERR);
		return;
	}
	if (qp->attr.rnr_retry != 7)	/* 7: for ever */
		req->rnr_left--;
	req->wait_rnr = true;
	srnic_cc_not_ready(qp);
	srnic_timer_rnr(qp, code);
}

/* An ACK during the wait says that the message has been received. */
static void end_rnr_wait(struct srnic_qp *qp)
{
	if (!qp->req.wait_rnr)
		return;
	qp->req.wait_rnr = false;
	hrtimer_try_to_cancel(&qp->rnr_timer);
	srnic_requester_go_back(qp);
}

/*
 * IBA 9.7.5.2.5 to 9.7.5.2.7: the responder has refused this request and ended the connection.
 * Earlier READs whose responses were lost are flushed.
 */
static void fatal_nak(struct srnic_qp *qp, u32 psn, u8 code)
{
	struct srnic_swqe *wqe;
	u32 at;

	wqe = srnic_requester_find(qp, psn, &at);
	if (!wqe)
		return;
	srnic_sq_fail(qp, wqe, nak_status[code]);
	if (qp->state != IB_QPS_ERR)
		srnic_qp_fatal(qp, -1);
}

static void completer_nak(struct srnic_qp *qp, const struct srnic_pkt *pkt, u8 code)
{
	if (code == SRNIC_NAK_PSN_SEQ)
		sequence_nak(qp, pkt);
	else if (code < ARRAY_SIZE(nak_status))
		fatal_nak(qp, pkt->psn, array_index_nospec(code, ARRAY_SIZE(nak_status)));
	else	/* a reserved code (IBA 9.7.5.2.1) */
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_malformed);
}

static void ack_arrived(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	end_rnr_wait(qp);
	if (ack_until(qp, srnic_psn_add(pkt->psn, 1)))
		srnic_probe_answered(qp);
	else
		response_early(qp, pkt);
}

static void completer_ack(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	u8 code = pkt->syndrome & SRNIC_AETH_VALUE;

	switch (pkt->syndrome & SRNIC_AETH_TYPE) {
	case SRNIC_AETH_ACK:
		ack_arrived(qp, pkt);
		break;
	case SRNIC_AETH_RNR:
		ack_until(qp, pkt->psn);
		rnr_nak(qp, code);
		break;
	case SRNIC_AETH_NAK:
		ack_until(qp, pkt->psn);
		completer_nak(qp, pkt, code);
		break;
	default:
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_malformed);
	}
}

/*
 * Return the work request, of one of the @classes, that a READ or atomic response answers. The
 * response acknowledges all earlier packets (IBA 9.7.6.1); if its PSN is not the oldest then, a
 * response was lost.
 */
static struct srnic_swqe *answered_wqe(struct srnic_qp *qp, const struct srnic_pkt *pkt,
				       u32 classes)
{
	struct srnic_swqe *wqe;

	if (!ack_until(qp, pkt->psn)) {
		response_early(qp, pkt);
		return NULL;
	}
	wqe = oldest_active(qp);
	if (!wqe || qp->req.una != pkt->psn)
		return NULL;
	if (!(BIT(srnic_wqe_kind(wqe)->class) & classes)) {
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_malformed);	/* IBA 9.7.6.2.1: a ghost */
		return NULL;
	}
	return wqe;
}

/* Account for a response whose bytes have been placed. */
static void completer_answered(struct srnic_qp *qp, struct srnic_swqe *wqe)
{
	set_una(qp, srnic_psn_add(qp->req.una, 1));
	request_answered(qp, wqe);
	srnic_sq_retire(qp);
}

/* IBA A19: FLUSH and ATOMIC WRITE are answered by a READ response without payload. */
static void request_confirmed(struct srnic_qp *qp, const struct srnic_pkt *pkt,
			      struct srnic_swqe *wqe)
{
	if (pkt->opcode != SRNIC_OPC_READ_RESP_ONLY || pkt->payload_len) {
		srnic_sq_fail(qp, wqe, IB_WC_BAD_RESP_ERR);
		return;
	}
	completer_answered(qp, wqe);
	srnic_probe_answered(qp);
}

/*
 * A response could not be placed. If its pages are being faulted in, it counts as lost, and is
 * requested again when they are there.
 */
static void place_failed(struct srnic_qp *qp, struct srnic_swqe *wqe,
			 const struct srnic_sge_pos *to, enum srnic_mem_status status)
{
	u32 len = wqe->length - to->off;

	if (status == SRNIC_MEM_ABSENT &&
	    srnic_page_in_sges(qp, SRNIC_FLOW_OURS, to, min(len, qp->mtu),
			       IB_ACCESS_LOCAL_WRITE)) {
		qp->page_in[SRNIC_FLOW_OURS].response = true;
		return;
	}
	srnic_sq_fail(qp, wqe, IB_WC_LOC_PROT_ERR);
}

/*
 * The PSN of a READ response says where it belongs, not the opcode's first, middle or last: a
 * repeated READ may begin anywhere. Its length is checked as well (IBA 9.7.6.2.3).
 */
static void read_response(struct srnic_qp *qp, const struct srnic_pkt *pkt,
			  struct srnic_mem_cache *cache)
{
	struct srnic_swqe *wqe = answered_wqe(qp, pkt, BIT(SRNIC_CLASS_READ) |
						       BIT(SRNIC_CLASS_CONFIRMED));
	enum srnic_mem_status status;
	struct srnic_sge_pos to;
	u32 off;

	if (!wqe)
		return;
	if (unlikely(srnic_wqe_kind(wqe)->class == SRNIC_CLASS_CONFIRMED)) {
		request_confirmed(qp, pkt, wqe);
		return;
	}

	off = srnic_psn_since(pkt->psn, wqe->first_psn) * qp->mtu;
	if (pkt->payload_len != min(wqe->length - off, qp->mtu)) {
		srnic_sq_fail(qp, wqe, IB_WC_BAD_RESP_ERR);
		return;
	}
	to = (struct srnic_sge_pos){ .sge = wqe->sge, .left = wqe->num_sge, .off = off };
	if (pkt->payload_len) {
		status = srnic_sge_place(&qp->mem, cache, &to, pkt->payload, pkt->payload_len);
		if (unlikely(status)) {
			place_failed(qp, wqe, &to, status);
			return;
		}
	}
	completer_answered(qp, wqe);
	srnic_probe_answered(qp);
}

static void atomic_response(struct srnic_qp *qp, const struct srnic_pkt *pkt,
			    struct srnic_mem_cache *cache)
{
	struct srnic_swqe *wqe = answered_wqe(qp, pkt, BIT(SRNIC_CLASS_ATOMIC));
	enum srnic_mem_status status;
	struct srnic_sge_pos to;

	if (!wqe)
		return;
	to = (struct srnic_sge_pos){ .sge = wqe->sge, .left = wqe->num_sge };
	status = srnic_sge_place(&qp->mem, cache, &to, &pkt->orig, sizeof(pkt->orig));
	if (unlikely(status)) {
		place_failed(qp, wqe, &to, status);
		return;
	}
	completer_answered(qp, wqe);
	srnic_probe_answered(qp);
}

static void completer_response(struct srnic_qp *qp, const struct srnic_pkt *pkt,
			       struct srnic_mem_cache *cache)
{
	const u32 flags = pkt->opc->flags;

	if (flags & SRNIC_OPF_ACK)
		completer_ack(qp, pkt);
	else if (flags & SRNIC_OPF_READ)
		read_response(qp, pkt, cache);
	else
		atomic_response(qp, pkt, cache);
}

/* Handle the responses that waited for a missing one, and request the next gap. */
static void catch_up(struct srnic_qp *qp, struct srnic_mem_cache *cache)
{
	struct srnic_reorder *queue = &qp->req.early;
	struct srnic_early *early;
	struct srnic_gap gap;

	while (queue->first && ack_until(qp, queue->first->pkt.psn)) {
		early = srnic_reorder_take(qp, queue);
		if (srnic_psn_diff(early->pkt.psn, qp->req.una) >= 0)
			completer_response(qp, &early->pkt, cache);
		srnic_reorder_free(early);
	}
	gap = srnic_reorder_gap(queue, qp->req.una);
	if (gap.packets)
		implied_nak(qp, gap.packets);
}

/* protocol.md, section 2: an ACK with a gap code has in its MSN field where the gap begins. */
static bool reports_later_gap(const struct srnic_pkt *pkt)
{
	return pkt->gap && (pkt->opc->flags & SRNIC_OPF_ACK) &&
	       (pkt->syndrome & SRNIC_AETH_TYPE) == SRNIC_AETH_ACK;
}

/* The responder cannot have acknowledged more than this ACK does: an older one is forged. */
static void fill_later_gap(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	const struct srnic_gap gap = {
		.psn = pkt->msn,
		.packets = srnic_gap_packets(pkt->gap),
	};

	if (qp->req.tells_gaps && srnic_qp_sends(qp) && srnic_psn_diff(pkt->psn, qp->req.una) >= -1)
		srnic_requester_fill_later(qp, &gap);
}

/**
 * srnic_completer_rx - Handle a response to one of our requests
 * @qp: an RC QP in RTS or SQD
 * @pkt: verified
 * @cache: the region that this burst uses
 *
 * A response to an older request is ignored; one to a request that was never sent is refused.
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_completer_rx(struct srnic_qp *qp, const struct srnic_pkt *pkt,
			struct srnic_mem_cache *cache)
{
	lockdep_assert_held(&qp->lock);

	if (unlikely(reports_later_gap(pkt)))
		fill_later_gap(qp, pkt);
	if (srnic_psn_diff(pkt->psn, qp->req.una) < 0)
		return;
	if (srnic_psn_diff(pkt->psn, qp->req.max_sent) >= 0) {
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_malformed);
		return;
	}
	srnic_ecn_echoed(qp, pkt);
	completer_response(qp, pkt, cache);
	if (unlikely(qp->req.early.first))
		catch_up(qp, cache);
}
