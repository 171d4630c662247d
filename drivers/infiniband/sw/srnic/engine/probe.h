/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_PROBE_H
#define SRNIC_ENGINE_PROBE_H

#include "engine/engine.h"

void srnic_probe_timed(struct srnic_qp *qp, unsigned long took) __must_hold(&qp->lock);
void srnic_probe_begin(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_probe_lost(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_probe_progress(struct srnic_qp *qp) __must_hold(&qp->lock);
unsigned long srnic_probe_when(const struct srnic_qp *qp, unsigned long deadline)
	__must_hold(&qp->lock);
void srnic_probe_run(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_probe_answered(struct srnic_qp *qp) __must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_PROBE_H */
