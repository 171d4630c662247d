// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz the ICRC: a shared base must not change it, nor may the variant byte of
 * the BTH, but every other bit must; and the parts of the CRC must agree with
 * each other.
 *
 * Input: addresses and IP header, two lengths, two ids, then the packet from
 * its BTH.
 */
#include "fuzz/fuzz.h"
#include "wire/wire.h"

#define ENDS_LEN	(40 + 2 + 1)
#define HEAD_LEN	(ENDS_LEN + 2 * 4)

static u32 icrc(struct srnic_icrc_base *base, const struct srnic_ends *ends, u16 id, u16 udp_len,
		const u8 *bth, size_t len)
{
	u32 crc = srnic_icrc_begin(base, ends, id, udp_len, bth);

	return le32_to_cpu(srnic_icrc_end(srnic_crc_update(crc, bth, len)));
}

static u32 alone(const struct srnic_ends *ends, u16 id, u16 udp_len, const u8 *bth, size_t len)
{
	struct srnic_icrc_base base = {};

	return icrc(&base, ends, id, udp_len, bth, len);
}

/* Compute the ICRC over the whole packet, with ones in place of the variant fields. */
static u32 by_the_book(const struct srnic_ends *ends, u16 id, u16 udp_len, const u8 *bth,
		       size_t len)
{
	u8 head[8 + 40 + 8 + SRNIC_BTH_LEN];
	u8 *p = head;

	memset(p, 0xff, 8);
	p += 8;
	if (ends->v4) {
		memcpy(p, ends->iph, 20);
		p[1] = 0xff;
		put_unaligned_be16(20 + udp_len, p + 2);
		put_unaligned_be16(id, p + 4);
		p[8] = 0xff;
		memset(p + 10, 0xff, 2);
		p += 20;
	} else {
		memcpy(p, ends->iph, 40);
		p[0] |= 0x0f;
		memset(p + 1, 0xff, 3);
		put_unaligned_be16(udp_len, p + 4);
		p[7] = 0xff;
		p += 40;
	}
	memcpy(p, &ends->sport, 2);
	memcpy(p + 2, &ends->dport, 2);
	put_unaligned_be16(udp_len, p + 4);
	memset(p + 6, 0xff, 2);
	p += 8;
	memcpy(p, bth, SRNIC_BTH_LEN);
	p[4] = 0xff;
	p += SRNIC_BTH_LEN;
	return ~srnic_crc_update(srnic_crc_update(~0U, head, p - head), bth + SRNIC_BTH_LEN,
				 len - SRNIC_BTH_LEN);
}

static void check_crc_parts(const u8 *data, size_t len)
{
	u8 rest[SRNIC_CRC_REST];
	u32 crc = srnic_crc_update(~0U, data, len);
	size_t done;

	if (len < SRNIC_CRC_SHORTEN_MIN)
		return;
	done = srnic_crc_shorten(~0U, data, len, rest);
	CHECK(done <= len && len - done < 8);
	CHECK(srnic_crc_update(srnic_crc_update(0, rest, sizeof(rest)), data + done,
			       len - done) == crc);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct srnic_icrc_base base = {};
	struct srnic_ends ends = {};
	u16 lens[2], ids[2];
	size_t len;
	u8 *bth;

	if (size < HEAD_LEN + SRNIC_BTH_LEN)
		return 0;
	memcpy(ends.iph, data, sizeof(ends.iph));
	memcpy(&ends.sport, data + 40, 2);
	ends.dport = cpu_to_be16(SRNIC_ROCE_PORT);
	ends.v4 = data[42] & 1;
	for (int i = 0; i < 2; i++) {
		/* At least the header's length: 0 means that a base is not valid yet. */
		lens[i] = max_t(u16, get_unaligned_be16(data + ENDS_LEN + 4 * i), 8);
		ids[i] = get_unaligned_be16(data + ENDS_LEN + 4 * i + 2);
	}
	len = size - HEAD_LEN;
	bth = malloc(len);
	memcpy(bth, data + HEAD_LEN, len);

	for (int i = 0; i < 4; i++) {
		u16 id = ids[i / 2], udp_len = lens[i % 2];
		u32 right = by_the_book(&ends, id, udp_len, bth, len);

		CHECK(alone(&ends, id, udp_len, bth, len) == right);
		CHECK(icrc(&base, &ends, id, udp_len, bth, len) == right);
	}
	bth[ids[0] % len] ^= 1 << lens[0] % 8;
	CHECK((alone(&ends, ids[1], lens[1], bth, len) ==
	       alone(&ends, ids[1], lens[1], data + HEAD_LEN, len)) == (ids[0] % len == 4));
	check_crc_parts(bth, len);
	free(bth);
	return 0;
}
