// SPDX-License-Identifier: GPL-2.0
/*
 * proves: two epochs' keys suffice for every possible PSN, and no retired epoch is needed again
 * cites: protocol.md, section 10
 * files: sth/epoch.c
 * unwind: 1
 * wraps: srnic_psn_diff: serial arithmetic modulo 2^24 (IBA 9.7.2)
 * wraps: srnic_psn64: the cast keeps the low bits; the addend may be negative
 * broken: sth/epoch.c: `*last = e + 1;` => `*last = e;`
 * broken: sth/epoch.c: `*first = e ? e - 1 : 0;` => `*first = e;`
 * broken: sth/epoch.c: `e ? e - 1 : 0` => `e - 1`
 * broken: sth/pure.h: `BIT(SRNIC_EPOCH_SHIFT - 1)` => `BIT(SRNIC_EPOCH_SHIFT - 2)`
 */
#include "proof.h"
#include "sth/pure.h"

int main(void)
{
	u64 expected = nondet_u64(), start = nondet_u64(), later = nondet_u64();
	u64 first, last, later_first, later_last, psn64;
	u32 psn = nondet_u32();

	GIVEN(start <= expected && expected <= later && later < BIT_ULL(63) - BIT_ULL(23));
	GIVEN(psn <= SRNIC_PSN_MASK);

	srnic_epoch_live(expected, &first, &last);
	PROVE(first <= srnic_epoch(expected) && srnic_epoch(expected) <= last);
	/* Each epoch has its own of the two slots. */
	PROVE(last - first <= 1);

	if (!srnic_psn64(expected, start, psn, &psn64)) {
		PROVE(srnic_epoch(psn64) >= first && srnic_epoch(psn64) <= last);
		POSSIBLE();
	}

	/* X never goes back, so retired epochs stay retired. */
	srnic_epoch_live(later, &later_first, &later_last);
	PROVE(later_first >= first && later_last >= last);
	POSSIBLE();
	return 0;
}
