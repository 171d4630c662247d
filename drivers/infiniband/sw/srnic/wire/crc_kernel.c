// SPDX-License-Identifier: GPL-2.0
/*
 * CRC-32 in the kernel: crc32_le(), or what is faster here.
 *
 * crc32_le() is table driven on x86 up to 6.13, and the machine's best elsewhere
 * and since. The tables have two rivals. crc32-pclmul multiplies without carries; it is
 * reached only through the crypto API: asking for it by name gives it where it exists
 * (and loads its module, which nothing else would do), and -ENOENT where crc32_le()
 * is the best there is. crc_sparse.c needs nothing but shifts and exclusive-or.
 *
 * Which wins, and from what length, is measured at load: for the multiplication the
 * FPU state must be saved first, and an emulated machine may multiply more slowly
 * than it looks up (QEMU 7.2 takes half as long again as the tables, QEMU 10 two
 * thirds of it; crc_sparse.c a quarter).
 */
#define pr_fmt(fmt) "srnic: " fmt

#include <crypto/hash.h>
#include <linux/cache.h>
#include <linux/crc32.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "export.h"
#include "wire/wire.h"

#define CRC_SIMD_DRIVER	"crc32-pclmul"

/*
 * Lengths at which they are compared with the tables: the powers of two between these.
 * Below the first, crc32-pclmul itself hands over to crc32_le(), as it does wherever
 * SIMD may not be used (crypto_simd_usable).
 */
#define CRC_FIRST	128
#define CRC_LAST	4096

/*
 * As much as one FPU section may take, with preemption off: a whole packet of the largest
 * MTU, BTH to pad.
 */
#define CRC_RUN		(CRC_LAST + SRNIC_HDR_MAX)

/* Best of so many runs, of so many calls each, so that an interrupt does not count */
#define CRC_RUNS	5
#define CRC_CALLS	4

/*
 * All set once, by srnic_crc_init(), before the first packet. kmemleak does not look
 * into a module's __ro_after_init, so what is allocated is not remembered there.
 */
static struct crypto_shash *crc_tfm __read_mostly;
static size_t crc_fast_from __ro_after_init = SIZE_MAX;	/* use one of them from here on */
static bool crc_by_simd __ro_after_init;		/* which */

/* A descriptor as small as the algorithm needs: CRC-32's state is one u32. */
struct crc_desc {
	struct shash_desc shash;
	u8 ctx[sizeof(u32)];
};

/*
 * The crypto API's crc32 has neither seed nor final complement of its own: import
 * sets the register, finup returns it, little-endian.
 */
static int crc_simd(u32 *crc, const void *data, size_t len)
{
	struct crc_desc desc = { .shash.tfm = crc_tfm };
	__le32 out;
	int err;

	err = crypto_shash_import(&desc.shash, crc);
	if (err)
		return err;
	err = crypto_shash_finup(&desc.shash, data, len, (u8 *)&out);
	if (err)
		return err;
	*crc = le32_to_cpu(out);
	return 0;
}

static int crc_sparse(u32 *crc, const void *data, size_t len)
{
	u8 rest[SRNIC_CRC_REST];
	size_t done;

	done = srnic_crc_shorten(*crc, data, len, rest);
	*crc = crc32_le(0, rest, sizeof(rest));
	*crc = crc32_le(*crc, data + done, len - done);
	return 0;
}

/* noinline: crc32_le() is pure, and would not be called where only its time is asked for */
static noinline int crc_tables(u32 *crc, const void *data, size_t len)
{
	*crc = crc32_le(*crc, data, len);
	return 0;
}

/**
 * srnic_crc_update - take the CRC of a byte run
 * @crc: state so far, ~0 to begin with
 * @data: bytes, in kernel memory
 * @len: how many
 *
 * CRC-32 of IEEE 802.3 (polynomial 0x04c11db7, bits reflected), as the ICRC needs
 * it (IBA 7.8.1). No complement at the end: that is srnic_icrc_end()'s.
 *
 * Context: any, hard interrupts included; no locks.
 * Return: the state after the bytes.
 */
u32 srnic_crc_update(u32 crc, const void *data, size_t len)
{
	while (len >= crc_fast_from) {
		size_t n = min_t(size_t, len, CRC_RUN);

		if (crc_by_simd ? crc_simd(&crc, data, n) : crc_sparse(&crc, data, n))
			break;
		data += n;
		len -= n;
	}
	return crc32_le(crc, data, len);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_crc_update);

typedef int (*crc_fn)(u32 *crc, const void *data, size_t len);

/* nanoseconds that CRC_CALLS calls take */
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

/*
 * crc_simd() leans on what crypto_shash_import() happens to take for this driver.
 * Should that ever change, find out now and not by every peer's ICRC check.
 */
static bool __init crc_agrees(crc_fn fn, const u8 *data, size_t len)
{
	u32 crc = 0x12345678;

	return !fn(&crc, data, len) && crc == crc32_le(0x12345678, data, len);
}

/* The length from which on @fn always wins over the tables; SIZE_MAX if it never does */
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
	size_t simd = crc_tfm ? crc_measure(crc_simd, data) : SIZE_MAX;
	size_t sparse = crc_measure(crc_sparse, data);

	crc_by_simd = simd != SIZE_MAX &&
		      (sparse == SIZE_MAX || crc_time(crc_simd, data, CRC_LAST) <=
					     crc_time(crc_sparse, data, CRC_LAST));
	crc_fast_from = crc_by_simd ? simd : sparse;
	if (crc_fast_from != SIZE_MAX)
		pr_info("CRC-32 by %s from %zu bytes on\n",
			crc_by_simd ? CRC_SIMD_DRIVER : "shifts and exclusive-or", crc_fast_from);
}

static struct crypto_shash *__init alloc_simd(void)
{
	struct crypto_shash *tfm = crypto_alloc_shash(CRC_SIMD_DRIVER, 0, 0);

	if (IS_ERR(tfm))
		return NULL;
	if (crypto_shash_descsize(tfm) == sizeof_field(struct crc_desc, ctx))
		return tfm;
	crypto_free_shash(tfm);
	return NULL;
}

/**
 * srnic_crc_init - choose the machine's fastest CRC-32
 *
 * Context: process, at module load, before any packet. Takes about a millisecond.
 * Cannot fail: where nothing is faster, srnic_crc_update() uses crc32_le().
 */
void __init srnic_crc_init(void)
{
	u8 *data = kmalloc(CRC_LAST, GFP_KERNEL);

	if (!data)
		return;
	memset(data, 0x5a, CRC_LAST);
	crc_tfm = alloc_simd();
	crc_choose(data);
	if (!crc_by_simd) {
		crypto_free_shash(crc_tfm);	/* NULL is fine, here and below */
		crc_tfm = NULL;
	}
	kfree(data);
}

/**
 * srnic_crc_exit - undo srnic_crc_init()
 *
 * Context: process, at module unload, when no packet is under way.
 */
void srnic_crc_exit(void)
{
	crypto_free_shash(crc_tfm);
}
