// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Protection domains.
 */
#include <errno.h>
#include <stdlib.h>

#include <infiniband/cmd_ioctl.h>
#include <rdma/srnic-ioctl.h>

#include "srnic.h"

struct ibv_pd *srnic_alloc_pd(struct ibv_context *ctx)
{
	struct ib_uverbs_alloc_pd_resp resp = {};
	struct ibv_alloc_pd cmd = {};
	struct srnic_pd *pd;

	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;

	if (ibv_cmd_alloc_pd(ctx, &pd->ibv, &cmd, sizeof(cmd), &resp, sizeof(resp))) {
		free(pd);
		return NULL;
	}
	return &pd->ibv;
}

/* Return 0 if the context has a PD of that handle, or an errno. */
static int find_pd(struct ibv_context *ctx, uint32_t handle)
{
	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_PD, SRNIC_METHOD_PD_QUERY, 1);

	fill_attr_in_obj(cmd, SRNIC_ATTR_PD_QUERY_HANDLE, handle);
	return execute_ioctl(ctx, cmd);
}

struct ibv_pd *srnic_import_pd(struct ibv_context *ctx, uint32_t handle)
{
	struct srnic_pd *pd;

	errno = find_pd(ctx, handle);
	if (errno)
		return NULL;
	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;
	pd->ibv.context = ctx;
	pd->ibv.handle = handle;
	return &pd->ibv;
}

void srnic_unimport_pd(struct ibv_pd *ibpd)
{
	free(to_spd(ibpd));
}

int srnic_dealloc_pd(struct ibv_pd *ibpd)
{
	struct srnic_pd *pd = to_spd(ibpd);
	int ret;

	if (pd->parent_of)
		return srnic_dealloc_parent_domain(pd);
	if (atomic_load(&pd->users))
		return EBUSY;
	ret = ibv_cmd_dealloc_pd(ibpd);
	if (!ret)
		free(pd);
	return ret;
}
