/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_OPEN_H
#define SRNIC_ENGINE_OPEN_H

#include "engine/engine.h"

bool srnic_open_packet(struct srnic_qp *qp, struct srnic_pkt *pkt, bool writable)
	__must_hold(&qp->lock);
u8 *srnic_open_lists(const struct srnic_pkt *pkt, bool elsewhere, struct scatterlist *src,
		     struct scatterlist *dst);

#endif /* SRNIC_ENGINE_OPEN_H */
