/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_PROBE_H
#define SRNIC_ENGINE_PROBE_H

#include "engine/due.h"
#include "engine/engine.h"

void srnic_probe_stop(struct srnic_qp *qp);	/* process context, no lock held */
void srnic_probe_start(struct srnic_qp *qp, enum srnic_flight flight) __must_hold(&qp->lock);
u64 srnic_probe_due(const struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_probe_wait(struct srnic_qp *qp) __must_hold(&qp->lock);
bool srnic_probe_outstanding(const struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_probe_progress(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_probe_answered(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_probe_settle(struct srnic_qp *qp) __must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_PROBE_H */
