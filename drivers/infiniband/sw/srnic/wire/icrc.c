// SPDX-License-Identifier: GPL-2.0
/*
 * The invariant CRC: IBA 7.8.1, and for RoCEv2 annex A17.3.3.
 *
 * It covers the packet from the network header to the pad, with the fields that a
 * router or switch may change replaced by ones. RoCEv2 has no LRH: eight bytes of
 * ones stand for it.
 */
#include "export.h"
#include "wire/wire.h"

#define IP4_LEN		20
#define IP4_TOS		1
#define IP4_TOT_LEN	2
#define IP4_ID		4
#define IP4_TTL		8
#define IP4_CHECK	10

#define IP6_LEN		40
#define IP6_PAYLOAD_LEN	4
#define IP6_HOP_LIMIT	7

#define UDP_LEN		8

#define BTH_FECN_BYTE	4	/* FECN, BECN and reserved bits */

/* CRC state after the eight bytes of ones: srnic_crc_update(~0, ones, 8) */
#define LRH_SEED	0xdebb20e3U

/* IPv4: TOS, TTL and checksum are variant; DF and fragment offset are not. */
static unsigned int ip4_put(u8 *p, const u8 *iph, u16 id, u16 udp_len)
{
	memcpy(p, iph, IP4_LEN);
	p[IP4_TOS] = 0xff;
	put_unaligned_be16(IP4_LEN + udp_len, p + IP4_TOT_LEN);
	put_unaligned_be16(id, p + IP4_ID);
	p[IP4_TTL] = 0xff;
	put_unaligned_be16(0xffff, p + IP4_CHECK);
	return IP4_LEN;
}

/* IPv6: traffic class, flow label and hop limit are variant. */
static unsigned int ip6_put(u8 *p, const u8 *iph, u16 udp_len)
{
	memcpy(p, iph, IP6_LEN);
	p[0] |= 0x0f;
	memset(p + 1, 0xff, 3);
	put_unaligned_be16(udp_len, p + IP6_PAYLOAD_LEN);
	p[IP6_HOP_LIMIT] = 0xff;
	return IP6_LEN;
}

static unsigned int udp_put(u8 *p, __be16 sport, u16 udp_len)
{
	memcpy(p, &sport, sizeof(sport));
	put_unaligned_be16(SRNIC_ROCE_PORT, p + 2);
	put_unaligned_be16(udp_len, p + 4);
	put_unaligned_be16(0xffff, p + 6);
	return UDP_LEN;
}

/**
 * srnic_icrc_begin - the ICRC's part over the headers up to the BTH
 * @ends: addresses and port; @ends->iph is the IP header as on the wire, of which
 *	length and (IPv4) id are replaced by the arguments
 * @id: this packet's IPv4 identification, host order; ignored for IPv6
 * @udp_len: this packet's UDP length in bytes, header included, host order
 * @bth: the packet's BTH, SRNIC_BTH_LEN bytes
 *
 * Length and id are arguments because in a super-packet they are each segment's
 * own, while @ends is the burst's. Go on with srnic_crc_update() from the byte
 * behind the BTH to the end of the pad (extension headers and STH included), and
 * close with srnic_icrc_end().
 *
 * Context: any.
 * Return: the CRC's state. Sources: IBA 7.8.1, RoCEv2 annex A17.3.3.
 */
u32 srnic_icrc_begin(const struct srnic_ends *ends, u16 id, u16 udp_len,
		     const u8 *bth)
{
	u8 buf[IP6_LEN + UDP_LEN + SRNIC_BTH_LEN];
	unsigned int n;

	n = ends->v4 ? ip4_put(buf, ends->iph, id, udp_len) :
		       ip6_put(buf, ends->iph, udp_len);
	n += udp_put(buf + n, ends->sport, udp_len);
	memcpy(buf + n, bth, SRNIC_BTH_LEN);
	buf[n + BTH_FECN_BYTE] = 0xff;
	n += SRNIC_BTH_LEN;
	return srnic_crc_update(LRH_SEED, buf, n);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_icrc_begin);
