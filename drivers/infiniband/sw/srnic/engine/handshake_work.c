// SPDX-License-Identifier: GPL-2.0
/*
 * The worker's part of the freshness handshake: received frames are handled and due ones are
 * sent here, because keys are set in process context. sth interprets the frames.
 */
#include "srnic.h"
#include "engine/build.h"
#include "engine/fault.h"
#include "engine/handshake.h"
#include "engine/requester.h"
#include "engine/timer.h"
#include "engine/unlock.h"

static void hs_send_frame(struct srnic_qp *qp, const u8 *frame, unsigned int len)
{
	srnic_qp_lock(qp);
	if (srnic_qp_receives(qp) && srnic_build_frame(qp, frame, len))
		srnic_count(qp, send_err);
	srnic_qp_unlock(qp);
}

/* Send the frame that is due on our flow; the timer repeats it. */
static void hs_send_next(struct srnic_qp *qp)
{
	u8 frame[SRNIC_HS_FRAME_LEN];
	int len;

	len = srnic_sth_hs_next(qp->sth, frame);
	if (len <= 0)
		return;
	hs_send_frame(qp, frame, len);

	srnic_qp_lock(qp);
	if (qp->req.wait_keys && srnic_qp_sends(qp))
		srnic_timer_handshake(qp);
	srnic_qp_unlock(qp);
}

static void hs_keys_ready(struct srnic_qp *qp)
{
	srnic_qp_lock(qp);
	qp->req.wait_keys = false;
	qp->req.hs_due = false;
	srnic_requester_run(qp);
	srnic_qp_unlock(qp);
}

static void hs_count_drop(struct srnic_qp *qp)
{
	srnic_qp_lock(qp);
	srnic_count_drop_unparsed(qp->dev, qp->path.ends.dgid, SRNIC_STAT_sth_auth_failed);
	srnic_qp_inc_faults(qp, SRNIC_STAT_sth_auth_failed);
	srnic_qp_unlock(qp);
}

static void hs_handle_frame(struct srnic_qp *qp, const u8 *frame, unsigned int len)
{
	u8 reply[SRNIC_HS_FRAME_LEN];
	unsigned int reply_len = 0;
	int ret;

	ret = srnic_sth_hs_rx(qp->sth, frame, len, reply, &reply_len);
	if (ret < 0) {
		if (ret == -EBADMSG)
			hs_count_drop(qp);
		return;
	}
	if (ret & SRNIC_HS_REPLY)
		hs_send_frame(qp, reply, reply_len);
	if (ret & SRNIC_HS_NEXT)
		hs_send_next(qp);
	if (ret & (SRNIC_HS_READY | SRNIC_HS_THEIRS))
		srnic_count(qp->dev, sth_handshakes);
	if (ret & SRNIC_HS_READY)
		hs_keys_ready(qp);
}

/* Handle a received frame after the QP's lock has been released. */
static void hs_handle_box(struct srnic_qp *qp, struct srnic_hs_box *box)
{
	u8 frame[SRNIC_HS_FRAME_LEN];
	unsigned int len = 0;

	spin_lock_bh(&qp->lock);
	if (box->full) {
		len = box->len;
		memcpy(frame, box->frame, len);
		box->full = false;
	}
	spin_unlock_bh(&qp->lock);
	if (len)
		hs_handle_frame(qp, frame, len);
}

static bool hs_take_due(struct srnic_qp *qp)
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
		hs_handle_box(qp, &qp->hs_box[flow]);
	if (hs_take_due(qp))
		hs_send_next(qp);
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
	srnic_qp_unlock(qp);
}
