// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues.
 */
#include <errno.h>

#include "srnic.h"

static uint32_t rq_stride(uint32_t max_sge)
{
	return sizeof(struct srnic_rq_wqe) + max_sge * sizeof(struct srnic_abi_sge);
}

/**
 * create_srq() - Create a basic SRQ, or one of an XRC domain
 * @attr: all of it; returns the granted sizes
 */
static struct ibv_srq *create_srq(struct ibv_context *ctx, struct ibv_srq_init_attr_ex *attr)
{
	struct srnic_create_srq_uresp resp = {};
	struct ibv_create_xsrq cmd = {};
	struct srnic_home home;
	struct srnic_srq *srq;
	void *mem;
	int ret;

	srq = srnic_home_alloc(&home, attr->pd, sizeof(*srq), UVERBS_OBJECT_SRQ);
	if (!srq)
		return NULL;
	srq->home = home;

	ret = ibv_cmd_create_srq_ex(ctx, &srq->vsrq, attr, &cmd, sizeof(cmd), &resp.ibv,
				    sizeof(resp));
	if (ret) {
		errno = ret;
		goto err_free;
	}
	mem = srnic_map(ctx, &resp.drv.ring, rq_stride(attr->attr.max_sge));
	if (!mem)
		goto err_destroy;

	srnic_ring_init_producer(&srq->ring, mem, &resp.drv.ring);
	srnic_lock_init(&srq->lock, srnic_single_threaded(attr->pd));
	srq->max_sge = attr->attr.max_sge;
	srq->srq_num = resp.drv.srq_num;
	srq->safe = to_sctx(ctx)->safe_cq;
	return &srq->vsrq.srq;

err_destroy:
	ret = errno;
	ibv_cmd_destroy_srq(&srq->vsrq.srq);
	errno = ret;
err_free:
	srnic_home_free(home, srq);
	return NULL;
}

struct ibv_srq *srnic_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct ibv_srq_init_attr_ex attr_ex = {
		.srq_context = attr->srq_context,
		.attr = attr->attr,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_BASIC,
		.pd = pd,
	};
	struct ibv_srq *srq = create_srq(pd->context, &attr_ex);

	if (srq)
		attr->attr = attr_ex.attr;
	return srq;
}

#define XRC_MASK	(IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ)

/*
 * Return 0, or an errno. A safe CQ cannot know how many receives the targets of other processes
 * have taken from an XRC SRQ (safe_srq.c), so it takes none.
 */
static int check_srq(struct ibv_context *ctx, const struct ibv_srq_init_attr_ex *attr)
{
	const bool xrc = attr->srq_type == IBV_SRQT_XRC;
	const uint32_t needed = IBV_SRQ_INIT_ATTR_PD | (xrc ? XRC_MASK : 0);

	if (attr->comp_mask & ~(needed | IBV_SRQ_INIT_ATTR_TYPE) ||
	    (!xrc && attr->srq_type != IBV_SRQT_BASIC) || (xrc && to_sctx(ctx)->safe_cq))
		return EOPNOTSUPP;
	return (attr->comp_mask & needed) == needed ? 0 : EINVAL;
}

/*
 * libibverbs passes plain requests for basic SRQs to create_srq. This function gets the
 * rest: SRQs of XRC domains, unsupported types (tag matching), and basic SRQs with explicit
 * attributes.
 */
struct ibv_srq *srnic_create_srq_ex(struct ibv_context *ctx, struct ibv_srq_init_attr_ex *attr)
{
	struct ibv_srq_init_attr_ex attr_ex = *attr;
	struct ibv_srq *srq;

	if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE))
		attr_ex.srq_type = IBV_SRQT_BASIC;
	attr_ex.comp_mask |= IBV_SRQ_INIT_ATTR_TYPE;
	errno = check_srq(ctx, &attr_ex);
	if (errno)
		return NULL;
	srq = create_srq(ctx, &attr_ex);
	if (srq) {	/* ibv_create_srq() would set these, but is not involved here */
		srq->srq_context = attr->srq_context;
		srq->pd = attr->pd;
		attr->attr = attr_ex.attr;
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
	srnic_home_free(srq->home, srq);
	return 0;
}
