// SPDX-License-Identifier: GPL-2.0
/*
 * The minimal cost of a packet at both ends: copy and CRC at the sender, CRC
 * and copy at the receiver, with or without a seal. No headers, queues, locks
 * or stack.
 */
#include <crypto/hash.h>
#include <linux/crc32.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "floor.h"
#include "mem/memcpy.h"
#include "wire/wire.h"

int floor_crc_tables(struct floor_bench *b, u32 len)
{
	b->sum = crc32_le(~0, floor_payload(b), len);
	return 0;
}

int floor_crc_shash(struct floor_bench *b, u32 len)
{
	return crypto_shash_tfm_digest(b->crc, floor_payload(b), len, (u8 *)&b->sum);
}

int floor_crc_sparse(struct floor_bench *b, u32 len)
{
	const u8 *data = floor_payload(b);
	u8 rest[SRNIC_CRC_REST];
	size_t done;

	if (len < SRNIC_CRC_SHORTEN_MIN)
		return floor_crc_tables(b, len);
	done = srnic_crc_shorten(~0, data, len, rest);
	b->sum = crc32_le(crc32_le(0, rest, sizeof(rest)), data + done, len - done);
	return 0;
}

int floor_crc_clmul(struct floor_bench *b, u32 len)
{
#ifdef SRNIC_CRC_CLMUL
	b->sum = ~0;
	if (srnic_crc_can_fold() && srnic_crc_fold(&b->sum, floor_payload(b), len))
		return 0;
#endif
	return floor_crc_tables(b, len);
}

int floor_copy(struct floor_bench *b, u32 len)
{
	srnic_memcpy(b->place, b->user, len);
	barrier_data(b->place);
	return 0;
}

/* The fastest CRC for this length */
static int crc(struct floor_bench *b, u32 len)
{
	return len > FLOOR_SMALL ? b->crc_big(b, len) : b->crc_small(b, len);
}

static int send(struct floor_bench *b, u32 len, bool seal)
{
	int err = 0;

	srnic_memcpy(floor_payload(b), b->user, len);
	if (seal)
		err = floor_encrypt(b, len);
	return err ?: crc(b, len);
}

static int receive(struct floor_bench *b, u32 len, bool sealed)
{
	int err = crc(b, len);

	if (!err && sealed)
		err = floor_decrypt(b, len);
	srnic_memcpy(b->place, floor_payload(b), len);
	barrier_data(b->place);
	return err;
}

int floor_packet(struct floor_bench *b, u32 len)
{
	return send(b, len, false) ?: receive(b, len, false);
}

int floor_sealed(struct floor_bench *b, u32 len)
{
	return send(b, len, true) ?: receive(b, len, true);
}

int floor_packet_open(struct floor_bench *b)
{
	b->crc = crypto_alloc_shash("crc32", 0, 0);
	if (IS_ERR(b->crc))
		return PTR_ERR(b->crc);
	b->user = kzalloc(FLOOR_ROOM, GFP_KERNEL);
	b->wire = kzalloc(FLOOR_ROOM, GFP_KERNEL);
	b->place = kzalloc(FLOOR_ROOM, GFP_KERNEL);
	return b->user && b->wire && b->place ? 0 : -ENOMEM;
}

void floor_packet_close(struct floor_bench *b)
{
	if (!IS_ERR_OR_NULL(b->crc))
		crypto_free_shash(b->crc);
	kfree(b->user);
	kfree(b->wire);
	kfree(b->place);
}
