// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a ring: pages that a process may have mapped, and our own mapping of
 * the same pages.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>
#include "../export.h"
#include "queue.h"

static_assert(sizeof(struct srnic_ring_hdr) <= SRNIC_RING_SLOTS);
static_assert(SRNIC_RING_SLOTS % 64 == 0);

static size_t ring_bytes(u32 entries, u32 stride)
{
	return SRNIC_RING_SLOTS + (size_t)entries * stride;
}

/**
 * srnic_ring_pages - what a ring will cost
 * @limit: entries
 * @stride: bytes an entry
 *
 * Return: PAGE_SIZE pages that srnic_ring_alloc() takes for the same arguments.
 */
unsigned int srnic_ring_pages(u32 limit, u32 stride)
{
	return PFN_UP(ring_bytes(roundup_pow_of_two(limit), stride));
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ring_pages);

static int ring_get_pages(struct srnic_ring *ring)
{
	/* charged to the caller's memory cgroup, and without stale data (R13) */
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
	/* a process that still has them mapped holds references of its own */
	for (unsigned int i = 0; i < ring->npages; i++)
		__free_page(ring->pages[i]);
	kvfree(ring->pages);
	ring->pages = NULL;
}

/**
 * srnic_ring_alloc - get memory for a ring
 * @ring: zeroed or freed before; indices start at 0
 * @limit: entries wanted, at least 1; rounded up to a power of two, and all of
 *	those are granted
 * @stride: bytes an entry, a multiple of 8
 * @user: will be mapped into a process
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

	/* most rings of an idle peer fit one page, which needs no mapping */
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
 * srnic_ring_free - give back our mapping and our references
 * @ring: may have no memory
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
 * srnic_ring_map - map a ring into the process that calls mmap()
 * @ring: of a user object
 * @vma: shared, exactly as long as the ring
 *
 * The mapping keeps page references and nothing else of ours. Its vm_operations
 * remain those that ib_uverbs has set: without private data they answer a fault
 * with SIGBUS and do nothing on open and close, and they belong to ib_uverbs,
 * which the open file pins. So srnic can be unloaded while a process whose
 * context is dead still has the ring mapped. (NULL instead would turn the area
 * into an anonymous one in the eyes of mm.)
 *
 * Context: process, mmap lock held for writing.
 * Return: 0, -EINVAL if @vma is private or executable, or an error of mm.
 */
int srnic_ring_map(const struct srnic_ring *ring, struct vm_area_struct *vma)
{
	mmap_assert_write_locked(vma->vm_mm);

	if (!(vma->vm_flags & VM_SHARED) || (vma->vm_flags & VM_EXEC))
		return -EINVAL;

	/* a child has no business with its parent's rings: IBA knows no fork */
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYEXEC);
	return vm_map_pages_zero(vma, ring->pages, ring->npages);
}
