// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions and memory windows.
 */
#include <errno.h>
#include <stdlib.h>

#include <infiniband/cmd_ioctl.h>

#include "srnic.h"

struct ibv_mr *srnic_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
			    int access)
{
	struct ib_uverbs_reg_mr_resp resp = {};
	struct ibv_reg_mr cmd = {};
	struct verbs_mr *vmr;

	vmr = calloc(1, sizeof(*vmr));
	if (!vmr)
		return NULL;

	if (ibv_cmd_reg_mr(pd, addr, length, iova, access, vmr, &cmd, sizeof(cmd), &resp,
			   sizeof(resp))) {
		free(vmr);
		return NULL;
	}
	return &vmr->ibv_mr;
}

/* The bytes of a dma-buf that a region has */
struct dmabuf_range {
	uint64_t offset;
	uint64_t length;
	uint64_t iova;
	int fd;
};

/* Return 0 or an errno. libibverbs' function for this has changed its arguments. */
static int reg_dmabuf(struct ibv_pd *pd, const struct dmabuf_range *range, int access,
		      struct verbs_mr *vmr)
{
	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR, 9);
	struct ib_uverbs_attr *handle;
	int ret;

	handle = fill_attr_out_obj(cmd, UVERBS_ATTR_REG_DMABUF_MR_HANDLE);
	fill_attr_in_obj(cmd, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, pd->handle);
	fill_attr_in_uint64(cmd, UVERBS_ATTR_REG_DMABUF_MR_OFFSET, range->offset);
	fill_attr_in_uint64(cmd, UVERBS_ATTR_REG_DMABUF_MR_LENGTH, range->length);
	fill_attr_in_uint64(cmd, UVERBS_ATTR_REG_DMABUF_MR_IOVA, range->iova);
	fill_attr_in_uint32(cmd, UVERBS_ATTR_REG_DMABUF_MR_FD, range->fd);
	fill_attr_in_uint32(cmd, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, access);
	fill_attr_out_ptr(cmd, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, &vmr->ibv_mr.lkey);
	fill_attr_out_ptr(cmd, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, &vmr->ibv_mr.rkey);
	ret = execute_ioctl(pd->context, cmd);
	if (ret)
		return ret;

	vmr->ibv_mr.handle = read_attr_obj(UVERBS_ATTR_REG_DMABUF_MR_HANDLE, handle);
	vmr->ibv_mr.context = pd->context;
	vmr->ibv_mr.pd = pd;
	vmr->ibv_mr.addr = (void *)(uintptr_t)range->offset;
	vmr->ibv_mr.length = range->length;
	vmr->mr_type = IBV_MR_TYPE_MR;
	return 0;
}

struct ibv_mr *srnic_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
				   uint64_t iova, int fd, int access)
{
	const struct dmabuf_range range = { offset, length, iova, fd };
	struct verbs_mr *vmr = calloc(1, sizeof(*vmr));
	int ret;

	if (!vmr)
		return NULL;
	ret = reg_dmabuf(pd, &range, access, vmr);
	if (ret) {
		free(vmr);
		errno = ret;
		return NULL;
	}
	return &vmr->ibv_mr;
}

int srnic_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd, void *addr,
		   size_t length, int access)
{
	struct ib_uverbs_rereg_mr_resp resp = {};
	struct ibv_rereg_mr cmd = {};

	return ibv_cmd_rereg_mr(vmr, flags, addr, length, (uintptr_t)addr, access, pd, &cmd,
				sizeof(cmd), &resp, sizeof(resp));
}

int srnic_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags,
		    struct ibv_sge *sg_list, uint32_t num_sge)
{
	return ibv_cmd_advise_mr(pd, advice, flags, sg_list, num_sge);
}

int srnic_dereg_mr(struct verbs_mr *vmr)
{
	int ret = ibv_cmd_dereg_mr(vmr);

	if (!ret)
		free(vmr);
	return ret;
}

/* The process may not have the bytes: addr stays NULL, as ibv_import_mr(3) says. */
struct ibv_mr *srnic_import_mr(struct ibv_pd *pd, uint32_t handle)
{
	struct verbs_mr *vmr = calloc(1, sizeof(*vmr));

	if (!vmr)
		return NULL;
	errno = ibv_cmd_query_mr(pd, vmr, handle);
	if (errno) {
		free(vmr);
		return NULL;
	}
	return &vmr->ibv_mr;
}

void srnic_unimport_mr(struct ibv_mr *mr)
{
	free(verbs_get_mr(mr));
}

struct ibv_mw *srnic_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct ib_uverbs_alloc_mw_resp resp = {};
	struct ibv_alloc_mw cmd = {};
	struct ibv_mw *mw;

	mw = calloc(1, sizeof(*mw));
	if (!mw)
		return NULL;

	if (ibv_cmd_alloc_mw(pd, type, mw, &cmd, sizeof(cmd), &resp, sizeof(resp))) {
		free(mw);
		return NULL;
	}
	return mw;
}

int srnic_dealloc_mw(struct ibv_mw *mw)
{
	int ret = ibv_cmd_dealloc_mw(mw);

	if (!ret)
		free(mw);
	return ret;
}

/**
 * srnic_bind_mw() - Bind a type 1 window
 *
 * The verb chooses the new rkey and returns it at once in mw->rkey; the key is valid when
 * the bind has completed. If the post fails, mw->rkey keeps its value.
 */
int srnic_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	struct ibv_send_wr wr = {
		.wr_id = bind->wr_id,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = bind->send_flags,
		.bind_mw = {
			.mw = mw,
			.rkey = ibv_inc_rkey(mw->rkey),
			.bind_info = bind->bind_info,
		},
	};
	struct ibv_send_wr *bad_wr;
	int ret;

	if (bind->bind_info.mw_access_flags & IBV_ACCESS_ZERO_BASED)
		return EINVAL;	/* only type 2 windows can be zero-based */

	ret = srnic_post_send(qp, &wr, &bad_wr);
	if (!ret)
		mw->rkey = wr.bind_mw.rkey;
	return ret;
}
