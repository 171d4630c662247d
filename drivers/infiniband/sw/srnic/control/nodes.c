// SPDX-License-Identifier: GPL-2.0
/*
 * Requests to change the nodes of an InfiniBand port's subnet.
 */
#include "control/control.h"
#include "control/genl.h"
#include "fabric/fabric.h"
#include "srnic.h"

static void explain_refusal(struct genl_info *info, int err)
{
	const struct nlattr *attr = info->attrs[SRNIC_A_DEV_NODE];

	switch (err) {
	case -EINVAL:
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "that is no GID of another node's port: see 'rdma link' there");
		break;
	case -EEXIST:
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "the node has that role already");
		break;
	case -ENOSPC:
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "the subnet has as many nodes as it can: remove one");
		break;
	case -ENOENT:
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "the node does not have that role: see 'srnic subnet'");
		break;
	}
}

/* Read role and GID of a node; without a GID, it is this node itself. Return 0 or -EINVAL. */
static int parse_node(struct genl_info *info, u8 *role, const union ib_gid **gid)
{
	struct nlattr *tb[SRNIC_A_NODE_MAX + 1], *nest;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, SRNIC_A_DEV_INDEX) ||
	    GENL_REQ_ATTR_CHECK(info, SRNIC_A_DEV_NODE))
		return -EINVAL;
	nest = info->attrs[SRNIC_A_DEV_NODE];
	err = nla_parse_nested(tb, SRNIC_A_NODE_MAX, nest, srnic_node_nl_policy, info->extack);
	if (err)
		return err;
	if (NL_REQ_ATTR_CHECK(info->extack, nest, tb, SRNIC_A_NODE_ROLE))
		return -EINVAL;
	*role = srnic_role_bit(nla_get_u8(tb[SRNIC_A_NODE_ROLE]));
	*gid = tb[SRNIC_A_NODE_GID] ? nla_data(tb[SRNIC_A_NODE_GID]) : NULL;
	return 0;
}

static int change_nodes(struct genl_info *info,
			int (*apply)(struct srnic_fabric *fabric, const union ib_gid *gid, u8 role))
{
	const union ib_gid *named;
	struct srnic_dev *dev;
	union ib_gid gid;
	int err;
	u8 role;

	err = parse_node(info, &role, &named);
	if (err)
		return err;

	mutex_lock(&srnic_devices_lock);
	dev = srnic_named_dev(info, SRNIC_A_DEV_INDEX);
	if (!dev) {
		err = -ENODEV;
	} else if (!dev->fabric) {
		GENL_SET_ERR_MSG(info, "this is a RoCE device: type srnic_ib has subnets");
		err = -EOPNOTSUPP;
	} else {
		memcpy(&gid, named ?: &dev->fabric->gid, sizeof(gid));	/* aligned */
		err = apply(dev->fabric, &gid, role);
		explain_refusal(info, err);
	}
	mutex_unlock(&srnic_devices_lock);
	return err;
}

int srnic_nl_node_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	return change_nodes(info, srnic_subnet_add);
}

int srnic_nl_node_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	return change_nodes(info, srnic_subnet_del);
}
