// SPDX-License-Identifier: GPL-2.0
/*
 * Memory regions (IBA 11.2.8). mem/ implements access to the bytes.
 */
#include <linux/dma-buf.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include "mem/dmabuf.h"
#include "verbs/ops.h"

/**
 * struct mr_range - The memory that a consumer registers
 * @start: address of the first byte in the process; offset into device memory, or a dma-buf
 * @length: bytes
 * @iova: address of the first byte, as work requests name it
 * @access: IB_ACCESS_*
 */
struct mr_range {
	u64 start;
	u64 length;
	u64 iova;
	int access;
};

/* Allocate an invalid region that has a key. */
static struct srnic_mr *mr_new(struct ib_pd *ibpd, enum srnic_stag_kind kind)
{
	struct srnic_dev *dev = to_srnic(ibpd->device);
	struct srnic_mr *mr;
	int err;

	err = srnic_take_quota(dev, SRNIC_QUOTA_MR, to_srnic_pd(ibpd)->user);
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
	srnic_give_quota(dev, SRNIC_QUOTA_MR, to_srnic_pd(ibpd)->user);
	return ERR_PTR(err);
}

/* The right to make bytes durable is for memory that keeps them, as on rxe. */
static int mr_check_persistent(const struct srnic_map *map, int access)
{
	return access & IB_ACCESS_FLUSH_PERSISTENT && !srnic_map_persistent(map) ? -EINVAL : 0;
}

/*
 * Take the quota before pinning (R18). ib_umem_get() rejects a range that
 * wraps. Set *@pinned to the number of pages, for mr_unpin().
 */
static int mr_pin(struct srnic_mr *mr, struct srnic_map *map, const struct mr_range *range,
		  u32 *pinned)
{
	u64 pages = (offset_in_page(range->start) + range->length + PAGE_SIZE - 1) >> PAGE_SHIFT;
	struct srnic_dev *dev = to_srnic(mr->ib.device);
	struct srnic_user *user = mr->stag.pd->user;
	int err;

	err = pages > U32_MAX ? -ENOMEM :
				srnic_take_quota_many(dev, SRNIC_QUOTA_PINNED, user, pages);
	if (err)
		return err;
	err = srnic_map_pin(map, mr->ib.device, range->start, range->length, range->access);
	if (err)
		goto give;
	err = mr_check_persistent(map, range->access);
	if (err)
		goto release;
	*pinned = pages;
	return 0;

release:
	srnic_map_release(map);
give:
	srnic_give_quota_many(dev, SRNIC_QUOTA_PINNED, user, pages);
	return err;
}

/* @map is not in use; @pinned is 0 if it holds neither user pages nor device memory. */
static void mr_unpin(struct srnic_mr *mr, struct srnic_map *map, u32 pinned)
{
	srnic_map_release(map);
	srnic_give_quota_many(to_srnic(mr->ib.device), SRNIC_QUOTA_PINNED, mr->stag.pd->user,
			      pinned);
}

/* The region is quiesced. */
static void mr_free(struct srnic_mr *mr)
{
	struct srnic_dev *dev = to_srnic(mr->ib.device);

	srnic_stag_remove(dev, &mr->stag);
	srnic_region_unbind(mr);
	mr_unpin(mr, &mr->map, mr->pinned);
	srnic_map_release(&mr->next_map);
	kfree_sensitive(mr->stag.mkeys);
	if (mr->stag.kind == SRNIC_STAG_ON_DEMAND)
		srnic_give_quota(dev, SRNIC_QUOTA_PAGED, mr->stag.pd->user);
	srnic_give_quota(dev, SRNIC_QUOTA_MR, mr->stag.pd->user);
	kfree_rcu(mr, stag.rcu);
}

/*
 * A region over all of the kernel's memory. The core allows it to kernel
 * consumers only.
 */
struct ib_mr *srnic_get_dma_mr(struct ib_pd *pd, int access)
{
	struct srnic_mr *mr;
	int err;

