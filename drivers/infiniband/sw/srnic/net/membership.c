// SPDX-License-Identifier: GPL-2.0
/*
 * Membership of InfiniBand ports in groups of the underlay. The stack changes memberships
 * under RTNL. ib_ipoib leaves groups while it holds RTNL, and waits under RTNL for its worker,
 * which joins them. So a port's joins and leaves are noted, and a work item carries them out.
 */
#define pr_fmt(fmt) "srnic: " fmt

#include <linux/ratelimit.h>
#include <linux/slab.h>
#include "compat.h"
#include "srnic.h"
#include "net/internal.h"

/**
 * struct srnic_membership - a group of the underlay, and whether the netdev is a member
 * @node: in the device's list, protected by its lock
 * @mgid: the group
 * @wanted: the port has joined the group; protected by the lock
 * @failed: the last join has failed; tried again when the port joins again
 * @joined: the netdev is a member; used by the work item alone
 */
struct srnic_membership {
	struct list_head node;
	union ib_gid mgid;
	bool wanted;
	bool failed;
	bool joined;
};

enum want { UNWANTED, WANTED };

/* Set @wanted of an entry that exists; return whether one does. */
static bool membership_set(struct srnic_dev *dev, const union ib_gid *mgid, enum want want)
{
	struct srnic_membership *m;
	bool found = false;

	spin_lock(&dev->members.lock);
	list_for_each_entry(m, &dev->members.list, node) {
		if (srnic_gid_equal(m->mgid.raw, mgid->raw)) {
			m->wanted = want == WANTED;
			m->failed = false;
			found = true;
			break;
		}
	}
	spin_unlock(&dev->members.lock);
	return found;
}

static void membership_change(struct srnic_dev *dev, struct srnic_membership *m)
{
	int err;

	if (m->joined) {
		srnic_mcast_leave(dev, &m->mgid);
		m->joined = false;
		return;
	}
	err = srnic_mcast_join(dev, &m->mgid);
	m->joined = !err;
	WRITE_ONCE(m->failed, err);
	if (err)
		pr_warn_ratelimited("%s is not a member of %pI6c (error %d): datagrams to the group do not arrive\n",
				    dev->ib.name, m->mgid.raw, err);
}

/* Remove the entries that are of no use; return one that needs a change, or NULL. */
static struct srnic_membership *membership_next(struct srnic_dev *dev)
{
	struct srnic_membership *m, *next, *found = NULL;

	spin_lock(&dev->members.lock);
	list_for_each_entry_safe(m, next, &dev->members.list, node) {
		if (m->wanted != m->joined && !m->failed) {
			found = m;
			break;
		}
		if (!m->wanted) {
			list_del(&m->node);
			kfree(m);
		}
	}
	spin_unlock(&dev->members.lock);
	return found;
}

/* Entries are removed here alone, so the one that is being changed stays. */
static void membership_work(struct work_struct *work)
{
	struct srnic_dev *dev = container_of(work, struct srnic_dev, members.work);
	struct srnic_membership *m;

	while ((m = membership_next(dev)))
		membership_change(dev, m);
}

/**
 * srnic_membership_add() - Let the netdev join a group soon
 * @dev: the device
 * @mgid: the group
 *
 * Context: process; RTNL may be held.
 * Return: 0 or -ENOMEM.
 */
int srnic_membership_add(struct srnic_dev *dev, const union ib_gid *mgid)
{
	struct srnic_membership *m;

	if (!membership_set(dev, mgid, WANTED)) {
		m = kzalloc(sizeof(*m), GFP_KERNEL_ACCOUNT);
		if (!m)
			return -ENOMEM;
		m->mgid = *mgid;
		m->wanted = true;
		spin_lock(&dev->members.lock);
		list_add_tail(&m->node, &dev->members.list);
		spin_unlock(&dev->members.lock);
	}
	queue_work(system_dfl_wq, &dev->members.work);
	return 0;
}

/**
 * srnic_membership_del() - Let the netdev leave a group soon
 * @dev: the device
 * @mgid: the group
 *
 * Context: process; RTNL may be held.
 */
void srnic_membership_del(struct srnic_dev *dev, const union ib_gid *mgid)
{
	membership_set(dev, mgid, UNWANTED);
	queue_work(system_dfl_wq, &dev->members.work);
}

/**
 * srnic_memberships_init() - Prepare the list of a device's memberships
 * @dev: the device
 */
void srnic_memberships_init(struct srnic_dev *dev)
{
	spin_lock_init(&dev->members.lock);
	INIT_LIST_HEAD(&dev->members.list);
	INIT_WORK(&dev->members.work, membership_work);
}

/**
 * srnic_memberships_exit() - Wait until the netdev has left all groups
 * @dev: the device, whose port has left them
 *
 * Context: process, without RTNL.
 */
void srnic_memberships_exit(struct srnic_dev *dev)
{
	flush_work(&dev->members.work);
	WARN_ON(!list_empty(&dev->members.list));
}
