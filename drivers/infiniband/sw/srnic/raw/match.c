// SPDX-License-Identifier: GPL-2.0
/*
 * Flow rules: the fields of a frame are read once, into the form of the filters of ib_verbs.h, and
 * each part of a rule is a masked comparison with them, byte by byte.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/stddef.h>
#include <net/dsfield.h>
#include <net/ip.h>
#include "export.h"
#include "raw/match.h"

/* A header that a rule may name: its fields in a rule, where the mask follows, and in a frame */
struct match_kind {
	u32 type;
	u32 need;
	u16 val;
	u16 key;
	u16 len;
};

#define VAL(spec)	offsetof(union ib_flow_spec, spec.val)
#define KEY(fields)	offsetof(struct srnic_frame_key, fields)

static const struct match_kind match_kinds[] = {
	{ IB_FLOW_SPEC_ETH, SRNIC_HAVE_ETH, VAL(eth), KEY(eth),
	  sizeof(struct ib_flow_eth_filter) },
	{ IB_FLOW_SPEC_IPV4, SRNIC_HAVE_IPV4, VAL(ipv4), KEY(ipv4),
	  sizeof(struct ib_flow_ipv4_filter) },
	{ IB_FLOW_SPEC_IPV6, SRNIC_HAVE_IPV6, VAL(ipv6), KEY(ipv6),
	  sizeof(struct ib_flow_ipv6_filter) },
	{ IB_FLOW_SPEC_TCP, SRNIC_HAVE_TCP, VAL(tcp_udp), KEY(ports),
	  sizeof(struct ib_flow_tcp_udp_filter) },
	{ IB_FLOW_SPEC_UDP, SRNIC_HAVE_UDP, VAL(tcp_udp), KEY(ports),
	  sizeof(struct ib_flow_tcp_udp_filter) },
};

/* TCP and UDP have the source port first, the filter has the destination port first. */
static void parse_ports(struct srnic_frame_key *key, u8 proto, const u8 *head, u32 len)
{
	if (len < 2 * sizeof(__be16))
		return;
	if (proto == IPPROTO_TCP)
		key->have |= SRNIC_HAVE_TCP;
	else if (proto == IPPROTO_UDP)
		key->have |= SRNIC_HAVE_UDP;
	else
		return;
	memcpy(&key->ports.src_port, head, sizeof(__be16));
	memcpy(&key->ports.dst_port, head + sizeof(__be16), sizeof(__be16));
}

/* Ports are in the first fragment only. */
static void parse_ipv4(struct srnic_frame_key *key, const u8 *head, u32 len)
{
	struct iphdr ip;

	if (len < sizeof(ip))
		return;
	memcpy(&ip, head, sizeof(ip));
	if (ip.version != 4 || ip.ihl < 5 || len < ip.ihl * 4)
		return;
	key->have |= SRNIC_HAVE_IPV4;
	key->ipv4 = (struct ib_flow_ipv4_filter) {
		.src_ip = ip.saddr,
		.dst_ip = ip.daddr,
		.proto = ip.protocol,
		.tos = ip.tos,
		.ttl = ip.ttl,
		.flags = (ip.frag_off & htons(IP_DF) ? IB_IPV4_DONT_FRAG : 0) |
			 (ip.frag_off & htons(IP_MF) ? IB_IPV4_MORE_FRAG : 0),
	};
	if (!(ip.frag_off & htons(IP_OFFSET)))
		parse_ports(key, ip.protocol, head + ip.ihl * 4, len - ip.ihl * 4);
}

