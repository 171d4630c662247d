/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_HANDSHAKE_H
#define SRNIC_ENGINE_HANDSHAKE_H

#include "engine/engine.h"

/* handshake.c */
void srnic_hs_begin(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_hs_resume(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_hs_timeout(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_hs_receive(struct srnic_qp *qp, const struct srnic_pkt *pkt) __must_hold(&qp->lock);

/* handshake_work.c: process context, in the worker */
void srnic_hs_work(struct srnic_qp *qp);
void srnic_hs_rekey(struct srnic_qp *qp);

#endif /* SRNIC_ENGINE_HANDSHAKE_H */
