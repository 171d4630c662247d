// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs, except for posting.
 */
#include <errno.h>
#include <stdlib.h>

#include "srnic.h"
#include "wqe.h"

/**
 * map_sq() - Map the send ring and record the granted capabilities
 *
 * The inline limit is the granted one, capped to what a slot holds: the copy in post_send
 * relies on this cap.
 */
static int map_sq(struct srnic_qp *qp, const struct srnic_abi_ring *abi,
		  const struct ibv_qp_cap *cap)
{
	uint32_t head = sizeof(struct srnic_sq_wqe);
	void *mem;

	if (!abi->size)
		return 0;	/* receive-only QP: each post finds the queue full */
	mem = srnic_map(qp->vqp.qp.context, abi,
			head + cap->max_send_sge * sizeof(struct srnic_abi_sge));
	if (!mem)
		return errno;

	srnic_ring_init_producer(&qp->sq, mem, abi);
	qp->max_send_sge = cap->max_send_sge;
	qp->max_inline = cap->max_inline_data;
	if (qp->max_inline > abi->stride - head)
		qp->max_inline = abi->stride - head;
	return 0;
}

static int map_rq(struct srnic_qp *qp, const struct srnic_abi_ring *abi,
		  const struct ibv_qp_cap *cap)
{
	void *mem;

	if (!abi->size)
		return 0;	/* an SRQ is used, or the QP is send-only */
	mem = srnic_map(qp->vqp.qp.context, abi, sizeof(struct srnic_rq_wqe) +
			cap->max_recv_sge * sizeof(struct srnic_abi_sge));
	if (!mem)
		return errno;

	srnic_ring_init_producer(&qp->rq, mem, abi);
	qp->max_recv_sge = cap->max_recv_sge;
	return 0;
}

static int map_rings(struct srnic_qp *qp, const struct srnic_create_qp_resp *resp,
		     const struct ibv_qp_cap *cap)
{
	int ret = map_sq(qp, &resp->sq, cap);

	return ret ? ret : map_rq(qp, &resp->rq, cap);
}

static void unmap_rings(struct srnic_qp *qp)
{
	srnic_ring_unmap(&qp->sq);
	srnic_ring_unmap(&qp->rq);
}

static void init_locks(struct srnic_qp *qp, struct ibv_pd *pd)
{
	bool elided = srnic_single_threaded(pd);

	srnic_lock_init(&qp->sq_lock, elided);
	srnic_lock_init(&qp->rq_lock, elided);
}

/**
 * offer_wr() - Tell libibverbs that the QP supports ibv_wr_*()
 *
 * The flag is in comp_mask, behind struct ibv_qp_ex, to which rdma-core 44 and 45 each
 * added a pointer without changing the provider ABI. If the running libibverbs does not
 * match the verbs.h of this build, it reads the flag up to two pointers before or after our
 * comp_mask. Both places are free: vqp_grows follows, and pointers of operations that were
 * not requested precede. ibv_qp_to_qp_ex() shows which place the library reads.
 *
 * Return: the end of the library's struct ibv_qp_ex, or NULL if no place was found.
 */
static void *offer_wr(struct srnic_qp *qp)
{
	static const int steps[] = { 0, 1, -1, 2, -2 };
	char *own = (char *)qp + offsetof(struct srnic_qp, vqp.comp_mask);
	unsigned int i;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		uint32_t *mask = (void *)(own + steps[i] * (int)sizeof(void *));
		uint32_t was = *mask;

		*mask |= VERBS_QP_EX;
		if (ibv_qp_to_qp_ex(&qp->vqp.qp))
			return mask;
		*mask = was;
	}
	return NULL;
}

/* Offer ibv_wr_*() with @ops, which srnic_set_wr_ops() has accepted. */
static int offer_ops(struct srnic_qp *qp, uint64_t ops)
{
	void *end = offer_wr(qp);

	return end ? srnic_set_late_wr_ops(qp, ops, end) : EOPNOTSUPP;
}

static bool spreads(const struct ibv_qp_init_attr_ex *attr)
{
	return attr->comp_mask & IBV_QP_INIT_ATTR_IND_TABLE;
}

