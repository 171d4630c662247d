/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_STATE_H
#define SRNIC_ENGINE_STATE_H

#include "engine/engine.h"

/* worker.c */
void srnic_qp_worker(struct work_struct *work);

/* flush.c */
bool srnic_qp_flush_some(struct srnic_qp *qp) __must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_STATE_H */
