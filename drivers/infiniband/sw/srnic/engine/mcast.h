/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Multicast groups: to which QPs a datagram for a group is delivered.
 */
#ifndef SRNIC_ENGINE_MCAST_H
#define SRNIC_ENGINE_MCAST_H

#include <linux/rhashtable-types.h>
#include <rdma/ib_verbs.h>
#include "compat.h"
#include "srnic.h"

/**
 * struct srnic_mcast_group - QPs attached to a group; receipt sees it replaced, never changed
 * @node: entry in dev->mcast.groups
 * @mgid: GID of the group, the key
 * @rcu: for freeing after a grace period
 * @user: user that created the group, charged until it ends
 * @count: number of QPs, at least 1
 * @member: the QPs, without duplicates. @attached is how often the QP must be detached, under
 *	dev->mcast.lock: uverbs counts an attachment for each LID
 */
struct srnic_mcast_group {
	struct rhash_head node;
	union ib_gid mgid;
	struct rcu_head rcu;
	struct srnic_user *user;
	u32 count;
	struct srnic_mcast_member {
		struct srnic_qp *qp;
		u32 attached;
	} member[] __counted_by(count);
};

int srnic_mcast_init(struct srnic_dev *dev);
void srnic_mcast_exit(struct srnic_dev *dev);
struct srnic_mcast_group *srnic_mcast_find(struct srnic_dev *dev, const u8 mgid[16]);
int srnic_mcast_replace(struct srnic_dev *dev, struct srnic_mcast_group *old,
			struct srnic_mcast_group *new)
	__must_hold(&dev->mcast.lock);

#endif /* SRNIC_ENGINE_MCAST_H */
