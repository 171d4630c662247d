/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_REQUESTER_H
#define SRNIC_ENGINE_REQUESTER_H

#include "engine/build.h"
#include "engine/congestion.h"
#include "engine/engine.h"
#include "engine/wqe.h"

/*
 * READs of more packets than that are requested in pieces, at fixed offsets from the work
 * request's first PSN, so that our window paces the responses of any responder. The responder
 * takes each piece for a READ.
 */
#define SRNIC_READ_PIECE	64

/* requester.c */
void srnic_requester_run(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_requester_answered(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_requester_go_back(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_requester_rewind(struct srnic_qp *qp, u32 psn) __must_hold(&qp->lock);
void srnic_requester_note_loss(struct srnic_qp *qp, enum srnic_loss loss)
	__must_hold(&qp->lock);
void srnic_requester_lost(struct srnic_qp *qp, enum srnic_loss loss) __must_hold(&qp->lock);
void srnic_requester_count_repeated(struct srnic_qp *qp, u32 packets) __must_hold(&qp->lock);
struct srnic_swqe *srnic_requester_find(struct srnic_qp *qp, u32 psn, u32 *at)
	__must_hold(&qp->lock);
bool srnic_requester_busy(const struct srnic_qp *qp);

/* start.c */
int srnic_requester_start(struct srnic_build *build, struct srnic_swqe *wqe)
	__must_hold(&build->qp->lock);

/* resend.c */
bool srnic_requester_probe(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_requester_fill(struct srnic_qp *qp, u32 count) __must_hold(&qp->lock);
void srnic_requester_fill_later(struct srnic_qp *qp, const struct srnic_gap *gap)
	__must_hold(&qp->lock);
void srnic_requester_ask_again(struct srnic_qp *qp, u32 count) __must_hold(&qp->lock);

/* local.c */
enum ib_wc_status srnic_local_op(struct srnic_qp *qp, const struct srnic_swqe *wqe)
	__must_hold(&qp->lock);

/* ud.c */
int srnic_datagram_send(struct srnic_build *build, struct srnic_swqe *wqe, int budget)
	__must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_REQUESTER_H */
