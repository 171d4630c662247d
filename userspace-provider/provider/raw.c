// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Raw packets: flow rules, and receive-side scaling: receive queues without a QP, their
 * indirection tables, and QPs that have such a table.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pabi.h"
#include "srnic.h"

struct ibv_flow *srnic_create_flow(struct ibv_qp *qp, struct ibv_flow_attr *attr)
{
	struct ibv_flow *flow = calloc(1, sizeof(*flow));
	int ret;

	if (!flow)
		return NULL;
	ret = ibv_cmd_create_flow(qp, flow, attr, NULL, 0);
	if (ret) {
		free(flow);
		errno = ret;
		return NULL;
	}
	return flow;
}

int srnic_destroy_flow(struct ibv_flow *flow)
{
	int ret = ibv_cmd_destroy_flow(flow);

	if (!ret)
		free(flow);
	return ret;
}

static int map_wq(struct ibv_context *ctx, struct srnic_wq *wq, const struct srnic_abi_ring *abi,
		  const struct ibv_wq_init_attr *attr)
{
	void *mem = srnic_map(ctx, abi, sizeof(struct srnic_rq_wqe) +
			      attr->max_sge * sizeof(struct srnic_abi_sge));

	if (!mem)
		return errno;
	srnic_ring_init_producer(&wq->ring, mem, abi);
	wq->max_sge = attr->max_sge;
	return 0;
}

/* A safe CQ counts the entries of QPs' queues only (safe.c), so it takes no others. */
static int check_wq(struct ibv_context *ctx, const struct ibv_wq_init_attr *attr)
{
	if (attr->comp_mask & ~IBV_WQ_INIT_ATTR_FLAGS || attr->wq_type != IBV_WQT_RQ ||
	    (attr->comp_mask & IBV_WQ_INIT_ATTR_FLAGS && attr->create_flags) ||
	    to_sctx(ctx)->safe_cq)
		return EOPNOTSUPP;
	return 0;
}

struct ibv_wq *srnic_create_wq(struct ibv_context *ctx, struct ibv_wq_init_attr *attr)
{
	struct srnic_create_wq_uresp resp = {};
	struct ibv_create_wq cmd = {};
	struct srnic_wq *wq;
	int ret = check_wq(ctx, attr);

	if (ret)
		goto err;
	wq = calloc(1, sizeof(*wq));
	if (!wq)
		return NULL;
	ret = ibv_cmd_create_wq(ctx, attr, &wq->ibv, &cmd, sizeof(cmd), &resp.ibv, sizeof(resp));
	if (ret)
		goto err_free;
	ret = map_wq(ctx, wq, &resp.drv.ring, attr);
	if (ret)
		goto err_destroy;
	srnic_lock_init(&wq->lock, srnic_single_threaded(attr->pd));
	wq->ibv.post_recv = srnic_post_wq_recv;
	return &wq->ibv;

err_destroy:
	ibv_cmd_destroy_wq(&wq->ibv);
err_free:
	free(wq);
err:
	errno = ret;
	return NULL;
}

/* As for a QP, completions from before a reset must not appear after it. */
static void reset_wq(struct srnic_wq *wq)
{
	srnic_cq_forget(wq->ibv.cq, wq->ibv.wq_num);
	srnic_lock(&wq->lock);
	srnic_ring_reset(&wq->ring);
	srnic_unlock(&wq->lock);
}

int srnic_modify_wq(struct ibv_wq *ibwq, struct ibv_wq_attr *attr)
{
	struct ibv_modify_wq cmd = {};
	int ret = ibv_cmd_modify_wq(ibwq, attr, &cmd, sizeof(cmd));

	if (!ret && attr->attr_mask & IBV_WQ_ATTR_STATE && attr->wq_state == IBV_WQS_RESET)
		reset_wq(to_swq(ibwq));
	return ret;
}

int srnic_destroy_wq(struct ibv_wq *ibwq)
{
	struct srnic_wq *wq = to_swq(ibwq);
	int ret = ibv_cmd_destroy_wq(ibwq);

	if (ret)
		return ret;
	srnic_cq_forget(ibwq->cq, ibwq->wq_num);
	srnic_ring_unmap(&wq->ring);
	srnic_lock_destroy(&wq->lock);
	free(wq);
	return 0;
}

struct ibv_rwq_ind_table *srnic_create_rwq_table(struct ibv_context *ctx,
						 struct ibv_rwq_ind_table_init_attr *attr)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp resp = {};
	struct ibv_rwq_ind_table *table = calloc(1, sizeof(*table));
	int ret;

	if (!table)
		return NULL;
	ret = ibv_cmd_create_rwq_ind_table(ctx, attr, table, &resp, sizeof(resp));
	if (ret) {
		free(table);
		errno = ret;
		return NULL;
	}
	return table;
}

int srnic_destroy_rwq_table(struct ibv_rwq_ind_table *table)
{
	int ret = ibv_cmd_destroy_rwq_ind_table(table);

	if (!ret)
		free(table);
	return ret;
}

static int fill_hash(struct srnic_create_qp_cmd *cmd, const struct ibv_rx_hash_conf *conf)
{
	if (conf->rx_hash_fields_mask > UINT32_MAX)
		return EOPNOTSUPP;
	if (conf->rx_hash_key_len != SRNIC_RX_HASH_KEY_LEN || !conf->rx_hash_key)
		return EINVAL;
	cmd->rx_hash_fields = conf->rx_hash_fields_mask;
	cmd->rx_hash_function = conf->rx_hash_function;
	cmd->rx_hash_key_len = conf->rx_hash_key_len;
	memcpy(cmd->rx_hash_key, conf->rx_hash_key, SRNIC_RX_HASH_KEY_LEN);
	return 0;
}

/**
 * srnic_create_rss() - Let the kernel create a QP that spreads frames over receive queues
 * @qp: zeroed
 * @attr: has an indirection table and the parameters of the hash
 *
 * Return: 0 or an errno.
 */
int srnic_create_rss(struct ibv_context *ctx, struct srnic_qp *qp, struct ibv_qp_init_attr_ex *attr)
{
	struct srnic_create_rss_uresp resp = {};
	struct srnic_create_rss_ucmd cmd = {};
	int ret = fill_hash(&cmd.drv, &attr->rx_hash_conf);

	if (ret)
		return ret;
	return srnic_cmd_create_qp(ctx, &qp->vqp, attr, &cmd.ibv, sizeof(cmd), &resp.ibv,
				   sizeof(resp));
}
