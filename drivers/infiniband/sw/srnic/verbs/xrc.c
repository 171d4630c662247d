// SPDX-License-Identifier: GPL-2.0
/*
 * XRC domains, and the targets among the QPs (IBA A14). The core shares both among processes: the
 * objects here may outlive the contexts that have created them.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include "engine/xrc.h"
#include "verbs/ops.h"

int srnic_alloc_xrcd(struct ib_xrcd *ib, struct ib_udata *udata)
{
	struct srnic_xrcd *xrcd = to_srnic_xrcd(ib);
	struct srnic_dev *dev = to_srnic(ib->device);
	int err;

	xrcd->user = srnic_udata_user(udata);
	err = srnic_take_quota(dev, SRNIC_QUOTA_XRCD, xrcd->user);
	if (err)
		return err;
	srnic_user_hold(&dev->guard, xrcd->user);
	mutex_init(&xrcd->lock);
	INIT_LIST_HEAD(&xrcd->targets);
	return 0;
}

int srnic_dealloc_xrcd(struct ib_xrcd *ib, struct ib_udata *udata)
{
	struct srnic_xrcd *xrcd = to_srnic_xrcd(ib);
	struct srnic_dev *dev = to_srnic(ib->device);

	srnic_give_quota(dev, SRNIC_QUOTA_XRCD, xrcd->user);
	srnic_user_put(&dev->guard, xrcd->user);
	mutex_destroy(&xrcd->lock);
	return 0;
}

/**
 * srnic_target_create() - Create the part of a QP that is an XRC target
 * @qp: the QP
 * @ib: its XRC domain
 *
 * The core creates it on behalf of no process: it is charged to the user who calls.
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int srnic_target_create(struct srnic_qp *qp, struct ib_xrcd *ib)
{
	struct srnic_dev *dev = to_srnic(ib->device);
	struct srnic_xrc *xrc = kzalloc(sizeof(*xrc), GFP_KERNEL_ACCOUNT);

	if (!xrc)
		return -ENOMEM;
	xrc->user = srnic_user_current(&dev->guard);
	if (IS_ERR(xrc->user)) {
		kfree(xrc);
		return -ENOMEM;
	}
	xrc->qp = qp;
	xrc->xrcd = to_srnic_xrcd(ib);
	INIT_LIST_HEAD(&xrc->node);
	qp->xrc = xrc;
	return 0;
}

/**
 * srnic_target_join() - Let the SRQs of a target's domain find it when they are destroyed
 * @qp: an XRC target, which packets do not find yet
 *
 * Context: process.
 */
void srnic_target_join(struct srnic_qp *qp)
{
	struct srnic_xrcd *xrcd = qp->xrc->xrcd;

	mutex_lock(&xrcd->lock);
	list_add_tail(&qp->xrc->node, &xrcd->targets);
	mutex_unlock(&xrcd->lock);
}

/**
 * srnic_target_destroy() - Undo srnic_target_create() and srnic_target_join()
 * @qp: an XRC target, which nobody uses any more
 *
 * Context: process.
 */
void srnic_target_destroy(struct srnic_qp *qp)
{
	struct srnic_xrc *xrc = qp->xrc;

	mutex_lock(&xrc->xrcd->lock);
	list_del(&xrc->node);
	mutex_unlock(&xrc->xrcd->lock);
	srnic_user_put(&qp->dev->guard, xrc->user);
	qp->xrc = NULL;
	kfree(xrc);
}
