// SPDX-License-Identifier: GPL-2.0
/*
 * Translations to a dma-buf: memory of another driver, of the kernel's heaps, or of a memfd.
 *
 * A DMA device attaches to the buffer and gets addresses for itself. srnic is no such device: it
 * has no struct device that addresses could be mapped for, and what an attachment returns is not
 * for processors (dma-buf.rst). It copies, so it asks for a mapping in the kernel's address space.
 * Until dma_buf_vunmap() the exporter keeps the bytes in place, hence there is no notice of moves
 * to handle, and no fault in softirq.
 */
#include <linux/align.h>
#include <linux/dma-buf.h>
#include <linux/iosys-map.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include "export.h"
#include "mem/dmabuf.h"

/* The argument of MODULE_IMPORT_NS() has become a string; this has both meanings. */
MODULE_INFO(import_ns, "DMA_BUF");

/* The mapping is contiguous: large blocks make the translation small. */
#define DMABUF_SHIFT	30

/**
 * struct srnic_dmabuf - A dma-buf that a region uses
 * @buf: the buffer, with a reference
 * @at: where it is mapped; null: not yet
 * @dir: for begin_cpu_access and end_cpu_access
 */
struct srnic_dmabuf {
	struct dma_buf *buf;
	struct iosys_map at;
	enum dma_data_direction dir;
};

/* Only these rights: ibv_reg_dmabuf_mr(3) */
#define DMABUF_ACCESS	(IB_ACCESS_LOCAL_WRITE | SRNIC_ACCESS_REMOTE | IB_ACCESS_OPTIONAL)

/*
 * An exporter may map uncached memory, on which only some processors have atomic
 * instructions.
 */
#define DMABUF_ATOMICS	(IS_ENABLED(CONFIG_X86) || IS_ENABLED(CONFIG_UML))

/**
 * srnic_dmabuf_check_access() - Check rights that a consumer asks for
 * @access: IB_ACCESS_*
 *
 * Return: 0; -EOPNOTSUPP for unsupported rights; -EINVAL for remote write without local write.
 */
int srnic_dmabuf_check_access(int access)
{
	if (access & ~DMABUF_ACCESS || (access & IB_ACCESS_REMOTE_ATOMIC && !DMABUF_ATOMICS))
		return -EOPNOTSUPP;
	return srnic_region_check_access(access);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dmabuf_check_access);

/*
 * The file was opened for reading, for writing, or both. As with mmap(2), a region needs the right
 * to read, and that to write if anything can write through it (RFC 5042 7.3, R32).
 */
static bool dmabuf_allows(const struct dma_buf *buf, int access)
{
	fmode_t needed = FMODE_READ | (ib_access_writable(access) ? FMODE_WRITE : 0);

	return (buf->file->f_mode & needed) == needed;
}

static int dmabuf_check(const struct dma_buf *buf, u64 offset, u64 length, int access)
{
	u64 end;

	if (check_add_overflow(offset, length, &end) || end > buf->size)
		return -EINVAL;
	if (!dmabuf_allows(buf, access))
		return -EACCES;
	return buf->ops->vmap ? 0 : -EOPNOTSUPP;
}

/**
 * srnic_dmabuf_take() - Let a translation have a buffer, which is not mapped yet
 * @map: zeroed
 * @buf: the buffer; its reference belongs to @map, or is dropped if the call fails
 * @offset: first byte of the region
 * @length: bytes of the region
 * @access: IB_ACCESS_*
 *
 * Context: process.
 * Return: 0; -EINVAL: the region is not inside the buffer; -EACCES: the buffer's file does not
 * allow the access; -EOPNOTSUPP: the exporter has no mappings for the processor; -ENOMEM.
 */
int srnic_dmabuf_take(struct srnic_map *map, struct dma_buf *buf, u64 offset, u64 length,
		      int access)
{
	struct srnic_dmabuf *own;
	int err;

	err = dmabuf_check(buf, offset, length, access);
	if (err)
		goto put;
	err = -ENOMEM;
	own = kzalloc(sizeof(*own), GFP_KERNEL_ACCOUNT);
	if (!own)
		goto put;
	own->buf = buf;
	own->dir = ib_access_writable(access) ? DMA_BIDIRECTIONAL : DMA_FROM_DEVICE;
	map->dmabuf = own;
	return 0;

put:
	dma_buf_put(buf);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dmabuf_take);

/**
 * srnic_dmabuf_pages() - Return the number of pages that a mapping holds
 * @map: with a buffer
 *
 * The exporter maps, and keeps, all of the buffer.
 */
u64 srnic_dmabuf_pages(const struct srnic_map *map)
{
	return PFN_UP((u64)map->dmabuf->buf->size);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dmabuf_pages);

static int dmabuf_vmap(struct srnic_dmabuf *own)
{
	struct iosys_map at;
	int err;

	err = dma_buf_vmap_unlocked(own->buf, &at);
	if (err)
		return err;
	own->at = at;
	/* I/O memory is not for memcpy(); atomics need aligned words */
	if (at.is_iomem || !IS_ALIGNED((unsigned long)at.vaddr, sizeof(u64)))
		return -EOPNOTSUPP;
	/* waits for work of other devices on the buffer, if the exporter has announced it */
	return dma_buf_begin_cpu_access(own->buf, own->dir);
}

static void dmabuf_vunmap(struct srnic_dmabuf *own)
{
	dma_buf_vunmap_unlocked(own->buf, &own->at);
	iosys_map_clear(&own->at);
}

/**
 * srnic_dmabuf_map() - Translate to the bytes of a buffer
 * @map: with a buffer, from srnic_dmabuf_take(); the caller releases it in either case
 *
 * The access by the processor begins here and lasts until srnic_map_release(): softirq cannot wait
 * in begin_cpu_access().
 *
 * Context: process.
 * Return: 0; -EOPNOTSUPP: the bytes are not memory; or an errno of the exporter.
 */
int srnic_dmabuf_map(struct srnic_map *map)
{
	struct srnic_dmabuf *own = map->dmabuf;
	u32 count = DIV_ROUND_UP_ULL((u64)own->buf->size, BIT_ULL(DMABUF_SHIFT));
	int err;

	err = srnic_map_alloc(map, count);
	if (err)
		return err;
	err = dmabuf_vmap(own);
	if (err) {
		if (iosys_map_is_set(&own->at))
			dmabuf_vunmap(own);
		return err;
	}
	for (u32 i = 0; i < count; i++)
		map->blocks[i] = own->at.vaddr + ((u64)i << DMABUF_SHIFT);
	map->count = count;
	map->shift = DMABUF_SHIFT;
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dmabuf_map);

/**
 * srnic_dmabuf_drop() - End the access, and drop the buffer
 * @own: of a quiesced region, or never used
 *
 * Context: process.
 */
void srnic_dmabuf_drop(struct srnic_dmabuf *own)
{
	if (iosys_map_is_set(&own->at)) {
		/* a failure is the exporter's, and nobody could do more about it */
		dma_buf_end_cpu_access(own->buf, own->dir);
		dmabuf_vunmap(own);
	}
	dma_buf_put(own->buf);
	kfree(own);
}
