// SPDX-License-Identifier: GPL-2.0
/*
 * Indices of a ring, the other side's among them: to be believed or not. Nothing here
 * knows what memory the ring is made of, so it is fuzzed and proved in user space.
 */
#include <linux/string.h>
#include "../export.h"
#include "queue.h"

/**
 * srnic_ring_copy - move entries to a ring of another size
 * @to: new, of the same stride; gets entries 0 to @count - 1
 * @from: a user's may change while we copy: whoever takes entries out of @to
 *	checks them then
 * @first: index in @from
 * @count: at most @to->entries
 */
void srnic_ring_copy(struct srnic_ring *to, const struct srnic_ring *from, u32 first, u32 count)
{
	for (u32 i = 0; i < count; i++)
		memcpy(srnic_ring_slot(to, i), srnic_ring_slot(from, first + i), to->stride);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ring_copy);

/**
 * srnic_ring_pending - how many entries the producer has put in (SQ, RQ, SRQ)
 * @ring: of the consumer
 *
 * Entries up to the count may be read once it has been returned.
 *
 * Context: any; the caller is the ring's one consumer.
 * Return: 0 to the ring's size, or -EINVAL if the index cannot be right (R1).
 */
int srnic_ring_pending(const struct srnic_ring *ring)
{
	/* entries after their index: pairs with the producer's release */
	u32 pending = smp_load_acquire(&ring->hdr->prod) - ring->head;

	return pending > ring->entries ? -EINVAL : (int)pending;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ring_pending);

/**
 * srnic_ring_publish_cons - tell the producer which slots are free again
 * @ring: SQ, RQ or SRQ
 * @cons: index below which nothing of the ring is needed any more
 */
void srnic_ring_publish_cons(struct srnic_ring *ring, u32 cons)
{
	/* our reads before their reuse: pairs with the producer's acquire */
	smp_store_release(&ring->hdr->cons, cons);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ring_publish_cons);
