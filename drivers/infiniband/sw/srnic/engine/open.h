/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_OPEN_H
#define SRNIC_ENGINE_OPEN_H

#include "engine/engine.h"

#define SRNIC_OPEN_ROOM	(4096 + 4)	/* the longest payload, and its pad */

bool srnic_open_packet(struct srnic_qp *qp, struct srnic_pkt *pkt, bool writable)
	__must_hold(&qp->lock);
u8 *srnic_open_room(void);

#endif /* SRNIC_ENGINE_OPEN_H */