/* Let the kernel create the QP, and map its rings. */
static int create_in_kernel(struct ibv_context *ctx, struct srnic_qp *qp,
			    struct ibv_qp_init_attr_ex *attr)
{
	struct srnic_create_qp_uresp resp = {};
	struct ibv_create_qp cmd = {};
	int ret;

	if (spreads(attr))
		return srnic_create_rss(ctx, qp, attr);
	ret = ibv_cmd_create_qp_ex(ctx, &qp->vqp, attr, &cmd, sizeof(cmd), &resp.ibv, sizeof(resp));
	if (ret)
		return ret;
	ret = map_rings(qp, &resp.drv, &attr->cap);
	if (ret) {
		ibv_cmd_destroy_qp(&qp->vqp.qp);
		unmap_rings(qp);
	}
	return ret;
}

/**
 * create_qp() - Create an RC, UC, UD, XRC or raw packet QP
 * @attr: returns the granted capabilities
 * @ex: whether to offer the ibv_wr_*() interface
 */
static struct srnic_qp *create_qp(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr,
				  bool ex)
{
	struct srnic_home home;
	struct srnic_qp *qp;
	int ret;

	qp = srnic_home_alloc(&home, attr->pd, sizeof(*qp), UVERBS_OBJECT_QP);
	if (!qp)
		return NULL;
	qp->home = home;

	if (ex) {
		ret = srnic_set_wr_ops(qp, attr->qp_type, attr->send_ops_flags);
		if (ret)
			goto err_free;
	}
	ret = create_in_kernel(ctx, qp, attr);
	if (ret)
		goto err_free;
	if (ex)
		ret = offer_ops(qp, attr->send_ops_flags);
	if (!ret)
		ret = srnic_safe_attach(qp, attr);
	if (ret)
		goto err_destroy;

	init_locks(qp, attr->pd);
	if (attr->sq_sig_all)
		qp->always = SRNIC_WQE_SIGNALED;
	return qp;

err_destroy:
	ibv_cmd_destroy_qp(&qp->vqp.qp);
	unmap_rings(qp);
err_free:
	srnic_home_free(home, qp);
	errno = ret;
	return NULL;
}

/* Whether the QP is in an XRC domain, and not in a protection domain */
static bool is_target(enum ibv_qp_type type)
{
	return type == IBV_QPT_XRC_RECV;
}

/* XRC QPs lack queues: attributes of these have no meaning. */
static void drop_queues(struct ibv_qp_init_attr_ex *attr)
{
	if (attr->qp_type != IBV_QPT_XRC_SEND && !is_target(attr->qp_type))
		return;
	attr->recv_cq = NULL;
	attr->srq = NULL;
	if (!is_target(attr->qp_type))
		return;
	attr->send_cq = NULL;
	attr->pd = NULL;
}

static bool type_supported(enum ibv_qp_type type)
{
	return type == IBV_QPT_RC || type == IBV_QPT_UC || type == IBV_QPT_UD ||
	       type == IBV_QPT_RAW_PACKET ||
	       type == IBV_QPT_XRC_SEND || type == IBV_QPT_XRC_RECV;
}

struct ibv_qp *srnic_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex attr_ex = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct srnic_qp *qp;

	if (!type_supported(attr->qp_type)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (is_target(attr->qp_type)) {
		errno = EINVAL;
		return NULL;
	}
	drop_queues(&attr_ex);
	qp = create_qp(pd->context, &attr_ex, false);
	if (!qp)
		return NULL;
	attr->cap = attr_ex.cap;
	return &qp->vqp.qp;
}

/* Return whether the kernel refuses some of @attr's operations. */
static bool ops_refused(struct ibv_context *ctx, const struct ibv_qp_init_attr_ex *attr)
{
	return attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS &&
	       attr->send_ops_flags & SRNIC_QP_EX_WITH_FLUSH &&
	       to_sctx(ctx)->features & SRNIC_FEATURE_NO_FLUSH;
}

/* The attributes of receive-side scaling */
#define RSS_MASK	(IBV_QP_INIT_ATTR_IND_TABLE | IBV_QP_INIT_ATTR_RX_HASH)

