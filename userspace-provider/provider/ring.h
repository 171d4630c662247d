/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * User space's end of a ring shared with the kernel: producer of an SQ, RQ or
 * SRQ, consumer of a CQ. Documentation/abi.md defines the contract; only this file
 * accesses the shared words. It does not depend on libibverbs, so that tests/ can
 * run it on plain memory.
 *
 * Our own index is kept here and only stored to the shared page, never loaded from
 * it. The kernel's index is cached: a post or a poll accesses the kernel's cache line
 * only when the cached value no longer suffices.
 */
#ifndef SRNIC_RING_H
#define SRNIC_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdma/srnic-abi.h>

struct srnic_ring {
	struct srnic_ring_hdr *hdr;	/* NULL: the queue has no entries and no ring */
	char *slots;
	uint32_t mask;
	uint32_t stride;
	uint32_t limit;
	uint32_t mine;		/* next slot to fill or to empty */
	uint32_t theirs;	/* the kernel's index when last read */
	size_t size;		/* of the mapping, in bytes */
};

_Static_assert(sizeof(_Atomic uint32_t) == sizeof(__u32), "shared words are plain 32-bit words");
_Static_assert(sizeof(struct srnic_ring_hdr) == SRNIC_RING_SLOTS, "slots follow the header");

static inline uint32_t srnic_load_relaxed(__u32 *word)
{
	return atomic_load_explicit((_Atomic uint32_t *)word, memory_order_relaxed);
}

static inline uint32_t srnic_load_acquire(__u32 *word)
{
	return atomic_load_explicit((_Atomic uint32_t *)word, memory_order_acquire);
}

static inline void srnic_store_release(__u32 *word, uint32_t val)
{
	atomic_store_explicit((_Atomic uint32_t *)word, val, memory_order_release);
}

static inline void *srnic_ring_slot(const struct srnic_ring *ring, uint32_t index)
{
	return ring->slots + (size_t)(index & ring->mask) * ring->stride;
}

/**
 * srnic_ring_fits() - Test whether the kernel's description of a ring is consistent
 * @abi: the kernel's description
 * @min_stride: minimum size of an entry, in bytes
 *
 * A version mismatch must cause an error, not a stray store.
 */
static inline bool srnic_ring_fits(const struct srnic_abi_ring *abi, uint32_t min_stride)
{
	return abi->entries && !(abi->entries & (abi->entries - 1)) &&
	       abi->limit <= abi->entries && abi->stride >= min_stride &&
	       abi->stride % sizeof(uint64_t) == 0 &&
	       abi->size >= SRNIC_RING_SLOTS + (uint64_t)abi->entries * abi->stride;
}

static inline void srnic_ring_init(struct srnic_ring *ring, void *mem,
				   const struct srnic_abi_ring *abi)
{
	ring->hdr = mem;
	ring->slots = (char *)mem + SRNIC_RING_SLOTS;
	ring->mask = abi->entries - 1;
	ring->stride = abi->stride;
	ring->limit = abi->limit;
	ring->size = abi->size;
}

/**
 * srnic_ring_init_producer() - Initialize the user's end of an SQ, RQ or SRQ
 *
 * In a new ring both indices are equal. A ring that replaces another (resized SRQ)
 * contains the waiting entries, and the producer continues at prod.
 */
static inline void srnic_ring_init_producer(struct srnic_ring *ring, void *mem,
					    const struct srnic_abi_ring *abi)
{
	srnic_ring_init(ring, mem, abi);
	ring->mine = srnic_load_acquire(&ring->hdr->prod);
	ring->theirs = srnic_load_acquire(&ring->hdr->cons);
}

/* Initialize the user's end of a CQ. */
static inline void srnic_ring_init_consumer(struct srnic_ring *ring, void *mem,
					    const struct srnic_abi_ring *abi)
{
	srnic_ring_init(ring, mem, abi);
	ring->mine = srnic_load_acquire(&ring->hdr->cons);
	ring->theirs = ring->mine;
}

/**
 * srnic_ring_full() - Test whether the slot of @next is still in use
 * @next: ring->mine plus the number of entries already filled in this batch
 *
 * Acquire: the kernel stores cons (release) after it has copied the entry out,
 * so none of our stores to that slot can overtake its loads.
 */
