/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_UNLOCK_H
#define SRNIC_ENGINE_UNLOCK_H

#include "engine/engine.h"

static inline void srnic_qp_lock(struct srnic_qp *qp) __acquires(&qp->lock)
{
	spin_lock_bh(&qp->lock);
}

void srnic_qp_unlock(struct srnic_qp *qp) __releases(&qp->lock);
void srnic_qp_unlock_deferring(struct srnic_qp *qp) __releases(&qp->lock);
void srnic_qp_out_work(struct work_struct *work);

#endif /* SRNIC_ENGINE_UNLOCK_H */
