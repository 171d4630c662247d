// SPDX-License-Identifier: GPL-2.0
/*
 * Two timers per QP. No packet touches the retry timer: progress only moves a deadline in
 * memory, and a timer that fires before the deadline is set again.
 */
#include "export.h"
#include "srnic.h"
#include "engine/congestion.h"
#include "engine/due.h"
#include "engine/probe.h"
#include "engine/timer.h"

/*
 * IBA 9.7.6.1.3: the requester detects a timeout after one to four times the interval. Four is
 * used here, because the answer may wait for a processor, and no timeout is shorter than
 * RETRY_LEAST: a softirq that was deferred to its thread competes with busy-polling processes.
 */
#define RETRY_INTERVALS		4
#define RETRY_LEAST		msecs_to_jiffies(20)

/* Time until a probe has been sent and answered, in units of srnic_cc_overdue() */
#define PROBE_ROUNDS		2

/* Interval if the consumer asked for no timeout (0), but packets must be retried */
#define RETRY_DEFAULT		msecs_to_jiffies(500)

/* Most doublings of the time after SRNIC_RNR_FAST_NAKS RNR NAKs in a row */
#define RNR_DOUBLINGS		10
/* Most time after doubling, ns; a shared receive queue waits longer for owed streams (recv.c) */
#define RNR_DOUBLED_MOST	(10 * NSEC_PER_MSEC)

/* RNR NAK timer field in microseconds, IBA table 46 */
static const u32 rnr_usec[32] = {
	655360, 10, 20, 30, 40, 60, 80, 120,
	160, 240, 320, 480, 640, 960, 1280, 1920,
	2560, 3840, 5120, 7680, 10240, 15360, 20480, 30720,
	40960, 61440, 81920, 122880, 163840, 245760, 327680, 491520,
};

/**
 * srnic_timer_set() - Apply timeout and retry counts as set by modify_qp
 * @qp: the QP
 *
 * Context: process, under the QP's lock.
 */
void srnic_timer_set(struct srnic_qp *qp)
{
	struct srnic_requester *req = &qp->req;
	u64 nsec = (4096ULL << (qp->attr.timeout & 0x1f)) * RETRY_INTERVALS;

	lockdep_assert_held(&qp->lock);

	if (qp->attr.timeout)
		req->interval = max(nsecs_to_jiffies(nsec), RETRY_LEAST);
	else
		req->interval = RETRY_DEFAULT;
	req->retry_left = qp->attr.retry_cnt;
	req->rnr_left = qp->attr.rnr_retry;
}

/*
 * Return how long to wait for an answer, in jiffies: four times the least time that the IBA
 * allows. After a recent loss, only that least time, doubled with each timeout in a row; but the
 * timer sends everything again, so it leaves a probe and its answer the time that they need.
 */
static unsigned long answer_timeout(const struct srnic_qp *qp)
{
	const struct srnic_requester *req = &qp->req;
	u8 times = qp->attr.retry_cnt - req->retry_left;
	unsigned long probing, least;

	if (likely(!req->cc.losing))
		return req->interval;
	probing = nsecs_to_jiffies(PROBE_ROUNDS * srnic_cc_overdue(qp));
	least = max3(req->interval / RETRY_INTERVALS, RETRY_LEAST, probing);
	return min(least << min_t(u8, times, 2), req->interval);
}

/**
 * srnic_timer_renew() - Begin a new interval of the retry timer
 * @qp: the QP
 *
 * Context: any up to softirq, under the QP's lock.
 */
void srnic_timer_renew(struct srnic_qp *qp)
{
	lockdep_assert_held(&qp->lock);

	qp->req.deadline = jiffies + answer_timeout(qp);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_timer_renew);

/**
 * srnic_timer_arm() - Let the retry timer fire at the end of the interval, or sooner
 * @qp: the QP
 *
 * Context: any up to softirq, under the QP's lock.
 */
void srnic_timer_arm(struct srnic_qp *qp)
{
	lockdep_assert_held(&qp->lock);

	timer_reduce(&qp->retry_timer, qp->req.deadline);
}

