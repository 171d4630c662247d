// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * srnic's provider: registration with libibverbs, contexts and device attributes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/cmd_ioctl.h>
#include <rdma/srnic-ioctl.h>

#include "pabi.h"
#include "srnic.h"

#define NSEC_PER_SEC	1000000000ULL

/**
 * srnic_query_device_ex() - Return the device attributes
 *
 * The kernel reports neither the clock nor how it hashes. It is the provider that interprets
 * the stamps in CQEs: CLOCK_MONOTONIC in nanoseconds, thus 10^6 kHz and all 64 bits.
 */
static int srnic_query_device_ex(struct ibv_context *ctx,
				 const struct ibv_query_device_ex_input *input,
				 struct ibv_device_attr_ex *attr, size_t attr_size)
{
	struct ib_uverbs_ex_query_device_resp resp = {};
	size_t resp_size = sizeof(resp);
	uint64_t fw;
	int ret;

	ret = ibv_cmd_query_device_any(ctx, input, attr, attr_size, &resp, &resp_size);
	if (ret)
		return ret;

	fw = resp.base.fw_ver;
	snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver), "%u.%u.%u",
		 (unsigned int)(fw >> 32 & 0xffff), (unsigned int)(fw >> 16 & 0xffff),
		 (unsigned int)(fw & 0xffff));

	if (attr_size >= offsetof(struct ibv_device_attr_ex, hca_core_clock) +
			 sizeof(attr->hca_core_clock)) {
		attr->completion_timestamp_mask = UINT64_MAX;
		attr->hca_core_clock = NSEC_PER_SEC / 1000;
	}
	if (attr_size >= offsetof(struct ibv_device_attr_ex, rss_caps) + sizeof(attr->rss_caps) &&
	    attr->rss_caps.supported_qpts) {
		attr->rss_caps.rx_hash_fields_mask = SRNIC_RX_HASH_FIELDS;
		attr->rss_caps.rx_hash_function = SRNIC_RX_HASH_TOEPLITZ;
	}
	return 0;
}

/**
 * srnic_query_rt_values() - Read the device's clock
 *
 * As in other providers, tv_nsec holds the whole count, so that it is comparable with
 * ibv_wc_read_completion_ts().
 */
static int srnic_query_rt_values(struct ibv_context *ctx, struct ibv_values_ex *values)
{
	struct timespec now;
	uint32_t given = 0;

	(void)ctx;
	if (values->comp_mask & IBV_VALUES_MASK_RAW_CLOCK) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		values->raw_clock.tv_sec = 0;
		values->raw_clock.tv_nsec = now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
		given |= IBV_VALUES_MASK_RAW_CLOCK;
	}
	values->comp_mask = given;
	return 0;
}

static int srnic_query_port(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr)
{
	struct ibv_query_port cmd = {};

	return ibv_cmd_query_port(ctx, port, attr, &cmd, sizeof(cmd));
}

static void srnic_free_context(struct ibv_context *ibctx)
{
	struct srnic_context *ctx = to_sctx(ibctx);

	verbs_uninit_context(&ctx->vctx);
	free(ctx);
}

static const struct verbs_context_ops srnic_ctx_ops = {
	.advise_mr = srnic_advise_mr,
	.alloc_dm = srnic_alloc_dm,
	.alloc_mw = srnic_alloc_mw,
	.alloc_parent_domain = srnic_alloc_parent_domain,
	.alloc_pd = srnic_alloc_pd,
	.alloc_td = srnic_alloc_td,
	.attach_mcast = ibv_cmd_attach_mcast,
	.bind_mw = srnic_bind_mw,
	.close_xrcd = srnic_close_xrcd,
	.create_ah = srnic_create_ah,
	.create_cq = srnic_create_cq,
	.create_cq_ex = srnic_create_cq_ex,
	.create_flow = srnic_create_flow,
	.create_qp = srnic_create_qp,
	.create_qp_ex = srnic_create_qp_ex,
	.create_rwq_ind_table = srnic_create_rwq_table,
	.create_srq = srnic_create_srq,
	.create_srq_ex = srnic_create_srq_ex,
	.create_wq = srnic_create_wq,
	.dealloc_mw = srnic_dealloc_mw,
	.dealloc_pd = srnic_dealloc_pd,
	.dealloc_td = srnic_dealloc_td,
	.dereg_mr = srnic_dereg_mr,
	.destroy_ah = srnic_destroy_ah,
	.destroy_cq = srnic_destroy_cq,
	.destroy_flow = srnic_destroy_flow,
	.destroy_qp = srnic_destroy_qp,
	.destroy_rwq_ind_table = srnic_destroy_rwq_table,
	.destroy_srq = srnic_destroy_srq,
	.destroy_wq = srnic_destroy_wq,
	.detach_mcast = ibv_cmd_detach_mcast,
	.free_context = srnic_free_context,
	.free_dm = srnic_free_dm,
	.get_srq_num = srnic_get_srq_num,
	.import_dm = srnic_import_dm,
	.import_mr = srnic_import_mr,
	.import_pd = srnic_import_pd,
	.modify_cq = srnic_modify_cq,
	.modify_qp = srnic_modify_qp,
	.modify_srq = srnic_modify_srq,
	.modify_wq = srnic_modify_wq,
	.open_qp = srnic_open_qp,
	.open_xrcd = srnic_open_xrcd,
	.poll_cq = srnic_poll_cq,
	.post_recv = srnic_post_recv,
	.post_send = srnic_post_send,
	.post_srq_recv = srnic_post_srq_recv,
	.query_device_ex = srnic_query_device_ex,
	.query_port = srnic_query_port,
	.query_qp = srnic_query_qp,
	.query_rt_values = srnic_query_rt_values,
	.query_srq = srnic_query_srq,
	.reg_dm_mr = srnic_reg_dm_mr,
	.reg_dmabuf_mr = srnic_reg_dmabuf_mr,
	.reg_mr = srnic_reg_mr,
	.req_notify_cq = srnic_req_notify_cq,
	.rereg_mr = srnic_rereg_mr,
	.resize_cq = srnic_resize_cq,
	.unimport_dm = srnic_unimport_dm,
	.unimport_mr = srnic_unimport_mr,
	.unimport_pd = srnic_unimport_pd,
};

