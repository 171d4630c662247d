// SPDX-License-Identifier: GPL-2.0
/*
 * On-demand paging: regions whose pages are not pinned. A page is mapped at the first access, and
 * stays so until the kernel takes it back from the process, by an MMU notifier.
 *
 * Softirq never waits for a page. An access finds all of its pages in @pages or is told that they
 * are absent; a worker then faults them in, as the process itself would (hmm_range_fault()), and
 * the access is repeated. A region allows no more than the process may do itself: a page that the
 * process may only read is not written, and an unmapped one ends the access.
 *
 * An access holds an active reference to the STag from its check until its last copy. A notifier
 * quiesces the STag before it forgets pages, as invalidation does (RFC 5042 6.2.2, R12), and
 * publishes it again. So no byte is read from or written to a page after the kernel has taken it.
 * Accesses in between are told that their pages are absent.
 */
#include <linux/hmm.h>
#include <linux/jiffies.h>
#include <linux/memcontrol.h>
#include <linux/memremap.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/overflow.h>
#include <linux/pagemap.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait_bit.h>
#include <linux/xarray.h>
#include "compat.h"
#include "export.h"
#include "mem/odp.h"

/* Pages mapped at a time; their descriptors are on the stack */
#define CHUNK_PAGES	32

/* Most bytes that one access faults in: the bound of the work that a packet causes */
#define AHEAD_MAX	SZ_1M

/* Tag of an entry of srnic_odp.pages: the page may be written */
#define WRITABLE	1

/* Rights whose accesses write */
#define WRITES		(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)

/**
 * struct srnic_odp - The pages of a region that is paged on demand
 * @notifier: tells which pages the kernel takes back; has the address space
 * @stag: the region's
 * @start: address of the region's first byte in the process
 * @lock: process context; serialises changes of @pages and of @live. Taken in reclaim: nothing
 *	is allocated under it
 * @live: the region's key is valid, except while a notifier pauses it
 * @pages: mapped pages, by address in the process: kernel address, tagged WRITABLE or not.
 *	Readers hold an active reference to @stag
 * @users: workers that map pages, and the region itself
 * @rcu: for freeing after a grace period
 */
struct srnic_odp {
	struct mmu_interval_notifier notifier;
	struct srnic_stag *stag;
	u64 start;
	struct mutex lock;	/* changes of pages, live */
	bool live;
	struct xarray pages;
	refcount_t users;
	struct rcu_head rcu;
};

static void odp_put(struct srnic_odp *odp)
{
	if (!refcount_dec_and_test(&odp->users))
		return;
	smp_mb__after_atomic();		/* pairs with wait_var_event() */
	wake_up_var(&odp->users);
}

/* The pages that bytes of a process are in */
struct page_range {
	unsigned long first;
	unsigned long last;
};

static struct page_range pages_of(u64 start, u64 len)
{
	return (struct page_range){ start >> PAGE_SHIFT, (start + len - 1) >> PAGE_SHIFT };
}

/*
 * Forget pages. Those that may have been written through the region become dirty, because the
 * process's page table does not tell.
 */
static void odp_forget(struct srnic_odp *odp, const struct page_range *range)
	__must_hold(&odp->lock)
{
	unsigned long index;
	void *entry;

	xa_for_each_range(&odp->pages, index, entry, range->first, range->last) {
		if (xa_pointer_tag(entry) == WRITABLE)
			folio_mark_dirty(virt_to_folio(xa_untag_pointer(entry)));
		xa_erase(&odp->pages, index);
		cond_resched();
	}
}

/* Forget pages when no access to the region is in progress; accesses that begin are refused. */
static void odp_invalidate_range(struct srnic_odp *odp, const struct page_range *range)
	__must_hold(&odp->lock)
{
	unsigned long index = range->first;

	if (!xa_find(&odp->pages, &index, range->last, XA_PRESENT))
		return;
	if (odp->live)
		srnic_stag_quiesce(odp->stag);
	odp_forget(odp, range);
	if (odp->live)
		srnic_stag_publish(odp->stag);
}

