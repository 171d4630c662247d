// SPDX-License-Identifier: GPL-2.0
/*
 * proves: parsing stays inside a handshake frame; parse inverts build, and build inverts parse
 * cites: protocol.md, section 7
 * files: sth/format.c
 * unwind: 85
 * wraps: all_zero: the last decrement is of 0; its result is not used
 * broken: sth/format.c: `if (len != SRNIC_HS_FRAME_LEN)` => `if (len < SRNIC_BTH_LEN)`
 * broken: sth/format.c: `get_unaligned_be32(frame + 8) & SRNIC_PSN_MASK`
 *	=> `get_unaligned_be32(frame + 8)`
 * broken: sth/format.c: `hs->opcode > SRNIC_OPC_CONFIRM_ACK`
 *	=> `hs->opcode > SRNIC_OPC_CONFIRM_ACK + 1`
 * broken: sth/format.c: `!= SRNIC_HS_VERSION << 24` => `< SRNIC_HS_VERSION << 24`
 * broken: sth/format.c: `all_zero(hs->nr, SRNIC_STH_NONCE_LEN) != hello`
 *	=> `all_zero(hs->nr, SRNIC_STH_NONCE_LEN) && !hello`
 */
#include "proof.h"
#include "sth/pure.h"

static bool well_formed(const struct srnic_hs_frame *hs)
{
	u8 zeros[SRNIC_STH_NONCE_LEN] = {};

	return hs->opcode >= SRNIC_OPC_HELLO && hs->opcode <= SRNIC_OPC_CONFIRM_ACK &&
	       hs->dqpn <= 0xffffff && hs->psn <= SRNIC_PSN_MASK &&
	       memcmp(hs->nq, zeros, sizeof(zeros)) &&
	       !memcmp(hs->nr, zeros, sizeof(zeros)) == (hs->opcode == SRNIC_OPC_HELLO);
}

static bool same(const struct srnic_hs_frame *a, const struct srnic_hs_frame *b)
{
	return a->opcode == b->opcode && a->pkey == b->pkey && a->dqpn == b->dqpn &&
	       a->psn == b->psn && a->key_id == b->key_id &&
	       !memcmp(a->share, b->share, sizeof(a->share)) &&
	       !memcmp(a->nq, b->nq, sizeof(a->nq)) && !memcmp(a->nr, b->nr, sizeof(a->nr));
}

static void parse_undoes_build(void)
{
	struct srnic_hs_frame hs, back;
	u8 frame[SRNIC_HS_FRAME_LEN];

	ANY_BYTES(&hs);
	GIVEN(well_formed(&hs));
	ANY_BYTES(frame);
	srnic_hs_build(&hs, frame);
	PROVE(!srnic_hs_parse(&back, frame, sizeof(frame)));
	PROVE(same(&back, &hs));
	POSSIBLE();
}

static void build_undoes_parse(void)
{
	unsigned int len = nondet_u32();
	struct srnic_hs_frame hs;
	u8 *frame, again[SRNIC_HS_HDR_LEN];

	GIVEN(len <= 2 * SRNIC_HS_FRAME_LEN);
	frame = any_memory(len);
	if (srnic_hs_parse(&hs, frame, len))
		return;
	PROVE(well_formed(&hs));
	/* SE, M, FECN, BECN and reserved bits are sent as 0 and ignored on receipt. */
	frame[1] = 0;
	frame[4] = 0;
	frame[8] &= 0xf0;
	srnic_hs_build(&hs, again);
	PROVE(!memcmp(frame, again, sizeof(again)));
	POSSIBLE();
}

int main(void)
{
	parse_undoes_build();
	build_undoes_parse();
	return 0;
}
