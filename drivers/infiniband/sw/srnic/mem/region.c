// SPDX-License-Identifier: GPL-2.0
/*
 * Memory regions: pinned user pages, or pages of a kernel consumer by fast
 * registration.
 */
#include <linux/ioport.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <rdma/iter.h>
#include "export.h"
#include "guard/guard.h"
#include "mem/dmabuf.h"
#include "mem/odp.h"

/* Block sizes for pinned memory: pages and huge pages */
#define REGION_BLOCK_SIZES	(PAGE_SIZE | SZ_2M | SZ_1G)

#define REGION_ACCESS	(IB_ACCESS_LOCAL_WRITE | SRNIC_ACCESS_REMOTE | IB_ACCESS_MW_BIND | \
			 IB_ZERO_BASED | IB_ACCESS_HUGETLB | IB_ACCESS_OPTIONAL | \
			 SRNIC_ACCESS_FLUSH)

/*
 * On-demand paging: a notifier that takes pages back waits for accesses by the region's own key,
 * not for those by windows. Pages that come and go are not known to be persistent.
 */
#define PAGED_ACCESS	((REGION_ACCESS | IB_ACCESS_ON_DEMAND) & \
			 ~(IB_ACCESS_MW_BIND | (SRNIC_ACCESS_FLUSH & IB_ACCESS_FLUSH_PERSISTENT)))

/**
 * srnic_region_check_access() - Check rights that a consumer asks for (IBA 11.2.8.2)
 * @access: IB_ACCESS_*
 *
 * Return: 0; -EOPNOTSUPP for unsupported rights; -EINVAL for remote write
 * without local write.
 */
