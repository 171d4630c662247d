// SPDX-License-Identifier: GPL-2.0
/*
 * The requester: it turns work requests into packets (IBA 9.7.2, 9.8.1).
 *
 * A cursor, (sq.next, req.psn), walks over the work requests. A work request gets its PSNs
 * when the cursor first reaches it, and keeps them. Going back N packets sets the cursor back
 * to req.una; retransmission is the same code as transmission. A READ continues with the first
 * missing response (IBA 9.7.5.1.3).
 */
#include "export.h"
#include "srnic.h"
#include "engine/backpressure.h"
#include "engine/congestion.h"
#include "engine/due.h"
#include "engine/frame.h"
#include "engine/gso_watch.h"
#include "engine/handshake.h"
#include "engine/reorder.h"
#include "engine/request.h"
#include "engine/requester.h"
#include "engine/timer.h"

/* At least one packet in so many requests an acknowledgment */
#define ACK_EVERY	32U

static bool is_reliable(const struct srnic_qp *qp)
{
	return srnic_qp_reliable(qp);
}

/* Whether a packet on its way has asked for an acknowledgment, or for another answer */
static bool answer_is_due(const struct srnic_qp *qp)
{
	return srnic_qp_unacked(qp) > qp->req.since_ackreq;
}

/* The newest packets may not have left: take it that no packet on its way asks. */
static void expect_no_answer(struct srnic_qp *qp)
{
	qp->req.since_ackreq = srnic_qp_unacked(qp);
}

/*
 * Return how many packets the window allows; UC has no window. If it is full, or has shrunk, and
 * no answer is due, it allows one that asks for an acknowledgment, or sending would stop.
 */
static u32 window_avail(struct srnic_qp *qp)
{
	u32 out = srnic_qp_unacked(qp);
	u32 window;

	if (!is_reliable(qp))
		return SRNIC_TURN;
	window = srnic_cc_window(qp);
	qp->req.ack_every = min(window / 4, ACK_EVERY);
	if (out < window)
		return window - out;
	qp->req.cc.limited = true;
	return !answer_is_due(qp);
}

/**
 * srnic_requester_count_repeated - Count packets that have been sent before
 * @qp: the QP
 * @packets: how many
 */
void srnic_requester_count_repeated(struct srnic_qp *qp, u32 packets)
{
	qp->req.retransmits += packets;
	srnic_count_add(qp, retransmits, packets);
}

/* Count a packet of @count PSNs as sent. */
static void cursor_advance(struct srnic_qp *qp, u32 count)
{
	struct srnic_requester *req = &qp->req;

	if (srnic_psn_diff(req->psn, req->max_sent) < 0)
		srnic_requester_count_repeated(qp, 1);
	req->psn = srnic_psn_add(req->psn, count);
	if (srnic_psn_diff(req->psn, req->max_sent) > 0)
		req->max_sent = req->psn;
}

/* Handle the errno of a packet that could not be built. Return 0 to continue. */
static int send_failed(struct srnic_qp *qp, struct srnic_swqe *wqe, int err)
{
	switch (err) {
	case -EFAULT:
		srnic_sq_fail(qp, wqe, IB_WC_LOC_PROT_ERR);
		break;
	case -EKEYEXPIRED:
		srnic_qp_fatal(qp, IB_EVENT_QP_FATAL);
		break;
	case -EBUSY:
		srnic_cc_forget(qp);	/* the packet has been stamped, and leaves much later */
		break;
	case -ENOKEY:
		srnic_qp_kick(qp, SRNIC_QP_WORK_REKEY);
		fallthrough;
	default:
		if (!is_reliable(qp) && err != -ENOKEY) {
			srnic_count(qp, send_err);	/* the packet counts as lost */
			return 0;
		}
		qp->req.stalled = true;
	}
	expect_no_answer(qp);
	return err;
}

