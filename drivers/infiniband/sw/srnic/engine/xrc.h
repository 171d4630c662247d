/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Extended reliable connections (IBA A14): the queues of an XRC domain, from which its target QPs
 * receive. verbs creates both; each request names the SRQ that it is for.
 */
#ifndef SRNIC_ENGINE_XRC_H
#define SRNIC_ENGINE_XRC_H

#include <linux/mutex.h>
#include <rdma/ib_verbs.h>
#include "engine/engine.h"
#include "engine/srq.h"
#include "srnic.h"

struct srnic_user;

/**
 * struct srnic_xrcd - An XRC domain
 * @ib: core part
 * @user: user charged for the domain; held, because other processes may keep it
 * @lock: protects @targets
 * @targets: target QPs of the domain: struct srnic_xrc
 */
struct srnic_xrcd {
	struct ib_xrcd ib;
	struct srnic_user *user;
	struct mutex lock;	/* targets */
	struct list_head targets;
};

/* SRQs whose takings a target remembers, by number */
#define SRNIC_XRC_ACCOUNTS	64

/**
 * struct srnic_xrc_account - The takings of a target from an SRQ
 * @srqn: number of the SRQ; 0: none
 * @stream: see qp->stream
 */
struct srnic_xrc_account {
	u32 srqn;
	struct srnic_stream stream;
};

/**
 * struct srnic_xrc - The part of a QP that is an XRC target
 * @node: entry in xrcd->targets
 * @qp: the QP
 * @xrcd: its domain
 * @user: user charged for the QP; held, because other processes may keep it
 * @accounts: takings from SRQs other than qp->srq, under the QP's lock; one may displace another
 */
struct srnic_xrc {
	struct list_head node;
	struct srnic_qp *qp;
	struct srnic_xrcd *xrcd;
	struct srnic_user *user;
	struct srnic_xrc_account accounts[SRNIC_XRC_ACCOUNTS];
};

static inline struct srnic_xrcd *to_srnic_xrcd(struct ib_xrcd *ib)
{
	return container_of(ib, struct srnic_xrcd, ib);
}

/* xrc.c */
bool srnic_xrc_select(struct srnic_qp *qp, const struct srnic_pkt *pkt) __must_hold(&qp->lock);
const struct srnic_mem_stream *srnic_xrc_find_stream(const struct srnic_qp *qp, u32 srqn)
	__must_hold(&qp->lock);
void srnic_xrc_forget(struct srnic_qp *qp, const struct srnic_srq *srq) __must_hold(&qp->lock);

/* xrc_srq.c, for verbs: process context */
void srnic_xrc_srq_init(struct srnic_srq *srq, struct srnic_xrcd *xrcd, struct srnic_cq *cq);
void srnic_xrc_srq_gone(struct srnic_srq *srq);

/**
 * srnic_xrc_srq_event() - Raise an event of an XRC SRQ, in a worker
 * @srq: the SRQ
 * @type: IB_EVENT_SRQ_ERR or IB_EVENT_SRQ_LIMIT_REACHED
 *
 * Context: any, while a target of the domain is locked.
 */
static inline void srnic_xrc_srq_event(struct srnic_srq *srq, enum ib_event_type type)
{
	set_bit(type, &srq->events);
	queue_work(srnic_wq, &srq->event_work);
}

/*
 * Return the protection domain that is the QP's for good, and whose key may seal its packets. That
 * of a target's last request is somebody else's, and may end at any time: a target has none.
 */
static inline struct srnic_pd *srnic_xrc_own_domain(const struct srnic_qp *qp)
{
	return qp->xrc ? NULL : qp->mem.pd;
}

/*
 * Return the stream that a request accesses memory on behalf of: for a target, that of the SRQ that
 * the request names, or NULL; for other QPs, their own. Nothing changes.
 */
static inline const struct srnic_mem_stream *srnic_xrc_stream(const struct srnic_qp *qp, u32 srqn)
	__must_hold(&qp->lock)
{
	return likely(!qp->xrc) ? &qp->mem : srnic_xrc_find_stream(qp, srqn);
}

#endif /* SRNIC_ENGINE_XRC_H */
