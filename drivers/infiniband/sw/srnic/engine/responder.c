// SPDX-License-Identifier: GPL-2.0
/*
 * The responder: execution of requests in order (IBA 9.7.4 for RC, A14 for XRC, 9.8.2 for UC).
 *
 * The responder checks the position of a packet in the sequence, its length and its access
 * before it touches memory; a check that fails changes nothing. Answers are sent at the end of
 * the burst (reply.c).
 */
#include <linux/slab.h>
#include "export.h"
#include "srnic.h"
#include "engine/due.h"
#include "engine/fault.h"
#include "engine/page_in.h"
#include "engine/proof.h"
#include "engine/recv.h"
#include "engine/reorder.h"
#include "engine/responder.h"
#include "engine/write_back.h"
#include "engine/xrc.h"

/* Result of a request */
enum verdict {
	V_OK,
	V_RNR,		/* no receive work request: try again later */
	V_INVALID,	/* not supported by this QP, or a protocol violation */
	V_ACCESS,	/* R_Key, rights, bounds */
	V_OPERATION,	/* our own receive work request is faulty */
	V_LOST,		/* counts as lost: earlier requests must be answered first */
	V_ABSENT,	/* pages are being faulted in: try again soon */
};

/* IBA table 61: NAKs and events of requests that are refused for good */
static const struct {
	u8 syndrome;
	int event;	/* -1: a completion reports the error */
} refusal[] = {
	[V_INVALID]	= { SRNIC_AETH_NAK | SRNIC_NAK_INVALID_REQ, IB_EVENT_QP_REQ_ERR },
	[V_ACCESS]	= { SRNIC_AETH_NAK | SRNIC_NAK_REM_ACCESS, IB_EVENT_QP_ACCESS_ERR },
	[V_OPERATION]	= { SRNIC_AETH_NAK | SRNIC_NAK_REM_OP, -1 },
};

static enum verdict need_recv(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	int ret = srnic_recv_get(qp, pkt);

	if (likely(ret > 0))
		return V_OK;
	if (!ret)
		return V_RNR;
	srnic_recv_fail(qp, IB_WC_LOC_QP_OP_ERR);
	return V_OPERATION;
}

static void message_done(struct srnic_qp *qp)
{
	qp->resp.msn = srnic_psn_add(qp->resp.msn, 1);
}

/*
 * SEND with Invalidate (IBA C9-50, C9-51). The key is invalidated before its owner is notified;
 * the burst must not hold the region any longer.
 */
static enum verdict rx_invalidate(struct srnic_qp *qp, const struct srnic_pkt *pkt,
				  struct srnic_mem_cache *cache)
{
	srnic_mem_cache_drop(cache);
	if (!srnic_mem_invalidate(&qp->mem, pkt->rkey, SRNIC_INV_BY_PEER))
		return V_OK;
	srnic_qp_count_drop(qp, pkt, SRNIC_STAT_stag_invalid);
	srnic_recv_fail(qp, IB_WC_REM_ACCESS_ERR);
	return V_ACCESS;
}

static enum srnic_mem_status place_payload(struct srnic_qp *qp, const struct srnic_pkt *pkt,
					   struct srnic_mem_cache *cache)
{
	const struct srnic_rwqe *rwqe = &qp->resp.rwqe;
	const struct srnic_sge_pos to = {
		.sge = rwqe->sge,
		.left = rwqe->num_sge,
		.off = rwqe->done,
	};

	return srnic_sge_place(qp->recv_mem, cache, &to, pkt->payload, pkt->payload_len);
}

/* The payload could not be placed. */
static enum verdict recv_refused(struct srnic_qp *qp, const struct srnic_pkt *pkt,
				 enum srnic_mem_status status)
{
	const struct srnic_rwqe *rwqe = &qp->resp.rwqe;
	const struct srnic_sge_pos at = {
		.sge = rwqe->sge,
		.left = rwqe->num_sge,
		.off = rwqe->done,
	};

