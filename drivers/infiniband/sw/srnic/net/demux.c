// SPDX-License-Identifier: GPL-2.0
/*
 * Early demultiplexing: a packet gets the route of the last packet of its flow before the
 * stack looks one up. The stack does the same for connected sockets (tcp_v4_early_demux(),
 * udp_v4_early_demux()), but the flows of srnic have no such socket.
 *
 * The device whose GID was addressed is remembered with the route, until GIDs change.
 *
 * Only routes that the stack has chosen for packets that it has let in are remembered, and
 * only packets with the same addresses, netdev, type of service, mark and ports get them. A
 * route is valid until routes or addresses change (dst_check()), as a socket's is.
 */
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/percpu.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ip6_fib.h>
#include <net/ipv6.h>
#include <net/route.h>
#include "compat_net.h"
#include "export.h"
#include "net/internal.h"

#define DEMUX_FLOWS	16

/* All fields that an input route can depend on */
struct demux_key {
	struct in6_addr saddr;
	struct in6_addr daddr;
	u32 mark;
	int ifindex;
	__be32 ports;
	u8 tos;
	u8 v4;
};

struct demux_flow {
	struct demux_key key;
	struct dst_entry *dst;
	u32 cookie;
	u32 epoch;		/* srnic_gid_epoch() before @dev was looked up */
	struct srnic_dev *dev;
};

/**
 * struct srnic_demux - flows that one CPU has seen in a namespace
 * @flow: hashed by source port and netdev; used by this CPU only, with BHs off
 */
struct srnic_demux {
	struct demux_flow flow[DEMUX_FLOWS];
};

int srnic_demux_open(struct srnic_netns *ns)
{
	ns->demux = alloc_percpu_gfp(struct srnic_demux, GFP_KERNEL_ACCOUNT);
	return ns->demux ? 0 : -ENOMEM;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_demux_open);

/* The caller ensures that no hook can use the flows any more. */
void srnic_demux_close(struct srnic_netns *ns)
{
	int cpu, i;

	for_each_possible_cpu(cpu)
		for (i = 0; i < DEMUX_FLOWS; i++)
			dst_release(per_cpu_ptr(ns->demux, cpu)->flow[i].dst);
	free_percpu(ns->demux);
	ns->demux = NULL;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_demux_close);

/* Both directions may have the same port, derived from the two QPNs: hash the netdev, too. */
static struct demux_flow *demux_flow(struct srnic_demux *seen, const struct sk_buff *skb,
				     __be32 ports)
{
	u16 mix = ntohl(ports) >> 16;

	return &seen->flow[(mix ^ mix >> 4 ^ (u32)skb->dev->ifindex) % DEMUX_FLOWS];
}

/* Return the offset of the UDP header, or 0 if there is none or the packet is a fragment. */
static unsigned int demux_thoff(const struct sk_buff *skb, bool v4)
{
	if (!v4)
		return ipv6_hdr(skb)->nexthdr == IPPROTO_UDP ? sizeof(struct ipv6hdr) : 0;
	if (ip_hdr(skb)->protocol != IPPROTO_UDP || ip_is_fragment(ip_hdr(skb)))
		return 0;
	return ip_hdrlen(skb);
}

/*
 * Return the source and destination port of a packet to this host and to a port of ours, or 0
 * for any other.
 */
static __be32 demux_ports(const struct sk_buff *skb, bool v4)
{
	unsigned int thoff = demux_thoff(skb, v4);
	const struct udphdr *uh;
	struct udphdr buf;

	if (!thoff || skb->pkt_type != PACKET_HOST)
		return 0;
	uh = skb_header_pointer(skb, thoff, sizeof(buf), &buf);
	if (!uh || !srnic_port_is_ours(uh->dest))
		return 0;
	return htonl((u32)ntohs(uh->source) << 16 | ntohs(uh->dest));
}

static void demux_fill_key(struct demux_key *key, const struct sk_buff *skb, bool v4, __be32 ports)
{
	key->mark = skb->mark;
	key->ifindex = skb->dev->ifindex;
	key->ports = ports;
	key->v4 = v4;
	if (v4) {
		ipv6_addr_set_v4mapped(ip_hdr(skb)->saddr, &key->saddr);
		ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, &key->daddr);
		key->tos = ip_hdr(skb)->tos;
	} else {
		key->saddr = ipv6_hdr(skb)->saddr;
		key->daddr = ipv6_hdr(skb)->daddr;
		key->tos = ipv6_get_dsfield(ipv6_hdr(skb));
	}
}

