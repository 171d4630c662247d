/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_GSO_WATCH_H
#define SRNIC_ENGINE_GSO_WATCH_H

#include "engine/engine.h"

/* A super-packet has been built whose second packet has that PSN: the flight's first counts. */
static inline void srnic_gso_watch_built(struct srnic_gso_watch *watch, u32 second)
{
	if (watch->watched)
		return;
	watch->watched = true;
	watch->second = second;
}

/* A new flight begins for another reason than a loss. */
static inline void srnic_gso_watch_forget(struct srnic_gso_watch *watch)
{
	watch->watched = false;
}

void srnic_gso_watch_judge(struct srnic_qp *qp, struct srnic_gso_watch *watch, u32 psn)
	__must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_GSO_WATCH_H */