/* Extension headers are not followed: behind one, a frame has no ports. */
static void parse_ipv6(struct srnic_frame_key *key, const u8 *head, u32 len)
{
	struct ipv6hdr ip;

	if (len < sizeof(ip))
		return;
	memcpy(&ip, head, sizeof(ip));
	if (ip.version != 6)
		return;
	key->have |= SRNIC_HAVE_IPV6;
	memcpy(key->ipv6.src_ip, &ip.saddr, sizeof(key->ipv6.src_ip));
	memcpy(key->ipv6.dst_ip, &ip.daddr, sizeof(key->ipv6.dst_ip));
	memcpy(&key->ipv6.flow_label, head, sizeof(key->ipv6.flow_label));
	key->ipv6.flow_label &= htonl(0xfffff);
	key->ipv6.next_hdr = ip.nexthdr;
	key->ipv6.traffic_class = ipv6_get_dsfield(&ip);
	key->ipv6.hop_limit = ip.hop_limit;
	parse_ports(key, ip.nexthdr, head + sizeof(ip), len - sizeof(ip));
}

/**
 * srnic_frame_parse() - Read the fields of a frame that rules can name
 * @key: filled in
 * @head: the first bytes of the frame
 * @len: how many: all of a short frame, or SRNIC_FRAME_HEAD
 */
void srnic_frame_parse(struct srnic_frame_key *key, const u8 *head, u32 len)
{
	u32 l3 = ETH_HLEN;

	memset(key, 0, sizeof(*key));
	if (len < ETH_HLEN)
		return;
	key->have = SRNIC_HAVE_ETH;
	memcpy(key->eth.dst_mac, head, ETH_ALEN);
	memcpy(key->eth.src_mac, head + ETH_ALEN, ETH_ALEN);
	memcpy(&key->eth.ether_type, head + 2 * ETH_ALEN, sizeof(__be16));
	if (eth_type_vlan(key->eth.ether_type) && len >= VLAN_ETH_HLEN) {
		key->have |= SRNIC_HAVE_VLAN;
		memcpy(&key->eth.vlan_tag, head + ETH_HLEN, sizeof(__be16));
		memcpy(&key->eth.ether_type, head + ETH_HLEN + 2, sizeof(__be16));
		l3 = VLAN_ETH_HLEN;
	}
	if (key->eth.ether_type == htons(ETH_P_IP))
		parse_ipv4(key, head + l3, len - l3);
	else if (key->eth.ether_type == htons(ETH_P_IPV6))
		parse_ipv6(key, head + l3, len - l3);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_frame_parse);

/**
 * srnic_match_make() - Translate a part of a rule
 * @match: filled in
 * @spec: the part, as the core passes it
 *
 * A tag that is compared must be there: a frame without a VLAN header has no tag 0.
 *
 * Return: 0, or -EOPNOTSUPP: of no header that is known here, or an action.
 */
int srnic_match_make(struct srnic_match *match, const union ib_flow_spec *spec)
{
	const u8 *bytes = (const u8 *)spec;

	for (u32 i = 0; i < ARRAY_SIZE(match_kinds); i++) {
		const struct match_kind *kind = &match_kinds[i];

		if (spec->type != kind->type)
			continue;
		match->kind = i;
		match->need = kind->need;
		if (kind->type == IB_FLOW_SPEC_ETH && spec->eth.mask.vlan_tag)
			match->need |= SRNIC_HAVE_VLAN;
		for (u32 j = 0; j < kind->len; j++) {
			match->mask[j] = bytes[kind->val + kind->len + j];
			match->val[j] = bytes[kind->val + j] & match->mask[j];
		}
		return 0;
	}
	return -EOPNOTSUPP;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_match_make);

/**
 * srnic_match_frame() - Return whether a frame has the fields of a part of a rule
 * @match: the part
 * @key: fields of the frame
 */
bool srnic_match_frame(const struct srnic_match *match, const struct srnic_frame_key *key)
{
	const struct match_kind *kind = &match_kinds[match->kind];
	const u8 *field = (const u8 *)key + kind->key;

	if ((key->have & match->need) != match->need)
		return false;
	for (u32 i = 0; i < kind->len; i++) {
		if ((field[i] & match->mask[i]) != match->val[i])
			return false;
	}
	return true;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_match_frame);
