// SPDX-License-Identifier: GPL-2.0
/*
 * Construction of nonces and of the MAC input (Documentation/protocol.md,
 * section 4).
 */
#include "export.h"
#include "sth/pure.h"

#define BTH_VARIANT	4	/* FECN, BECN, reserved: may change in transit */

/**
 * srnic_sth_nonce64() - Build the nonce of the paper (sRDMA 4.2)
 * @from_b: the sender is end B
 * @psn64: extended PSN, below 2^63
 *
 * Return: direction and PSN64 in 64 bits.
 */
u64 srnic_sth_nonce64(bool from_b, u64 psn64)
{
	return psn64 | (u64)from_b << 63;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_nonce64);

/**
 * srnic_sth_nonce96() - Write the nonce of GMAC, GCM and ChaCha20-Poly1305
 * @iv: result
 * @nonce64: from srnic_sth_nonce64()
 * @counter: emission counter, never reused under one sub-key
 */
void srnic_sth_nonce96(u8 iv[SRNIC_STH_IV_LEN], u64 nonce64, u32 counter)
{
	put_unaligned_be64(nonce64, iv);
	put_unaligned_be32(counter, iv + 8);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_nonce96);

/**
 * srnic_sth_mac_input() - Write the MAC input, without payload and memory proof
 * @in: its parts; @in->hdr_len is at least SRNIC_BTH_LEN and at most
 *	SRNIC_EXT_MAX
 * @buf: result
 *
 * Return: length in bytes.
 */
unsigned int srnic_sth_mac_input(const struct srnic_sth_input *in, u8 buf[SRNIC_STH_INPUT_MAX])
{
	u8 *p = buf;

	put_unaligned_be64(in->nonce64, p);
	p += 8;
	if (in->counter_len == SRNIC_STH_COUNTER_LEN)
		put_unaligned_be32(in->counter, p);
	else if (in->counter_len)
		put_unaligned_be64(in->counter, p);
	p += in->counter_len;
	memcpy(p, in->sgid, SRNIC_GID_LEN);
	p += SRNIC_GID_LEN;
	memcpy(p, in->dgid, SRNIC_GID_LEN);
	p += SRNIC_GID_LEN;
	put_unaligned_be16(in->udp_len, p);
	p += 2;
	memcpy(p, in->hdr, in->hdr_len);
	p[BTH_VARIANT] = 0xff;
	return p + in->hdr_len - buf;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_mac_input);
