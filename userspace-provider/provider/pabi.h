/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Calls of libibverbs that its provider ABIs (vendor/rdma-core-abi*) declare differently. An
 * argument that came later is what the earlier ABIs had in its place: none.
 */
#ifndef SRNIC_PABI_H
#define SRNIC_PABI_H

#include <infiniband/driver.h>

static inline int srnic_cmd_get_context(struct verbs_context *vctx,
					struct ib_uverbs_get_context_resp *resp, size_t resp_size)
{
	struct ibv_get_context cmd = {};

#if IBVERBS_PABI_VERSION >= 57
	return ibv_cmd_get_context(vctx, &cmd, sizeof(cmd), NULL, resp, resp_size);
#else
	return ibv_cmd_get_context(vctx, &cmd, sizeof(cmd), resp, resp_size);
#endif
}

static inline int srnic_cmd_create_cq(struct ibv_context *ctx,
				      const struct ibv_cq_init_attr_ex *attr, struct verbs_cq *vcq,
				      struct ib_uverbs_ex_create_cq_resp *resp, size_t resp_size)
{
#if IBVERBS_PABI_VERSION >= 59
	return ibv_cmd_create_cq_ex(ctx, attr, NULL, vcq, NULL, 0, resp, resp_size, 0);
#else
	return ibv_cmd_create_cq_ex(ctx, attr, vcq, NULL, 0, resp, resp_size, 0);
#endif
}

static inline int srnic_cmd_create_qp(struct ibv_context *ctx, struct verbs_qp *vqp,
				      struct ibv_qp_init_attr_ex *attr,
				      struct ibv_create_qp_ex *cmd, size_t cmd_size,
				      struct ib_uverbs_ex_create_qp_resp *resp, size_t resp_size)
{
#if IBVERBS_PABI_VERSION >= 64
	return ibv_cmd_create_qp_ex2(ctx, vqp, attr, cmd, cmd_size, resp, resp_size, NULL);
#else
	return ibv_cmd_create_qp_ex2(ctx, vqp, attr, cmd, cmd_size, resp, resp_size);
#endif
}

#endif /* SRNIC_PABI_H */