static bool demux_match4(const struct demux_key *key, const struct iphdr *iph)
{
	return key->saddr.s6_addr32[3] == iph->saddr && key->daddr.s6_addr32[3] == iph->daddr &&
	       key->tos == iph->tos;
}

static bool demux_match6(const struct demux_key *key, const struct ipv6hdr *ip6h)
{
	return ipv6_addr_equal(&key->saddr, &ip6h->saddr) &&
	       ipv6_addr_equal(&key->daddr, &ip6h->daddr) && key->tos == ipv6_get_dsfield(ip6h);
}

/* Compare all of the key with the headers in place. */
static bool demux_match(const struct demux_key *key, const struct sk_buff *skb, bool v4,
			__be32 ports)
{
	return key->ports == ports && key->mark == skb->mark &&
	       key->ifindex == skb->dev->ifindex && key->v4 == v4 &&
	       (v4 ? demux_match4(key, ip_hdr(skb)) : demux_match6(key, ipv6_hdr(skb)));
}

static u32 demux_cookie(const struct dst_entry *dst, bool v4)
{
#if IS_ENABLED(CONFIG_IPV6)
	if (!v4)
		return rt6_get_cookie(dst_rt6_info(dst));
#endif
	return 0;
}

/**
 * srnic_demux_device() - Return the device that a known flow belongs to
 * @ns: state of the namespace
 * @skb: packet at LOCAL_IN, for a port of ours
 * @v4: the packet is IPv4
 * @epoch: current srnic_gid_epoch()
 *
 * Context: softirq, or BHs off; RCU read side.
 * Return: the device; %NULL if the flow is not known or out of date: the caller looks the
 * device up and calls srnic_demux_learn().
 */
struct srnic_dev *srnic_demux_device(struct srnic_netns *ns, const struct sk_buff *skb, bool v4,
				     u32 epoch)
{
	__be32 ports = demux_ports(skb, v4);
	const struct demux_flow *flow = demux_flow(this_cpu_ptr(ns->demux), skb, ports);

	if (flow->epoch != epoch || flow->dst != skb_dst(skb) ||
	    !demux_match(&flow->key, skb, v4, ports))
		return NULL;
	return flow->dev;
}

/* Members of a VRF may have the same address, but the key has the VRF's ifindex. */
static bool demux_enslaved(const struct sk_buff *skb, bool v4)
{
	return v4 ? inet_sdif(skb) : inet6_sdif(skb);
}

/**
 * srnic_demux_learn() - Remember the route and the device of a packet that the stack let in
 * @ns: state of the namespace
 * @skb: packet at LOCAL_IN, for a port of ours
 * @v4: the packet is IPv4
 * @dev: device that the packet is for
 * @epoch: srnic_gid_epoch() before @dev was looked up
 *
 * Context: softirq, or BHs off; RCU read side.
 */
void srnic_demux_learn(struct srnic_netns *ns, struct sk_buff *skb, bool v4,
		       struct srnic_dev *dev, u32 epoch)
{
	struct dst_entry *dst = skb_dst(skb);
	__be32 ports = demux_ports(skb, v4);
	struct demux_flow *flow;

	if (!ports || !dst || dst->flags & DST_METADATA || demux_enslaved(skb, v4))
		return;
	flow = demux_flow(this_cpu_ptr(ns->demux), skb, ports);
	if (flow->dst != dst) {
		if (!dst_hold_safe(dst))
			return;
		dst_release(flow->dst);
		flow->dst = dst;
	}
	flow->cookie = demux_cookie(dst, v4);
	demux_fill_key(&flow->key, skb, v4, ports);
	flow->dev = dev;
	flow->epoch = epoch;
}

static void demux_route(struct srnic_netns *ns, struct sk_buff *skb, bool v4)
{
	struct demux_flow *flow;
	__be32 ports;

	if (skb_dst(skb))
		return;
	ports = demux_ports(skb, v4);
	if (!ports)
		return;
	lockdep_assert(softirq_count());
	flow = demux_flow(this_cpu_ptr(ns->demux), skb, ports);
	if (!flow->dst || !demux_match(&flow->key, skb, v4, ports))
		return;
	if (likely(dst_check(flow->dst, flow->cookie))) {
		skb_dst_set_noref(skb, flow->dst);
		return;
	}
	dst_release(flow->dst);
	flow->dst = NULL;
}

static unsigned int demux_in(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	demux_route(priv, skb, state->pf == NFPROTO_IPV4);
	return NF_ACCEPT;
}

/* The hook at PRE_ROUTING; @priv is the struct srnic_netns. */
unsigned int srnic_demux_in(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	return srnic_bhs_off(demux_in, priv, skb, state);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_demux_in);
