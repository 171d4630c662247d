// SPDX-License-Identifier: GPL-2.0
/*
 * Asking what has arrived, where packets get lost.
 *
 * Go-back-N learns of a loss from what comes behind it (IBA 9.7.5.2.4). If nothing
 * does, because the last packet of a flight, the NAK, or the packet that was sent
 * again is lost, only the retry timer is left, and its least is as long as hundreds
 * of packets. So where something was lost not long ago the oldest unacknowledged
 * packet is sent again before that, alone: it is what the responder expects, or a
 * duplicate; to either he answers with how far he has come (IBA 9.7.5.1.2, 9.7.5.1.3).
 * It does not count as a retry.
 */
#include "srnic.h"
#include "engine/probe.h"
#include "engine/requester.h"

/* how many packets have to arrive before a loss is forgotten */
#define LOSS_MEMORY	16384

/* at most so often for one packet, each time after twice as long; then the timer's turn */
#define PROBES		3

static unsigned long patience(const struct srnic_qp *qp)
{
	const struct srnic_probe *probe = &qp->req.probe;

	return (2 + 2 * probe->usual) << probe->count;
}

static bool wanted(const struct srnic_qp *qp)
{
	const struct srnic_requester *req = &qp->req;
	const struct srnic_swqe *wqe;

	if (!req->probe.lossy || req->probe.count == PROBES || req->una == req->max_sent)
		return false;
	if (req->psn == req->una || req->wait_rnr || req->wait_keys)
		return false;
	wqe = srnic_sq_wqe(&qp->sq, qp->sq.cons);
	return wqe->state == SRNIC_SWQE_ACTIVE && srnic_wqe_kind(wqe)->class == SRNIC_CLASS_DATA;
}

/**
 * srnic_probe_timed - an answer has taken so long
 * @qp: the QP
 * @took: jiffies
 */
void srnic_probe_timed(struct srnic_qp *qp, unsigned long took)
{
	struct srnic_probe *probe = &qp->req.probe;

	probe->usual = max(took, (3 * probe->usual + took) / 4);
}

/**
 * srnic_probe_begin - something is outstanding, and nothing was before
 * @qp: the QP
 */
void srnic_probe_begin(struct srnic_qp *qp)
{
	struct srnic_probe *probe = &qp->req.probe;

	probe->at = jiffies + patience(qp);
}

/**
 * srnic_probe_lost - something has been lost, and all behind it is sent again
 * @qp: the QP
 */
void srnic_probe_lost(struct srnic_qp *qp)
{
	struct srnic_probe *probe = &qp->req.probe;

	probe->lossy = true;
	probe->lost = qp->req.una;
	probe->waits = false;
	probe->at = jiffies + patience(qp);
}

/**
 * srnic_probe_progress - something has arrived
 * @qp: the QP
 */
void srnic_probe_progress(struct srnic_qp *qp)
{
	struct srnic_probe *probe = &qp->req.probe;

	if (likely(!probe->lossy))
		return;
	if (srnic_psn_diff(qp->req.una, probe->lost) > LOSS_MEMORY)
		probe->lossy = false;
	probe->count = 0;
	probe->at = jiffies + patience(qp);
}

/**
 * srnic_probe_when - until when to wait for an answer
 * @qp: the QP
 * @deadline: of the retry timer, jiffies
 *
 * Return: jiffies; @deadline, or earlier.
 */
unsigned long srnic_probe_when(const struct srnic_qp *qp, unsigned long deadline)
{
	const struct srnic_probe *probe = &qp->req.probe;

	if (likely(!wanted(qp)) || time_after(probe->at, deadline))
		return deadline;
	return probe->at;
}

/**
 * srnic_probe_run - ask, if it is time to
 * @qp: the QP, allowed to send
 *
 * Context: softirq, under the QP's lock; the packet leaves at its unlock.
 */
void srnic_probe_run(struct srnic_qp *qp)
{
	struct srnic_probe *probe = &qp->req.probe;

	lockdep_assert_held(&qp->lock);

	if (!wanted(qp) || time_before(jiffies, probe->at))
		return;
	probe->count++;
	probe->at = jiffies + patience(qp);
	probe->waits = srnic_requester_repeat(qp);
	probe->sent = qp->req.max_sent;
}

/**
 * srnic_probe_answered - an acknowledgment has come
 * @qp: the QP; @qp->req.una says of what
 *
 * What was sent before the question and is not covered by the answer has been lost.
 */
void srnic_probe_answered(struct srnic_qp *qp)
{
	struct srnic_probe *probe = &qp->req.probe;

	if (likely(!probe->waits))
		return;
	probe->waits = false;
	if (srnic_psn_diff(probe->sent, qp->req.una) > 0)
		srnic_requester_lost(qp);
}
