// SPDX-License-Identifier: GPL-2.0
/*
 * The responder: execution of requests in order (IBA 9.7.4 for RC, 9.8.2 for UC).
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
#include "engine/proof.h"
#include "engine/recv.h"
#include "engine/reorder.h"
#include "engine/responder.h"

/* Result of a request */
enum verdict {
	V_OK,
	V_RNR,		/* no receive work request: try again later */
	V_INVALID,	/* not supported by this QP, or a protocol violation */
	V_ACCESS,	/* R_Key, rights, bounds */
	V_OPERATION,	/* our own receive work request is faulty */
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
				  struct srnic_hold *hold)
{
	srnic_hold_drop(hold);
	if (!srnic_mem_invalidate(&qp->mem, pkt->rkey, SRNIC_INV_BY_PEER))
		return V_OK;
	srnic_qp_refuse(qp, pkt, stag_invalid);
	srnic_recv_fail(qp, IB_WC_REM_ACCESS_ERR);
	return V_ACCESS;
}

static enum srnic_mem_status place_payload(struct srnic_qp *qp, const struct srnic_pkt *pkt,
					   struct srnic_hold *hold)
{
	const struct srnic_rwqe *rwqe = &qp->resp.rwqe;
	const struct srnic_sge_pos to = {
		.sge = rwqe->sge,
		.left = rwqe->num_sge,
		.off = rwqe->done,
	};

	return srnic_sge_place(&qp->mem, hold, &to, pkt->payload, pkt->payload_len);
}

static enum verdict rx_send(struct srnic_qp *qp, const struct srnic_pkt *pkt,
			    struct srnic_hold *hold)
{
	struct srnic_rwqe *rwqe = &qp->resp.rwqe;
	struct srnic_cqe cqe = { .opcode = IB_WC_RECV };
	enum verdict verdict;

	if (pkt->opc->flags & SRNIC_OPF_FIRST) {
		verdict = need_recv(qp, pkt);
		if (unlikely(verdict))
			return verdict;
	}
	if (unlikely(pkt->payload_len > rwqe->length - rwqe->done)) {
		/* IBA C9-62; UC drops the message, and its work request serves the next one */
		if (qp->ib.qp_type == IB_QPT_RC)
			srnic_recv_fail(qp, IB_WC_LOC_LEN_ERR);
		return V_INVALID;
	}
	if (pkt->payload_len && place_payload(qp, pkt, hold)) {
		srnic_recv_fail(qp, IB_WC_LOC_PROT_ERR);
		return V_OPERATION;
	}
	rwqe->done += pkt->payload_len;
	if (!(pkt->opc->flags & SRNIC_OPF_LAST))
		return V_OK;

	if (pkt->opc->flags & SRNIC_OPF_IETH) {
		verdict = rx_invalidate(qp, pkt, hold);
		if (unlikely(verdict))
			return verdict;
	}
	cqe.byte_len = rwqe->done;
	srnic_recv_complete(qp, &cqe, pkt);
	message_done(qp);
	return V_OK;
}

/* IBA C9-87: check the whole range of the RETH before the first byte is written. */
static enum verdict hold_region(struct srnic_qp *qp, const struct srnic_pkt *pkt,
				struct srnic_hold *hold)
{
	const struct srnic_responder *resp = &qp->resp;
	const struct srnic_access access = {
		.key = resp->rkey,
		.rights = IB_ACCESS_REMOTE_WRITE | srnic_proved(resp->proved),
		.va = resp->va,
		.len = resp->left,
	};
	enum srnic_mem_status status;

