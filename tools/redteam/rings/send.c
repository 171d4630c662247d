// SPDX-License-Identifier: GPL-2.0
/*
 * Lies in send rings, of queue pairs of each kind that have peers of their own. A request that is
 * a lie completes in error, and an index that is one ends the queue pair by an event.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rings.h"

#define WORK(name)	BIT(SRNIC_WQE_##name)
#define OF_BOTH		(WORK(SEND) | WORK(SEND_IMM) | WORK(SEND_INV) | WORK(WRITE) | \
			 WORK(WRITE_IMM) | WORK(READ) | WORK(CMP_SWAP) | WORK(FETCH_ADD) | \
			 WORK(LOCAL_INV) | WORK(BIND_MW))
#define ETHERNET_HEADER	14
#define NOISE_ROUNDS	100
#define HARMLESS	BIT(KINDS)

/* Properties of a kind: the operation of its sound requests, and all operations that it has */
static const struct {
	const char *name;
	uint8_t opcode;
	uint32_t opcodes;
} kinds[KINDS] = {
	[RC]	= { "RC", SRNIC_WQE_WRITE, OF_BOTH | WORK(FLUSH) | WORK(ATOMIC_WRITE) },
	[XRC]	= { "XRC", SRNIC_WQE_WRITE, OF_BOTH },
	[RAW]	= { "raw", SRNIC_WQE_FRAME, WORK(FRAME) },
};

/* struct liar - a queue pair whose send ring is written to, and its peer, if it has one */
struct liar {
	enum kind kind;
	struct ibv_qp *qp;
	struct ibv_qp *peer;
	struct srnic_ring_hdr *ring;
};

static void make_liar(struct liar *liar, enum kind kind)
{
	const struct ibv_qp_cap cap = {
		.max_send_wr = DEPTH, .max_recv_wr = 4, .max_send_sge = 4, .max_recv_sge = 1,
		.max_inline_data = 64,
	};

	drain(world.liar_cq);
	liar->kind = kind;
	ring_note();
	liar->qp = create_qp(kind, world.liar_cq, &cap);
	liar->ring = ring_found();
	liar->peer = NULL;
	if (kind == RAW) {
		start_raw(liar->qp);
		return;
	}
	liar->peer = kind == XRC ? create_target() : create_qp(RC, world.liar_cq, &cap);
	connect_qps(liar->qp, liar->peer);
}

static void end_liar(struct liar *liar)
{
	if (ibv_destroy_qp(liar->qp) || (liar->peer && ibv_destroy_qp(liar->peer)))
		die("ibv_destroy_qp");
}

/* A sound request. Frames of this ring are for nobody, or for the bystander if they are lies. */
static void write_sound(const struct liar *liar, struct srnic_sq_wqe *wqe, enum group group)
{
	struct srnic_abi_sge *sge = (void *)(wqe + 1);
	uint32_t len = write_frame(AT_LIE, group, 0);

	memset(wqe, 0, sizeof(*wqe));
	wqe->opcode = kinds[liar->kind].opcode;
	wqe->num_sge = 1;
	wqe->flags = SRNIC_WQE_SIGNALED;
	*sge = (struct srnic_abi_sge){ (uintptr_t)world.memory + AT_LIE, len, world.mr->lkey };
	if (liar->kind == RAW)
		return;
	wqe->rkey = world.mr->rkey;
	wqe->remote_addr = (uintptr_t)world.memory + AT_TARGET;
	if (liar->kind == XRC)
		wqe->xrc.srqn = world.srqn;
}

/* Let the kernel execute the first entry, and return whether it completes as it should */
static bool first_ends(const struct liar *liar, bool well)
{
	struct ibv_wc wc;

	ring_publish(liar->ring, 1);
	ring_doorbell(liar->qp);
	return completes(world.liar_cq, liar->qp->qp_num, &wc) &&
	       (wc.status == IBV_WC_SUCCESS) == well;
}

/* IBA 10.3.1.6: without a connection, only the send queue stops. */
static bool stops(const struct liar *liar)
{
	return liar->kind == RAW ? state_of(liar->qp) == IBV_QPS_SQE : soon_in_error(liar->qp);
}

/* --- the lies: each changes a sound request --- */

static void many_sges(struct srnic_sq_wqe *wqe)
{
	wqe->num_sge = 255;
}

