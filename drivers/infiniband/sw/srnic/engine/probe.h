/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_PROBE_H
#define SRNIC_ENGINE_PROBE_H

#include "engine/engine.h"

void srnic_probe_init(struct srnic_qp *qp);
void srnic_probe_stop(struct srnic_qp *qp);	/* process context, no lock held */
void srnic_probe_start(struct srnic_qp *qp, bool idle) __must_hold(&qp->lock);
void srnic_probe_progress(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_probe_answered(struct srnic_qp *qp) __must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_PROBE_H */
