// SPDX-License-Identifier: GPL-2.0
/*
 * Receipt for ib_ipoib's netdev. A datagram becomes an sk_buff that shares the pages of the
 * packet, and goes to the network stack. By its receive queue it would cost a buffer of the
 * largest datagram, a copy, and a completion.
 */
#include <linux/if_infiniband.h>
#include <linux/unaligned.h>
#include "compat_net.h"
#include "export.h"
#include "srnic.h"
#include "engine/ipoib.h"
#include "engine/ud_netdev.h"
#include "net/net.h"

/* In front of a datagram, ib_ipoib's packets have an address, which is zero on receipt. */
#define PSEUDO_LEN	INFINIBAND_ALEN
#define MAC_LEN		(PSEUDO_LEN + SRNIC_ENCAP_LEN)

/* A group has this node's own datagrams, too. A hardware address is QPN and GID (RFC 4391, 9.1). */
static bool is_own(const struct srnic_ud_netdev *netdev, const struct srnic_pkt *pkt)
{
	return pkt->sqpn == netdev->qpn &&
	       !memcmp(pkt->ends->sgid, netdev->dev->dev_addr + 4, sizeof(union ib_gid));
}

static u8 type_of(const struct net_device *dev, const struct srnic_pkt *pkt)
{
	if (!srnic_gid_is_multicast(pkt->ends->dgid))
		return PACKET_HOST;
	return memcmp(pkt->ends->dgid, dev->broadcast + 4, sizeof(union ib_gid)) ?
	       PACKET_MULTICAST : PACKET_BROADCAST;
}

static void hand_up(struct srnic_ud_netdev *netdev, const struct srnic_pkt *pkt,
		    struct sk_buff *skb)
{
	struct net_device *dev = netdev->dev;

	skb->protocol = get_unaligned((const __be16 *)skb->data);
	memset(skb_push(skb, PSEUDO_LEN), 0, PSEUDO_LEN);
	skb_reset_mac_header(skb);
	skb_pull(skb, MAC_LEN);
	skb->dev = dev;
	skb->pkt_type = type_of(dev, pkt);
	if (dev->features & NETIF_F_RXCSUM &&
	    srnic_ipoib_csum_ok(pkt->payload, pkt->payload_len))
		skb->ip_summed = CHECKSUM_UNNECESSARY;
	if (skb->pkt_type == PACKET_MULTICAST)
		DEV_STATS_INC(dev, multicast);
	dev_sw_netstats_rx_add(dev, skb->len);
	srnic_ud_backlog_add(netdev, skb, !pkt->seg);
}

/**
 * srnic_ud_netdev_rx() - Receive a datagram
 * @netdev: the netdev
 * @pkt: the packet, all checks passed
 *
 * Context: softirq, or BHs off, under the QP's lock.
 */
void srnic_ud_netdev_rx(struct srnic_ud_netdev *netdev, const struct srnic_pkt *pkt)
{
	struct sk_buff *skb;

	if (unlikely(pkt->payload_len < SRNIC_ENCAP_LEN || pkt->payload_len > netdev->longest)) {
		DEV_STATS_INC(netdev->dev, rx_length_errors);
		DEV_STATS_INC(netdev->dev, rx_errors);
		return;
	}
	if (is_own(netdev, pkt))
		return;
	skb = srnic_rx_lift(pkt, NET_SKB_PAD + PSEUDO_LEN, SRNIC_ENCAP_LEN);
	if (unlikely(!skb)) {
		DEV_STATS_INC(netdev->dev, rx_dropped);
		return;
	}
	hand_up(netdev, pkt, skb);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ud_netdev_rx);
