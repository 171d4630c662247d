// SPDX-License-Identifier: GPL-2.0
/*
 * Extension of 24-bit PSNs to 64 bits, and the epochs that a PSN can name
 * (sRDMA 4.2; Documentation/protocol.md, sections 5 and 10).
 */
#include "export.h"
#include "sth/pure.h"

/**
 * srnic_psn64() - Extend a PSN to 64 bits
 * @expected: PSN64 expected next, or oldest unacknowledged
 * @start: first PSN64 of the flow
 * @psn: 24 bits
 * @psn64: result: the only match in [expected - 2^23, expected + 2^23 - 1]
 *
 * Return: 0, or -ERANGE if the match is below the flow's start.
 */
int srnic_psn64(u64 expected, u64 start, u32 psn, u64 *psn64)
{
	s64 ahead = srnic_psn_diff(psn, (u32)expected & SRNIC_PSN_MASK);

	/* The cast is safe: PSN64s are below 2^63. */
	if ((s64)expected + ahead < (s64)start)
		return -ERANGE;
	*psn64 = expected + ahead;
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_psn64);

/**
 * srnic_epoch_live() - Compute the epochs whose keys must be available
 * @expected: as for srnic_psn64()
 * @first: result
 * @last: result, at most @first + 1
 *
 * A PSN can name epoch e - 1 until the middle of epoch e, and e + 1 from one
 * past the middle. So the keys of e - 1 are retired at the middle, and those of
 * e + 1 replace them.
 */
void srnic_epoch_live(u64 expected, u64 *first, u64 *last)
{
	u64 e = srnic_epoch(expected);

	if (expected & SRNIC_EPOCH_HALF) {
		*first = e;
		*last = e + 1;
	} else {
		*first = e ? e - 1 : 0;
		*last = e;
	}
}

SRNIC_EXPORT_FOR_KUNIT(srnic_epoch_live);
