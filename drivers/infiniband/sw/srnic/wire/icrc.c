// SPDX-License-Identifier: GPL-2.0
/*
 * The invariant CRC (IBA 7.8.1; for RoCEv2, annex A17.3.3).
 *
 * It covers the packet from the network header to the pad, with ones in place
 * of the fields that a router or switch may change. RoCEv2 has no LRH: eight
 * bytes of ones stand for it.
 */
#include "export.h"
#include "wire/wire.h"

#define IP4_LEN		20
#define IP4_TOS		1
#define IP4_TOT_LEN	2
#define IP4_ID		4
#define IP4_FRAG	6
#define IP4_TTL		8
#define IP4_PROTOCOL	9
#define IP4_CHECK	10
#define IP4_ADDRESSES	12

#define IP6_LEN		40
#define IP6_PAYLOAD_LEN	4
#define IP6_NEXT_HEADER	6
#define IP6_HOP_LIMIT	7
#define IP6_ADDRESSES	8

#define UDP_LEN		8

#define BTH_FECN_BYTE	4	/* FECN, BECN and reserved bits: variant fields */

/*
 * Contribution of the IPv4 identification to the CRC at the end of the UDP
 * header, 22 bytes further on: one row for each four bits, the lowest first.
 * This works because a CRC is linear: the CRC of a sum of messages is the sum
 * of their CRCs.
 */
static const u32 id_crc[4][16] = {
	{
		0x00000000, 0x9b73ead4, 0xed96d3e9, 0x76e5393d,
		0x005ca193, 0x9b2f4b47, 0xedca727a, 0x76b998ae,
		0x00b94326, 0x9bcaa9f2, 0xed2f90cf, 0x765c7a1b,
		0x00e5e2b5, 0x9b960861, 0xed73315c, 0x7600db88,
	}, {
		0x00000000, 0x0172864c, 0x02e50c98, 0x03978ad4,
		0x05ca1930, 0x04b89f7c, 0x072f15a8, 0x065d93e4,
		0x0b943260, 0x0ae6b42c, 0x09713ef8, 0x0803b8b4,
		0x0e5e2b50, 0x0f2cad1c, 0x0cbb27c8, 0x0dc9a184,
	}, {
		0x00000000, 0x81256527, 0xd93bcc0f, 0x581ea928,
		0x69069e5f, 0xe823fb78, 0xb03d5250, 0x31183777,
		0xd20d3cbe, 0x53285999, 0x0b36f0b1, 0x8a139596,
		0xbb0ba2e1, 0x3a2ec7c6, 0x62306eee, 0xe3150bc9,
	}, {
		0x00000000, 0x7f6b7f3d, 0xfed6fe7a, 0x81bd8147,
		0x26dcfab5, 0x59b78588, 0xd80a04cf, 0xa7617bf2,
		0x4db9f56a, 0x32d28a57, 0xb36f0b10, 0xcc04742d,
		0x6b650fdf, 0x140e70e2, 0x95b3f1a5, 0xead88e98,
	},
};

/*
 * Correction of the state before the BTH for the byte at BTH_FECN_BYTE, which
 * the ICRC takes as ones: indexed by the complement of that byte, one row for
 * each four bits. The step over four bytes of a message can be inverted; the
 * entries are the states that it maps to 1 to 15 and to 16 to 240. So no byte
 * need be replaced, and the CRC covers the packet in place, in one run.
 */
static const u32 fecn_crc[2][16] = {
	{
		0x00000000, 0xdb710641, 0x6d930ac3, 0xb6e20c82,
		0xdb261586, 0x005713c7, 0xb6b51f45, 0x6dc41904,
		0x6d3d2d4d, 0xb64c2b0c, 0x00ae278e, 0xdbdf21cf,
		0xb61b38cb, 0x6d6a3e8a, 0xdb883208, 0x00f93449,
	}, {
		0x00000000, 0xda7a5a9a, 0x6f85b375, 0xb5ffe9ef,
		0xdf0b66ea, 0x05713c70, 0xb08ed59f, 0x6af48f05,
		0x6567cb95, 0xbf1d910f, 0x0ae278e0, 0xd098227a,
		0xba6cad7f, 0x6016f7e5, 0xd5e91e0a, 0x0f934490,
	},
};

/* CRC state after the eight bytes of ones: srnic_crc_update(~0, ones, 8) */
#define LRH_SEED	0xdebb20e3U

/*
 * IPv4: TOS, TTL and checksum are variant; DF and fragment offset are not. The
 * identification is added later.
 */
static unsigned int ip4_write(u8 *p, const u8 *iph, u16 udp_len)
{
	memcpy(p, iph, IP4_LEN);
	p[IP4_TOS] = 0xff;
	put_unaligned_be16(IP4_LEN + udp_len, p + IP4_TOT_LEN);
	put_unaligned_be16(0, p + IP4_ID);
	p[IP4_TTL] = 0xff;
	put_unaligned_be16(0xffff, p + IP4_CHECK);
	return IP4_LEN;
}

