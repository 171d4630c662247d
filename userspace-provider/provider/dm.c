// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Device memory: pages of the kernel, mapped into the process (ibv_alloc_dm(3)).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <infiniband/cmd_ioctl.h>
#include <rdma/srnic-ioctl.h>

#include "srnic.h"

#define DM_ALIGN	4	/* of offset and length of a copy, as of other devices */

/* Copies go by bytes of the process's mapping; those of peers are checked by the kernel. */
static int check_copy(const struct srnic_dm *dm, uint64_t offset, size_t length)
{
	if (offset > dm->length || length > dm->length - offset)
		return EFAULT;
	return (offset | length) % DM_ALIGN ? EINVAL : 0;
}

static int copy_to_dm(struct ibv_dm *ibdm, uint64_t offset, const void *from, size_t length)
{
	struct srnic_dm *dm = to_sdm(ibdm);
	int ret = check_copy(dm, offset, length);

	if (!ret)
		memcpy(dm->mem + offset, from, length);
	return ret;
}

static int copy_from_dm(void *to, struct ibv_dm *ibdm, uint64_t offset, size_t length)
{
	struct srnic_dm *dm = to_sdm(ibdm);
	int ret = check_copy(dm, offset, length);

	if (!ret)
		memcpy(to, dm->mem + offset, length);
	return ret;
}

static int query_dm(struct ibv_context *ctx, uint32_t handle, struct srnic_ioctl_dm *resp)
{
	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_DM, SRNIC_METHOD_DM_QUERY, 2);

	fill_attr_in_obj(cmd, SRNIC_ATTR_DM_QUERY_HANDLE, handle);
	fill_attr_out_ptr(cmd, SRNIC_ATTR_DM_QUERY_RESP, resp);
	return execute_ioctl(ctx, cmd);
}

/* Map memory that exists in the kernel. Return 0 or an errno. */
static int map_dm(struct ibv_context *ctx, uint32_t handle, struct srnic_dm *dm)
{
	struct srnic_ioctl_dm resp = {};
	int ret = query_dm(ctx, handle, &resp);

	if (ret)
		return ret;
	dm->mem = mmap(NULL, resp.size, PROT_READ | PROT_WRITE, MAP_SHARED, ctx->cmd_fd,
		       resp.offset);
	if (dm->mem == MAP_FAILED)
		return errno;
	dm->size = resp.size;
	dm->length = resp.length;
	dm->vdm.handle = handle;
	dm->vdm.dm = (struct ibv_dm) {
		.context = ctx,
		.memcpy_to_dm = copy_to_dm,
		.memcpy_from_dm = copy_from_dm,
		.handle = handle,
	};
	return 0;
}

static void unmap_dm(struct srnic_dm *dm)
{
	munmap(dm->mem, dm->size);
	free(dm);
}

static int alloc_dm(struct ibv_context *ctx, struct ibv_alloc_dm_attr *attr, struct srnic_dm *dm)
{
	int ret = ibv_cmd_alloc_dm(ctx, attr, &dm->vdm, NULL);

	if (ret)
		return ret;
	ret = map_dm(ctx, dm->vdm.handle, dm);
	if (ret)
		ibv_cmd_free_dm(&dm->vdm);
	return ret;
}

struct ibv_dm *srnic_alloc_dm(struct ibv_context *ctx, struct ibv_alloc_dm_attr *attr)
{
	struct srnic_dm *dm;
	int ret;

	if (attr->comp_mask) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	dm = calloc(1, sizeof(*dm));
	if (!dm)
		return NULL;
	ret = alloc_dm(ctx, attr, dm);
	if (ret) {
		free(dm);
		errno = ret;
		return NULL;
	}
	return &dm->vdm.dm;
}

int srnic_free_dm(struct ibv_dm *ibdm)
{
	struct srnic_dm *dm = to_sdm(ibdm);
	int ret = ibv_cmd_free_dm(&dm->vdm);

	if (!ret)
		unmap_dm(dm);
	return ret;
}

struct ibv_dm *srnic_import_dm(struct ibv_context *ctx, uint32_t handle)
{
	struct srnic_dm *dm = calloc(1, sizeof(*dm));
	int ret;

	if (!dm)
		return NULL;
	ret = map_dm(ctx, handle, dm);
	if (ret) {
		free(dm);
		errno = ret;
		return NULL;
	}
	return &dm->vdm.dm;
}

void srnic_unimport_dm(struct ibv_dm *ibdm)
{
	unmap_dm(to_sdm(ibdm));
}

struct ibv_mr *srnic_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset,
			       size_t length, unsigned int access)
{
	struct verbs_mr *vmr = calloc(1, sizeof(*vmr));
	int ret;

	if (!vmr)
		return NULL;
	ret = ibv_cmd_reg_dm_mr(pd, &to_sdm(dm)->vdm, offset, length, access, vmr, NULL);
	if (ret) {
		free(vmr);
		errno = ret;
		return NULL;
	}
	return &vmr->ibv_mr;
}
