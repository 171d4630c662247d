// SPDX-License-Identifier: GPL-2.0
/*
 * Explicit congestion notification (RoCEv2 annex A17.9): packets of RC that arrive marked
 * are answered by CNPs, and CNPs shrink the window (congestion.c).
 *
 * Responses to a READ are paced by the window of the requester, so it takes a mark on them
 * for a CNP; it sends one as well, since a responder in hardware paces itself.
 * Acknowledgments that arrive marked say nothing: no one could send fewer of them.
 *
 * A CNP has no seal, so sealed connections neither send nor honour any: there the next
 * responses tell the requester, by a bit that their seal covers (protocol.md, section 2).
 */
#include "srnic.h"
#include "engine/build.h"
#include "engine/congestion.h"
#include "engine/ecn.h"

/* At most one CNP of a QP in that time: N of DCQCN (SIGCOMM '15, section 3.1) */
#define CNP_APART	(50 * NSEC_PER_USEC)

/* noinline: a struct srnic_pkt is not to be cleared for packets that are not marked */
static noinline int send_cnp(struct srnic_qp *qp)
{
	struct srnic_pkt pkt = {
		.opcode = SRNIC_OPC_CNP,
		.becn = true,
		.pkey = SRNIC_PKEY,
		.dqpn = qp->attr.dest_qp_num,
	};
	u8 frame[SRNIC_EXT_MAX];
	unsigned int len = srnic_wire_build(&pkt, frame);

	return srnic_build_frame(qp, frame, len);
}

/* What a full queue has refused goes first: the peer slows down soon enough. */
static void notify(struct srnic_qp *qp)
{
	u64 now = srnic_cc_now(qp);

	if (qp->refused || (qp->cnp_at && now - qp->cnp_at < CNP_APART))
		return;
	if (send_cnp(qp)) {
		srnic_count(qp->dev, send_err);
		return;
	}
	qp->cnp_at = now;
	srnic_count(qp->dev, sent_cnps);
}

/**
 * srnic_ecn_rx - Have the peer slow down: its packet has met a queue on the way
 * @qp: RC
 * @pkt: verified; it arrived with CE
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_ecn_rx(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	const u32 flags = pkt->opc->flags;

	lockdep_assert_held(&qp->lock);

	srnic_count(qp->dev, rcvd_ecn_marked);
	if (flags & SRNIC_OPF_RESP) {
		if (!(flags & SRNIC_OPF_READ))
			return;
		srnic_cc_marked(qp);
	} else if (qp->sth) {
		qp->resp.congested = true;
	}
	if (!qp->sth)
		notify(qp);
}

/**
 * srnic_ecn_echoed - Slow down if a response says that requests have arrived with CE
 * @qp: RC
 * @pkt: a response to what is outstanding, verified
 *
 * In the clear the bit is reserved, and a CNP says so.
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_ecn_echoed(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	if (likely(!pkt->echo) || !qp->sth)
		return;
	srnic_count(qp->dev, rcvd_ecn_echoes);
	srnic_cc_marked(qp);
}

/**
 * srnic_cnp_rx - Slow down: a CNP has come
 * @qp: any; the CNP is its peer's, if it has one, and has passed all checks
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_cnp_rx(struct srnic_qp *qp)
{
	lockdep_assert_held(&qp->lock);

	srnic_count(qp->dev, rcvd_cnps);
	if (qp->ib.qp_type == IB_QPT_RC && srnic_qp_sends(qp) && !qp->sth)
		srnic_cc_marked(qp);
	else
		srnic_count(qp->dev, ignored_cnps);
}