/*
 * Return a context on @cmd_fd, or NULL with errno set. libibverbs gives @cmd_fd away: it is closed
 * with the context, or if there is none.
 */
static struct srnic_context *context_new(struct ibv_device *ibdev, int cmd_fd)
{
	struct srnic_context *ctx;
	bool safe_cq;
	int err;

	err = srnic_safe_wanted(&safe_cq);
	if (err) {
		close(cmd_fd);
		errno = err;
		return NULL;
	}
	ctx = verbs_init_and_alloc_context(ibdev, cmd_fd, ctx, vctx, SRNIC_DRIVER_ID);
	if (ctx)
		ctx->safe_cq = safe_cq;
	return ctx;
}

/* @err: of the command that returned @resp. Return NULL with errno set if it has failed. */
static struct verbs_context *context_complete(struct srnic_context *ctx, int err,
					      const struct srnic_alloc_ucontext_resp *resp)
{
	if (err) {
		srnic_free_context(&ctx->vctx.context);
		errno = err;
		return NULL;
	}
	ctx->max_sge = resp->max_sge;
	ctx->max_inline = resp->max_inline;
	ctx->features = resp->features;
	verbs_set_ops(&ctx->vctx, &srnic_ctx_ops);
	return &ctx->vctx;
}

static struct verbs_context *srnic_alloc_context(struct ibv_device *ibdev, int cmd_fd,
						 void *private_data)
{
	struct srnic_context *ctx = context_new(ibdev, cmd_fd);
	struct srnic_get_context_uresp resp = {};
	int err;

	(void)private_data;
	if (!ctx)
		return NULL;
	err = srnic_cmd_get_context(&ctx->vctx, &resp.ibv, sizeof(resp));
	return context_complete(ctx, err, &resp.drv);
}

/**
 * srnic_import_context() - Attach to a context that exists in the kernel (ibv_import_device(3))
 *
 * Objects of the context are not known here until they are imported, one by one.
 */
struct verbs_context *srnic_import_context(struct ibv_device *ibdev, int cmd_fd)
{
	struct srnic_context *ctx = context_new(ibdev, cmd_fd);
	struct srnic_alloc_ucontext_resp resp = {};

	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT, 1);

	if (!ctx)
		return NULL;
	/* the kernel would refuse another process's write(), and log it */
	atomic_init(&ctx->no_write, true);
	fill_attr_out_ptr(cmd, SRNIC_ATTR_QUERY_CONTEXT_RESP, &resp);
	return context_complete(ctx, ibv_cmd_query_context(&ctx->vctx.context, cmd), &resp);
}

static struct verbs_device *srnic_alloc_device(struct verbs_sysfs_dev *sysfs_dev)
{
	struct srnic_device *dev = calloc(1, sizeof(*dev));

	(void)sysfs_dev;
	return dev ? &dev->vdev : NULL;
}

static void srnic_uninit_device(struct verbs_device *vdev)
{
	free(container_of(vdev, struct srnic_device, vdev));
}

static const struct verbs_match_ent srnic_match_table[] = {
	VERBS_DRIVER_ID(SRNIC_DRIVER_ID),
	{},
};

static const struct verbs_device_ops srnic_dev_ops = {
	.name = "srnic",
	.match_min_abi_version = SRNIC_ABI_VERSION,
	.match_max_abi_version = SRNIC_ABI_VERSION,
	.match_table = srnic_match_table,
	.alloc_device = srnic_alloc_device,
	.uninit_device = srnic_uninit_device,
	.alloc_context = srnic_alloc_context,
	.import_context = srnic_import_context,
};

PROVIDER_DRIVER(srnic, srnic_dev_ops);
