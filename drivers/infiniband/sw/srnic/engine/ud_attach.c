// SPDX-License-Identifier: GPL-2.0
/*
 * Connects netdevs of ib_ipoib with their queue pairs.
 */
#include "export.h"
#include "srnic.h"
#include "engine/engine.h"
#include "engine/qpn.h"
#include "engine/ud_netdev.h"
#include "engine/unlock.h"

/* Set or clear the netdev of a QP of the kernel. Return -ENOENT if there is no such QP. */
static int netdev_set(struct srnic_dev *dev, u32 qpn, struct srnic_ud_netdev *netdev)
{
	struct srnic_qp *qp;
	int err = -ENOENT;

	rcu_read_lock();
	qp = srnic_qp_find(dev, qpn);
	if (qp && qp->ib.qp_type == IB_QPT_UD && !qp->mem.user) {
		srnic_qp_lock(qp);
		qp->netdev = netdev;
		srnic_qp_unlock(qp);
		err = 0;
	}
	rcu_read_unlock();
	return err;
}

/**
 * srnic_ud_netdev_attach() - Let a netdev receive what arrives for a QP
 * @dev: the device
 * @netdev: the netdev, ready to receive
 * @qpn: number of its QP, a UD QP of the kernel
 *
 * Context: process.
 * Return: 0; -ENOENT if there is no such QP.
 */
int srnic_ud_netdev_attach(struct srnic_dev *dev, struct srnic_ud_netdev *netdev, u32 qpn)
{
	netdev->qpn = qpn;
	netdev->longest = ib_mtu_enum_to_int(dev->ib_max_mtu);	/* as ib_ipoib's buffers are */
	return netdev_set(dev, qpn, netdev);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ud_netdev_attach);

/**
 * srnic_ud_netdev_detach() - Undo srnic_ud_netdev_attach()
 * @dev: the device
 * @netdev: the netdev, which is not used any more when this returns
 *
 * Context: process.
 */
void srnic_ud_netdev_detach(struct srnic_dev *dev, struct srnic_ud_netdev *netdev)
{
	netdev_set(dev, netdev->qpn, NULL);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ud_netdev_detach);
