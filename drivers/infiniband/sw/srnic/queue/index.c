// SPDX-License-Identifier: GPL-2.0
/*
 * Indices of a ring, the other side's among them: to be believed or not. Nothing here
 * knows what memory the ring is made of, so it is fuzzed and proved in user space.
 */
#include <linux/minmax.h>
#include <linux/string.h>
#include "../export.h"
#include "queue.h"

/**
 * srnic_ring_move_plan - update what is left to move, under the locks of both ends
 * @move: zeroed before the first look
 * @head: oldest entry that waits now
 * @end: past the newest
 *
 * Entries taken since the last call are skipped. If a user moved @end back, nothing is left.
 *
 * Return: true if what is left is more than should be copied under a lock:
 * srnic_ring_move_some() without it, and look again.
 */
bool srnic_ring_move_plan(struct srnic_ring_move *move, u32 head, u32 end)
{
	if (!move->begun)
		*move = (struct srnic_ring_move){ .begun = true, .first = head, .done = head };
	if ((s32)(head - move->done) > 0)
		move->done = head;
	move->left = max((s32)(end - move->done), 0);
	return move->left > SRNIC_MOVE_BATCH;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ring_move_plan);

/**
 * srnic_ring_move_some - copy a batch of entries to a ring of another size
 * @move: as planned
 * @to: new, of the same stride
 * @from: a user's may change while we copy: whoever takes entries out of @to
 *	checks them then
 *
 * Context: any; nobody replaces the memory of @from meanwhile.
 */
void srnic_ring_move_some(struct srnic_ring_move *move, struct srnic_ring *to,
			  const struct srnic_ring *from)
{
	u32 count = min_t(u32, move->left, SRNIC_MOVE_BATCH);

	for (; count--; move->done++, move->left--)
		memcpy(srnic_ring_slot(to, move->done - move->first),
		       srnic_ring_slot(from, move->done), to->stride);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ring_move_some);

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
