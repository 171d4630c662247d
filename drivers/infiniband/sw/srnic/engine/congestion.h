/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_CONGESTION_H
#define SRNIC_ENGINE_CONGESTION_H

#include "engine/engine.h"

#define SRNIC_WINDOW_MIN	2

/* RNR NAKs in a row after which the receiver is asked less often, with the least window */
#define SRNIC_RNR_FAST_NAKS	64

/* How a loss is noticed */
enum srnic_loss {
	SRNIC_LOSS_REPORTED,	/* by an answer of the peer */
	SRNIC_LOSS_TIMEOUT,	/* by a timer: no answer has come */
};

/* Return the least RTT of the last 10 to 20 seconds, ns; U32_MAX: none is known. */
static inline u32 srnic_cc_min_rtt(const struct srnic_congestion *cc)
{
	return min(cc->min_rtt, cc->prev_min_rtt);
}

u64 srnic_cc_now(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_cc_start(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_cc_stamp(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_cc_forget(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_cc_acked(struct srnic_qp *qp, u32 psn) __must_hold(&qp->lock);
void srnic_cc_lost(struct srnic_qp *qp, u32 psn, enum srnic_loss loss) __must_hold(&qp->lock);
bool srnic_cc_take_credit(struct srnic_qp *qp, u32 packets) __must_hold(&qp->lock);
void srnic_cc_not_ready(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_cc_marked(struct srnic_qp *qp) __must_hold(&qp->lock);
u32 srnic_cc_window(const struct srnic_qp *qp) __must_hold(&qp->lock);
u64 srnic_cc_overdue(const struct srnic_qp *qp) __must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_CONGESTION_H */
