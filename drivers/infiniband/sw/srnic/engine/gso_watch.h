/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_GSO_WATCH_H
#define SRNIC_ENGINE_GSO_WATCH_H

#include "engine/engine.h"

/* Note a super-packet, by the PSN of its second packet, if it is the first one of the flight. */
static inline void srnic_gso_watch_built(struct srnic_gso_watch *watch, u32 second)
{
	if (watch->watched)
		return;
	watch->watched = true;
	watch->second = second;
}

/* Begin a flight for another reason than a loss. */
static inline void srnic_gso_watch_forget(struct srnic_gso_watch *watch)
{
	watch->watched = false;
}

void srnic_gso_watch_judge(struct srnic_qp *qp, struct srnic_gso_watch *watch, u32 psn)
	__must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_GSO_WATCH_H */
