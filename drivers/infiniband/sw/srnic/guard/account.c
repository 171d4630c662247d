// SPDX-License-Identifier: GPL-2.0
/*
 * Memory charged to a process. Ring pages stay in memory as long as their
 * object does, so they count against RLIMIT_MEMLOCK like pinned regions, which
 * ib_umem charges to the same counter (RFC 5042 7.3, R32).
 */
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include "guard/guard.h"

/**
 * srnic_charge_pages() - Charge the current process for pages that stay in memory
 * @charge: filled in for srnic_uncharge_pages(); zeroed on failure
 * @pages: number of PAGE_SIZE pages
 *
 * Context: process.
 * Return: 0, or -ENOMEM beyond RLIMIT_MEMLOCK, unless the process has
 * CAP_IPC_LOCK.
 */
int srnic_charge_pages(struct srnic_charge *charge, unsigned long pages)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	struct mm_struct *mm = current->mm;

	*charge = (struct srnic_charge){};
	if (atomic64_add_return(pages, &mm->pinned_vm) > limit &&
	    !capable(CAP_IPC_LOCK)) {
		atomic64_sub(pages, &mm->pinned_vm);
		return -ENOMEM;
	}

	/* another process may return the charge (fd passed, exit) */
	mmgrab(mm);
	charge->mm = mm;
	charge->pages = pages;
	return 0;
}

/**
 * srnic_uncharge_pages() - Return a charge
 * @charge: zeroed afterwards; may be empty
 *
 * Context: process.
 */
void srnic_uncharge_pages(struct srnic_charge *charge)
{
	if (!charge->mm)
		return;

	atomic64_sub(charge->pages, &charge->mm->pinned_vm);
	mmdrop(charge->mm);
	*charge = (struct srnic_charge){};
}
