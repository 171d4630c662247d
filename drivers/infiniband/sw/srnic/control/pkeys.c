// SPDX-License-Identifier: GPL-2.0
/*
 * Requests to change the P_Key table of an InfiniBand port.
 */
#include "control/genl.h"
#include "fabric/fabric.h"
#include "srnic.h"

static void explain_refusal(struct genl_info *info, u16 pkey, int err)
{
	const struct nlattr *attr = info->attrs[SRNIC_A_DEV_PKEY];

	switch (err) {
	case -EINVAL:
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, attr,
					"P_Key 0x%04x cannot be added or removed: choose 0x8001 to 0xfffe",
					pkey);
		break;
	case -EEXIST:
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, attr,
					"the port is a member of partition 0x%04x already",
					pkey & 0x7fff);
		break;
	case -ENOSPC:
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, attr, "the port has %u P_Keys: remove one",
					SRNIC_PKEYS);
		break;
	case -ENOENT:
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "no such P_Key: see 'srnic pkey'");
		break;
	}
}

static int change_table(struct genl_info *info,
			int (*apply)(struct srnic_fabric *fabric, u16 pkey))
{
	struct srnic_dev *dev;
	int err = -ENODEV;
	u16 pkey;

	if (GENL_REQ_ATTR_CHECK(info, SRNIC_A_DEV_INDEX) ||
	    GENL_REQ_ATTR_CHECK(info, SRNIC_A_DEV_PKEY))
		return -EINVAL;
	pkey = nla_get_u16(info->attrs[SRNIC_A_DEV_PKEY]);

	mutex_lock(&srnic_devices_lock);
	dev = srnic_named_dev(info, SRNIC_A_DEV_INDEX);
	if (dev && !dev->fabric) {
		GENL_SET_ERR_MSG(info, "this is a RoCE device: links of type srnic_ib have P_Keys");
		err = -EOPNOTSUPP;
	} else if (dev) {
		err = apply(dev->fabric, pkey);
		explain_refusal(info, pkey, err);
	}
	mutex_unlock(&srnic_devices_lock);
	return err;
}

int srnic_nl_pkey_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	return change_table(info, srnic_fabric_add_pkey);
}

int srnic_nl_pkey_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	return change_table(info, srnic_fabric_del_pkey);
}
