// SPDX-License-Identifier: GPL-2.0
/*
 * The subnet that an InfiniBand port belongs to, if a subnet manager of user space, such as opensm,
 * is to manage it. The administrator names the nodes that may do so, and those that are behind the
 * switch of this node. A port without a manager manages itself.
 */
#include <linux/slab.h>
#include "export.h"
#include "wire/wire.h"
#include "fabric/port.h"
#include "fabric/switch.h"
#include "subnet.h"

#define SUBNET_NODES	64	/* at most: bounds the time that a datagram of QP0 takes */

static struct srnic_subnet *subnet_locked(struct srnic_fabric *fabric)
{
	return rcu_dereference_protected(fabric->dev->subnet,
					 lockdep_is_held(&fabric->subnet_lock));
}

/* Return the number of the switch's first port that is free, or 0. */
static u8 free_port(const struct srnic_subnet *subnet)
{
	DECLARE_BITMAP(used, SRNIC_SWITCH_PORTS + 1) = {};
	unsigned long port;
	unsigned int i;

	for (i = 0; i < subnet->count; i++)
		__set_bit(subnet->nodes[i].port, used);
	port = find_next_zero_bit(used, SRNIC_SWITCH_PORTS + 1, SRNIC_SWITCH_FIRST);
	return port <= SRNIC_SWITCH_PORTS ? port : 0;
}

static struct srnic_subnet_node *subnet_append(struct srnic_subnet *subnet,
					       const union ib_gid *gid)
{
	struct srnic_subnet_node *node = &subnet->nodes[subnet->count++];

	*node = (struct srnic_subnet_node){ .gid = *gid };
	return node;
}

/* Copy the list, with room for one node more. Its first entry is this node's, for the LID. */
static struct srnic_subnet *subnet_copy(struct srnic_fabric *fabric)
{
	const struct srnic_subnet *old = subnet_locked(fabric);
	unsigned int count = old ? old->count : 0;
	struct srnic_subnet_node *own;
	struct srnic_subnet *new;

	new = kzalloc(struct_size(new, nodes, count + 2), GFP_KERNEL);
	if (!new)
		return NULL;
	spin_lock_init(&new->heard_lock);
	new->count = count;
	if (old) {
		memcpy(new->nodes, old->nodes, flex_array_size(new, nodes, count));
	} else {
		own = subnet_append(new, &fabric->gid);
		own->roles = SRNIC_SUBNET_OWN;
		own->lid = fabric->lid;
	}
	return new;
}

/*
 * Publish the list; none, if the administrator has named nobody. LIDs may have been noted since the
 * list was copied.
 */
static void subnet_replace(struct srnic_fabric *fabric, struct srnic_subnet *new)
{
	struct srnic_subnet *old = subnet_locked(fabric);
	const struct srnic_subnet_node *node;
	unsigned int i;

	if (!srnic_subnet_has(new, SRNIC_SUBNET_MANAGER | SRNIC_SUBNET_MEMBER)) {
		kfree(new);
		new = NULL;
	}
	spin_lock(&fabric->lock);
	for (i = 0; new && i < new->count; i++) {
		node = srnic_subnet_find(old, &new->nodes[i].gid);
		if (node)
			new->nodes[i].lid = node->lid;
	}
	rcu_assign_pointer(fabric->dev->subnet, new);
	spin_unlock(&fabric->lock);
	if (old)
		kfree_rcu(old, rcu);
}

/* Give a node a role in the new list. Return 0 or an error. */
static int role_add(struct srnic_subnet *subnet, const union ib_gid *gid, u8 role)
{
	struct srnic_subnet_node *node = srnic_subnet_find(subnet, gid);
	u8 port = free_port(subnet);

	if (node && node->roles & role)
		return -EEXIST;
	if (role == SRNIC_SUBNET_MEMBER && !port)
		return -ENOSPC;
	if (!node && subnet->count >= SUBNET_NODES)
		return -ENOSPC;
	if (!node)
		node = subnet_append(subnet, gid);
	node->roles |= role;
	if (role == SRNIC_SUBNET_MEMBER)
		node->port = port;
	return 0;
}

static int role_del(struct srnic_subnet *subnet, const union ib_gid *gid, u8 role)
{
	struct srnic_subnet_node *node = srnic_subnet_find(subnet, gid);

	if (!node || !(node->roles & role))
		return -ENOENT;
	node->roles &= ~role;
	if (role == SRNIC_SUBNET_MEMBER)
		node->port = 0;
	if (!node->roles)
		*node = subnet->nodes[--subnet->count];
	return 0;
}

