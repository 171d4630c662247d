// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues.
 */
#include <errno.h>
#include <stdlib.h>

#include "srnic.h"

static uint32_t rq_stride(uint32_t max_sge)
{
	return sizeof(struct srnic_rq_wqe) + max_sge * sizeof(struct srnic_abi_sge);
}

/**
 * create_srq() - Create a basic SRQ
 * @attr: returns the granted sizes
 */
static struct ibv_srq *create_srq(struct ibv_context *ctx, struct ibv_pd *pd, void *srq_context,
				  struct ibv_srq_attr *attr)
{
	struct srnic_create_srq_uresp resp = {};
	struct ibv_srq_init_attr_ex attr_ex = {
		.srq_context = srq_context,
		.attr = *attr,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_BASIC,
		.pd = pd,
	};
	struct ibv_create_xsrq cmd = {};
	struct srnic_srq *srq;
	void *mem;
	int ret;

	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return NULL;

	ret = ibv_cmd_create_srq_ex(ctx, &srq->vsrq, &attr_ex, &cmd, sizeof(cmd), &resp.ibv,
				    sizeof(resp));
	if (ret) {
		errno = ret;
		goto err_free;
	}
	mem = srnic_map(ctx, &resp.drv.ring, rq_stride(attr_ex.attr.max_sge));
	if (!mem)
		goto err_destroy;

	srnic_ring_init_producer(&srq->ring, mem, &resp.drv.ring);
	srnic_lock_init(&srq->lock, srnic_single_threaded(pd));
	srq->max_sge = attr_ex.attr.max_sge;
	srq->srq_num = resp.drv.srq_num;
	srq->safe = to_sctx(ctx)->safe_cq;
	*attr = attr_ex.attr;
	return &srq->vsrq.srq;

err_destroy:
	ret = errno;
	ibv_cmd_destroy_srq(&srq->vsrq.srq);
	errno = ret;
err_free:
	free(srq);
	return NULL;
}

struct ibv_srq *srnic_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	return create_srq(pd->context, pd, attr->srq_context, &attr->attr);
}

/*
 * libibverbs passes plain requests for basic SRQs to create_srq. This function gets the
 * rest: unsupported types (XRC, tag matching), and basic SRQs with explicit attributes.
 */
struct ibv_srq *srnic_create_srq_ex(struct ibv_context *ctx, struct ibv_srq_init_attr_ex *attr)
{
	struct ibv_srq *srq;

	if (attr->comp_mask & ~(IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD) ||
	    (attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE && attr->srq_type != IBV_SRQT_BASIC)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_PD)) {
		errno = EINVAL;
		return NULL;
	}
	srq = create_srq(ctx, attr->pd, attr->srq_context, &attr->attr);
	if (srq) {	/* ibv_create_srq() would set these, but is not involved here */
		srq->srq_context = attr->srq_context;
		srq->pd = attr->pd;
	}
	return srq;
}

/**
 * resize_srq() - Change the depth of an SRQ
 *
 * The kernel moves the waiting requests to a new ring; the lock keeps others from posting
 * meanwhile. If mapping the new ring fails, the old one stays and the caller gets the
 * error: posts to it are harmless but without effect. The depth is fixed (EBUSY) while safe
 * CQs of QPs reserve entries for it.
 */
static int resize_srq(struct srnic_srq *srq, struct ibv_srq_attr *attr, int attr_mask)
{
	struct srnic_modify_srq_resp resp = {};
	struct srnic_modify_srq_ucmd cmd = { .drv.resp_addr = (uintptr_t)&resp };
	struct ibv_srq *ibsrq = &srq->vsrq.srq;
	void *mem;
	int ret;

	srnic_lock(&srq->lock);
	if (srq->cqs) {
		ret = EBUSY;
		goto unlock;
	}
	ret = ibv_cmd_modify_srq(ibsrq, attr, attr_mask, &cmd.ibv, sizeof(cmd));
	if (ret)
		goto unlock;

	mem = srnic_map(ibsrq->context, &resp.ring, rq_stride(srq->max_sge));
	if (!mem) {
		ret = errno;
		goto unlock;
	}
	srnic_ring_unmap(&srq->ring);
	srnic_ring_init_producer(&srq->ring, mem, &resp.ring);
	srq->room = 0;

unlock:
	srnic_unlock(&srq->lock);
	return ret;
}

int srnic_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int attr_mask)
{
	struct srnic_modify_srq_ucmd cmd = {};

	if (attr_mask & IBV_SRQ_MAX_WR)
		return resize_srq(to_ssrq(srq), attr, attr_mask);
	return ibv_cmd_modify_srq(srq, attr, attr_mask, &cmd.ibv, sizeof(cmd));
}

int srnic_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	struct ibv_query_srq cmd = {};

	return ibv_cmd_query_srq(srq, attr, &cmd, sizeof(cmd));
}

int srnic_get_srq_num(struct ibv_srq *srq, uint32_t *srq_num)
{
	*srq_num = to_ssrq(srq)->srq_num;
	return 0;
}

int srnic_destroy_srq(struct ibv_srq *ibsrq)
{
	struct srnic_srq *srq = to_ssrq(ibsrq);
	int ret;

	ret = ibv_cmd_destroy_srq(ibsrq);
	if (ret)
		return ret;
	srnic_ring_unmap(&srq->ring);
	srnic_lock_destroy(&srq->lock);
	free(srq);
	return 0;
}
