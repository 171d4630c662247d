// SPDX-License-Identifier: GPL-2.0
/*
 * User contexts, and responses to commands.
 */
#include <linux/err.h>
#include <linux/sched/task.h>
#include "verbs/ops.h"

#define UVERBS_MODULE_NAME srnic
#include <rdma/uverbs_named_ioctl.h>
#include <rdma/srnic-ioctl.h>

static const struct srnic_alloc_ucontext_resp ucontext_resp = {
	.max_sge = SRNIC_MAX_SGE,
	.max_inline = SRNIC_MAX_INLINE,
	.features = SRNIC_OFFERS_FLUSH ? 0 : SRNIC_FEATURE_NO_FLUSH,
};

int srnic_check_outlen(const struct ib_udata *udata, size_t len)
{
	return udata && udata->outlen < len ? -EINVAL : 0;
}

int srnic_respond(struct ib_udata *udata, const void *resp, size_t len)
{
	if (!udata)
		return 0;
	if (udata->outlen < len)
		return -EINVAL;
	return ib_copy_to_udata(udata, (void *)resp, len);
}

struct ib_ucontext *srnic_udata_context(struct ib_udata *udata)
{
	struct srnic_ucontext *uctx;

	if (!udata)
		return NULL;

	uctx = rdma_udata_to_drv_context(udata, struct srnic_ucontext, ib);
	return &uctx->ib;
}

struct srnic_user *srnic_udata_user(struct ib_udata *udata)
{
	struct ib_ucontext *uctx = srnic_udata_context(udata);

	return uctx ? to_srnic_ucontext(uctx)->user : NULL;
}

/*
 * In 6.12, the core leaks the task reference of a context that the driver
 * refuses (UVERBS_METHOD_GET_CONTEXT lacks rdma_restrack_put()), so any user
 * could pin thousands of dead tasks. On a core without the leak, this is
 * harmless.
 */
static void drop_task_ref(struct ib_ucontext *ib)
{
	if (ib->res.task)
		put_task_struct(ib->res.task);
	ib->res.task = NULL;
}

int srnic_alloc_ucontext(struct ib_ucontext *ib, struct ib_udata *udata)
{
	struct srnic_dev *dev = to_srnic(ib->device);
	struct srnic_user *user;
	int err;

	user = srnic_user_current(&dev->guard);
	if (IS_ERR(user)) {
		err = PTR_ERR(user);
		goto err_task;
	}
	err = srnic_take_quota(dev, SRNIC_QUOTA_UCONTEXT, user);
	if (err)
		goto err_put;
	err = srnic_respond(udata, &ucontext_resp, sizeof(ucontext_resp));
	if (err)
		goto err_give;

	to_srnic_ucontext(ib)->user = user;
	return 0;

err_give:
	srnic_give_quota(dev, SRNIC_QUOTA_UCONTEXT, user);
err_put:
	srnic_user_put(&dev->guard, user);
err_task:
	drop_task_ref(ib);
	return err;
}

/*
 * For a process that was given the file of the context (ibv_import_device(3)).
 * Its objects are charged to the user of the context (R31).
 */
int srnic_query_ucontext(struct ib_ucontext *ib, struct uverbs_attr_bundle *attrs)
{
	return uverbs_copy_to_struct_or_zero(attrs, SRNIC_ATTR_QUERY_CONTEXT_RESP, &ucontext_resp,
					     sizeof(ucontext_resp));
}

void srnic_dealloc_ucontext(struct ib_ucontext *ib)
{
	struct srnic_user *user = to_srnic_ucontext(ib)->user;
	struct srnic_dev *dev = to_srnic(ib->device);

	srnic_give_quota(dev, SRNIC_QUOTA_UCONTEXT, user);
	srnic_user_put(&dev->guard, user);
}

/*
 * The presence of this operation tells the core that a device may be removed
 * under a running application. There is nothing to revoke: mapped pages are
 * refcounted, and the kernel does not read them any more.
 */
void srnic_disassociate_ucontext(struct ib_ucontext *ib)
{
}

#define UCONTEXT_RESP_TYPE	UVERBS_ATTR_STRUCT(struct srnic_alloc_ucontext_resp, features)

ADD_UVERBS_ATTRIBUTES_SIMPLE(srnic_query_context_attrs, UVERBS_OBJECT_DEVICE,
			     UVERBS_METHOD_QUERY_CONTEXT,
			     UVERBS_ATTR_PTR_OUT(SRNIC_ATTR_QUERY_CONTEXT_RESP, UCONTEXT_RESP_TYPE,
						 UA_MANDATORY));

const struct uapi_definition srnic_ucontext_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &srnic_query_context_attrs),
	{},
};
