// SPDX-License-Identifier: GPL-2.0
/*
 * The driver method of uverbs that binds a region to one queue pair
 * (include/uapi/rdma/srnic-ioctl.h, libsrnic).
 */
#include "verbs/ops.h"

#define UVERBS_MODULE_NAME srnic
#include <rdma/uverbs_named_ioctl.h>
#include <rdma/srnic-ioctl.h>

/* uverbs has looked both objects up in the caller's context and holds them */
static int UVERBS_HANDLER(SRNIC_METHOD_MR_BIND)(struct uverbs_attr_bundle *attrs)
{
	struct ib_mr *mr = uverbs_attr_get_obj(attrs, SRNIC_ATTR_MR_BIND_HANDLE);
	struct ib_qp *qp = uverbs_attr_get_obj(attrs, SRNIC_ATTR_MR_BIND_QP);

	/* an XRC target accesses memory on behalf of the SRQs that its requests name */
	if (qp->qp_type == IB_QPT_XRC_TGT)
		return -EOPNOTSUPP;
	return srnic_region_bind(to_srnic_mr(mr), &to_srnic_qp(qp)->mem);
}

/* UVERBS_ACCESS_WRITE: calls are exclusive, because a region is bound only once */
DECLARE_UVERBS_NAMED_METHOD(SRNIC_METHOD_MR_BIND,
			    UVERBS_ATTR_IDR(SRNIC_ATTR_MR_BIND_HANDLE, UVERBS_OBJECT_MR,
					    UVERBS_ACCESS_WRITE, UA_MANDATORY),
			    UVERBS_ATTR_IDR(SRNIC_ATTR_MR_BIND_QP, UVERBS_OBJECT_QP,
					    UVERBS_ACCESS_READ, UA_MANDATORY));

ADD_UVERBS_METHODS(srnic_mr_bind_methods, UVERBS_OBJECT_MR, &UVERBS_METHOD(SRNIC_METHOD_MR_BIND));

const struct uapi_definition srnic_mr_bind_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_MR, &srnic_mr_bind_methods),
	{},
};