struct ibv_qp *srnic_create_qp_ex(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr)
{
	const uint32_t domain = is_target(attr->qp_type) ? IBV_QP_INIT_ATTR_XRCD :
							   IBV_QP_INIT_ATTR_PD;
	const uint32_t rss = attr->qp_type == IBV_QPT_RAW_PACKET ? RSS_MASK : 0;
	const uint32_t known = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS |
			       IBV_QP_INIT_ATTR_SEND_OPS_FLAGS | domain | rss;
	struct ibv_qp_init_attr_ex attr_ex = *attr;
	struct srnic_qp *qp;

	if (!type_supported(attr->qp_type) || attr->comp_mask & ~known || ops_refused(ctx, attr) ||
	    (attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS && attr->create_flags)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	/* the command knows neither send_ops_flags nor create_flags, and the latter are 0 */
	attr_ex.comp_mask = domain | (attr->comp_mask & IBV_QP_INIT_ATTR_IND_TABLE);
	if (!(attr->comp_mask & domain) ||
	    (attr->comp_mask & rss && (attr->comp_mask & rss) != rss)) {
		errno = EINVAL;
		return NULL;
	}
	drop_queues(&attr_ex);
	qp = create_qp(ctx, &attr_ex, attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS);
	if (!qp)
		return NULL;
	attr->cap = attr_ex.cap;
	return &qp->vqp.qp;
}

/**
 * srnic_open_qp() - Share an XRC target QP that another process has created
 *
 * It has no rings: the SRQs of its domain, which the requests name, have.
 */
struct ibv_qp *srnic_open_qp(struct ibv_context *ctx, struct ibv_qp_open_attr *attr)
{
	struct ib_uverbs_create_qp_resp resp = {};
	struct ibv_open_qp cmd = {};
	struct srnic_qp *qp;
	int ret;

	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;
	/* the library's struct may be longer than ours: see offer_wr() */
	ret = ibv_cmd_open_qp(ctx, &qp->vqp, sizeof(qp->vqp) + sizeof(qp->vqp_grows), attr, &cmd,
			      sizeof(cmd), &resp, sizeof(resp));
	if (ret) {
		free(qp);
		errno = ret;
		return NULL;
	}
	init_locks(qp, NULL);
	return &qp->vqp.qp;
}

static void reset_rings(struct srnic_qp *qp)
{
	srnic_lock(&qp->sq_lock);
	srnic_ring_reset(&qp->sq);
	srnic_claims_drop(&qp->send_claims);
	srnic_unlock(&qp->sq_lock);

	srnic_lock(&qp->rq_lock);
	srnic_ring_reset(&qp->rq);
	srnic_claims_drop(&qp->recv_claims);
	srnic_unlock(&qp->rq_lock);
}

/* IBA 10.3.1: completions from before a reset must not appear after it. */
static void forget_completions(struct ibv_qp *qp)
{
	if (qp->recv_cq)
		srnic_cq_forget(qp->recv_cq, qp->qp_num);
	if (qp->send_cq && qp->send_cq != qp->recv_cq)
		srnic_cq_forget(qp->send_cq, qp->qp_num);
}

int srnic_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)
{
	struct ibv_modify_qp cmd = {};
	int ret;

	ret = ibv_cmd_modify_qp(qp, attr, attr_mask, &cmd, sizeof(cmd));
	if (!ret && attr_mask & IBV_QP_STATE && attr->qp_state == IBV_QPS_RESET) {
		/* first the completions: other QPs may use released entries of a safe CQ at once */
		forget_completions(qp);
		reset_rings(to_sqp(qp));
	}
	return ret;
}

int srnic_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		   struct ibv_qp_init_attr *init_attr)
{
	struct ibv_query_qp cmd = {};

	return ibv_cmd_query_qp(qp, attr, attr_mask, init_attr, &cmd, sizeof(cmd));
}

int srnic_destroy_qp(struct ibv_qp *ibqp)
{
	struct srnic_qp *qp = to_sqp(ibqp);
	int ret;

	ret = ibv_cmd_destroy_qp(ibqp);
	if (ret)
		return ret;
	srnic_debts_forget(qp);
	forget_completions(ibqp);
	srnic_safe_detach(qp);
	unmap_rings(qp);
	srnic_lock_destroy(&qp->sq_lock);
	srnic_lock_destroy(&qp->rq_lock);
	srnic_home_free(qp->home, qp);
	return 0;
}