	err = srnic_region_check_access(access);
	if (!err && access & IB_ACCESS_FLUSH_PERSISTENT)
		err = -EINVAL;	/* not all of it is persistent */
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

/*
 * The peer aligns words by their offset in a zero-based region, so the region
 * must start at an aligned address.
 */
static bool mr_misaligned(int access, u64 offset)
{
	return access & IB_ZERO_BASED && access & IB_ACCESS_REMOTE_ATOMIC &&
	       offset % sizeof(u64);
}

/*
 * IBA 11.2.8.2. Like uverbs, require that address and iova agree within the
 * page: a word that is aligned for the consumer is then aligned in memory.
 */
static int mr_check_range(const struct mr_range *range)
{
	u64 last;

	if (!range->length || check_add_overflow(range->iova, range->length - 1, &last))
		return -EINVAL;
	if ((range->start ^ range->iova) & ~PAGE_MASK)
		return -EINVAL;
	return mr_misaligned(range->access, range->start) ? -EINVAL : 0;
}

/* ibv_reg_mr(3): addresses in a zero-based region are offsets */
static void mr_set_range(struct srnic_mr *mr, const struct mr_range *range)
{
	mr->stag.iova = range->access & IB_ZERO_BASED ? 0 : range->iova;
	mr->stag.length = range->length;
	mr->stag.offset = range->start;
	/* the blocks of a dma-buf begin with it, others with the one of the first byte */
	if (!mr->map.dmabuf)
		mr->stag.offset &= BIT_ULL(mr->map.shift) - 1;
}

/* Make a new region valid, or free it if @err is not 0. */
static struct ib_mr *mr_finish(struct srnic_mr *mr, const struct mr_range *range, int err)
{
	if (err) {
		mr_free(mr);
		return ERR_PTR(err);
	}
	mr->stag.access = range->access;
	mr_set_range(mr, range);
	srnic_stag_publish(&mr->stag);
	return &mr->ib;
}

/* Register memory that is paged on demand: nothing is pinned. */
static struct ib_mr *mr_reg_paged(struct ib_pd *pd, const struct mr_range *range)
{
	struct srnic_user *user = to_srnic_pd(pd)->user;
	struct srnic_dev *dev = to_srnic(pd->device);
	struct srnic_mr *mr;
	int err;

	err = srnic_user_prepare_paging(user) ?: srnic_take_quota(dev, SRNIC_QUOTA_PAGED, user);
	if (err)
		return ERR_PTR(err);
	mr = mr_new(pd, SRNIC_STAG_ON_DEMAND);
	if (IS_ERR(mr)) {
		srnic_give_quota(dev, SRNIC_QUOTA_PAGED, user);
		return ERR_CAST(mr);
	}
	mr->stag.access = range->access;
	mr_set_range(mr, range);
	err = srnic_region_page(mr, range->start);
	if (err) {
		mr_free(mr);
		return ERR_PTR(err);
	}
	return &mr->ib;
}

struct ib_mr *srnic_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova, int access,
				struct ib_dmah *dmah, struct ib_udata *udata)
{
	const struct mr_range range = { start, length, iova, access };
	struct srnic_mr *mr;
	int err;

	if (dmah)
		return ERR_PTR(-EOPNOTSUPP);
	err = srnic_region_check_access(access);
	if (err)
		return ERR_PTR(err);
	err = mr_check_range(&range);
	if (err)
		return ERR_PTR(err);
	if (access & IB_ACCESS_ON_DEMAND)
		return mr_reg_paged(pd, &range);
	mr = mr_new(pd, SRNIC_STAG_USER);
	if (IS_ERR(mr))
		return ERR_CAST(mr);

	return mr_finish(mr, &range, mr_pin(mr, &mr->map, &range, &mr->pinned));
}

/* The pages are charged before they are mapped (R18); all of the buffer is. */
static int mr_map_dmabuf(struct srnic_mr *mr, const struct mr_range *range, int fd)
{
	struct dma_buf *buf = dma_buf_get(fd);
	u64 pages;
	int err;

	if (IS_ERR(buf))
		return PTR_ERR(buf);
	err = srnic_dmabuf_take(&mr->map, buf, range->start, range->length, range->access);
	if (err)
		return err;
	pages = srnic_dmabuf_pages(&mr->map);
	if (pages > U32_MAX)
		return -ENOMEM;
	err = srnic_take_quota_many(to_srnic(mr->ib.device), SRNIC_QUOTA_PINNED,
				    mr->stag.pd->user, pages);
	if (err)
		return err;
	mr->pinned = pages;
	return srnic_dmabuf_map(&mr->map);
}

/* ibv_reg_dmabuf_mr(3). The file may be closed afterwards. */
struct ib_mr *srnic_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length, u64 iova, int fd,
				       int access, struct ib_dmah *dmah,
				       struct uverbs_attr_bundle *attrs)
{
	const struct mr_range range = { offset, length, iova, access };
	struct srnic_mr *mr;
	int err;

