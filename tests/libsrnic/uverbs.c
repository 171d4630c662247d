// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <rdma/srnic-abi.h>
#include "uverbs.h"

struct test_uverbs uverbs;

enum kind { HANDLE, IN, OUT };

/* Attributes as declared in drivers/infiniband/sw/srnic */
static const struct {
	uint16_t object, method, id;
	enum kind kind;
} known[] = {
	{ UVERBS_OBJECT_PD, SRNIC_METHOD_PD_SET_KEY, SRNIC_ATTR_PD_SET_KEY_HANDLE, HANDLE },
	{ UVERBS_OBJECT_PD, SRNIC_METHOD_PD_SET_KEY, SRNIC_ATTR_PD_SET_KEY_KEY, IN },
	{ UVERBS_OBJECT_QP, SRNIC_METHOD_QP_SEAL, SRNIC_ATTR_QP_SEAL_HANDLE, HANDLE },
	{ UVERBS_OBJECT_QP, SRNIC_METHOD_QP_SEAL, SRNIC_ATTR_QP_SEAL_REQUEST, IN },
	{ UVERBS_OBJECT_QP, SRNIC_METHOD_QP_SEAL, SRNIC_ATTR_QP_SEAL_KEY, IN },
	{ UVERBS_OBJECT_QP, SRNIC_METHOD_QP_USE_GRANT, SRNIC_ATTR_QP_USE_GRANT_HANDLE, HANDLE },
	{ UVERBS_OBJECT_QP, SRNIC_METHOD_QP_USE_GRANT, SRNIC_ATTR_QP_USE_GRANT_GRANT, IN },
	{ UVERBS_OBJECT_QP, SRNIC_METHOD_QP_DROP_GRANTS, SRNIC_ATTR_QP_DROP_GRANTS_HANDLE, HANDLE },
	{ UVERBS_OBJECT_QP, SRNIC_METHOD_QP_DROP_GRANTS, SRNIC_ATTR_QP_DROP_GRANTS_RKEY, IN },
	{ UVERBS_OBJECT_MR, SRNIC_METHOD_MR_PROTECT, SRNIC_ATTR_MR_PROTECT_HANDLE, HANDLE },
	{ UVERBS_OBJECT_MR, SRNIC_METHOD_MR_PROTECT, SRNIC_ATTR_MR_PROTECT_TREE, IN },
	{ UVERBS_OBJECT_MR, SRNIC_METHOD_MR_PROTECT, SRNIC_ATTR_MR_PROTECT_KEY, IN },
	{ UVERBS_OBJECT_MR, SRNIC_METHOD_MR_GRANT, SRNIC_ATTR_MR_GRANT_HANDLE, HANDLE },
	{ UVERBS_OBJECT_MR, SRNIC_METHOD_MR_GRANT, SRNIC_ATTR_MR_GRANT_RIGHT, IN },
	{ UVERBS_OBJECT_MR, SRNIC_METHOD_MR_GRANT, SRNIC_ATTR_MR_GRANT_GRANT, OUT },
	{ UVERBS_OBJECT_MR, SRNIC_METHOD_MR_BIND, SRNIC_ATTR_MR_BIND_HANDLE, HANDLE },
	{ UVERBS_OBJECT_MR, SRNIC_METHOD_MR_BIND, SRNIC_ATTR_MR_BIND_QP, HANDLE },
};

#define NUM_KNOWN	(sizeof(known) / sizeof(*known))

void uverbs_reset(void)
{
	memset(&uverbs, 0, sizeof(uverbs));
}

const struct test_attr *uverbs_attr(uint16_t id)
{
	unsigned int i;

	for (i = 0; i < uverbs.num_attrs; i++)
		if (uverbs.attrs[i].id == id)
			return &uverbs.attrs[i];
	return NULL;
}

bool uverbs_attr_is(uint16_t id, const void *bytes, uint16_t len)
{
	const struct test_attr *attr = uverbs_attr(id);

	return attr && attr->mandatory && attr->len == len && !memcmp(attr->bytes, bytes, len);
}

bool uverbs_handle_is(uint16_t id, uint32_t handle)
{
	const struct test_attr *attr = uverbs_attr(id);

	return attr && attr->mandatory && !attr->len && attr->word == handle;
}

static bool has_method(uint16_t object, uint16_t method)
{
	unsigned int i;

	for (i = 0; i < NUM_KNOWN && !uverbs.old; i++)
		if (known[i].object == object && known[i].method == method)
			return true;
	return false;
}

/* Return the kind of an attribute, or -1 if it is unknown, which counts as malformed */
static int kind_of(uint16_t object, uint16_t method, uint16_t id)
{
	unsigned int i;

	for (i = 0; i < NUM_KNOWN; i++)
		if (known[i].object == object && known[i].method == method && known[i].id == id)
			return known[i].kind;
	return -1;
}

/* Read an attribute by the kernel's rules: up to 8 bytes are inline. */
static bool take(struct test_attr *to, const struct ib_uverbs_attr *attr, int kind)
{
	*to = (struct test_attr){
		.id = attr->attr_id,
		.len = attr->len,
		.mandatory = attr->flags == UVERBS_ATTR_F_MANDATORY,
		.word = attr->data,
	};
	if (kind < 0 || attr->attr_data.reserved || attr->len > UVERBS_ROOM)
		return false;
	if (kind == HANDLE)
		return !attr->len;
	if (kind == OUT)
		memcpy((void *)(uintptr_t)attr->data, &uverbs.grant,
		       uverbs.err ? 0 : sizeof(uverbs.grant));
	else
		memcpy(to->bytes, attr->len > 8 ? (void *)(uintptr_t)attr->data : &attr->data,
		       attr->len);
	return kind == IN || attr->len == sizeof(uverbs.grant);
}

static int run(const struct ib_uverbs_ioctl_hdr *hdr)
{
	unsigned int i;

	if (hdr->length != sizeof(*hdr) + hdr->num_attrs * sizeof(*hdr->attrs) ||
	    hdr->reserved1 || hdr->reserved2 || hdr->num_attrs > 4)
		uverbs.malformed = true;
	if (uverbs.foreign || hdr->driver_id != SRNIC_DRIVER_ID)
		return EINVAL;
	if (!has_method(hdr->object_id, hdr->method_id))
		return EPROTONOSUPPORT;

	uverbs.calls++;
	uverbs.object = hdr->object_id;
	uverbs.method = hdr->method_id;
	uverbs.num_attrs = hdr->num_attrs;
	for (i = 0; i < hdr->num_attrs && i < 4; i++)
		if (!take(&uverbs.attrs[i], &hdr->attrs[i],
			  kind_of(hdr->object_id, hdr->method_id, hdr->attrs[i].attr_id)))
			uverbs.malformed = true;
	return uverbs.err;
}

/* Replacement of libc's function */
int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	errno = fd == UVERBS_FD && request == RDMA_VERBS_IOCTL ? run(arg) : ENOTTY;
	return errno ? -1 : 0;
}