	status = srnic_mem_hold(&qp->mem, &access, hold);
	if (unlikely(status)) {
		srnic_refuse_access(qp, pkt->opcode, pkt->psn, status);
		return V_ACCESS;
	}
	return V_OK;
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
			     struct srnic_hold *hold)
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
		verdict = hold_region(qp, pkt, hold);
		if (unlikely(verdict))
			return verdict;
	}
	if (flags & SRNIC_OPF_RWR) {
		verdict = need_recv(qp, pkt);
		if (unlikely(verdict))
			return verdict;
	}
	if (len)
		srnic_mem_place(&hold->ref, resp->va, pkt->payload, len);
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
		.rights = IB_ACCESS_REMOTE_READ | srnic_proved(pkt->proved),
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
		if (unlikely(status)) {
			srnic_refuse_access(qp, pkt->opcode, pkt->psn, status);
			return V_ACCESS;
		}
		srnic_mem_put(&ref);
	}
	srnic_rres_accept(qp, rres);
	message_done(qp);
	qp->resp.psn = srnic_psn_add(qp->resp.psn, packets - 1);
	return V_OK;
}

static enum verdict rx_atomic(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	const struct srnic_access access = {
		.key = pkt->rkey,
		.rights = IB_ACCESS_REMOTE_ATOMIC | srnic_proved(pkt->proved),
		.va = pkt->va,
		.len = sizeof(u64),
	};
	enum srnic_mem_status status;
	struct srnic_mem_ref ref;
	struct srnic_rres *rres;

	/* IBA C9-93: the address must be aligned */
	if (!(qp->attr.qp_access_flags & IB_ACCESS_REMOTE_ATOMIC) || pkt->va % sizeof(u64))
		return V_INVALID;
	rres = srnic_rres_new(qp, pkt, 1);
	if (!rres)
		return V_INVALID;
	status = srnic_mem_get(&qp->mem, &access, &ref);
	if (unlikely(status)) {
		srnic_refuse_access(qp, pkt->opcode, pkt->psn, status);
		return V_ACCESS;
	}
	if (pkt->opcode == SRNIC_OPC_CMP_SWAP)
		rres->orig = srnic_mem_cmp_swap(&ref, pkt->va, pkt->compare, pkt->swap_add);
	else
		rres->orig = srnic_mem_fetch_add(&ref, pkt->va, pkt->swap_add);
	srnic_mem_put(&ref);
	srnic_rres_accept(qp, rres);
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
				      struct srnic_hold *hold)
{
	struct srnic_responder *resp = &qp->resp;
	const u32 flags = pkt->opc->flags;
	enum verdict verdict;

	if (unlikely(!in_sequence(resp, flags) || !length_fits(qp, pkt)))
		return V_INVALID;

	if (flags & SRNIC_OPF_WRITE)
		verdict = rx_write(qp, pkt, hold);
	else if (flags & SRNIC_OPF_SEND)
		verdict = rx_send(qp, pkt, hold);
	else if (flags & SRNIC_OPF_READ)
		verdict = rx_read(qp, pkt);
	else
		verdict = rx_atomic(qp, pkt);

	if (likely(!verdict)) {
		resp->message = flags & (SRNIC_OPF_SEND | SRNIC_OPF_WRITE);
		if (flags & SRNIC_OPF_LAST)
			resp->message = 0;
		resp->psn = srnic_psn_add(resp->psn, 1);
	}
	return verdict;
}

