/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_RESPONDER_H
#define SRNIC_ENGINE_RESPONDER_H

#include "engine/engine.h"
#include "mem/mem.h"

/* responder.c */
void srnic_responder_rx(struct srnic_qp *qp, const struct srnic_pkt *pkt,
			struct srnic_mem_cache *cache) __must_hold(&qp->lock);
void srnic_responder_advanced(struct srnic_qp *qp) __must_hold(&qp->lock);

/* duplicate.c */
void srnic_duplicate_rx(struct srnic_qp *qp, const struct srnic_pkt *pkt)
	__must_hold(&qp->lock);
bool srnic_duplicate_may_answer(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_duplicate_gap(struct srnic_qp *qp, struct srnic_rres *rres) __must_hold(&qp->lock);

/* rres.c */
bool srnic_rres_full(const struct srnic_responder *resp);
struct srnic_rres *srnic_rres_new(struct srnic_qp *qp, const struct srnic_pkt *pkt, u32 packets)
	__must_hold(&qp->lock);
void srnic_rres_accept(struct srnic_qp *qp, struct srnic_rres *rres) __must_hold(&qp->lock);
void srnic_rres_answered(struct srnic_qp *qp, struct srnic_rres *rres)
	__must_hold(&qp->lock);

/* reply.c */
void srnic_reply_run(struct srnic_qp *qp) __must_hold(&qp->lock);
struct srnic_out_cb;
void srnic_reply_rewind(struct srnic_qp *qp, const struct srnic_out_cb *dropped)
	__must_hold(&qp->lock);
void srnic_reply_again(struct srnic_qp *qp) __must_hold(&qp->lock);

static inline u32 srnic_read_packets(const struct srnic_qp *qp, u32 length)
{
	return length > qp->mtu ? DIV_ROUND_UP(length, qp->mtu) : 1;
}

#endif /* SRNIC_ENGINE_RESPONDER_H */
