/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_UD_H
#define SRNIC_ENGINE_UD_H

#include "srnic.h"
#include "engine/engine.h"

/* Return whether a QP may be ib_ipoib's, which leaves checksums to the device. */
static inline bool srnic_qp_offloads_ip(const struct srnic_qp *qp)
{
	return qp->dev->fabric && qp->ib.qp_type == IB_QPT_UD && !qp->mem.user;
}

void srnic_datagram_rx(struct srnic_qp *qp, const struct srnic_pkt *pkt) __must_hold(&qp->lock);
void srnic_datagram_again(struct srnic_qp *qp) __must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_UD_H */
