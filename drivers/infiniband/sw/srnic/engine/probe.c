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
#include "engine/due.h"
#include "engine/probe.h"

/* Time that a peer may need to get a processor, ns */
#define PROBE_SLACK	(5 * NSEC_PER_MSEC)

/* Timeout while no RTT is known, ns: RFC 6298 uses a second for all networks. */
#define PROBE_UNKNOWN	(200 * NSEC_PER_MSEC)

/* Return the time for which to wait for an answer, ns: at most the interval of the retry timer. */
static u64 probe_timeout(const struct srnic_qp *qp)
{
	u64 interval = jiffies_to_nsecs(qp->req.interval);
	u64 after = srnic_cc_overdue(qp);

	after = after ? after + PROBE_SLACK : PROBE_UNKNOWN;
	return min(after << qp->probe.count, interval);
}

/**
 * srnic_probe_due() - Return when the answer is overdue, in ns
 * @qp: an RC QP with packets outstanding
 *
 * Responses only move the start of the wait, so that they stay cheap.
 *
 * Context: any up to softirq, under the QP's lock.
 */
u64 srnic_probe_due(const struct srnic_qp *qp)
{
	const struct srnic_probe *probe = &qp->probe;

	return probe->since + (probe->short_wait ? qp->req.cc.srtt : probe_timeout(qp));
}

/**
 * srnic_probe_wait() - Start to wait for an answer now
 * @qp: the QP
 *
 * Context: any up to softirq, under the QP's lock.
 */
void srnic_probe_wait(struct srnic_qp *qp)
{
	qp->probe.since = srnic_cc_now(qp);
	qp->probe.short_wait = false;
}

/**
 * srnic_probe_outstanding() - Return whether an answer is to be waited for
 * @qp: the QP
 *
 * Context: any up to softirq, under the QP's lock.
 */
bool srnic_probe_outstanding(const struct srnic_qp *qp)
{
	const struct srnic_requester *req = &qp->req;

	return srnic_qp_reliable(qp) && srnic_qp_sends(qp) && req->una != req->max_sent;
}

/**
 * srnic_probe_start() - Watch for an answer that is overdue
 * @qp: the QP; packets may be outstanding
 * @flight: whether packets were outstanding before
 *
 * A running timer is not changed; if it fires early, it is set again.
 *
 * Context: any up to softirq, under the QP's lock.
 */
void srnic_probe_start(struct srnic_qp *qp, enum srnic_flight flight)
{
	struct srnic_probe *probe = &qp->probe;

	lockdep_assert_held(&qp->lock);

	if (!srnic_probe_outstanding(qp))
		return;
	if (flight == SRNIC_FLIGHT_BEGINS)
		srnic_probe_wait(qp);
	if (probe->runs)
		return;
	probe->runs = true;
	hrtimer_start(&probe->timer, ns_to_ktime(srnic_probe_due(qp)), HRTIMER_MODE_ABS_SOFT);
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
	srnic_probe_wait(qp);
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
	probe->short_wait = true;
}

/**
 * srnic_probe_settle() - End the wait for a probe: the missing packets are known
 * @qp: the QP; a gap is being filled
 *
 * The answer to the gap takes an RTT, and no acknowledgment until then reports another loss.
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_probe_settle(struct srnic_qp *qp)
{
	qp->probe.waits = false;
	qp->probe.suspect = false;
	srnic_probe_wait(qp);
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
