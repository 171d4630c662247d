/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_REORDER_H
#define SRNIC_ENGINE_REORDER_H

#include "engine/engine.h"

/**
 * struct srnic_early - a packet that came too early
 * @next: the one with the next higher PSN
 * @pkt: headers; its payload is @payload
 * @ends: addresses
 * @payload: copy
 */
struct srnic_early {
	struct srnic_early *next;
	struct srnic_pkt pkt;
	struct srnic_ends ends;
	u8 payload[];
};

/* As many packets a NAK can tell to be missing */
#define SRNIC_GAP_MAX	64U

/* Code of a gap of @packets: n says that at most 2^(n-1) are missing, 0 says nothing. */
static inline u8 srnic_gap_code(u32 packets)
{
	return packets ? fls(min(packets, SRNIC_GAP_MAX) - 1) + 1 : 0;
}

static inline u32 srnic_gap_packets(u8 code)
{
	return code ? 1U << (code - 1) : 0;
}

u32 srnic_reorder_keep(struct srnic_qp *qp, struct srnic_reorder *queue, u32 psn,
		       const struct srnic_pkt *pkt) __must_hold(&qp->lock);
u32 srnic_reorder_gap(struct srnic_reorder *queue, u32 psn);
struct srnic_early *srnic_reorder_take(struct srnic_qp *qp, struct srnic_reorder *queue)
	__must_hold(&qp->lock);
void srnic_reorder_drop(struct srnic_qp *qp, struct srnic_reorder *queue)
	__must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_REORDER_H */