/* Tell whether nothing of these pages is mapped, without waiting for anybody. */
static bool odp_try_invalidate(struct srnic_odp *odp, const struct page_range *range,
			       unsigned long seq)
{
	unsigned long index = range->first;
	bool done;

	if (!mutex_trylock(&odp->lock))
		return false;
	done = !xa_find(&odp->pages, &index, range->last, XA_PRESENT);
	if (done)
		mmu_interval_set_seq(&odp->notifier, seq);
	mutex_unlock(&odp->lock);
	return done;
}

/*
 * The holders of references that it waits for have BHs off: it does not wait for long. The OOM
 * killer must not wait at all, and leaves a range out that has mapped pages.
 */
static bool odp_invalidate(struct mmu_interval_notifier *notifier,
			   const struct mmu_notifier_range *mmu, unsigned long seq)
{
	struct srnic_odp *odp = container_of(notifier, struct srnic_odp, notifier);
	const struct page_range range = pages_of(mmu->start, mmu->end - mmu->start);

	if (!mmu_notifier_range_blockable(mmu))
		return odp_try_invalidate(odp, &range, seq);
	mutex_lock(&odp->lock);
	mmu_interval_set_seq(notifier, seq);
	odp_invalidate_range(odp, &range);
	mutex_unlock(&odp->lock);
	return true;
}

static const struct mmu_interval_notifier_ops odp_notifier_ops = {
	.invalidate = odp_invalidate,
};

static void odp_go_live(struct srnic_odp *odp)
{
	mutex_lock(&odp->lock);
	WRITE_ONCE(odp->live, true);
	srnic_stag_publish(odp->stag);
	mutex_unlock(&odp->lock);
}

/**
 * srnic_region_page() - Make a new region valid that is paged on demand
 * @mr: not valid; its STag is filled in
 * @start: address of the first byte in the process
 *
 * Nothing is mapped yet. The memory need not exist: only its accesses can tell.
 *
 * Context: process that owns the memory.
 * Return: 0, -ENOMEM, -EOVERFLOW if an unsigned long is too short for the range, or an errno of
 * mmu_interval_notifier_insert().
 */
int srnic_region_page(struct srnic_mr *mr, u64 start)
{
	struct srnic_stag *stag = &mr->stag;
	unsigned long length = stag->length;
	struct srnic_odp *odp;
	int err;

	if (length != stag->length || start > ULONG_MAX)
		return -EOVERFLOW;
	odp = kzalloc(sizeof(*odp), GFP_KERNEL_ACCOUNT);
	if (!odp)
		return -ENOMEM;
	odp->stag = stag;
	odp->start = start;
	mutex_init(&odp->lock);
	xa_init_flags(&odp->pages, XA_FLAGS_ACCOUNT);
	refcount_set(&odp->users, 1);
	err = mmu_interval_notifier_insert(&odp->notifier, current->mm, start, length,
					   &odp_notifier_ops);
	if (err) {
		kfree(odp);
		return err;
	}
	WRITE_ONCE(stag->checks, SRNIC_CHECK_RESIDENT);
	mr->map.odp = odp;
	odp_go_live(odp);
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_region_page);

/**
 * srnic_odp_stop() - Make the key of a region invalid for good
 * @odp: its pages
 *
 * Context: process.
 */
void srnic_odp_stop(struct srnic_odp *odp)
{
	mutex_lock(&odp->lock);
	WRITE_ONCE(odp->live, false);
	srnic_stag_quiesce(odp->stag);
	mutex_unlock(&odp->lock);
}

/**
 * srnic_odp_destroy() - Free the pages of a region
 * @odp: stopped; no worker finds it any more
 *
 * Context: process. Waits for workers that map pages.
 */
void srnic_odp_destroy(struct srnic_odp *odp)
{
	const struct page_range all = { 0, ULONG_MAX };

	odp_put(odp);
	wait_var_event(&odp->users, !refcount_read(&odp->users));

	mutex_lock(&odp->lock);
	odp_forget(odp, &all);
	mutex_unlock(&odp->lock);
	mmu_interval_notifier_remove(&odp->notifier);
	xa_destroy(&odp->pages);
	kfree_rcu(odp, rcu);
}

static struct srnic_odp *stag_odp(const struct srnic_stag *stag)
{
	if (stag->kind != SRNIC_STAG_ON_DEMAND)
		return NULL;
	return READ_ONCE(stag->mr->map.odp);
}