static inline bool srnic_ring_full(struct srnic_ring *ring, uint32_t next)
{
	if (next - ring->theirs < ring->limit)
		return false;
	if (!ring->hdr)
		return true;
	ring->theirs = srnic_load_acquire(&ring->hdr->cons);
	return next - ring->theirs >= ring->limit;
}

/**
 * srnic_ring_produced() - Publish a batch with one store
 * @next: the index after the batch
 *
 * Release: the kernel loads prod with acquire and then sees whole entries.
 */
static inline void srnic_ring_produced(struct srnic_ring *ring, uint32_t next)
{
	ring->mine = next;
	srnic_store_release(&ring->hdr->prod, next);
}

/**
 * srnic_ring_retired() - Return how many of @n published entries from @first on are retired
 */
static inline uint32_t srnic_ring_retired(struct srnic_ring *ring, uint32_t first, uint32_t n)
{
	int32_t done = srnic_load_acquire(&ring->hdr->cons) - first;

	if (done < 0)
		return 0;
	return (uint32_t)done < n ? (uint32_t)done : n;
}

/**
 * srnic_ring_must_wake() - Test whether the produced entries need a doorbell
 *
 * Dekker's pattern: we store prod, then load need_wakeup; the kernel stores
 * need_wakeup, then loads prod. Each side needs a full fence in between, because even on
 * x86 a store may be delayed past a later load. With both fences, at least one side sees
 * the other's store: either we ring, or the kernel does not sleep.
 */
static inline bool srnic_ring_must_wake(struct srnic_ring *ring)
{
	atomic_thread_fence(memory_order_seq_cst);
	return srnic_load_relaxed(&ring->hdr->need_wakeup) != 0;
}

/**
 * srnic_ring_reset() - Empty the user's end after a transition to RESET
 *
 * The kernel has dropped the waiting entries by advancing cons to prod. Continue
 * at the index where the kernel sees the ring empty.
 */
static inline void srnic_ring_reset(struct srnic_ring *ring)
{
	if (!ring->hdr)
		return;
	ring->theirs = srnic_load_acquire(&ring->hdr->cons);
	srnic_ring_produced(ring, ring->theirs);
}

/**
 * srnic_ring_ready() - Return the number of unpolled completions, at most @want
 *
 * Acquire: pairs with the kernel's release of prod after it wrote the entries.
 */
static inline uint32_t srnic_ring_ready(struct srnic_ring *ring, uint32_t want)
{
	uint32_t have = ring->theirs - ring->mine;

	if (have < want) {
		ring->theirs = srnic_load_acquire(&ring->hdr->prod);
		have = ring->theirs - ring->mine;
	}
	return have < want ? have : want;
}

/**
 * srnic_ring_consumed() - Return the slots before ring->mine to the kernel
 *
 * Release: our loads of the entries finish before the kernel may overwrite them.
 */
static inline void srnic_ring_consumed(struct srnic_ring *ring)
{
	srnic_store_release(&ring->hdr->cons, ring->mine);
}

/**
 * srnic_ring_arm() - Request an event
 * @what: SRNIC_ARM_SOLICITED or SRNIC_ARM_NEXT
 *
 * A pending request is only widened: after NEXT, SOLICITED has no effect
 * (IBA 11.4.2.2). Two threads may arm at once, hence the exchange loop.
 *
 * The fence orders the store before the poll that follows in every correct verbs
 * application: a completion that this poll misses was produced after the kernel
 * could see the request. It pairs with the kernel's full fence between storing prod
 * and exchanging arm.
 */
static inline void srnic_ring_arm(struct srnic_ring *ring, uint32_t what)
{
	_Atomic uint32_t *arm = (_Atomic uint32_t *)&ring->hdr->arm;
	uint32_t old = atomic_load_explicit(arm, memory_order_relaxed);

	while (old < what &&
	       !atomic_compare_exchange_weak_explicit(arm, &old, what, memory_order_seq_cst,
						      memory_order_relaxed))
		;
	atomic_thread_fence(memory_order_seq_cst);
}

#endif /* SRNIC_RING_H */
