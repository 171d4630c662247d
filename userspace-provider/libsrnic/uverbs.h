/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * uverbs - methods of uverbs' objects, called as rdma-core does: one ioctl on the file of
 * the context that has made the object.
 */
#ifndef UVERBS_H
#define UVERBS_H

#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#define UV_ATTRS	3	/* no method has more */

union uv_call {
	struct ib_uverbs_ioctl_hdr hdr;
	char room[sizeof(struct ib_uverbs_ioctl_hdr) + UV_ATTRS * sizeof(struct ib_uverbs_attr)];
};

/* What an error of a method means, as a line; a table of these ends with an empty one. */
struct uv_refusal {
	int err;
	const char *says;
};

/* What is put by address must stay until the call has been made. */
void uv_begin(union uv_call *call, uint16_t object, uint16_t method);
void uv_put_handle(union uv_call *call, uint16_t attr, uint32_t handle);
void uv_put(union uv_call *call, uint16_t attr, const void *data, size_t len);
void uv_put_out(union uv_call *call, uint16_t attr, void *room, size_t len);
/* 0, or a negative errno value with the line noted */
int uv_do(struct ibv_context *context, union uv_call *call, const struct uv_refusal *refusals);

#endif /* UVERBS_H */