static void long_inline(struct srnic_sq_wqe *wqe)
{
	wqe->flags |= SRNIC_WQE_INLINE;
	wqe->inline_len = 0xffffffff;
}

static void unknown_flags(struct srnic_sq_wqe *wqe)
{
	wqe->flags = 0xffff;
}

static void set_length(struct srnic_sq_wqe *wqe, uint32_t len)
{
	struct srnic_abi_sge *sge = (void *)(wqe + 1);

	sge->length = len;
}

static void huge_length(struct srnic_sq_wqe *wqe)
{
	struct srnic_abi_sge *sge = (void *)(wqe + 1);

	wqe->num_sge = 2;
	sge[0].length = 0xffffffff;
	sge[1] = sge[0];
}

static void empty_frame(struct srnic_sq_wqe *wqe)
{
	wqe->num_sge = 0;
}

static void short_frame(struct srnic_sq_wqe *wqe)
{
	set_length(wqe, ETHERNET_HEADER - 1);
}

static void short_inline_frame(struct srnic_sq_wqe *wqe)
{
	wqe->flags |= SRNIC_WQE_INLINE;
	wqe->inline_len = ETHERNET_HEADER - 1;
}

static void long_frame(struct srnic_sq_wqe *wqe)
{
	set_length(wqe, world.mtu + ETHERNET_HEADER + 1);
}

static void largest_frame(struct srnic_sq_wqe *wqe)
{
	set_length(wqe, MEMORY - AT_LIE);
}

static void no_srq(struct srnic_sq_wqe *wqe)
{
	wqe->xrc.srqn = 0;
}

static void unknown_srq(struct srnic_sq_wqe *wqe)
{
	wqe->xrc.srqn = 0xffffff;
}

static void foreign_srq(struct srnic_sq_wqe *wqe)
{
	wqe->xrc.srqn = world.other_srqn;
}

static void send_to_foreign_srq(struct srnic_sq_wqe *wqe)
{
	foreign_srq(wqe);
	wqe->opcode = SRNIC_WQE_SEND;
}

static void read_by_foreign_srq(struct srnic_sq_wqe *wqe)
{
	foreign_srq(wqe);
	wqe->opcode = SRNIC_WQE_READ;
}

static void wide_srqn(struct srnic_sq_wqe *wqe)
{
	wqe->xrc.srqn |= 0xff000000;
}

static void unused_fields(struct srnic_sq_wqe *wqe)
{
	wqe->imm = 0xffffffff;
	memset(wqe->reserved, 0x41, sizeof(wqe->reserved));
}

static void unused_target(struct srnic_sq_wqe *wqe)
{
	unused_fields(wqe);
	wqe->rkey = 0x41414141;
	wqe->remote_addr = 0xffff888000000000ULL;
}

static const struct lie {
	const char *name;
	void (*tell)(struct srnic_sq_wqe *wqe);
	unsigned int kinds;	/* HARMLESS: fields without a use change nothing */
} lies[] = {
	{ "255 SGEs", many_sges, ALL_KINDS },
	{ "4 GiB of inline data", long_inline, ALL_KINDS },
	{ "flags that do not exist", unknown_flags, ALL_KINDS },
	{ "a message longer than 2^31 bytes", huge_length, ALL_KINDS },
	{ "a frame without bytes", empty_frame, BIT(RAW) },
	{ "a frame of 13 bytes", short_frame, BIT(RAW) },
	{ "a frame of 13 bytes inline", short_inline_frame, BIT(RAW) },
	{ "a frame of a byte more than the MTU", long_frame, BIT(RAW) },
	{ "a frame of 40 KiB", largest_frame, BIT(RAW) },
	{ "no SRQ's number", no_srq, BIT(XRC) },
	{ "an SRQ of nobody", unknown_srq, BIT(XRC) },
	{ "a WRITE through another domain's SRQ", foreign_srq, BIT(XRC) },
	{ "a SEND to another domain's SRQ", send_to_foreign_srq, BIT(XRC) },
	{ "a READ through another domain's SRQ", read_by_foreign_srq, BIT(XRC) },
	{ "an SRQ's number of 32 bits", wide_srqn, BIT(XRC) | HARMLESS },
	{ "an SRQ's number where none is used", unused_fields, BIT(RC) | HARMLESS },
	{ "keys and addresses where none are used", unused_target, BIT(RAW) | HARMLESS },
};

