// SPDX-License-Identifier: GPL-2.0
/*
 * CRC-32 in the kernel: crc32_le(), or an implementation that is faster on this
 * machine.
 *
 * crc32_le() uses tables on x86 up to 6.13, and the architecture's best
 * implementation elsewhere and since. There are two alternatives: crc_clmul.c
 * multiplies without carries, and crc_sparse.c uses only shifts and
 * exclusive-or.
 *
 * The fastest, and the length from which it is faster, are measured at load:
 * multiplication must save the FPU state first, and an emulated machine may
 * multiply more slowly than it looks up tables.
 */
#define pr_fmt(fmt) "srnic: " fmt

#include <linux/cache.h>
#include <linux/crc32.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "export.h"
#include "wire/wire.h"

/* Compare at the powers of two between these lengths. */
#define CRC_FIRST	SRNIC_CRC_FOLD_MIN
#define CRC_LAST	4096

/*
 * Limit of one FPU section, during which preemption is disabled: a whole packet
 * of the largest MTU, from BTH to pad.
 */
#define CRC_RUN		(CRC_LAST + SRNIC_HDR_MAX)

/* Take the best of CRC_RUNS runs of CRC_CALLS calls, so that interrupts do not count. */
#define CRC_RUNS	5
#define CRC_CALLS	4

/* Both are set once, by srnic_crc_init(), before the first packet. */
static size_t crc_fast_min_len __ro_after_init = SIZE_MAX;	/* use one from this length on */
static bool crc_by_clmul __ro_after_init;		/* use crc_clmul() */

#ifdef SRNIC_CRC_CLMUL
static int crc_clmul(u32 *crc, const void *data, size_t len)
{
	size_t done = round_down(len, SRNIC_CRC_LANE);

	if (unlikely(!srnic_crc_fold(crc, data, done)))
		return -EBUSY;
	*crc = crc32_le(*crc, data + done, len - done);
	return 0;
}

static bool __init clmul_available(void)
{
	return srnic_crc_can_fold();
}
#else
static int crc_clmul(u32 *crc, const void *data, size_t len)
{
	return -EBUSY;
}

static bool __init clmul_available(void)
{
	return false;
}
#endif

static int crc_sparse(u32 *crc, const void *data, size_t len)
{
	u8 rest[SRNIC_CRC_REST];
	size_t done;

	done = srnic_crc_shorten(*crc, data, len, rest);
	*crc = crc32_le(0, rest, sizeof(rest));
	*crc = crc32_le(*crc, data + done, len - done);
	return 0;
}

/* noinline: crc32_le() is pure, so the compiler would drop a call whose result is unused. */
static noinline int crc_tables(u32 *crc, const void *data, size_t len)
{
	*crc = crc32_le(*crc, data, len);
	return 0;
}

/**
 * srnic_crc_update() - Update a CRC-32 over a run of bytes
 * @crc: state; ~0 for the first run
 * @data: bytes, in kernel memory
 * @len: bytes in @data
 *
 * CRC-32 of IEEE 802.3 (polynomial 0x04c11db7, reflected bits), as the ICRC
 * needs it (IBA 7.8.1). srnic_icrc_end() takes the final complement.
 *
 * Context: any, including hard interrupts; takes no locks.
 * Return: the state after the bytes.
 */
u32 srnic_crc_update(u32 crc, const void *data, size_t len)
{
	while (len >= crc_fast_min_len) {
		size_t n = min_t(size_t, len, CRC_RUN);

		if (crc_by_clmul ? crc_clmul(&crc, data, n) : crc_sparse(&crc, data, n))
			break;
		data += n;
		len -= n;
	}
	return crc32_le(crc, data, len);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_crc_update);

typedef int (*crc_fn)(u32 *crc, const void *data, size_t len);

/* Return the nanoseconds that CRC_CALLS calls take. */
static u64 __init crc_time(crc_fn fn, const u8 *data, size_t len)
{
	u64 best = U64_MAX;
	u32 crc = ~0U;
	int run, i;

	for (run = 0; run < CRC_RUNS; run++) {
		u64 start = ktime_get_ns();

		for (i = 0; i < CRC_CALLS; i++)
			fn(&crc, data, len);
		best = min(best, ktime_get_ns() - start);
	}
	return best;
}

/* Check the result at load, so that an implementation that fails on this CPU is never used. */
static bool __init crc_agrees(crc_fn fn, const u8 *data, size_t len)
{
	u32 crc = 0x12345678;

	return !fn(&crc, data, len) && crc == crc32_le(0x12345678, data, len);
}

/* Return the length from which @fn always beats the tables; SIZE_MAX if there is none. */
static size_t __init crc_measure(crc_fn fn, const u8 *data)
{
	size_t from = SIZE_MAX, len;

	for (len = CRC_FIRST; len <= CRC_LAST; len *= 2) {
		if (!crc_agrees(fn, data, len) ||
		    crc_time(fn, data, len) >= crc_time(crc_tables, data, len))
			from = SIZE_MAX;
		else
			from = min(from, len);
	}
	return from;
}

static void __init crc_choose(const u8 *data)
{
	size_t clmul = clmul_available() ? crc_measure(crc_clmul, data) : SIZE_MAX;
	size_t sparse = crc_measure(crc_sparse, data);

	crc_by_clmul = clmul != SIZE_MAX &&
		       (sparse == SIZE_MAX || crc_time(crc_clmul, data, CRC_LAST) <=
					      crc_time(crc_sparse, data, CRC_LAST));
	crc_fast_min_len = crc_by_clmul ? clmul : sparse;
	if (crc_fast_min_len != SIZE_MAX)
		pr_info("CRC-32 by %s from %zu bytes on\n",
			crc_by_clmul ? "multiplication without carries" :
			"shifts and exclusive-or", crc_fast_min_len);
}

/**
 * srnic_crc_init() - Choose the machine's fastest CRC-32
 *
 * Cannot fail: if nothing is faster, srnic_crc_update() uses crc32_le().
 *
 * Context: process, at module load, before any packet. Takes about a
 * millisecond.
 */
void __init srnic_crc_init(void)
{
	u8 *data = kmalloc(CRC_LAST, GFP_KERNEL);

	if (!data)
		return;
	memset(data, 0x5a, CRC_LAST);
	crc_choose(data);
	kfree(data);
}
