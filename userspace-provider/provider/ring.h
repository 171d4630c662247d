/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * User space's end of a ring shared with the kernel: producer of an SQ, RQ or
 * SRQ, consumer of a CQ. Documentation/abi.md is the contract; this file is the
 * only one that touches the shared words. It depends on nothing of libibverbs,
 * so that tests/ can drive it in plain memory.
 *
 * Our own index lives here and is only ever stored to the shared page, never
 * loaded from it, and the kernel's is cached: a post or a poll touches the
 * kernel's cache line only when the cached value no longer suffices.
 */
#ifndef SRNIC_RING_H
#define SRNIC_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdma/srnic-abi.h>

struct srnic_ring {
	struct srnic_ring_hdr *hdr;	/* NULL: a queue without entries has no ring */
	char *slots;
	uint32_t mask;
	uint32_t stride;
	uint32_t limit;
	uint32_t mine;		/* next slot to fill or to empty */
	uint32_t theirs;	/* the kernel's index as last seen */
	size_t size;		/* of the mapping */
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
 * srnic_ring_fits - whether a description from the kernel makes sense
 * @abi: the description
 * @min_stride: what the caller's entries need
 *
 * A mismatch of versions must end in an error, not in a stray store.
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
 * srnic_ring_init_producer - take up the user's end of an SQ, RQ or SRQ
 *
 * A fresh ring has both indices equal; one that replaces another (a resized SRQ)
 * holds the entries that wait, and prod is where to go on.
 */
static inline void srnic_ring_init_producer(struct srnic_ring *ring, void *mem,
					    const struct srnic_abi_ring *abi)
{
	srnic_ring_init(ring, mem, abi);
	ring->mine = srnic_load_acquire(&ring->hdr->prod);
	ring->theirs = srnic_load_acquire(&ring->hdr->cons);
}

/* The same for a CQ. */
static inline void srnic_ring_init_consumer(struct srnic_ring *ring, void *mem,
					    const struct srnic_abi_ring *abi)
{
	srnic_ring_init(ring, mem, abi);
	ring->mine = srnic_load_acquire(&ring->hdr->cons);
	ring->theirs = ring->mine;
}

/**
 * srnic_ring_full - whether the slot of @next is still taken
 * @next: ring->mine plus what the present batch has already filled
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
 * srnic_ring_produced - make a batch visible, once
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
 * srnic_ring_must_wake - whether the doorbell has to be rung for what was produced
 *
 * Dekker's pattern: we store prod, then load need_wakeup; the kernel stores
 * need_wakeup, then loads prod. Each side needs a full fence between the two, for
 * a store may be delayed past a later load even on x86. With both, at least one
 * side sees the other's store: we ring, or the kernel does not sleep.
 */
static inline bool srnic_ring_must_wake(struct srnic_ring *ring)
{
	atomic_thread_fence(memory_order_seq_cst);
	return srnic_load_relaxed(&ring->hdr->need_wakeup) != 0;
}

/**
 * srnic_ring_reset - what is left to user space when a QP went to RESET
 *
 * The kernel has dropped what waited, by moving cons up to prod. We start from
 * wherever it says the ring is empty.
 */
static inline void srnic_ring_reset(struct srnic_ring *ring)
{
	if (!ring->hdr)
		return;
	ring->theirs = srnic_load_acquire(&ring->hdr->cons);
	srnic_ring_produced(ring, ring->theirs);
}

/**
 * srnic_ring_ready - how many completions wait, at most @want
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
 * srnic_ring_consumed - give the slots before ring->mine back
 *
 * Release: our loads of the entries are over before the kernel may overwrite them.
 */
static inline void srnic_ring_consumed(struct srnic_ring *ring)
{
	srnic_store_release(&ring->hdr->cons, ring->mine);
}

/**
 * srnic_ring_arm - ask for an event
 * @what: SRNIC_ARM_SOLICITED or SRNIC_ARM_NEXT
 *
 * A pending request is only ever widened: after NEXT, SOLICITED changes nothing
 * (IBA 11.4.2.2). Two threads may arm at once, hence the exchange loop.
 *
 * The fence orders the store before the poll that, by the rule of every verbs
 * application, follows: a completion that the poll misses was produced after the
 * kernel could see the request. Its counterpart is the kernel's full fence
 * between storing prod and exchanging arm.
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
