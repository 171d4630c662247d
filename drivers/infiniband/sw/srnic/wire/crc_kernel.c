// SPDX-License-Identifier: GPL-2.0
/*
 * CRC-32 in the kernel: crc32_le(), or carry-less multiplication where that pays.
 *
 * crc32_le() is table driven on x86 up to 6.13, and the machine's best elsewhere
 * and since. The tables' rival, crc32-pclmul, is reached only through the crypto
 * API; asking for it by name gives it where it exists (and loads its module, which
 * nothing else would do), and -ENOENT where crc32_le() is the best there is.
 *
 * Which wins, and from what length, is measured at load: the FPU state must be
 * saved first, and an emulated machine may multiply more slowly than it looks up
 * (QEMU 7.2 takes half as long again as the tables, QEMU 10 two thirds of it).
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
 * Lengths at which the two are compared: the powers of two between these. Below
 * the first, crc32-pclmul itself hands over to crc32_le(), as it does wherever SIMD
 * may not be used (crypto_simd_usable). The last is as much as one FPU section
 * may take, with preemption off.
 */
#define CRC_SIMD_FIRST	128
#define CRC_SIMD_LAST	4096

/* Best of so many runs, of so many calls each, so that an interrupt does not count */
#define CRC_RUNS	5
#define CRC_CALLS	4

/* Both set once, by srnic_crc_init(), before the first packet */
static struct crypto_shash *crc_tfm __ro_after_init;
static size_t crc_simd_from __ro_after_init = SIZE_MAX;	/* use crc_tfm from here on */

/* A descriptor as small as the algorithm needs: CRC-32's state is one u32. */
struct crc_desc {
	struct shash_desc shash;
	u8 ctx[sizeof(u32)];
};

/*
 * The crypto API's crc32 has neither seed nor final complement of its own: import
 * sets the register, finup returns it, little-endian.
 */
static int crc_simd(struct crypto_shash *tfm, u32 *crc, const void *data, size_t len)
{
	struct crc_desc desc = { .shash.tfm = tfm };
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
	while (len >= crc_simd_from) {
		size_t n = min_t(size_t, len, CRC_SIMD_LAST);

		if (crc_simd(crc_tfm, &crc, data, n))
			break;
		data += n;
		len -= n;
	}
	return crc32_le(crc, data, len);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_crc_update);

/* nanoseconds that CRC_CALLS calls take, with @tfm or (NULL) the tables */
static u64 __init crc_time(struct crypto_shash *tfm, const u8 *data, size_t len)
{
	u64 best = U64_MAX;
	u32 crc = ~0U;
	int run, i;

	for (run = 0; run < CRC_RUNS; run++) {
		u64 start = ktime_get_ns();

		for (i = 0; i < CRC_CALLS; i++) {
			if (tfm)
				crc_simd(tfm, &crc, data, len);
			else
				crc = crc32_le(crc, data, len);
			OPTIMIZER_HIDE_VAR(crc);
		}
		best = min(best, ktime_get_ns() - start);
	}
	return best;
}

/*
 * crc_simd() leans on what crypto_shash_import() happens to take for this driver.
 * Should that ever change, find out now and not by every peer's ICRC check.
 */
static bool __init crc_agrees(struct crypto_shash *tfm, const u8 *data, size_t len)
{
	u32 crc = 0x12345678;

	return !crc_simd(tfm, &crc, data, len) && crc == crc32_le(0x12345678, data, len);
}

/* The length from which on @tfm always wins; SIZE_MAX if it never does, or errs. */
static size_t __init crc_measure(struct crypto_shash *tfm, const u8 *data)
{
	size_t from = SIZE_MAX, len;

	if (crypto_shash_descsize(tfm) != sizeof_field(struct crc_desc, ctx))
		return SIZE_MAX;
	for (len = CRC_SIMD_FIRST; len <= CRC_SIMD_LAST; len *= 2) {
		if (!crc_agrees(tfm, data, len)) {
			pr_warn("%s does not give CRC-32, not used\n", CRC_SIMD_DRIVER);
			return SIZE_MAX;
		}
		if (crc_time(tfm, data, len) >= crc_time(NULL, data, len))
			from = SIZE_MAX;
		else
			from = min(from, len);
	}
	return from;
}

/**
 * srnic_crc_init - choose the machine's fastest CRC-32
 *
 * Context: process, at module load, before any packet. Takes about a millisecond.
 * Cannot fail: where nothing is faster, srnic_crc_update() uses crc32_le().
 */
void __init srnic_crc_init(void)
{
	struct crypto_shash *tfm = crypto_alloc_shash(CRC_SIMD_DRIVER, 0, 0);
	u8 *data;

	if (IS_ERR(tfm))
		return;
	data = kmalloc(CRC_SIMD_LAST, GFP_KERNEL);
	if (data) {
		memset(data, 0x5a, CRC_SIMD_LAST);
		crc_simd_from = crc_measure(tfm, data);
		kfree(data);
	}
	if (crc_simd_from == SIZE_MAX) {
		crypto_free_shash(tfm);
		return;
	}
	pr_info("CRC-32 by %s from %zu bytes on\n", CRC_SIMD_DRIVER, crc_simd_from);
	crc_tfm = tfm;
}

/**
 * srnic_crc_exit - undo srnic_crc_init()
 *
 * Context: process, at module unload, when no packet is under way.
 */
void srnic_crc_exit(void)
{
	crypto_free_shash(crc_tfm);	/* NULL is fine */
}
