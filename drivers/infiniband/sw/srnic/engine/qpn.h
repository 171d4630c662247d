/* SPDX-License-Identifier: GPL-2.0 */
/*
 * QPNs: the table of a device's QPs. Packets find their QP here.
 */
#ifndef SRNIC_ENGINE_QPN_H
#define SRNIC_ENGINE_QPN_H

#include "srnic.h"
#include "engine/engine.h"

/**
 * srnic_qp_find() - Return the QP for a QPN
 * @dev: the device
 * @qpn: the QPN
 *
 * QPNs are allocated cyclically from a random start, so the xarray has four
 * levels even for one QP. The direct-mapped cache avoids that walk for most
 * lookups.
 *
 * Context: under RCU.
 * Return: the QP, valid until the end of the read-side section, or %NULL.
 */
static inline struct srnic_qp *srnic_qp_find(struct srnic_dev *dev, u32 qpn)
{
	struct srnic_qp *qp = rcu_dereference(dev->qp_cache[qpn % SRNIC_QP_CACHE_SLOTS]);

	return likely(qp && qp->ib.qp_num == qpn) ? qp : xa_load(&dev->qps, qpn);
}

int srnic_qpn_reserve(struct srnic_dev *dev, struct srnic_qp *qp);
void srnic_qpn_release(struct srnic_dev *dev, struct srnic_qp *qp);
void srnic_qp_show(struct srnic_dev *dev, struct srnic_qp *qp);
void srnic_qp_hide(struct srnic_dev *dev, struct srnic_qp *qp);
void srnic_qp_each(struct srnic_dev *dev, void (*call)(struct srnic_qp *qp, void *arg), void *arg);

#endif /* SRNIC_ENGINE_QPN_H */
