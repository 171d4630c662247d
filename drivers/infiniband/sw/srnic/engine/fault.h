/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fault - faults of a QP's peer, including work that it causes again and again. Each is counted
 * by reason, held against the peer, and counted by kind for the QP (RFC 5042 6.4.4, R25).
 *
 * Context of all functions: under the QP's lock.
 */
#ifndef SRNIC_FAULT_H
#define SRNIC_FAULT_H

#include "engine/engine.h"
#include "trace/drop.h"

static inline void srnic_qp_inc_faults(struct srnic_qp *qp, enum srnic_stat why)
{
	qp->faults[srnic_fault_of(why)]++;
}

/**
 * srnic_qp_count_drop() - Count, trace and log a dropped packet for a QP
 * @qpair: the QP
 * @packet: the packet, parsed
 * @reason: the counter
 */
#define srnic_qp_count_drop(qpair, packet, reason) do {					\
	struct srnic_qp *__qp = (qpair);						\
											\
	srnic_count_drop(__qp->dev, packet, reason);					\
	srnic_qp_inc_faults(__qp, SRNIC_STAT_##reason);					\
} while (0)

/**
 * srnic_qp_count_fault() - Count work that the peer causes, a fault only if it does not end
 * @qpair: a connected QP
 * @reason: the counter
 */
#define srnic_qp_count_fault(qpair, reason) do {					\
	struct srnic_qp *__qp = (qpair);						\
											\
	srnic_count(__qp->dev, reason);							\
	srnic_peer_fault(__qp->dev->peers, __qp->path.ends.dgid, SRNIC_STAT_##reason,	\
			 jiffies);							\
	srnic_qp_inc_faults(__qp, SRNIC_STAT_##reason);					\
} while (0)

#endif /* SRNIC_FAULT_H */
