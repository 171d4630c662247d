/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_UD_H
#define SRNIC_ENGINE_UD_H

#include "engine/engine.h"

void srnic_datagram_rx(struct srnic_qp *qp, const struct srnic_pkt *pkt) __must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_UD_H */