/* A request that is a lie fails; so does one of an operation that the kind does not have. */
static void judge(struct liar *liar, const char *what, bool harmless)
{
	char name[96];

	snprintf(name, sizeof(name), "%s: %s", kinds[liar->kind].name, what);
	verdict(first_ends(liar, harmless), name,
		harmless ? "the request has failed" : "the request is not refused");
	if (!harmless)
		verdict(stops(liar), "  and the queue stops", "it does not");
	bystanders_live();
	end_liar(liar);
}

/* Make a queue pair with a sound request in its ring, which is returned */
static struct srnic_sq_wqe *begin_lie(struct liar *liar, enum kind kind, enum group group)
{
	struct srnic_sq_wqe *wqe;

	make_liar(liar, kind);
	wqe = ring_first(liar->ring);
	write_sound(liar, wqe, group);
	return wqe;
}

static void tell_lie(enum kind kind, const struct lie *lie)
{
	bool harmless = lie->kinds & HARMLESS;
	struct liar liar;

	lie->tell(begin_lie(&liar, kind, harmless ? GROUP_NOBODY : GROUP_LIE));
	judge(&liar, lie->name, harmless);
}

static void tell_sge_lie(enum kind kind, const struct sge_lie *lie)
{
	struct liar liar;

	lie->tell((void *)(begin_lie(&liar, kind, GROUP_LIE) + 1));
	judge(&liar, lie->name, false);
}

/* Where the kernel's own operations have a pointer, a process's might have one. */
static void tell_opcode(enum kind kind, uint8_t opcode)
{
	struct srnic_sq_wqe *wqe;
	struct liar liar;
	char name[32];

	wqe = begin_lie(&liar, kind, GROUP_LIE);
	wqe->opcode = opcode;
	memset(wqe->reserved, 0x41, sizeof(wqe->reserved));
	snprintf(name, sizeof(name), "opcode %u", opcode);
	judge(&liar, name, false);
}

static void lie_about_opcodes(enum kind kind)
{
	for (int opcode = 0; opcode <= SRNIC_WQE_OPCODES; opcode++)
		if (!(kinds[kind].opcodes & BIT(opcode)))
			tell_opcode(kind, opcode);
	tell_opcode(kind, 0xff);
}

static void lie_about_index(enum kind kind, const struct index_lie *lie)
{
	struct liar liar;
	char name[96];

	begin_lie(&liar, kind, GROUP_NOBODY);
	snprintf(name, sizeof(name), "%s: %s", kinds[kind].name, lie->name);
	verdict(first_ends(&liar, true), name, "a sound request has failed");
	ring_publish_lie(liar.ring, lie, DEPTH);
	ring_doorbell(liar.qp);
	verdict(soon_in_error(liar.qp), "  and the QP ends", "it is not in ERR");
	bystanders_live();
	end_liar(&liar);
}

/* Only survival counts. The first entry often is one of an operation that there is. */
static void noise(enum kind kind)
{
	struct srnic_sq_wqe *wqe;
	struct liar liar;

	for (int round = 0; round < NOISE_ROUNDS; round++) {
		make_liar(&liar, kind);
		wqe = ring_first(liar.ring);
		for (int k = 0; k < 8; k++) {
			ring_scribble(liar.ring);
			wqe->opcode %= SRNIC_WQE_OPCODES + 1;
			wqe->flags &= SRNIC_WQE_FLAGS;
			wqe->num_sge &= 3;
			ring_doorbell(liar.qp);
		}
		end_liar(&liar);
	}
	verdict(true, "random rings", "");
	bystanders_live();
}

void lie_to_senders(void)
{
	for (enum kind kind = 0; kind < KINDS; kind++) {
		lie_about_opcodes(kind);
		for (size_t i = 0; i < ARRAY_SIZE(lies); i++)
			if (lies[i].kinds & BIT(kind))
				tell_lie(kind, &lies[i]);
		for (size_t i = 0; i < SGE_LIES; i++)
			tell_sge_lie(kind, &sge_lies[i]);
		for (size_t i = 0; i < INDEX_LIES; i++)
			lie_about_index(kind, &index_lies[i]);
		noise(kind);
	}
}