	if (status == SRNIC_MEM_ABSENT &&
	    srnic_page_in_sges(qp, SRNIC_FLOW_THEIRS, &at, pkt->payload_len,
			       IB_ACCESS_LOCAL_WRITE))
		return V_ABSENT;
	srnic_recv_fail(qp, IB_WC_LOC_PROT_ERR);
	return V_OPERATION;
}

static enum verdict rx_send(struct srnic_qp *qp, const struct srnic_pkt *pkt,
			    struct srnic_mem_cache *cache)
{
	struct srnic_rwqe *rwqe = &qp->resp.rwqe;
	struct srnic_cqe cqe = { .opcode = IB_WC_RECV };
	enum srnic_mem_status status;
	enum verdict verdict;

	if (pkt->opc->flags & SRNIC_OPF_FIRST) {
		verdict = need_recv(qp, pkt);
		if (unlikely(verdict))
			return verdict;
	}
	if (unlikely(pkt->payload_len > rwqe->length - rwqe->done)) {
		/* IBA C9-62; UC drops the message, and its work request serves the next one */
		if (qp->ib.qp_type != IB_QPT_UC)
			srnic_recv_fail(qp, IB_WC_LOC_LEN_ERR);
		return V_INVALID;
	}
	if (pkt->payload_len) {
		status = place_payload(qp, pkt, cache);
		if (unlikely(status))
			return recv_refused(qp, pkt, status);
	}
	rwqe->done += pkt->payload_len;
	if (!(pkt->opc->flags & SRNIC_OPF_LAST))
		return V_OK;

	if (pkt->opc->flags & SRNIC_OPF_IETH) {
		verdict = rx_invalidate(qp, pkt, cache);
		if (unlikely(verdict))
			return verdict;
	}
	cqe.byte_len = rwqe->done;
	srnic_recv_complete(qp, &cqe, pkt);
	message_done(qp);
	return V_OK;
}

/* A request may not access its bytes, or not yet. */
static enum verdict access_refused(struct srnic_qp *qp, const struct srnic_pkt *pkt,
				   const struct srnic_access *access, enum srnic_mem_status status)
{
	if (status == SRNIC_MEM_ABSENT)
		return srnic_page_in(qp, SRNIC_FLOW_THEIRS, access, access->len) ? V_ABSENT :
										   V_ACCESS;
	srnic_qp_count_access(qp, pkt->opcode, pkt->psn, status);
	return V_ACCESS;
}

/* IBA C9-87: check the whole range of the RETH before the first byte is written. */
static enum verdict find_region(struct srnic_qp *qp, const struct srnic_pkt *pkt,
				struct srnic_mem_cache *cache)
{
	const struct srnic_responder *resp = &qp->resp;
	const struct srnic_access access = {
		.key = resp->rkey,
		.rights = IB_ACCESS_REMOTE_WRITE | srnic_proved_access(resp->proved),
		.va = resp->va,
		.len = resp->left,
	};
	enum srnic_mem_status status;

	status = srnic_mem_get_cached(&qp->mem, &access, cache);
	return unlikely(status) ? access_refused(qp, pkt, &access, status) : V_OK;
}

static enum verdict write_begin(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	struct srnic_responder *resp = &qp->resp;

	if (!(qp->attr.qp_access_flags & IB_ACCESS_REMOTE_WRITE) || pkt->dmalen > SRNIC_MAX_MSG)
		return V_INVALID;
	resp->va = pkt->va;
	resp->rkey = pkt->rkey;
	resp->left = pkt->dmalen;
	resp->dmalen = pkt->dmalen;
	resp->proved = pkt->proved;
	return V_OK;
}

static void write_end(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	struct srnic_cqe cqe = {
		.opcode = IB_WC_RECV_RDMA_WITH_IMM,
		.byte_len = qp->resp.dmalen,
	};

	if (pkt->opc->flags & SRNIC_OPF_RWR)
		srnic_recv_complete(qp, &cqe, pkt);
	message_done(qp);
}

