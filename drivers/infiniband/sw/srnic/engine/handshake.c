// SPDX-License-Identifier: GPL-2.0
/*
 * Transport of the freshness handshake (protocol.md, section 7): the times of frames, and received
 * frames that wait for the worker, which handles and sends frames (handshake_work.c). One received
 * frame of each flow waits at a time; the peer repeats the others.
 */
#include "srnic.h"
#include "engine/due.h"
#include "engine/fault.h"
#include "engine/handshake.h"
#include "engine/wqe.h"

/**
 * srnic_hs_begin() - Begin the handshake of our flow
 * @qp: a sealed QP, in RTS or entering it
 *
 * The first frame is sent at once: if it were sent with the first request, that request would
 * have to wait for two round trips.
 *
 * Context: any up to softirq, under the QP's lock.
 */
void srnic_hs_begin(struct srnic_qp *qp)
{
	struct srnic_requester *req = &qp->req;

	lockdep_assert_held(&qp->lock);

	req->wait_keys = true;
	req->hs_left = qp->attr.retry_cnt + 1;
	req->hs_due = true;
	req->hs_backoff = 1;
	srnic_qp_kick(qp, SRNIC_QP_WORK_HS);
}

/**
 * srnic_hs_resume() - Resume the handshake when there is a work request to send
 * @qp: a QP whose flow has no keys
 *
 * A handshake that was given up while no work request waited for it begins again.
 *
 * Context: any up to softirq, under the QP's lock.
 */
void srnic_hs_resume(struct srnic_qp *qp)
{
	if (!qp->req.hs_left && srnic_sq_peek(qp))
		srnic_hs_begin(qp);
}

/**
 * srnic_hs_timeout() - Repeat our handshake frame, or give up
 * @qp: the QP
 *
 * The ends are seldom ready at the same time, so the first frame of one end often does not
 * reach the other. The frame is therefore repeated soon, and then at increasing intervals, up
 * to the QP's own interval. When the QP's retries are exhausted, the send queue fails as if a
 * request had never been acknowledged, but only if it has a work request to send.
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_hs_timeout(struct srnic_qp *qp)
{
	struct srnic_requester *req = &qp->req;

	lockdep_assert_held(&qp->lock);

	if (req->hs_backoff < req->interval)
		req->hs_backoff *= 2;
	else if (req->hs_left && qp->attr.timeout)
		req->hs_left--;
	if (req->hs_left) {
		req->hs_due = true;
		srnic_qp_kick(qp, SRNIC_QP_WORK_HS);
		return;
	}
	if (!srnic_sq_peek(qp))
		return;
	srnic_count(qp, retry_exceeded_err);
	srnic_sq_fail(qp, srnic_sq_wqe(&qp->sq, qp->sq.cons), IB_WC_RETRY_EXC_ERR);
}

/* Answers belong to our flow, other frames to the peer's flow. */
static struct srnic_hs_box *hs_box_for(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	bool answer = pkt->opcode == SRNIC_OPC_HELLO_ACK || pkt->opcode == SRNIC_OPC_CONFIRM_ACK;

	return &qp->hs_box[answer ? SRNIC_FLOW_OURS : SRNIC_FLOW_THEIRS];
}

/**
 * srnic_hs_receive() - Store a received handshake frame for the worker
 * @qp: a sealed QP
 * @pkt: the frame; its ICRC is correct, its tag has not been verified
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_hs_receive(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	struct srnic_hs_box *box = hs_box_for(qp, pkt);
	u32 len = pkt->hdr_len + pkt->sth_len;
	int err;

	lockdep_assert_held(&qp->lock);

	err = srnic_sth_hs_check(qp->sth, pkt->hdr, len);
	if (err == -EBADMSG)
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_sth_auth_failed);
	if (err == -EPROTONOSUPPORT)
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_sth_version);
	if (err)
		return;
	if (box->full || len > sizeof(box->frame)) {
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_sth_crowded);
		return;
	}
	memcpy(box->frame, pkt->hdr, len);
	box->len = len;
	box->full = true;
	srnic_qp_kick(qp, SRNIC_QP_WORK_HS);
}