/*
 * IBA 9.7.7.1 leaves it to the requester which packets request an acknowledgment: the last of a
 * message, so that it can complete; and some in between, to keep the window moving. The last that
 * the window allows does not: its acknowledgment would allow one packet, which would be the last
 * again (the silly window syndrome of RFC 9293, section 3.8.6.2).
 */
static bool ask_for_ack(struct srnic_qp *qp, bool last)
{
	struct srnic_requester *req = &qp->req;

	if (!is_reliable(qp))
		return false;
	if (!last && ++req->since_ackreq < req->ack_every)
		return false;
	req->since_ackreq = 0;
	srnic_cc_stamp(qp);
	return true;
}

static int send_data_packet(struct srnic_build *build, struct srnic_swqe *wqe, u32 i, bool last,
			    u32 avail)
{
	struct srnic_qp *qp = build->qp;
	int err;

	err = srnic_request_data(build, wqe, i, ask_for_ack(qp, last), avail);
	if (unlikely(err)) {
		err = send_failed(qp, wqe, err);
		if (err)
			return err;
	}
	cursor_advance(qp, 1);
	return 0;
}

/*
 * Whether nothing follows the last @rest packets of a message, as far as is known, and the window
 * has room for them. Acknowledgments of those in the middle would help nobody, and each costs both
 * ends about as much as a packet of data.
 */
static bool is_alone(const struct srnic_qp *qp, u32 rest, u32 avail)
{
	return rest <= avail && qp->sq.next + 1 == srnic_sq_prod(&qp->sq);
}

static int send_data(struct srnic_build *build, struct srnic_swqe *wqe, int budget)
{
	struct srnic_qp *qp = build->qp;
	u32 n = srnic_wqe_packets(wqe, qp->mtu);
	u32 i = srnic_psn_since(qp->req.psn, wqe->first_psn);
	u32 avail = min_t(u32, window_avail(qp), budget);
	int sent = 0;
	int err;

	if (!avail)
		return -EAGAIN;
	if (is_alone(qp, n - i, avail))
		qp->req.ack_every = U16_MAX;

	for (; avail && i < n && !srnic_build_over(build); avail--, i++, sent++) {
		err = send_data_packet(build, wqe, i, i == n - 1, avail);
		if (unlikely(err))
			return err;
	}
	if (i == n)
		qp->sq.next++;
	return sent;
}

/*
 * IBA 9.7.3.1 and 11.2.4.2: no more requests than the responder has resources for. The last
 * request is not cut to the window, because more than one must be outstanding.
 */
static bool may_request(struct srnic_qp *qp)
{
	return qp->req.rd_atomic < qp->attr.max_rd_atomic && window_avail(qp);
}

/* Account for a request of @count PSNs, or handle the error that kept it from being built. */
static int request_built(struct srnic_qp *qp, struct srnic_swqe *wqe, int err, u32 count)
{
	if (unlikely(err))
		return send_failed(qp, wqe, err) ?: -EAGAIN;

	qp->req.rd_atomic++;
	qp->req.since_ackreq = 0;
	srnic_cc_stamp(qp);
	cursor_advance(qp, count);
	return 1;
}

/* Send the request for one piece of a READ, or for the rest. */
static int send_read(struct srnic_build *build, struct srnic_swqe *wqe)
{
	struct srnic_qp *qp = build->qp;
	u32 n = srnic_wqe_packets(wqe, qp->mtu);
	u32 i = srnic_psn_since(qp->req.psn, wqe->first_psn);
	u32 end = min_t(u32, n, round_up(i + 1, SRNIC_READ_PIECE));
	u32 more = DIV_ROUND_UP(n - i, SRNIC_READ_PIECE);
	int ret;

	if (!may_request(qp))
		return -EAGAIN;

	if (more == 1)
		more = srnic_request_alike(build, wqe);
	ret = request_built(qp, wqe, srnic_request_read(build, wqe, i, end - i, more), end - i);
	if (ret > 0 && end == n)
		qp->sq.next++;
	return ret;
}

