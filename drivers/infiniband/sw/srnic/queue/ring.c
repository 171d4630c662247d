// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a ring: pages that a process may have mapped, and the kernel's own
 * mapping of them.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>
#include "export.h"
#include "queue/queue.h"

static_assert(sizeof(struct srnic_ring_hdr) <= SRNIC_RING_SLOTS);
static_assert(SRNIC_RING_SLOTS % 64 == 0);

static size_t ring_bytes(u32 entries, u32 stride)
{
	return SRNIC_RING_SLOTS + (size_t)entries * stride;
}

/**
 * srnic_ring_pages() - Return how many pages a ring needs
 * @limit: entries
 * @stride: bytes of an entry
 *
 * Return: number of PAGE_SIZE pages that srnic_ring_alloc() allocates for these
 * arguments.
 */
unsigned int srnic_ring_pages(u32 limit, u32 stride)
{
	return PFN_UP(ring_bytes(roundup_pow_of_two(limit), stride));
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ring_pages);

/**
 * srnic_ring_alloc() - Allocate memory for a ring
 * @ring: zeroed, or freed before; indices start at 0
 * @limit: entries, at least 1; rounded up to a power of two, all of which are
 *	granted
 * @stride: bytes of an entry, a multiple of 8
 * @user: the ring will be mapped into a process
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int srnic_ring_alloc(struct srnic_ring *ring, u32 limit, u32 stride, bool user)
{
	int err;

	*ring = (struct srnic_ring){
		.entries = roundup_pow_of_two(limit),
		.stride = stride,
		.user = user,
	};
	ring->limit = ring->entries;

	err = srnic_pages_alloc(&ring->pages, srnic_ring_pages(limit, stride));
	if (err)
		return err;

	/* Most rings of an idle peer fit in one page, which needs no vmap(). */
	if (ring->pages.count == 1)
		ring->hdr = page_address(ring->pages.page[0]);
	else
		ring->hdr = vmap(ring->pages.page, ring->pages.count, VM_MAP, PAGE_KERNEL);
	if (!ring->hdr) {
		srnic_pages_free(&ring->pages);
		return -ENOMEM;
	}
	ring->slots = (void *)ring->hdr + SRNIC_RING_SLOTS;
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ring_alloc);

/**
 * srnic_ring_free() - Release a ring's mapping and page references
 * @ring: the ring; may have no memory
 *
 * Context: process.
 */
void srnic_ring_free(struct srnic_ring *ring)
{
	if (!ring->hdr)
		return;

	if (ring->pages.count > 1)
		vunmap(ring->hdr);
	srnic_pages_free(&ring->pages);
	ring->hdr = NULL;
	ring->slots = NULL;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ring_free);
