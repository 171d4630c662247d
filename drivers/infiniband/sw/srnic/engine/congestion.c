// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control of RC: how many packets may be unacknowledged.
 *
 * The window follows the queueing delay, as in Swift (SIGCOMM '20) and Vegas: a wire is full as
 * soon as packets wait for it, and more packets only wait longer. A window that follows loss alone
 * needs queues to overflow, and RoCE goes back N packets for each loss (IBA 9.7.5.1.1). The
 * queueing delay is the least RTT of an epoch, which lasts one RTT or a few, minus the least RTT
 * of the last seconds: a queue delays all packets of an epoch, a busy processor only some.
 *
 * Small windows tolerate more delay, so that each of many flows can keep a part of a queue (Swift,
 * section 3.5). If a flow is at its least window and the queue remains, other flows fill it, such
 * as TCP. The flow then raises its least window step by step, up to FLOOR_BYTES, and lowers it
 * after a loss.
 *
 * A loss shrinks the window if there was a queue, or if losses have been frequent for some time;
 * other losses are taken for faults of the wire.
 *
 * A mark (ECN) reports a queue before its delay is noticeable. It shrinks the window once an
 * epoch, by the share of recent epochs that had a mark, as in DCQCN (SIGCOMM '15, section 3.1) and
 * DCTCP (RFC 8257, section 3.3).
 */
#include <linux/ktime.h>
#include "srnic.h"
#include "engine/congestion.h"
#include "engine/engine.h"
#include "export.h"

#define WINDOW_START	16
#define WINDOW_MAX	1024

/*
 * Standing queue that is tolerated, ns. Less than CoDel's 5 ms (RFC 8289), and enough
 * for packets to be handled in batches where processors, and not the wire, are slow.
 */
#define TARGET_NS	(3 * NSEC_PER_MSEC)

/* The target is scaled by 1 + SMALL_WINDOW / window. */
#define SMALL_WINDOW	8

/* The least of fewer RTTs may have a delay that was not there throughout the epoch. */
#define EPOCH_SAMPLES	4

/* The window grows by a packet an epoch, and by one more for each GROWTH_EPOCHS without a queue */
#define GROWTH_EPOCHS	4
#define GROWTH_MAX	16

/* Largest least window of a flow beside flows that fill queues */
#define FLOOR_BYTES	SZ_128K

/*
 * Losses that are fewer than LOSS_APART packets apart, on average, are congestion even without a
 * queue: 2 % of the packets, as in BBR (draft-ietf-ccwg-bbr, section 5.5.10.2). One distance has
 * a weight of 1/16, so that 1 % at random is hardly ever taken for 2 %, and LOSS_FAR at most.
 */
#define LOSS_APART	50
#define LOSS_FAR	256
#define LOSS_UNKNOWN	64
#define LOSS_SHIFT	4

/* Fixed point of the share of marked epochs, and weight of the newest epoch: DCQCN's g, 1/16 */
#define ALPHA_ONE	BIT(16)
#define ALPHA_SHIFT	4

/* The least RTT is that of this period and the one before; each begins with a small window. */
#define MIN_RTT_PERIOD	(10 * HZ)

/**
 * srnic_cc_now - Return the time, ns, which is read once while the QP is locked
 * @qp: the QP
 */
u64 srnic_cc_now(struct srnic_qp *qp)
{
	struct srnic_congestion *cc = &qp->req.cc;

	if (!cc->now)
		cc->now = ktime_get_ns();
	return cc->now;
}

static u32 cc_target(const struct srnic_congestion *cc)
{
	u32 target = max_t(u32, TARGET_NS, srnic_cc_min_rtt(cc) / 4);

	return target + target / cc->window * SMALL_WINDOW;
}

/* Return whether packets with this RTT have waited for others. */
static bool cc_queued(const struct srnic_congestion *cc, u32 rtt)
{
	return rtt != U32_MAX && rtt - min(rtt, srnic_cc_min_rtt(cc)) > cc_target(cc);
}

static void begin_epoch(struct srnic_qp *qp)
{
	struct srnic_congestion *cc = &qp->req.cc;

	cc->epoch_psn = qp->req.psn;
	cc->epoch_end = srnic_psn_add(qp->req.psn, cc->window);
	cc->epoch_rtt = U32_MAX;
	cc->samples = 0;
	cc->limited = false;
}

/**
 * srnic_cc_start - Begin congestion control without knowledge of the path
 * @qp: RC, entering RTS
 */
void srnic_cc_start(struct srnic_qp *qp)
{
	struct srnic_congestion *cc = &qp->req.cc;

	lockdep_assert_held(&qp->lock);

	*cc = (struct srnic_congestion) {
		.window = WINDOW_START,
		.floor = SRNIC_WINDOW_MIN,
		.slow_start = true,
		.min_rtt = U32_MAX,
		.prev_min_rtt = U32_MAX,
		.min_rtt_until = jiffies + MIN_RTT_PERIOD,
		.last_rtt = U32_MAX,
		.recent_rtt = U32_MAX,
		.loss_psn = qp->req.psn,
		.loss_apart = LOSS_UNKNOWN << LOSS_SHIFT,
		.credit = WINDOW_MAX,
		.credit_psn = qp->req.psn,
		.alpha = ALPHA_ONE,
	};
	begin_epoch(qp);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_cc_start);

/**
 * srnic_cc_stamp - Note the time at which a packet that asks for an answer is sent
 * @qp: RC; @qp->req.psn is the packet's
 *
 * A retransmitted packet is not timed (Karn): its answer may be that of the first transmission.
 */
void srnic_cc_stamp(struct srnic_qp *qp)
{
	struct srnic_congestion *cc = &qp->req.cc;
	u32 psn = qp->req.psn;

	if (cc->stamps == SRNIC_STAMPS || psn != qp->req.max_sent)
		return;
	cc->stamp[(cc->first + cc->stamps) % SRNIC_STAMPS] = (struct srnic_stamp) {
		.psn = psn,
		.sent = srnic_cc_now(qp),
	};
	cc->stamps++;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_cc_stamp);

/**
 * srnic_cc_forget - Discard the times of packets, which are sent again
 * @qp: RC
 */
void srnic_cc_forget(struct srnic_qp *qp)
{
	qp->req.cc.stamps = 0;
}

static void cc_smooth(struct srnic_congestion *cc, u32 rtt)
{
	u32 off;

	if (!cc->srtt) {
		cc->srtt = rtt;
		cc->rttvar = rtt / 2;
		return;
	}
	/* RFC 6298, section 2 */
	off = rtt > cc->srtt ? rtt - cc->srtt : cc->srtt - rtt;
	cc->rttvar = cc->rttvar - cc->rttvar / 4 + off / 4;
	cc->srtt = cc->srtt - cc->srtt / 8 + rtt / 8;
}

static void take_sample(struct srnic_qp *qp, const struct srnic_stamp *stamp)
{
	u32 rtt = min_t(u64, srnic_cc_now(qp) - stamp->sent, U32_MAX - 1);
	struct srnic_congestion *cc = &qp->req.cc;

	cc->recent_rtt = min(rtt, cc->last_rtt);
	cc->last_rtt = rtt;
	cc->min_rtt = min(cc->min_rtt, rtt);
	cc_smooth(cc, rtt);
	if (srnic_psn_diff(stamp->psn, cc->epoch_psn) < 0)
		return;
	cc->epoch_rtt = min(cc->epoch_rtt, rtt);
	cc->samples++;
}

/* Take the newest timed packet before @psn: its answer has not waited for that of another one. */
static void take_stamps(struct srnic_qp *qp, u32 psn)
{
	struct srnic_congestion *cc = &qp->req.cc;
	const struct srnic_stamp *newest = NULL;

	while (cc->stamps && srnic_psn_diff(psn, cc->stamp[cc->first].psn) > 0) {
		newest = &cc->stamp[cc->first];
		cc->first = (cc->first + 1) % SRNIC_STAMPS;
		cc->stamps--;
	}
	if (newest)
		take_sample(qp, newest);
}

static void cc_grow(struct srnic_congestion *cc, u32 packets)
{
	cc->window = min_t(u32, cc->window + packets, WINDOW_MAX);
}

/* Shrink the window to as many packets as fill the wire and the tolerated queue. */
static void cc_yield(struct srnic_qp *qp)
{
	struct srnic_congestion *cc = &qp->req.cc;
	u32 sought = srnic_cc_min_rtt(cc) + cc_target(cc);
	u32 window = mul_u64_u32_div(cc->window, sought, cc->epoch_rtt);

	cc->slow_start = false;
	cc->clear_epochs = 0;
	window = max_t(u32, window, cc->window / 2);
	if (window <= cc->floor) {
		window = cc->floor;
		cc->floor = min_t(u32, cc->floor + 1,
				  max_t(u32, FLOOR_BYTES / qp->mtu, SRNIC_WINDOW_MIN));
	}
	cc->window = window;
}

static void cc_extend(struct srnic_congestion *cc)
{
	cc->floor = SRNIC_WINDOW_MIN;
	cc->clear_epochs++;
	if (cc->limited && !cc->slow_start)
		cc_grow(cc, min_t(u32, 1 + cc->clear_epochs / GROWTH_EPOCHS, GROWTH_MAX));
}

/* The path may change: use the least RTT of a period for one more period, then discard it. */
static void renew_min_rtt(struct srnic_congestion *cc)
{
	cc->draining = false;
	if (time_before(jiffies, cc->min_rtt_until))
		return;
	cc->min_rtt_until = jiffies + MIN_RTT_PERIOD;
	cc->prev_min_rtt = cc->min_rtt;
	cc->min_rtt = U32_MAX;
	/* for an epoch, so that the new least RTT does not include our own queue */
	cc->draining = true;
}

static void end_epoch(struct srnic_qp *qp)
{
	struct srnic_congestion *cc = &qp->req.cc;

	cc->losing = false;
	cc->shrunk = false;
	if (cc_queued(cc, cc->epoch_rtt))
		cc_yield(qp);
	else if (cc->epoch_rtt != U32_MAX && !cc->draining && !cc->marked)
		cc_extend(cc);
	if (!cc->marked)
		cc->alpha -= cc->alpha >> ALPHA_SHIFT;
	cc->marked = false;
	renew_min_rtt(cc);
	begin_epoch(qp);
}

/**
 * srnic_cc_acked - Adapt the window: packets have been acknowledged
 * @qp: RC; @qp->req.una is still as it was
 * @psn: of the oldest packet that is not acknowledged
 */
void srnic_cc_acked(struct srnic_qp *qp, u32 psn)
{
	struct srnic_congestion *cc = &qp->req.cc;
	u32 acked = srnic_psn_diff(psn, qp->req.una);

	lockdep_assert_held(&qp->lock);

	take_stamps(qp, psn);
	if (srnic_psn_diff(psn, cc->loss_psn) > LOSS_FAR)
		cc->loss_psn = srnic_psn_add(psn, -LOSS_FAR);
	if (cc->slow_start && cc->limited && !cc_queued(cc, cc->recent_rtt))
		cc_grow(cc, acked);
	if (srnic_psn_diff(psn, cc->epoch_end) >= 0 && cc->samples >= EPOCH_SAMPLES)
		end_epoch(qp);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_cc_acked);

/* Note a loss, unless it has been noted. Return whether losses show an overloaded path. */
static bool losses_are_many(struct srnic_congestion *cc, u32 psn)
{
	s32 apart = clamp(srnic_psn_diff(psn, cc->loss_psn), 0, LOSS_FAR);

	cc->loss_apart += apart - (cc->loss_apart >> LOSS_SHIFT);
	if (apart)
		cc->loss_psn = psn;
	return cc->loss_apart < LOSS_APART << LOSS_SHIFT;
}

static void cc_shrink(struct srnic_qp *qp, u32 window)
{
	struct srnic_congestion *cc = &qp->req.cc;

	cc->slow_start = false;
	cc->clear_epochs = 0;
	cc->window = max_t(u32, window, SRNIC_WINDOW_MIN);
	cc->floor = max_t(u32, cc->floor / 2, SRNIC_WINDOW_MIN);
	cc->shrunk = true;
	cc->recent_rtt = U32_MAX;	/* the queue explains no further loss */
	begin_epoch(qp);
}

/* Return whether a loss has shrunk the window since the packet @psn was sent. */
static bool shrunk_since(const struct srnic_congestion *cc, u32 psn)
{
	return cc->shrunk && srnic_psn_diff(psn, cc->epoch_psn) < 0;
}

/**
 * srnic_cc_lost - Adapt the window: a packet has been lost
 * @qp: RC
 * @psn: of the packet
 * @loss: how it was noticed
 *
 * Several losses in one flight shrink the window once, as in TCP (RFC 6675, section 5).
 */
void srnic_cc_lost(struct srnic_qp *qp, u32 psn, enum srnic_loss loss)
{
	struct srnic_congestion *cc = &qp->req.cc;
	bool many = losses_are_many(cc, psn);

	lockdep_assert_held(&qp->lock);

	cc->losing = true;
	if (loss == SRNIC_LOSS_TIMEOUT)
		cc_shrink(qp, cc->window / 2);
	else if ((many || cc_queued(cc, cc->recent_rtt)) && !shrunk_since(cc, psn))
		cc_shrink(qp, cc->window * 7 / 10);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_cc_lost);

/**
 * srnic_cc_take_credit - Request permission to send packets again that the peer reports missing
 * @qp: RC
 * @packets: how many
 *
 * Each acknowledged packet earns one, up to a full window. So a peer that reports gaps for ever
 * causes at most twice the traffic that it acknowledges.
 *
 * Return: true if permission is granted.
 */
bool srnic_cc_take_credit(struct srnic_qp *qp, u32 packets)
{
	struct srnic_congestion *cc = &qp->req.cc;
	u32 earned = srnic_psn_since(qp->req.una, cc->credit_psn);

	lockdep_assert_held(&qp->lock);

	cc->credit = min_t(u32, cc->credit + earned, WINDOW_MAX);
	cc->credit_psn = qp->req.una;
	if (packets > cc->credit)
		return false;
	cc->credit -= packets;
	return true;
}

/**
 * srnic_cc_not_ready - Stop slow start: the receiver has too few buffers for the window
 * @qp: RC
 */
void srnic_cc_not_ready(struct srnic_qp *qp)
{
	lockdep_assert_held(&qp->lock);

	qp->req.cc.slow_start = false;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_cc_not_ready);

/**
 * srnic_cc_marked - Adapt the window: a packet has met a queue
 * @qp: RC, in RTS or SQD
 *
 * Further marks in the same epoch belong to packets that were sent before the window shrank.
 */
void srnic_cc_marked(struct srnic_qp *qp)
{
	struct srnic_congestion *cc = &qp->req.cc;
	u32 less;

	lockdep_assert_held(&qp->lock);

	if (cc->marked)
		return;
	cc->marked = true;
	cc->slow_start = false;
	cc->clear_epochs = 0;
	cc->alpha += (ALPHA_ONE - cc->alpha) >> ALPHA_SHIFT;
	less = cc->window * cc->alpha / (2 * ALPHA_ONE);
	cc->window = max_t(u32, cc->window - less, SRNIC_WINDOW_MIN);
	cc->floor = min(cc->floor, cc->window);
	begin_epoch(qp);
	srnic_count(qp, ecn_slowed);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_cc_marked);

/**
 * srnic_cc_window - Return how many packets may be unacknowledged
 * @qp: RC
 */
u32 srnic_cc_window(const struct srnic_qp *qp)
{
	const struct srnic_congestion *cc = &qp->req.cc;

	/* a receiver that has not been ready for long is asked with the least window */
	if (unlikely(cc->draining || qp->req.rnr_naks > SRNIC_RNR_FAST_NAKS))
		return SRNIC_WINDOW_MIN;
	return cc->window;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_cc_window);

/**
 * srnic_cc_overdue - Return the time after which an answer is overdue, ns
 * @qp: RC
 *
 * As for TCP's tail loss probe (RFC 8985, section 7.2): two RTTs, or one and four times their
 * variation; 0: no RTT is known.
 */
u64 srnic_cc_overdue(const struct srnic_qp *qp)
{
	const struct srnic_congestion *cc = &qp->req.cc;

	return cc->srtt ? (u64)cc->srtt + max(cc->srtt, 4 * cc->rttvar) : 0;
}
