// SPDX-License-Identifier: GPL-2.0
/*
 * Receipt of frames into the receive queue of a raw packet QP, or into one of those that RSS
 * spreads frames over. Flow rules have chosen the queue (raw/flow.c).
 */
#include "export.h"
#include "srnic.h"
#include "engine/due.h"
#include "engine/frame.h"
#include "engine/recv.h"
#include "engine/unlock.h"
#include "mem/mem.h"

/* Copy a frame, whose bytes may be in pieces, to the buffer of the receive in use. */
static enum srnic_mem_status frame_place(struct srnic_qp *qp, struct sk_buff *skb)
{
	const struct srnic_rwqe *rwqe = &qp->resp.rwqe;
	struct srnic_sge_pos to = { .sge = rwqe->sge, .left = rwqe->num_sge };
	enum srnic_mem_status status = SRNIC_MEM_OK;
	struct srnic_mem_cache cache = { };
	struct skb_seq_state pieces;
	const u8 *piece;
	u32 len;

	skb_prepare_seq_read(skb, 0, skb->len, &pieces);
	while (!status && (len = skb_seq_read(to.off, &piece, &pieces))) {
		status = srnic_sge_place(qp->recv_mem, &cache, &to, piece, len);
		to.off += len;
	}
	if (status)
		skb_abort_seq_read(&pieces);
	srnic_mem_cache_drop(&cache);
	return status;
}

static void frame_complete(struct srnic_qp *qp, u32 len)
{
	const struct srnic_rwqe *rwqe = &qp->resp.rwqe;
	const struct srnic_cqe cqe = {
		.wr_id = rwqe->wr_id,
		.opcode = IB_WC_RECV,
		.status = IB_WC_SUCCESS,
		.byte_len = len,
		.qp_num = qp->ib.qp_num,
	};

	qp->resp.rwqe.valid = false;
	srnic_count(qp, rdma_recvs);
	srnic_qp_push(qp, qp->rcq, &cqe, cqe.status);
}

/*
 * A frame that is too long costs its receive, and the queue goes on: its sender may be anybody on
 * the network, and must not be able to stop the queue.
 */
static void frame_receive(struct srnic_qp *qp, struct sk_buff *skb)
{
	int ret = srnic_recv_get(qp, NULL);

	if (!ret) {
		srnic_count(qp, raw_no_recv);
	} else if (ret < 0) {
		srnic_recv_fail(qp, IB_WC_LOC_QP_OP_ERR);
		srnic_qp_fatal(qp, -1);
	} else if (skb->len > qp->resp.rwqe.length) {
		srnic_count(qp, raw_too_long);
		srnic_recv_fail(qp, IB_WC_LOC_LEN_ERR);
	} else if (frame_place(qp, skb)) {
		srnic_recv_fail(qp, IB_WC_LOC_PROT_ERR);
		srnic_qp_fatal(qp, -1);
	} else {
		frame_complete(qp, skb->len);
	}
}

/**
 * srnic_frames_receive() - Receive frames
 * @qp: a raw packet QP, or the QP of a receive queue
 * @frames: list by @next; not changed
 *
 * Context: softirq, or BHs off, under RCU.
 */
void srnic_frames_receive(struct srnic_qp *qp, struct sk_buff *frames)
{
	struct sk_buff *skb;

	srnic_qp_lock(qp);
	for (skb = frames; skb && srnic_qp_receives(qp); skb = skb->next)
		frame_receive(qp, skb);
	srnic_qp_unlock(qp);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_frames_receive);

/**
 * srnic_frame_queue_ready() - Let a receive queue take frames
 * @qp: the QP of a receive queue, in RESET
 *
 * Context: process.
 */
void srnic_frame_queue_ready(struct srnic_qp *qp)
{
	spin_lock_bh(&qp->lock);
	qp->state = IB_QPS_RTR;
	spin_unlock_bh(&qp->lock);
}

/**
 * srnic_frame_queue_flush() - Flush what has been posted to a receive queue in ERR
 * @qp: the QP of a receive queue
 *
 * Context: process.
 */
void srnic_frame_queue_flush(struct srnic_qp *qp)
{
	srnic_qp_kick(qp, SRNIC_QP_WORK_FLUSH);
}
