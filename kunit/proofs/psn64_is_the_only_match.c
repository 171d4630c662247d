// SPDX-License-Identifier: GPL-2.0
/*
 * proves: the extended PSN is the only number in [X - 2^23, X + 2^23 - 1] with these low 24 bits
 * cites: sRDMA 4.2; protocol.md, section 5
 * files: sth/epoch.c
 * unwind: 1
 * wraps: srnic_psn_diff: serial arithmetic modulo 2^24 (IBA 9.7.2)
 * wraps: srnic_psn64: the cast keeps the low bits; the addend may be negative
 * broken: sth/epoch.c: `+ ahead < (s64)start` => `+ ahead <= (s64)start`
 * broken: sth/epoch.c: `(u32)expected & SRNIC_PSN_MASK` => `(u32)expected & 0x7fffff`
 * broken: wire/wire.h: `(a - b) << 8) >> 8` => `(a - b) << 7) >> 7`
 */
#include "proof.h"
#include "sth/pure.h"

#define HALF	BIT_ULL(23)

static bool in_window(u64 expected, u64 psn64)
{
	/* written without a sum that could wrap below 0 */
	return psn64 + HALF >= expected && psn64 < expected + HALF;
}

int main(void)
{
	u64 expected = nondet_u64(), start = nondet_u64(), other = nondet_u64();
	u32 psn = nondet_u32();
	u64 psn64;

	/* A flow starts with 24 bits and never reaches 2^63. */
	GIVEN(start <= expected && expected < BIT_ULL(63) - HALF);
	GIVEN(psn <= SRNIC_PSN_MASK);
	GIVEN(other < BIT_ULL(63));

	if (srnic_psn64(expected, start, psn, &psn64)) {
		/* All candidates are below the start. */
		PROVE(!(in_window(expected, other) && (other & SRNIC_PSN_MASK) == psn &&
			other >= start));
		POSSIBLE();
		return 0;
	}
	PROVE(in_window(expected, psn64));
	PROVE((psn64 & SRNIC_PSN_MASK) == psn);
	PROVE(psn64 >= start);
	if (in_window(expected, other) && (other & SRNIC_PSN_MASK) == psn)
		PROVE(other == psn64);
	POSSIBLE();
	return 0;
}
