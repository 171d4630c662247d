// SPDX-License-Identifier: GPL-2.0
/*
 * CRC-32 in the kernel: crc32_le(), or carry-less multiplication where that pays.
 *
 * crc32_le() is table driven on x86 up to 6.13, and the machine's best elsewhere
 * and since. The tables' rival, crc32-pclmul, is reached only through the crypto
 * API; asking for it by name gives it where it exists (and loads its module, which
 * nothing else would do), and -ENOENT where crc32_le() is the best there is.
 */
#include <crypto/hash.h>
#include <linux/cache.h>
#include <linux/crc32.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/minmax.h>
#include <linux/printk.h>

#include "export.h"
#include "wire/wire.h"

#define CRC_SIMD_DRIVER	"crc32-pclmul"

/*
 * From this length on the shash is used. It must save the FPU state and go through
 * three calls first; crc32-pclmul itself hands anything below 79 bytes to
 * crc32_le(), and everything where SIMD may not be used (crypto_simd_usable).
 */
#define CRC_SIMD_MIN	256

/* As much as one FPU section may take: preemption is off in it. */
#define CRC_SIMD_MAX	4096

/* Set once by srnic_crc_init(), before the first packet; NULL: crc32_le() only */
static struct crypto_shash *crc_tfm __ro_after_init;

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
	while (crc_tfm && len >= CRC_SIMD_MIN) {
		size_t n = min_t(size_t, len, CRC_SIMD_MAX);

		if (crc_simd(crc_tfm, &crc, data, n))
			break;
		data += n;
		len -= n;
	}
	return crc32_le(crc, data, len);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_crc_update);

/*
 * crc_simd() leans on what crypto_shash_import() happens to take for this driver.
 * Should that ever change, find out now and not by every peer's ICRC check.
 */
static bool __init crc_simd_agrees(struct crypto_shash *tfm)
{
	static const u8 probe[CRC_SIMD_MIN] __initconst = "srnic";
	u32 crc = 0x12345678;

	if (crypto_shash_descsize(tfm) != sizeof(u32))
		return false;
	if (crc_simd(tfm, &crc, probe, sizeof(probe)))
		return false;
	return crc == crc32_le(0x12345678, probe, sizeof(probe));
}

/**
 * srnic_crc_init - choose the machine's fastest CRC-32
 *
 * Context: process, at module load, before any packet.
 * Cannot fail: without an accelerated driver, srnic_crc_update() uses crc32_le().
 */
void __init srnic_crc_init(void)
{
	struct crypto_shash *tfm = crypto_alloc_shash(CRC_SIMD_DRIVER, 0, 0);

	if (IS_ERR(tfm))
		return;
	if (!crc_simd_agrees(tfm)) {
		pr_warn("srnic: %s does not give CRC-32, not used\n", CRC_SIMD_DRIVER);
		crypto_free_shash(tfm);
		return;
	}
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
