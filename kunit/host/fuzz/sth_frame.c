// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz srnic_hs_parse(): it must not read outside the frame, and
 * srnic_hs_build() must write back accepted frames bit by bit.
 */
#include "fuzz/fuzz.h"
#include "sth/pure.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u8 again[SRNIC_HS_HDR_LEN];
	struct srnic_hs_frame hs;
	u8 *frame = malloc(size);	/* exact size, so that ASan detects reads past its end */

	memcpy(frame, data, size);
	memset(&hs, 0xa5, sizeof(hs));
	if (!srnic_hs_parse(&hs, frame, size)) {
		CHECK(size == SRNIC_HS_FRAME_LEN);
		CHECK(hs.psn <= SRNIC_PSN_MASK && hs.dqpn <= 0xffffff);
		srnic_hs_build(&hs, again);
		/* SE, M, FECN, BECN and reserved bits are not kept. */
		frame[1] = 0;
		frame[4] = 0;
		frame[8] &= 0xf0;
		CHECK(!memcmp(frame, again, sizeof(again)));
	}
	free(frame);
	return 0;
}

/* Repair the fields that are checked first: few random mutations pass those checks. */
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max_size, unsigned int seed)
{
	size = LLVMFuzzerMutate(data, size, max_size);
	if (seed % 4 == 0 || max_size < SRNIC_HS_FRAME_LEN)
		return size;
	if (size < SRNIC_HS_FRAME_LEN)
		memset(data + size, seed, SRNIC_HS_FRAME_LEN - size);
	data[0] = SRNIC_OPC_HELLO | (data[0] & 3);
	data[1] &= 0xc0;
	data[8] = SRNIC_HS_CODE << 4 | (data[8] & 0x0f);
	put_unaligned_be32(SRNIC_HS_VERSION << 24, data + SRNIC_BTH_LEN);
	if (data[0] == SRNIC_OPC_HELLO)
		memset(data + SRNIC_BTH_LEN + 8 + SRNIC_STH_NONCE_LEN, 0, SRNIC_STH_NONCE_LEN);
	return SRNIC_HS_FRAME_LEN;
}