static void rc_refuse(struct srnic_qp *qp, u32 psn, enum verdict verdict)
{
	struct srnic_refusal *nak = &qp->resp.nak;

	nak->due = true;
	nak->sent = true;
	nak->gap = 0;
	nak->psn = psn;
	if (verdict == V_RNR) {
		srnic_qp_strain(qp, send_rnr_err);
		nak->syndrome = SRNIC_AETH_RNR | (qp->attr.min_rnr_timer & SRNIC_AETH_VALUE);
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
 * IBA 9.7.5.2.4: report a gap once, until the expected packet arrives. After an RNR NAK, the
 * peer sends everything again.
 */
static void rc_gap(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	struct srnic_responder *resp = &qp->resp;
	u32 gap;

	srnic_count(qp->dev, out_of_seq_request);
	if (resp->nak.sent && (resp->nak.syndrome & SRNIC_AETH_TYPE) == SRNIC_AETH_RNR)
		return;
	gap = srnic_reorder_keep(qp, &resp->early, resp->psn, pkt);
	if (gap || (!resp->nak.sent && !resp->early.filling))
		sequence_nak(qp, gap);
}

/* Execute the expected request, or refuse it. Return false if it was refused. */
static bool rc_execute(struct srnic_qp *qp, const struct srnic_pkt *pkt, struct srnic_hold *hold)
{
	struct srnic_responder *resp = &qp->resp;
	enum verdict verdict = responder_execute(qp, pkt, hold);

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
static void rc_catch_up(struct srnic_qp *qp, struct srnic_hold *hold)
{
	struct srnic_reorder *queue = &qp->resp.early;
	struct srnic_early *early;
	u32 gap;
	s32 diff;

	while (queue->first) {
		diff = srnic_psn_diff(queue->first->pkt.psn, qp->resp.psn);
		if (diff > 0)
			break;
		early = srnic_reorder_take(qp, queue);
		if (!diff && !rc_execute(qp, &early->pkt, hold))
			srnic_reorder_drop(qp, queue);
		kfree(early);
	}
	gap = srnic_reorder_gap(queue, qp->resp.psn);
	if (gap)
		sequence_nak(qp, gap);
}

static void rc_request(struct srnic_qp *qp, const struct srnic_pkt *pkt, struct srnic_hold *hold)
{
	struct srnic_responder *resp = &qp->resp;
	s32 diff = srnic_psn_diff(pkt->psn, resp->psn);

	if (resp->nak.fatal)
		return;		/* the NAK waits until earlier READs have been answered */
	if (unlikely(diff > 0))
		rc_gap(qp, pkt);
	else if (unlikely(diff < 0))
		srnic_duplicate_rx(qp, pkt);
	else if (likely(rc_execute(qp, pkt, hold)) && unlikely(resp->early.first))
		rc_catch_up(qp, hold);
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
 * or ONLY begins another one, at any PSN. On a sealed QP, a PSN below the expected one is
 * dropped, because suites without a counter do not detect replays (protocol.md, section 13).
 */
static void uc_request(struct srnic_qp *qp, const struct srnic_pkt *pkt, struct srnic_hold *hold)
{
	struct srnic_responder *resp = &qp->resp;
	enum verdict verdict;

	if (qp->sth && srnic_psn_diff(pkt->psn, resp->psn) < 0) {
		srnic_qp_strain(qp, duplicate_request);
		return;
	}
	if (pkt->psn != resp->psn) {
		srnic_count(qp->dev, out_of_seq_request);
		resp->message = 0;
	}
	if (pkt->opc->flags & SRNIC_OPF_FIRST)
		resp->message = 0;
	else if (!resp->message)
		return;

	resp->psn = pkt->psn;
	verdict = responder_execute(qp, pkt, hold);
	if (unlikely(verdict)) {
		resp->psn = srnic_psn_add(resp->psn, 1);
		resp->message = 0;
	}
	/* at once: a packet that is older by half the PSNs must not look newer (section 13) */
	srnic_responder_advanced(qp);
	if (verdict == V_OPERATION)
		srnic_qp_fatal(qp, -1);
}

/**
 * srnic_responder_rx() - Handle a request
 * @qp: an RC or UC QP, in RTR or later
 * @pkt: the request, verified
 * @hold: region held for this burst
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_responder_rx(struct srnic_qp *qp, const struct srnic_pkt *pkt, struct srnic_hold *hold)
{
	lockdep_assert_held(&qp->lock);

	if (unlikely(!qp->resp.established)) {
		qp->resp.established = true;
		if (qp->state == IB_QPS_RTR)
			srnic_qp_event(qp, IB_EVENT_COMM_EST);
	}
	if (qp->ib.qp_type == IB_QPT_RC)
		rc_request(qp, pkt, hold);
	else
		uc_request(qp, pkt, hold);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_responder_rx);