static enum verdict rx_write(struct srnic_qp *qp, const struct srnic_pkt *pkt,
			     struct srnic_mem_cache *cache)
{
	struct srnic_responder *resp = &qp->resp;
	const u32 flags = pkt->opc->flags;
	u32 len = pkt->payload_len;
	enum verdict verdict;

	if (flags & SRNIC_OPF_FIRST) {
		verdict = write_begin(qp, pkt);
		if (unlikely(verdict))
			return verdict;
	}
	/* exactly the length in the RETH (IBA C9-60) */
	if (unlikely(flags & SRNIC_OPF_LAST ? len != resp->left : len >= resp->left))
		return V_INVALID;
	if (len) {
		verdict = find_region(qp, pkt, cache);
		if (unlikely(verdict))
			return verdict;
	}
	if (flags & SRNIC_OPF_RWR) {
		verdict = need_recv(qp, pkt);
		if (unlikely(verdict))
			return verdict;
	}
	if (len)
		srnic_mem_place(&cache->ref, resp->va, pkt->payload, len);
	resp->va += len;
	resp->left -= len;
	if (flags & SRNIC_OPF_LAST)
		write_end(qp, pkt);
	return V_OK;
}

static enum verdict rx_read(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	const struct srnic_access access = {
		.key = pkt->rkey,
		/* the reply waits for absent pages */
		.rights = IB_ACCESS_REMOTE_READ | SRNIC_ACCESS_LATER |
			  srnic_proved_access(pkt->proved),
		.va = pkt->va,
		.len = pkt->dmalen,
	};
	u32 packets = srnic_read_packets(qp, pkt->dmalen);
	enum srnic_mem_status status;
	struct srnic_mem_ref ref;
	struct srnic_rres *rres;

	if (!(qp->attr.qp_access_flags & IB_ACCESS_REMOTE_READ) || pkt->dmalen > SRNIC_MAX_MSG)
		return V_INVALID;
	rres = srnic_rres_new(qp, pkt, packets);
	if (!rres)
		return V_INVALID;
	if (pkt->dmalen) {	/* IBA C9-88: an access to zero bytes needs no key */
		status = srnic_mem_get(&qp->mem, &access, &ref);
		if (unlikely(status))
			return access_refused(qp, pkt, &access, status);
		srnic_mem_put(&ref);
	}
	srnic_rres_accept(qp, rres);
	message_done(qp);
	qp->resp.psn = srnic_psn_add(qp->resp.psn, packets - 1);
	return V_OK;
}

/* An access to eight bytes, after it was checked */
struct word_access {
	struct srnic_rres *rres;
	struct srnic_mem_ref ref;
};

/* Check an atomic or an ATOMIC WRITE, whose address must be aligned (IBA C9-93, A19). */
static enum verdict word_get(struct srnic_qp *qp, const struct srnic_pkt *pkt, u32 right,
			     struct word_access *word)
{
	const struct srnic_access access = {
		.key = pkt->rkey,
		.rights = right | srnic_proved_access(pkt->proved),
		.va = pkt->va,
		.len = sizeof(u64),
	};
	enum srnic_mem_status status;

	if (!(qp->attr.qp_access_flags & right) || pkt->va % sizeof(u64))
		return V_INVALID;
	word->rres = srnic_rres_new(qp, pkt, 1);
	if (!word->rres)
		return V_INVALID;
	status = srnic_mem_get(&qp->mem, &access, &word->ref);
	return unlikely(status) ? access_refused(qp, pkt, &access, status) : V_OK;
}

static enum verdict rx_atomic(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	enum verdict verdict;
	struct word_access word;

	verdict = word_get(qp, pkt, IB_ACCESS_REMOTE_ATOMIC, &word);
	if (verdict)
		return verdict;
	if ((pkt->opcode & SRNIC_OPC_MASK) == SRNIC_OPC_CMP_SWAP)
		word.rres->orig = srnic_mem_cmp_swap(&word.ref, pkt->va, pkt->compare,
						     pkt->swap_add);
	else
		word.rres->orig = srnic_mem_fetch_add(&word.ref, pkt->va, pkt->swap_add);
	srnic_mem_put(&word.ref);
	srnic_rres_accept(qp, word.rres);
	message_done(qp);
	return V_OK;
}

