// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a ring: pages that a process may have mapped, and the kernel's own
 * mapping of them.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>
#include "../compat.h"
#include "../export.h"
#include "queue.h"

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

static int ring_get_pages(struct srnic_ring *ring)
{
	/* Charge the caller's memory cgroup, and expose no stale data (R13). */
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO;
	unsigned int i;

	ring->pages = kvmalloc_array(ring->npages, sizeof(*ring->pages),
				     GFP_KERNEL_ACCOUNT);
	if (!ring->pages)
		return -ENOMEM;

	for (i = 0; i < ring->npages; i++) {
		ring->pages[i] = alloc_page(gfp);
		if (!ring->pages[i])
			goto err_pages;
	}
	return 0;

err_pages:
	while (i--)
		__free_page(ring->pages[i]);
	kvfree(ring->pages);
	ring->pages = NULL;
	return -ENOMEM;
}

static void ring_put_pages(struct srnic_ring *ring)
{
	/* A process that still maps the pages holds references of its own. */
	for (unsigned int i = 0; i < ring->npages; i++)
		__free_page(ring->pages[i]);
	kvfree(ring->pages);
	ring->pages = NULL;
}

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
		.npages = srnic_ring_pages(limit, stride),
		.user = user,
	};
	ring->limit = ring->entries;

	err = ring_get_pages(ring);
	if (err)
		return err;

	/* Most rings of an idle peer fit in one page, which needs no vmap(). */
	if (ring->npages == 1)
		ring->hdr = page_address(ring->pages[0]);
	else
		ring->hdr = vmap(ring->pages, ring->npages, VM_MAP, PAGE_KERNEL);
	if (!ring->hdr) {
		ring_put_pages(ring);
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

	if (ring->npages > 1)
		vunmap(ring->hdr);
	ring_put_pages(ring);
	ring->hdr = NULL;
	ring->slots = NULL;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ring_free);

/**
 * srnic_ring_map() - Map a ring into the process that calls mmap()
 * @ring: the ring of a user object
 * @vma: shared, exactly as long as the ring
 *
 * The mapping holds page references and nothing else of srnic. Its
 * vm_operations remain those of ib_uverbs: without private data they answer a
 * fault with SIGBUS and do nothing on open and close, and the open file pins
 * ib_uverbs. So srnic can be unloaded while a process whose context is dead
 * still maps the ring. (With NULL instead, mm would treat the area as
 * anonymous.)
 *
 * Context: process, mmap lock held for writing.
 * Return: 0, -EINVAL if @vma is private or executable, or an error of mm.
 */
int srnic_ring_map(const struct srnic_ring *ring, struct vm_area_struct *vma)
{
	mmap_assert_write_locked(vma->vm_mm);

	if (!(vma->vm_flags & VM_SHARED) || (vma->vm_flags & VM_EXEC))
		return -EINVAL;

	/* Do not share rings with a child process: the IBA does not know fork. */
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYEXEC);
	return vm_map_pages_zero(vma, ring->pages, ring->npages);
}
