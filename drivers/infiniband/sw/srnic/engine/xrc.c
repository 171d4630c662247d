// SPDX-License-Identifier: GPL-2.0
/*
 * The responder of an XRC target (IBA A14): each request names an SRQ of the target's XRC domain.
 * Its protection domain is that of all keys of the request, and a message is received from it and
 * completes on its CQ.
 *
 * No reference counts the requests in progress. SRQs are looked up under a target's lock, and one
 * that is destroyed is first removed from the table, and then from each target of its domain,
 * under the target's lock (xrc_srq.c): so no target has it any more, nor finds it again.
 */
#include "export.h"
#include "srnic.h"
#include "engine/due.h"
#include "engine/fault.h"
#include "engine/xrc.h"

static struct srnic_srq *find_srq(const struct srnic_qp *qp, u32 srqn)
{
	struct srnic_srq *srq = xa_load(&qp->dev->srqs, srqn);

	/* an SRQ of an RC QP has no XRC domain */
	return srq && srq->xrcd == qp->xrc->xrcd ? srq : NULL;
}

static struct srnic_xrc_account *account_of(struct srnic_xrc *xrc, u32 srqn)
{
	return &xrc->accounts[srqn % SRNIC_XRC_ACCOUNTS];
}

static void account_store(struct srnic_qp *qp, u32 srqn)
{
	*account_of(qp->xrc, srqn) = (struct srnic_xrc_account){ srqn, qp->stream };
}

/*
 * A target that uses more SRQs than there are accounts must not gain by that: its takings from a
 * forgotten one count as its whole part of this round (RFC 5042 6.4.3.1, R20).
 */
static void account_load(struct srnic_qp *qp, struct srnic_srq *srq)
{
	const struct srnic_xrc_account *account = account_of(qp->xrc, srq->number);
	unsigned long flags;

	if (account->srqn == srq->number) {
		qp->stream = account->stream;
		return;
	}
	qp->stream = (struct srnic_stream){};
	if (!account->srqn)
		return;
	spin_lock_irqsave(&srq->lock, flags);
	srnic_share_forgotten(&srq->share, &qp->stream, srq->ring.limit);
	spin_unlock_irqrestore(&srq->lock, flags);
}

/* The unlock will notify one CQ only, so that of the former SRQ is notified by its worker. */
static void leave_srq(struct srnic_qp *qp)
{
	if (!qp->srq)
		return;
	if (qp->due & SRNIC_DUE_RCQ)
		srnic_cq_notify_later(qp->rcq);
	account_store(qp, qp->srq->number);
	qp->due &= ~SRNIC_DUE_RCQ;
	qp->srq = NULL;
	qp->rcq = NULL;
}

static void enter_srq(struct srnic_qp *qp, struct srnic_srq *srq)
{
	leave_srq(qp);
	account_load(qp, srq);
	qp->srq = srq;
	qp->rcq = srq->cq;
}

/* All packets of a message name the SRQ that its first one has named. */
static struct srnic_srq *srq_of(const struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	if (qp->srq && qp->srq->number == pkt->srqn)
		return qp->srq;
	return pkt->opc->flags & SRNIC_OPF_FIRST ? find_srq(qp, pkt->srqn) : NULL;
}

/**
 * srnic_xrc_select() - Let a target execute a request for the SRQ that it names
 * @qp: an XRC target
 * @pkt: the request, verified, in sequence
 *
 * Context: softirq, under the QP's lock.
 * Return: false if the request is invalid, which has been counted: the SRQ does not exist, or
 * belongs to another XRC domain, or is not that of the message's first packet.
 */
bool srnic_xrc_select(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	struct srnic_srq *srq = srq_of(qp, pkt);

	lockdep_assert_held(&qp->lock);

	if (unlikely(!srq)) {
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_wrong_srq);
		return false;
	}
	if (srq != qp->srq)
		enter_srq(qp, srq);
	qp->mem.pd = srq->mem.pd;
	qp->due |= SRNIC_DUE_XRC;
	return true;
}

/**
 * srnic_xrc_find_stream() - Find the stream of a request that is not executed now
 * @qp: an XRC target
 * @srqn: the SRQ that the request names
 *
 * Context: any up to softirq, under the QP's lock, which keeps the SRQ in place.
 * Return: the SRQ's stream, or %NULL if the domain has no such SRQ: then there is no memory to be
 * accessed.
 */
const struct srnic_mem_stream *srnic_xrc_find_stream(const struct srnic_qp *qp, u32 srqn)
{
	const struct srnic_srq *srq = find_srq(qp, srqn);

	lockdep_assert_held(&qp->lock);

	return srq ? &srq->mem : NULL;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_xrc_find_stream);

/**
 * srnic_xrc_forget() - Let a target use an SRQ no longer
 * @qp: an XRC target
 * @srq: an SRQ that requests do not find any more
 *
 * A message in progress ends with its queue: the rest of it is refused.
 *
 * Context: process, under the QP's lock.
 */
void srnic_xrc_forget(struct srnic_qp *qp, const struct srnic_srq *srq)
{
	struct srnic_xrc_account *account = account_of(qp->xrc, srq->number);

	lockdep_assert_held(&qp->lock);

	if (qp->srq == srq) {
		leave_srq(qp);
		qp->resp.rwqe.valid = false;
	}
	if (account->srqn == srq->number)
		*account = (struct srnic_xrc_account){};
	/* it may be that of this SRQ, and go next */
	qp->mem.pd = NULL;
}
