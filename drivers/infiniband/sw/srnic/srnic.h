/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device structure, which every room uses.
 */
#ifndef SRNIC_H
#define SRNIC_H

#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/rhashtable-types.h>
#include <linux/siphash.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rdma/srnic-abi.h>
#include "compat_verbs.h"
#include "guard/guard.h"
#include "guard/peer.h"
#include "net/txq.h"
#include "stats.h"

#define SRNIC_PORT		1	/* one port per device */
#define SRNIC_PKEY		0xffff	/* default, full member */
#define SRNIC_PKEY_INDEX	0
#define SRNIC_PKEYS		16	/* length of an InfiniBand port's P_Key table */
#define SRNIC_SMI_QPN		0
#define SRNIC_GSI_QPN		1
#define SRNIC_IB_MTU		IB_MTU_2048	/* default: ib0 gets 2044 (RFC 4391, 7) */
#define SRNIC_FIRST_QPN		16	/* first of the cyclic range; IBA reserves some below */
#define SRNIC_LAST_QPN		0xfffffe	/* 0xffffff is multicast (IBA 9.6.1.4) */
#define SRNIC_QP_CACHE_SLOTS	64	/* slots of the direct-mapped QP cache */

/**
 * struct srnic_dev - One link: an ib_device on a netdev
 * @ib: core part
 * @qps: QPN to QP; lookup under RCU, a QP is freed after a grace period
 * @qp_cache: direct-mapped cache for @qps, indexed by QPN; a QP keeps its slot
 *	until it is destroyed
 * @next_qpn: start of the next search for a free QPN
 * @stags: key index to region or window; lookup under RCU
 * @stag_seq: generator of key indices (mem/stag.c)
 * @ahs: number to address handle, for user work requests; lookup under RCU
 * @next_ah: start of the next search for a free number
 * @srqs: number to shared receive queue
 * @next_srq: start of the next search for a free number
 * @mcast: multicast groups with attached QPs; read under RCU
 * @members: underlay groups of an InfiniBand port (net/membership.c)
 * @guard: limits and granted resources
 * @stats: per-CPU counters, named in stat_list.h
 * @stat_sets: counters of QPs that are counted apart
 * @log: log of rejected packets; NULL: not kept
 * @peers: faults of peers and cut-off peers; NULL: not kept
 * @dgram_in: state of senders of sealed datagrams; NULL: none can be opened
 * @txq_group: accounting of packets that the QPs have in the network stack
 * @early: number of early packets that its QPs keep (engine/reorder.c)
 * @held: number of datagrams that its QPs keep (engine/held.c)
 * @idle_work: ends idle connections according to the limit (engine/idle.c)
 * @ndev: lower netdev, held as long as the device lives
 * @ndev_tracker: tracker of the reference to @ndev
 * @net: network namespace of the netdev, in which packets are received; NULL:
 *	not yet
 * @ifindex: ifindex of the netdev in @net
 * @udp_port: UDP destination port of its packets, which tells links on one
 *	netdev apart
 * @pkeys: P_Key table, host order; 0: no P_Key. Entry 0 is always SRNIC_PKEY; the
 *	others are those of an InfiniBand port (fabric/pkey.c), read without a lock
 * @up: port state as last reported, under RTNL
 * @mtu: active MTU as last reported, under RTNL; not used by an InfiniBand port
 * @ib_mtu: active MTU of an InfiniBand port (fabric/mtu.c), read without a lock
 * @ib_max_mtu: largest value of @ib_mtu; constant, because consumers size their buffers by it
 * @no_gso: send packets one by one, because super-packets do not arrive whole
 *	(engine/gso_watch.c)
 * @link_node: entry in main's list of links
 * @tap: receipt of whole frames (net/tap.c); NULL: no flow asks for any
 * @raw: flows that give frames to raw packet QPs (raw/flow.c)
 * @port_gid: IB port: receipt for its GID (net/listen.c)
 * @fabric: management of the port, if it is an InfiniBand port; NULL: RoCE
 * @subnet: nodes that have a part in managing an InfiniBand port (fabric/subnet.c); NULL: none, the
 *	port manages itself
 * @control_node: entry in control's list of devices
 */
struct srnic_dev {
	struct ib_device ib;
	struct xarray qps;
	struct srnic_qp __rcu *qp_cache[SRNIC_QP_CACHE_SLOTS];
	u32 next_qpn;
	struct rhashtable stags;
	struct srnic_stag_seq {
		spinlock_t lock;	/* protects all of it */
		siphash_key_t key;
		siphash_key_t prev_key;	/* key of the previous lap */
		u32 count;
	} stag_seq;
	struct xarray ahs;
	u32 next_ah;
	struct xarray srqs;
	u32 next_srq;
	struct {
		struct mutex lock;	/* groups and joins */
		struct rhashtable groups;
	} mcast;
	struct {
		spinlock_t lock;	/* protects the list */
		struct list_head list;
		struct work_struct work;
	} members;
	struct srnic_guard guard;
	struct srnic_stats __percpu *stats;
	struct srnic_stat_sets stat_sets;
	struct srnic_log *log;
	struct srnic_peers *peers;
	struct srnic_dgram_in *dgram_in;
	struct srnic_txq_group txq_group;
	atomic_t early;
	atomic_t held;
	struct delayed_work idle_work;
	struct net_device *ndev;
	netdevice_tracker ndev_tracker;
	struct net *net;
	int ifindex;
	__be16 udp_port;
	u16 pkeys[SRNIC_PKEYS];
	bool up;
	enum ib_mtu mtu;
	enum ib_mtu ib_mtu;
	enum ib_mtu ib_max_mtu;
	bool no_gso;
	struct list_head link_node;
	struct srnic_tap __rcu *tap;
	struct srnic_raw *raw;
	void *port_gid;
	struct srnic_fabric *fabric; /* IB port; NULL: RoCE */
	struct srnic_subnet __rcu *subnet;
	struct list_head control_node;
};

static inline struct srnic_dev *to_srnic(struct ib_device *ib)
{
	return container_of(ib, struct srnic_dev, ib);
}

/* created by main.c */
extern struct workqueue_struct *srnic_wq;	/* unbound */
extern struct workqueue_struct *srnic_cpu_wq;	/* its work runs where it is queued */

#endif /* SRNIC_H */
