/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_TIMER_H
#define SRNIC_ENGINE_TIMER_H

#include "engine/due.h"
#include "engine/engine.h"

void srnic_timer_tick(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_timer_stop(struct srnic_qp *qp);	/* process context, no lock held */
void srnic_timer_set(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_timer_start(struct srnic_qp *qp, enum srnic_flight flight) __must_hold(&qp->lock);
void srnic_timer_renew(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_timer_arm(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_timer_progress(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_timer_handshake(struct srnic_qp *qp) __must_hold(&qp->lock);
unsigned long srnic_timer_rnr_delay(u8 code);
void srnic_timer_rnr(struct srnic_qp *qp, u8 code) __must_hold(&qp->lock);

/* expire.c */
void srnic_timer_init(struct srnic_qp *qp);

#endif /* SRNIC_ENGINE_TIMER_H */
