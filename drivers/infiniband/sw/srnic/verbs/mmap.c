// SPDX-License-Identifier: GPL-2.0
/*
 * Rings and device memory in the mmap space of a user context.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include "verbs/ops.h"

/**
 * struct srnic_mmap - Pages that can be mapped
 * @entry: core part: offset and references
 * @lock: protects @pages against their owner freeing them
 * @pages: copy of the owner's; none before it has allocated and after it has
 *	freed them
 * @charge: process whose RLIMIT_MEMLOCK is charged for the pages
 * @uctx: context in whose mmap space they are
 * @user: user whose quota is charged for the pages
 * @quota: that quota
 */
struct srnic_mmap {
	struct rdma_user_mmap_entry entry;
	struct mutex lock;	/* pages */
	struct srnic_pages pages;
	struct srnic_charge charge;
	struct ib_ucontext *uctx;
	struct srnic_user *user;
	enum srnic_quota quota;
};

/**
 * srnic_mmap_new() - Charge a user and the current process for pages
 * @uctx: context that will have them
 * @quota: kind of pages
 * @count: how many; they are allocated after they have been granted (R18)
 *
 * Context: process.
 * Return: a place for srnic_mmap_insert() and srnic_mmap_remove(), or
 * ERR_PTR(-ENOMEM).
 */
struct srnic_mmap *srnic_mmap_new(struct ib_ucontext *uctx, enum srnic_quota quota, u32 count)
{
	struct srnic_user *user = to_srnic_ucontext(uctx)->user;
	struct srnic_dev *dev = to_srnic(uctx->device);
	struct srnic_mmap *mmap;
	int err;

	mmap = kzalloc(sizeof(*mmap), GFP_KERNEL_ACCOUNT);
	if (!mmap)
		return ERR_PTR(-ENOMEM);

	mutex_init(&mmap->lock);
	mmap->uctx = uctx;
	mmap->quota = quota;
	mmap->user = user;
	err = srnic_take_quota_many(dev, quota, user, count);
	if (err)
		goto err_free;
	err = srnic_charge_pages(&mmap->charge, count);
	if (err)
		goto err_give;
	return mmap;

err_give:
	srnic_give_quota_many(dev, quota, user, count);
err_free:
	kfree(mmap);
	return ERR_PTR(err);
}

/**
 * srnic_mmap_insert() - Add pages to the mmap space of their context
 * @mmap: from srnic_mmap_new() for as many pages
 * @pages: the pages
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int srnic_mmap_insert(struct srnic_mmap *mmap, const struct srnic_pages *pages)
{
	int err;

	mmap->pages = *pages;
	err = rdma_user_mmap_entry_insert(mmap->uctx, &mmap->entry,
					  (size_t)pages->count << PAGE_SHIFT);
	if (err)
		mmap->pages = (struct srnic_pages){};
	return err;
}

/* The offset of inserted pages, for mmap(). */
u64 srnic_mmap_offset(struct srnic_mmap *mmap)
{
	return rdma_user_mmap_get_offset(&mmap->entry);
}

/**
 * srnic_mmap_remove() - Remove pages from the mmap space, and return the charges
 * @mmap: from srnic_mmap_new(), or NULL
 *
 * Existing mappings stay, because their pages are refcounted.
 *
 * Context: process.
 */
void srnic_mmap_remove(struct srnic_mmap *mmap)
{
	bool inserted;

	if (!mmap)
		return;

	/*
	 * An mmap() in progress holds a reference: it has finished, or will
	 * find no pages.
	 */
	mutex_lock(&mmap->lock);
	inserted = mmap->pages.count;
	mmap->pages.count = 0;
	mutex_unlock(&mmap->lock);
	srnic_give_quota_many(to_srnic(mmap->uctx->device), mmap->quota, mmap->user,
			      mmap->charge.pages);
	srnic_uncharge_pages(&mmap->charge);
	if (inserted)
		rdma_user_mmap_entry_remove(&mmap->entry);
	else
		kfree(mmap);
}

void srnic_mmap_free(struct rdma_user_mmap_entry *entry)
{
	kfree(container_of(entry, struct srnic_mmap, entry));
}

int srnic_mmap(struct ib_ucontext *uctx, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry;
	struct srnic_mmap *mmap;
	int err = -EINVAL;

	/* checks the length, too */
	entry = rdma_user_mmap_entry_get(uctx, vma);
	if (!entry)
		return -EINVAL;

	mmap = container_of(entry, struct srnic_mmap, entry);
	mutex_lock(&mmap->lock);
	if (mmap->pages.count)
		err = srnic_pages_map(&mmap->pages, vma);
	mutex_unlock(&mmap->lock);

	rdma_user_mmap_entry_put(entry);
	return err;
}

/* For the provider. */
static struct srnic_abi_ring ring_describe(const struct srnic_ring *ring, struct srnic_mmap *mmap)
{
	return (struct srnic_abi_ring){
		.offset = srnic_mmap_offset(mmap),
		.size = (size_t)ring->pages.count << PAGE_SHIFT,
		.entries = ring->entries,
		.stride = ring->stride,
		.limit = ring->limit,
	};
}

/**
 * srnic_ring_create() - Allocate a ring and, for user space, its place in the mmap space
 * @udata: of the command; NULL for a kernel consumer
 * @ring: filled in; its mmap stays NULL for a kernel consumer
 * @limit: entries wanted
 * @stride: bytes per entry
 * @abi: filled in for a user ring
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int srnic_ring_create(struct ib_udata *udata, struct srnic_ring *ring, u32 limit, u32 stride,
		      struct srnic_abi_ring *abi)
{
	struct ib_ucontext *uctx = srnic_udata_context(udata);
	struct srnic_mmap *mmap;
	int err;

	if (!uctx)
		return srnic_ring_alloc(ring, limit, stride, uctx);

	mmap = srnic_mmap_new(uctx, SRNIC_QUOTA_RING, srnic_ring_pages(limit, stride));
	if (IS_ERR(mmap))
		return PTR_ERR(mmap);
	err = srnic_ring_alloc(ring, limit, stride, uctx);
	if (err)
		goto err_mmap;
	err = srnic_mmap_insert(mmap, &ring->pages);
	if (err)
		goto err_ring;

	*abi = ring_describe(ring, mmap);
	ring->mmap = mmap;
	return 0;

err_ring:
	srnic_ring_free(ring);
err_mmap:
	srnic_mmap_remove(mmap);
	return err;
}

/**
 * srnic_ring_destroy() - Undo srnic_ring_create()
 * @ring: may have no memory
 *
 * Context: process.
 */
void srnic_ring_destroy(struct srnic_ring *ring)
{
	srnic_mmap_remove(ring->mmap);
	srnic_ring_free(ring);
}

/**
 * srnic_ring_detach() - Destroy the ring of an object that older cores still show
 * @ring: of a CQ or an SRQ, all zero when this returns
 * @lock: protects @ring; srnic_fill_res_cq() and srnic_fill_res_srq() take it
 *
 * Context: process.
 */
void srnic_ring_detach(struct srnic_ring *ring, spinlock_t *lock)
{
	struct srnic_ring detached = {};

	spin_lock_irq(lock);
	swap(detached, *ring);
	spin_unlock_irq(lock);
	srnic_ring_destroy(&detached);
}
