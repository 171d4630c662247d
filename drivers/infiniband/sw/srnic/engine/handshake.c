// SPDX-License-Identifier: GPL-2.0
/*
 * Transport of the freshness handshake (protocol.md, section 7): this file sends and receives
 * the frames, and sth interprets them. The worker handles them, because keys are set in process
 * context. One received frame of each flow waits for the worker at a time; the peer repeats the
 * others.
 */
#include "srnic.h"
#include "engine/build.h"
#include "engine/due.h"
#include "engine/fault.h"
#include "engine/requester.h"
#include "engine/state.h"
#include "engine/timer.h"
#include "engine/unlock.h"

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
	req->hs_pace = 1;
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

	if (req->hs_pace < req->interval)
		req->hs_pace *= 2;
	else if (req->hs_left && qp->attr.timeout)
		req->hs_left--;
	if (req->hs_left) {
		req->hs_due = true;
		srnic_qp_kick(qp, SRNIC_QP_WORK_HS);
		return;
	}
	if (!srnic_sq_peek(qp))
		return;
	srnic_count(qp->dev, retry_exceeded_err);
	srnic_sq_fail(qp, srnic_sq_wqe(&qp->sq, qp->sq.cons), IB_WC_RETRY_EXC_ERR);
}

/* Answers belong to our flow, other frames to the peer's flow. */
static struct srnic_hs_box *box_for(struct srnic_qp *qp, const struct srnic_pkt *pkt)
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
	struct srnic_hs_box *box = box_for(qp, pkt);
	u32 len = pkt->hdr_len + pkt->sth_len;

	lockdep_assert_held(&qp->lock);

	if (box->full || len > sizeof(box->frame)) {
		srnic_qp_refuse(qp, pkt, sth_crowded);
		return;
	}
	memcpy(box->frame, pkt->hdr, len);
	box->len = len;
	box->full = true;
	srnic_qp_kick(qp, SRNIC_QP_WORK_HS);
}

static void send_frame(struct srnic_qp *qp, const u8 *frame, unsigned int len)
{
	srnic_qp_lock(qp);
	if (srnic_qp_receives(qp) && srnic_build_frame(qp, frame, len))
		srnic_count(qp->dev, send_err);
	srnic_qp_unlock(qp, true);
}

/* Send the frame that is due on our flow; the timer repeats it. */
static void send_next(struct srnic_qp *qp)
{
	u8 frame[SRNIC_HS_FRAME_MAX];
	int len;

	len = srnic_sth_hs_next(qp->sth, frame);
	if (len <= 0)
		return;
	send_frame(qp, frame, len);

	srnic_qp_lock(qp);
	if (qp->req.wait_keys && srnic_qp_sends(qp))
		srnic_timer_handshake(qp);
	srnic_qp_unlock(qp, true);
}

static void keys_ready(struct srnic_qp *qp)
{
	srnic_qp_lock(qp);
	qp->req.wait_keys = false;
	qp->req.hs_due = false;
	srnic_requester_run(qp);
	srnic_qp_unlock(qp, true);
}

static void refuse_frame(struct srnic_qp *qp)
{
	srnic_qp_lock(qp);
	srnic_refuse_unread(qp->dev, qp->path.ends.dgid, sth_auth_failed);
	srnic_qp_fault(qp, SRNIC_STAT_sth_auth_failed);
	srnic_qp_unlock(qp, true);
}

static void handle_frame(struct srnic_qp *qp, const u8 *frame, unsigned int len)
{
	u8 reply[SRNIC_HS_FRAME_MAX];
	unsigned int reply_len = 0;
	int ret;

	ret = srnic_sth_hs_rx(qp->sth, frame, len, reply, &reply_len);
	if (ret < 0) {
		if (ret == -EBADMSG)
			refuse_frame(qp);
		return;
	}
	if (ret & SRNIC_HS_REPLY)
		send_frame(qp, reply, reply_len);
	if (ret & SRNIC_HS_NEXT)
		send_next(qp);
	if (ret & (SRNIC_HS_READY | SRNIC_HS_THEIRS))
		srnic_count(qp->dev, sth_handshakes);
	if (ret & SRNIC_HS_READY)
		keys_ready(qp);
}

/* Handle a received frame after the QP's lock has been released. */
static void handle_box(struct srnic_qp *qp, struct srnic_hs_box *box)
{
	u8 frame[SRNIC_HS_FRAME_MAX];
	unsigned int len = 0;

	spin_lock_bh(&qp->lock);
	if (box->full) {
		len = box->len;
		memcpy(frame, box->frame, len);
		box->full = false;
	}
	spin_unlock_bh(&qp->lock);
	if (len)
		handle_frame(qp, frame, len);
}

static bool take_due(struct srnic_qp *qp)
{
	bool due;

	spin_lock_bh(&qp->lock);
	due = qp->req.hs_due;
	qp->req.hs_due = false;
	spin_unlock_bh(&qp->lock);
	return due;
}

/**
 * srnic_hs_work() - Handle received handshake frames, and send a frame that is due
 * @qp: the QP
 *
 * Context: process, in the worker of the QP.
 */
void srnic_hs_work(struct srnic_qp *qp)
{
	enum srnic_sth_flow flow;

	mutex_lock(&qp->hs_mutex);
	if (!qp->sth)
		goto out;
	for (flow = 0; flow < SRNIC_FLOWS; flow++)
		handle_box(qp, &qp->hs_box[flow]);
	if (take_due(qp))
		send_next(qp);
out:
	mutex_unlock(&qp->hs_mutex);
}

/**
 * srnic_hs_rekey() - Derive keys in advance of the epoch that uses them
 * @qp: the QP
 *
 * Context: process, in the worker of the QP.
 */
void srnic_hs_rekey(struct srnic_qp *qp)
{
	mutex_lock(&qp->hs_mutex);
	if (qp->sth)
		srnic_sth_rekey(qp->sth);
	mutex_unlock(&qp->hs_mutex);

	srnic_qp_lock(qp);
	if (qp->req.stalled)
		srnic_requester_run(qp);
	srnic_qp_unlock(qp, true);
}
