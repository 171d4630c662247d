/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_HELD_H
#define SRNIC_ENGINE_HELD_H

#include "engine/engine.h"

/**
 * struct srnic_held - A datagram that waits for pages of its receive buffer
 * @node: entry in qp->held
 * @pkt: the packet, opened; its pointers lead here, or nowhere
 * @ends: addresses of the packet
 * @cqe: its completion
 * @grh: the header that its buffer begins with
 * @data: its payload
 */
struct srnic_held {
	struct list_head node;
	struct srnic_pkt pkt;
	struct srnic_ends ends;
	struct srnic_cqe cqe;
	u8 grh[SRNIC_GRH_LEN];
	u8 data[];
};

void srnic_held_add(struct srnic_qp *qp, const struct srnic_pkt *pkt,
		    const struct srnic_cqe *cqe, const u8 grh[SRNIC_GRH_LEN])
	__must_hold(&qp->lock);
void srnic_held_remove(struct srnic_qp *qp, struct srnic_held *held) __must_hold(&qp->lock);
void srnic_held_drop(struct srnic_qp *qp) __must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_HELD_H */