static bool flush_allowed(const struct srnic_qp *qp, u32 feth)
{
	return feth & SRNIC_FETH_TYPES && !(feth & ~SRNIC_FETH_BITS) &&
	       !(srnic_flush_rights(feth) & ~qp->attr.qp_access_flags);
}

/*
 * IBA A19. A FLUSH without a placement type would need no right, and is refused. A FLUSH beyond
 * the agreed number does not end the stream: rxe's requester counts READs and atomics only.
 */
static enum verdict rx_flush(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	enum srnic_mem_status status;
	struct srnic_rres *rres;

	if (!flush_allowed(qp, pkt->feth))
		return V_INVALID;
	if (qp->resp.rres_limit && srnic_rres_full(&qp->resp))
		return V_LOST;
	rres = srnic_rres_new(qp, pkt, 1);
	if (!rres)
		return V_INVALID;
	rres->feth = pkt->feth;
	status = srnic_write_back(qp, rres);
	if (unlikely(status == SRNIC_MEM_ABSENT))
		return V_ABSENT;	/* for a moment: it needs no pages */
	if (unlikely(status)) {
		srnic_qp_count_access(qp, pkt->opcode, pkt->psn, status);
		return V_ACCESS;
	}
	if (rres->unfinished) {
		qp->resp.flushing = SRNIC_OPF_FLUSH;
		qp->resp.replay = true;
	}
	srnic_rres_accept(qp, rres);
	message_done(qp);
	return V_OK;
}

/* IBA A19: the right is that of a WRITE. */
static enum verdict rx_atomic_write(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	struct word_access word;
	enum verdict verdict;
	bool written;

	if (pkt->dmalen != sizeof(u64) || pkt->payload_len != sizeof(u64))
		return V_INVALID;
	verdict = word_get(qp, pkt, IB_ACCESS_REMOTE_WRITE, &word);
	if (verdict)
		return verdict;
	written = srnic_mem_atomic_write(&word.ref, pkt->va, pkt->payload);
	srnic_mem_put(&word.ref);
	if (!written)
		return V_INVALID;
	srnic_rres_accept(qp, word.rres);
	message_done(qp);
	return V_OK;
}

/* FIRST and ONLY between messages; MIDDLE and LAST inside one of their kind (IBA 9.7.4.1.2) */
static bool in_sequence(const struct srnic_responder *resp, u32 flags)
{
	if (flags & SRNIC_OPF_FIRST)
		return !resp->message;
	return resp->message & flags;
}

/* IBA C9-92, 9.7.4.1.6 */
static bool length_fits(const struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	const u32 flags = pkt->opc->flags;

	if (flags & SRNIC_OPF_FULL)
		return pkt->payload_len == qp->mtu;
	if (!(flags & SRNIC_OPF_FIRST) && !pkt->payload_len)
		return false;
	return pkt->payload_len <= qp->mtu;
}

static enum verdict responder_execute(struct srnic_qp *qp, const struct srnic_pkt *pkt,
				      struct srnic_mem_cache *cache)
{
	struct srnic_responder *resp = &qp->resp;
	const u32 flags = pkt->opc->flags;
	enum verdict verdict;

	if (unlikely(!in_sequence(resp, flags) || !length_fits(qp, pkt)))
		return resp->flushing ? V_LOST : V_INVALID;
	if (unlikely(flags & SRNIC_OPF_XRCETH) && !srnic_xrc_select(qp, pkt))
		return V_INVALID;

	if (flags & SRNIC_OPF_WRITE)
		verdict = rx_write(qp, pkt, cache);
	else if (flags & SRNIC_OPF_SEND)
		verdict = rx_send(qp, pkt, cache);
	else if (flags & SRNIC_OPF_READ)
		verdict = rx_read(qp, pkt);
	else if (flags & SRNIC_OPF_ATOMIC)
		verdict = rx_atomic(qp, pkt);
	else if (flags & SRNIC_OPF_FLUSH)
		verdict = rx_flush(qp, pkt);
	else
		verdict = rx_atomic_write(qp, pkt);

