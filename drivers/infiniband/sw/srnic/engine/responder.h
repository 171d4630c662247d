/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_RESPONDER_H
#define SRNIC_ENGINE_RESPONDER_H

#include "engine/engine.h"
#include "mem/mem.h"

/**
 * struct srnic_hold - the region that a burst writes to
 * @ref: counted while @held
 * @held: see @ref
 *
 * One look-up serves all packets of a message that arrive together: while the count
 * is held, what was checked stays as it is.
 */
struct srnic_hold {
	struct srnic_mem_ref ref;
	bool held;
};

static inline void srnic_hold_drop(struct srnic_hold *hold)
{
	if (hold->held)
		srnic_mem_put(&hold->ref);
	hold->held = false;
}

/* responder.c */
void srnic_responder_rx(struct srnic_qp *qp, const struct srnic_pkt *pkt,
			struct srnic_hold *hold) __must_hold(&qp->lock);

/* duplicate.c */
void srnic_duplicate_rx(struct srnic_qp *qp, const struct srnic_pkt *pkt)
	__must_hold(&qp->lock);

/* reply.c */
void srnic_rres_answered(struct srnic_qp *qp, struct srnic_rres *rres)
	__must_hold(&qp->lock);
void srnic_reply_run(struct srnic_qp *qp) __must_hold(&qp->lock);

static inline u32 srnic_read_packets(const struct srnic_qp *qp, u32 length)
{
	return length > qp->mtu ? DIV_ROUND_UP(length, qp->mtu) : 1;
}

#endif /* SRNIC_ENGINE_RESPONDER_H */
