// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing and building of BTH and extension headers.
 */
#include "export.h"
#include "wire/wire.h"

/* Offsets in the BTH, IBA 9.2 */
#define BTH_OPCODE	0
#define BTH_FLAGS	1
#define BTH_PKEY	2
#define BTH_DQPN	4	/* FECN, BECN and six reserved bits, then the QPN */
#define BTH_PSN		8	/* AckReq and seven reserved bits, then the PSN */

/* BTH_FLAGS */
#define BTH_SE		0x80
#define BTH_MIG		0x40
#define BTH_PAD_SHIFT	4
#define BTH_PAD_MASK	0x3
#define BTH_TVER_MASK	0x0f

/* 32-bit word at BTH_DQPN; RoCEv2 annex A17.9 defines FECN and BECN */
#define BTH_FECN	0x80000000U
#define BTH_BECN	0x40000000U
#define BTH_QPN_MASK	0x00ffffffU	/* also of DETH and XRCETH */

/* 32-bit word at BTH_PSN; protocol.md, section 2, defines STH size code, echo and gap */
#define BTH_ACKREQ	0x80000000U
#define BTH_STH_SHIFT	28
#define BTH_STH_MASK	0x7
#define BTH_ECHO	0x08000000U
#define BTH_GAP_SHIFT	24
#define BTH_GAP_MASK	0x7

/* 24-bit fields of the extension headers */
#define MSN_MASK	0x00ffffffU
#define AETH_SYN_SHIFT	24

/* Bytes of the STH by size code: 96, 128, 160, 224, 256, 384, 512 bits (sRDMA 4.1) */
static const u8 sth_len[8] = { 0, 12, 16, 20, 28, 32, 48, SRNIC_STH_MAX };

/**
 * srnic_sth_code_len() - Return the length of an STH
 * @code: size code of the BTH; only the low three bits are used
 *
 * Return: bytes; 0 if the packet has no STH.
 */
unsigned int srnic_sth_code_len(u8 code)
{
	return sth_len[code & BTH_STH_MASK];
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_code_len);

static void bth_parse(struct srnic_pkt *pkt, const u8 *p)
{
	u32 dqpn = get_unaligned_be32(p + BTH_DQPN);
	u32 psn = get_unaligned_be32(p + BTH_PSN);
	u8 flags = p[BTH_FLAGS];

	pkt->opcode = p[BTH_OPCODE];
	pkt->se = flags & BTH_SE;
	pkt->mig = flags & BTH_MIG;
	pkt->pad = (flags >> BTH_PAD_SHIFT) & BTH_PAD_MASK;
	pkt->pkey = get_unaligned_be16(p + BTH_PKEY);
	pkt->fecn = dqpn & BTH_FECN;
	pkt->becn = dqpn & BTH_BECN;
	pkt->dqpn = dqpn & BTH_QPN_MASK;
	pkt->ackreq = psn & BTH_ACKREQ;
	pkt->sth_code = (psn >> BTH_STH_SHIFT) & BTH_STH_MASK;
	pkt->echo = psn & BTH_ECHO;
	pkt->gap = (psn >> BTH_GAP_SHIFT) & BTH_GAP_MASK;
	pkt->psn = psn & SRNIC_PSN_MASK;
}

/* Reserved bits are sent as zero and ignored on receipt (IBA 9.2). */
static void bth_build(const struct srnic_pkt *pkt, u8 *p)
{
	u32 dqpn = pkt->dqpn & BTH_QPN_MASK;
	u32 psn = pkt->psn & SRNIC_PSN_MASK;
	u8 flags = (pkt->pad & BTH_PAD_MASK) << BTH_PAD_SHIFT;

	if (pkt->se)
		flags |= BTH_SE;
	if (pkt->mig)
		flags |= BTH_MIG;
	if (pkt->fecn)
		dqpn |= BTH_FECN;
	if (pkt->becn)
		dqpn |= BTH_BECN;
	if (pkt->ackreq)
		psn |= BTH_ACKREQ;
	if (pkt->echo)
		psn |= BTH_ECHO;
	psn |= (u32)(pkt->sth_code & BTH_STH_MASK) << BTH_STH_SHIFT;
	psn |= (u32)(pkt->gap & BTH_GAP_MASK) << BTH_GAP_SHIFT;

	p[BTH_OPCODE] = pkt->opcode;
	p[BTH_FLAGS] = flags;
	put_unaligned_be16(pkt->pkey, p + BTH_PKEY);
	put_unaligned_be32(dqpn, p + BTH_DQPN);
	put_unaligned_be32(psn, p + BTH_PSN);
}

/* Fields that an opcode does not carry read as zero, never as the previous packet's. */
static void ext_clear(struct srnic_pkt *pkt)
{
	pkt->va = 0;
	pkt->swap_add = 0;
	pkt->compare = 0;
	pkt->orig = 0;
	pkt->rkey = 0;
	pkt->dmalen = 0;
	pkt->feth = 0;
	pkt->imm = 0;
	pkt->qkey = 0;
	pkt->sqpn = 0;
	pkt->msn = 0;
	pkt->syndrome = 0;
}

