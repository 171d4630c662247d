// SPDX-License-Identifier: GPL-2.0
/*
 * Tail loss probes, as RFC 8985 has them for TCP.
 *
 * Go-back-N learns of a loss from what comes behind it (IBA 9.7.5.2.4). If nothing
 * does, because the last packet of a flight, the NAK, or the packet that was sent
 * again is lost, only the retry timer is left, which waits for hundreds of RTTs. So
 * after about two RTTs the oldest unacknowledged packet is sent again, alone. The
 * responder expects it, or has it; in both cases the answer says how far the responder
 * has come (IBA 9.7.5.1.2, 9.7.5.1.3).
 *
 * A probe does not count as a retry, nor as a retransmission: on a busy machine answers
 * are late, and nothing is lost.
 */
#include "srnic.h"
#include "engine/congestion.h"
#include "engine/probe.h"
#include "engine/requester.h"
#include "engine/unlock.h"

/* At most so often for one packet, each time after twice as long; then the retry timer's turn */
#define PROBES		3

/* What a peer may need to get at a processor, ns */
#define PROBE_SLACK	(5 * NSEC_PER_MSEC)

/* Where no RTT is known yet, ns: RFC 6298 has a second for all networks. */
#define PROBE_UNKNOWN	(200 * NSEC_PER_MSEC)

/* No more than the interval that the consumer has set, of which the retry timer waits several */
static u64 overdue(const struct srnic_qp *qp)
{
	u64 interval = jiffies_to_nsecs(qp->req.interval);
	u64 after = srnic_cc_overdue(qp);

	after = after ? after + PROBE_SLACK : PROBE_UNKNOWN;
	return min(after << qp->probe.count, interval);
}

/* Reckoned here, and not for each response: those only move @since. */
static u64 due(const struct srnic_qp *qp)
{
	const struct srnic_probe *probe = &qp->probe;

	return probe->since + (probe->soon ? qp->req.cc.srtt : overdue(qp));
}

static void wait_from_now(struct srnic_qp *qp)
{
	qp->probe.since = srnic_cc_now(qp);
	qp->probe.soon = false;
}

static bool outstanding(const struct srnic_qp *qp)
{
	const struct srnic_requester *req = &qp->req;

	return qp->ib.qp_type == IB_QPT_RC && srnic_qp_sends(qp) && req->una != req->max_sent;
}

/* It waits for nothing else: a timer of its own, keys, or the cursor, which is there already */
static bool wanted(const struct srnic_qp *qp)
{
	const struct srnic_requester *req = &qp->req;

	return qp->probe.count < PROBES && req->psn != req->una && !req->wait_rnr &&
	       !req->wait_keys && !req->stalled &&
	       srnic_sq_wqe(&qp->sq, qp->sq.cons)->state == SRNIC_SWQE_ACTIVE;
}

/**
 * srnic_probe_start - Watch for an answer that is overdue
 * @qp: the QP; something may be outstanding
 * @idle: nothing was outstanding before
 *
 * The timer is not touched while it runs: fired early, it sleeps on.
 */
void srnic_probe_start(struct srnic_qp *qp, bool idle)
{
	struct srnic_probe *probe = &qp->probe;

	lockdep_assert_held(&qp->lock);

	if (!outstanding(qp))
		return;
	if (idle)
		wait_from_now(qp);
	if (probe->runs)
		return;
	probe->runs = true;
	hrtimer_start(&probe->timer, ns_to_ktime(due(qp)), HRTIMER_MODE_ABS_SOFT);
}

/**
 * srnic_probe_progress - Note that something has been acknowledged
 * @qp: the QP
 */
void srnic_probe_progress(struct srnic_qp *qp)
{
	qp->probe.count = 0;
	qp->probe.suspect = false;
	wait_from_now(qp);
}

/* The answer to a probe has left a gap, and nothing has come to fill it since. */
static bool gap_stays(const struct srnic_qp *qp)
{
	return qp->probe.suspect && qp->probe.una == qp->req.una;
}

/* The oldest packet goes again; of a READ, a request for its response alone. */
static void ask(struct srnic_qp *qp)
{
	struct srnic_probe *probe = &qp->probe;

	if (gap_stays(qp)) {
		probe->suspect = false;
		srnic_requester_lost(qp, false);
		srnic_requester_run(qp);
		return;
	}
	srnic_count(qp->dev, probes);
	probe->count++;
	probe->waits = srnic_requester_probe(qp);
	probe->sent = qp->req.max_sent;
}

static enum hrtimer_restart probe_fire(struct hrtimer *timer)
{
	struct srnic_qp *qp = container_of(timer, struct srnic_qp, probe.timer);
	struct srnic_probe *probe = &qp->probe;

	srnic_qp_lock(qp);
	probe->runs = outstanding(qp) && probe->count < PROBES;
	if (!probe->runs)
		goto unlock;
	/* what is still with us cannot be answered */
	if (srnic_txq_bytes(&qp->txq) || !wanted(qp)) {
		wait_from_now(qp);
	} else if (srnic_cc_now(qp) >= due(qp)) {
		ask(qp);
		wait_from_now(qp);
	}
	hrtimer_set_expires(timer, ns_to_ktime(due(qp)));
unlock:
	srnic_qp_unlock(qp, true);
	return probe->runs ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

/**
 * srnic_probe_answered - Judge by an acknowledgment what may have been lost
 * @qp: the QP; @qp->req.una says of what it is
 *
 * What was sent before the probe and is not covered by its answer has been lost, unless
 * this is the late answer to another packet: then the true one follows within an RTT.
 */
void srnic_probe_answered(struct srnic_qp *qp)
{
	struct srnic_probe *probe = &qp->probe;

	if (likely(!probe->waits))
		return;
	probe->waits = false;
	if (srnic_psn_diff(probe->sent, qp->req.una) <= 0)
		return;
	probe->suspect = true;
	probe->una = qp->req.una;
	probe->since = srnic_cc_now(qp);
	probe->soon = true;
}

void srnic_probe_init(struct srnic_qp *qp)
{
	hrtimer_init(&qp->probe.timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	qp->probe.timer.function = probe_fire;
}

/* It does not start again: the state is one in which nothing is sent. */
void srnic_probe_stop(struct srnic_qp *qp)
{
	hrtimer_cancel(&qp->probe.timer);
	qp->probe.runs = false;
	qp->probe.waits = false;
	qp->probe.suspect = false;
	qp->probe.count = 0;
}
