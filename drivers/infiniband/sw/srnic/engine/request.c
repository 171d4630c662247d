// SPDX-License-Identifier: GPL-2.0
/*
 * Request packets of RC, XRC and UC: headers and payload of each packet of a work request
 * (IBA 9.4, 9.7.2). requester.c sends them in order, resend.c sends some again.
 */
#include "srnic.h"
#include "engine/request.h"

/* How many work requests to compare when a super-packet is opened */
#define LOOK_AHEAD	64

/**
 * srnic_request_alike - Return how many work requests make packets of one length
 * @build: the turn
 * @first: the work request at @build->at
 *
 * Return: the number of work requests from @first on, at least 1, and 1 if a super-packet
 * with room is open.
 */
u32 srnic_request_alike(const struct srnic_build *build, const struct srnic_swqe *first)
{
	const struct srnic_sq *sq = &build->qp->sq;
	u32 have, n;

	if (srnic_build_has_room(build))
		return 1;
	have = min(srnic_sq_prod(sq) - build->at, LOOK_AHEAD);
	for (n = 1; n < have; n++) {
		const struct srnic_swqe *wqe = srnic_sq_wqe(sq, build->at + n);

		if (wqe->opcode != first->opcode || wqe->length != first->length)
			break;
	}
	return n;
}

/* Complete the headers of a request of UC or XRC. */
static void not_rc(struct srnic_pkt *pkt, const struct srnic_qp *qp, const struct srnic_swqe *wqe)
{
	pkt->opcode |= qp->transport;
	pkt->srqn = wqe->srqn;
}

/* Fill in the headers of packet @i of @n of a SEND or WRITE. */
static void data_headers(struct srnic_build *build, const struct srnic_swqe *wqe, u32 i, u32 n)
{
	const struct srnic_wqe_kind *kind = srnic_wqe_kind(wqe);
	struct srnic_pkt *pkt = &build->pkt;
	bool last = i == n - 1;

	if (i)
		pkt->opcode = last ? kind->last : kind->middle;
	else
		pkt->opcode = last ? kind->only : kind->first;
	if (build->qp->ib.qp_type != IB_QPT_RC)
		not_rc(pkt, build->qp, wqe);

	pkt->psn = srnic_psn_add(wqe->first_psn, i);
	pkt->va = wqe->raddr;
	pkt->dmalen = wqe->length;
	pkt->rkey = wqe->opcode == SRNIC_WQE_SEND_INV ? wqe->inv_rkey : wqe->rkey;
	pkt->imm = wqe->imm;
	pkt->se = last && wqe->flags & SRNIC_SWQE_SOLICITED && wqe->opcode != SRNIC_WQE_WRITE;
}

/* Return how many packets of this length follow, this one included. */
static u32 data_more(const struct srnic_build *build, const struct srnic_swqe *wqe, u32 i, u32 n)
{
	if (n == 1)
		return srnic_request_alike(build, wqe);
	if (!i && srnic_opcode_table[build->pkt.opcode].reth)
		return 1;	/* the others have no RETH */
	return n - i;
}

/**
 * srnic_request_data - Build a packet of a SEND or WRITE
 * @build: the turn
 * @wqe: an active work request
 * @i: index of the packet in the message
 * @ackreq: ask for an acknowledgment
 * @max_packets: how many packets the caller will build at most, this one included
 *
 * Return: as srnic_build_packet().
 */
int srnic_request_data(struct srnic_build *build, const struct srnic_swqe *wqe, u32 i,
		       bool ackreq, u32 max_packets)
{
	u32 mtu = build->qp->mtu;
	u32 n = srnic_psn_since(wqe->last_psn, wqe->first_psn) + 1;
	struct srnic_source src = srnic_source_of(wqe, wqe->inline_data);

	src.at = i * mtu;
	data_headers(build, wqe, i, n);
	build->pkt.ackreq = ackreq;
	return srnic_build_packet(build, &src, min_t(u32, wqe->length - src.at, mtu),
				  min(data_more(build, wqe, i, n), max_packets));
}

/* Fill in the headers that all requests have. */
static void request_headers(struct srnic_build *build, const struct srnic_swqe *wqe, u32 psn)
{
	build->pkt.opcode = srnic_wqe_kind(wqe)->only;
	if (unlikely(build->qp->ib.qp_type != IB_QPT_RC))
		not_rc(&build->pkt, build->qp, wqe);
	build->pkt.psn = psn;
	build->pkt.rkey = wqe->rkey;
	build->pkt.ackreq = false;	/* the response is one */
	build->pkt.se = false;
}

/* Build a request without payload. */
static int build_request(struct srnic_build *build, const struct srnic_swqe *wqe, u32 psn,
			 u32 more)
{
	request_headers(build, wqe, psn);
	return srnic_build_packet(build, NULL, 0, more);
}

/**
 * srnic_request_read - Build the request for some responses of a READ
 * @build: the turn
 * @wqe: an active READ
 * @i: index of the first response
 * @count: how many responses at most
 * @more: how many such requests the caller will build, this one included
 *
 * Return: as srnic_build_packet().
 */
int srnic_request_read(struct srnic_build *build, const struct srnic_swqe *wqe, u32 i,
		       u32 count, u32 more)
{
	u32 mtu = build->qp->mtu;

	build->pkt.va = wqe->raddr + i * mtu;
	build->pkt.dmalen = min(wqe->length - i * mtu, count * mtu);
	return build_request(build, wqe, srnic_psn_add(wqe->first_psn, i), more);
}

static int request_atomic(struct srnic_build *build, const struct srnic_swqe *wqe, u32 more)
{
	bool swap = wqe->opcode == SRNIC_WQE_CMP_SWAP;

	build->pkt.va = wqe->raddr;
	build->pkt.swap_add = swap ? wqe->atomic.swap : wqe->atomic.compare_add;
	build->pkt.compare = swap ? wqe->atomic.compare_add : 0;
	return build_request(build, wqe, wqe->first_psn, more);
}

static int request_flush(struct srnic_build *build, const struct srnic_swqe *wqe, u32 more)
{
	build->pkt.va = wqe->raddr;
	build->pkt.dmalen = wqe->flush.length;
	build->pkt.feth = wqe->flush.types | (wqe->flush.level ? SRNIC_FETH_REGION : 0);
	return build_request(build, wqe, wqe->first_psn, more);
}

/* The only request of its kind that has payload */
static int request_atomic_write(struct srnic_build *build, const struct srnic_swqe *wqe, u32 more)
{
	struct srnic_source src = srnic_source_of(wqe, (const u8 *)&wqe->word);

	build->pkt.va = wqe->raddr;
	build->pkt.dmalen = wqe->length;
	request_headers(build, wqe, wqe->first_psn);
	return srnic_build_packet(build, &src, wqe->length, more);
}

/**
 * srnic_request_single - Build the request of an operation that takes one packet and one answer
 * @build: the turn
 * @wqe: an active atomic, FLUSH or ATOMIC WRITE
 * @more: how many such requests the caller will build, this one included
 *
 * Return: as srnic_build_packet().
 */
int srnic_request_single(struct srnic_build *build, const struct srnic_swqe *wqe, u32 more)
{
	switch (wqe->opcode) {
	case SRNIC_WQE_FLUSH:
		return request_flush(build, wqe, more);
	case SRNIC_WQE_ATOMIC_WRITE:
		return request_atomic_write(build, wqe, more);
	default:
		return request_atomic(build, wqe, more);
	}
}
