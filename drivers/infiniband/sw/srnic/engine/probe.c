// SPDX-License-Identifier: GPL-2.0
/*
 * Tail loss probes, as in RFC 8985 for TCP.
 *
 * Go-back-N detects a loss by the packets behind it (IBA 9.7.5.2.4). If none follows, because
 * the last packet of a flight, the NAK or a retransmitted packet is lost, only the retry timer
 * is left, which waits for hundreds of RTTs. So after about two RTTs, the oldest unacknowledged
 * packet is sent again, alone. The responder expects it or already has it; in both cases, the
 * answer tells how far the responder has received (IBA 9.7.5.1.2, 9.7.5.1.3).
 *
 * A probe counts neither as a retry nor as a retransmission: on a busy machine, answers are
 * late although nothing is lost.
 */
#include "srnic.h"
#include "engine/congestion.h"
#include "engine/probe.h"
#include "engine/requester.h"
#include "engine/unlock.h"

/* Most probes for one packet, each after twice the time; then the retry timer takes over */
#define PROBES		3

/* Time that a peer may need to get a processor, ns */
#define PROBE_SLACK	(5 * NSEC_PER_MSEC)

/* Timeout while no RTT is known, ns: RFC 6298 uses a second for all networks. */
#define PROBE_UNKNOWN	(200 * NSEC_PER_MSEC)

/* Return the time for which to wait for an answer, ns: at most the interval of the retry timer. */
static u64 overdue(const struct srnic_qp *qp)
{
	u64 interval = jiffies_to_nsecs(qp->req.interval);
	u64 after = srnic_cc_overdue(qp);

	after = after ? after + PROBE_SLACK : PROBE_UNKNOWN;
	return min(after << qp->probe.count, interval);
}

/* Return when the answer is overdue, ns. Responses only move @since, so that they stay cheap. */
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

/*
 * Return true if only an answer is missing: the QP waits for no other timer and no keys, and it
 * is not about to send the oldest packet anyway.
 */
static bool wanted(const struct srnic_qp *qp)
{
	const struct srnic_requester *req = &qp->req;

	return qp->probe.count < PROBES && req->psn != req->una && !req->wait_rnr &&
	       !req->wait_keys && !req->stalled &&
	       srnic_sq_wqe(&qp->sq, qp->sq.cons)->state == SRNIC_SWQE_ACTIVE;
}

/**
 * srnic_probe_start() - Watch for an answer that is overdue
 * @qp: the QP; packets may be outstanding
 * @idle: no packets were outstanding before
 *
 * A running timer is not changed; if it fires early, it is set again.
 *
 * Context: any up to softirq, under the QP's lock.
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
 * srnic_probe_progress() - Note that packets have been acknowledged
 * @qp: the QP
 *
 * Context: any up to softirq, under the QP's lock.
 */
void srnic_probe_progress(struct srnic_qp *qp)
{
	qp->probe.count = 0;
	qp->probe.suspect = false;
	wait_from_now(qp);
}

/* The answer to a probe has left a gap, and no answer has filled it since. */
static bool gap_stays(const struct srnic_qp *qp)
{
	return qp->probe.suspect && qp->probe.una == qp->req.una;
}

/* Send the oldest packet again; of a READ, request only the oldest response. Go back at a gap. */
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
	/* packets that have not left this machine cannot be answered */
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
 * srnic_probe_answered() - Detect losses by the answer to a probe
 * @qp: the QP; @qp->req.una is that of the answer
 *
 * Packets that were sent before the probe and are not covered by its answer have been lost,
 * unless this is the late answer to another packet: then the answer to the probe follows within
 * an RTT.
 *
 * Context: softirq, under the QP's lock.
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

/* The timer does not start again, because nothing is sent in the present state. */
void srnic_probe_stop(struct srnic_qp *qp)
{
	hrtimer_cancel(&qp->probe.timer);
	qp->probe.runs = false;
	qp->probe.waits = false;
	qp->probe.suspect = false;
	qp->probe.count = 0;
}