/*
 * Leave the port to a subnet manager, or have it manage itself again.
 *
 * Context: process, under @fabric->subnet_lock.
 */
void srnic_subnet_set_managed(struct srnic_fabric *fabric, bool managed)
{
	u16 lid = managed ? 0 : srnic_gid_lid(fabric->gid.raw);

	lockdep_assert_held(&fabric->subnet_lock);
	if (managed)
		srnic_sa_agent_stop(fabric);
	WRITE_ONCE(fabric->managed, managed);
	srnic_managed_reset(fabric, lid, managed ? IB_PORT_INIT : IB_PORT_ACTIVE);
	if (managed)
		return;
	srnic_lids_clear(fabric);
	srnic_sa_agent_start(fabric);
	fabric->notify(fabric, IB_EVENT_CLIENT_REREGISTER);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_subnet_set_managed);

/* Have switch and port follow the new list. Return 0, or an error: the list is as before. */
static int subnet_apply(struct srnic_fabric *fabric, struct srnic_subnet *new)
{
	bool managed = srnic_subnet_has(new, SRNIC_SUBNET_MANAGER);
	int err;

	err = srnic_switch_update(fabric, new);
	if (err)
		return err;
	subnet_replace(fabric, new);
	if (managed != fabric->managed)
		srnic_subnet_set_managed(fabric, managed);
	return 0;
}

static int subnet_change(struct srnic_fabric *fabric, const union ib_gid *gid, u8 role,
			 int (*change)(struct srnic_subnet *subnet, const union ib_gid *gid,
				       u8 role))
{
	struct srnic_subnet *new;
	int err = -ENODEV;

	mutex_lock(&fabric->subnet_lock);
	if (!fabric->attached)	/* the device is going */
		goto unlock;
	new = subnet_copy(fabric);
	err = new ? change(new, gid, role) : -ENOMEM;
	if (!err)
		err = subnet_apply(fabric, new);
	if (err)
		kfree(new);
unlock:
	mutex_unlock(&fabric->subnet_lock);
	return err;
}

static bool is_own_gid(const struct srnic_fabric *fabric, const union ib_gid *gid)
{
	return !memcmp(gid, &fabric->gid, sizeof(*gid));
}

/**
 * srnic_subnet_add() - Add a role of a node to the subnet of an InfiniBand port
 * @fabric: the port
 * @gid: GID of the node's port; that of this node for a subnet manager that runs here
 * @role: SRNIC_SUBNET_MANAGER or SRNIC_SUBNET_MEMBER
 *
 * With the first manager, the port ceases to manage itself: it comes up when the manager has
 * configured it. With the first node, this node gets a switch, behind whose ports the nodes are.
 *
 * Context: process.
 * Return: 0; -EINVAL: the GID is none of a port, or it is this node, which is behind port 1 anyway;
 * -EEXIST; -ENOSPC: too many; -ENOMEM; -ENODEV: the device is going.
 */
int srnic_subnet_add(struct srnic_fabric *fabric, const union ib_gid *gid, u8 role)
{
	if (gid->raw[0] == 0xff || !gid->global.interface_id ||
	    (role == SRNIC_SUBNET_MEMBER && is_own_gid(fabric, gid)))
		return -EINVAL;
	return subnet_change(fabric, gid, role, role_add);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_subnet_add);

/**
 * srnic_subnet_del() - Take a role in the subnet of an InfiniBand port away from a node
 * @fabric: the port
 * @gid: GID of the node's port
 * @role: SRNIC_SUBNET_MANAGER or SRNIC_SUBNET_MEMBER
 *
 * Without a manager, the port manages itself again.
 *
 * Context: process.
 * Return: 0; -ENOENT: the node does not have the role; -ENOMEM; -ENODEV: the device is going.
 */
int srnic_subnet_del(struct srnic_fabric *fabric, const union ib_gid *gid, u8 role)
{
	return subnet_change(fabric, gid, role, role_del);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_subnet_del);

/* Release the list of a port that nobody uses any more. */
void srnic_subnet_free(struct srnic_fabric *fabric)
{
	kfree(rcu_dereference_protected(fabric->dev->subnet, true));
	rcu_assign_pointer(fabric->dev->subnet, NULL);
}
