// SPDX-License-Identifier: GPL-2.0
/*
 * Gather and place for local memory: the bytes of a message, spread over the
 * scatter/gather list of a work request. Each SGE's key is checked for the
 * bytes accessed (IBA 10.6.3, 10.7.3).
 */
#include <linux/minmax.h>
#include "export.h"
#include "mem/mem.h"

/*
 * Advance @pos to the entry that holds its byte. Return false past the end of
 * the list.
 */
static bool sge_seek(struct srnic_sge_pos *pos)
{
	while (pos->left && pos->off >= pos->sge->length) {
		pos->off -= pos->sge->length;
		pos->sge++;
		pos->left--;
	}
	return pos->left;
}

static enum srnic_mem_status sge_get(const struct srnic_mem_stream *stream,
				     const struct srnic_sge_pos *pos, u32 rights, u32 run,
				     struct srnic_mem_cache *cache)
{
	struct srnic_access access;
	u64 va;

	if (check_add_overflow(pos->sge->addr, (u64)pos->off, &va))
		return SRNIC_MEM_BOUNDS;
	access = (struct srnic_access){
		.key = pos->sge->lkey,
		.rights = rights,
		.va = va,
		.len = run,
		.local = true,
	};
	return srnic_mem_get_cached(stream, &access, cache);
}

/**
 * srnic_sge_gather() - Copy part of a message out of its SGEs
 * @stream: stream of the work request
 * @cache: the region that this burst uses
 * @from: where to start, in the kernel's copy of the list
 * @dst: kernel memory
 * @len: bytes; 0 needs no key
 *
 * Context: process or softirq, BHs off.
 * Return: SRNIC_MEM_OK, or the reason an SGE was refused; @dst may have been
 * written then.
 */
enum srnic_mem_status srnic_sge_gather(const struct srnic_mem_stream *stream,
				       struct srnic_mem_cache *cache,
				       const struct srnic_sge_pos *from, void *dst, u32 len)
{
	struct srnic_sge_pos pos = *from;

	while (len) {
		enum srnic_mem_status status;
		u32 run;

		if (!sge_seek(&pos))
			return SRNIC_MEM_BOUNDS;

		run = min(len, pos.sge->length - pos.off);
		status = sge_get(stream, &pos, 0, run, cache);
		if (status)
			return status;
		srnic_mem_gather(&cache->ref, pos.sge->addr + pos.off, dst, run);

		dst += run;
		len -= run;
		pos.off += run;
	}
	return SRNIC_MEM_OK;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sge_gather);

/**
 * srnic_sge_place() - Copy part of a message into its SGEs
 * @stream: stream of the work request
 * @cache: the region that this burst uses
 * @to: where to start, in the kernel's copy of the list
 * @src: kernel memory
 * @len: bytes; 0 needs no key
 *
 * Context: process or softirq, BHs off.
 * Return: SRNIC_MEM_OK, or the reason an SGE was refused; the SGEs before it
 * may have been written then, which a completion in error allows (IBA 10.3.1).
 */
enum srnic_mem_status srnic_sge_place(const struct srnic_mem_stream *stream,
				      struct srnic_mem_cache *cache,
				      const struct srnic_sge_pos *to, const void *src, u32 len)
{
	struct srnic_sge_pos pos = *to;

	while (len) {
		enum srnic_mem_status status;
		u32 run;

		if (!sge_seek(&pos))
			return SRNIC_MEM_BOUNDS;

		run = min(len, pos.sge->length - pos.off);
		status = sge_get(stream, &pos, IB_ACCESS_LOCAL_WRITE, run, cache);
		if (status)
			return status;
		srnic_mem_place(&cache->ref, pos.sge->addr + pos.off, src, run);

		src += run;
		len -= run;
		pos.off += run;
	}
	return SRNIC_MEM_OK;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sge_place);

/**
 * srnic_sge_find_absent() - Find the access that pages are missing for
 * @stream: stream of the work request
 * @from: where to start, in the kernel's copy of the list
 * @len: bytes
 * @access: rights are set; filled in with the access to the first absent bytes
 * @ahead: set to the number of bytes from there to the end of the SGE
 *
 * Context: process or softirq, BHs off.
 * Return: SRNIC_MEM_ABSENT; SRNIC_MEM_OK if pages have come meanwhile; or the reason an SGE is
 * refused.
 */
enum srnic_mem_status srnic_sge_find_absent(const struct srnic_mem_stream *stream,
					    const struct srnic_sge_pos *from, u32 len,
					    struct srnic_access *access, u64 *ahead)
{
	enum srnic_mem_status status = SRNIC_MEM_OK;
	struct srnic_sge_pos pos = *from;

	access->local = true;
	while (len && !status) {
		struct srnic_mem_ref ref;
		u32 run;

		if (!sge_seek(&pos))
			return SRNIC_MEM_BOUNDS;
		run = min(len, pos.sge->length - pos.off);
		access->key = pos.sge->lkey;
		access->va = pos.sge->addr + pos.off;
		access->len = run;
		*ahead = pos.sge->length - pos.off;
		status = srnic_mem_get(stream, access, &ref);
		if (!status)
			srnic_mem_put(&ref);
		len -= run;
		pos.off += run;
	}
	return status;
}