int srnic_region_check_access(int access)
{
	if (access & ~(access & IB_ACCESS_ON_DEMAND ? PAGED_ACCESS : REGION_ACCESS))
		return -EOPNOTSUPP;
	if ((access & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)) &&
	    !(access & IB_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_region_check_access);

/**
 * srnic_map_alloc() - Allocate an array of block addresses
 * @map: zeroed
 * @blocks: number of blocks, at least 1
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

/**
 * srnic_map_pages() - Translate to pages of the kernel
 * @map: zeroed
 * @pages: the pages, which outlive @map
 * @count: number of pages, at least 1
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int srnic_map_pages(struct srnic_map *map, struct page *const *pages, u32 count)
{
	int err = srnic_map_alloc(map, count);

	if (err)
		return err;
	for (u32 i = 0; i < count; i++)
		map->blocks[i] = page_address(pages[i]);
	map->count = count;
	map->shift = PAGE_SHIFT;
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_map_pages);

static void map_fill(struct srnic_map *map, unsigned long size)
{
	struct ib_block_iter biter;

	rdma_umem_for_each_dma_block(map->umem, &biter, size) {
		map->blocks[map->count++] =
			ib_virt_dma_to_ptr(rdma_block_iter_dma_address(&biter));
		cond_resched();
	}
}

/**
 * srnic_map_pin() - Pin user memory and record its addresses
 * @map: zeroed
 * @ib: the device
 * @start: user address
 * @length: bytes
 * @access: IB_ACCESS_*; pages are pinned for writing if any right needs it, so
 *	read-only memory cannot be registered for writing (RFC 5042 7.3, R32);
 *	the pages are charged to RLIMIT_MEMLOCK
 *
 * Context: process that owns the memory.
 * Return: 0, or an errno of ib_umem_get_va() (-ENOMEM, -EFAULT, -EPERM, -EINVAL).
 */
int srnic_map_pin(struct srnic_map *map, struct ib_device *ib, u64 start, u64 length, int access)
{
	struct ib_umem *umem;
	unsigned long size;
	size_t blocks;
	int err;

	umem = ib_umem_get_va(ib, start, length, access);
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
 * srnic_map_persistent() - Tell whether all bytes of a translation are in persistent memory
 * @map: of pinned user memory
 *
 * Context: process.
 */
bool srnic_map_persistent(const struct srnic_map *map)
{
	u32 i;

	for (i = 0; i < map->count; i++) {
		if (region_intersects(virt_to_phys(map->blocks[i]), BIT_ULL(map->shift),
				      IORESOURCE_MEM, IORES_DESC_PERSISTENT_MEMORY) !=
		    REGION_INTERSECTS)
			return false;
		cond_resched();
	}
	return true;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_map_persistent);

/**
 * srnic_map_release() - Unpin and free a translation
 * @map: of a quiesced region, or never used
 *
 * Context: process.
 */
void srnic_map_release(struct srnic_map *map)
{
	if (map->odp)
		srnic_odp_destroy(map->odp);
	if (map->umem)
		ib_umem_release(map->umem);
	if (map->dmabuf)
		srnic_dmabuf_drop(map->dmabuf);
	kvfree(map->blocks);
	kvfree(map->pieces);
	*map = (struct srnic_map){};
}

SRNIC_EXPORT_FOR_KUNIT(srnic_map_release);

static int region_add_block(struct ib_mr *ibmr, u64 addr)
{
	struct srnic_mr *mr = to_srnic_mr(ibmr);

	if (mr->next_map.count == mr->max_blocks)
		return -ENOMEM;

	mr->next_map.blocks[mr->next_map.count++] = ib_virt_dma_to_ptr(addr);
	return 0;
}

/**
 * srnic_region_map_sg() - Prepare the translation of a fast-register region
 * @mr: the region; may still be valid with its previous translation, because
 *	consumers chain LOCAL_INV and REG_MR after this call: the new one takes
 *	effect when REG_MR is executed
 * @sg: kernel memory, mapped for DMA
 * @nents: number of entries
 * @offset: into the first entry, or NULL
 *
 * Context: any.
 * Return: entries mapped, or a negative errno.
 */
int srnic_region_map_sg(struct srnic_mr *mr, struct scatterlist *sg, int nents,
			unsigned int *offset)
{
	if (mr->next_map.pieces) {
		int mapped = srnic_pieces_map_sg(mr, sg, nents, offset);

		mr->has_next_map = mapped > 0;
		return mapped;
	}
	if (!is_power_of_2(mr->ib.page_size))
		return -EINVAL;

	mr->next_map.count = 0;
	mr->next_map.shift = ilog2(mr->ib.page_size);
	mr->has_next_map = true;
	return ib_sg_to_pages(&mr->ib, sg, nents, offset, region_add_block);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_region_map_sg);

/**
 * srnic_region_retire() - Invalidate a region's key, for dereg and rereg
 * @mr: valid or invalid
 *
 * A bind holds an active reference to the region while it adds its window, so
 * the number of windows does not rise any more after the region has been
 * quiesced.
 *
 * Context: process.
 * Return: 0, with no access in progress; or -EBUSY if windows are bound to the
 * region (IBA 10.6.7.2.6), which is then unchanged.
 */
int srnic_region_retire(struct srnic_mr *mr)
{
	bool valid = srnic_stag_valid(&mr->stag);

	if (atomic_read(&mr->windows))
		return -EBUSY;

	if (mr->map.odp)
		srnic_odp_stop(mr->map.odp);
	else
		srnic_stag_quiesce(&mr->stag);
	if (!atomic_read(&mr->windows))
		return 0;

	if (valid)
		srnic_stag_publish(&mr->stag);
	return -EBUSY;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_region_retire);

/**
 * srnic_region_protect() - Require a proof for each remote access from now on
 * @mr: valid; may be in use
 * @mkeys: one key for each right; owned by the region afterwards, unless an
 *	error is returned
 *
 * When it returns, no unproved remote access is in progress, and none will
 * begin. The region stays valid meanwhile: local accesses and proved ones are
 * never refused. A grace period suffices, because BHs are off while an active
 * reference is held.
 *
 * Context: process; one caller at a time.
 * Return: 0; -EEXIST: the region already has keys, which peers may hold;
 * -EBUSY: windows are bound to the region, and accesses through them would need
 * no proof; -EINVAL: not a region of a user process; -EOPNOTSUPP: it is paged on
 * demand, and the key that a packet must prove could not be looked up while a
 * notifier pauses it.
 */
int srnic_region_protect(struct srnic_mr *mr, struct srnic_mkey *mkeys)
{
	struct srnic_stag *stag = &mr->stag;

	if (!srnic_stag_is_users(stag))
		return -EINVAL;
	if (stag->kind == SRNIC_STAG_ON_DEMAND)
		return -EOPNOTSUPP;
	if (stag->mkeys)
		return -EEXIST;
	if (atomic_read(&mr->windows))
		return -EBUSY;

	WRITE_ONCE(stag->pd->protects, true);
	smp_store_release(&stag->mkeys, mkeys);	/* contents before pointer */
	WRITE_ONCE(stag->checks, stag->checks | SRNIC_CHECK_PROOF);
	synchronize_rcu_expedited();
	if (!atomic_read(&mr->windows))
		return 0;

	/* a concurrent BIND_MW has not seen the keys: undo */
	WRITE_ONCE(stag->checks, stag->checks & ~SRNIC_CHECK_PROOF);
	WRITE_ONCE(stag->mkeys, NULL);
	synchronize_rcu_expedited();
	return -EBUSY;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_region_protect);
