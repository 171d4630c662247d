// SPDX-License-Identifier: GPL-2.0
/*
 * Explicit congestion notification (RoCEv2 annex A17.9): RC packets that arrive marked are
 * answered with CNPs, and CNPs shrink the window (congestion.c).
 *
 * READ responses are paced by the window of the requester, so the requester treats a mark on
 * them as a CNP. It also sends a CNP, because a responder in hardware paces itself. Marks on
 * acknowledgments are ignored, because their sender cannot send fewer of them.
 *
 * A CNP has no seal, so sealed connections neither send nor honour CNPs: there, the next
 * responses notify the requester by a bit that their seal covers (protocol.md, section 2).
 */
#include "srnic.h"
#include "engine/build.h"
#include "engine/congestion.h"
#include "engine/ecn.h"
#include "engine/pkey.h"

/* Least time between two CNPs of a QP, ns: N of DCQCN (SIGCOMM '15, section 3.1) */
#define CNP_APART	(50 * NSEC_PER_USEC)

/* noinline: packets that are not marked do not pay for clearing a struct srnic_pkt */
static noinline int send_cnp(struct srnic_qp *qp)
{
	struct srnic_pkt pkt = {
		.opcode = SRNIC_OPC_CNP,
		.becn = true,
		.pkey = srnic_qp_pkey(qp),
		.dqpn = qp->attr.dest_qp_num,
	};
	u8 frame[SRNIC_EXT_MAX];
	unsigned int len = srnic_wire_build(&pkt, frame);

	return srnic_build_frame(qp, frame, len);
}

/* Packets that a full queue has dropped take precedence: the peer slows down soon enough. */
static void ecn_notify(struct srnic_qp *qp)
{
	u64 now = srnic_cc_now(qp);

	if (qp->tx_stopped || (qp->cnp_at && now - qp->cnp_at < CNP_APART))
		return;
	if (send_cnp(qp)) {
		srnic_count(qp, send_err);
		return;
	}
	qp->cnp_at = now;
	srnic_count(qp, sent_cnps);
}

/**
 * srnic_ecn_rx() - Handle a packet that met congestion: notify the peer, or slow down
 * @qp: an RC QP
 * @pkt: the packet, verified; it arrived with CE
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_ecn_rx(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	const u32 flags = pkt->opc->flags;

	lockdep_assert_held(&qp->lock);

	srnic_count(qp, rcvd_ecn_marked);
	if (flags & SRNIC_OPF_RESP) {
		if (!(flags & SRNIC_OPF_READ))
			return;
		srnic_cc_marked(qp);
	} else if (qp->sth) {
		qp->resp.congested = true;
	}
	if (!qp->sth)
		ecn_notify(qp);
}

/**
 * srnic_ecn_echoed() - Slow down if a response reports that requests arrived with CE
 * @qp: an RC QP
 * @pkt: a response to an outstanding request, verified
 *
 * In the clear, the bit is reserved, and a CNP reports it instead.
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_ecn_echoed(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	if (likely(!pkt->echo) || !qp->sth)
		return;
	srnic_count(qp, rcvd_ecn_echoes);
	srnic_cc_marked(qp);
}

/**
 * srnic_cnp_rx() - Slow down after a CNP
 * @qp: any QP; the CNP is from its peer, if it has one, and has passed all checks
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_cnp_rx(struct srnic_qp *qp)
{
	lockdep_assert_held(&qp->lock);

	srnic_count(qp, rcvd_cnps);
	if (srnic_qp_reliable(qp) && srnic_qp_sends(qp) && !qp->sth)
		srnic_cc_marked(qp);
	else
		srnic_count(qp, ignored_cnps);
}
