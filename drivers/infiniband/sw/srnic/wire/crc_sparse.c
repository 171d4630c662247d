// SPDX-License-Identifier: GPL-2.0
/*
 * CRC-32 by shifts and exclusive-or alone: for processors that multiply without
 * carries slowly, or not at all, an emulated one among them.
 *
 * The idea is S. Russell's ("Chorba: A novel CRC32 implementation", arXiv
 * 2412.16398): the remainder does not change when a multiple of the polynomial is
 * added to the message, so with a multiple of few terms the bits at the message's
 * head can be added to some that follow, and be gone. CRC-32's polynomial divides
 *
 *	x^300 + x^155 + x^117 + x^89 + 1
 *
 * (the only multiple below x^420 with five terms): a bit may be dropped if it is
 * added to those 145, 183, 211 and 300 bits behind it. These lie two to five words
 * of 64 bits away, so all that words owe to later ones is kept in five registers, and
 * memory is read once. What is left at the end goes to the tables.
 */
#include "export.h"
#include "wire/wire.h"

#define WORD		sizeof(u64)
#define WORD_BITS	64

/* how many words ahead a dropped one may still be added */
#define FAR		(SRNIC_CRC_REST / WORD)

/* What falls into the word @bits behind, of the words @near and, one before it, @far */
static __always_inline u64 moved(unsigned int bits, u64 near, u64 far)
{
	return near << bits % WORD_BITS ^ far >> (WORD_BITS - bits % WORD_BITS);
}

/*
 * The word at @at with all that was added to it, by the words two, three, four and five
 * before it. Bits are reflected: an earlier one is a lower one.
 */
static __always_inline u64 summed(const u8 *at, u64 two, u64 three, u64 four, u64 five)
{
	/* The newest word comes last: words wait for it the least */
	return get_unaligned_le64(at) ^ moved(300, four, five) ^ moved(211, three, four) ^
	       moved(183, two, three) ^ moved(145, two, three);
}

/**
 * srnic_crc_shorten - a short byte run in place of a long one
 * @crc: state so far
 * @data: bytes
 * @len: how many: SRNIC_CRC_SHORTEN_MIN at least
 * @rest: SRNIC_CRC_REST bytes; their CRC, from state 0 on, is the state after those of
 *	@data that they stand for
 *
 * Context: any.
 * Return: how many that are: all but those that make no whole word.
 */
size_t srnic_crc_shorten(u32 crc, const u8 *data, size_t len, u8 rest[SRNIC_CRC_REST])
{
	/* the last five words; they take turns at being the last */
	u64 a = 0, b = 0, c = 0, d = 0, e = 0;
	size_t words = len / WORD - FAR;
	const u8 *at = data;
	u64 first = crc;	/* the state is what is added to the first four bytes */

	for (; words >= FAR; words -= FAR, at += FAR * WORD) {
		e = summed(at, b, c, d, e) ^ first;
		d = summed(at + WORD, a, b, c, d);
		c = summed(at + 2 * WORD, e, a, b, c);
		b = summed(at + 3 * WORD, d, e, a, b);
		a = summed(at + 4 * WORD, c, d, e, a);
		first = 0;
	}
	for (; words; words--, at += WORD) {
		u64 last = summed(at, b, c, d, e);

		e = d;
		d = c;
		c = b;
		b = a;
		a = last;
	}
	put_unaligned_le64(summed(at, b, c, d, e), rest);
	put_unaligned_le64(summed(at + WORD, a, b, c, d), rest + WORD);
	put_unaligned_le64(summed(at + 2 * WORD, 0, a, b, c), rest + 2 * WORD);
	put_unaligned_le64(summed(at + 3 * WORD, 0, 0, a, b), rest + 3 * WORD);
	put_unaligned_le64(summed(at + 4 * WORD, 0, 0, 0, a), rest + 4 * WORD);
	return at + FAR * WORD - data;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_crc_shorten);
