/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device, and what every room needs of it.
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
#include "guard/guard.h"
#include "guard/peer.h"
#include "net/txq.h"
#include "stats.h"

#define SRNIC_PORT		1	/* one port a device */
#define SRNIC_PKEY		0xffff	/* default, full member */
#define SRNIC_PKEY_INDEX	0
#define SRNIC_GSI_QPN		1
#define SRNIC_FIRST_QPN		16	/* of the cyclic range, above what IBA reserves */
#define SRNIC_LAST_QPN		0xfffffe	/* 0xffffff is multicast (IBA 9.6.1.4) */
#define SRNIC_NEAR_QPS		64	/* found at one glance */

/**
 * struct srnic_dev - one link: an ib_device on a netdev
 * @ib: the core's part
 * @qps: QPN to QP, looked up under RCU; a QP's memory outlives its grace period
 * @near_qps: of those that share a place here the first that came, while it lasts
 * @next_qpn: where the numbers have got to
 * @stags: key index to region or window, under RCU
 * @stag_seq: where the walk over key indices stands (mem/stag.c)
 * @ahs: number to address handle, for user work requests, under RCU
 * @next_ah: where the numbers have got to
 * @srqs: number to shared receive queue
 * @next_srq: where the numbers have got to
 * @mcast: multicast groups with attached QPs, read under RCU
 * @guard: limits, and what has been granted
 * @stats: per-CPU counters, named in stat_list.h
 * @log: what was refused; NULL: nobody keeps it
 * @peers: who did it, and who is cut off for it; NULL: nobody counts
 * @dgram_in: who seals datagrams to us; NULL: nobody can
 * @txq_group: what its QPs have in the stack together
 * @idle_work: ends connections by rule (engine/idle.c)
 * @ndev: lower netdev, held as long as the device lives
 * @ndev_tracker: of that reference
 * @net: the netdev's namespace, in which it receives; NULL: not yet
 * @ifindex: the netdev's, there
 * @up: the port's state as last reported, under RTNL
 * @mtu: likewise the active MTU
 * @singly: no super-packets are built, for they do not arrive whole (engine/cutting.c)
 * @control_node: in control's list of devices
 */
struct srnic_dev {
	struct ib_device ib;
	struct xarray qps;
	struct srnic_qp __rcu *near_qps[SRNIC_NEAR_QPS];
	u32 next_qpn;
	struct rhashtable stags;
	struct srnic_stag_seq {
		spinlock_t lock;	/* of all of it */
		siphash_key_t key;
		siphash_key_t former;	/* the lap's before */
		u32 count;
	} stag_seq;
	struct xarray ahs;
	u32 next_ah;
	struct xarray srqs;
	u32 next_srq;
	struct {
		struct mutex lock;	/* groups, and joins */
		struct list_head groups;
	} mcast;
	struct srnic_guard guard;
	struct srnic_stats __percpu *stats;
	struct srnic_log *log;
	struct srnic_peers *peers;
	struct srnic_dgram_in *dgram_in;
	struct srnic_txq_group txq_group;
	struct delayed_work idle_work;
	struct net_device *ndev;
	netdevice_tracker ndev_tracker;
	struct net *net;
	int ifindex;
	bool up;
	enum ib_mtu mtu;
	bool singly;
	struct list_head control_node;
};

static inline struct srnic_dev *to_srnic(struct ib_device *ib)
{
	return container_of(ib, struct srnic_dev, ib);
}

extern struct workqueue_struct *srnic_wq;	/* unbound; main creates it */

/* main.c: the two ends of a device's life that only main knows, for the table of operations */
int srnic_enable_driver(struct ib_device *ib);
void srnic_dealloc_driver(struct ib_device *ib);

#endif /* SRNIC_H */
