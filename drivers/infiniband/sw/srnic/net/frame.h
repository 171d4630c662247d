/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whole Ethernet frames, which raw packet QPs send and receive on the device's netdev.
 */
#ifndef SRNIC_NET_FRAME_H
#define SRNIC_NET_FRAME_H

#include <linux/if_vlan.h>
#include <linux/skbuff.h>

struct srnic_dev;

/* Most bytes of a frame: with a VLAN header, of a netdev with the largest MTU */
#define SRNIC_FRAME_MAX		(VLAN_ETH_HLEN + ETH_MAX_MTU)

/* Marks a frame among the packets that srnic_net_send() gets; the stack never sees it. */
#define SRNIC_FRAME_PROTOCOL	htons(ETH_P_LOOPBACK)

/* frame.c */
bool srnic_frame_fits(const struct net_device *ndev, const u8 *frame, u32 len);
struct sk_buff *srnic_frame_alloc(struct net_device *ndev, u32 len);
int srnic_frame_xmit(struct sk_buff *skb);

/**
 * struct srnic_tap - Receipt of all frames of a netdev, as long as somebody wants some
 * @pt: registration with the stack
 * @net: namespace of the netdev when the tap was opened
 * @rx: gets each frame, under RCU, with BHs off; must not change it
 * @arg: passed to @rx
 * @loop: frames for groups that raw packet QPs of this device have sent
 * @loop_work: passes @loop to @rx
 */
struct srnic_tap {
	struct packet_type pt;
	struct net *net;
	void (*rx)(struct sk_buff *skb, void *arg);
	void *arg;
	struct sk_buff_head loop;
	struct work_struct loop_work;
};

/* tap.c: one call at a time for each device, in process context */
int srnic_tap_open(struct srnic_dev *dev, void (*rx)(struct sk_buff *skb, void *arg), void *arg);
void srnic_tap_close(struct srnic_dev *dev);
/* any context up to softirq */
struct sk_buff *srnic_tap_copy(struct srnic_dev *dev, struct sk_buff *skb);
void srnic_tap_loop(struct srnic_dev *dev, struct sk_buff *copy);
int srnic_frame_read(const struct sk_buff *skb, u8 *buf, u32 len);
struct sk_buff *srnic_frame_split(struct sk_buff *skb);

#endif /* SRNIC_NET_FRAME_H */
