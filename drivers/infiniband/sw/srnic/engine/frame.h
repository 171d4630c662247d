/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames of raw packet QPs, and of the receive queues that RSS spreads them over. No packet of
 * RoCE is involved.
 */
#ifndef SRNIC_ENGINE_FRAME_H
#define SRNIC_ENGINE_FRAME_H

#include "engine/engine.h"

struct srnic_build;

static inline bool srnic_qp_is_raw(const struct srnic_qp *qp)
{
	return qp->ib.qp_type == IB_QPT_RAW_PACKET;
}

/**
 * struct srnic_wq - A receive queue of its own (IBV_WQT_RQ)
 * @ib: core part
 * @qp: a raw packet QP that nobody else sees: without a send queue, with @ib's number; in RTR
 *	while the queue is ready
 */
struct srnic_wq {
	struct ib_wq ib;
	struct srnic_qp qp;
};

static inline struct srnic_wq *to_srnic_wq(struct ib_wq *ib)
{
	return container_of(ib, struct srnic_wq, ib);
}

/* frame.c */
int srnic_frame_send(struct srnic_build *build, struct srnic_swqe *wqe);

/* frame_rx.c: softirq, or BHs off */
void srnic_frames_receive(struct srnic_qp *qp, struct sk_buff *frames);
/* process context */
void srnic_frame_queue_ready(struct srnic_qp *qp);
void srnic_frame_queue_flush(struct srnic_qp *qp);

#endif /* SRNIC_ENGINE_FRAME_H */