	if (likely(!verdict)) {
		resp->message = flags & (SRNIC_OPF_SEND | SRNIC_OPF_WRITE);
		if (flags & SRNIC_OPF_LAST)
			resp->message = resp->flushing;
		resp->psn = srnic_psn_add(resp->psn, 1);
	}
	return verdict;
}

static void rc_refuse(struct srnic_qp *qp, u32 psn, enum verdict verdict)
{
	struct srnic_refusal *nak = &qp->resp.nak;

	if (verdict == V_LOST) {
		srnic_count(qp, flush_waits);
		return;
	}
	nak->due = true;
	nak->sent = true;
	nak->gap = 0;
	nak->psn = psn;
	if (verdict == V_RNR) {
		srnic_qp_count_fault(qp, SRNIC_STAT_send_rnr_err);
		nak->syndrome = SRNIC_AETH_RNR | (qp->attr.min_rnr_timer & SRNIC_AETH_VALUE);
		return;
	}
	if (verdict == V_ABSENT) {
		nak->syndrome = SRNIC_AETH_RNR | srnic_page_in_rnr_code(qp);
		return;
	}
	nak->fatal = true;
	nak->syndrome = refusal[verdict].syndrome;
	nak->event = refusal[verdict].event;
}

static void sequence_nak(struct srnic_qp *qp, u32 gap)
{
	struct srnic_refusal *nak = &qp->resp.nak;

	nak->due = true;
	nak->sent = true;
	nak->gap = gap;
	nak->psn = qp->resp.psn;
	nak->syndrome = SRNIC_AETH_NAK | SRNIC_NAK_PSN_SEQ;
}

/*
 * Report a gap behind the first one. If no more can be reported in this turn, the gap is reported
 * when all before it has arrived.
 */
static void report_later_gap(struct srnic_responder *resp, struct srnic_early *early)
{
	struct srnic_gap gap;

	if (resp->later_gaps == SRNIC_LATER_GAPS)
		return;
	gap = srnic_reorder_later_gap(&resp->early, early);
	if (gap.packets)
		resp->later[resp->later_gaps++] = gap;
}

/*
 * IBA 9.7.5.2.4: report a gap once, until the expected packet arrives. After an RNR NAK, the
 * peer sends everything again. Later gaps are reported to a peer that says it understands this.
 */
static void rc_gap(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	struct srnic_responder *resp = &qp->resp;
	struct srnic_early *early;
	u32 missing;

	srnic_count(qp, out_of_seq_request);
	if (resp->nak.sent && (resp->nak.syndrome & SRNIC_AETH_TYPE) == SRNIC_AETH_RNR)
		return;
	early = srnic_reorder_keep(qp, &resp->early, resp->psn, pkt);
	missing = srnic_reorder_gap(&resp->early, resp->psn).packets;
	if (missing || (!resp->nak.sent && !srnic_reorder_filling(&resp->early)))
		sequence_nak(qp, missing);
	else if (early && pkt->gap)
		report_later_gap(resp, early);
}

/* Execute the expected request, or refuse it. Return false if it was refused. */
static bool rc_execute(struct srnic_qp *qp, const struct srnic_pkt *pkt,
		       struct srnic_mem_cache *cache)
{
	struct srnic_responder *resp = &qp->resp;
	enum verdict verdict = responder_execute(qp, pkt, cache);

	if (unlikely(verdict)) {
		rc_refuse(qp, pkt->psn, verdict);
		return false;
	}
	resp->nak.due = false;
	resp->nak.sent = false;
	resp->fresh++;
	if (pkt->ackreq)
		resp->ack_due = true;
	return true;
}

/*
 * A gap has been filled, at least in part: execute the requests behind it, and report the next
 * gap. After a refusal, the peer sends everything again.
 */
