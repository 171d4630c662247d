// SPDX-License-Identifier: GPL-2.0
/*
 * srnic_crc_update() in user space, where wire/crc_kernel.c does not build: one
 * bit at a time, straight from the polynomial, as the reference for the faster
 * implementations.
 */
#include "wire/wire.h"

#define CRC_POLY	0xedb88320U	/* IEEE 802.3, reflected */

u32 srnic_crc_update(u32 crc, const void *data, size_t len)
{
	const u8 *p = data;

	while (len--) {
		crc ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? CRC_POLY : 0);
	}
	return crc;
}
