// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Protection domains, thread domains, and parent domains, which join the two.
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

struct ibv_td *srnic_alloc_td(struct ibv_context *ctx, struct ibv_td_init_attr *attr)
{
	struct srnic_td *td;

	if (attr->comp_mask) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	td = calloc(1, sizeof(*td));
	if (!td)
		return NULL;
	td->ibv.context = ctx;
	return &td->ibv;
}

int srnic_dealloc_td(struct ibv_td *ibtd)
{
	struct srnic_td *td = to_std(ibtd);

	if (atomic_load(&td->users))
		return EBUSY;
	free(td);
	return 0;
}

/**
 * srnic_alloc_parent_domain() - Create a parent domain of a PD and a thread domain
 *
 * The kernel does not know parent domains: they share their PD's handle. Objects created
 * in a parent domain with a thread domain use no locks.
 */
struct ibv_pd *srnic_alloc_parent_domain(struct ibv_context *ctx,
					 struct ibv_parent_domain_init_attr *attr)
{
	struct srnic_pd *parent;

	(void)ctx;
	if (ibv_check_alloc_parent_domain(attr))
		return NULL;
	if (attr->comp_mask) {		/* custom allocators are not supported */
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (to_spd(attr->pd)->parent_of) {
		errno = EINVAL;
		return NULL;
	}

	parent = calloc(1, sizeof(*parent));
	if (!parent)
		return NULL;

	ibv_initialize_parent_domain(&parent->ibv, attr->pd);
	parent->parent_of = to_spd(attr->pd);
	atomic_fetch_add(&parent->parent_of->users, 1);
	if (attr->td) {
		parent->td = to_std(attr->td);
		atomic_fetch_add(&parent->td->users, 1);
	}
	return &parent->ibv;
}

static int dealloc_parent_domain(struct srnic_pd *parent)
{
	atomic_fetch_sub(&parent->parent_of->users, 1);
	if (parent->td)
		atomic_fetch_sub(&parent->td->users, 1);
	free(parent);
	return 0;
}

int srnic_dealloc_pd(struct ibv_pd *ibpd)
{
	struct srnic_pd *pd = to_spd(ibpd);
	int ret;

	if (pd->parent_of)
		return dealloc_parent_domain(pd);
	if (atomic_load(&pd->users))
		return EBUSY;
	ret = ibv_cmd_dealloc_pd(ibpd);
	if (!ret)
		free(pd);
	return ret;
}
