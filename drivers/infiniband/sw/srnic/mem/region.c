// SPDX-License-Identifier: GPL-2.0
/*
 * Regions: user pages pinned, or a kernel consumer's pages by fast registration.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#ifdef SRNIC_HAVE_RDMA_ITER	/* else in ib_verbs.h and ib_umem.h */
#include <rdma/iter.h>
#endif
#include "../export.h"
#include "../guard/guard.h"
#include "mem.h"

/* Block sizes that pinned memory may be cut into: pages, and what huge pages give. */
#define REGION_BLOCK_SIZES	(PAGE_SIZE | SZ_2M | SZ_1G)

#define REGION_ACCESS	(IB_ACCESS_LOCAL_WRITE | SRNIC_ACCESS_REMOTE | IB_ACCESS_MW_BIND | \
			 IB_ZERO_BASED | IB_ACCESS_HUGETLB | IB_ACCESS_OPTIONAL)

/**
 * srnic_region_check_access - rights that can be granted (IBA 11.2.8.2)
 * @access: IB_ACCESS_*
 *
 * Return: 0; -EOPNOTSUPP for what srnic does not do (on-demand paging, FLUSH);
 * -EINVAL for remote write without local write.
 */
int srnic_region_check_access(int access)
{
	if (access & ~REGION_ACCESS)
		return -EOPNOTSUPP;
	if ((access & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)) &&
	    !(access & IB_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_region_check_access);

/**
 * srnic_map_alloc - room for addresses of blocks
 * @map: zeroed
 * @blocks: how many, at least 1
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int srnic_map_alloc(struct srnic_map *map, u32 blocks)
{
	map->blocks = kvcalloc(blocks, sizeof(*map->blocks), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	return map->blocks ? 0 : -ENOMEM;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_map_alloc);

static void map_fill(struct srnic_map *map, unsigned long size)
{
	struct ib_block_iter biter;

	rdma_umem_for_each_dma_block(map->umem, &biter, size)
		map->blocks[map->count++] =
			ib_virt_dma_to_ptr(rdma_block_iter_dma_address(&biter));
}

/**
 * srnic_map_pin - pin user memory and note where it is
 * @map: zeroed
 * @ib: the device
 * @start: user address
 * @length: bytes
 * @access: IB_ACCESS_*; pages are pinned for writing if any right needs that, so
 *	read-only memory cannot be registered for writing (RFC 5042 7.3, R32);
 *	the pages are charged to RLIMIT_MEMLOCK
 *
 * Context: process, of the memory's owner.
 * Return: 0, or what ib_umem_get() says (-ENOMEM, -EFAULT, -EPERM, -EINVAL).
 */
int srnic_map_pin(struct srnic_map *map, struct ib_device *ib, u64 start, u64 length, int access)
{
	struct ib_umem *umem;
	unsigned long size;
	size_t blocks;
	int err;

	umem = ib_umem_get(ib, start, length, access);
	if (IS_ERR(umem))
		return PTR_ERR(umem);

	size = ib_umem_find_best_pgsz(umem, REGION_BLOCK_SIZES, start);
	blocks = size ? ib_umem_num_dma_blocks(umem, size) : 0;
	if (!blocks || blocks > U32_MAX) {
		err = -EINVAL;
		goto err_umem;
	}
	err = srnic_map_alloc(map, blocks);
	if (err)
		goto err_umem;

	map->umem = umem;
	map->shift = ilog2(size);
	map_fill(map, size);
	return 0;

err_umem:
	ib_umem_release(umem);
	return err;
}

/**
 * srnic_map_release - unpin, forget
 * @map: of a region at rest, or never used
 *
 * Context: process.
 */
void srnic_map_release(struct srnic_map *map)
{
	if (map->umem)
		ib_umem_release(map->umem);
	kvfree(map->blocks);
	*map = (struct srnic_map){};
}

SRNIC_EXPORT_FOR_KUNIT(srnic_map_release);

static int region_add_block(struct ib_mr *ibmr, u64 addr)
{
	struct srnic_mr *mr = to_srnic_mr(ibmr);

	if (mr->next.count == mr->max_blocks)
		return -ENOMEM;

	mr->next.blocks[mr->next.count++] = ib_virt_dma_to_ptr(addr);
	return 0;
}

/**
 * srnic_region_map_sg - what a fast-register region is to cover
 * @mr: the region; it may still be valid with its former contents, for consumers
 *	chain LOCAL_INV and REG_MR behind this call: nothing takes effect before
 *	REG_MR is executed
 * @sg: kernel memory, mapped for DMA
 * @nents: entries
 * @offset: into the first, or NULL
 *
 * Context: any.
 * Return: entries mapped, or a negative errno.
 */
int srnic_region_map_sg(struct srnic_mr *mr, struct scatterlist *sg, int nents,
			unsigned int *offset)
{
	if (!is_power_of_2(mr->ib.page_size))
		return -EINVAL;

	mr->next.count = 0;
	mr->next.shift = ilog2(mr->ib.page_size);
	mr->fresh = true;
	return ib_sg_to_pages(&mr->ib, sg, nents, offset, region_add_block);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_region_map_sg);

/**
 * srnic_region_retire - make a region's key invalid, for dereg and rereg
 * @mr: published, or at rest
 *
 * A bind holds a count of the region while it adds its window, so once the region
 * is at rest the number of windows does not rise any more.
 *
 * Context: process.
 * Return: 0, and no access is in progress; or -EBUSY if windows are bound to the
 * region (IBA 10.6.7.2.6), which stays as it was.
 */
int srnic_region_retire(struct srnic_mr *mr)
{
	bool valid = srnic_stag_valid(&mr->stag);

	if (atomic_read(&mr->windows))
		return -EBUSY;

	srnic_stag_quiesce(&mr->stag);
	if (!atomic_read(&mr->windows))
		return 0;

	if (valid)
		srnic_stag_publish(&mr->stag);
	return -EBUSY;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_region_retire);

/**
 * srnic_region_protect - from now on each access by a peer has to be proved
 * @mr: published; may be in use
 * @mkeys: one for each right; the region's from now on, unless an error is returned
 *
 * When it returns no access that was not proved is in progress, and none begins. The
 * region stays valid meanwhile: its owner's own accesses, and those that are proved, are
 * never refused. A grace period is enough, for BHs are off as long as a count is held.
 *
 * Context: process; one caller at a time.
 * Return: 0; -EEXIST: the region has keys, and who has some of them counts on that;
 * -EBUSY: windows are bound to the region, which nobody would have to prove; -EINVAL:
 * not a region of a process.
 */
int srnic_region_protect(struct srnic_mr *mr, struct srnic_mkey *mkeys)
{
	struct srnic_stag *stag = &mr->stag;

	if (stag->kind != SRNIC_STAG_USER)
		return -EINVAL;
	if (stag->mkeys)
		return -EEXIST;
	if (atomic_read(&mr->windows))
		return -EBUSY;

	WRITE_ONCE(stag->pd->protects, true);
	smp_store_release(&stag->mkeys, mkeys);	/* contents before pointer */
	synchronize_rcu_expedited();
	if (!atomic_read(&mr->windows))
		return 0;

	/* a concurrent bind had not seen the keys: undo */
	WRITE_ONCE(stag->mkeys, NULL);
	synchronize_rcu_expedited();
	return -EBUSY;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_region_protect);
