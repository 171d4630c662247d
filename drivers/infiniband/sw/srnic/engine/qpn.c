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
 * Return: 0, or a negative errno: no memory or QPN, or QP0 or QP1 exists already.
 */
int srnic_qpn_reserve(struct srnic_dev *dev, struct srnic_qp *qp)
{
	u32 qpn = qp->ib.qp_type == IB_QPT_SMI ? SRNIC_SMI_QPN : SRNIC_GSI_QPN;
	int err;

	if (qp->ib.qp_type == IB_QPT_GSI || qp->ib.qp_type == IB_QPT_SMI)
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

static struct srnic_qp __rcu **qpn_cache_slot(struct srnic_dev *dev, const struct srnic_qp *qp)
{
	return &dev->qp_cache[qp->ib.qp_num % SRNIC_QP_CACHE_SLOTS];
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
	unrcu_pointer(cmpxchg(qpn_cache_slot(dev, qp), NULL, RCU_INITIALIZER(qp)));
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
	unrcu_pointer(cmpxchg(qpn_cache_slot(dev, qp), RCU_INITIALIZER(qp), NULL));
	srnic_qpn_release(dev, qp);
}

/**
 * srnic_qp_each() - Call a function for each QP of a device
 * @dev: the device
 * @call: the function, called under RCU; it must not sleep
 * @arg: passed to @call
 *
 * There may be thousands of QPs: one RCU section for each does not delay grace
 * periods much. QPs that come or go meanwhile may be left out.
 *
 * Context: process; sleeps between two QPs.
 */
void srnic_qp_each(struct srnic_dev *dev, void (*call)(struct srnic_qp *qp, void *arg), void *arg)
{
	unsigned long qpn = 0;
	struct srnic_qp *qp;

	do {
		rcu_read_lock();
		qp = xa_find(&dev->qps, &qpn, ULONG_MAX, XA_PRESENT);
		if (qp)
			call(qp, arg);
		rcu_read_unlock();
		cond_resched();
		qpn++;
	} while (qp);
}
