// SPDX-License-Identifier: GPL-2.0
/*
 * The requester: work requests into packets (IBA 9.7.2, 9.8.1).
 *
 * A cursor, (sq.next, req.psn), walks over the work requests. Each gets its PSNs
 * when the cursor first reaches it and keeps them; so going back N packets is to
 * set the cursor back to req.una, and sending again is sending. A READ goes on from
 * the first response that is missing (IBA 9.7.5.1.3).
 */
#include "srnic.h"
#include "engine/probe.h"
#include "engine/requester.h"
#include "engine/state.h"
#include "engine/timer.h"
#include "engine/unlock.h"

/* how far ahead to look for work requests that can share a super-packet */
#define LOOK_AHEAD	64

static bool reliable(const struct srnic_qp *qp)
{
	return qp->ib.qp_type == IB_QPT_RC;
}

static u32 outstanding(const struct srnic_qp *qp)
{
	return srnic_psn_diff(qp->req.psn, qp->req.una);
}

/* packets that the window lets out; UC has none */
static u32 window_room(const struct srnic_qp *qp)
{
	u32 out = outstanding(qp);

	if (!reliable(qp))
		return SRNIC_TURN;
	return out < qp->req.window ? qp->req.window - out : 0;
}

static void count_repeated(struct srnic_qp *qp)
{
	qp->req.retransmits++;
	srnic_count(qp->dev, retransmits);
}

/* From now on it counts as sent: @count PSNs, one packet. */
static void advance(struct srnic_qp *qp, u32 count)
{
	struct srnic_requester *req = &qp->req;

	if (srnic_psn_diff(req->psn, req->max_sent) < 0)
		count_repeated(qp);
	req->psn = srnic_psn_add(req->psn, count);
	if (srnic_psn_diff(req->psn, req->max_sent) > 0)
		req->max_sent = req->psn;
	if (!reliable(qp))
		req->una = req->psn;
}

/* Why a packet could not be built, and what comes of it. */
static int send_failed(struct srnic_qp *qp, struct srnic_swqe *wqe, int err)
{
	switch (err) {
	case -EFAULT:
		srnic_sq_fail(qp, wqe, IB_WC_LOC_PROT_ERR);
		break;
	case -EKEYEXPIRED:
		srnic_qp_fatal(qp, IB_EVENT_QP_FATAL);
		break;
	case -ENOKEY:
		srnic_qp_kick(qp, SRNIC_QP_WORK_REKEY);
		fallthrough;
	default:
		if (!reliable(qp) && err != -ENOKEY) {
			srnic_count(qp->dev, send_err);	/* as good as lost on the way */
			return 0;
		}
		qp->req.stalled = true;
	}
	return err;
}

/*
 * How long an answer takes is measured once a flight, by the clock that the retry
 * timer goes by; a packet that is sent again tells nothing (Karn).
 */
static void time_answer(struct srnic_qp *qp)
{
	struct srnic_requester *req = &qp->req;

	if (req->timed || req->psn != req->max_sent)
		return;
	req->timed = true;
	req->timed_psn = req->psn;
	req->timed_from = jiffies;
}

/* How many work requests like the first wait to be sent, that one included. */
static u32 alike(const struct srnic_qp *qp, const struct srnic_swqe *first)
{
	u32 have = min(srnic_sq_waiting(qp), LOOK_AHEAD);
	u32 n;

	for (n = 1; n < have; n++) {
		const struct srnic_swqe *wqe = srnic_sq_wqe(&qp->sq, qp->sq.next + n);

		if (wqe->opcode != first->opcode || wqe->length != first->length)
			break;
	}
	return n;
}

/*
 * IBA 9.7.7.1: which packets ask for an acknowledgment is ours to choose. The last
 * of a message, so that it can complete; some on the way, to keep the window
 * moving; and the last that the window lets out, or everything would stop.
 */
static bool ask_for_ack(struct srnic_qp *qp, bool last, u32 room)
{
	struct srnic_requester *req = &qp->req;

	if (!reliable(qp))
		return false;
	if (!last && room > 1 && ++req->since_ackreq < req->window / 4)
		return false;
	req->since_ackreq = 0;
	time_answer(qp);
	return true;
}

