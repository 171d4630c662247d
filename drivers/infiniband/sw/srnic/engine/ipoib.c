// SPDX-License-Identifier: GPL-2.0
/*
 * Offloads for IP over InfiniBand: checksums of TCP and UDP over IPv4 and IPv6, and the headers
 * of the datagrams that a large send is cut into.
 *
 * A datagram begins with the header of RFC 4391, section 6: type and reserved, 2 bytes each.
 * Received ones are at any alignment.
 */
#include <linux/if_ether.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <linux/unaligned.h>
#include <net/checksum.h>
#include <net/ip.h>
#include <net/tcp.h>
#include "engine/ipoib.h"
#include "export.h"

/**
 * struct ip_parts - Parts of an IP packet
 * @v4: IPv4
 * @len: bytes of the IP header
 * @proto: protocol behind it; 0: a fragment, whose checksum is in another one
 * @l4_len: bytes from the protocol's header to the end of the packet
 */
struct ip_parts {
	bool v4;
	u8 proto;
	u32 len;
	u32 l4_len;
};

static bool split_v4(const u8 *ip, u32 len, struct ip_parts *parts)
{
	u32 total;

	if (len < sizeof(struct iphdr) || ip[0] >> 4 != 4)
		return false;
	parts->v4 = true;
	parts->len = (ip[0] & 0xf) * 4;
	total = get_unaligned_be16(ip + offsetof(struct iphdr, tot_len));
	if (parts->len < sizeof(struct iphdr) || total < parts->len || total > len)
		return false;
	parts->l4_len = total - parts->len;
	if (get_unaligned_be16(ip + offsetof(struct iphdr, frag_off)) & (IP_MF | IP_OFFSET))
		parts->proto = 0;
	else
		parts->proto = ip[offsetof(struct iphdr, protocol)];
	return true;
}

/* Extension headers are protocols that have no checksum here. */
static bool split_v6(const u8 *ip, u32 len, struct ip_parts *parts)
{
	if (len < sizeof(struct ipv6hdr) || ip[0] >> 4 != 6)
		return false;
	parts->v4 = false;
	parts->len = sizeof(struct ipv6hdr);
	parts->proto = ip[offsetof(struct ipv6hdr, nexthdr)];
	parts->l4_len = get_unaligned_be16(ip + offsetof(struct ipv6hdr, payload_len));
	return parts->l4_len <= len - parts->len;
}

/* Return false if this is no IP packet, or is shorter than it says. */
static bool split_datagram(const u8 *datagram, u32 len, struct ip_parts *parts)
{
	if (len < SRNIC_ENCAP_LEN)
		return false;
	switch (get_unaligned_be16(datagram)) {
	case ETH_P_IP:
		return split_v4(datagram + SRNIC_ENCAP_LEN, len - SRNIC_ENCAP_LEN, parts);
	case ETH_P_IPV6:
		return split_v6(datagram + SRNIC_ENCAP_LEN, len - SRNIC_ENCAP_LEN, parts);
	default:
		return false;
	}
}

/* Return the offset of the checksum in the header behind that of IP; 0: there is none. */
static u32 check_at(const struct ip_parts *parts, const u8 *l4)
{
	switch (parts->proto) {
	case IPPROTO_TCP:
		return parts->l4_len < sizeof(struct tcphdr) ? 0 : offsetof(struct tcphdr, check);
	case IPPROTO_UDP:
		if (parts->l4_len < sizeof(struct udphdr) ||
		    get_unaligned_be16(l4 + offsetof(struct udphdr, len)) != parts->l4_len)
			return 0;
		return offsetof(struct udphdr, check);
	default:
		return 0;
	}
}

/* Return the checksum of pseudo-header and protocol (RFC 9293, 3.1; RFC 8200, 8.1). */
static __sum16 l4_csum(const u8 *ip, const struct ip_parts *parts)
{
	/* both addresses are next to each other */
	u32 at = parts->v4 ? offsetof(struct iphdr, saddr) : offsetof(struct ipv6hdr, saddr);
	int len = parts->v4 ? 2 * sizeof(struct in_addr) : 2 * sizeof(struct in6_addr);
	__wsum sum = (__force __wsum)htonl(parts->l4_len + parts->proto);

	sum = csum_partial(ip + at, len, sum);
	return csum_fold(csum_partial(ip + parts->len, parts->l4_len, sum));
}

static void put_check(u8 *at, __sum16 check)
{
	put_unaligned((__force u16)check, (u16 *)at);
}

static void fill_v4(u8 *ip, u32 len)
{
	u8 *check = ip + offsetof(struct iphdr, check);

	put_check(check, 0);
	put_check(check, csum_fold(csum_partial(ip, len, 0)));
}

/**
 * srnic_ipoib_fill_csum() - Write the checksums of a datagram that is sent
 * @datagram: the datagram
 * @len: its bytes
 *
 * The checksums of IPv4, and of TCP or UDP. All other datagrams stay as they are, and so do
 * fragments behind their IPv4 header.
 */
void srnic_ipoib_fill_csum(u8 *datagram, u32 len)
{
	u8 *ip = datagram + SRNIC_ENCAP_LEN;
	struct ip_parts parts;
	__sum16 check;
	u32 at;
	u8 *l4;

	if (!split_datagram(datagram, len, &parts))
		return;
	if (parts.v4)
		fill_v4(ip, parts.len);
	l4 = ip + parts.len;
	at = check_at(&parts, l4);
	if (!at)
		return;
	put_check(l4 + at, 0);
	check = l4_csum(ip, &parts);
	/* RFC 768: zero says that there is none */
	put_check(l4 + at, check || parts.proto != IPPROTO_UDP ? check : CSUM_MANGLED_0);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ipoib_fill_csum);

