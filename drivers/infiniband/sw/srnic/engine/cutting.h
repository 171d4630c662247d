/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_CUTTING_H
#define SRNIC_ENGINE_CUTTING_H

#include "engine/engine.h"

/* A super-packet has been built whose second packet has that PSN: the flight's first counts. */
static inline void srnic_cutting_built(struct srnic_cutting *cut, u32 second)
{
	if (cut->watched)
		return;
	cut->watched = true;
	cut->second = second;
}

/* A new flight begins for another reason than a loss. */
static inline void srnic_cutting_forget(struct srnic_cutting *cut)
{
	cut->watched = false;
}

void srnic_cutting_again(struct srnic_qp *qp, struct srnic_cutting *cut, u32 psn)
	__must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_CUTTING_H */
