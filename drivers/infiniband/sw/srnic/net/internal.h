/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that only the files of net share.
 */
#ifndef SRNIC_NET_INTERNAL_H
#define SRNIC_NET_INTERNAL_H

#include <linux/mutex.h>
#include <linux/netfilter.h>
#include <net/sock.h>
#include "net/net.h"

#define SRNIC_HOOKS	4

/**
 * struct srnic_netns_port - one UDP port in one network namespace
 * @links: number of devices and GIDs that receive at the port
 * @sock4: IPv4 socket that holds the port and receives the packets that the hook leaves; NULL:
 *	the port is one of IPv6 only
 * @sock6: the same for IPv6; NULL without IPv6
 */
struct srnic_netns_port {
	unsigned int links;
	struct socket *sock4;
	struct socket *sock6;
};

/**
 * struct srnic_netns - this module's state in one network namespace
 * @lock: protects @links, @ports, and opening and closing of the members below
 * @links: number of devices and GIDs that receive here
 * @ports: the ports of RoCEv2 and of InfiniBand
 * @demux: input routes by flow, for each CPU
 * @hooks: netfilter hooks as registered
 * @users: number of references by links and GIDs; the exit of the namespace waits for 0
 */
struct srnic_netns {
	struct mutex lock;	/* see above */
	unsigned int links;
	struct srnic_netns_port ports[2];
	struct srnic_demux __percpu *demux;
	struct nf_hook_ops hooks[SRNIC_HOOKS];
	atomic_t users;
};

static inline bool srnic_port_is_ours(__be16 port)
{
	return port == htons(SRNIC_ROCE_PORT) || port == htons(SRNIC_IB_PORT);
}

/* socket.c */
struct srnic_netns *srnic_netns(const struct net *net);
struct srnic_netns_port *srnic_netns_port(struct srnic_netns *ns, __be16 port);
void srnic_netns_hold(struct srnic_netns *ns);
void srnic_netns_release(struct srnic_netns *ns);

/*
 * Call a hook with BHs off. They are on behind a rule that queues packets for a program, in
 * whose context nf_reinject() calls the remaining hooks.
 */
static __always_inline unsigned int srnic_bhs_off(nf_hookfn *hook, void *priv, struct sk_buff *skb,
						  const struct nf_hook_state *state)
{
	unsigned int verdict;

	if (likely(softirq_count()))
		return hook(priv, skb, state);
	local_bh_disable();
	verdict = hook(priv, skb, state);
	local_bh_enable();
	return verdict;
}

/* hook.c */
extern const struct nf_hook_ops srnic_hooks[SRNIC_HOOKS];
int srnic_hook_init(srnic_rx_fn fn);
void srnic_hook_exit(void);
void srnic_hook_rx(struct srnic_rx *rx);
int srnic_encap_rcv(struct sock *sk, struct sk_buff *skb);

/* demux.c */
int srnic_demux_open(struct srnic_netns *ns);
void srnic_demux_close(struct srnic_netns *ns);
struct srnic_dev *srnic_demux_device(struct srnic_netns *ns, const struct sk_buff *skb, bool v4,
				     u32 epoch);
void srnic_demux_learn(struct srnic_netns *ns, struct sk_buff *skb, bool v4,
		       struct srnic_dev *dev, u32 epoch);
unsigned int srnic_demux_in(void *priv, struct sk_buff *skb, const struct nf_hook_state *state);

/* segment.c */
int srnic_segment_init(void);
void srnic_segment_exit(void);
void srnic_segment_lock(void);
void srnic_segment_unlock(void);
bool srnic_rx_open(struct srnic_rx *rx, struct sk_buff *skb, unsigned int thoff, bool v4);

/**
 * struct srnic_chunk_frag - a piece of a chunk of pages
 * @page: the chunk
 * @off: offset of the piece in the chunk, in bytes
 * @len: bytes of the piece
 */
struct srnic_chunk_frag {
	struct page *page;
	u32 off;
	u32 len;
};

/* chunk.c */
bool srnic_chunk_alloc_frag(struct srnic_chunk_frag *frag, u32 min_len, u32 max_len);
void srnic_chunk_return_tail(const struct page *page, u32 end, u32 left);
bool srnic_chunk_trim(void);
void srnic_chunk_init(void);
void srnic_chunk_exit(void);

/* path.c */
int srnic_path_address(struct srnic_path *path, const union ib_gid *sgid,
		       const struct rdma_ah_attr *ah, u16 sport, __be16 dport);

/* mcast.c: takes RTNL */
int srnic_mcast_join(struct srnic_dev *dev, const union ib_gid *mgid);
void srnic_mcast_leave(struct srnic_dev *dev, const union ib_gid *mgid);

/* membership.c */
int srnic_membership_add(struct srnic_dev *dev, const union ib_gid *mgid);
void srnic_membership_del(struct srnic_dev *dev, const union ib_gid *mgid);

struct srnic_gid_entry;

/* gid.c: process context */
struct srnic_gid_entry *srnic_gid_add(struct srnic_dev *dev, struct net *net,
				      const union ib_gid *gid, struct net_device *ndev, u16 vlan);
struct net *srnic_gid_del(struct srnic_gid_entry *entry);

/* gid.c: RCU read side */
u32 srnic_gid_epoch(void);
struct srnic_dev *srnic_gid_find(const struct net *net, const u8 gid[16], int ifindex,
				 __be16 port);
struct srnic_dev *srnic_gid_find_netdev(const struct net *net, int ifindex, __be16 port);
int srnic_gid_vlan(const struct srnic_dev *dev, const u8 gid[16], int ifindex);
struct sock *srnic_gid_sock(const struct net *net, const u8 gid[16], int ifindex, __be16 port);

/* GIDs have IPv4 addresses in mapped form, ::ffff:a.b.c.d. */
static inline bool srnic_gid_is_v4(const u8 gid[16])
{
	return ipv6_addr_v4mapped((const struct in6_addr *)gid);
}

static inline __be32 srnic_gid_v4(const u8 gid[16])
{
	__be32 addr;

	memcpy(&addr, gid + 12, sizeof(addr));
	return addr;
}

#endif /* SRNIC_NET_INTERNAL_H */
