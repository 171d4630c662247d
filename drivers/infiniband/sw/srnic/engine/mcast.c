// SPDX-License-Identifier: GPL-2.0
/*
 * The multicast groups of a device. Receipt reads a group under RCU, so a group
 * is never changed but replaced. A user may create thousands of them.
 */
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include "engine/mcast.h"

static const struct rhashtable_params group_params = {
	.key_len = sizeof_field(struct srnic_mcast_group, mgid),
	.key_offset = offsetof(struct srnic_mcast_group, mgid),
	.head_offset = offsetof(struct srnic_mcast_group, node),
	.automatic_shrinking = true,
};

/**
 * srnic_mcast_init() - Create the table of a device's groups
 * @dev: the device
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int srnic_mcast_init(struct srnic_dev *dev)
{
	return rhashtable_init(&dev->mcast.groups, &group_params);
}

/**
 * srnic_mcast_exit() - Undo srnic_mcast_init()
 * @dev: the device; no QP is attached to a group
 *
 * Context: process.
 */
void srnic_mcast_exit(struct srnic_dev *dev)
{
	rhashtable_destroy(&dev->mcast.groups);
}

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
	return rhashtable_lookup_fast(&dev->mcast.groups, mgid, group_params);
}

/**
 * srnic_mcast_replace() - Replace a multicast group
 * @dev: the device
 * @old: the group; freed after a grace period; NULL: add @new
 * @new: the group with other QPs; NULL: remove @old
 *
 * Context: process.
 * Return: 0, or a negative errno if @new could not be added; it cannot fail with @old.
 */
int srnic_mcast_replace(struct srnic_dev *dev, struct srnic_mcast_group *old,
			struct srnic_mcast_group *new)
	__must_hold(&dev->mcast.lock)
{
	struct rhashtable *groups = &dev->mcast.groups;
	int err;

	lockdep_assert_held(&dev->mcast.lock);

	if (!old)
		return rhashtable_insert_fast(groups, &new->node, group_params);
	if (new)
		err = rhashtable_replace_fast(groups, &old->node, &new->node, group_params);
	else
		err = rhashtable_remove_fast(groups, &old->node, group_params);
	if (!WARN_ON_ONCE(err))
		kfree_rcu(old, rcu);
	return err;
}
