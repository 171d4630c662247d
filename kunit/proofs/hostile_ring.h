/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring that another process can write to: any contents, any index, and no
 * accessible memory behind the last slot.
 */
#ifndef SRNIC_HOSTILE_RING_H
#define SRNIC_HOSTILE_RING_H

#include "proof.h"
#include "queue/queue.h"

#define ENTRIES_MAX	2

static inline struct srnic_ring hostile_ring(u32 stride)
{
	struct srnic_ring ring;
	unsigned int shift = nondet_u8();

	ANY_BYTES(&ring);
	GIVEN(shift <= 1);
	ring.entries = 1U << shift;
	ring.limit = ring.entries;
	ring.stride = stride;
	ring.hdr = any_memory(sizeof(*ring.hdr));
	ring.slots = any_memory((size_t)ENTRIES_MAX * stride) +
		     (size_t)(ENTRIES_MAX - ring.entries) * stride;
	return ring;
}

#endif /* SRNIC_HOSTILE_RING_H */
