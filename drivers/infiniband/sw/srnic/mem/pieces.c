// SPDX-License-Identifier: GPL-2.0
/*
 * Translations of fast-register regions with gaps (IB_MR_TYPE_SG_GAPS): pieces of any length at
 * any address, one after the other. They are not aligned as the peer sees them, so these
 * regions grant no atomics.
 */
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include "export.h"
#include "mem/mem.h"

/**
 * struct srnic_piece - Contiguous bytes of a region
 * @at: address of the first byte
 * @end: offset behind the last byte, from the start of the region
 */
struct srnic_piece {
	void *at;
	u64 end;
};

/**
 * srnic_map_alloc_pieces() - Allocate a translation to pieces
 * @map: zeroed
 * @pieces: number of pieces, at least 1
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int srnic_map_alloc_pieces(struct srnic_map *map, u32 pieces)
{
	map->pieces = kvcalloc(pieces, sizeof(*map->pieces), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	return map->pieces ? 0 : -ENOMEM;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_map_alloc_pieces);

static u64 piece_start(const struct srnic_map *map, u32 index)
{
	return index ? map->pieces[index - 1].end : 0;
}

/**
 * srnic_map_length() - Return the number of bytes of a translation
 * @map: of a fast-register region
 */
u64 srnic_map_length(const struct srnic_map *map)
{
	return map->pieces ? piece_start(map, map->count) : (u64)map->count << map->shift;
}

/**
 * srnic_pieces_run() - Find the contiguous bytes at an offset
 * @map: translation to pieces
 * @off: offset from the start of the region, less than srnic_map_length()
 * @run: bytes wanted; returns how many are contiguous there
 *
 * Return: the address of the first byte.
 */
void *srnic_pieces_run(const struct srnic_map *map, u64 off, u32 *run)
{
	u32 low = 0, high = map->count - 1;

	/* the first piece that ends behind @off */
	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (map->pieces[middle].end > off)
			high = middle;
		else
			low = middle + 1;
	}
	*run = min_t(u64, *run, map->pieces[low].end - off);
	return map->pieces[low].at + (off - piece_start(map, low));
}

/**
 * srnic_pieces_map_sg() - Translate to the entries of a list, as ib_map_mr_sg() documents
 * @mr: the region; its next translation is replaced
 * @sgl: kernel memory, mapped for DMA
 * @nents: number of entries
 * @offset: into the first entry, or NULL
 *
 * Context: any.
 * Return: entries mapped, or -EINVAL.
 */
int srnic_pieces_map_sg(struct srnic_mr *mr, struct scatterlist *sgl, int nents,
			unsigned int *offset)
{
	struct srnic_map *map = &mr->next_map;
	u32 skip = offset ? *offset : 0;
	struct scatterlist *sg;
	int i;

	if (nents <= 0 || skip >= sg_dma_len(sgl))
		return -EINVAL;

	map->count = 0;
	mr->ib.iova = sg_dma_address(sgl) + skip;
	for_each_sg(sgl, sg, nents, i) {
		u32 len = sg_dma_len(sg) - skip;

		if (map->count == mr->max_blocks)
			break;
		if (len) {
			map->pieces[map->count] = (struct srnic_piece){
				.at = ib_virt_dma_to_ptr(sg_dma_address(sg) + skip),
				.end = piece_start(map, map->count) + len,
			};
			map->count++;
		}
		skip = 0;
	}
	mr->ib.length = srnic_map_length(map);
	if (offset)
		*offset = 0;
	return i;
}