/**
 * srnic_odp_paused() - Return whether an STag that is not valid is so for a moment only
 * @stag: found under RCU
 *
 * Context: any up to softirq, under RCU.
 */
bool srnic_odp_paused(const struct srnic_stag *stag)
{
	const struct srnic_odp *odp = stag_odp(stag);

	return odp && READ_ONCE(odp->live);
}

/* Return how many bytes are accessed before the access is checked again. */
static u64 access_now(const struct srnic_access *access)
{
	return min_t(u64, access->len, access->rights & IB_ACCESS_REMOTE_READ ?
				       SRNIC_MEM_TURN : SRNIC_MEM_PACKET);
}

static u64 odp_address(const struct srnic_odp *odp, const struct srnic_access *access)
{
	return odp->start + (access->va - odp->stag->iova);
}

/**
 * srnic_odp_resident() - Return whether the bytes that an access begins with are mapped
 * @stag: a region that is paged on demand; the caller holds an active reference
 * @access: checked otherwise, not empty
 *
 * Context: any up to softirq.
 */
bool srnic_odp_resident(const struct srnic_stag *stag, const struct srnic_access *access)
{
	struct srnic_odp *odp = stag->mr->map.odp;
	struct page_range range = pages_of(odp_address(odp, access), access_now(access));
	bool write = access->rights & WRITES;

	for (; range.first <= range.last; range.first++) {
		void *entry = xa_load(&odp->pages, range.first);

		if (!entry || (write && xa_pointer_tag(entry) != WRITABLE))
			return false;
	}
	return true;
}

/**
 * srnic_odp_run() - Return the kernel address of a byte
 * @odp: pages of a region; the caller holds an active reference to its STag
 * @off: of the byte, from the start of the region; mapped
 * @run: bytes wanted; reduced to those in the same page
 */
void *srnic_odp_run(struct srnic_odp *odp, u64 off, u32 *run)
{
	u64 at = odp->start + off;
	u32 in = offset_in_page(at);
	void *entry = xa_load(&odp->pages, at >> PAGE_SHIFT);

	*run = min_t(u32, *run, PAGE_SIZE - in);
	return xa_untag_pointer(entry) + in;
}

/*
 * Whether the kernel may use a page by its own mapping. It has none of secret memory
 * (memfd_secret(2)), and memory of PCI devices is not for the processor's copies.
 */
static bool page_usable(struct page *page)
{
	u8 byte;

	if (is_pci_p2pdma_page(page))
		return false;
	return !copy_from_kernel_nofault(&byte, page_address(page), sizeof(byte));
}

/**
 * struct page_in - Pages to be mapped at a time
 * @pages: in the process
 * @count: how many
 * @flags: HMM_PFN_REQ_*
 * @read_only: some of them may not be written, whatever the answer says
 * @pfns: the answer
 */
struct page_in {
	struct page_range pages;
	unsigned long count;
	unsigned long flags;
	bool read_only;
	unsigned long pfns[CHUNK_PAGES];
};

static int odp_store_page(struct srnic_odp *odp, const struct page_in *in, unsigned long at)
	__must_hold(&odp->lock)
{
	bool writable = in->pfns[at] & HMM_PFN_WRITE && !in->read_only &&
			odp->stag->access & IB_ACCESS_LOCAL_WRITE;
	struct page *page = hmm_pfn_to_page(in->pfns[at]);

	if (!page_usable(page))
		return -EFAULT;
	return xa_err(xa_store(&odp->pages, in->pages.first + at,
			       xa_tag_pointer(page_address(page), writable ? WRITABLE : 0),
			       GFP_NOWAIT | __GFP_NOWARN));
}

/* Entries have been reserved, so xa_store() rarely allocates. */
static int odp_store(struct srnic_odp *odp, const struct page_in *in)
	__must_hold(&odp->lock)
{
	unsigned long i;
	int err = 0;

	for (i = 0; i < in->count && !err; i++) {
		if (in->pfns[i] & HMM_PFN_VALID)
			err = odp_store_page(odp, in, i);
	}
	return err;
}