static void rc_catch_up(struct srnic_qp *qp, struct srnic_mem_cache *cache)
{
	struct srnic_reorder *queue = &qp->resp.early;
	struct srnic_early *early;
	struct srnic_gap gap;
	s32 diff;

	while (queue->first) {
		diff = srnic_psn_diff(queue->first->pkt.psn, qp->resp.psn);
		if (diff > 0)
			break;
		early = srnic_reorder_take(qp, queue);
		if (!diff && !rc_execute(qp, &early->pkt, cache)) {
			srnic_reorder_drop(qp, queue);
			qp->resp.later_gaps = 0;
		}
		srnic_reorder_free(early);
	}
	gap = srnic_reorder_gap(queue, qp->resp.psn);
	if (gap.packets)
		sequence_nak(qp, gap.packets);
}

static void rc_request(struct srnic_qp *qp, const struct srnic_pkt *pkt,
		       struct srnic_mem_cache *cache)
{
	struct srnic_responder *resp = &qp->resp;
	s32 diff = srnic_psn_diff(pkt->psn, resp->psn);

	if (resp->nak.fatal)
		return;		/* the NAK waits until earlier READs have been answered */
	if (unlikely(diff > 0))
		rc_gap(qp, pkt);
	else if (unlikely(diff < 0))
		srnic_duplicate_rx(qp, pkt);
	else if (likely(rc_execute(qp, pkt, cache)) && unlikely(resp->early.first))
		rc_catch_up(qp, cache);
}

/**
 * srnic_responder_advanced() - Advance the seal to the expected PSN
 * @qp: a connected QP
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_responder_advanced(struct srnic_qp *qp)
{
	if (qp->sth && srnic_sth_advance(qp->sth, SRNIC_FLOW_THEIRS, qp->resp.psn))
		srnic_qp_kick(qp, SRNIC_QP_WORK_REKEY);
}

/*
 * IBA 9.8.2.2: nothing is answered or retransmitted. A gap aborts the message; the next FIRST
 * or ONLY begins another one, at any PSN. Packets of the aborted message count as received: X is
 * beyond all PSNs verified (protocol.md, section 5). On a sealed QP, a PSN below the expected one
 * is dropped, because suites without a counter do not detect replays (section 13).
 */
static void uc_request(struct srnic_qp *qp, const struct srnic_pkt *pkt,
		       struct srnic_mem_cache *cache)
{
	struct srnic_responder *resp = &qp->resp;
	enum verdict verdict;

	if (qp->sth && srnic_psn_diff(pkt->psn, resp->psn) < 0) {
		srnic_qp_count_fault(qp, SRNIC_STAT_duplicate_request);
		return;
	}
	if (pkt->psn != resp->psn) {
		srnic_count(qp, out_of_seq_request);
		resp->message = 0;
	}
	if (pkt->opc->flags & SRNIC_OPF_FIRST)
		resp->message = 0;

	resp->psn = pkt->psn;
	verdict = responder_execute(qp, pkt, cache);
	if (unlikely(verdict)) {
		resp->psn = srnic_psn_add(resp->psn, 1);
		resp->message = 0;
	}
	/* at once: a packet that is older by half the PSNs must not look newer (section 13) */
	srnic_responder_advanced(qp);
	if (verdict == V_OPERATION)
		srnic_qp_fatal(qp, -1);
	else if (verdict == V_ABSENT)
		srnic_count(qp, page_drops);
}

/**
 * srnic_responder_rx() - Handle a request
 * @qp: an RC, UC or XRC QP, in RTR or later
 * @pkt: the request, verified
 * @cache: the region that this burst uses
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_responder_rx(struct srnic_qp *qp, const struct srnic_pkt *pkt,
			struct srnic_mem_cache *cache)
{
	lockdep_assert_held(&qp->lock);

	if (unlikely(!qp->resp.established)) {
		qp->resp.established = true;
		if (qp->state == IB_QPS_RTR)
			srnic_qp_event(qp, IB_EVENT_COMM_EST);
	}
	if (likely(qp->ib.qp_type != IB_QPT_UC))
		rc_request(qp, pkt, cache);
	else
		uc_request(qp, pkt, cache);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_responder_rx);
