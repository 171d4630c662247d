// SPDX-License-Identifier: GPL-2.0
/*
 * Received packets that must wait, for example for a key. Such a packet is copied out of its
 * carrier, and is received again, alone, when the wait is over.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include "srnic.h"
#include "net/internal.h"

static u32 ip_len(bool v4)
{
	return v4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);
}

/* The ICRC covers the identification that segmentation gave the packet, or would give it. */
static void put_ip(struct sk_buff *skb, const struct srnic_rx *rx, const struct srnic_pkt *pkt)
{
	struct iphdr *iph = skb_put_data(skb, rx->ends.iph, ip_len(rx->ends.v4));

	if (rx->ends.v4 && !rx->id_fixed)
		iph->id = htons(ntohs(iph->id) + pkt->seg);
}

static void put_udp(struct sk_buff *skb, const struct srnic_rx *rx, const struct srnic_pkt *pkt)
{
	struct udphdr *uh = skb_put_zero(skb, sizeof(*uh));

	uh->source = rx->ends.sport;
	uh->dest = rx->ends.dport;
	uh->len = htons(sizeof(*uh) + pkt->len);
}

/**
 * srnic_rx_copy() - Copy a packet out of its carrier
 * @rx: the carrier
 * @pkt: packet as srnic_rx_next() returned it, ICRC checked, payload as received
 *
 * Context: softirq, or BHs off.
 * Return: a copy for srnic_rx_reinject() or srnic_rx_free_copy(), or NULL if memory is short.
 */
struct sk_buff *srnic_rx_copy(const struct srnic_rx *rx, const struct srnic_pkt *pkt)
{
	u32 front = ip_len(rx->ends.v4) + sizeof(struct udphdr);
	u32 hdr_len = pkt->hdr_len + pkt->sth_len;
	struct sk_buff *skb;

	skb = alloc_skb(front + pkt->len, GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return NULL;
	skb_reset_network_header(skb);
	skb->protocol = rx->ends.v4 ? htons(ETH_P_IP) : htons(ETH_P_IPV6);
	skb->dev = rx->skb->dev;
	dev_hold(skb->dev);
	put_ip(skb, rx, pkt);
	put_udp(skb, rx, pkt);
	skb_put_data(skb, pkt->hdr, hdr_len);
	skb_put_data(skb, pkt->payload, pkt->len - hdr_len);
	return skb;
}

/**
 * srnic_rx_free_copy() - Free a packet that is not received again
 * @skb: copy made by srnic_rx_copy()
 *
 * Context: process or softirq.
 */
void srnic_rx_free_copy(struct sk_buff *skb)
{
	dev_put(skb->dev);
	kfree_skb(skb);
}

/**
 * srnic_rx_reinject() - Receive a packet that has waited
 * @dev: the device that received it first
 * @skb: copy made by srnic_rx_copy(); consumed
 *
 * Context: process.
 */
void srnic_rx_reinject(struct srnic_dev *dev, struct sk_buff *skb)
{
	bool v4 = skb->protocol == htons(ETH_P_IP);
	struct net_device *ndev = skb->dev;
	struct srnic_rx rx __uninitialized;

	local_bh_disable();
	if (WARN_ON_ONCE(!srnic_rx_open(&rx, skb, ip_len(v4), v4))) {
		kfree_skb(skb);
		goto out;
	}
	rx.dev = dev;
	rx.ends.ifindex = ndev->ifindex;
	rx.reinjected = true;
	srnic_segment_lock();
	srnic_hook_rx(&rx);
	srnic_segment_unlock();
out:
	local_bh_enable();
	dev_put(ndev);
}
