// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of the kernel that a process may map: those of rings, and device memory.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include "compat.h"
#include "export.h"
#include "queue/queue.h"

static void pages_put(struct srnic_pages *pages, u32 count)
{
	/* A process that still maps the pages holds references of its own. */
	while (count--) {
		__free_page(pages->page[count]);
		cond_resched();
	}
	kvfree(pages->page);
	*pages = (struct srnic_pages){};
}

/**
 * srnic_pages_alloc() - Allocate pages, all of their bytes zero
 * @pages: filled in, or zeroed on failure
 * @count: at least 1
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int srnic_pages_alloc(struct srnic_pages *pages, u32 count)
{
	/* Charge the caller's memory cgroup, and expose no stale data (R13). */
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO;

	*pages = (struct srnic_pages){ .count = count };
	pages->page = kvmalloc_array(count, sizeof(*pages->page),
				     GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!pages->page) {
		pages->count = 0;
		return -ENOMEM;
	}

	for (u32 i = 0; i < count; i++) {
		pages->page[i] = alloc_page(gfp);
		if (!pages->page[i]) {
			pages_put(pages, i);
			return -ENOMEM;
		}
		cond_resched();
	}
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_pages_alloc);

/**
 * srnic_pages_free() - Drop the kernel's references to pages
 * @pages: may be none
 *
 * Context: process.
 */
void srnic_pages_free(struct srnic_pages *pages)
{
	pages_put(pages, pages->count);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_pages_free);

/**
 * srnic_pages_map() - Map pages into the process that calls mmap()
 * @pages: pages of a user's object
 * @vma: shared, exactly as long as the pages
 *
 * The mapping holds page references and nothing else of srnic. Its
 * vm_operations remain those of ib_uverbs: without private data they answer a
 * fault with SIGBUS and do nothing on open and close, and the open file pins
 * ib_uverbs. So srnic can be unloaded while a process whose context is dead
 * still maps the pages. (With NULL instead, mm would treat the area as
 * anonymous.)
 *
 * Context: process, mmap lock held for writing.
 * Return: 0, -EINVAL if @vma is private or executable, or an error of mm.
 */
int srnic_pages_map(const struct srnic_pages *pages, struct vm_area_struct *vma)
{
	mmap_assert_write_locked(vma->vm_mm);

	if (!(vma->vm_flags & VM_SHARED) || (vma->vm_flags & VM_EXEC))
		return -EINVAL;

	/* Do not share them with a child process: the IBA does not know fork. */
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYEXEC);
	return vm_map_pages_zero(vma, pages->page, pages->count);
}