	if (dmah)
		return ERR_PTR(-EOPNOTSUPP);
	err = srnic_dmabuf_check_access(access) ?: mr_check_range(&range);
	if (err)
		return ERR_PTR(err);
	mr = mr_new(pd, SRNIC_STAG_DMABUF);
	if (IS_ERR(mr))
		return ERR_CAST(mr);

	mr->ib.iova = iova;
	mr->ib.length = length;
	return mr_finish(mr, &range, mr_map_dmabuf(mr, &range, fd));
}

/* uverbs has held the range to the device memory, and keeps that until dereg_mr. */
static int mr_check_dm(const struct mr_range *range)
{
	int err = srnic_region_check_access(range->access);

	if (err)
		return err;
	if (range->access & IB_ACCESS_ON_DEMAND)
		return -EOPNOTSUPP;
	/* nothing of the device is persistent */
	if (range->access & IB_ACCESS_FLUSH_PERSISTENT)
		return -EINVAL;
	return mr_misaligned(range->access, range->start) ? -EINVAL : 0;
}

/*
 * The range in whole pages, which are the blocks of the region's translation. They count as pinned
 * pages do, again for each region: translations are memory, too (R18).
 */
static int mr_map_dm(struct srnic_mr *mr, const struct srnic_dm *dm, const struct mr_range *range)
{
	u32 first = PHYS_PFN(range->start);
	u32 pages = PFN_UP(range->start + max(range->length, 1ULL)) - first;
	struct srnic_dev *dev = to_srnic(mr->ib.device);
	struct srnic_user *user = mr->stag.pd->user;
	int err;

	err = srnic_take_quota_many(dev, SRNIC_QUOTA_PINNED, user, pages);
	if (err)
		return err;
	err = srnic_map_pages(&mr->map, &dm->pages.page[first], pages);
	if (err)
		srnic_give_quota_many(dev, SRNIC_QUOTA_PINNED, user, pages);
	else
		mr->pinned = pages;
	return err;
}

/*
 * ibv_reg_dm_mr(3). The core allows zero-based regions only, and empty ones,
 * which have the first page and grant nothing of it.
 */
struct ib_mr *srnic_reg_dm_mr(struct ib_pd *pd, struct ib_dm *ib, struct ib_dm_mr_attr *attr,
			      struct uverbs_attr_bundle *attrs)
{
	const struct mr_range range = {
		.start = attr->length ? attr->offset : 0,
		.length = attr->length,
		.access = attr->access_flags,
	};
	struct srnic_mr *mr;
	int err;

	err = mr_check_dm(&range);
	if (err)
		return ERR_PTR(err);
	mr = mr_new(pd, SRNIC_STAG_DEVICE);
	if (IS_ERR(mr))
		return ERR_CAST(mr);

	mr->ib.length = range.length;
	return mr_finish(mr, &range, mr_map_dm(mr, to_srnic_dm(ib), &range));
}

/* IBA 11.2.8.6: check what can be checked before anything changes. */
static int mr_check_rereg(const struct srnic_mr *mr, int flags, const struct mr_range *range)
{
	int access = range->access;
	int err;

	if (mr->stag.kind == SRNIC_STAG_ON_DEMAND)
		return -EOPNOTSUPP;
	if (mr->stag.kind != SRNIC_STAG_USER)
		return -EINVAL;
	if (flags & ~IB_MR_REREG_SUPPORTED)
		return -EOPNOTSUPP;
	/* the memory keys are bound to these bytes and to this domain */
	if (mr->stag.mkeys && flags & (IB_MR_REREG_TRANS | IB_MR_REREG_PD))
		return -EOPNOTSUPP;
	/* the region's only queue pair belongs to the present domain */
	if (mr->stag.one_stream && flags & IB_MR_REREG_PD)
		return -EOPNOTSUPP;

	/* a region that is paged on demand is another kind */
	if (access & IB_ACCESS_ON_DEMAND)
		return -EOPNOTSUPP;
	err = flags & IB_MR_REREG_ACCESS ? srnic_region_check_access(access) : 0;
	if (err)
		return err;
	if (flags & IB_MR_REREG_TRANS)
		return mr_check_range(range);
	/* IB_ZERO_BASED may change only with the range; atomics need alignment */
	if ((access ^ mr->stag.access) & IB_ZERO_BASED || mr_misaligned(access, mr->stag.offset))
		return -EINVAL;
	/* pages pinned for reading stay read-only (R32) */
	return ib_umem_check_rereg(mr->map.umem, flags, access) ?:
	       mr_check_persistent(&mr->map, access);
}

