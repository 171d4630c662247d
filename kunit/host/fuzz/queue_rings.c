// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz the rings of a hostile process: any bytes in the slots, any index, at
 * any time. Copied entries must be within the granted limits, and later writes
 * must not change them; resizing must keep waiting entries.
 *
 * Input: sizes, then operations of one byte, each followed by the bytes that it
 * writes.
 */
#include "fuzz/fuzz.h"
#include "queue/queue.h"
#include "guard/guard.h"

#define ROOM_MAX	64	/* bytes of a slot behind its fixed part */

struct input {
	const u8 *data;
	size_t size;
};

static u32 take(struct input *in, unsigned int bytes)
{
	u32 value = 0;

	for (; bytes && in->size; bytes--, in->size--)
		value = value << 8 | *in->data++;
	return value;
}

/* Allocate each part separately, so that ASan detects any access past its end. */
static struct srnic_ring new_ring(u32 entries, u32 stride)
{
	struct srnic_ring ring = {
		.hdr = calloc(1, sizeof(*ring.hdr)),
		.slots = calloc(entries, stride),
		.entries = entries,
		.limit = entries,
		.stride = stride,
		.user = true,
	};

	return ring;
}

static void free_ring(struct srnic_ring *ring)
{
	free(ring->hdr);
	free(ring->slots);
}

/* The process writes to any bytes of the slots. */
static void scribble(struct input *in, struct srnic_ring *ring)
{
	u32 at = take(in, 1) % (ring->entries * ring->stride);
	u32 len = min_t(u32, take(in, 1), ring->entries * ring->stride - at);

	for (u32 i = 0; i < len; i++)
		((u8 *)ring->slots)[at + i] = take(in, 1);
}

/* Post a nearly valid request: random ones rarely pass the first check. */
static void post(struct input *in, struct srnic_ring *ring, u32 max_sge)
{
	struct srnic_sq_wqe *wqe = srnic_ring_slot(ring, ring->hdr->prod);
	struct srnic_abi_sge *sge = (void *)(wqe + 1);

	wqe->opcode = take(in, 1) % (SRNIC_WQE_OPCODES + 1);
	wqe->flags = take(in, 1) % (SRNIC_WQE_FLAGS + 2);
	wqe->num_sge = take(in, 1) % (max_sge + 2);
	wqe->inline_len = take(in, 1) % (ROOM_MAX + 2);
	for (u32 i = 0; i < min_t(u32, wqe->num_sge, max_sge); i++)
		sge[i].length = take(in, 4);
	ring->hdr->prod++;
}

static void check_fetched(const struct srnic_swqe *swqe, u32 max_sge, u32 max_inline)
{
	u64 length = 0;

	CHECK(swqe->opcode < SRNIC_WQE_OPCODES && swqe->opcode != SRNIC_WQE_REG_MR &&
	      swqe->opcode != SRNIC_WQE_LSO);
	CHECK(!(swqe->flags & ~SRNIC_WQE_FLAGS));
	if (swqe->flags & SRNIC_SWQE_INLINE) {
		CHECK(swqe->opcode == SRNIC_WQE_ATOMIC_WRITE ? swqe->length == 8 :
							       swqe->length <= max_inline);
		CHECK(!swqe->num_sge);
		return;
	}
	CHECK(swqe->num_sge <= max_sge);
	for (u32 i = 0; i < swqe->num_sge; i++)
		length += swqe->sge[i].length;
	if (swqe->opcode == SRNIC_WQE_CMP_SWAP || swqe->opcode == SRNIC_WQE_FETCH_ADD ||
	    swqe->opcode == SRNIC_WQE_ATOMIC_WRITE)
		CHECK(swqe->length == 8 && length >= 8);
	else
		CHECK(swqe->length == min_t(u64, length, U32_MAX));
}

static void fetch_send(struct input *in, struct srnic_ring *ring, u32 max_sge, u32 max_inline)
{
	size_t size = sizeof(struct srnic_swqe) + max_t(u32, max_sge * 16, max_inline);
	int pending = srnic_ring_pending(ring);
	struct srnic_swqe *swqe, *before;
	u32 head = ring->head;

	CHECK(pending == -EINVAL || (u32)pending == ring->hdr->prod - head);
	CHECK(pending <= (int)ring->entries);
	if (pending <= 0)
		return;
	swqe = calloc(1, size);
	before = malloc(size);
	if (!srnic_sq_fetch(ring, swqe, max_sge, max_inline)) {
		memcpy(before, swqe, size);
		scribble(in, ring);
		CHECK(!memcmp(before, swqe, size));
		check_fetched(swqe, max_sge, max_inline);
	}
	CHECK(ring->head == head + 1);
	free(before);
	free(swqe);
}

static void fetch_receive(struct srnic_ring *ring, u32 max_sge)
{
	u32 head = ring->head, ahead = ring->hdr->prod - head;
	struct srnic_rwqe *rwqe = calloc(1, sizeof(*rwqe));
	int got = srnic_rq_fetch(ring, rwqe, max_sge);
	u64 length = 0;

	CHECK((got == 0) == (ahead == 0));
	CHECK(ahead <= ring->entries || (got == -EINVAL && ring->head == head));
	if (got == 1) {
		CHECK(rwqe->num_sge <= max_sge && rwqe->length <= SRNIC_MAX_MSG);
		for (u32 i = 0; i < rwqe->num_sge; i++)
			length += rwqe->sge[i].length;
		CHECK(rwqe->length == length);
		CHECK(ring->head == head + 1 && ring->hdr->cons == ring->head);
	}
	free(rwqe);
}

static void resize(struct input *in, struct srnic_ring *ring)
{
	struct srnic_ring other = new_ring(1U << take(in, 1) % 4, ring->stride);
	struct srnic_ring_move move = {};
	int pending = srnic_ring_pending(ring);
	u8 *oldest = malloc(ring->stride);

	memcpy(oldest, srnic_ring_slot(ring, ring->head), ring->stride);
	if (srnic_rq_exchange(ring, &other, &move)) {
		CHECK(pending < 0 || (u32)pending > other.limit);
	} else {
		CHECK(srnic_ring_pending(ring) == pending);
		CHECK(!pending || !memcmp(oldest, srnic_ring_slot(ring, ring->head),
					  ring->stride));
	}
	free(oldest);
	free_ring(&other);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	u32 max_sge = 1 + take(&in, 1) % (ROOM_MAX / sizeof(struct srnic_abi_sge));
	u32 max_inline = take(&in, 1) % (max_sge * sizeof(struct srnic_abi_sge) + 1);
	u32 stride = sizeof(struct srnic_sq_wqe) + max_sge * sizeof(struct srnic_abi_sge);
	struct srnic_ring ring = new_ring(1U << take(&in, 1) % 4, stride);

	ring.head = take(&in, 4);
	ring.hdr->prod = ring.head;
	while (in.size) {
		switch (take(&in, 1) % 8) {
		case 0:
			ring.hdr->prod = take(&in, 4);
			break;
		case 1:
			ring.hdr->prod = ring.head + take(&in, 1) % (ring.entries + 2);
			break;
		case 2:
			scribble(&in, &ring);
			break;
		case 3:
			fetch_receive(&ring, max_sge);
			break;
		case 4:
			resize(&in, &ring);
			break;
		case 5:
			CHECK(srnic_sq_sleep(&ring) == (srnic_ring_pending(&ring) != 0));
			break;
		case 6:
			post(&in, &ring, max_sge);
			break;
		default:
			fetch_send(&in, &ring, max_sge, max_inline);
		}
	}
	free_ring(&ring);
	return 0;
}
