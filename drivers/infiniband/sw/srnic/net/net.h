/* SPDX-License-Identifier: GPL-2.0 */
/*
 * net - the underlay: sockets a namespace, routes, bursts out, bursts in,
 * multicast. Knows no QP: receipt reaches engine through one function pointer
 * that main sets.
 */
#ifndef SRNIC_NET_H
#define SRNIC_NET_H

#include <linux/skbuff.h>
#include <linux/netdevice.h>
#include <net/dst.h>
#include <net/inet_ecn.h>
#include <rdma/ib_verbs.h>
#include "../wire/wire.h"
#include "txq.h"

struct srnic_dev;

/**
 * struct srnic_path - a route to one peer and the header template
 * @ends: addresses and source port; @ends.iph is the template of the IP header
 * @net: namespace of the GID's netdev
 * @net_held: it is not the device's, and there is a reference to it
 * @oif: index of the GID's netdev: every packet leaves by it
 * @tos: traffic class
 * @ttl: hop limit
 * @flow_label: IPv6 flow label
 * @ip_id: next IPv4 identification
 * @hash: flow hash that the sk_buffs carry, so that no one dissects them
 * @icrc: what @ends adds to the ICRC, by packet length: a few of them recur
 * @dst: the route, checked against @cookie before each use
 * @cookie: IPv6: the route table's generation when @dst was looked up
 *
 * One a connected QP, one an AH. Users serialise (QP's lock, AH's lock).
 */
struct srnic_path {
	struct srnic_ends ends;
	struct net *net;
	int oif;
	bool net_held;
	u8 tos;
	u8 ttl;
	__be32 flow_label;
	u16 ip_id;
	u32 hash;
	struct srnic_icrc_base icrc[8];
	struct dst_entry *dst;
	u32 cookie;
};

/* path.c */
int srnic_path_init(struct srnic_path *path, const struct ib_gid_attr *sgid_attr,
		    const struct rdma_ah_attr *ah, u16 sport);
void srnic_path_release(struct srnic_path *path);
void srnic_path_set_ect(struct srnic_path *path);
int srnic_path_route(struct srnic_path *path);
u32 srnic_path_room(struct srnic_path *path);
bool srnic_path_offloads(const struct srnic_path *path);

/**
 * struct srnic_burst - packets of one QP that leave as one sk_buff
 * @skb: being built; payload only, headers are put in front by close
 * @path: where to
 * @id: IPv4 identification of segment 0
 * @seg_len: bytes from BTH to ICRC of every segment but the last
 * @segs: segments taken so far
 * @max: segments that may be taken
 * @room: next free byte of the current page fragment, NULL if @skb is linear
 * @room_left: bytes behind it
 * @short_last: a short segment has ended the burst
 *
 * A single packet, or a UDP segmentation super-packet. Each segment's bytes are
 * contiguous. One burst of a path is open at a time.
 */
struct srnic_burst {
	struct sk_buff *skb;
	struct srnic_path *path;
	u16 id;
	u16 seg_len;
	u16 segs;
	u16 max;
	u8 *room;
	u32 room_left;
	bool short_last;
};

/* burst.c */
u16 srnic_burst_max(struct srnic_path *path, u16 seg_len);
int srnic_burst_open(struct srnic_burst *burst, struct srnic_path *path, u16 seg_len, u16 segs);
u8 *srnic_burst_segment(struct srnic_burst *burst, u16 len);
void srnic_burst_untake(struct srnic_burst *burst, u16 len);
u32 srnic_burst_icrc(struct srnic_burst *burst, u16 len, const u8 *bth);
void srnic_burst_close(struct srnic_burst *burst, struct sk_buff_head *out);
void srnic_burst_abort(struct srnic_burst *burst);
int srnic_net_send(struct sk_buff *skb);

/**
 * struct srnic_rx - what came in with one sk_buff: one packet or a super-packet
 * @dev: the device whose GID was addressed
 * @skb: the carrier; whoever is given the srnic_rx frees it
 * @ends: addresses and first IP header, as on the wire
 * @off: offset of segment 0's BTH in @skb
 * @len: bytes from there to the end of the UDP payload
 * @seg_size: UDP payload of a segment (the last may have less)
 * @segs: segments in all
 * @seg: the next one
 * @icrc: of the headers that they share, once it has been looked up
 * @writable: the payload of the packet that next() returned may be overwritten
 * @linear_writable: so may all of @skb's linear part
 * @id_fixed: the segments were found to share one IPv4 id
 * @multicast: the destination is a group
 * @again: it was taken out of what it came in, and has waited: again.c
 */
struct srnic_rx {
	struct srnic_dev *dev;
	struct sk_buff *skb;
	struct srnic_ends ends;
	u32 off;
	u32 len;
	u32 seg_size;
	u16 segs;
	u16 seg;
	struct srnic_icrc_base *icrc;
	bool writable;
	bool linear_writable;
	bool id_fixed;
	bool multicast;
	bool again;
};

/* segment.c: softirq, or BHs off */
bool srnic_rx_next(struct srnic_rx *rx, struct srnic_pkt *pkt);
bool srnic_rx_icrc_ok(struct srnic_rx *rx, struct srnic_pkt *pkt);

/* Congestion experienced (RFC 3168): GRO joins no packets that differ in it. */
static inline bool srnic_rx_marked(const struct srnic_rx *rx)
{
	u8 field = rx->ends.v4 ? rx->ends.iph[1] : rx->ends.iph[1] >> 4;

	return INET_ECN_is_ce(field);
}

/* again.c */
struct sk_buff *srnic_rx_copy(const struct srnic_rx *rx, const struct srnic_pkt *pkt);
void srnic_rx_forget(struct sk_buff *skb);
void srnic_rx_again(struct srnic_dev *dev, struct sk_buff *skb);

typedef void (*srnic_rx_fn)(struct srnic_rx *rx);

/* chunk.c: process context or softirq */
u64 srnic_chunk_kept(void);

/* socket.c: the namespace's port and hooks, from first link to last */
int srnic_net_init(srnic_rx_fn rx);
void srnic_net_exit(void);
int srnic_net_get(struct net *net);
void srnic_net_put(struct net *net);

/* gid.c: destination GID to device, per namespace */
int srnic_net_gid_add(struct srnic_dev *dev, const union ib_gid *gid, struct net_device *ndev,
		      void **ctx);
void srnic_net_gid_del(void **ctx);

/* mcast.c: joins on the underlay */
int srnic_net_join(struct srnic_dev *dev, const union ib_gid *mgid);
void srnic_net_leave(struct srnic_dev *dev, const union ib_gid *mgid);

#endif /* SRNIC_NET_H */
