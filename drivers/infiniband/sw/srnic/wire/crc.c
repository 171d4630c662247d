// SPDX-License-Identifier: GPL-2.0
/*
 * CRC-32 over byte runs: what is built on srnic_crc_update().
 *
 * The update itself is the platform's: crc_kernel.c in the kernel,
 * kunit/host/crc.c in user space.
 */
#include "export.h"
#include "wire/wire.h"

/*
 * Copy and CRC take turns on blocks that stay in the level 1 cache, so that the
 * bytes come from memory once, and the fastest memcpy and the fastest CRC of the
 * machine do the work. Source and destination of a whole payload leave room for the CRC's
 * tables (8 KiB) in 32 KiB.
 */
#define CRC_COPY_BLOCK	4096

/**
 * srnic_crc_copy - copy bytes and take their CRC on the way
 * @crc: state so far, ~0 to begin with
 * @dst: where to; must not overlap @src
 * @src: where from. The CRC is that of what arrived in @dst: the source may be
 *	user memory that somebody changes meanwhile, and is read once
 * @len: bytes
 *
 * Context: any.
 * Return: the state after the bytes.
 */
u32 srnic_crc_copy(u32 crc, void *dst, const void *src, size_t len)
{
	while (len) {
		size_t n = min_t(size_t, len, CRC_COPY_BLOCK);

		/* not to be inlined as a string instruction: memcpy() knows better */
		OPTIMIZER_HIDE_VAR(n);
		memcpy(dst, src, n);
		crc = srnic_crc_update(crc, dst, n);
		dst += n;
		src += n;
		len -= n;
	}
	return crc;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_crc_copy);

/**
 * srnic_crc_zero - take the CRC of zero bytes
 * @crc: state so far
 * @len: bytes; meant for pads (up to 3), right for any length
 *
 * Context: any.
 * Return: the state after the bytes.
 */
u32 srnic_crc_zero(u32 crc, size_t len)
{
	static const u8 zero[64];

	while (len) {
		size_t n = min_t(size_t, len, sizeof(zero));

		crc = srnic_crc_update(crc, zero, n);
		len -= n;
	}
	return crc;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_crc_zero);
