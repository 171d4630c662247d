// SPDX-License-Identifier: GPL-2.0
/*
 * Early demultiplexing: a packet is given the route that the last one of its flow had,
 * before the stack looks for one. What it does for sockets that are connected
 * (tcp_v4_early_demux(), udp_v4_early_demux()), and a flow of ours has none.
 *
 * What is kept is what the stack itself has decided and has let in: address for address,
 * netdev, type of service, mark and port the same. It holds until routes or addresses
 * change (dst_check()), as that of a socket does.
 */
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/percpu.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ip6_fib.h>
#include <net/ipv6.h>
#include <net/route.h>
#include "net/internal.h"

#define DEMUX_FLOWS	16

/* All that a route in can depend on */
struct demux_key {
	struct in6_addr saddr;
	struct in6_addr daddr;
	u32 mark;
	int ifindex;
	__be16 sport;
	u8 tos;
	u8 v4;
};

struct demux_flow {
	struct demux_key key;
	struct dst_entry *dst;
	u32 cookie;
};

/**
 * struct srnic_demux - the flows that one CPU has seen in a namespace
 * @known: the packet that was last given a route, or NULL; not to be followed. Mostly it
 *	is the next to be let in, too; if it is another of the same address, that one's
 *	route is learnt from its next packet
 * @flow: by source port and netdev
 *
 * Used with BHs off, by this CPU alone.
 */
struct srnic_demux {
	const struct sk_buff *known;
	struct demux_flow flow[DEMUX_FLOWS];
};

int srnic_demux_open(struct srnic_netns *ns)
{
	ns->demux = alloc_percpu_gfp(struct srnic_demux, GFP_KERNEL_ACCOUNT);
	return ns->demux ? 0 : -ENOMEM;
}

/* When no hook can look there any more */
void srnic_demux_close(struct srnic_netns *ns)
{
	int cpu, i;

	for_each_possible_cpu(cpu)
		for (i = 0; i < DEMUX_FLOWS; i++)
			dst_release(per_cpu_ptr(ns->demux, cpu)->flow[i].dst);
	free_percpu(ns->demux);
	ns->demux = NULL;
}

/* The port may be the same in both directions: verbs derive it from the two QP numbers. */
static struct demux_flow *demux_flow(struct srnic_demux *seen, const struct demux_key *key)
{
	u16 mix = ntohs(key->sport);

	return &seen->flow[(mix ^ mix >> 4 ^ key->ifindex) % DEMUX_FLOWS];
}

/* false: not a whole packet to our port and to this host */
static bool demux_port(const struct sk_buff *skb, unsigned int thoff, struct demux_key *key)
{
	const struct udphdr *uh;
	struct udphdr buf;

	if (skb->pkt_type != PACKET_HOST)
		return false;
	uh = skb_header_pointer(skb, thoff, sizeof(buf), &buf);
	if (!uh || uh->dest != htons(SRNIC_ROCE_PORT))
		return false;
	key->sport = uh->source;
	key->mark = skb->mark;
	key->ifindex = skb->dev->ifindex;
	return true;
}

static bool demux_key4(const struct sk_buff *skb, struct demux_key *key)
{
	const struct iphdr *iph = ip_hdr(skb);

	if (iph->protocol != IPPROTO_UDP || ip_is_fragment(iph) ||
	    !demux_port(skb, ip_hdrlen(skb), key))
		return false;
	ipv6_addr_set_v4mapped(iph->saddr, &key->saddr);
	ipv6_addr_set_v4mapped(iph->daddr, &key->daddr);
	key->tos = iph->tos;
	key->v4 = true;
	return true;
}

static bool demux_key6(const struct sk_buff *skb, struct demux_key *key)
{
	const struct ipv6hdr *ip6h = ipv6_hdr(skb);

	if (ip6h->nexthdr != IPPROTO_UDP || !demux_port(skb, sizeof(*ip6h), key))
		return false;
	key->saddr = ip6h->saddr;
	key->daddr = ip6h->daddr;
	key->tos = ipv6_get_dsfield(ip6h);
	key->v4 = false;
	return true;
}

/* All of it, as words: that is a third of what memcmp() takes */
static bool demux_alike(const struct demux_key *a, const struct demux_key *b)
{
	return ipv6_addr_equal(&a->saddr, &b->saddr) && ipv6_addr_equal(&a->daddr, &b->daddr) &&
	       a->mark == b->mark && a->ifindex == b->ifindex && a->sport == b->sport &&
	       a->tos == b->tos && a->v4 == b->v4;
}

static bool demux_key(const struct sk_buff *skb, bool v4, struct demux_key *key)
{
	return v4 ? demux_key4(skb, key) : demux_key6(skb, key);
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
 * srnic_demux_learn - the stack has let this packet in: remember by which route
 * @ns: the namespace
 * @skb: at LOCAL_IN, for our port
 * @v4: it is IPv4's
 *
 * Context: softirq, or BHs off.
 */
void srnic_demux_learn(struct srnic_netns *ns, struct sk_buff *skb, bool v4)
{
	struct srnic_demux *seen = this_cpu_ptr(ns->demux);
	struct dst_entry *dst = skb_dst(skb);
	struct demux_flow *flow;
	struct demux_key key;

	if (likely(seen->known == skb))
		return;
	if (!dst || dst->flags & DST_METADATA || !demux_key(skb, v4, &key))
		return;
	flow = demux_flow(seen, &key);
	if (flow->dst == dst && demux_alike(&flow->key, &key))
		return;
	if (!dst_hold_safe(dst))
		return;
	dst_release(flow->dst);
	flow->dst = dst;
	flow->cookie = demux_cookie(dst, v4);
	flow->key = key;
}

static void demux(struct sk_buff *skb, const struct net *net, bool v4)
{
	struct srnic_demux *seen = this_cpu_ptr(srnic_netns(net)->demux);
	struct demux_flow *flow;
	struct demux_key key;

	seen->known = NULL;
	if (skb_dst(skb) || !demux_key(skb, v4, &key))
		return;
	flow = demux_flow(seen, &key);
	if (!flow->dst || !demux_alike(&flow->key, &key))
		return;
	if (likely(dst_check(flow->dst, flow->cookie))) {
		skb_dst_set_noref(skb, flow->dst);
		seen->known = skb;
		return;
	}
	dst_release(flow->dst);
	flow->dst = NULL;
}

unsigned int srnic_demux_in4(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	demux(skb, state->net, true);
	return NF_ACCEPT;
}

unsigned int srnic_demux_in6(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	demux(skb, state->net, false);
	return NF_ACCEPT;
}