/* Packet @i of the @n that a SEND or WRITE makes. */
static void data_headers(struct srnic_build *build, const struct srnic_swqe *wqe, u32 i, u32 n)
{
	const struct srnic_wqe_kind *kind = srnic_wqe_kind(wqe);
	struct srnic_pkt *pkt = &build->pkt;
	bool last = i == n - 1;

	if (i)
		pkt->opcode = last ? kind->last : kind->middle;
	else
		pkt->opcode = last ? kind->only : kind->first;
	if (!reliable(build->qp))
		pkt->opcode |= SRNIC_TP_UC;

	pkt->psn = srnic_psn_add(wqe->first_psn, i);
	pkt->va = wqe->raddr;
	pkt->dmalen = wqe->length;
	pkt->rkey = wqe->opcode == SRNIC_WQE_SEND_INV ? wqe->inv_rkey : wqe->rkey;
	pkt->imm = wqe->imm;
	pkt->se = last && wqe->flags & SRNIC_SWQE_SOLICITED && wqe->opcode != SRNIC_WQE_WRITE;
}

/* How many packets as long as this one will follow, as far as can be seen. */
static u32 data_more(const struct srnic_build *build, const struct srnic_swqe *wqe, u32 i, u32 n)
{
	if (n == 1)
		return build->open ? 1 : alike(build->qp, wqe);
	if (!i && srnic_opcode_table[build->pkt.opcode].reth)
		return 1;	/* the others have no RETH */
	return n - i;
}

static int build_data_packet(struct srnic_build *build, const struct srnic_swqe *wqe, u32 i, u32 n,
			     bool ackreq, u32 room)
{
	struct srnic_qp *qp = build->qp;
	u32 off = i * qp->mtu;
	struct srnic_source src = { .at = off };

	if (wqe->flags & SRNIC_SWQE_INLINE) {
		src.data = wqe->inline_data;
	} else {
		src.sge = wqe->sge;
		src.num_sge = wqe->num_sge;
	}
	data_headers(build, wqe, i, n);
	build->pkt.ackreq = ackreq;
	return srnic_build_packet(build, &src, min(wqe->length - off, qp->mtu),
				  min(data_more(build, wqe, i, n), room));
}

static int send_data_packet(struct srnic_build *build, struct srnic_swqe *wqe, u32 i, u32 n,
			    u32 room)
{
	struct srnic_qp *qp = build->qp;
	int err;

	err = build_data_packet(build, wqe, i, n, ask_for_ack(qp, i == n - 1, room), room);
	if (unlikely(err)) {
		err = send_failed(qp, wqe, err);
		if (err)
			return err;
	}
	advance(qp, 1);
	return 0;
}

static int send_data(struct srnic_build *build, struct srnic_swqe *wqe, int budget)
{
	struct srnic_qp *qp = build->qp;
	u32 n = srnic_wqe_packets(wqe, qp->mtu);
	u32 i = (qp->req.psn - wqe->first_psn) & SRNIC_PSN_MASK;
	u32 room = min_t(u32, window_room(qp), budget);
	int sent = 0;
	int err;

	if (!room)
		return -EAGAIN;

	for (; room && i < n && !srnic_build_late(build); room--, i++, sent++) {
		err = send_data_packet(build, wqe, i, n, room);
		if (unlikely(err))
			return err;
	}
	if (i == n) {
		if (!reliable(qp))
			wqe->state = SRNIC_SWQE_DONE;
		qp->sq.next++;
	}
	return sent;
}

/* IBA 9.7.3.1 and 11.2.4.2: no more than the responder has resources for. */
static bool may_request(const struct srnic_qp *qp, u32 count)
{
	const struct srnic_requester *req = &qp->req;

	if (req->rd_atomic >= qp->attr.max_rd_atomic)
		return false;
	return req->psn == req->una || outstanding(qp) + count <= req->window;
}

static int send_request(struct srnic_build *build, struct srnic_swqe *wqe, u32 count, u32 more)
{
	struct srnic_qp *qp = build->qp;
	int err;

	build->pkt.opcode = srnic_wqe_kind(wqe)->only;
	build->pkt.psn = qp->req.psn;
	build->pkt.rkey = wqe->rkey;
	build->pkt.ackreq = false;	/* the response is one */
	build->pkt.se = false;
	err = srnic_build_packet(build, NULL, 0, more);
	if (unlikely(err))
		return send_failed(qp, wqe, err) ?: -EAGAIN;

	qp->req.rd_atomic++;
	qp->req.since_ackreq = 0;
	time_answer(qp);
	advance(qp, count);
	return 1;
}

