/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_BACKPRESSURE_H
#define SRNIC_ENGINE_BACKPRESSURE_H

#include "engine/engine.h"

/* Contents of a burst in qp->out; they determine how it is built again if it is dropped */
enum srnic_out_kind {
	SRNIC_OUT_REQUEST,
	SRNIC_OUT_RESPONSE,
	SRNIC_OUT_ACK,		/* nothing but acknowledgments */
	SRNIC_OUT_FRAME,	/* a handshake frame, which a timer repeats, or a CNP */
	SRNIC_OUT_KINDS
};

/**
 * struct srnic_out_cb - Contents of skb->cb while a burst is in qp->out
 * @kind: contents of the burst
 * @psn: PSN of its first packet
 * @last: PSN of its last response
 * @truesize: bytes that it was charged with; set when it is dropped
 */
struct srnic_out_cb {
	enum srnic_out_kind kind;
	u32 psn;
	u32 last;
	u32 truesize;
};

static inline struct srnic_out_cb *srnic_out_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct srnic_out_cb) > sizeof(skb->cb));
	return (struct srnic_out_cb *)skb->cb;
}

/* backpressure.c */
void srnic_tx_wake(struct srnic_txq *txq);
u32 srnic_tx_allowance(struct srnic_qp *qp) __must_hold(&qp->lock);

/* departure.c */
void srnic_tx_mark(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_tx_departed(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_tx_unmark(struct srnic_qp *qp) __must_hold(&qp->lock);

/* resume.c */
void srnic_tx_resume(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_tx_requeue(struct srnic_qp *qp, const struct srnic_out_cb *dropped,
		      struct sk_buff_head *rest) __must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_BACKPRESSURE_H */
