// SPDX-License-Identifier: GPL-2.0
/*
 * Sending of frames (raw packet QPs). A work request is one frame: its bytes are those of the
 * packet, from the destination address on. It completes when the frame has left (departure.c), as
 * a datagram does.
 */
#include "srnic.h"
#include "engine/backpressure.h"
#include "engine/frame.h"
#include "engine/request.h"
#include "engine/wqe.h"
#include "mem/mem.h"
#include "net/frame.h"

/* Copy the frame once; only the copy is checked later (R1). */
static enum srnic_mem_status frame_gather(struct srnic_build *build, const struct srnic_swqe *wqe,
					  u8 *dst)
{
	const struct srnic_sge_pos from = { .sge = wqe->sge, .left = wqe->num_sge };

	if (wqe->flags & SRNIC_SWQE_INLINE) {
		memcpy(dst, wqe->inline_data, wqe->length);
		return SRNIC_MEM_OK;
	}
	return srnic_sge_gather(&build->qp->mem, &build->cache, &from, dst, wqe->length);
}

/* Append a frame to the packets for the stack. */
static void frame_queue(struct srnic_build *build, struct sk_buff *skb)
{
	struct srnic_qp *qp = build->qp;

	*srnic_out_cb(skb) = (struct srnic_out_cb) {
		.kind = SRNIC_OUT_REQUEST,
		.psn = qp->req.psn,
	};
	srnic_txq_charge(&qp->txq, skb);
	__skb_queue_tail(&qp->out, skb);
	build->packets++;
	build->bursts++;
	build->bytes += skb->len;
}

/* Return the status of the work request; a frame for which there is no memory is lost. */
static enum ib_wc_status frame_build(struct srnic_build *build, const struct srnic_swqe *wqe)
{
	struct net_device *ndev = build->qp->dev->ndev;
	struct sk_buff *skb;

	if (wqe->length < ETH_HLEN || wqe->length > READ_ONCE(ndev->mtu) + VLAN_ETH_HLEN)
		return IB_WC_LOC_LEN_ERR;
	skb = srnic_frame_alloc(ndev, wqe->length);
	if (!skb) {
		srnic_count(build->qp, send_err);
		return IB_WC_SUCCESS;
	}
	if (frame_gather(build, wqe, skb->data)) {
		kfree_skb(skb);
		return IB_WC_LOC_PROT_ERR;
	}
	if (!srnic_frame_fits(ndev, skb->data, skb->len)) {
		kfree_skb(skb);
		return IB_WC_LOC_LEN_ERR;
	}
	frame_queue(build, skb);
	return IB_WC_SUCCESS;
}

/**
 * srnic_frame_send() - Send the frame of a work request
 * @build: the turn of a raw packet QP
 * @wqe: a work request that srnic_requester_start() has started
 *
 * Context: any up to softirq, under the QP's lock.
 * Return: 1, or -EINVAL: the work request has failed.
 */
int srnic_frame_send(struct srnic_build *build, struct srnic_swqe *wqe)
{
	struct srnic_qp *qp = build->qp;
	enum ib_wc_status status;

	lockdep_assert_held(&qp->lock);

	status = frame_build(build, wqe);
	if (status) {
		srnic_sq_fail(qp, wqe, status);
		return -EINVAL;
	}
	qp->req.psn = srnic_psn_add(qp->req.psn, 1);
	qp->req.max_sent = qp->req.psn;
	qp->sq.next++;
	return 1;
}