/**
 * srnic_ipoib_csum_ok() - Check the checksums of a datagram that has arrived
 * @datagram: the datagram
 * @len: its bytes
 *
 * A correct ICRC does not replace them: a router forwards checksums from another network.
 *
 * Return: true if it has a checksum of TCP or UDP, and that and the checksum of an IPv4 header
 * are right.
 */
bool srnic_ipoib_csum_ok(const u8 *datagram, u32 len)
{
	const u8 *ip = datagram + SRNIC_ENCAP_LEN;
	struct ip_parts parts;
	const u8 *l4;
	u32 at;

	if (!split_datagram(datagram, len, &parts))
		return false;
	if (parts.v4 && csum_fold(csum_partial(ip, parts.len, 0)))
		return false;
	l4 = ip + parts.len;
	at = check_at(&parts, l4);
	if (!at)
		return false;
	if (parts.proto == IPPROTO_UDP && !get_unaligned((const u16 *)(l4 + at)))
		return false;
	return !l4_csum(ip, &parts);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ipoib_csum_ok);

/* Return the bytes of the IP header if TCP follows it; else 0. Its own length does not matter. */
static u32 lso_ip_len(const struct srnic_lso *lso)
{
	const u8 *ip = lso->header + SRNIC_ENCAP_LEN;
	u32 len;

	switch (get_unaligned_be16(lso->header)) {
	case ETH_P_IP:
		len = (ip[0] & 0xf) * 4;
		if (ip[0] >> 4 != 4 || len < sizeof(struct iphdr) ||
		    ip[offsetof(struct iphdr, protocol)] != IPPROTO_TCP ||
		    get_unaligned_be16(ip + offsetof(struct iphdr, frag_off)) & (IP_MF | IP_OFFSET))
			return 0;
		return len;
	case ETH_P_IPV6:
		if (ip[0] >> 4 != 6 || ip[offsetof(struct ipv6hdr, nexthdr)] != IPPROTO_TCP)
			return 0;
		return sizeof(struct ipv6hdr);
	default:
		return 0;
	}
}

/**
 * srnic_lso_valid() - Check whether a large send can be cut into datagrams
 * @lso: the large send
 * @mtu: most bytes of a datagram
 *
 * Return: true if the headers are those of TCP, and nothing else, and the datagrams fit.
 */
bool srnic_lso_valid(const struct srnic_lso *lso, u32 mtu)
{
	u32 ip_len, tcp_len;

	if (!lso->length || lso->length > GSO_MAX_SIZE || !lso->mss || lso->mss > mtu ||
	    lso->hlen > SRNIC_LSO_HDR_MAX || lso->hlen > mtu - lso->mss)
		return false;
	if (lso->hlen < SRNIC_ENCAP_LEN + sizeof(struct iphdr) + sizeof(struct tcphdr))
		return false;
	ip_len = lso_ip_len(lso);
	if (!ip_len || lso->hlen < SRNIC_ENCAP_LEN + ip_len + sizeof(struct tcphdr))
		return false;
	/* the data offset, in words */
	tcp_len = (lso->header[SRNIC_ENCAP_LEN + ip_len + 12] >> 4) * 4;
	return tcp_len >= sizeof(struct tcphdr) && lso->hlen == SRNIC_ENCAP_LEN + ip_len + tcp_len;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_lso_valid);

/* Write the lengths of datagram @i, which has @len bytes from the IP header on. */
static void cut_ip(u8 *ip, u32 i, u32 len)
{
	u8 *id = ip + offsetof(struct iphdr, id);

	if (ip[0] >> 4 == 6) {
		len -= sizeof(struct ipv6hdr);
		put_unaligned_be16(len, ip + offsetof(struct ipv6hdr, payload_len));
		return;
	}
	put_unaligned_be16(len, ip + offsetof(struct iphdr, tot_len));
	put_unaligned_be16(get_unaligned_be16(id) + i, id);
}

/* CWR acknowledges a mark once, with the first datagram (RFC 3168, 6.1.2). */
static void cut_tcp(u8 *tcp, const struct srnic_lso *lso, u32 i)
{
	u8 *seq = tcp + offsetof(struct tcphdr, seq);
	u8 *flags = tcp + 13;

	put_unaligned_be32(get_unaligned_be32(seq) + i * lso->mss, seq);
	if (i)
		*flags &= ~TCPHDR_CWR;
	if ((i + 1) * lso->mss < lso->length)
		*flags &= ~(TCPHDR_FIN | TCPHDR_PSH);
}

/**
 * srnic_lso_cut() - Make the headers of a datagram of a large send
 * @lso: the large send, valid
 * @i: index of the datagram
 * @header: room for @lso->hlen bytes; all is set but the checksums
 *
 * Return: the bytes of its payload, which begins at @i * @lso->mss.
 */
u32 srnic_lso_cut(const struct srnic_lso *lso, u32 i, u8 *header)
{
	u32 len = min(lso->length - i * lso->mss, lso->mss);
	u8 *ip = header + SRNIC_ENCAP_LEN;

	memcpy(header, lso->header, lso->hlen);
	cut_ip(ip, i, lso->hlen - SRNIC_ENCAP_LEN + len);
	cut_tcp(ip + (ip[0] >> 4 == 6 ? sizeof(struct ipv6hdr) : (ip[0] & 0xf) * 4), lso, i);
	return len;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_lso_cut);
