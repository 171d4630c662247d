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
#include <rdma/ib_verbs.h>
#include "../wire/wire.h"

struct srnic_dev;

/*
 * path.c: a route to one peer, cached with its dst cookie, and the header
 * template. One a connected QP, one an AH. Users serialise (QP's lock, AH's lock).
 */
struct srnic_path {
	struct srnic_ends ends;	/* sgid, dgid, sport, v4; iph is the template */
	struct net *net;
	int oif;
	u8 tos;
	u8 ttl;
	__be32 flow_label;
	u16 ip_id;		/* next IPv4 id */
	bool local;		/* dst is this host (lo) */
	struct dst_entry *dst;
	u32 cookie;
	u8 dmac[ETH_ALEN];
};

/* Fills @path from the GID table entry and the address vector. Does not route yet. */
int srnic_path_init(struct srnic_path *path, const struct ib_gid_attr *sgid_attr,
		    const struct rdma_ah_attr *ah, u16 sport);
void srnic_path_release(struct srnic_path *path);
/* Makes sure that path->dst is valid. 0 or -EHOSTUNREACH, -ENETDOWN. Any context to softirq. */
int srnic_path_route(struct srnic_path *path);
/* bytes of BTH..ICRC that fit the route's MTU */
u32 srnic_path_room(struct srnic_path *path);

/*
 * burst.c: packets of one QP that leave as one: a single sk_buff, or a UDP
 * segmentation super-packet in which every segment but the last has the same
 * length. Each segment's bytes (BTH to ICRC) are contiguous.
 */
struct srnic_burst {
	struct sk_buff *skb;
	struct srnic_path *path;
	u16 id;			/* IPv4 id of segment 0 */
	u16 seg_len;
	u16 segs;
	u16 max;
	u8 *room;		/* current chunk */
	u32 room_left;
	bool short_last;	/* a short segment ends the burst */
};

/* How many segments of @seg_len one burst can take (at least 1). */
u16 srnic_burst_max(struct srnic_path *path, u16 seg_len);
/* Allocates for @segs segments of @seg_len bytes at most. 0 or -ENOMEM. GFP_ATOMIC. */
int srnic_burst_open(struct srnic_burst *burst, struct srnic_path *path, u16 seg_len, u16 segs);
/* The next segment: @len == seg_len, or shorter, which makes it the last. NULL if full. */
u8 *srnic_burst_segment(struct srnic_burst *burst, u16 len);
/* CRC over headers of the segment just taken; see srnic_icrc_begin */
u32 srnic_burst_icrc(const struct srnic_burst *burst, u16 len, const u8 *bth);
/* Finishes the sk_buff (UDP, IP, segmentation) and appends it to @out. */
void srnic_burst_close(struct srnic_burst *burst, struct sk_buff_head *out);
void srnic_burst_abort(struct srnic_burst *burst);
/* Sends all of @out, no lock of srnic held. Returns the packets refused by the stack. */
unsigned int srnic_net_send(struct sk_buff_head *out);

/*
 * rx.c: what came in with one sk_buff: one packet or a super-packet. next() hands
 * the packets out one by one, parsed, headers and payload contiguous (in the
 * carrier, or in per-CPU scratch where the carrier has them apart; valid until
 * the following next()). Malformed ones are counted and skipped.
 */
struct srnic_rx {
	struct srnic_dev *dev;	/* whose GID was addressed */
	struct sk_buff *skb;
	struct srnic_ends ends;
	u32 off;		/* of segment 0's BTH */
	u32 seg_size;		/* UDP payload a segment */
	u16 segs;
	u16 seg;		/* next */
	bool writable;		/* payload may be decrypted in place */
	bool id_fixed;		/* segments were found to share one IPv4 id */
	bool multicast;
};

bool srnic_rx_next(struct srnic_rx *rx, struct srnic_pkt *pkt);
/* checks the ICRC of what next() returned (IPv4: tries id + seg, then a fixed id) */
bool srnic_rx_icrc_ok(struct srnic_rx *rx, struct srnic_pkt *pkt);

typedef void (*srnic_rx_fn)(struct srnic_rx *rx);
int srnic_net_init(srnic_rx_fn rx);
void srnic_net_exit(void);

/* socket.c: the namespace's port and hooks, from first link to last. 0, -EADDRINUSE ... */
int srnic_net_get(struct net *net);
void srnic_net_put(struct net *net);

/* gid.c: destination GID to device, per namespace */
int srnic_net_gid_add(struct srnic_dev *dev, const union ib_gid *gid, struct net_device *ndev,
		      void **ctx);
void srnic_net_gid_del(void **ctx);

/* mcast.c: joins on the underlay */
int srnic_net_join(struct net_device *ndev, const union ib_gid *mgid);
void srnic_net_leave(struct net_device *ndev, const union ib_gid *mgid);

#endif /* SRNIC_NET_H */
