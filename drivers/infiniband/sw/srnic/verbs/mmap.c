// SPDX-License-Identifier: GPL-2.0
/*
 * Rings in the mmap space of a user context.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include "verbs/ops.h"

/**
 * struct srnic_mmap - A ring that can be mapped
 * @entry: core part: offset and references
 * @lock: protects @ring against its owner freeing it
 * @ring: copy of the owner's ring, without its mmap; npages is 0 after the
 *	owner has freed it
 * @charge: process whose RLIMIT_MEMLOCK is charged for the pages
 * @user: user whose quota is charged for the pages
 */
struct srnic_mmap {
	struct rdma_user_mmap_entry entry;
	struct mutex lock;	/* ring */
	struct srnic_ring ring;
	struct srnic_charge charge;
	struct srnic_user *user;
};

/* Charge the current process and its user. Fill in @abi for the provider. */
static struct srnic_mmap *mmap_insert(struct ib_ucontext *uctx, const struct srnic_ring *ring,
				      struct srnic_abi_ring *abi)
{
	struct srnic_user *user = to_srnic_ucontext(uctx)->user;
	size_t size = (size_t)ring->npages << PAGE_SHIFT;
	struct srnic_dev *dev = to_srnic(uctx->device);
	struct srnic_mmap *mmap;
	int err;

	mmap = kzalloc(sizeof(*mmap), GFP_KERNEL_ACCOUNT);
	if (!mmap)
		return ERR_PTR(-ENOMEM);

	mutex_init(&mmap->lock);
	mmap->ring = *ring;
	mmap->user = user;
	err = srnic_take_quota_many(dev, SRNIC_QUOTA_RING, user, ring->npages);
	if (err)
		goto err_free;
	err = srnic_charge_pages(&mmap->charge, ring->npages);
	if (err)
		goto err_give;
	err = rdma_user_mmap_entry_insert(uctx, &mmap->entry, size);
	if (err)
		goto err_uncharge;

	*abi = (struct srnic_abi_ring){
		.offset = rdma_user_mmap_get_offset(&mmap->entry),
		.size = size,
		.entries = ring->entries,
		.stride = ring->stride,
		.limit = ring->limit,
	};
	return mmap;

err_uncharge:
	srnic_uncharge_pages(&mmap->charge);
err_give:
	srnic_give_quota_many(dev, SRNIC_QUOTA_RING, user, ring->npages);
err_free:
	kfree(mmap);
	return ERR_PTR(err);
}

/* Prevent further mappings. Existing ones stay, because their pages are refcounted. */
static void mmap_remove(struct srnic_mmap *mmap)
{
	if (!mmap)
		return;

	/*
	 * An mmap() in progress holds a reference: it has finished, or will
	 * find no pages.
	 */
	mutex_lock(&mmap->lock);
	mmap->ring.npages = 0;
	mutex_unlock(&mmap->lock);
	srnic_give_quota_many(to_srnic(mmap->entry.ucontext->device), SRNIC_QUOTA_RING, mmap->user,
			      mmap->charge.pages);
	srnic_uncharge_pages(&mmap->charge);
	rdma_user_mmap_entry_remove(&mmap->entry);
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
	if (mmap->ring.npages)
		err = srnic_ring_map(&mmap->ring, vma);
	mutex_unlock(&mmap->lock);

	rdma_user_mmap_entry_put(entry);
	return err;
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

	err = srnic_ring_alloc(ring, limit, stride, uctx);
	if (err || !uctx)
		return err;

	mmap = mmap_insert(uctx, ring, abi);
	if (IS_ERR(mmap)) {
		srnic_ring_free(ring);
		return PTR_ERR(mmap);
	}
	ring->mmap = mmap;
	return 0;
}

/**
 * srnic_ring_destroy() - Undo srnic_ring_create()
 * @ring: may have no memory
 *
 * Context: process.
 */
void srnic_ring_destroy(struct srnic_ring *ring)
{
	mmap_remove(ring->mmap);
	srnic_ring_free(ring);
}