/*
 * A process cannot store to its shadow stacks, although their pages are writable: so its regions
 * cannot either, as get_user_pages() has it.
 */
static bool has_shadow_stack(struct mm_struct *mm, const struct hmm_range *range)
{
	struct vm_area_struct *area;
	struct vma_iterator iterator;

	vma_iter_init(&iterator, mm, range->start);
	for_each_vma_range(iterator, area, range->end)
		if (area->vm_flags & VM_SHADOW_STACK)
			return true;
	return false;
}

/* Return -EAGAIN if the kernel has taken pages back meanwhile. */
static int odp_map_once(struct srnic_odp *odp, struct page_in *in)
{
	struct mm_struct *mm = odp->notifier.mm;
	struct hmm_range range = {
		.notifier = &odp->notifier,
		.notifier_seq = mmu_interval_read_begin(&odp->notifier),
		.start = in->pages.first << PAGE_SHIFT,
		.end = (in->pages.last + 1) << PAGE_SHIFT,
		.hmm_pfns = in->pfns,
		.default_flags = in->flags,
	};
	int err;

	mmap_read_lock(mm);
	in->read_only = has_shadow_stack(mm, &range);
	err = in->read_only && in->flags & HMM_PFN_REQ_WRITE ? -EFAULT : hmm_range_fault(&range);
	mmap_read_unlock(mm);
	if (err)
		return err == -EBUSY ? -EAGAIN : err;

	mutex_lock(&odp->lock);
	if (mmu_interval_read_retry(&odp->notifier, range.notifier_seq))
		err = -EAGAIN;
	else
		err = odp_store(odp, in);
	mutex_unlock(&odp->lock);
	return err;
}

static int odp_reserve(struct srnic_odp *odp, const struct page_in *in)
{
	unsigned long i;
	int err = 0;

	for (i = 0; i < in->count && !err; i++)
		err = xa_reserve(&odp->pages, in->pages.first + i, GFP_KERNEL);
	return err;
}

/* Give back the reservations that have not been used. */
static void odp_unreserve(struct srnic_odp *odp, const struct page_in *in)
{
	unsigned long i;

	for (i = 0; i < in->count; i++)
		xa_release(&odp->pages, in->pages.first + i);
}

static int odp_map_chunk(struct srnic_odp *odp, struct page_in *in)
{
	unsigned long end = jiffies + msecs_to_jiffies(HMM_RANGE_DEFAULT_TIMEOUT);
	int err;

	in->count = in->pages.last - in->pages.first + 1;
	memset(in->pfns, 0, sizeof(in->pfns));
	err = odp_reserve(odp, in);
	if (err)
		goto unreserve;
	do {
		err = odp_map_once(odp, in);
	} while (err == -EAGAIN && time_before(jiffies, end));
unreserve:
	odp_unreserve(odp, in);
	return err;
}

/*
 * Map pages. Return -EAGAIN or -ENOMEM if that may succeed later; other errors say that the
 * process cannot access the bytes.
 */
static int odp_map(struct srnic_odp *odp, u64 start, u64 len, unsigned long flags)
{
	const struct page_range all = pages_of(start, len);
	struct page_in in = { .pages.first = all.first, .flags = flags };
	struct mm_struct *mm = odp->notifier.mm;
	struct mem_cgroup *memcg, *former;
	int err;

	if (!mmget_not_zero(mm))
		return -EFAULT;
	/* page tables, and entries of the pages, count as the process's, whoever causes them */
	memcg = get_mem_cgroup_from_mm(mm);
	former = set_active_memcg(memcg);
	do {
		in.pages.last = min(all.last, in.pages.first + CHUNK_PAGES - 1);
		err = odp_map_chunk(odp, &in);
		in.pages.first = in.pages.last + 1;
		cond_resched();
		if (fatal_signal_pending(current))
			err = err ?: -EINTR;
	} while (!err && in.pages.last < all.last);
	set_active_memcg(former);
	mem_cgroup_put(memcg);
	/* the last user of the address space might destroy the region, and wait for this one */
	mmput_async(mm);
	return err;
}

static struct srnic_odp *odp_find(const struct srnic_mem_stream *stream, u32 key)
{
	struct srnic_odp *odp = NULL;
	struct srnic_stag *stag;

