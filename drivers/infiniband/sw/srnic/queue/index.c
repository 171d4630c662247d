// SPDX-License-Identifier: GPL-2.0
/*
 * Validation of ring indices, including those of the other side. This file does
 * not depend on the memory of a ring, so it is fuzzed and verified in user
 * space.
 */
#include <linux/minmax.h>
#include <linux/string.h>
#include "export.h"
#include "queue/queue.h"

/**
 * srnic_ring_move_plan() - Update how many entries are left to move
 * @move: zeroed before the first call
 * @head: oldest entry that waits now
 * @end: one past the newest
 *
 * Skips entries that were taken since the last call. If a user has moved @end
 * back, no entry is left.
 *
 * Context: under the locks of both ends.
 * Return: true if more entries are left than may be copied under a lock:
 * release the locks, call srnic_ring_move_some(), and call this again.
 */
bool srnic_ring_move_plan(struct srnic_ring_move *move, u32 head, u32 end)
{
	if (!move->begun)
		*move = (struct srnic_ring_move){ .begun = true, .first = head, .done = head };
	if ((s32)(head - move->done) > 0)
		move->done = head;
	move->left = max((s32)(end - move->done), 0);
	return move->left > SRNIC_RING_MOVE_BATCH;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ring_move_plan);

/**
 * srnic_ring_move_some() - Copy a batch of entries to a ring of another size
 * @move: state from srnic_ring_move_plan()
 * @to: the new ring, of the same stride
 * @from: the old ring. A user may modify entries during the copy: they are
 *	checked when they are taken out of @to
 *
 * Context: any; the memory of @from is not replaced meanwhile.
 */
void srnic_ring_move_some(struct srnic_ring_move *move, struct srnic_ring *to,
			  const struct srnic_ring *from)
{
	u32 count = min_t(u32, move->left, SRNIC_RING_MOVE_BATCH);

	for (; count--; move->done++, move->left--)
		memcpy(srnic_ring_slot(to, move->done - move->first),
		       srnic_ring_slot(from, move->done), to->stride);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ring_move_some);

/**
 * srnic_ring_pending() - Return how many entries the producer has added
 * @ring: the ring of an SQ, RQ or SRQ
 *
 * These entries may be read after the call.
 *
 * Context: any; the caller is the ring's only consumer.
 * Return: 0 to the ring's size, or -EINVAL if the producer's index is invalid
 * (R1).
 */
int srnic_ring_pending(const struct srnic_ring *ring)
{
	/* Read the index before the entries: pairs with the producer's release. */
	u32 pending = smp_load_acquire(&ring->hdr->prod) - ring->head;

	return pending > ring->entries ? -EINVAL : (int)pending;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ring_pending);

/**
 * srnic_ring_publish_cons() - Tell the producer which slots are free
 * @ring: the ring of an SQ, RQ or SRQ
 * @cons: index below which no slot is needed any more
 */
void srnic_ring_publish_cons(struct srnic_ring *ring, u32 cons)
{
	/* Read slots before the producer reuses them: pairs with the producer's acquire. */
	smp_store_release(&ring->hdr->cons, cons);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ring_publish_cons);
