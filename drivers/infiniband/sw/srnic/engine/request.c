// SPDX-License-Identifier: GPL-2.0
/*
 * Request packets of RC and UC: headers and payload of each packet of a work request
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
 * is open already.
 */
u32 srnic_request_alike(const struct srnic_build *build, const struct srnic_swqe *first)
{
	const struct srnic_sq *sq = &build->qp->sq;
	u32 have = build->open ? 1 : min(srnic_sq_prod(sq) - build->at, LOOK_AHEAD);
	u32 n;

	for (n = 1; n < have; n++) {
		const struct srnic_swqe *wqe = srnic_sq_wqe(sq, build->at + n);

		if (wqe->opcode != first->opcode || wqe->length != first->length)
			break;
	}
	return n;
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
		pkt->opcode |= SRNIC_TP_UC;

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
 * @most: how many packets the caller will build at most, this one included
 *
 * Return: as srnic_build_packet().
 */
int srnic_request_data(struct srnic_build *build, const struct srnic_swqe *wqe, u32 i,
		       bool ackreq, u32 most)
{
	u32 mtu = build->qp->mtu;
	u32 n = ((wqe->last_psn - wqe->first_psn) & SRNIC_PSN_MASK) + 1;
	struct srnic_source src = { .at = i * mtu };

	if (wqe->flags & SRNIC_SWQE_INLINE) {
		src.data = wqe->inline_data;
	} else {
		src.sge = wqe->sge;
		src.num_sge = wqe->num_sge;
	}
	data_headers(build, wqe, i, n);
	build->pkt.ackreq = ackreq;
	return srnic_build_packet(build, &src, min_t(u32, wqe->length - src.at, mtu),
				  min(data_more(build, wqe, i, n), most));
}

/* Build a READ or atomic request. */
static int build_request(struct srnic_build *build, const struct srnic_swqe *wqe, u32 psn,
			 u32 more)
{
	build->pkt.opcode = srnic_wqe_kind(wqe)->only;
	build->pkt.psn = psn;
	build->pkt.rkey = wqe->rkey;
	build->pkt.ackreq = false;	/* the response is one */
	build->pkt.se = false;
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

/**
 * srnic_request_atomic - Build the request of an atomic operation
 * @build: the turn
 * @wqe: an active atomic
 * @more: how many such requests the caller will build, this one included
 *
 * Return: as srnic_build_packet().
 */
int srnic_request_atomic(struct srnic_build *build, const struct srnic_swqe *wqe, u32 more)
{
	bool swap = wqe->opcode == SRNIC_WQE_CMP_SWAP;

	build->pkt.va = wqe->raddr;
	build->pkt.swap_add = swap ? wqe->atomic.swap : wqe->atomic.compare_add;
	build->pkt.compare = swap ? wqe->atomic.compare_add : 0;
	return build_request(build, wqe, wqe->first_psn, more);
}
