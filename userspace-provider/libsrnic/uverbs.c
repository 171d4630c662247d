// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Calls of uverbs methods. The kernel returns only an errno value; the messages are ours.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/srnic-abi.h>
#include "error.h"
#include "uverbs.h"

/* An object id that cannot exist: it exceeds the kernel's table of objects. */
#define NO_OBJECT	UINT16_MAX

static size_t call_len(unsigned int attrs)
{
	return sizeof(struct ib_uverbs_ioctl_hdr) + attrs * sizeof(struct ib_uverbs_attr);
}

void uv_begin(union uv_call *call, uint16_t object, uint16_t method)
{
	memset(call, 0, sizeof(*call));
	call->hdr.length = call_len(0);
	call->hdr.object_id = object;
	call->hdr.method_id = method;
	call->hdr.driver_id = SRNIC_DRIVER_ID;
}

static struct ib_uverbs_attr *put(union uv_call *call, uint16_t id, size_t len)
{
	struct ib_uverbs_attr *attr = &call->hdr.attrs[call->hdr.num_attrs++];

	call->hdr.length = call_len(call->hdr.num_attrs);
	attr->attr_id = id;
	attr->len = len;
	attr->flags = UVERBS_ATTR_F_MANDATORY;
	return attr;
}

void uv_put_handle(union uv_call *call, uint16_t attr, uint32_t handle)
{
	put(call, attr, 0)->data = handle;
}

/* Data that fits into the attribute must be inline: the kernel follows no pointer then. */
void uv_put(union uv_call *call, uint16_t id, const void *data, size_t len)
{
	struct ib_uverbs_attr *attr = put(call, id, len);

	if (len <= sizeof(attr->data))
		memcpy(&attr->data, data, len);
	else
		attr->data = (uintptr_t)data;
}

void uv_put_out(union uv_call *call, uint16_t attr, void *room, size_t len)
{
	put(call, attr, len)->data = (uintptr_t)room;
}

/*
 * The kernel compares the driver's id before it looks up the object: EPROTONOSUPPORT for an
 * unknown object proves that the id matched.
 */
static bool is_ours(int fd)
{
	union uv_call call;

	uv_begin(&call, NO_OBJECT, 0);
	return ioctl(fd, RDMA_VERBS_IOCTL, &call.hdr) && errno == EPROTONOSUPPORT;
}

/* Errors common to all methods */
static const struct uv_refusal common[] = {
	{ ENOTTY, "the kernel is too old for this: it needs uverbs' ioctl" },
	{ EPROTONOSUPPORT, "the srnic driver is too old for this: install a newer one" },
	{ ENOENT, "the kernel knows no such object: was it destroyed, or made before a fork?" },
	{ EBUSY, "the object is in use by another call: try again" },
	{ EIO, "the device is gone: close its context and open it anew" },
	{ ENODEV, "the device is gone: close its context and open it anew" },
	{ ENOMEM, "the kernel is out of memory" },
	{}
};

static const char *find(const struct uv_refusal *refusals, int err)
{
	for (; refusals->err; refusals++)
		if (refusals->err == err)
			return refusals->says;
	return NULL;
}

static int refused(struct ibv_context *context, int err, const struct uv_refusal *refusals)
{
	const char *says;

	if (err == EINVAL && !is_ours(context->cmd_fd))
		return fail(err, "%s is not an srnic device", context->device->name);
	says = find(refusals, err) ?: find(common, err);
	if (says)
		return fail(err, "%s", says);
	return fail(err, "the kernel refused: %s", strerror(err));
}

int uv_do(struct ibv_context *context, union uv_call *call, const struct uv_refusal *refusals)
{
	if (!ioctl(context->cmd_fd, RDMA_VERBS_IOCTL, &call->hdr))
		return 0;
	return refused(context, errno, refusals);
}
