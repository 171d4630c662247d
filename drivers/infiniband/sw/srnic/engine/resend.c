// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that are sent again alone, without moving the cursor: a probe, or a gap whose
 * following packets the peer keeps (reorder.c).
 */
#include "export.h"
#include "srnic.h"
#include "engine/congestion.h"
#include "engine/due.h"
#include "engine/gso_watch.h"
#include "engine/probe.h"
#include "engine/request.h"
#include "engine/requester.h"

/* Extent of a READ that is sent again */
enum reach {
	TO_PIECE_END,	/* all of its piece: the responder lacks the request */
	TO_GAP_END,	/* those of the gap: the responder has the request */
};

/**
 * struct resend - packets to be sent again
 * @build: the turn
 * @psn: of the packet
 * @end: one past the highest PSN
 * @reach: extent of a READ
 */
struct resend {
	struct srnic_build build;
	u32 psn;
	u32 end;
	enum reach reach;
};

/* Return how many PSNs the packet took, or a negative errno. */
static int resend_packet(struct resend *r, const struct srnic_swqe *wqe)
{
	struct srnic_build *build = &r->build;
	u32 i = srnic_psn_since(r->psn, wqe->first_psn);
	u32 left = srnic_psn_diff(r->end, r->psn);
	u32 n;

	switch (srnic_wqe_kind(wqe)->class) {
	case SRNIC_CLASS_READ:
		/* no further than the request that the responder knows (requester.h) */
		n = min_t(u32, srnic_psn_diff(wqe->last_psn, r->psn) + 1,
			  SRNIC_READ_PIECE - i % SRNIC_READ_PIECE);
		if (r->reach == TO_GAP_END)
			n = min(n, left);
		return srnic_request_read(build, wqe, i, n, 1) ?: n;
	case SRNIC_CLASS_ATOMIC:
	case SRNIC_CLASS_CONFIRMED:
		return srnic_request_single(build, wqe, 1) ?: 1;
	default:
		return srnic_request_data(build, wqe, i, left == 1, left) ?: 1;
	}
}

/* Return false if no more can be sent. */
static bool resend_step(struct resend *r)
{
	struct srnic_qp *qp = r->build.qp;
	struct srnic_swqe *wqe = srnic_sq_wqe(&qp->sq, r->build.at);
	int taken;

	if (r->build.at == qp->sq.next && wqe->state != SRNIC_SWQE_ACTIVE)
		return false;
	if (wqe->state == SRNIC_SWQE_DONE) {
		r->build.at++;
		return true;
	}
	if (wqe->state != SRNIC_SWQE_ACTIVE)
		return false;
	taken = resend_packet(r, wqe);
	if (taken < 0)
		return false;
	r->psn = srnic_psn_add(r->psn, taken);
	if (srnic_psn_diff(r->psn, wqe->last_psn) > 0)
		r->build.at++;
	return true;
}

/*
 * Send the packets of @gap, which begins in the work request @at, as far as they have been sent
 * before; the last asks for an acknowledgment. Return how many packets were built.
 */
static u32 resend_packets(struct srnic_qp *qp, const struct srnic_gap *gap, u32 at,
			  enum reach reach)
{
	u32 before = srnic_psn_diff(qp->req.max_sent, gap->psn);
	struct resend r __uninitialized;

	r.psn = gap->psn;
	r.end = srnic_psn_add(gap->psn, min(gap->packets, before));
	r.reach = reach;
	srnic_build_begin(&r.build, qp, &qp->path, SRNIC_FLOW_OURS);
	r.build.at = at;
	while (srnic_psn_diff(r.end, r.psn) > 0 && resend_step(&r))
		;
	srnic_build_end(&r.build);
	if (r.build.packets)
		srnic_qp_built_ordered(qp, SRNIC_FLIGHT_CONTINUES);
	return r.build.packets;
}

/* Send @count packets from the oldest unacknowledged one on. */
static u32 resend_oldest(struct srnic_qp *qp, u32 count, enum reach reach)
{
	const struct srnic_gap gap = { .psn = qp->req.una, .packets = count };

	return resend_packets(qp, &gap, qp->sq.cons, reach);
}

/* Return whether packets that filled a gap are unacknowledged. */
static bool repair_outstanding(const struct srnic_requester *req)
{
	return srnic_psn_diff(req->repaired, req->una) > 0;
}

