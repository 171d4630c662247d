// SPDX-License-Identifier: GPL-2.0
/*
 * The multicast groups of a device. Receipt reads a group under RCU, so a group
 * is never changed but replaced.
 */
#include <linux/rculist.h>
#include <linux/slab.h>
#include "engine/mcast.h"

/**
 * srnic_mcast_find() - Look up a multicast group
 * @dev: the device
 * @mgid: GID of the group
 *
 * Context: under RCU, or dev->mcast.lock.
 * Return: the group with its QPs, or NULL if no QP is attached.
 */
struct srnic_mcast_group *srnic_mcast_find(struct srnic_dev *dev, const u8 mgid[16])
{
	struct srnic_mcast_group *group;

	list_for_each_entry_rcu(group, &dev->mcast.groups, node,
				lockdep_is_held(&dev->mcast.lock)) {
		if (!memcmp(group->mgid.raw, mgid, sizeof(group->mgid)))
			return group;
	}
	return NULL;
}

/**
 * srnic_mcast_replace() - Replace a multicast group
 * @dev: the device
 * @old: the group; freed after a grace period; NULL: add @new
 * @new: the group with other QPs; NULL: remove @old
 *
 * Context: process.
 */
void srnic_mcast_replace(struct srnic_dev *dev, struct srnic_mcast_group *old,
			 struct srnic_mcast_group *new)
	__must_hold(&dev->mcast.lock)
{
	lockdep_assert_held(&dev->mcast.lock);

	if (old && new)
		list_replace_rcu(&old->node, &new->node);
	else if (new)
		list_add_rcu(&new->node, &dev->mcast.groups);
	else
		list_del_rcu(&old->node);
	if (old)
		kfree_rcu(old, rcu);
}
