// SPDX-License-Identifier: GPL-2.0
/*
 * Flow rules of raw packet QPs, and the permission to use frames of the netdev.
 */
#include <linux/err.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <net/net_namespace.h>
#include "raw/raw.h"
#include "verbs/ops.h"

/**
 * srnic_raw_permit() - Return whether the caller may send and receive frames of the netdev
 * @dev: the device
 *
 * The core has asked for CAP_NET_RAW where the RDMA device is. The netdev may be in another
 * namespace, or a process of another one may use the device (RFC 5042, 2.3): then it
 * could see and forge packets of a network that is not its own.
 *
 * Context: process.
 * Return: 0 or -EPERM.
 */
int srnic_raw_permit(const struct srnic_dev *dev)
{
	if (!net_eq(current->nsproxy->net_ns, dev->net))
		return -EPERM;
	return ns_capable(dev->net->user_ns, CAP_NET_RAW) ? 0 : -EPERM;
}

/* Headers and actions that other drivers add to the command are not supported. */
static bool flow_has_extras(struct ib_udata *udata)
{
	return udata && udata->inlen && !ib_is_udata_cleared(udata, 0, udata->inlen);
}

struct ib_flow *srnic_create_flow(struct ib_qp *ib, struct ib_flow_attr *attr,
				  struct ib_udata *udata)
{
	struct srnic_user *user = to_srnic_pd(ib->pd)->user;
	struct srnic_dev *dev = to_srnic(ib->device);
	struct ib_flow *flow;
	int err;

	if (ib->qp_type != IB_QPT_RAW_PACKET || flow_has_extras(udata))
		return ERR_PTR(-EOPNOTSUPP);
	if (attr->port != SRNIC_PORT)
		return ERR_PTR(-EINVAL);
	err = srnic_raw_permit(dev) ?: srnic_take_quota(dev, SRNIC_QUOTA_FLOW, user);
	if (err)
		return ERR_PTR(err);
	flow = srnic_flow_add(to_srnic_qp(ib), attr);
	if (IS_ERR(flow))
		srnic_give_quota(dev, SRNIC_QUOTA_FLOW, user);
	return flow;
}

int srnic_destroy_flow(struct ib_flow *ib)
{
	struct srnic_user *user = to_srnic_pd(ib->qp->pd)->user;
	struct srnic_dev *dev = to_srnic(ib->device);

	srnic_flow_remove(dev, ib);
	srnic_give_quota(dev, SRNIC_QUOTA_FLOW, user);
	return 0;
}
