/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_ECN_H
#define SRNIC_ENGINE_ECN_H

#include "engine/engine.h"

void srnic_cnp_rx(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_ecn_echoed(struct srnic_qp *qp, const struct srnic_pkt *pkt) __must_hold(&qp->lock);
void srnic_ecn_rx(struct srnic_qp *qp, const struct srnic_pkt *pkt) __must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_ECN_H */