/**
 * srnic_timer_progress() - Restart the timeout and the retry counts after acknowledgments
 * @qp: the QP
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_timer_progress(struct srnic_qp *qp)
{
	struct srnic_requester *req = &qp->req;

	lockdep_assert_held(&qp->lock);

	req->retry_left = qp->attr.retry_cnt;
	req->rnr_left = qp->attr.rnr_retry;
	srnic_timer_renew(qp);
}

/**
 * srnic_timer_start() - Start the retry timer if it is needed
 * @qp: the QP
 * @flight: whether packets were outstanding before this turn
 *
 * Context: any up to softirq, under the QP's lock.
 */
void srnic_timer_start(struct srnic_qp *qp, enum srnic_flight flight)
{
	struct srnic_requester *req = &qp->req;
	bool waits = req->una != req->max_sent;

	lockdep_assert_held(&qp->lock);

	if (!waits && !req->stalled)
		return;
	srnic_probe_start(qp, flight);
	if (!qp->attr.timeout && !req->stalled)
		return;		/* IBA 9.7.6.1.3: 0 means no timeout */
	if (flight == SRNIC_FLIGHT_BEGINS)
		srnic_timer_renew(qp);
	srnic_timer_arm(qp);
}

/**
 * srnic_timer_handshake() - Start the timer that repeats a handshake frame
 * @qp: the QP
 *
 * Context: process, under the QP's lock.
 */
void srnic_timer_handshake(struct srnic_qp *qp)
{
	lockdep_assert_held(&qp->lock);

	qp->req.deadline = jiffies + min(qp->req.hs_backoff, qp->req.interval);
	if (qp->tx_ticks)	/* srnic_timer_tick() */
		srnic_timer_arm(qp);
	else
		mod_timer(&qp->retry_timer, qp->req.deadline);
}

/**
 * srnic_timer_tick() - Resume after a tick, because a full queue has refused packets
 * @qp: the QP
 *
 * Context: any up to softirq, under the QP's lock.
 */
void srnic_timer_tick(struct srnic_qp *qp)
{
	lockdep_assert_held(&qp->lock);

	timer_reduce(&qp->retry_timer, jiffies + 1);
}

/* Return how long an RNR NAK with this timer field asks to wait, in jiffies. */
unsigned long srnic_timer_rnr_delay(u8 code)
{
	return usecs_to_jiffies(rnr_usec[code & SRNIC_AETH_VALUE]);
}

/**
 * srnic_timer_rnr() - Wait as long as the receiver has asked for, or longer
 * @qp: the QP
 * @code: timer field of the RNR NAK
 *
 * The field is a minimum (IBA 9.7.5.2.8). After SRNIC_RNR_FAST_NAKS NAKs in a row, the time
 * doubles with each NAK: a receiver that has posted nothing for long is not asked a hundred
 * thousand times a second.
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_timer_rnr(struct srnic_qp *qp, u8 code)
{
	u64 nsec = mul_u32_u32(rnr_usec[code & SRNIC_AETH_VALUE], NSEC_PER_USEC);
	u8 *naks = &qp->req.rnr_naks;

	lockdep_assert_held(&qp->lock);

	if (*naks < SRNIC_RNR_FAST_NAKS + RNR_DOUBLINGS)
		(*naks)++;
	if (*naks > SRNIC_RNR_FAST_NAKS && nsec < RNR_DOUBLED_MOST)
		nsec = min_t(u64, nsec << (*naks - SRNIC_RNR_FAST_NAKS), RNR_DOUBLED_MOST);

	hrtimer_start(&qp->rnr_timer, ns_to_ktime(nsec), HRTIMER_MODE_REL_SOFT);
}

/* The timers do not start again, because no function arms them in the present state. */
void srnic_timer_stop(struct srnic_qp *qp)
{
	timer_delete_sync(&qp->retry_timer);
	hrtimer_cancel(&qp->rnr_timer);
	srnic_probe_stop(qp);
}
