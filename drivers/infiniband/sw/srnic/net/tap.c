// SPDX-License-Identifier: GPL-2.0
/*
 * Receipt of whole frames for raw packet QPs, from the netdev's list of packet taps: it is empty
 * unless somebody wants frames, so packets of RoCE pay nothing for it. The stack gets each packet,
 * too. As on the port of a NIC, frames for groups come back to the QPs of the device itself.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <net/gso.h>
#include "compat.h"
#include "compat_net.h"
#include "export.h"
#include "srnic.h"
#include "net/frame.h"

/* Frames for groups that may wait for their return */
#define LOOP_MAX	256

/* Return where the Ethernet header begins, from skb->data on: before it, unless it was sent. */
static int frame_start(const struct sk_buff *skb)
{
	return skb_mac_header(skb) - skb->data;
}

static bool has_ethernet_header(const struct sk_buff *skb)
{
	return skb_mac_header_was_set(skb) && (int)skb->len - frame_start(skb) >= ETH_HLEN;
}

static int tap_rcv(struct sk_buff *skb, struct net_device *ndev, struct packet_type *pt,
		   struct net_device *orig)
{
	struct srnic_tap *tap = container_of(pt, struct srnic_tap, pt);

	/* not what this host has sent; and a netdev that has moved serves another namespace */
	if (skb->pkt_type != PACKET_OUTGOING && skb->pkt_type != PACKET_LOOPBACK &&
	    net_eq(dev_net(ndev), tap->net) && has_ethernet_header(skb))
		tap->rx(skb, tap->arg);
	consume_skb(skb);
	return NET_RX_SUCCESS;
}

static void tap_loop_work(struct work_struct *work)
{
	struct srnic_tap *tap = container_of(work, struct srnic_tap, loop_work);
	struct sk_buff *skb;

	local_bh_disable();
	rcu_read_lock();
	while ((skb = skb_dequeue(&tap->loop))) {
		tap->rx(skb, tap->arg);
		consume_skb(skb);
	}
	rcu_read_unlock();
	local_bh_enable();
}

/**
 * srnic_tap_copy() - Copy a frame for a group, to return it to the raw packet QPs of its device
 * @dev: the device
 * @skb: the frame, about to be sent; its MAC header is set
 *
 * Context: any up to softirq, under RCU.
 * Return: the copy, for srnic_tap_loop(); %NULL if nobody receives, or many wait already.
 */
struct sk_buff *srnic_tap_copy(struct srnic_dev *dev, struct sk_buff *skb)
{
	struct srnic_tap *tap = rcu_dereference(dev->tap);

	if (!tap || skb_queue_len_lockless(&tap->loop) >= LOOP_MAX)
		return NULL;
	return skb_clone(skb, GFP_ATOMIC | __GFP_NOWARN);
}

/**
 * srnic_tap_loop() - Return a frame for a group to the raw packet QPs of its device
 * @dev: the device
 * @copy: of the frame; consumed
 *
 * A work item receives it: many QPs that send to each other must not nest.
 *
 * Context: any up to softirq, in the same RCU section as srnic_tap_copy().
 */
void srnic_tap_loop(struct srnic_dev *dev, struct sk_buff *copy)
{
	struct srnic_tap *tap = rcu_dereference(dev->tap);

	if (!tap) {
		kfree_skb(copy);
		return;
	}
	skb_queue_tail(&tap->loop, copy);
	queue_work(system_bh_wq, &tap->loop_work);
}

/**
 * srnic_tap_open() - Receive the frames of a device's netdev
 * @dev: the device, whose tap is closed
 * @rx: gets each frame or super-packet, under RCU, with BHs off; it must not change it
 * @arg: passed to @rx
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int srnic_tap_open(struct srnic_dev *dev, void (*rx)(struct sk_buff *skb, void *arg), void *arg)
{
	struct srnic_tap *tap = kzalloc(sizeof(*tap), GFP_KERNEL_ACCOUNT);

	if (!tap)
		return -ENOMEM;
	skb_queue_head_init(&tap->loop);
	INIT_WORK(&tap->loop_work, tap_loop_work);
	tap->net = dev->net;
	tap->rx = rx;
	tap->arg = arg;
	tap->pt.type = htons(ETH_P_ALL);
	tap->pt.dev = dev->ndev;
	tap->pt.func = tap_rcv;
	tap->pt.ignore_outgoing = true;
	rcu_assign_pointer(dev->tap, tap);
	dev_add_pack(&tap->pt);
	return 0;
}

/**
 * srnic_tap_close() - Undo srnic_tap_open(), and wait until no frame is being received
 * @dev: the device; nothing happens if its tap is closed
 *
 * Context: process.
 */
