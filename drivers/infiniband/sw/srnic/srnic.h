/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device, and what every room needs of it.
 */
#ifndef SRNIC_H
#define SRNIC_H

#include <linux/netdevice.h>
#include <linux/rhashtable-types.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rdma/srnic-abi.h>
#include "guard/guard.h"
#include "verbs/stats.h"

#define SRNIC_PORT		1	/* one port a device */
#define SRNIC_PKEY		0xffff	/* default, full member */
#define SRNIC_PKEY_INDEX	0
#define SRNIC_GSI_QPN		1

/**
 * struct srnic_dev - one link: an ib_device on a netdev
 * @qps: QPN to QP, looked up under RCU
 * @stags: key index to region or window, under RCU
 * @ahs: number to address handle, for user work requests
 * @mcast: multicast groups with attached QPs
 * @stats: per-CPU counters, named in one table (verbs/stats.c)
 * @control_node: in control's list of devices
 */
struct srnic_dev {
	struct ib_device ib;
	struct xarray qps;
	struct rhashtable stags;
	struct xarray ahs;
	struct xarray srqs;
	struct {
		spinlock_t lock;
		struct list_head groups;	/* RCU */
	} mcast;
	struct srnic_guard guard;
	struct srnic_stats __percpu *stats;
	struct net_device *ndev;	/* lower netdev, while registered */
	netdevice_tracker ndev_tracker;
	u32 mtu;		/* of the lower netdev */
	u64 node_guid_salt;
	struct list_head control_node;
};

static inline struct srnic_dev *to_srnic(struct ib_device *ib)
{
	return container_of(ib, struct srnic_dev, ib);
}

extern struct workqueue_struct *srnic_wq;	/* unbound; main creates it */

#endif /* SRNIC_H */
