/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Multicast groups: to which QPs a datagram for a group is delivered.
 */
#ifndef SRNIC_ENGINE_MCAST_H
#define SRNIC_ENGINE_MCAST_H

#include <linux/list.h>
#include <rdma/ib_verbs.h>
#include "srnic.h"

/**
 * struct srnic_mcast_group - QPs attached to a group; replaced, never changed
 * @node: entry in dev->mcast.groups
 * @mgid: GID of the group
 * @rcu: for freeing after a grace period
 * @user: user that created the group, charged until it ends
 * @count: number of QPs, at least 1
 * @qps: the QPs, without duplicates
 */
struct srnic_mcast_group {
	struct list_head node;
	union ib_gid mgid;
	struct rcu_head rcu;
	struct srnic_user *user;
	u32 count;
	struct srnic_qp *qps[] __counted_by(count);
};

struct srnic_mcast_group *srnic_mcast_find(struct srnic_dev *dev, const u8 mgid[16]);
void srnic_mcast_replace(struct srnic_dev *dev, struct srnic_mcast_group *old,
			 struct srnic_mcast_group *new)
	__must_hold(&dev->mcast.lock);

#endif /* SRNIC_ENGINE_MCAST_H */
