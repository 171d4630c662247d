// SPDX-License-Identifier: GPL-2.0
/*
 * Expiry of a QP's timers: the retry timer and the RNR timer (timer.c), and the timer of tail
 * loss probes (probe.c).
 */
#include "compat.h"
#include "export.h"
#include "srnic.h"
#include "engine/backpressure.h"
#include "engine/congestion.h"
#include "engine/handshake.h"
#include "engine/page_in.h"
#include "engine/probe.h"
#include "engine/requester.h"
#include "engine/timer.h"
#include "engine/unlock.h"

/* Most probes for one packet, each after twice the time; then the retry timer takes over */
#define PROBES		3

/* IBA 9.7.5.1.2, C9-142: retry as often as the consumer has set, then fail the send queue. */
static void timed_out(struct srnic_qp *qp)
{
	struct srnic_requester *req = &qp->req;

	if (!req->retry_left && qp->attr.timeout) {
		srnic_count(qp, retry_exceeded_err);
		if (srnic_sq_peek(qp) || qp->sq.cons != qp->sq.next)
			srnic_sq_fail(qp, srnic_sq_wqe(&qp->sq, qp->sq.cons),
				      IB_WC_RETRY_EXC_ERR);
		return;
	}
	if (qp->attr.timeout)
		req->retry_left--;
	srnic_count(qp, completer_retry_err);
	srnic_requester_lost(qp, SRNIC_LOSS_TIMEOUT);
	srnic_timer_renew(qp);
	srnic_requester_run(qp);
}

/*
 * UC and UD are not answered, so nothing is known to be lost: packets could not be built, for want
 * of memory, or have not left yet.
 */
static void try_again(struct srnic_qp *qp)
{
	srnic_timer_renew(qp);
	srnic_requester_run(qp);
}

static bool timer_wanted(const struct srnic_qp *qp)
{
	const struct srnic_requester *req = &qp->req;

	if (!srnic_qp_sends(qp))
		return false;
	return req->wait_keys || req->stalled || req->una != req->max_sent;
}

/*
 * The interval begins with the packet that asks for an answer (IBA 9.7.6.1.3). On a busy
 * machine, this packet may not have left yet.
 */
static bool still_sending(const struct srnic_qp *qp)
{
	return test_bit(SRNIC_QP_WORK_SEND, &qp->work_bits) || !skb_queue_empty(&qp->out) ||
	       qp->tx_stopped;
}

/*
 * Return true while the oldest packet may wait in a queue of this machine: many QPs may share a
 * slow link. When the interval first ends, the packet is among the bytes that are charged then; the
 * wait ends when as many have left the stack, or nothing is left there.
 */
static bool oldest_in_stack(struct srnic_qp *qp)
{
	struct srnic_retry_mark *mark = &qp->req.retry_mark;
	u32 bytes = srnic_txq_bytes(&qp->txq);
	u32 left = qp->txq.charged - bytes;

	if (bytes <= SRNIC_TXQ_SLACK)
		return false;
	if (!mark->set || mark->una != qp->req.una)
		*mark = (struct srnic_retry_mark){
			.set = true, .una = qp->req.una, .charged = qp->txq.charged,
		};
	mark->set = (s32)(left + SRNIC_TXQ_SLACK - mark->charged) < 0;
	return mark->set;
}

static void retry_fire(struct timer_list *timer)
{
	struct srnic_qp *qp = timer_container_of(qp, timer, retry_timer);
	struct srnic_requester *req = &qp->req;

	srnic_qp_lock(qp);
	if (unlikely(qp->tx_stopped))
		srnic_tx_resume(qp);
	if (!timer_wanted(qp))
		goto out;
	/* the RNR timer is running, packets have not left yet, or buffers are absent */
	if (req->wait_rnr || still_sending(qp) || srnic_page_in_due(qp, SRNIC_FLOW_OURS))
		srnic_timer_renew(qp);
	if (time_before(jiffies, req->deadline)) {
		srnic_timer_arm(qp);
		goto out;
	}
	if (req->wait_keys) {
		srnic_hs_timeout(qp);
	} else if (!srnic_qp_reliable(qp)) {
		try_again(qp);
	} else if (oldest_in_stack(qp)) {
		srnic_timer_renew(qp);
		srnic_timer_arm(qp);
	} else {
		timed_out(qp);
	}
out:
	srnic_qp_unlock(qp);
}

static enum hrtimer_restart rnr_fire(struct hrtimer *timer)
{
	struct srnic_qp *qp = container_of(timer, struct srnic_qp, rnr_timer);

	srnic_qp_lock(qp);
	if (qp->req.wait_rnr) {
		qp->req.wait_rnr = false;
		srnic_requester_go_back(qp);
		/* a new interval: the peer has answered, and everything is sent again */
		srnic_timer_renew(qp);
		srnic_requester_run(qp);
	}
	srnic_qp_unlock(qp);
	return HRTIMER_NORESTART;
}

/*
 * Return true if only an answer is missing: the QP waits for no other timer and no keys, and it
 * is not about to send the oldest packet anyway.
 */
static bool probe_wanted(const struct srnic_qp *qp)
{
	const struct srnic_requester *req = &qp->req;

	return qp->probe.count < PROBES && req->psn != req->una && !req->wait_rnr &&
	       !req->wait_keys && !req->stalled && !srnic_page_in_due(qp, SRNIC_FLOW_OURS) &&
	       srnic_sq_wqe(&qp->sq, qp->sq.cons)->state == SRNIC_SWQE_ACTIVE;
}

/* The response to the last probe showed a gap, and nothing has been acknowledged since. */
static bool gap_remains(const struct srnic_qp *qp)
{
	return qp->probe.suspect && qp->probe.una == qp->req.una;
}

/* The gap is a loss: another probe would show nothing new. */
static void probe_go_back(struct srnic_qp *qp)
{
	qp->probe.suspect = false;
	srnic_requester_lost(qp, SRNIC_LOSS_REPORTED);
	srnic_requester_run(qp);
}

/* Send the oldest packet again; of a READ, request only the oldest response. */
static void probe_send(struct srnic_qp *qp)
{
	struct srnic_probe *probe = &qp->probe;

	srnic_count(qp, probes);
	probe->count++;
	probe->waits = srnic_requester_probe(qp);
	probe->sent = qp->req.max_sent;
}

static enum hrtimer_restart probe_fire(struct hrtimer *timer)
{
	struct srnic_qp *qp = container_of(timer, struct srnic_qp, probe.timer);
	struct srnic_probe *probe = &qp->probe;

	srnic_qp_lock(qp);
	probe->runs = srnic_probe_outstanding(qp) && probe->count < PROBES;
	if (!probe->runs)
		goto unlock;
	/* packets that have not left this machine cannot be answered */
	if (srnic_txq_bytes(&qp->txq) || !probe_wanted(qp)) {
		srnic_probe_wait(qp);
	} else if (srnic_cc_now(qp) >= srnic_probe_due(qp)) {
		if (gap_remains(qp))
			probe_go_back(qp);
		else
			probe_send(qp);
		srnic_probe_wait(qp);
	}
	hrtimer_set_expires(timer, ns_to_ktime(srnic_probe_due(qp)));
unlock:
	srnic_qp_unlock(qp);
	return probe->runs ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

void srnic_timer_init(struct srnic_qp *qp)
{
	timer_setup(&qp->retry_timer, retry_fire, 0);
	hrtimer_setup(&qp->probe.timer, probe_fire, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	hrtimer_setup(&qp->rnr_timer, rnr_fire, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_timer_init);