void srnic_tap_close(struct srnic_dev *dev)
{
	struct srnic_tap *tap = rcu_dereference_protected(dev->tap, true);

	if (!tap)
		return;
	RCU_INIT_POINTER(dev->tap, NULL);
	dev_remove_pack(&tap->pt);
	/* dev_remove_pack() has waited for RCU: nobody adds to the queue any more */
	cancel_work_sync(&tap->loop_work);
	skb_queue_purge(&tap->loop);
	kfree(tap);
}

/**
 * srnic_frame_read() - Copy the first bytes of a received frame
 * @skb: the frame; its VLAN header may be beside it
 * @buf: memory for @len bytes
 * @len: at least VLAN_ETH_HLEN
 *
 * Context: any.
 * Return: bytes copied: @len, or fewer if the frame is shorter.
 */
int srnic_frame_read(const struct sk_buff *skb, u8 *buf, u32 len)
{
	const int start = frame_start(skb);
	int have = min_t(int, len, (int)skb->len - start);

	if (have < ETH_HLEN || skb_copy_bits(skb, start, buf, have))
		return 0;
	if (!skb_vlan_tag_present(skb))
		return have;

	have = min_t(int, have, len - VLAN_HLEN);
	memmove(buf + 2 * ETH_ALEN + VLAN_HLEN, buf + 2 * ETH_ALEN, have - 2 * ETH_ALEN);
	*(__be16 *)(buf + 2 * ETH_ALEN) = skb->vlan_proto;
	*(__be16 *)(buf + 2 * ETH_ALEN + 2) = htons(skb_vlan_tag_get(skb));
	return have + VLAN_HLEN;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_frame_read);

/* Give each frame of a list its VLAN header. Those without memory for it are lost. */
static struct sk_buff *frames_with_tags(struct sk_buff *list)
{
	struct sk_buff *first = NULL, **end = &first;
	struct sk_buff *skb, *next;

	skb_list_walk_safe(list, skb, next) {
		skb_mark_not_on_list(skb);
		if (skb_vlan_tag_present(skb))
			skb = __vlan_hwaccel_push_inside(skb);
		if (!skb)
			continue;
		*end = skb;
		end = &skb->next;
	}
	return first;
}

/*
 * Cut a private copy of a super-packet. Segmentation writes to headers, which the copy therefore
 * has of its own.
 */
static struct sk_buff *frames_cut(struct sk_buff *copy)
{
	struct sk_buff *list = NULL;

	if (!skb_unclone(copy, GFP_ATOMIC))
		list = __skb_gso_segment(copy, NETIF_F_SG, false);
	kfree_skb(copy);
	return IS_ERR_OR_NULL(list) ? NULL : list;
}

/**
 * srnic_frame_split() - Make the frames that were on the wire, of what the stack has received
 * @skb: a frame or a super-packet; is not changed
 *
 * Super-packets are cut, checksums that are left to a device are computed, and VLAN headers are
 * where they belong.
 *
 * Context: softirq, or BHs off.
 * Return: a list of frames by @next, which begin with the Ethernet header, for
 * kfree_skb_list(); %NULL: no memory, or it cannot be cut.
 */
struct sk_buff *srnic_frame_split(struct sk_buff *skb)
{
	int start = frame_start(skb);
	struct sk_buff *copy;

	if (!skb_frags_readable(skb))
		return NULL;
	copy = skb_clone(skb, GFP_ATOMIC | __GFP_NOWARN);
	if (!copy)
		return NULL;
	if (start < 0)
		skb_push(copy, -start);
	if (skb_is_gso(copy)) {
		copy = frames_cut(copy);
	} else if (copy->ip_summed == CHECKSUM_PARTIAL && skb_checksum_help(copy)) {
		kfree_skb(copy);
		copy = NULL;
	}
	return frames_with_tags(copy);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_frame_split);
