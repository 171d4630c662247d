// SPDX-License-Identifier: GPL-2.0
/*
 * Receipt. A netfilter hook at the end of LOCAL_IN takes the packets for GIDs of srnic and
 * runs them to completion, super-packets whole: a UDP socket with encap_rcv would get them
 * only after segmentation (udp_unexpected_gso()), and modules have no other entry point.
 *
 * The socket of the namespace (socket.c) is the slow path. It gets the packets that the hook
 * cannot take: the first packet of a flow that connection tracking has yet to confirm,
 * fragment lists, IPv6 with extension headers.
 */
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/xfrm.h>
#if IS_ENABLED(CONFIG_NF_CONNTRACK)
#include <net/netfilter/nf_conntrack.h>
#endif
#include "srnic.h"
#include "net/internal.h"
#include "trace/drop.h"

static srnic_rx_fn hook_rx __ro_after_init;

int __init srnic_hook_init(srnic_rx_fn fn)
{
	hook_rx = fn;
	return srnic_segment_init();
}

void srnic_hook_exit(void)
{
	srnic_segment_exit();
}

/* For packets that have waited (reinject.c); this CPU's scratch is locked. */
void srnic_hook_rx(struct srnic_rx *rx)
{
	hook_rx(rx);
}

/*
 * The very last hook of LOCAL_IN confirms a flow, and may run after this one. If this hook
 * stole the packet before that, the flow would stay NEW for ever.
 */
static bool ct_unconfirmed(const struct sk_buff *skb)
{
#if IS_ENABLED(CONFIG_NF_CONNTRACK)
	enum ip_conntrack_info info;
	const struct nf_conn *ct = nf_ct_get(skb, &info);

	return ct && !nf_ct_is_confirmed(ct);
#else
	return false;
#endif
}

/* Return whether this is UDP to a port of ours, in a form that segment.c can take apart. */
static bool hook_matches(struct sk_buff *skb, unsigned int thoff)
{
	const struct udphdr *uh;
	struct udphdr buf;

	uh = skb_header_pointer(skb, thoff, sizeof(buf), &buf);
	if (!uh || !srnic_port_is_ours(uh->dest))
		return false;
	if (skb_is_gso(skb) && skb_shinfo(skb)->gso_type & SKB_GSO_FRAGLIST)
		return false;
	return !ct_unconfirmed(skb) && pskb_may_pull(skb, thoff + sizeof(*uh));
}

/*
 * Find the device by destination, not by netdev: traffic of a host to itself arrives on lo. A
 * packet to a group is for the device of the netdev that received it. The UDP header is at
 * @thoff, in the linear part.
 */
static struct srnic_dev *hook_find(const struct net *net, const struct sk_buff *skb,
				   unsigned int thoff, bool v4)
{
	__be16 port = ((const struct udphdr *)(skb->data + thoff))->dest;
	struct in6_addr daddr;
	int ifindex;

	if (v4) {
		ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, &daddr);
		ifindex = inet_sdif(skb) ?: inet_iif(skb);
	} else {
		daddr = ipv6_hdr(skb)->daddr;
		ifindex = inet6_sdif(skb) ?: inet6_iif(skb);
	}

	if (srnic_gid_is_multicast(daddr.s6_addr))
		return srnic_gid_find_netdev(net, ifindex, port);
	return srnic_gid_find(net, daddr.s6_addr, ifindex, port);
}

/* Consumes @skb. */
static void hook_deliver(struct srnic_dev *dev, struct sk_buff *skb, unsigned int thoff, bool v4)
{
	struct srnic_rx rx __uninitialized;
	bool whole = srnic_rx_open(&rx, skb, thoff, v4);
	unsigned int packets = whole ? rx.segs : 1;

	if (srnic_peer_cut_off(dev->peers, rx.ends.sgid, packets)) {
		srnic_count_add(dev, peer_cut_off, packets);
		kfree_skb(skb);
		return;
	}
	if (!whole) {
		srnic_count_drop_unparsed(dev, rx.ends.sgid, SRNIC_STAT_malformed);
		kfree_skb(skb);
		return;
	}
	rx.dev = dev;
	rx.ends.ifindex = skb->dev->ifindex;

	srnic_segment_lock();
	hook_rx(&rx);
	srnic_segment_unlock();
}