/*
 * When this returns, no packet accesses memory that is no longer covered (RFC
 * 5042 6.2.2, R12). On failure, the region is unchanged. The core updates
 * mr->pd.
 */
struct ib_mr *srnic_rereg_user_mr(struct ib_mr *ib, int flags, u64 start, u64 length, u64 iova,
				  int access, struct ib_pd *pd, struct ib_udata *udata)
{
	struct mr_range range = { start, length, iova, access };
	struct srnic_mr *mr = to_srnic_mr(ib);
	struct srnic_map map = {};
	u32 pinned = 0;
	int err;

	if (!(flags & IB_MR_REREG_ACCESS))
		range.access = mr->stag.access;
	err = mr_check_rereg(mr, flags, &range);
	if (err)
		return ERR_PTR(err);
	if (flags & IB_MR_REREG_TRANS) {
		err = mr_pin(mr, &map, &range, &pinned);
		if (err)
			return ERR_PTR(err);
	}

	err = srnic_region_retire(mr);
	if (err)
		goto out;
	if (flags & IB_MR_REREG_TRANS) {
		swap(mr->map, map);
		swap(mr->pinned, pinned);
		mr_set_range(mr, &range);
	}
	if (flags & IB_MR_REREG_PD)
		mr->stag.pd = to_srnic_pd(pd);
	mr->stag.access = range.access;
	srnic_stag_publish(&mr->stag);
out:
	mr_unpin(mr, &map, pinned);
	return ERR_PTR(err);
}

/* Return -EBUSY while windows are bound (IBA 10.6.7.2.6); R12. */
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

/* Allocate both translations of a fast-register region. */
static int mr_alloc_maps(struct srnic_mr *mr, bool gaps, u32 max_sg)
{
	int (*alloc)(struct srnic_map *map, u32 number) = gaps ? srnic_map_alloc_pieces :
								 srnic_map_alloc;

	mr->max_blocks = max_sg;
	return alloc(&mr->map, max_sg) ?: alloc(&mr->next_map, max_sg);
}

/* IBA has no such verb: ibv_advise_mr(3) */
static int mr_prefetch(struct srnic_pd *pd, const struct ib_sge *sge, u32 rights,
		       enum srnic_prefetch how)
{
	const struct srnic_mem_stream stream = { .pd = pd, .user = true };
	const struct srnic_access access = {
		.key = sge->lkey,
		.rights = rights,
		.va = sge->addr,
		.len = sge->length,
		.local = true,
	};

	return srnic_mem_prefetch(&stream, &access, how);
}

/* Advice is followed before the call returns, with the FLUSH flag or without. */
int srnic_advise_mr(struct ib_pd *ib, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		    struct ib_sge *sge, u32 num_sge, struct uverbs_attr_bundle *attrs)
{
	enum srnic_prefetch how = SRNIC_PREFETCH_FAULT;
	u32 rights = 0;
	u32 i;
	int err = 0;

	switch (advice) {
	case IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH:
		break;
	case IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE:
		rights = IB_ACCESS_LOCAL_WRITE;
		break;
	case IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT:
		how = SRNIC_PREFETCH_PRESENT;
		break;
	default:
		return -EOPNOTSUPP;
	}
	for (i = 0; i < num_sge && !err; i++)
		err = mr_prefetch(to_srnic_pd(ib), &sge[i], rights, how);
	return err;
}

struct ib_mr *srnic_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_sg)
{
	struct srnic_mr *mr;
	int err;

	if (type != IB_MR_TYPE_MEM_REG && type != IB_MR_TYPE_SG_GAPS)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_sg || max_sg > SRNIC_MAX_FRMR_PAGES)
		return ERR_PTR(-EINVAL);

	mr = mr_new(pd, SRNIC_STAG_FAST);
	if (IS_ERR(mr))
		return ERR_CAST(mr);

	err = mr_alloc_maps(mr, type == IB_MR_TYPE_SG_GAPS, max_sg);
	if (err) {
		mr_free(mr);
		return ERR_PTR(err);
	}
	return &mr->ib;
}

int srnic_map_mr_sg(struct ib_mr *ib, struct scatterlist *sg, int nents, unsigned int *offset)
{
	return srnic_region_map_sg(to_srnic_mr(ib), sg, nents, offset);
}
