// SPDX-License-Identifier: GPL-2.0
/*
 * Frames that a raw packet QP sends: they leave by the netdev of the device, through its queueing
 * discipline, as those of a packet socket do.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <net/sock.h>
#include "compat_net.h"
#include "export.h"
#include "srnic.h"
#include "net/frame.h"

/**
 * srnic_frame_fits() - Return whether a netdev can send a frame of this length
 * @ndev: the netdev
 * @frame: first ETH_HLEN bytes of the frame, if it has as many
 * @len: bytes of the frame
 *
 * As for packet sockets, a VLAN header does not count (IEEE 802.3, 3.2.7).
 *
 * Context: any.
 */
bool srnic_frame_fits(const struct net_device *ndev, const u8 *frame, u32 len)
{
	u32 max = READ_ONCE(ndev->mtu) + ETH_HLEN;

	if (len < ETH_HLEN)
		return false;
	if (eth_type_vlan(((const struct ethhdr *)frame)->h_proto))
		max += VLAN_HLEN;
	return len <= max;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_frame_fits);

/**
 * srnic_frame_alloc() - Allocate the sk_buff of a frame
 * @ndev: netdev to send it by
 * @len: bytes of the frame, at least ETH_HLEN; the caller writes them to skb->data
 *
 * Context: any up to softirq.
 * Return: the sk_buff, or %NULL if there is no memory.
 */
struct sk_buff *srnic_frame_alloc(struct net_device *ndev, u32 len)
{
	u32 head = LL_RESERVED_SPACE(ndev);
	struct sk_buff *skb = alloc_skb(head + len + ndev->needed_tailroom,
					GFP_ATOMIC | __GFP_NOWARN);

	if (!skb)
		return NULL;
	skb_reserve(skb, head);
	skb_put(skb, len);
	skb->dev = ndev;
	skb->protocol = SRNIC_FRAME_PROTOCOL;
	return skb;
}

/* The device whose QP has sent a frame, as long as that may still send */
static struct srnic_dev *frame_dev(const struct sk_buff *skb)
{
	struct srnic_txq *txq = skb->sk ? rcu_dereference_sk_user_data(skb->sk) : NULL;

	return txq ? container_of(txq->group, struct srnic_dev, txq_group) : NULL;
}

/* The stack, and filters of tc, read these fields. */
static void frame_set_headers(struct sk_buff *skb)
{
	const struct ethhdr *eth = (const struct ethhdr *)skb->data;
	u32 depth = ETH_HLEN;

	skb_reset_mac_header(skb);
	skb->protocol = eth_proto_is_802_3(eth->h_proto) ? eth->h_proto : htons(ETH_P_802_2);
	if (eth_type_vlan(eth->h_proto) && skb->len >= VLAN_ETH_HLEN)
		depth = VLAN_ETH_HLEN;
	skb_set_network_header(skb, depth);
	skb_reset_mac_len(skb);
	skb_probe_transport_header(skb);
}

/**
 * srnic_frame_xmit() - Hand a frame to the queueing discipline of its netdev
 * @skb: from srnic_frame_alloc(), charged to its sender; consumed
 *
 * A netdev that has moved to another namespace sends nothing for a process of the old one.
 *
 * Context: any up to softirq, under RCU, no lock of srnic held.
 * Return: as srnic_net_send().
 */
int srnic_frame_xmit(struct sk_buff *skb)
{
	struct srnic_dev *dev = frame_dev(skb);
	struct sk_buff *copy = NULL;
	int err;

	if (!skb->sk || !net_eq(dev_net(skb->dev), sock_net(skb->sk))) {
		kfree_skb(skb);
		return -ENODEV;
	}
	frame_set_headers(skb);
	if (dev && is_multicast_ether_addr(skb->data))
		copy = srnic_tap_copy(dev, skb);
	err = dev_queue_xmit(skb);
	/* a frame that a full queue has dropped is built again, and returns then */
	if (copy && err != NET_XMIT_DROP)
		srnic_tap_loop(dev, copy);
	else
		kfree_skb(copy);
	return err;
}