static int send_single(struct srnic_build *build, struct srnic_swqe *wqe)
{
	struct srnic_qp *qp = build->qp;
	u32 more;
	int ret;

	if (!may_request(qp))
		return -EAGAIN;

	more = srnic_request_alike(build, wqe);
	ret = request_built(qp, wqe, srnic_request_single(build, wqe, more), 1);
	if (ret > 0)
		qp->sq.next++;
	return ret;
}

/* Return the number of packets sent, or a negative errno, which ends the turn. */
static int send_wqe(struct srnic_build *build, struct srnic_swqe *wqe, int budget)
{
	struct srnic_qp *qp = build->qp;
	int err;

	build->at = qp->sq.next;
	if (wqe->state == SRNIC_SWQE_NEW) {
		err = srnic_requester_start(build, wqe);
		if (err)
			return err;
	}
	if (wqe->state == SRNIC_SWQE_DONE) {
		qp->sq.next++;
		return 0;
	}
	if (wqe->state == SRNIC_SWQE_FAILED)
		return -EINVAL;		/* it completes after those before it */

	if (srnic_qp_datagrams(qp))
		return srnic_datagram_send(build, wqe, budget);

	switch (srnic_wqe_kind(wqe)->class) {
	case SRNIC_CLASS_READ:
		return send_read(build, wqe);
	case SRNIC_CLASS_ATOMIC:
	case SRNIC_CLASS_CONFIRMED:
		return send_single(build, wqe);
	case SRNIC_CLASS_FRAME:
		return srnic_frame_send(build, wqe);
	default:
		return send_data(build, wqe, budget);
	}
}

/*
 * Send packets of the work request at the cursor. Return by how many packets the budget shrinks,
 * or a negative errno, which ends the turn.
 */
static int send_next(struct srnic_build *build, int budget)
{
	struct srnic_swqe *wqe = srnic_sq_peek(build->qp);

	if (wqe)
		return send_wqe(build, wqe, budget) ?: 1;
	/* Completed work requests may fill a small queue */
	return srnic_sq_retire(build->qp) ? 0 : -EAGAIN;
}

/* Send packets until the turn ends. Return what is left of the budget. */
static int send_turn(struct srnic_build *build)
{
	int budget = SRNIC_TURN;
	int sent;

	while (budget > 0 && srnic_qp_sends(build->qp) && !srnic_build_over(build)) {
		sent = send_next(build, budget);
		if (sent < 0)
			break;
		budget -= sent;
	}
	return budget;
}

static bool may_send(struct srnic_qp *qp)
{
	if (!srnic_qp_sends(qp) || qp->req.wait_rnr)
		return false;
	if (likely(!qp->req.wait_keys))
		return true;
	srnic_hs_resume(qp);
	return false;
}

/* IBA 10.3.1.5, C10-38: the event is reported once. */
static void report_drained(struct srnic_qp *qp)
{
	if (qp->state != IB_QPS_SQD || qp->req.drained || srnic_requester_busy(qp))
		return;
	qp->req.drained = true;
	if (qp->attr.en_sqd_async_notify)
		srnic_qp_event(qp, IB_EVENT_SQ_DRAINED);
}

/*
 * Packets are in qp->out. UC loses a message if its packets change places, also on their way to
 * the peer, where nobody can see them; so time decides for how long others follow. Datagrams may
 * come in any order (IBA 9.8.3): it is enough that each leaves this machine after those before it.
 */
static void turn_built(struct srnic_qp *qp, enum srnic_flight flight)
{
	if (qp->transport == SRNIC_TP_UC)
		srnic_qp_built_unacked(qp, SRNIC_FLIGHT_BEGINS);
	else
		srnic_qp_built_ordered(qp, flight);
}

