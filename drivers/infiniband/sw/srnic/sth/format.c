// SPDX-License-Identifier: GPL-2.0
/*
 * Byte layout of handshake frames and key derivation contexts
 * (Documentation/protocol.md, sections 6 and 7).
 */
#include "export.h"
#include "sth/pure.h"

/* Offsets in the body of a frame: the version is followed by three zero bytes. */
#define HS_AT_VERSION	SRNIC_BTH_LEN
#define HS_AT_KEY_ID	(HS_AT_VERSION + 4)
#define HS_AT_NQ	(HS_AT_KEY_ID + 4)
#define HS_AT_NR	(HS_AT_NQ + SRNIC_STH_NONCE_LEN)
#define HS_AT_SHARE	(HS_AT_NR + SRNIC_STH_NONCE_LEN)

static_assert(HS_AT_SHARE + SRNIC_STH_SHARE_LEN == SRNIC_HS_HDR_LEN);

static bool all_zero(const u8 *p, unsigned int len)
{
	while (len--)
		if (*p++)
			return false;
	return true;
}

/**
 * srnic_hs_build() - Write a handshake frame's BTH and body
 * @hs: fields of the frame
 * @buf: result; the caller appends the tag
 */
void srnic_hs_build(const struct srnic_hs_frame *hs, u8 buf[SRNIC_HS_HDR_LEN])
{
	buf[0] = hs->opcode;
	buf[1] = 0;			/* SE, M, PadCnt, TVer */
	put_unaligned_be16(hs->pkey, buf + 2);
	put_unaligned_be32(hs->dqpn, buf + 4);
	put_unaligned_be32(hs->psn, buf + 8);
	buf[8] = SRNIC_HS_CODE << 4;	/* AckReq 0 */
	put_unaligned_be32(SRNIC_HS_VERSION << 24, buf + HS_AT_VERSION);
	put_unaligned_be32(hs->key_id, buf + HS_AT_KEY_ID);
	memcpy(buf + HS_AT_NQ, hs->nq, SRNIC_STH_NONCE_LEN);
	memcpy(buf + HS_AT_NR, hs->nr, SRNIC_STH_NONCE_LEN);
	memcpy(buf + HS_AT_SHARE, hs->share, SRNIC_STH_SHARE_LEN);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_hs_build);

/**
 * srnic_hs_parse() - Parse a handshake frame
 * @hs: result
 * @frame: the frame from BTH to tag
 * @len: bytes in @frame, without ICRC
 *
 * The caller verifies the tag.
 *
 * Return: 0; -EPROTONOSUPPORT if @frame is of another version of the protocol; -EPROTO if it is not
 * a valid handshake frame.
 */
int srnic_hs_parse(struct srnic_hs_frame *hs, const u8 *frame, unsigned int len)
{
	bool hello;

	if (len < HS_AT_KEY_ID)
		return -EPROTO;
	hs->opcode = frame[0];
	if (hs->opcode < SRNIC_OPC_HELLO || hs->opcode > SRNIC_OPC_CONFIRM_ACK)
		return -EPROTO;
	/* PadCnt, TVer; AckReq and STH code */
	if (frame[1] & 0x3f || (frame[8] & 0xf0) != SRNIC_HS_CODE << 4)
		return -EPROTO;
	hs->pkey = get_unaligned_be16(frame + 2);
	hs->dqpn = get_unaligned_be32(frame + 4) & 0xffffff;
	hs->psn = get_unaligned_be32(frame + 8) & SRNIC_PSN_MASK;
	if (frame[HS_AT_VERSION] != SRNIC_HS_VERSION)
		return -EPROTONOSUPPORT;
	if (len != SRNIC_HS_FRAME_LEN || !all_zero(frame + HS_AT_VERSION + 1, 3))
		return -EPROTO;
	hs->key_id = get_unaligned_be32(frame + HS_AT_KEY_ID);
	memcpy(hs->nq, frame + HS_AT_NQ, SRNIC_STH_NONCE_LEN);
	memcpy(hs->nr, frame + HS_AT_NR, SRNIC_STH_NONCE_LEN);
	memcpy(hs->share, frame + HS_AT_SHARE, SRNIC_STH_SHARE_LEN);
	if (all_zero(hs->nq, SRNIC_STH_NONCE_LEN))
		return -EPROTO;
	hello = hs->opcode == SRNIC_OPC_HELLO;
	if (all_zero(hs->nr, SRNIC_STH_NONCE_LEN) != hello)
		return -EPROTO;
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_hs_parse);

