// SPDX-License-Identifier: GPL-2.0
/*
 * The work that faults in the pages that a flow of a QP waits for (page_in.c).
 */
#include "srnic.h"
#include "engine/due.h"
#include "engine/page_in.h"
#include "engine/requester.h"
#include "engine/ud.h"
#include "engine/unlock.h"

/* Pages of our own buffers are there, or never will be: the requester sees which. */
static void ours_continue(struct srnic_qp *qp)
{
	struct srnic_page_in *in = &qp->page_in[SRNIC_FLOW_OURS];

	if (in->response && srnic_qp_sends(qp) && !qp->req.wait_rnr)
		srnic_requester_go_back(qp);
	in->response = false;
	srnic_qp_kick(qp, SRNIC_QP_WORK_SEND);
}

static void theirs_continue(struct srnic_qp *qp)
{
	/* a UC message that could not wait is lost: nobody asks for these bytes again */
	if (qp->transport == SRNIC_TP_UC)
		qp->page_in[SRNIC_FLOW_THEIRS].state = SRNIC_PAGE_IN_IDLE;
	if (!srnic_qp_connected(qp))
		srnic_datagram_again(qp);
	else if (qp->resp.rres_todo)
		srnic_qp_kick(qp, SRNIC_QP_WORK_REPLY);
}

/* The process has the pages now, or never had them. */
static void page_in_continue(struct srnic_qp *qp, struct srnic_page_in *in, int err)
	__must_hold(&qp->lock)
{
	in->state = err ? SRNIC_PAGE_IN_FAILED : SRNIC_PAGE_IN_IDLE;
	if (in->flow == SRNIC_FLOW_OURS)
		ours_continue(qp);
	else
		theirs_continue(qp);
}

static void page_in_work(struct work_struct *work)
{
	struct srnic_page_in *in = container_of(to_delayed_work(work), struct srnic_page_in, work);
	struct srnic_qp *qp = container_of(in - in->flow, struct srnic_qp, page_in[0]);
	const struct srnic_mem_stream *stream;
	struct srnic_access access;
	u64 ahead;
	int err;

	spin_lock_bh(&qp->lock);
	stream = in->state == SRNIC_PAGE_IN_DUE ? in->stream : NULL;
	access = in->access;
	ahead = in->ahead;
	spin_unlock_bh(&qp->lock);
	if (!stream)
		return;

	err = srnic_mem_page_in(stream, &access, ahead);

	srnic_qp_lock(qp);
	if (in->state == SRNIC_PAGE_IN_DUE && err == -EAGAIN)
		srnic_page_in_later(in);
	else if (in->state == SRNIC_PAGE_IN_DUE)
		page_in_continue(qp, in, err);
	srnic_qp_unlock(qp);
}

/**
 * srnic_page_in_init() - Initialise the waits of a new QP
 * @qp: the QP
 */
void srnic_page_in_init(struct srnic_qp *qp)
{
	struct srnic_page_in *in = qp->page_in;

	for (unsigned int flow = 0; flow < SRNIC_FLOWS; flow++) {
		INIT_DELAYED_WORK(&in[flow].work, page_in_work);
		in[flow].flow = flow;
	}
}

/**
 * srnic_page_in_cancel() - Wait for the works of a QP, which are not queued again
 * @qp: the QP, in RESET
 *
 * Context: process.
 */
void srnic_page_in_cancel(struct srnic_qp *qp)
{
	for (unsigned int flow = 0; flow < SRNIC_FLOWS; flow++)
		cancel_delayed_work_sync(&qp->page_in[flow].work);
}