/**
 * srnic_requester_run - Send packets until the turn ends
 * @qp: the QP
 *
 * The turn ends with the queue, the window, the budget, or a work request that must wait. The
 * context that removes the obstacle calls this function again: the completer, a timer, the
 * worker, or post_send.
 *
 * Context: process or softirq, under the QP's lock; packets leave when it is unlocked.
 */
void srnic_requester_run(struct srnic_qp *qp)
{
	struct srnic_requester *req = &qp->req;
	enum srnic_flight flight = req->una == req->max_sent ? SRNIC_FLIGHT_BEGINS :
							       SRNIC_FLIGHT_CONTINUES;
	struct srnic_build build __uninitialized;
	u32 allowance, first = req->psn;
	int budget;

	lockdep_assert_held(&qp->lock);

	if (!may_send(qp)) {
		report_drained(qp);
		return;
	}
	if (qp->sq.ring.user)
		srnic_sq_awake(&qp->sq.ring);

	allowance = srnic_tx_allowance(qp);
	if (unlikely(!allowance))
		return;
	req->stalled = false;
	srnic_build_begin(&build, qp, &qp->path, SRNIC_FLOW_OURS);
	build.max_bytes = allowance;
	budget = send_turn(&build);
	srnic_build_end(&build);
	if (build.packets)
		turn_built(qp, flight);
	/* packets that could not be built count as lost, and complete with those that have left */
	if (!is_reliable(qp) && req->psn != first)
		srnic_tx_mark(qp);
	/* The completer tells the seal of acknowledged packets */
	if (!is_reliable(qp) && qp->sth && srnic_sth_advance(qp->sth, SRNIC_FLOW_OURS, req->psn))
		srnic_qp_kick(qp, SRNIC_QP_WORK_REKEY);

	srnic_sq_retire(qp);
	report_drained(qp);
	if ((budget <= 0 || srnic_build_over(&build)) && srnic_tx_allowance(qp))
		srnic_qp_kick(qp, SRNIC_QP_WORK_SEND);
	srnic_timer_start(qp, flight);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_requester_run);

/*
 * Return true if nothing is left to send, to wait for or to report, and the next post rings the
 * doorbell: a user's because the ring sleeps, the kernel's always.
 */
static bool at_rest(const struct srnic_qp *qp)
{
	const struct srnic_requester *req = &qp->req;
	const struct srnic_sq *sq = &qp->sq;

	return qp->state == IB_QPS_RTS && req->una == req->max_sent &&
	       !req->stalled && !req->wait_keys && sq->cons == srnic_sq_prod(sq) &&
	       (sq->ring.asleep || !sq->ring.user);
}

/**
 * srnic_requester_answered - Continue sending after responses
 * @qp: the QP
 *
 * The completer has retired the completed work requests. Nothing happens if the QP is idle.
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_requester_answered(struct srnic_qp *qp)
{
	lockdep_assert_held(&qp->lock);

	if (!at_rest(qp))
		srnic_requester_run(qp);
}

/**
 * srnic_requester_go_back - Send again from the oldest unacknowledged packet on
 * @qp: the QP
 *
 * Go-back-N (IBA 9.7.5.1.1).
 */
void srnic_requester_go_back(struct srnic_qp *qp)
{
	struct srnic_requester *req = &qp->req;

	lockdep_assert_held(&qp->lock);

	qp->sq.next = qp->sq.cons;
	req->psn = req->una;
	req->rd_atomic = 0;
	req->since_ackreq = 0;
	srnic_cc_forget(qp);
	srnic_gso_watch_forget(&req->gso_watch);
	req->nak_handled = false;	/* a new flight, with gaps of its own */
	srnic_reorder_forget_request(&req->early);
}