/**
 * srnic_ctx_end() - Write GID and QPN of an end as one byte string
 * @end: result
 * @gid: address
 * @qpn: 24 bits, and srnic_ends_kind()
 */
void srnic_ctx_end(u8 end[SRNIC_STH_END_LEN], const u8 gid[SRNIC_GID_LEN], u32 qpn)
{
	memcpy(end, gid, SRNIC_GID_LEN);
	put_unaligned_be32(qpn, end + SRNIC_GID_LEN);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ctx_end);

static u8 *put_form(u8 *p, const struct srnic_sth_form *s)
{
	put_unaligned_be16(s->suite_id, p);
	p[2] = s->mode;
	p[3] = s->tag_len;
	return p + SRNIC_STH_S_LEN;
}

/**
 * srnic_ctx_hs() - Write the context of the handshake key
 * @ctx: result
 * @s: suite, mode and tag length
 * @ab: A and B, SRNIC_CTX_PAIR_LEN bytes
 */
void srnic_ctx_hs(u8 ctx[SRNIC_CTX_HS_LEN], const struct srnic_sth_form *s, const u8 *ab)
{
	memcpy(put_form(ctx, s), ab, SRNIC_CTX_PAIR_LEN);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ctx_hs);

/**
 * srnic_ctx_flow() - Write the context of a flow's key
 * @ctx: result
 * @s: suite, mode and tag length
 * @id: owner, starting PSN and nonces
 * @ab: A and B, SRNIC_CTX_PAIR_LEN bytes
 */
void srnic_ctx_flow(u8 ctx[SRNIC_CTX_FLOW_LEN], const struct srnic_sth_form *s,
		    const struct srnic_flow_id *id, const u8 *ab)
{
	u8 *p = put_form(ctx, s);

	put_unaligned_be32((u32)id->owner_b << 24, p);
	put_unaligned_be32(id->start, p + 4);
	p += 8;
	memcpy(p, id->nq, SRNIC_STH_NONCE_LEN);
	p += SRNIC_STH_NONCE_LEN;
	memcpy(p, id->nr, SRNIC_STH_NONCE_LEN);
	p += SRNIC_STH_NONCE_LEN;
	memcpy(p, ab, SRNIC_CTX_PAIR_LEN);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ctx_flow);

/**
 * srnic_ctx_packet() - Write the context of a sub-key
 * @ctx: result
 * @s: suite, mode and tag length
 * @id: direction, kind, phase and epoch
 */
void srnic_ctx_packet(u8 ctx[SRNIC_CTX_PACKET_LEN], const struct srnic_sth_form *s,
		      const struct srnic_subkey_id *id)
{
	u8 *p = put_form(ctx, s);

	put_unaligned_be32((u32)id->from_b << 24 | (u32)id->response << 16 | id->phase, p);
	put_unaligned_be64(id->epoch, p + 4);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ctx_packet);

/**
 * srnic_ctx_datagram() - Write the context of a datagram sender's sub-key
 * @ctx: result
 * @s: suite, mode and tag length
 * @gid: GID of the sender
 * @qpn: QPN of the sender
 * @salt: salt of the sender
 */
void srnic_ctx_datagram(u8 ctx[SRNIC_CTX_DGRAM_LEN], const struct srnic_sth_form *s,
			const u8 gid[SRNIC_GID_LEN], u32 qpn, u64 salt)
{
	u8 *p = put_form(ctx, s);

	srnic_ctx_end(p, gid, qpn);
	put_unaligned_be64(salt, p + SRNIC_STH_END_LEN);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ctx_datagram);

/**
 * srnic_kdf_fixed_input() - Write the fixed input of the KDF (SP 800-108r1)
 * @buf: result: the part of the PRF input that is the same for every block
 * @purpose: label and context
 * @out_len: bytes that the KDF shall yield in total
 *
 * Return: length in bytes.
 */
unsigned int srnic_kdf_fixed_input(u8 buf[SRNIC_KDF_FIXED_MAX],
				   const struct srnic_kdf_purpose *purpose, unsigned int out_len)
{
	unsigned int n = strlen(purpose->label) + 1;	/* including the separating zero byte */

	memcpy(buf, purpose->label, n);
	if (purpose->ctx_len)
		memcpy(buf + n, purpose->ctx, purpose->ctx_len);
	n += purpose->ctx_len;
	put_unaligned_be32(8 * out_len, buf + n);
	return n + 4;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_kdf_fixed_input);
