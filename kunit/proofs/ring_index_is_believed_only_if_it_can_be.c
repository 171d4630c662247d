// SPDX-License-Identifier: GPL-2.0
/*
 * proves: no user index yields more entries than the ring has, and slots do not overlap
 * cites: R1, R13
 * files: queue/index.c
 * unwind: 1
 * wraps: srnic_ring_pending: indices run freely modulo 2^32 (abi.md)
 * broken: queue/index.c: `pending > ring->entries` => `(int)pending > (int)ring->entries`
 * broken: queue/queue.h: `(index & (ring->entries - 1))` => `(index % (ring->entries + 1))`
 */
#include "hostile_ring.h"

#define STRIDE	64

int main(void)
{
	struct srnic_ring ring = hostile_ring(STRIDE);
	u32 prod = ring.hdr->prod, a = nondet_u32(), b = nondet_u32();
	u8 *slot_a = srnic_ring_slot(&ring, a), *slot_b = srnic_ring_slot(&ring, b);
	int pending = srnic_ring_pending(&ring);

	PROVE(pending == -EINVAL || (pending >= 0 && (u32)pending <= ring.entries));
	/* An accepted count is correct: @prod is that far ahead. */
	if (pending >= 0) {
		PROVE((u64)ring.head + pending == prod ||
		      (u64)ring.head + pending == prod + BIT_ULL(32));
		POSSIBLE();
	}

	slot_a[0] = 1;
	slot_a[STRIDE - 1] = 1;
	PROVE((slot_a == slot_b) == (a % ring.entries == b % ring.entries));
	PROVE(slot_a == slot_b || slot_a >= slot_b + STRIDE || slot_b >= slot_a + STRIDE);
	POSSIBLE();
	return 0;
}
