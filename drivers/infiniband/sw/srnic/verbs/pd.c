// SPDX-License-Identifier: GPL-2.0
/*
 * Protection domains. mem/check.c enforces their separation.
 */
#include "verbs/ops.h"

#define UVERBS_MODULE_NAME srnic
#include <rdma/uverbs_named_ioctl.h>
#include <rdma/srnic-ioctl.h>

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

/* For ibv_import_pd(3): uverbs has looked the domain up in the caller's context. */
static int UVERBS_HANDLER(SRNIC_METHOD_PD_QUERY)(struct uverbs_attr_bundle *attrs)
{
	return 0;
}

DECLARE_UVERBS_NAMED_METHOD(SRNIC_METHOD_PD_QUERY,
			    UVERBS_ATTR_IDR(SRNIC_ATTR_PD_QUERY_HANDLE, UVERBS_OBJECT_PD,
					    UVERBS_ACCESS_READ, UA_MANDATORY));

ADD_UVERBS_METHODS(srnic_pd_query_methods, UVERBS_OBJECT_PD, &UVERBS_METHOD(SRNIC_METHOD_PD_QUERY));

const struct uapi_definition srnic_pd_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_PD, &srnic_pd_query_methods),
	{},
};
