/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Actions that become due while a QP is locked: tasks of the worker (worker.c), and completion
 * handlers, events and packets, which wait for the unlock (unlock.c).
 */
#ifndef SRNIC_ENGINE_DUE_H
#define SRNIC_ENGINE_DUE_H

#include "engine/engine.h"

/*
 * qp->due; the bits below these are 1 << IB_EVENT_* of the QP or its SRQ. The bits of the last mask
 * take longer.
 */
#define SRNIC_DUE_XRC		BIT(29)	/* RCQ, if due, is not held by the QP: see xrc.c */
#define SRNIC_DUE_SCQ		BIT(30)
#define SRNIC_DUE_RCQ		BIT(31)
#define SRNIC_DUE_EVENTS	(BIT(29) - 1)
#define SRNIC_DUE_RARE		(SRNIC_DUE_EVENTS | SRNIC_DUE_XRC)

/* kick.c */
void srnic_qp_kick(struct srnic_qp *qp, int why);

/* fatal.c: any context up to softirq; the worker writes the flush completions */
void srnic_qp_enter_err(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_qp_fatal(struct srnic_qp *qp, int event) __must_hold(&qp->lock);

/* push.c */
void srnic_qp_push(struct srnic_qp *qp, struct srnic_cq *cq, const struct srnic_cqe *cqe,
		   bool solicited) __must_hold(&qp->lock);

static inline void srnic_qp_event(struct srnic_qp *qp, enum ib_event_type event)
	__must_hold(&qp->lock)
{
	qp->due |= 1U << event;
}

/* Whether packets follow others that may still be in flight */
enum srnic_flight {
	SRNIC_FLIGHT_BEGINS,
	SRNIC_FLIGHT_CONTINUES,
};

/* Packets were built whose order matters. */
static inline void srnic_qp_built_ordered(struct srnic_qp *qp, enum srnic_flight flight)
	__must_hold(&qp->lock)
{
	qp->out_ordered = true;
	qp->out_follows |= flight == SRNIC_FLIGHT_CONTINUES;
}

/* Packets were built whose order matters and which the peer does not acknowledge. */
static inline void srnic_qp_built_unacked(struct srnic_qp *qp, enum srnic_flight flight)
	__must_hold(&qp->lock)
{
	srnic_qp_built_ordered(qp, flight);
	qp->out_timed = true;
}

#endif /* SRNIC_ENGINE_DUE_H */