/* Return how many READ and atomic requests of @wqe are outstanding. */
static u32 requests_of(const struct srnic_qp *qp, const struct srnic_swqe *wqe)
{
	const struct srnic_requester *req = &qp->req;
	u32 n = srnic_wqe_packets(wqe, qp->mtu);
	s32 from = srnic_psn_diff(req->una, wqe->first_psn);
	s32 to = srnic_psn_diff(req->psn, wqe->first_psn);

	if (!srnic_wqe_answered(wqe))
		return 0;
	from = max(from, 0);
	to = min_t(s32, to, n);
	if (to <= from)
		return 0;
	if (srnic_wqe_kind(wqe)->class != SRNIC_CLASS_READ)
		return 1;
	return DIV_ROUND_UP(to, SRNIC_READ_PIECE) - from / SRNIC_READ_PIECE;
}

/**
 * srnic_requester_rewind - Send again from a packet on that was not transmitted
 * @qp: the QP
 * @psn: of the packet
 */
void srnic_requester_rewind(struct srnic_qp *qp, u32 psn)
{
	struct srnic_requester *req = &qp->req;
	struct srnic_sq *sq = &qp->sq;

	lockdep_assert_held(&qp->lock);

	if (srnic_psn_diff(psn, req->psn) >= 0)
		return;
	srnic_requester_go_back(qp);
	if (srnic_psn_diff(psn, req->una) <= 0)
		return;

	req->psn = psn;
	expect_no_answer(qp);
	for (; sq->next != srnic_sq_prod(sq); sq->next++) {
		const struct srnic_swqe *wqe = srnic_sq_wqe(sq, sq->next);

		if (wqe->state != SRNIC_SWQE_ACTIVE && wqe->state != SRNIC_SWQE_DONE)
			break;
		if (wqe->state == SRNIC_SWQE_DONE)
			continue;
		req->rd_atomic += requests_of(qp, wqe);
		if (srnic_psn_diff(psn, wqe->last_psn) <= 0)
			break;
	}
}

SRNIC_EXPORT_FOR_KUNIT(srnic_requester_rewind);

/**
 * srnic_requester_find - Find the outstanding work request that a PSN belongs to
 * @qp: the QP
 * @psn: not acknowledged
 * @at: set to the index of the work request
 *
 * Return: NULL if there is none.
 */
struct srnic_swqe *srnic_requester_find(struct srnic_qp *qp, u32 psn, u32 *at)
{
	struct srnic_sq *sq = &qp->sq;
	struct srnic_swqe *wqe;

	for (*at = sq->cons; *at != srnic_sq_prod(sq); (*at)++) {
		wqe = srnic_sq_wqe(sq, *at);
		if (wqe->state == SRNIC_SWQE_DONE)
			continue;
		if (wqe->state != SRNIC_SWQE_ACTIVE)
			break;
		if (srnic_psn_diff(psn, wqe->last_psn) <= 0)
			return wqe;
	}
	return NULL;
}

/**
 * srnic_requester_note_loss - Adapt to the loss of the oldest unacknowledged packet
 * @qp: RC
 * @loss: how it was noticed
 */
void srnic_requester_note_loss(struct srnic_qp *qp, enum srnic_loss loss)
{
	srnic_cc_lost(qp, qp->req.una, loss);
	srnic_gso_watch_judge(qp, &qp->req.gso_watch, qp->req.una);
}

/**
 * srnic_requester_lost - Retransmit all outstanding packets after a loss
 * @qp: RC
 * @loss: how it was noticed
 */
void srnic_requester_lost(struct srnic_qp *qp, enum srnic_loss loss)
{
	srnic_requester_note_loss(qp, loss);
	srnic_requester_go_back(qp);
}

/**
 * srnic_requester_busy - Return whether a message has been begun and is not complete
 * @qp: the QP
 */
bool srnic_requester_busy(const struct srnic_qp *qp)
{
	const struct srnic_sq *sq = &qp->sq;

	return sq->cons != srnic_sq_prod(sq) &&
	       srnic_sq_wqe(sq, sq->cons)->state == SRNIC_SWQE_ACTIVE;
}
