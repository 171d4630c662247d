// SPDX-License-Identifier: GPL-2.0
/*
 * Protection domains. mem/check.c enforces their separation.
 */
#include "verbs/ops.h"

int srnic_alloc_pd(struct ib_pd *ib, struct ib_udata *udata)
{
	struct srnic_pd *pd = to_srnic_pd(ib);

	spin_lock_init(&pd->lock);
	mutex_init(&pd->key_lock);
	pd->user = srnic_udata_user(udata);
	return srnic_take_quota(to_srnic(ib->device), SRNIC_QUOTA_PD, pd->user);
}

int srnic_dealloc_pd(struct ib_pd *ib, struct ib_udata *udata)
{
	struct srnic_pd *pd = to_srnic_pd(ib);

	srnic_give_quota(to_srnic(ib->device), SRNIC_QUOTA_PD, pd->user);
	memzero_explicit(pd->key, sizeof(pd->key));	/* the core frees it without wiping */
	mutex_destroy(&pd->key_lock);
	return 0;
}
