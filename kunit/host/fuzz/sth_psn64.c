// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz the PSNs of a flow: verified PSNs advance the expected one, and each
 * extended PSN must be near it, have a live epoch, and have a unique nonce.
 *
 * Input: the start, then steps of four bytes: whether verified, and the PSN's
 * distance.
 */
#include "fuzz/fuzz.h"
#include "sth/pure.h"

#define HALF	(1 << 23)

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u64 start, expected, first = 0, last = 0;

	if (size < 8)
		return 0;
	start = get_unaligned_be32(data) & SRNIC_PSN_MASK;
	expected = start + (get_unaligned_be32(data + 4) & 0x3ffffff);

	for (data += 8, size -= 8; size >= 4; data += 4, size -= 4) {
		s32 ahead = (s32)(get_unaligned_be32(data) << 8) >> 8;
		u64 psn64 = ~0ULL, now_first, now_last;
		s64 meant = (s64)expected + ahead;

		srnic_epoch_live(expected, &now_first, &now_last);
		CHECK(now_first >= first && now_last >= last && now_last - now_first <= 1);
		first = now_first;
		last = now_last;

		if (srnic_psn64(expected, start, (u32)meant & SRNIC_PSN_MASK, &psn64)) {
			CHECK(meant < (s64)start && psn64 == ~0ULL);
			continue;
		}
		CHECK((s64)psn64 == meant);
		CHECK(srnic_epoch(psn64) >= first && srnic_epoch(psn64) <= last);
		CHECK(srnic_sth_nonce64(false, psn64) == psn64 &&
		      srnic_sth_nonce64(true, psn64) == (psn64 | BIT_ULL(63)));
		/* Verified: X follows, and never goes back. */
		if (data[0] & 1 && psn64 >= expected)
			expected = psn64 + 1;
	}
	return 0;
}
