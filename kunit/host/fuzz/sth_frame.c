// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz srnic_hs_parse(): whatever arrives, it stays inside the frame; and what it
 * accepts, srnic_hs_build() writes back bit by bit.
 */
#include "sth/pure.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define CHECK(cond) do { if (!(cond)) __builtin_trap(); } while (0)

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u8 again[SRNIC_HS_HDR_LEN];
	struct srnic_hs_frame hs;
	u8 *frame = malloc(size);	/* exactly: ASan sees one byte over */

	memcpy(frame, data, size);
	memset(&hs, 0xa5, sizeof(hs));
	if (!srnic_hs_parse(&hs, frame, size)) {
		CHECK(size == SRNIC_HS_FRAME_LEN);
		CHECK(hs.psn <= SRNIC_PSN_MASK && hs.dqpn <= 0xffffff);
		srnic_hs_build(&hs, again);
		/* SE and M, FECN and BECN, reserved bits are not kept */
		frame[1] = 0;
		frame[4] = 0;
		frame[8] &= 0xf0;
		CHECK(!memcmp(frame, again, sizeof(again)));
	}
	free(frame);
	return 0;
}