/* One piece of a READ, or what is left of it. */
static int send_read(struct srnic_build *build, struct srnic_swqe *wqe)
{
	struct srnic_qp *qp = build->qp;
	u32 n = srnic_wqe_packets(wqe, qp->mtu);
	u32 i = (qp->req.psn - wqe->first_psn) & SRNIC_PSN_MASK;
	u32 end = min_t(u32, n, round_up(i + 1, SRNIC_READ_PIECE));
	u32 more = DIV_ROUND_UP(n - i, SRNIC_READ_PIECE);
	u32 off = i * qp->mtu;
	int ret;

	if (!may_request(qp, end - i))
		return -EAGAIN;

	build->pkt.va = wqe->raddr + off;
	build->pkt.dmalen = min(wqe->length - off, (end - i) * qp->mtu);
	if (more == 1 && !build->open)
		more = alike(qp, wqe);
	ret = send_request(build, wqe, end - i, more);
	if (ret > 0 && end == n)
		qp->sq.next++;
	return ret;
}

static int send_atomic(struct srnic_build *build, struct srnic_swqe *wqe)
{
	struct srnic_qp *qp = build->qp;
	bool swap = wqe->opcode == SRNIC_WQE_CMP_SWAP;
	int ret;

	if (!may_request(qp, 1))
		return -EAGAIN;

	build->pkt.va = wqe->raddr;
	build->pkt.swap_add = swap ? wqe->atomic.swap : wqe->atomic.compare_add;
	build->pkt.compare = swap ? wqe->atomic.compare_add : 0;
	ret = send_request(build, wqe, 1, build->open ? 1 : alike(qp, wqe));
	if (ret > 0)
		qp->sq.next++;
	return ret;
}

/*
 * A local invalidation waits for all that was posted before it: until then packets
 * may have to be gathered again from, or responses placed in, the very region.
 */
static int start_local(struct srnic_build *build, struct srnic_swqe *wqe)
{
	struct srnic_qp *qp = build->qp;
	enum ib_wc_status status;

	if (wqe->opcode == SRNIC_WQE_LOCAL_INV) {
		srnic_sq_retire(qp);
		if (qp->sq.cons != qp->sq.next)
			return -EAGAIN;
	}
	srnic_hold_drop(&build->hold);
	status = srnic_local_op(qp, wqe);
	if (status) {
		srnic_sq_fail(qp, wqe, status);
		return -EINVAL;
	}
	wqe->state = SRNIC_SWQE_DONE;
	return 0;
}

/**
 * srnic_requester_start - the cursor reaches a work request for the first time
 * @build: the turn
 * @wqe: in state NEW
 *
 * Return: 0: it has its PSNs, or has been carried out; -EAGAIN: it must wait;
 * -EINVAL: it has failed.
 */
int srnic_requester_start(struct srnic_build *build, struct srnic_swqe *wqe)
{
	struct srnic_qp *qp = build->qp;
	enum ib_wc_status status;

	lockdep_assert_held(&qp->lock);

	if (qp->state == IB_QPS_SQD)
		return -EAGAIN;		/* IBA 10.3.1.5: finish what was begun */

	status = srnic_wqe_check(qp, wqe);
	if (unlikely(status)) {
		srnic_count(qp->dev, bad_wqe);
		srnic_sq_fail(qp, wqe, status);
		return -EINVAL;
	}
	/* IBA 10.8.3.3: behind all earlier READs and atomics */
	if (wqe->flags & SRNIC_SWQE_FENCE && qp->req.rd_atomic)
		return -EAGAIN;
	if (srnic_wqe_kind(wqe)->class == SRNIC_CLASS_LOCAL)
		return start_local(build, wqe);

	wqe->first_psn = qp->req.psn;
	wqe->last_psn = srnic_psn_add(wqe->first_psn, srnic_wqe_packets(wqe, qp->mtu) - 1);
	wqe->state = SRNIC_SWQE_ACTIVE;
	return 0;
}

