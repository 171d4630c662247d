/* SPDX-License-Identifier: GPL-2.0 */
/*
 * net - the underlay: sockets of a namespace, routes, outgoing and received bursts,
 * multicast. net knows no QPs: it passes received packets to the engine through one
 * function pointer, which main sets.
 */
#ifndef SRNIC_NET_H
#define SRNIC_NET_H

#include <linux/skbuff.h>
#include <linux/netdevice.h>
#include <net/dst.h>
#include <net/inet_ecn.h>
#include <rdma/ib_verbs.h>
#include "wire/wire.h"
#include "net/txq.h"

struct srnic_dev;

/**
 * struct srnic_path - route to one peer, and the header template
 * @ends: addresses and source port; @ends.iph is the template of the IP header
 * @net: namespace of the GID's netdev
 * @net_held: @net is not the device's namespace, and the path holds a reference to it
 * @oif: index of the GID's netdev, the only one that packets leave by
 * @tos: traffic class
 * @ttl: hop limit
 * @flow_label: IPv6 flow label
 * @ip_id: next IPv4 identification
 * @hash: flow hash of the sk_buffs, so that the stack need not dissect them
 * @icrc: contribution of @ends to the ICRC, by packet length: a few lengths recur
 * @dst: the route, checked against @cookie before each use
 * @cookie: IPv6: generation of the route table when @dst was looked up; IPv4: 0
 *
 * Each connected QP has a path, and each AH. Users serialise (QP's lock, AH's lock).
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
int srnic_path_init_port(struct srnic_path *path, struct srnic_dev *dev, const union ib_gid *sgid,
			 const struct rdma_ah_attr *ah, u16 sport);
void srnic_path_release(struct srnic_path *path);
void srnic_path_set_ect(struct srnic_path *path);
int srnic_path_route(struct srnic_path *path);
u32 srnic_path_max_len(struct srnic_path *path);
bool srnic_path_offloads(const struct srnic_path *path);

/**
 * struct srnic_burst - packets of one QP that leave as one sk_buff
 * @skb: sk_buff being built; has UDP payload only, srnic_burst_close() pushes the headers
 * @path: path to the destination
 * @id: IPv4 identification of segment 0
 * @seg_len: bytes from BTH to ICRC of every segment but the last
 * @segs: number of segments taken so far
 * @max_segs: number of segments that may be taken
 * @frag_tail: next free byte of the current page fragment, NULL if @skb is linear
 * @frag_avail: free bytes from @frag_tail on
 * @short_last: a segment shorter than @seg_len has ended the burst
 *
 * A burst is a single packet or a UDP segmentation super-packet. Each segment's bytes are
 * contiguous. A path has one open burst at a time.
 */
struct srnic_burst {
	struct sk_buff *skb;
	struct srnic_path *path;
	u16 id;
	u16 seg_len;
	u16 segs;
	u16 max_segs;
	u8 *frag_tail;
	u32 frag_avail;
	bool short_last;
};

/* Return whether a segment that is not longer than the others can be added. */
static inline bool srnic_burst_has_room(const struct srnic_burst *burst)
{
	return burst->segs < burst->max_segs && !burst->short_last;
}

/* burst.c */
u16 srnic_burst_max(struct srnic_path *path, u16 seg_len);
int srnic_burst_open(struct srnic_burst *burst, struct srnic_path *path, u16 seg_len, u16 segs);
u8 *srnic_burst_segment(struct srnic_burst *burst, u16 len);
void srnic_burst_undo_segment(struct srnic_burst *burst, u16 len);
u32 srnic_burst_icrc(struct srnic_burst *burst, u16 len, const u8 *bth);
void srnic_burst_close(struct srnic_burst *burst, struct sk_buff_head *out);
void srnic_burst_abort(struct srnic_burst *burst);
int srnic_net_send(struct sk_buff *skb);

/**
 * struct srnic_rx - one packet or super-packet received in one sk_buff
 * @dev: the device whose GID was addressed
 * @skb: the carrier; the srnic_rx_fn that gets the struct srnic_rx frees it
 * @ends: addresses and first IP header, as on the wire
 * @off: offset of segment 0's BTH in @skb
 * @len: bytes from @off to the end of the UDP payload
 * @seg_size: bytes of UDP payload of a segment (the last may have less)
 * @segs: number of segments
 * @seg: index of the next segment
 * @icrc: contribution of the shared headers to the ICRC; NULL: not looked up yet
 * @writable: the payload of the packet that srnic_rx_next() returned may be overwritten
 * @whole: headers and payload of that packet are contiguous; if @writable, both may be
 *	overwritten
 * @linear_writable: all of @skb's linear part may be overwritten
 * @id_fixed: the segments were found to share one IPv4 identification
 * @multicast: the destination is a group
 * @reinjected: the packet was copied out of its first carrier and has waited (reinject.c)
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
	bool whole;
	bool linear_writable;
	bool id_fixed;
	bool multicast;
	bool reinjected;
};

/* segment.c: softirq, or BHs off */
bool srnic_rx_next(struct srnic_rx *rx, struct srnic_pkt *pkt);
bool srnic_rx_icrc_ok(struct srnic_rx *rx, struct srnic_pkt *pkt);

/*
 * Return whether the packets are marked "congestion experienced" (RFC 3168). GRO does not
 * join packets that differ in the mark.
 */
static inline bool srnic_rx_marked(const struct srnic_rx *rx)
{
	u8 field = rx->ends.v4 ? rx->ends.iph[1] : rx->ends.iph[1] >> 4;

	return INET_ECN_is_ce(field);
}

/* lift.c */
struct sk_buff *srnic_rx_lift(const struct srnic_pkt *pkt, u32 headroom, u32 linear);

/* reinject.c */
struct sk_buff *srnic_rx_copy(const struct srnic_rx *rx, const struct srnic_pkt *pkt);
void srnic_rx_free_copy(struct sk_buff *skb);
void srnic_rx_reinject(struct srnic_dev *dev, struct sk_buff *skb);

typedef void (*srnic_rx_fn)(struct srnic_rx *rx);

/* chunk.c: process context or softirq */
u64 srnic_chunk_bytes(void);

/* socket.c: the namespace's ports and hooks, each from its first link or GID to the last */
int srnic_net_init(srnic_rx_fn rx);
void srnic_net_exit(void);
int srnic_net_get(struct net *net, __be16 port);
void srnic_net_put(struct net *net, __be16 port);
bool srnic_net_used(const struct net *net);

/* listen.c: from when to when a device receives for a GID */
struct net *srnic_net_of(const struct net_device *ndev);
#define SRNIC_NO_VLAN	0xffff	/* as ib_core has it */
int srnic_net_gid_add(struct srnic_dev *dev, const union ib_gid *gid, struct net_device *ndev,
		      u16 vlan, void **ctx);
void srnic_net_gid_del(struct srnic_dev *dev, void **ctx);

/* vlan.c */
u16 srnic_net_vlan(struct srnic_dev *dev, const struct srnic_ends *ends);

/* mcast.c: membership in groups of the underlay */
int srnic_net_join(struct srnic_dev *dev, const union ib_gid *mgid);
void srnic_net_leave(struct srnic_dev *dev, const union ib_gid *mgid);

/* membership.c: the same for InfiniBand ports, later */
void srnic_memberships_init(struct srnic_dev *dev);
void srnic_memberships_exit(struct srnic_dev *dev);

#endif /* SRNIC_NET_H */
