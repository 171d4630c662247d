// SPDX-License-Identifier: GPL-2.0
/*
 * CRC-32 by shifts and exclusive-or, for CPUs whose carry-less multiplication
 * is slow or missing, such as emulated ones.
 *
 * The idea is S. Russell's ("Chorba: A novel CRC32 implementation", arXiv
 * 2412.16398): the remainder does not change if a multiple of the polynomial is
 * added to the message. So, with a multiple of few terms, the bits at the head
 * of the message can be cancelled by adding them to some that follow. CRC-32's
 * polynomial divides
 *
 *	x^300 + x^155 + x^117 + x^89 + 1
 *
 * (the only multiple below x^420 with five terms): a bit can be dropped if it
 * is added to those 145, 183, 211 and 300 bits behind it. These are two to five
 * words of 64 bits away, so five registers hold all pending additions, and
 * memory is read once. The tables process the bytes that remain at the end.
 */
#include "export.h"
#include "wire/wire.h"

#define WORD_BYTES	sizeof(u64)
#define WORD_BITS	64

/* distance in words over which a dropped word is added */
#define SPAN_WORDS	(SRNIC_CRC_REST / WORD_BYTES)

/*
 * Return the bits that the word @bits behind receives from word @near and its
 * predecessor @far.
 */
static __always_inline u64 funnel_shift(unsigned int bits, u64 near, u64 far)
{
	return near << bits % WORD_BITS ^ far >> (WORD_BITS - bits % WORD_BITS);
}

/*
 * Return the word at @at plus all that the words two, three, four and five
 * before it add to it. Bits are reflected: earlier bits are lower.
 */
static __always_inline u64 next_word(const u8 *at, u64 two, u64 three, u64 four, u64 five)
{
	/* The newest word comes last: words wait for it the least */
	return get_unaligned_le64(at) ^
	       funnel_shift(300, four, five) ^ funnel_shift(211, three, four) ^
	       funnel_shift(183, two, three) ^ funnel_shift(145, two, three);
}

/**
 * srnic_crc_shorten() - Replace a run of bytes by a short one with the same CRC
 * @crc: state
 * @data: bytes
 * @len: bytes in @data, at least SRNIC_CRC_SHORTEN_MIN
 * @rest: result, SRNIC_CRC_REST bytes: their CRC, from state 0, is the state
 *	after the bytes of @data that they replace
 *
 * Context: any.
 * Return: number of bytes replaced: all whole words of @data.
 */
size_t srnic_crc_shorten(u32 crc, const u8 *data, size_t len, u8 rest[SRNIC_CRC_REST])
{
	/* The last five words. Each of them is the last one in turn. */
	u64 a = 0, b = 0, c = 0, d = 0, e = 0;
	size_t words = len / WORD_BYTES - SPAN_WORDS;
	const u8 *at = data;
	u64 first = crc;	/* The state is added to the first four bytes. */

	for (; words >= SPAN_WORDS; words -= SPAN_WORDS, at += SPAN_WORDS * WORD_BYTES) {
		e = next_word(at, b, c, d, e) ^ first;
		d = next_word(at + WORD_BYTES, a, b, c, d);
		c = next_word(at + 2 * WORD_BYTES, e, a, b, c);
		b = next_word(at + 3 * WORD_BYTES, d, e, a, b);
		a = next_word(at + 4 * WORD_BYTES, c, d, e, a);
		first = 0;
	}
	for (; words; words--, at += WORD_BYTES) {
		u64 last = next_word(at, b, c, d, e);

		e = d;
		d = c;
		c = b;
		b = a;
		a = last;
	}
	put_unaligned_le64(next_word(at, b, c, d, e), rest);
	put_unaligned_le64(next_word(at + WORD_BYTES, a, b, c, d), rest + WORD_BYTES);
	put_unaligned_le64(next_word(at + 2 * WORD_BYTES, 0, a, b, c), rest + 2 * WORD_BYTES);
	put_unaligned_le64(next_word(at + 3 * WORD_BYTES, 0, 0, a, b), rest + 3 * WORD_BYTES);
	put_unaligned_le64(next_word(at + 4 * WORD_BYTES, 0, 0, 0, a), rest + 4 * WORD_BYTES);
	return at + SPAN_WORDS * WORD_BYTES - data;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_crc_shorten);
