// SPDX-License-Identifier: GPL-2.0
/*
 * The request to set the MTU of an InfiniBand port.
 */
#include <rdma/ib_verbs.h>
#include "control/genl.h"
#include "engine/engine.h"
#include "fabric/fabric.h"
#include "srnic.h"

static int refuse_netdev(struct genl_info *info, const struct srnic_dev *dev, enum ib_mtu mtu)
{
	NL_SET_ERR_MSG_ATTR_FMT(info->extack, info->attrs[SRNIC_A_DEV_IB_MTU],
				"the netdev's MTU is %u, and %u needs %u: raise it, or choose 2048",
				READ_ONCE(dev->ndev->mtu), ib_mtu_enum_to_int(mtu),
				srnic_netdev_mtu_for(dev, mtu));
	return -EMSGSIZE;
}

static int set_mtu(struct genl_info *info, struct srnic_dev *dev, u32 bytes)
{
	const struct nlattr *attr = info->attrs[SRNIC_A_DEV_IB_MTU];
	enum ib_mtu mtu = ib_mtu_int_to_enum(bytes);
	int err;

	if (!dev->fabric) {
		GENL_SET_ERR_MSG(info, "this is a RoCE device: set the MTU of its netdev");
		return -EOPNOTSUPP;
	}
	if (ib_mtu_enum_to_int(mtu) != bytes) {
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, attr,
					"%u is not an MTU: choose 256, 512, 1024, 2048 or 4096",
					bytes);
		return -EINVAL;
	}
	if (mtu > srnic_ib_fitting_mtu(dev))
		return refuse_netdev(info, dev, mtu);
	err = srnic_fabric_set_mtu(dev->fabric, mtu);
	if (err == -ERANGE)
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "the netdev's MTU was too small when the link was added: delete the link and add it again");
	return err;
}

int srnic_nl_mtu_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct srnic_dev *dev;
	int err = -ENODEV;

	if (GENL_REQ_ATTR_CHECK(info, SRNIC_A_DEV_INDEX) ||
	    GENL_REQ_ATTR_CHECK(info, SRNIC_A_DEV_IB_MTU))
		return -EINVAL;
	mutex_lock(&srnic_devices_lock);
	dev = srnic_named_dev(info, SRNIC_A_DEV_INDEX);
	if (dev)
		err = set_mtu(info, dev, nla_get_u32(info->attrs[SRNIC_A_DEV_IB_MTU]));
	mutex_unlock(&srnic_devices_lock);
	return err;
}
