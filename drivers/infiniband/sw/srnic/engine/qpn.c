// SPDX-License-Identifier: GPL-2.0
/*
 * QPNs, and the look-up of QPs by packets: the table of a device's QPs and its
 * direct-mapped cache.
 */
#include <linux/xarray.h>
#include "engine/qpn.h"

/**
 * srnic_qpn_reserve() - Reserve a QPN
 * @dev: the device
 * @qp: the QP, whose type is set; its qp_num is set
 *
 * QPNs are allocated cyclically from a random start, so that a late packet of a
 * destroyed QP finds no new owner.
 *
 * Context: process.
 * Return: 0, or a negative errno: no memory or QPN, or QP1 exists already.
 */
int srnic_qpn_reserve(struct srnic_dev *dev, struct srnic_qp *qp)
{
	u32 qpn = SRNIC_GSI_QPN;
	int err;

	if (qp->ib.qp_type == IB_QPT_GSI)
		err = xa_insert(&dev->qps, qpn, NULL, GFP_KERNEL_ACCOUNT);
	else
		err = xa_alloc_cyclic(&dev->qps, &qpn, NULL,
				      XA_LIMIT(SRNIC_FIRST_QPN, SRNIC_LAST_QPN),
				      &dev->next_qpn, GFP_KERNEL_ACCOUNT);
	if (err < 0)
		return err;

	qp->ib.qp_num = qpn;
	return 0;
}

/**
 * srnic_qpn_release() - Release a reserved QPN
 * @dev: the device
 * @qp: the QP, which packets cannot find
 */
void srnic_qpn_release(struct srnic_dev *dev, struct srnic_qp *qp)
{
	xa_erase(&dev->qps, qp->ib.qp_num);
}

static struct srnic_qp __rcu **near_slot(struct srnic_dev *dev, const struct srnic_qp *qp)
{
	return &dev->near_qps[qp->ib.qp_num % SRNIC_NEAR_QPS];
}

/**
 * srnic_qp_show() - Make a QP visible to packets
 * @dev: the device
 * @qp: the QP, with a reserved QPN
 *
 * Cannot fail, because the entry is reserved.
 *
 * Context: process.
 */
void srnic_qp_show(struct srnic_dev *dev, struct srnic_qp *qp)
{
	xa_store(&dev->qps, qp->ib.qp_num, qp, GFP_KERNEL);
	unrcu_pointer(cmpxchg(near_slot(dev, qp), NULL, RCU_INITIALIZER(qp)));
}

/**
 * srnic_qp_hide() - Hide a QP from packets, and release its QPN
 * @dev: the device
 * @qp: the QP
 *
 * RCU readers that have found the QP may still use it.
 *
 * Context: process.
 */
void srnic_qp_hide(struct srnic_dev *dev, struct srnic_qp *qp)
{
	unrcu_pointer(cmpxchg(near_slot(dev, qp), RCU_INITIALIZER(qp), NULL));
	srnic_qpn_release(dev, qp);
}
