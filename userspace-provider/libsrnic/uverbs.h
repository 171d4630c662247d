/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * uverbs - methods of uverbs objects, called like rdma-core does: one ioctl on the file of
 * the context that has created the object.
 */
#ifndef UVERBS_H
#define UVERBS_H

#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#define UV_ATTRS	3	/* maximum of all methods */

union uv_call {
	struct ib_uverbs_ioctl_hdr hdr;
	char room[sizeof(struct ib_uverbs_ioctl_hdr) + UV_ATTRS * sizeof(struct ib_uverbs_attr)];
};

/* The message for an errno value of a method; tables end with an empty entry. */
struct uv_refusal {
	int err;
	const char *says;
};

/* Data passed to uv_put() must stay valid until uv_do() returns. */
void uv_begin(union uv_call *call, uint16_t object, uint16_t method);
void uv_put_handle(union uv_call *call, uint16_t attr, uint32_t handle);
void uv_put(union uv_call *call, uint16_t attr, const void *data, size_t len);
void uv_put_out(union uv_call *call, uint16_t attr, void *room, size_t len);
/* Return 0, or a negative errno value with the message set */
int uv_do(struct ibv_context *context, union uv_call *call, const struct uv_refusal *refusals);

#endif /* UVERBS_H */
