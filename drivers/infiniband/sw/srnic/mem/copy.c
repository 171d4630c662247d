// SPDX-License-Identifier: GPL-2.0
/*
 * Copies out of and into regions. Registration has resolved the addresses and
 * srnic_mem_get() has checked the access; each byte is copied once.
 */
#include <linux/atomic.h>
#include <linux/libnvdimm.h>
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include "export.h"
#include "mem/memcpy.h"
#include "mem/odp.h"

/* ref_run() of memory without blocks: all of the kernel's, pages that come and go, or pieces */
static void *ref_run_other(const struct srnic_mem_ref *ref, u64 va, u32 *run)
{
	const struct srnic_map *map = ref->mr ? &ref->mr->map : NULL;

	if (map && map->odp)
		return srnic_odp_run(map->odp, va - ref->stag->iova, run);
	if (map && map->pieces)
		return srnic_pieces_run(map, va - ref->stag->iova + ref->stag->offset, run);
	return ib_virt_dma_to_ptr(va);
}

/* Return the address of @va and set *@run to the contiguous bytes there, at most @len. */
static void *ref_run(const struct srnic_mem_ref *ref, u64 va, u32 len, u32 *run)
{
	const struct srnic_map *map;
	u64 off, in, size;

	*run = len;
	if (!ref->mr || !ref->mr->map.blocks)
		return ref_run_other(ref, va, run);

	map = &ref->mr->map;
	off = va - ref->stag->iova + ref->stag->offset;
	size = BIT_ULL(map->shift);
	in = off & (size - 1);
	if (*run > size - in)
		*run = size - in;
	return map->blocks[off >> map->shift] + in;
}

/**
 * srnic_mem_gather() - Copy out of a region
 * @ref: from srnic_mem_get()
 * @va: first byte; the range lies inside the checked one
 * @dst: kernel memory
 * @len: bytes
 *
 * Each byte is read once: the copy is what is checked, sealed and sent.
 */
void srnic_mem_gather(const struct srnic_mem_ref *ref, u64 va, void *dst, u32 len)
{
	while (len) {
		u32 run;
		const void *src = ref_run(ref, va, len, &run);

		srnic_memcpy(dst, src, run);
		va += run;
		dst += run;
		len -= run;
	}
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mem_gather);

/**
 * srnic_mem_place() - Copy into a region, in ascending order of addresses
 * @ref: from srnic_mem_get()
 * @va: first byte; the range lies inside the checked one
 * @src: kernel memory
 * @len: bytes
 */
void srnic_mem_place(const struct srnic_mem_ref *ref, u64 va, const void *src, u32 len)
{
	while (len) {
		u32 run;
		void *dst = ref_run(ref, va, len, &run);

		srnic_memcpy(dst, src, run);
		va += run;
		src += run;
		len -= run;
	}
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mem_place);

/* Return the word at @va, or NULL if it is misaligned, which registration excludes. */
static atomic64_t *ref_word(const struct srnic_mem_ref *ref, u64 va)
{
	u32 run;
	atomic64_t *word = ref_run(ref, va, sizeof(u64), &run);

	/* a misaligned word could extend into a page that is not the region's */
	if (WARN_ON_ONCE(!IS_ALIGNED((unsigned long)word, sizeof(*word))))
		return NULL;
	return word;
}

/**
 * srnic_mem_cmp_swap() - Execute an 8-byte compare-and-swap (IBA 9.4.5)
 * @ref: from srnic_mem_get() with IB_ACCESS_REMOTE_ATOMIC
 * @va: aligned to 8, inside the checked range; registration ensures that memory
 *	has the same alignment as @va
 * @compare: expected value
 * @swap: new value
 *
 * One processor instruction: atomic with respect to other QPs, to drivers of
 * other devices and to the application.
 *
 * Return: the value before the operation.
 */
u64 srnic_mem_cmp_swap(const struct srnic_mem_ref *ref, u64 va, u64 compare, u64 swap)
{
	atomic64_t *word = ref_word(ref, va);

	return word ? atomic64_cmpxchg(word, compare, swap) : 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mem_cmp_swap);

/**
 * srnic_mem_fetch_add() - Execute an 8-byte fetch-and-add (IBA 9.4.5)
 * @ref: as for srnic_mem_cmp_swap()
 * @va: as for srnic_mem_cmp_swap()
 * @add: addend
 *
 * Return: the value before the operation.
 */
u64 srnic_mem_fetch_add(const struct srnic_mem_ref *ref, u64 va, u64 add)
{
	atomic64_t *word = ref_word(ref, va);

	return word ? atomic64_fetch_add(add, word) : 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mem_fetch_add);

/**
 * srnic_mem_atomic_write() - Write 8 bytes at once (IBA A19)
 * @ref: from srnic_mem_get() with IB_ACCESS_REMOTE_WRITE
 * @va: aligned to 8, inside the checked range
 * @src: 8 bytes, with any alignment
 *
 * Nobody sees a part of them, or sees them before what was placed earlier. Registration aligns
 * only regions for atomics: a zero-based one for writes, or one with gaps, may have other alignment
 * than @va.
 *
 * Return: false if the word is misaligned in memory; nothing is written.
 */
bool srnic_mem_atomic_write(const struct srnic_mem_ref *ref, u64 va, const void *src)
{
	u32 run;
	atomic64_t *word = ref_run(ref, va, sizeof(u64), &run);

	/* nor may it lie in two pieces */
	if (!IS_ALIGNED((unsigned long)word, sizeof(*word)) || run < sizeof(*word))
		return false;
	atomic64_set_release(word, get_unaligned((const u64 *)src));
	return true;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mem_atomic_write);

/**
 * srnic_mem_write_back() - Write bytes back from the processor's caches to the memory
 * @ref: from srnic_mem_get() with IB_ACCESS_FLUSH_PERSISTENT
 * @va: first byte; the range lies inside the checked one
 * @len: bytes
 *
 * They are durable after a wmb().
 */
void srnic_mem_write_back(const struct srnic_mem_ref *ref, u64 va, u64 len)
{
	while (len) {
		u32 run;
		void *at = ref_run(ref, va, min_t(u64, len, SZ_1G), &run);

		arch_wb_cache_pmem(at, run);
		va += run;
		len -= run;
	}
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mem_write_back);