static bool hook_policy_ok(struct sk_buff *skb, bool v4)
{
	return v4 ? xfrm4_policy_check(NULL, XFRM_POLICY_IN, skb) :
		    xfrm6_policy_check(NULL, XFRM_POLICY_IN, skb);
}

static unsigned int hook_receive(struct srnic_netns *ns, struct sk_buff *skb, unsigned int thoff,
				 const struct nf_hook_state *state)
{
	bool v4 = state->pf == NFPROTO_IPV4;
	u32 epoch = srnic_gid_epoch();
	struct srnic_dev *known = srnic_demux_device(ns, skb, v4, epoch);
	struct srnic_dev *dev = known ?: hook_find(state->net, skb, thoff, v4);

	if (!dev)
		return NF_ACCEPT;
	if (!hook_policy_ok(skb, v4))
		return NF_DROP;

	if (!known)
		srnic_demux_learn(ns, skb, v4, dev, epoch);
	nf_reset_ct(skb);
	hook_deliver(dev, skb, thoff, v4);
	return NF_STOLEN;
}

static unsigned int take_in4(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	unsigned int thoff = ip_hdrlen(skb);

	if (ip_hdr(skb)->protocol != IPPROTO_UDP || !hook_matches(skb, thoff))
		return NF_ACCEPT;
	return hook_receive(priv, skb, thoff, state);
}

static unsigned int take_in6(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	unsigned int thoff = sizeof(struct ipv6hdr);

	if (ipv6_hdr(skb)->nexthdr != IPPROTO_UDP || !hook_matches(skb, thoff))
		return NF_ACCEPT;
	return hook_receive(priv, skb, thoff, state);
}

static unsigned int hook_in4(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	return srnic_bhs_off(take_in4, priv, skb, state);
}

static unsigned int hook_in6(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	return srnic_bhs_off(take_in6, priv, skb, state);
}

/*
 * At LOCAL_IN the hooks run behind every firewall rule, so the firewall has accepted the
 * packets. At PRE_ROUTING they run behind all hooks that change addresses or marks. Each
 * namespace has a copy, whose priv is its struct srnic_netns.
 */
const struct nf_hook_ops srnic_hooks[SRNIC_HOOKS] = {
	{
		.hook = srnic_demux_in,
		.pf = NFPROTO_IPV4,
		.hooknum = NF_INET_PRE_ROUTING,
		.priority = NF_IP_PRI_LAST,
	},
	{
		.hook = srnic_demux_in,
		.pf = NFPROTO_IPV6,
		.hooknum = NF_INET_PRE_ROUTING,
		.priority = NF_IP6_PRI_LAST,
	},
	{
		.hook = hook_in4,
		.pf = NFPROTO_IPV4,
		.hooknum = NF_INET_LOCAL_IN,
		.priority = NF_IP_PRI_LAST,
	},
	{
		.hook = hook_in6,
		.pf = NFPROTO_IPV6,
		.hooknum = NF_INET_LOCAL_IN,
		.priority = NF_IP6_PRI_LAST,
	},
};

/**
 * srnic_encap_rcv() - Receive a datagram from the socket, on the slow path
 * @sk: the namespace's socket for the port
 * @skb: one datagram, from its UDP header on, its IPsec policy checked
 *
 * Context: softirq, RCU read side.
 * Return: 0; @skb has been consumed.
 */
int srnic_encap_rcv(struct sock *sk, struct sk_buff *skb)
{
	bool v4 = ip_hdr(skb)->version == 4;
	struct srnic_dev *dev = NULL;

	if (pskb_may_pull(skb, sizeof(struct udphdr)))
		dev = hook_find(sock_net(sk), skb, 0, v4);
	if (dev)
		hook_deliver(dev, skb, 0, v4);
	else
		kfree_skb(skb);
	return 0;
}
