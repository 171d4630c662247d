/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_OPEN_H
#define SRNIC_ENGINE_OPEN_H

#include "engine/engine.h"

bool srnic_open_packet(struct srnic_qp *qp, struct srnic_pkt *pkt, bool writable)
	__must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_OPEN_H */
