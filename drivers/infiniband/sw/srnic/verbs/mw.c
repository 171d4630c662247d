// SPDX-License-Identifier: GPL-2.0
/*
 * Memory windows: allocated unbound (IBA 11.2.8.9) and bound by mem/window.c.
 */
#include <linux/slab.h>
#include "verbs/ops.h"

int srnic_alloc_mw(struct ib_mw *ib, struct ib_udata *udata)
{
	struct srnic_dev *dev = to_srnic(ib->device);
	struct srnic_stag *stag;
	int err;

	err = srnic_take_quota(dev, SRNIC_QUOTA_MW, to_srnic_pd(ib->pd)->user);
	if (err)
		return err;

	err = -ENOMEM;
	stag = kzalloc(sizeof(*stag), GFP_KERNEL_ACCOUNT);
	if (!stag)
		goto err_give;
	srnic_stag_init(stag, ib->type == IB_MW_TYPE_1 ? SRNIC_STAG_MW1 : SRNIC_STAG_MW2,
			to_srnic_pd(ib->pd));
	err = srnic_stag_insert(dev, stag);
	if (err)
		goto err_free;

	to_srnic_mw(ib)->stag = stag;
	ib->rkey = stag->key;
	return 0;

err_free:
	kfree(stag);
err_give:
	srnic_give_quota(dev, SRNIC_QUOTA_MW, to_srnic_pd(ib->pd)->user);
	return err;
}

int srnic_dealloc_mw(struct ib_mw *ib)
{
	struct srnic_dev *dev = to_srnic(ib->device);
	struct srnic_stag *stag = to_srnic_mw(ib)->stag;

	srnic_stag_remove(dev, stag);
	srnic_window_retire(stag);
	kfree_rcu(stag, rcu);
	srnic_give_quota(dev, SRNIC_QUOTA_MW, to_srnic_pd(ib->pd)->user);
	return 0;
}
