// SPDX-License-Identifier: GPL-2.0
/*
 * Send work requests of a user ring. Each is copied once and the copy is
 * checked, so that later writes by the process have no effect (RFC 5042 section
 * 3, R1).
 */
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/string.h>
#include "export.h"
#include "queue/queue.h"

#define SQ_WORD_LEN	8

/* Properties of an opcode; kernel-only opcodes have no row. */
struct sq_kind {
	bool known;
	bool data;	/* SGEs */
	bool inl;	/* inline data is allowed instead */
	bool word;	/* the message has eight bytes */
	bool ud;	/* has an address part, used on a UD QP */
};

static const struct sq_kind sq_kinds[SRNIC_WQE_OPCODES] = {
	[SRNIC_WQE_SEND]	= { .known = true, .data = true, .inl = true, .ud = true },
	[SRNIC_WQE_SEND_IMM]	= { .known = true, .data = true, .inl = true, .ud = true },
	[SRNIC_WQE_SEND_INV]	= { .known = true, .data = true, .inl = true },
	[SRNIC_WQE_WRITE]	= { .known = true, .data = true, .inl = true },
	[SRNIC_WQE_WRITE_IMM]	= { .known = true, .data = true, .inl = true },
	[SRNIC_WQE_READ]	= { .known = true, .data = true },
	[SRNIC_WQE_CMP_SWAP]	= { .known = true, .data = true, .word = true },
	[SRNIC_WQE_FETCH_ADD]	= { .known = true, .data = true, .word = true },
	[SRNIC_WQE_LOCAL_INV]	= { .known = true },
	[SRNIC_WQE_BIND_MW]	= { .known = true },
	[SRNIC_WQE_FLUSH]	= { .known = true },
	[SRNIC_WQE_FRAME]	= { .known = true, .data = true, .inl = true },
	[SRNIC_WQE_ATOMIC_WRITE] = { .known = true, .data = true, .inl = true, .word = true },
};

/* The part of the entry that depends on the opcode */
static void sq_copy_operation(struct srnic_swqe *swqe, const struct srnic_sq_wqe *wqe)
{
	switch (swqe->opcode) {
	case SRNIC_WQE_CMP_SWAP:
	case SRNIC_WQE_FETCH_ADD:
		swqe->atomic.compare_add = wqe->atomic.compare_add;
		swqe->atomic.swap = wqe->atomic.swap;
		break;
	case SRNIC_WQE_BIND_MW:
		swqe->bind = wqe->bind;
		break;
	case SRNIC_WQE_FLUSH:
		swqe->flush.length = wqe->flush.length;
		swqe->flush.types = min_t(u32, wqe->flush.types, U8_MAX);
		swqe->flush.level = min_t(u32, wqe->flush.level, U8_MAX);
		break;
	case SRNIC_WQE_ATOMIC_WRITE:
		swqe->word = wqe->atomic_write.value;
		break;
	default:
		break;
	}
}

static void sq_copy_fields(struct srnic_swqe *swqe, const struct srnic_sq_wqe *wqe,
			   const struct sq_kind *kind)
{
	swqe->num_sge = wqe->num_sge;
	swqe->flags = wqe->flags;
	swqe->imm = (__force __be32)wqe->imm;	/* or inv_rkey */
	swqe->srqn = wqe->xrc.srqn;
	swqe->raddr = wqe->remote_addr;
	swqe->rkey = wqe->rkey;

	if (kind->ud) {
		swqe->ud.ah = wqe->ud.ah;
		swqe->ud.kah = NULL;
		swqe->ud.qpn = wqe->ud.qpn;
		swqe->ud.qkey = wqe->ud.qkey;
		swqe->ud.pkey_index = 0;
	} else {
		sq_copy_operation(swqe, wqe);
	}
}

static int sq_copy_inline(struct srnic_swqe *swqe, const struct srnic_sq_wqe *wqe,
			  const void *data, u32 max_inline)
{
	if (wqe->inline_len > max_inline)
		return -EINVAL;

	srnic_ring_read(swqe->inline_data, data, wqe->inline_len);
	swqe->length = wqe->inline_len;
	swqe->num_sge = 0;
	return 0;
}

/* The inline data of ATOMIC WRITE is in the entry itself, so that every queue has room for it. */
static int sq_copy_word(struct srnic_swqe *swqe)
{
	swqe->length = SQ_WORD_LEN;
	swqe->num_sge = 0;
	return 0;
}

