// SPDX-License-Identifier: GPL-2.0
/*
 * The nodes of an InfiniBand port's subnet, as the list of devices shows them.
 */
#include "control/genl.h"
#include "fabric/fabric.h"
#include "srnic.h"

static int put_node(struct sk_buff *skb, const struct srnic_dev *dev,
		    const struct srnic_subnet_node *node, enum srnic_role role)
{
	u16 lid = READ_ONCE(node->lid);
	bool behind = role == SRNIC_ROLE_MEMBER;
	struct nlattr *nest;

	if (!(node->roles & srnic_role_bit(role)))
		return 0;
	nest = nla_nest_start(skb, SRNIC_A_DEV_NODE);
	if (!nest || nla_put(skb, SRNIC_A_NODE_GID, sizeof(node->gid), &node->gid) ||
	    nla_put_u8(skb, SRNIC_A_NODE_ROLE, role) ||
	    (lid && nla_put_u16(skb, SRNIC_A_NODE_LID, lid)) ||
	    (behind && nla_put_u8(skb, SRNIC_A_NODE_PORT, node->port)) ||
	    (behind && srnic_switch_link_is_up(dev->fabric, node->port) &&
	     nla_put_flag(skb, SRNIC_A_NODE_UP)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * srnic_put_nodes() - Put the nodes of the subnet of an InfiniBand port
 * @skb: message to fill
 * @dev: the device, kept by srnic_devices_lock, which keeps the list as well
 *
 * Return: 0 or -EMSGSIZE.
 */
int srnic_put_nodes(struct sk_buff *skb, struct srnic_dev *dev)
{
	const struct srnic_subnet *subnet;
	enum srnic_role role;
	unsigned int i;

	subnet = rcu_dereference_protected(dev->subnet, lockdep_is_held(&srnic_devices_lock));
	for (i = 0; subnet && i < subnet->count; i++)
		for (role = 0; role <= SRNIC_ROLE_MEMBER; role++)
			if (put_node(skb, dev, &subnet->nodes[i], role))
				return -EMSGSIZE;
	return 0;
}