/* Returns the packets sent, or a negative errno: no more in this turn. */
static int step(struct srnic_build *build, struct srnic_swqe *wqe, int budget)
{
	struct srnic_qp *qp = build->qp;
	int err;

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
		return -EINVAL;		/* until those before it are complete */

	if (!srnic_qp_connected(qp))
		return srnic_datagram_send(build, wqe, budget);

	switch (srnic_wqe_kind(wqe)->class) {
	case SRNIC_CLASS_READ:
		return send_read(build, wqe);
	case SRNIC_CLASS_ATOMIC:
		return send_atomic(build, wqe);
	default:
		return send_data(build, wqe, budget);
	}
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

/* IBA 10.3.1.5, C10-38: told once */
static void report_drained(struct srnic_qp *qp)
{
	if (qp->state != IB_QPS_SQD || qp->req.drained || srnic_requester_busy(qp))
		return;
	qp->req.drained = true;
	if (qp->attr.en_sqd_async_notify)
		srnic_qp_event(qp, IB_EVENT_SQ_DRAINED);
}

static void keep_order(struct srnic_qp *qp, bool follow)
{
	if (reliable(qp))
		srnic_qp_built_requests(qp, follow);
	else
		srnic_qp_built_unacked(qp, false);
}

/**
 * srnic_requester_run - send what may be sent, a turn's worth
 * @qp: the QP
 *
 * Stops at the end of the queue, the window, the turn, or whatever a work request
 * has to wait for. Who removes an obstacle calls this again: the completer when
 * acknowledgments come, the timers, the worker, post_send.
 *
 * Context: process or softirq, under the QP's lock; packets leave at its unlock.
 */
void srnic_requester_run(struct srnic_qp *qp)
{
	struct srnic_requester *req = &qp->req;
	bool idle = req->una == req->max_sent;
	struct srnic_build build __uninitialized;
	struct srnic_swqe *wqe;
	int budget = SRNIC_TURN;
	int sent;

	lockdep_assert_held(&qp->lock);

	if (!may_send(qp)) {
		report_drained(qp);
		return;
	}
	if (qp->sq.ring.user)
		srnic_sq_awake(&qp->sq.ring);

	req->stalled = false;
	srnic_build_begin(&build, qp, &qp->path, SRNIC_FLOW_OURS);
	while (budget > 0 && srnic_qp_sends(qp) && !srnic_build_late(&build)) {
		wqe = srnic_sq_peek(qp);
		if (!wqe) {
			/* a small queue may be full of what is complete already */
			if (srnic_sq_retire(qp))
				continue;
			break;
		}
		sent = step(&build, wqe, budget);
		if (sent < 0)
			break;
		budget -= sent ?: 1;
	}
	srnic_build_end(&build);
	if (build.packets)
		keep_order(qp, !idle);
	/* of what is acknowledged, the completer has told it */
	if (!reliable(qp) && qp->sth && srnic_sth_advance(qp->sth, SRNIC_FLOW_OURS, req->psn))
		srnic_qp_kick(qp, SRNIC_QP_WORK_REKEY);

	srnic_sq_retire(qp);
	report_drained(qp);
	if (budget <= 0 || srnic_build_late(&build))
		srnic_qp_kick(qp, SRNIC_QP_WORK_SEND);
	srnic_timer_start(qp, idle);
}

/*
 * Nothing is left to send, to wait for or to report, and who posts something rings: a
 * user because the ring sleeps, the kernel always.
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
 * srnic_requester_answered - go on, after responses, if there is anything to do
 * @qp: the QP
 *
 * The completer has retired what they have completed.
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
 * srnic_requester_repeat - send the oldest unacknowledged packet once more, alone
 * @qp: the QP; it is a SEND's or a WRITE's
 *
 * For an answer; the cursor stays where it is.
 *
 * Return: true if it has been sent.
 */
bool srnic_requester_repeat(struct srnic_qp *qp)
{
	const struct srnic_swqe *wqe = srnic_sq_wqe(&qp->sq, qp->sq.cons);
	u32 i = (qp->req.una - wqe->first_psn) & SRNIC_PSN_MASK;
	struct srnic_build build __uninitialized;
	int err;

	lockdep_assert_held(&qp->lock);

	srnic_build_begin(&build, qp, &qp->path, SRNIC_FLOW_OURS);
	err = build_data_packet(&build, wqe, i, srnic_wqe_packets(wqe, qp->mtu), true, 1);
	srnic_build_end(&build);
	if (err)
		return false;
	keep_order(qp, true);
	count_repeated(qp);
	return true;
}

/**
 * srnic_requester_go_back - send again from the oldest unacknowledged packet on
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
	req->timed = false;
	req->went_back = false;		/* a new flight, with gaps of its own */
}

/**
 * srnic_requester_lost - the same, after a loss: somebody on the way has no room
 * @qp: the QP
 */
void srnic_requester_lost(struct srnic_qp *qp)
{
	struct srnic_requester *req = &qp->req;

	req->window = max(req->window / 2, SRNIC_WINDOW_MIN);
	req->credit = 0;
	req->losing = true;
	srnic_probe_lost(qp);
	srnic_requester_go_back(qp);
}

/**
 * srnic_requester_busy - whether a message has been begun and is not complete
 * @qp: the QP
 */
bool srnic_requester_busy(const struct srnic_qp *qp)
{
	const struct srnic_sq *sq = &qp->sq;

	return sq->cons != srnic_sq_prod(sq) &&
	       srnic_sq_wqe(sq, sq->cons)->state == SRNIC_SWQE_ACTIVE;
}
