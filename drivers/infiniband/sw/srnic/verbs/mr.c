// SPDX-License-Identifier: GPL-2.0
/*
 * Memory regions (IBA 11.2.8). The bytes are mem's business.
 */
#include <linux/overflow.h>
#include <linux/slab.h>
#include "ops.h"

/* a region at rest, with a key */
static struct srnic_mr *mr_new(struct ib_pd *ibpd, enum srnic_stag_kind kind)
{
	struct srnic_dev *dev = to_srnic(ibpd->device);
	struct srnic_mr *mr;
	int err;

	err = srnic_take(dev, SRNIC_QUOTA_MR, to_srnic_pd(ibpd)->user);
	if (err)
		return ERR_PTR(err);

	err = -ENOMEM;
	mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	if (!mr)
		goto err_give;
	srnic_stag_init(&mr->stag, kind, to_srnic_pd(ibpd));
	mr->stag.mr = mr;
	err = srnic_stag_insert(dev, &mr->stag);
	if (err)
		goto err_free;

	mr->ib.device = ibpd->device;
	mr->ib.lkey = mr->stag.key;
	mr->ib.rkey = mr->stag.key;
	return mr;

err_free:
	kfree(mr);
err_give:
	srnic_give(dev, SRNIC_QUOTA_MR, to_srnic_pd(ibpd)->user);
	return ERR_PTR(err);
}

/*
 * Pages are granted before they are pinned (R18). What wraps is ib_umem_get()'s to refuse.
 * *@pinned: how many, to be given to mr_unpin().
 */
static int mr_pin(struct srnic_mr *mr, struct srnic_map *map, u64 start, u64 length, int access,
		  u32 *pinned)
{
	u64 pages = (offset_in_page(start) + length + PAGE_SIZE - 1) >> PAGE_SHIFT;
	struct srnic_dev *dev = to_srnic(mr->ib.device);
	struct srnic_user *user = mr->stag.pd->user;
	int err;

	err = pages > U32_MAX ? -ENOMEM : srnic_take_many(dev, SRNIC_QUOTA_PINNED, user, pages);
	if (err)
		return err;
	err = srnic_map_pin(map, mr->ib.device, start, length, access);
	if (err)
		srnic_give_many(dev, SRNIC_QUOTA_PINNED, user, pages);
	else
		*pinned = pages;
	return err;
}

/* of a map at rest; @pinned is 0 if there is nothing of a user's in it */
static void mr_unpin(struct srnic_mr *mr, struct srnic_map *map, u32 pinned)
{
	srnic_map_release(map);
	srnic_give_many(to_srnic(mr->ib.device), SRNIC_QUOTA_PINNED, mr->stag.pd->user, pinned);
}

/* the region is at rest */
static void mr_free(struct srnic_mr *mr)
{
	struct srnic_dev *dev = to_srnic(mr->ib.device);

	srnic_stag_remove(dev, &mr->stag);
	srnic_region_unbind(mr);
	mr_unpin(mr, &mr->map, mr->pinned);
	srnic_map_release(&mr->next);
	kfree_sensitive(mr->stag.mkeys);
	srnic_give(dev, SRNIC_QUOTA_MR, mr->stag.pd->user);
	kfree_rcu(mr, stag.rcu);
}

/* All of the kernel's memory: for kernel consumers alone, as the core sees to. */
struct ib_mr *srnic_get_dma_mr(struct ib_pd *pd, int access)
{
	struct srnic_mr *mr;
	int err;

	err = srnic_region_check_access(access);
	if (err)
		return ERR_PTR(err);
	mr = mr_new(pd, SRNIC_STAG_DMA);
	if (IS_ERR(mr))
		return ERR_CAST(mr);

	mr->stag.access = access;
	mr->stag.length = U64_MAX;
	srnic_stag_publish(&mr->stag);
	return &mr->ib;
}

/* A peer's word is aligned by its offset then: it must be so where it lies, too. */
static bool mr_misaligned(int access, u64 offset)
{
	return access & IB_ZERO_BASED && access & IB_ACCESS_REMOTE_ATOMIC &&
	       offset % sizeof(u64);
}

/*
 * IBA 11.2.8.2. That address and iova agree within the page is uverbs' rule, too:
 * it makes a word that is aligned for the consumer aligned for us.
 */
static int mr_check_range(u64 start, u64 length, u64 iova, int access)
{
	u64 last;

	if (!length || check_add_overflow(iova, length - 1, &last))
		return -EINVAL;
	if ((start ^ iova) & ~PAGE_MASK)
		return -EINVAL;
	return mr_misaligned(access, start) ? -EINVAL : 0;
}

/* ibv_reg_mr(3): of a zero-based region, addresses are offsets */
static void mr_set_range(struct srnic_mr *mr, u64 start, u64 length, u64 iova, int access)
{
	mr->stag.iova = access & IB_ZERO_BASED ? 0 : iova;
	mr->stag.length = length;
	mr->stag.offset = start & (BIT_ULL(mr->map.shift) - 1);
}