/**
 * srnic_requester_probe - Send the oldest unacknowledged packet once more, alone
 * @qp: RC; the oldest work request is active
 *
 * It requests an answer; a READ requests the oldest missing response. The super-packet that
 * was sent last is judged before: the probe's packet will arrive, however it was segmented.
 * If it was lost a second time, all answers behind it are late, and their RTTs too long.
 *
 * Return: true if it has been sent.
 */
bool srnic_requester_probe(struct srnic_qp *qp)
{
	lockdep_assert_held(&qp->lock);

	if (repair_outstanding(&qp->req))
		srnic_cc_forget(qp);
	srnic_gso_watch_judge(qp, &qp->req.gso_watch, qp->req.una);
	return resend_oldest(qp, 1, TO_GAP_END);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_requester_probe);

/* Answers to packets that were sent before are late now, and their RTTs too long. */
static void repaired_until(struct srnic_qp *qp, u32 psn)
{
	struct srnic_requester *req = &qp->req;

	if (!repair_outstanding(req) || srnic_psn_diff(psn, req->repaired) > 0)
		req->repaired = psn;
	srnic_cc_forget(qp);
}

/*
 * Fill a gap whose following packets have arrived. If it cannot be sent now, or will be sent
 * anyway, go back (IBA 9.7.5.1.1). The loss is judged first: from then on the super-packets of
 * the gap are watched.
 */
static void resend_gap(struct srnic_qp *qp, u32 count, enum reach reach)
{
	u32 sent = 0;

	srnic_requester_note_loss(qp, SRNIC_LOSS_REPORTED);
	/* SRNIC_GAP_MAX packets may exceed the QP's share of the stack: going back is far more */
	if (!qp->tx_stopped)
		sent = resend_oldest(qp, count, reach);
	if (!sent) {
		srnic_requester_go_back(qp);
		return;
	}
	srnic_requester_count_repeated(qp, sent);
	srnic_probe_settle(qp);
	repaired_until(qp, srnic_psn_add(qp->req.una, sent));
}

/**
 * srnic_requester_fill - Send a gap again: the responder keeps the packets behind it
 * @qp: RC; the oldest work request is active
 * @count: packets from the oldest unacknowledged one on
 */
void srnic_requester_fill(struct srnic_qp *qp, u32 count)
{
	lockdep_assert_held(&qp->lock);

	resend_gap(qp, count, TO_PIECE_END);
}

/**
 * srnic_requester_ask_again - Request missing responses again: later ones are kept
 * @qp: RC; the oldest work request is active
 * @count: responses from the oldest missing one on
 */
void srnic_requester_ask_again(struct srnic_qp *qp, u32 count)
{
	lockdep_assert_held(&qp->lock);

	resend_gap(qp, count, TO_GAP_END);
}

/* Return the part of @gap that has been sent and is not about to be sent again anyway. */
static struct srnic_gap outstanding_part(const struct srnic_qp *qp, const struct srnic_gap *gap)
{
	s32 before = srnic_psn_diff(qp->req.psn, gap->psn);
	struct srnic_gap part = { .psn = gap->psn };

	if (srnic_psn_diff(gap->psn, qp->req.una) >= 0 && before > 0)
		part.packets = min_t(u32, gap->packets, before);
	return part;
}

/**
 * srnic_requester_fill_later - Send a gap again that is not the first one
 * @qp: RC
 * @gap: as the responder reports it
 *
 * Without credit, or if the stack is full, the gap is filled after it has become the first one.
 */
void srnic_requester_fill_later(struct srnic_qp *qp, const struct srnic_gap *gap)
{
	const struct srnic_gap part = outstanding_part(qp, gap);
	u32 sent, at;

	lockdep_assert_held(&qp->lock);

	if (!part.packets || qp->tx_stopped || qp->req.wait_rnr ||
	    !srnic_cc_take_credit(qp, part.packets) || !srnic_requester_find(qp, part.psn, &at))
		return;
	srnic_cc_lost(qp, part.psn, SRNIC_LOSS_REPORTED);
	sent = resend_packets(qp, &part, at, TO_PIECE_END);
	srnic_requester_count_repeated(qp, sent);
	repaired_until(qp, srnic_psn_add(part.psn, sent));
}
