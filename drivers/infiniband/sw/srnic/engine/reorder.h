/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_REORDER_H
#define SRNIC_ENGINE_REORDER_H

#include "engine/engine.h"

/**
 * struct srnic_early - a packet that came too early
 * @next: the one with the next higher PSN
 * @gap_psn: first PSN behind the packet that is kept before this one
 * @requested: the gap before this packet has been requested, up to @requested_end
 * @requested_end: one past the highest PSN that was requested
 * @lost_again: some of the requested packets were lost again, and perhaps the rest, too
 * @decrypted: the payload was encrypted on the wire
 * @pkt: headers; its payload is @payload
 * @ends: addresses
 * @payload: copy
 */
struct srnic_early {
	struct srnic_early *next;
	u32 gap_psn;
	bool requested;
	bool lost_again;
	bool decrypted;
	u32 requested_end;
	struct srnic_pkt pkt;
	struct srnic_ends ends;
	u8 payload[];
};

/* Most missing packets that a gap code can report */
#define SRNIC_GAP_MAX	64U

/* Gap code of requests whose sender understands reports of all gaps */
#define SRNIC_GAP_UNDERSTOOD	1

/* Return true if the gap before the first packet has been requested. */
static inline bool srnic_reorder_filling(const struct srnic_reorder *queue)
{
	return queue->first && queue->first->requested;
}

/* Let the gap before the first packet be requested again: the request was not answered. */
static inline void srnic_reorder_forget_request(struct srnic_reorder *queue)
{
	if (queue->first)
		queue->first->requested = false;
}

/* Return the code of a gap: n reports that at most 2^(n-1) packets are missing, 0 nothing. */
static inline u8 srnic_gap_code(u32 packets)
{
	return packets ? fls(min(packets, SRNIC_GAP_MAX) - 1) + 1 : 0;
}

static inline u32 srnic_gap_packets(u8 code)
{
	return code ? 1U << (code - 1) : 0;
}

struct srnic_early *srnic_reorder_keep(struct srnic_qp *qp, struct srnic_reorder *queue, u32 psn,
				       const struct srnic_pkt *pkt) __must_hold(&qp->lock);
struct srnic_gap srnic_reorder_gap(struct srnic_reorder *queue, u32 psn);
struct srnic_gap srnic_reorder_later_gap(const struct srnic_reorder *queue,
					 struct srnic_early *early);
struct srnic_early *srnic_reorder_take(struct srnic_qp *qp, struct srnic_reorder *queue)
	__must_hold(&qp->lock);
void srnic_reorder_free(struct srnic_early *early);
void srnic_reorder_drop(struct srnic_qp *qp, struct srnic_reorder *queue)
	__must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_REORDER_H */