struct ib_mr *srnic_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova, int access,
				struct ib_udata *udata)
{
	struct srnic_mr *mr;
	int err;

	err = srnic_region_check_access(access);
	if (err)
		return ERR_PTR(err);
	err = mr_check_range(start, length, iova, access);
	if (err)
		return ERR_PTR(err);
	mr = mr_new(pd, SRNIC_STAG_USER);
	if (IS_ERR(mr))
		return ERR_CAST(mr);

	err = mr_pin(mr, &mr->map, start, length, access, &mr->pinned);
	if (err) {
		mr_free(mr);
		return ERR_PTR(err);
	}
	mr->stag.access = access;
	mr_set_range(mr, start, length, iova, access);
	srnic_stag_publish(&mr->stag);
	return &mr->ib;
}

/* IBA 11.2.8.6: what can be checked before anything changes */
static int mr_check_rereg(const struct srnic_mr *mr, int flags, u64 start, u64 length, u64 iova,
			  int access)
{
	int err;

	if (mr->stag.kind != SRNIC_STAG_USER)
		return -EINVAL;
	if (flags & ~IB_MR_REREG_SUPPORTED)
		return -EOPNOTSUPP;
	/* its keys are those of these bytes, and of this domain */
	if (mr->stag.mkeys && flags & (IB_MR_REREG_TRANS | IB_MR_REREG_PD))
		return -EOPNOTSUPP;
	/* nor is there a queue pair of its own in another */
	if (mr->stag.one_stream && flags & IB_MR_REREG_PD)
		return -EOPNOTSUPP;

	err = flags & IB_MR_REREG_ACCESS ? srnic_region_check_access(access) : 0;
	if (err)
		return err;
	if (flags & IB_MR_REREG_TRANS)
		return mr_check_range(start, length, iova, access);
	/* what addresses mean goes with them; a region begins within a block of whole words */
	if ((access ^ mr->stag.access) & IB_ZERO_BASED || mr_misaligned(access, mr->stag.offset))
		return -EINVAL;
	/* pages pinned for reading only stay so (R32) */
	return ib_umem_check_rereg(mr->map.umem, flags, access);
}

/*
 * When it returns, no packet reaches what is no longer covered (RFC 5042 6.2.2,
 * R12). A failure leaves the region as it was. The core follows mr->pd.
 */
struct ib_mr *srnic_rereg_user_mr(struct ib_mr *ib, int flags, u64 start, u64 length, u64 iova,
				  int access, struct ib_pd *pd, struct ib_udata *udata)
{
	struct srnic_mr *mr = to_srnic_mr(ib);
	struct srnic_map map = {};
	u32 pinned = 0;
	int err;

	if (!(flags & IB_MR_REREG_ACCESS))
		access = mr->stag.access;
	err = mr_check_rereg(mr, flags, start, length, iova, access);
	if (err)
		return ERR_PTR(err);
	if (flags & IB_MR_REREG_TRANS) {
		err = mr_pin(mr, &map, start, length, access, &pinned);
		if (err)
			return ERR_PTR(err);
	}

	err = srnic_region_retire(mr);
	if (err)
		goto out;
	if (flags & IB_MR_REREG_TRANS) {
		swap(mr->map, map);
		swap(mr->pinned, pinned);
		mr_set_range(mr, start, length, iova, access);
	}
	if (flags & IB_MR_REREG_PD)
		mr->stag.pd = to_srnic_pd(pd);
	mr->stag.access = access;
	srnic_stag_publish(&mr->stag);
out:
	mr_unpin(mr, &map, pinned);
	return ERR_PTR(err);
}

/* -EBUSY as long as windows are bound (IBA 10.6.7.2.6); R12 */
int srnic_dereg_mr(struct ib_mr *ib, struct ib_udata *udata)
{
	struct srnic_mr *mr = to_srnic_mr(ib);
	int err;

	err = srnic_region_retire(mr);
	if (err)
		return err;

	mr_free(mr);
	return 0;
}

struct ib_mr *srnic_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_sg)
{
	struct srnic_mr *mr;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_sg || max_sg > SRNIC_MAX_FRMR_PAGES)
		return ERR_PTR(-EINVAL);

	mr = mr_new(pd, SRNIC_STAG_FAST);
	if (IS_ERR(mr))
		return ERR_CAST(mr);

	mr->max_blocks = max_sg;
	if (srnic_map_alloc(&mr->map, max_sg) || srnic_map_alloc(&mr->next, max_sg)) {
		mr_free(mr);
		return ERR_PTR(-ENOMEM);
	}
	return &mr->ib;
}

int srnic_map_mr_sg(struct ib_mr *ib, struct scatterlist *sg, int nents, unsigned int *offset)
{
	return srnic_region_map_sg(to_srnic_mr(ib), sg, nents, offset);
}