	rcu_read_lock();
	stag = srnic_stag_find(stream, key);
	if (stag)
		odp = stag_odp(stag);
	if (odp && !refcount_inc_not_zero(&odp->users))
		odp = NULL;
	rcu_read_unlock();
	return odp;
}

/* Check an access except for its pages. Under the lock, no notifier pauses the region. */
static enum srnic_mem_status odp_check(struct srnic_odp *odp,
				       const struct srnic_mem_stream *stream,
				       const struct srnic_access *access)
{
	struct srnic_access later = *access;
	enum srnic_mem_status status;
	struct srnic_mem_ref ref;

	later.rights |= SRNIC_ACCESS_LATER;
	mutex_lock(&odp->lock);
	local_bh_disable();
	status = srnic_mem_get(stream, &later, &ref);
	if (!status)
		srnic_mem_put(&ref);
	local_bh_enable();
	mutex_unlock(&odp->lock);
	return status;
}

static unsigned long fault_flags(const struct srnic_access *access)
{
	return HMM_PFN_REQ_FAULT | (access->rights & WRITES ? HMM_PFN_REQ_WRITE : 0);
}

/* Return how many bytes to map: those needed, and some that will probably be next. */
static u64 odp_extent(const struct srnic_odp *odp, const struct srnic_access *access, u64 ahead)
{
	u64 left = odp->stag->length - (access->va - odp->stag->iova);

	return min3(max(access_now(access), ahead), (u64)AHEAD_MAX, left);
}

/**
 * srnic_mem_page_in() - Get the pages of an access that were absent
 * @stream: stream on whose behalf the access is made
 * @access: the access; checked again
 * @ahead: bytes from its first one on that will probably be accessed
 *
 * Context: process.
 * Return: 0: the access is to be tried again, which may also tell that it is refused for another
 * reason now; -EAGAIN: the pages cannot be had at the moment; -EFAULT or another errno: the process
 * cannot access these bytes itself.
 */
int srnic_mem_page_in(const struct srnic_mem_stream *stream, const struct srnic_access *access,
		      u64 ahead)
{
	struct srnic_odp *odp = odp_find(stream, access->key);
	u64 start, need, extent;
	int err = 0;

	if (!odp)
		return 0;
	if (odp_check(odp, stream, access))
		goto put;
	start = odp_address(odp, access);
	need = access_now(access);
	extent = odp_extent(odp, access, ahead);
	err = odp_map(odp, start, extent, fault_flags(access));
	/* there may be no memory behind the bytes that are needed */
	if (err && extent > need)
		err = odp_map(odp, start, need, fault_flags(access));
	if (err == -ENOMEM)
		err = -EAGAIN;
put:
	odp_put(odp);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mem_page_in);

/* ibv_advise_mr(3) */
static const int prefetch_errno[] = {
	[SRNIC_MEM_INVALID] = -EFAULT,
	[SRNIC_MEM_PD] = -EFAULT,
	[SRNIC_MEM_BOUNDS] = -EFAULT,
	[SRNIC_MEM_ACCESS] = -EPERM,
};

/**
 * srnic_mem_prefetch() - Map pages of a region that is paged on demand before they are accessed
 * @stream: of the region's domain
 * @access: the bytes, and the right to write if they are to be written
 * @how: whether absent pages are faulted in
 *
 * Context: process.
 * Return: 0; -EFAULT: not the key of such a region, or bytes that are not the region's or not the
 * process's; -EPERM: no right to write; -EAGAIN, -ENOMEM, -EINTR.
 */
int srnic_mem_prefetch(const struct srnic_mem_stream *stream, const struct srnic_access *access,
		       enum srnic_prefetch how)
{
	struct srnic_odp *odp = odp_find(stream, access->key);
	enum srnic_mem_status status;
	int err = 0;

	if (!odp)
		return -EFAULT;
	status = odp_check(odp, stream, access);
	if (status)
		err = prefetch_errno[status];
	else if (access->len)
		err = odp_map(odp, odp_address(odp, access), access->len,
			      how == SRNIC_PREFETCH_FAULT ? fault_flags(access) : 0);
	odp_put(odp);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mem_prefetch);