/* IPv6: traffic class, flow label and hop limit are variant. */
static unsigned int ip6_write(u8 *p, const u8 *iph, u16 udp_len)
{
	memcpy(p, iph, IP6_LEN);
	p[0] |= 0x0f;
	memset(p + 1, 0xff, 3);
	put_unaligned_be16(udp_len, p + IP6_PAYLOAD_LEN);
	p[IP6_HOP_LIMIT] = 0xff;
	return IP6_LEN;
}

static unsigned int udp_write(u8 *p, const struct srnic_ends *ends, u16 udp_len)
{
	memcpy(p, &ends->sport, sizeof(ends->sport));
	memcpy(p + 2, &ends->dport, sizeof(ends->dport));
	put_unaligned_be16(udp_len, p + 4);
	put_unaligned_be16(0xffff, p + 6);
	return UDP_LEN;
}

/* CRC of all headers before the BTH. noinline: rarely called, and callers need no buffer. */
static noinline u32 headers_crc(const struct srnic_ends *ends, u16 udp_len)
{
	u8 buf[IP6_LEN + UDP_LEN];
	unsigned int n;

	n = ends->v4 ? ip4_write(buf, ends->iph, udp_len) : ip6_write(buf, ends->iph, udp_len);
	n += udp_write(buf + n, ends, udp_len);
	return srnic_crc_update(LRH_SEED, buf, n);
}

static bool ip4_alike(const u8 *a, const u8 *b)
{
	return a[0] == b[0] && a[IP4_PROTOCOL] == b[IP4_PROTOCOL] &&
	       !memcmp(a + IP4_FRAG, b + IP4_FRAG, 2) &&
	       !memcmp(a + IP4_ADDRESSES, b + IP4_ADDRESSES, IP4_LEN - IP4_ADDRESSES);
}

static bool ip6_alike(const u8 *a, const u8 *b)
{
	return a[0] >> 4 == b[0] >> 4 && a[IP6_NEXT_HEADER] == b[IP6_NEXT_HEADER] &&
	       srnic_gid_equal(a + IP6_ADDRESSES, b + IP6_ADDRESSES) &&
	       srnic_gid_equal(a + IP6_ADDRESSES + 16, b + IP6_ADDRESSES + 16);
}

/**
 * srnic_icrc_alike() - Tell whether packets can share a struct srnic_icrc_base
 * @a: headers of one packet
 * @b: headers of another
 *
 * Return: true if the headers that the ICRC covers differ only in lengths and
 * identifications.
 */
bool srnic_icrc_alike(const struct srnic_ends *a, const struct srnic_ends *b)
{
	if (a->sport != b->sport || a->dport != b->dport || a->v4 != b->v4)
		return false;
	return a->v4 ? ip4_alike(a->iph, b->iph) : ip6_alike(a->iph, b->iph);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_icrc_alike);

/**
 * srnic_icrc_begin() - Compute the CRC state at the BTH
 * @base: state shared by the packets of a flow; zeroed before the first, and
 *	used with equal @ends, or such that srnic_icrc_alike() is true
 * @ends: addresses and port; @ends->iph is the IP header as on the wire, in
 *	which the arguments replace the length and the IPv4 identification
 * @id: IPv4 identification of this packet, host order; ignored for IPv6
 * @udp_len: UDP length of this packet in bytes, including the header, host
 *	order
 * @bth: BTH of the packet, SRNIC_BTH_LEN bytes
 *
 * Length and identification are arguments because each segment of a
 * super-packet has its own, while the burst shares @ends. Continue with
 * srnic_crc_update() over the packet in place, from the first byte of the BTH
 * to the end of the pad (including extension headers and STH), and finish with
 * srnic_icrc_end().
 *
 * Context: any; users of @base serialise.
 * Return: the CRC state. Sources: IBA 7.8.1, RoCEv2 annex A17.3.3.
 */
u32 srnic_icrc_begin(struct srnic_icrc_base *base, const struct srnic_ends *ends, u16 id,
		     u16 udp_len, const u8 *bth)
{
	u8 clear_bits = ~bth[BTH_FECN_BYTE];
	u32 crc;

	if (base->udp_len != udp_len) {
		base->crc = headers_crc(ends, udp_len);
		base->udp_len = udp_len;
	}
	crc = base->crc ^ fecn_crc[0][clear_bits & 0xf] ^ fecn_crc[1][clear_bits >> 4];
	if (ends->v4)
		crc ^= id_crc[0][id & 0xf] ^ id_crc[1][id >> 4 & 0xf] ^
		       id_crc[2][id >> 8 & 0xf] ^ id_crc[3][id >> 12];
	return crc;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_icrc_begin);
