// SPDX-License-Identifier: GPL-2.0
/*
 * Fast copies: memcpy(), or a string instruction where that is faster.
 *
 * The kernel's memcpy() on x86 is a loop over words unless the processor has a
 * fast short "rep movsb" (FSRM). Many other processors have a "rep movsq" that
 * is good for payloads (REP_GOOD: copy_page() uses it), but an emulated machine
 * may be slower at it. The faster copy, and the length from which it is faster,
 * are measured at load.
 */
#define pr_fmt(fmt) "srnic: " fmt

#include <linux/kasan-checks.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include "export.h"
#include "mem/memcpy.h"

/* The copies are compared at the powers of two in this range */
#define MEMCPY_MIN_LEN	256
#define MEMCPY_MAX_LEN	4096

/* Runs to take the best of, which hides interrupts, and calls per run */
#define MEMCPY_RUNS	5
#define MEMCPY_CALLS	4

/* written once, by srnic_memcpy_init(), before the first packet */
size_t srnic_memcpy_string_min __ro_after_init = SIZE_MAX;

/**
 * srnic_memcpy_string() - Copy by string instruction, or by memcpy() if there is none
 * @dst: destination
 * @src: source; does not overlap @dst
 * @len: bytes
 *
 * Copies in ascending order of addresses, each byte once.
 *
 * Context: any.
 */
void srnic_memcpy_string(void *dst, const void *src, size_t len)
{
#ifdef CONFIG_X86_64
	size_t words = len / sizeof(u64);

	kasan_check_read(src, len);
	kasan_check_write(dst, len);
	asm volatile("rep movsq" : "+D" (dst), "+S" (src), "+c" (words) : : "memory");
	len %= sizeof(u64);
#endif
	memcpy(dst, src, len);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_memcpy_string);

static noinline void __init memcpy_plain(void *dst, const void *src, size_t len)
{
	memcpy(dst, src, len);
}

/* Return the nanoseconds that MEMCPY_CALLS calls take. */
static u64 __init memcpy_time(void (*copy)(void *dst, const void *src, size_t len), u8 *buf,
			      size_t len)
{
	u64 best = U64_MAX;
	int run, i;

	for (run = 0; run < MEMCPY_RUNS; run++) {
		u64 start = ktime_get_ns();

		for (i = 0; i < MEMCPY_CALLS; i++)
			copy(buf, buf + MEMCPY_MAX_LEN, len);
		best = min(best, ktime_get_ns() - start);
	}
	return best;
}

/**
 * srnic_memcpy_init() - Measure and select the fastest copy
 *
 * Context: process, at module load. Takes a fraction of a millisecond. Cannot
 * fail: without memory for the measurement, memcpy() is used.
 */
void __init srnic_memcpy_init(void)
{
	u8 *buf = kzalloc(2 * MEMCPY_MAX_LEN, GFP_KERNEL);
	size_t from = SIZE_MAX, len;

	if (!buf)
		return;
	for (len = MEMCPY_MIN_LEN; len <= MEMCPY_MAX_LEN; len *= 2) {
		if (memcpy_time(srnic_memcpy_string, buf, len) >=
		    memcpy_time(memcpy_plain, buf, len))
			from = SIZE_MAX;
		else
			from = min(from, len);
	}
	kfree(buf);
	srnic_memcpy_string_min = from;
	if (from != SIZE_MAX)
		pr_info("copies by string instruction from %zu bytes on\n", from);
}
