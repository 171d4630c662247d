/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared receive queues, those of XRC domains among them (xrc.h). verbs creates and resizes them;
 * receipt takes work requests out of them and raises the limit event.
 */
#ifndef SRNIC_ENGINE_SRQ_H
#define SRNIC_ENGINE_SRQ_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include "guard/guard.h"
#include "mem/mem.h"
#include "queue/queue.h"

struct srnic_xrcd;

/**
 * struct srnic_srq - A shared receive queue
 * @ib: core part
 * @number: index in dev->srqs
 * @mem: stream on whose behalf messages are placed by QPs of other protection domains; has
 *	the protection domain
 * @lock: irqsave; protects taking of work requests, resize, limit, and posts
 *	of kernel consumers
 * @ring: receive work requests
 * @share: sharing among the QPs; the part of each QP (qp->stream) has the same
 *	lock
 * @limit: low-water mark; 0: disarmed (IBA 10.2.9.2)
 * @error: the ring was found corrupt; it is no longer used
 * @max_sge: SGEs per work request
 * @mutex: serialises resizes
 * @xrcd: XRC domain whose targets use it; NULL: QPs that name it at their creation do
 * @cq: XRC: CQ on which its receives complete
 * @events: XRC: events to be raised, 1 << IB_EVENT_SRQ_*
 * @event_work: XRC: raises them
 */
struct srnic_srq {
	struct ib_srq ib;
	u32 number;
	struct srnic_mem_stream mem;
	spinlock_t lock;	/* irqsave; ring, share, limit */
	struct srnic_ring ring;
	struct srnic_share share;
	u32 limit;
	bool error;
	u32 max_sge;
	struct mutex mutex;	/* resize */
	struct srnic_xrcd *xrcd;
	struct srnic_cq *cq;
	unsigned long events;
	struct work_struct event_work;
};

static inline struct srnic_srq *to_srnic_srq(struct ib_srq *ib)
{
	return container_of(ib, struct srnic_srq, ib);
}

#endif /* SRNIC_ENGINE_SRQ_H */