/* Neither XRCETH nor DETH shall cost other packets a test of its own. */
#define OPF_NUMBER	(SRNIC_OPF_XRCETH | SRNIC_OPF_DETH)

static void number_parse(struct srnic_pkt *pkt, const u8 *hdr)
{
	const struct srnic_opcode *opc = pkt->opc;

	if (opc->xrceth) {
		pkt->srqn = get_unaligned_be32(hdr + opc->xrceth) & BTH_QPN_MASK;
		return;
	}
	pkt->qkey = get_unaligned_be32(hdr + opc->deth);
	pkt->sqpn = get_unaligned_be32(hdr + opc->deth + 4) & BTH_QPN_MASK;
}

static void number_build(const struct srnic_pkt *pkt, const struct srnic_opcode *opc, u8 *hdr)
{
	if (opc->xrceth) {
		put_unaligned_be32(pkt->srqn & BTH_QPN_MASK, hdr + opc->xrceth);
		return;
	}
	put_unaligned_be32(pkt->qkey, hdr + opc->deth);
	put_unaligned_be32(pkt->sqpn & BTH_QPN_MASK, hdr + opc->deth + 4);
}

/* IBA 9.3; the opcode table has the offsets. */
static void ext_parse(struct srnic_pkt *pkt, const u8 *hdr)
{
	const struct srnic_opcode *opc = pkt->opc;
	const u8 *p;

	if (opc->reth) {
		p = hdr + opc->reth;
		pkt->va = get_unaligned_be64(p);
		pkt->rkey = get_unaligned_be32(p + 8);
		pkt->dmalen = get_unaligned_be32(p + 12);
		if (opc->feth)	/* inside, because most packets have neither */
			pkt->feth = get_unaligned_be32(hdr + opc->feth);
	}
	if (opc->atomic) {
		p = hdr + opc->atomic;
		pkt->va = get_unaligned_be64(p);
		pkt->rkey = get_unaligned_be32(p + 8);
		pkt->swap_add = get_unaligned_be64(p + 12);
		pkt->compare = get_unaligned_be64(p + 20);
	}
	if (opc->aeth) {
		p = hdr + opc->aeth;
		pkt->syndrome = p[0];
		pkt->msn = get_unaligned_be32(p) & MSN_MASK;
	}
	if (opc->atomic_ack)
		pkt->orig = get_unaligned_be64(hdr + opc->atomic_ack);
	if (opc->imm)
		memcpy(&pkt->imm, hdr + opc->imm, SRNIC_IMM_LEN);
	if (opc->ieth)
		pkt->rkey = get_unaligned_be32(hdr + opc->ieth);
	if (opc->flags & OPF_NUMBER)
		number_parse(pkt, hdr);
}

/**
 * srnic_wire_parse_ext() - Parse extension headers that were ciphertext on the wire
 * @pkt: result of srnic_wire_parse(), which took other bytes for these headers;
 *	its fields of the extension headers are replaced
 * @ext: the plaintext, @pkt->hdr_len - SRNIC_BTH_LEN bytes
 *
 * Context: any.
 */
void srnic_wire_parse_ext(struct srnic_pkt *pkt, const u8 *ext)
{
	ext_parse(pkt, ext - SRNIC_BTH_LEN);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_wire_parse_ext);

static void ext_build(const struct srnic_pkt *pkt, const struct srnic_opcode *opc, u8 *hdr)
{
	u8 *p;

	if (opc->reth) {
		p = hdr + opc->reth;
		put_unaligned_be64(pkt->va, p);
		put_unaligned_be32(pkt->rkey, p + 8);
		put_unaligned_be32(pkt->dmalen, p + 12);
		if (opc->feth)
			put_unaligned_be32(pkt->feth, hdr + opc->feth);
	}
	if (opc->atomic) {
		p = hdr + opc->atomic;
		put_unaligned_be64(pkt->va, p);
		put_unaligned_be32(pkt->rkey, p + 8);
		put_unaligned_be64(pkt->swap_add, p + 12);
		put_unaligned_be64(pkt->compare, p + 20);
	}
	if (opc->aeth)
		put_unaligned_be32((u32)pkt->syndrome << AETH_SYN_SHIFT |
				   (pkt->msn & MSN_MASK), hdr + opc->aeth);
	if (opc->atomic_ack)
		put_unaligned_be64(pkt->orig, hdr + opc->atomic_ack);
	if (opc->imm)
		memcpy(hdr + opc->imm, &pkt->imm, SRNIC_IMM_LEN);
	if (opc->ieth)
		put_unaligned_be32(pkt->rkey, hdr + opc->ieth);
	if (opc->flags & OPF_NUMBER)
		number_build(pkt, opc, hdr);
	if (opc->cnp)
		memset(hdr + opc->cnp, 0, SRNIC_CNP_LEN);
}

/*
 * Split @len bytes into headers, STH, payload, pad and ICRC. Nothing behind the
 * BTH may be read before this has checked that it is there.
 */
