// SPDX-License-Identifier: GPL-2.0
/*
 * SRQs of an XRC domain: their events, and their removal from the targets of the domain (xrc.c).
 *
 * After a target's unlock, the handler of the SRQ's CQ may still be called: the unlock has noted
 * the CQ under RCU (unlock.c).
 */
#include "export.h"
#include "srnic.h"
#include "engine/unlock.h"
#include "engine/xrc.h"

static void target_forget(struct srnic_qp *qp, const struct srnic_srq *srq)
{
	srnic_qp_lock(qp);
	srnic_xrc_forget(qp, srq);
	srnic_qp_unlock(qp);
}

static void srq_event_work(struct work_struct *work)
{
	static const enum ib_event_type types[] = { IB_EVENT_SRQ_ERR, IB_EVENT_SRQ_LIMIT_REACHED };
	struct srnic_srq *srq = container_of(work, struct srnic_srq, event_work);
	struct ib_event event = { .device = srq->ib.device, .element.srq = &srq->ib };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		event.event = types[i];
		if (test_and_clear_bit(types[i], &srq->events) && srq->ib.event_handler)
			srq->ib.event_handler(&event, srq->ib.srq_context);
	}
}

/**
 * srnic_xrc_srq_init() - Make a new SRQ one of an XRC domain
 * @srq: the SRQ, which has no number yet
 * @xrcd: the domain
 * @cq: CQ on which its receives complete
 */
void srnic_xrc_srq_init(struct srnic_srq *srq, struct srnic_xrcd *xrcd, struct srnic_cq *cq)
{
	srq->xrcd = xrcd;
	srq->cq = cq;
	srq->mem.unpaged = true;
	INIT_WORK(&srq->event_work, srq_event_work);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_xrc_srq_init);

/**
 * srnic_xrc_srq_gone() - Remove an SRQ that is being destroyed from the targets of its domain
 * @srq: the SRQ, which no longer has a number
 *
 * Context: process. When it returns, neither the SRQ nor, on its behalf, its CQ is used any more.
 */
void srnic_xrc_srq_gone(struct srnic_srq *srq)
{
	struct srnic_xrc *xrc;

	mutex_lock(&srq->xrcd->lock);
	list_for_each_entry(xrc, &srq->xrcd->targets, node)
		target_forget(xrc->qp, srq);
	mutex_unlock(&srq->xrcd->lock);
	synchronize_rcu_expedited();	/* unlock.c: calls of its CQ's handler */
	cancel_work_sync(&srq->event_work);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_xrc_srq_gone);
