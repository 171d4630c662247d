/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_RECV_H
#define SRNIC_ENGINE_RECV_H

#include "engine/engine.h"
#include "mem/mem.h"

int srnic_recv_get(struct srnic_qp *qp, const struct srnic_pkt *pkt)
	__must_hold(&qp->lock);
void srnic_recv_complete(struct srnic_qp *qp, struct srnic_cqe *cqe, const struct srnic_pkt *pkt)
	__must_hold(&qp->lock);
void srnic_recv_fail(struct srnic_qp *qp, enum ib_wc_status status) __must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_RECV_H */