static int sq_copy_sges(struct srnic_swqe *swqe, const struct srnic_sq_wqe *wqe,
			const void *data, u32 max_sge)
{
	u64 length = 0;

	if (wqe->num_sge > max_sge)
		return -EINVAL;

	srnic_ring_read(swqe->sge, data, wqe->num_sge * sizeof(swqe->sge[0]));
	for (u32 i = 0; i < wqe->num_sge; i++)
		length += swqe->sge[i].length;
	/* The engine rejects messages that are too long, with a status of their own. */
	swqe->length = min_t(u64, length, U32_MAX);
	return 0;
}

/* @wqe is a private copy; @data still points into the ring. */
static int sq_copy_wqe(struct srnic_swqe *swqe, const struct srnic_sq_wqe *wqe, const void *data,
		       u32 max_sge, u32 max_inline)
{
	const struct sq_kind *kind;
	int err;

	swqe->wr_id = wqe->wr_id;
	swqe->opcode = wqe->opcode;
	swqe->flags = 0;
	swqe->num_sge = 0;
	swqe->length = 0;

	if (wqe->opcode >= SRNIC_WQE_OPCODES)
		return -EINVAL;
	/* an index into tables, chosen by a process: no speculation past the check */
	swqe->opcode = array_index_nospec(wqe->opcode, SRNIC_WQE_OPCODES);
	kind = &sq_kinds[swqe->opcode];
	if (!kind->known || (wqe->flags & ~SRNIC_WQE_FLAGS))
		return -EINVAL;
	if ((wqe->flags & SRNIC_WQE_INLINE) && !kind->inl)
		return -EINVAL;
	if (wqe->num_sge && !kind->data)
		return -EINVAL;

	sq_copy_fields(swqe, wqe, kind);
	if (wqe->flags & SRNIC_WQE_INLINE)
		return kind->word ? sq_copy_word(swqe) :
				    sq_copy_inline(swqe, wqe, data, max_inline);

	err = sq_copy_sges(swqe, wqe, data, max_sge);
	if (err || !kind->word)
		return err;

	if (swqe->length < SQ_WORD_LEN)
		return -EINVAL;
	swqe->length = SQ_WORD_LEN;
	return 0;
}

/**
 * srnic_sq_fetch() - Copy the next send work request out of a user ring
 * @ring: a ring for which srnic_ring_pending() has returned an entry; head
 *	always advances
 * @swqe: private memory for @max_sge SGEs and @max_inline bytes; the members
 *	set by the engine are not changed
 * @max_sge: limit of this QP
 * @max_inline: limit of this QP
 *
 * The engine checks that the opcode fits the QP's type; mem checks keys and
 * addresses.
 *
 * Context: any; the caller is the ring's only consumer.
 * Return: 0, or -EINVAL if the entry is invalid; wr_id and opcode are valid
 * even then, for the completion in error.
 */
int srnic_sq_fetch(struct srnic_ring *ring, struct srnic_swqe *swqe, u32 max_sge, u32 max_inline)
{
	const void *slot = srnic_ring_slot(ring, ring->head);
	struct srnic_sq_wqe wqe;

	srnic_ring_read(&wqe, slot, sizeof(wqe));
	ring->head++;

	return sq_copy_wqe(swqe, &wqe, slot + sizeof(wqe), max_sge, max_inline);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sq_fetch);

/**
 * srnic_sq_sleep() - Prepare to stop polling a user's send queue
 * @ring: the ring of the send queue
 *
 * Pairs with the full fence between the provider's store of prod and its load
 * of need_wakeup: either it sees the flag and rings the doorbell, or we see its
 * entries.
 *
 * Return: true if entries (or an invalid index) are there after all; the flag
 * is then cleared again.
 */
bool srnic_sq_sleep(struct srnic_ring *ring)
{
	WRITE_ONCE(ring->hdr->need_wakeup, 1);
	smp_mb();	/* Set the flag before the last check; see above. */
	if (!srnic_ring_pending(ring)) {
		ring->asleep = true;
		return false;
	}
	srnic_sq_awake(ring);
	return true;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sq_sleep);

/**
 * srnic_sq_awake() - Resume polling a user's send queue: no doorbell is needed
 * @ring: the ring of the send queue
 */
void srnic_sq_awake(struct srnic_ring *ring)
{
	ring->asleep = false;
	WRITE_ONCE(ring->hdr->need_wakeup, 0);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sq_awake);
