// SPDX-License-Identifier: GPL-2.0
/*
 * CRC-32 by exclusive-or alone: for processors that multiply without carries slowly,
 * or not at all, an emulated one among them. A quarter of the instructions that
 * tables take.
 *
 * The idea is S. Russell's ("Chorba: A novel CRC32 implementation", arXiv
 * 2412.16398): the remainder does not change when a multiple of the polynomial is
 * added to the message, so with a multiple of few terms the bytes at the message's
 * head can be added to some that follow, and be gone. CRC-32's polynomial divides
 *
 *	x^300 + x^155 + x^117 + x^89 + 1
 *
 * (the only multiple below x^420 with five terms), and so, squaring three times, that
 * in x^8: a byte may be dropped if it is added to those 145, 183, 211 and 300 bytes
 * behind it. What is left when the rest is shorter than that goes to the tables.
 */
#include "export.h"
#include "wire/wire.h"

/* 300 less the exponents: how far behind a byte it is added */
static const u16 reach[] = { 145, 183, 211, SRNIC_CRC_SPARSE_REACH };

#define WORD	sizeof(u64)

/* always: memcpy()'s checks make it look too large, and it is all that is done here */
static __always_inline u64 get(const u8 *at)
{
	u64 word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static __always_inline void put(u64 word, u8 *at)
{
	memcpy(at, &word, sizeof(word));
}

/*
 * The word at @at of the message, with all that was added to it. Whatever is before the
 * message counts as zero.
 */
static __always_inline u64 summed(const u8 *data, const u8 *sum, size_t at)
{
	return get(data + at) ^ get(sum + at - reach[0]) ^ get(sum + at - reach[1]) ^
	       get(sum + at - reach[2]) ^ get(sum + at - reach[3]);
}

/* @dst ^= @src, that must not begin within @len bytes before @dst */
static void add(u8 *dst, const u8 *src, size_t len)
{
	for (; len >= WORD; len -= WORD, dst += WORD, src += WORD)
		put(get(dst) ^ get(src), dst);
	while (len--)
		*dst++ ^= *src++;
}

/**
 * srnic_crc_shorten - a short byte run in place of a long one
 * @crc: state so far
 * @data: bytes
 * @len: how many: SRNIC_CRC_SPARSE_MIN to SRNIC_CRC_SPARSE_MAX
 * @scratch: of SRNIC_CRC_SPARSE_SCRATCH bytes, the first SRNIC_CRC_SPARSE_REACH of them
 *	zero, which they still are afterwards
 * @rest: how many bytes are left, about SRNIC_CRC_SPARSE_REACH
 *
 * Context: any.
 * Return: the bytes that are left, inside @scratch. Their CRC, from state 0 on, is
 * the state after @data.
 */
const u8 *srnic_crc_shorten(u32 crc, const u8 *data, size_t len, u8 *scratch, size_t *rest)
{
	const size_t head = round_down(len - SRNIC_CRC_SPARSE_REACH, 4 * WORD);
	u8 *sum = scratch + SRNIC_CRC_SPARSE_REACH;
	u8 *tail = sum + head;
	size_t at, i;

	/* bits are reflected: the state is what is added to the first four bytes */
	put(get(data) ^ (__force u64)cpu_to_le64(crc), sum);
	for (at = WORD; at < 4 * WORD; at += WORD)
		put(summed(data, sum, at), sum + at);
	for (; at < head; at += 4 * WORD) {
		put(summed(data, sum, at), sum + at);
		put(summed(data, sum, at + WORD), sum + at + WORD);
		put(summed(data, sum, at + 2 * WORD), sum + at + 2 * WORD);
		put(summed(data, sum, at + 3 * WORD), sum + at + 3 * WORD);
	}

	*rest = len - head;
	memcpy(tail, data + head, *rest);
	for (i = 0; i < ARRAY_SIZE(reach); i++)
		add(tail, tail - reach[i], reach[i]);
	return tail;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_crc_shorten);