static enum srnic_wire_err pkt_parse_lengths(struct srnic_pkt *pkt, u32 len)
{
	const struct srnic_opcode *opc = pkt->opc;
	u32 rest;

	if (len < opc->hdr_len + SRNIC_ICRC_LEN)
		return SRNIC_WIRE_SHORT;
	rest = len - opc->hdr_len - SRNIC_ICRC_LEN;

	pkt->sth_len = srnic_sth_code_len(pkt->sth_code);
	if (rest < pkt->sth_len)
		return SRNIC_WIRE_STH;
	rest -= pkt->sth_len;

	if (!(opc->flags & SRNIC_OPF_PAYLOAD) && (rest || pkt->pad))
		return SRNIC_WIRE_PAD;
	/*
	 * Payload and pad are a multiple of four bytes. PadCnt is the number of
	 * bytes added for that (IBA 9.2), so it is 0 without a payload.
	 */
	if (rest % 4 || (!rest && pkt->pad))
		return SRNIC_WIRE_PAD;

	pkt->len = len;
	pkt->hdr_len = opc->hdr_len;
	pkt->payload_len = rest - pkt->pad;
	return SRNIC_WIRE_OK;
}

/**
 * srnic_wire_parse() - Parse a packet's headers
 * @pkt: result; skb, ends, seg, off, payload and hdrbuf are not changed
 * @hdr: the packet from its BTH, min(@len, SRNIC_HDR_MAX) contiguous bytes;
 *	@pkt->hdr keeps a pointer to it
 * @len: bytes from the BTH to the end of the ICRC
 *
 * Checks everything that needs no QP: lengths, opcode, version, pad count. It
 * judges no field of an extension header, because the QP's seal may be opaque:
 * then the fields that it sets have no meaning (srnic_wire_parse_ext()).
 * Callers that know the QP check that the opcode fits the QP, the payload its
 * MTU and the STH its seal; callers that access the payload check that the pad
 * is zero.
 *
 * Context: any.
 * Return: SRNIC_WIRE_OK, or the reason to drop the packet; @pkt is then partly
 * written and must not be used. Sources: IBA 9.2, 9.3, 9.6; sRDMA 4.1.
 */
enum srnic_wire_err srnic_wire_parse(struct srnic_pkt *pkt, u8 *hdr, u32 len)
{
	enum srnic_wire_err err;

	/* More than U16_MAX cannot be a UDP length: treat it as truncated. */
	if (len < SRNIC_BTH_LEN + SRNIC_ICRC_LEN || len > U16_MAX)
		return SRNIC_WIRE_SHORT;

	bth_parse(pkt, hdr);
	pkt->hdr = hdr;
	pkt->opc = &srnic_opcode_table[pkt->opcode];
	if (!(pkt->opc->flags & SRNIC_OPF_VALID))
		return SRNIC_WIRE_OPCODE;
	if (hdr[BTH_FLAGS] & BTH_TVER_MASK)
		return SRNIC_WIRE_VERSION;

	err = pkt_parse_lengths(pkt, len);
	if (err)
		return err;

	ext_clear(pkt);
	if (pkt->hdr_len > SRNIC_BTH_LEN)
		ext_parse(pkt, hdr);
	return SRNIC_WIRE_OK;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_wire_parse);

/**
 * srnic_wire_build_apart() - Write a packet's BTH and extension headers to two places
 * @pkt: the fields; @pkt->opcode selects those that the packet has
 * @bth: result, SRNIC_BTH_LEN bytes of space
 * @ext: result, SRNIC_EXT_MAX - SRNIC_BTH_LEN bytes of space
 *
 * The inverse of srnic_wire_parse(), except for the two nonces of a handshake,
 * which struct srnic_pkt does not hold: those bytes of @ext are not changed.
 *
 * Context: any.
 * Return: bytes of headers; 0 for an opcode that is not in the table, with
 * nothing written. Sources: IBA 9.2, 9.3.
 */
unsigned int srnic_wire_build_apart(const struct srnic_pkt *pkt, u8 *bth, u8 *ext)
{
	const struct srnic_opcode *opc = &srnic_opcode_table[pkt->opcode];

	if (!(opc->flags & SRNIC_OPF_VALID))
		return 0;

	bth_build(pkt, bth);
	if (opc->hdr_len > SRNIC_BTH_LEN)
		ext_build(pkt, opc, ext - SRNIC_BTH_LEN);
	return opc->hdr_len;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_wire_build_apart);

/**
 * srnic_wire_build() - Write a packet's BTH and extension headers, one behind the other
 * @pkt: as for srnic_wire_build_apart()
 * @buf: result, SRNIC_EXT_MAX bytes of space
 *
 * Context: any.
 * Return: as srnic_wire_build_apart().
 */
unsigned int srnic_wire_build(const struct srnic_pkt *pkt, u8 *buf)
{
	return srnic_wire_build_apart(pkt, buf, buf + SRNIC_BTH_LEN);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_wire_build);
