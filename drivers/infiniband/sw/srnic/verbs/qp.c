// SPDX-License-Identifier: GPL-2.0
/*
 * Creation and destruction of queue pairs (IBA 11.2.4). The engine runs them.
 */
#include <linux/memcontrol.h>
#include "engine/qpn.h"
#include "engine/srq.h"
#include "verbs/ops.h"

/* Granularity of ring slots; all that fits a slot is granted */
#define QP_SQ_SLOT	64
#define QP_RQ_SLOT	32

/* XRC, raw packets, QP0 of a RoCE port and others are valid but not supported: -EOPNOTSUPP. */
static int qp_check_type(const struct srnic_dev *dev, const struct ib_qp_init_attr *init,
			 bool user)
{
	switch (init->qp_type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
	case IB_QPT_UD:
		return 0;
	case IB_QPT_SMI:
		if (!dev->fabric)
			return -EOPNOTSUPP;
		fallthrough;
	case IB_QPT_GSI:
		if (user)
			return -EPERM;
		return init->port_num == SRNIC_PORT ? 0 : -EINVAL;
	default:
		return -EOPNOTSUPP;
	}
}

static int qp_check_caps(const struct ib_qp_init_attr *init)
{
	const struct ib_qp_cap *cap = &init->cap;

	if (cap->max_send_wr > SRNIC_MAX_QP_WR || cap->max_send_sge > SRNIC_MAX_SGE ||
	    cap->max_inline_data > SRNIC_MAX_INLINE)
		return -EINVAL;
	if (init->srq)
		return 0;
	if (cap->max_recv_wr > SRNIC_MAX_QP_WR || cap->max_recv_sge > SRNIC_MAX_SGE)
		return -EINVAL;
	return 0;
}

/* Return the flags that a QP may be created with: ib_ipoib's may post large sends. */
static u32 qp_create_flags(const struct srnic_dev *dev, const struct ib_qp_init_attr *init,
			   bool user)
{
	if (user || !dev->fabric || init->qp_type != IB_QPT_UD)
		return 0;
	return IB_QP_CREATE_IPOIB_UD_LSO;
}

static int qp_check(const struct srnic_dev *dev, const struct ib_qp_init_attr *init, bool user)
{
	int err;

	if (init->create_flags & ~qp_create_flags(dev, init, user) || init->rwq_ind_tbl)
		return -EOPNOTSUPP;
	err = qp_check_type(dev, init, user);
	if (err)
		return err;
	if (!init->send_cq || !init->recv_cq)
		return -EINVAL;
	return qp_check_caps(init);
}

/*
 * The send queue of a kernel consumer has no ring, only the private copies,
 * which the engine allocates on demand.
 */
static int qp_create_sq(struct srnic_qp *qp, struct ib_qp_cap *cap, struct ib_udata *udata,
			struct srnic_abi_ring *abi)
{
	u32 wr = max(cap->max_send_wr, 1U);
	u32 sges = max(cap->max_send_sge, 1U) * sizeof(struct srnic_abi_sge);
	u32 stride = ALIGN(sizeof(struct srnic_sq_wqe) + max(sges, cap->max_inline_data),
			   QP_SQ_SLOT);
	u32 avail = stride - sizeof(struct srnic_sq_wqe);
	struct srnic_sq *sq = &qp->sq;

	sq->entries = roundup_pow_of_two(wr);
	sq->limit = sq->entries;
	sq->max_sge = min_t(u32, avail / sizeof(struct srnic_abi_sge), SRNIC_MAX_SGE);
	sq->max_inline = min_t(u32, avail, SRNIC_MAX_INLINE);

	cap->max_send_wr = sq->limit;
	cap->max_send_sge = sq->max_sge;
	cap->max_inline_data = sq->max_inline;
	if (!udata)
		return 0;
	sq->memcg = get_mem_cgroup_from_mm(current->mm);
	return srnic_ring_create(udata, &sq->ring, wr, stride, abi);
}

static void qp_destroy_sq(struct srnic_qp *qp)
{
	srnic_ring_destroy(&qp->sq.ring);
	mem_cgroup_put(qp->sq.memcg);
}

static int qp_create_rq(struct srnic_qp *qp, struct ib_qp_cap *cap, struct ib_udata *udata,
			struct srnic_abi_ring *abi)
{
	u32 sges = max(cap->max_recv_sge, 1U) * sizeof(struct srnic_abi_sge);
	u32 stride = ALIGN(sizeof(struct srnic_rq_wqe) + sges, QP_RQ_SLOT);
	u32 avail = stride - sizeof(struct srnic_rq_wqe);
	struct srnic_rq *rq = &qp->rq;
	int err;

	if (qp->srq) {
		cap->max_recv_wr = 0;
		cap->max_recv_sge = 0;
		return 0;
	}

	err = srnic_ring_create(udata, &rq->ring, max(cap->max_recv_wr, 1U), stride, abi);
	if (err)
		return err;

	rq->max_sge = min_t(u32, avail / sizeof(struct srnic_abi_sge), SRNIC_MAX_SGE);
	cap->max_recv_wr = rq->ring.limit;
	cap->max_recv_sge = rq->max_sge;
	return 0;
}

/* For the overflow of a CQ, R27 */
static void qp_join_cqs(struct srnic_qp *qp)
{
	mutex_lock(&qp->scq->mutex);
	list_add_tail(&qp->scq_node, &qp->scq->send_qps);
	mutex_unlock(&qp->scq->mutex);

	mutex_lock(&qp->rcq->mutex);
	list_add_tail(&qp->rcq_node, &qp->rcq->recv_qps);
	mutex_unlock(&qp->rcq->mutex);
}

static void qp_leave_cqs(struct srnic_qp *qp)
{
	mutex_lock(&qp->scq->mutex);
	list_del(&qp->scq_node);
	mutex_unlock(&qp->scq->mutex);

	mutex_lock(&qp->rcq->mutex);
	list_del(&qp->rcq_node);
	mutex_unlock(&qp->rcq->mutex);
}

/* mem's part; the QP has its number */
static void qp_init_mem(struct srnic_qp *qp)
{
	qp->mem.pd = to_srnic_pd(qp->ib.pd);
	qp->mem.qpn = qp->ib.qp_num;
	qp->mem.user = qp->ib.uobject;
	INIT_LIST_HEAD(&qp->mem.stags);
	/* the keys of receives are those of the queue's domain, which may be another (R7) */
	qp->recv_mem = qp->srq && qp->srq->mem.pd != qp->mem.pd ? &qp->srq->mem : &qp->mem;
}

static void qp_init(struct srnic_qp *qp, const struct ib_qp_init_attr *init)
{
	qp->dev = to_srnic(qp->ib.device);
	qp->scq = to_srnic_cq(init->send_cq);
	qp->rcq = to_srnic_cq(init->recv_cq);
	qp->srq = init->srq ? to_srnic_srq(init->srq) : NULL;
	qp->sq.sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->sq.lso = init->create_flags & IB_QP_CREATE_IPOIB_UD_LSO;
	qp->attr.port_num = SRNIC_PORT;
	mutex_init(&qp->modify_mutex);
	qp_init_mem(qp);
}

static int qp_create_rings(struct srnic_qp *qp, struct ib_qp_cap *cap, struct ib_udata *udata,
			   struct srnic_create_qp_resp *resp)
{
	int err;

	err = qp_create_sq(qp, cap, udata, &resp->sq);
	if (err)
		goto err_sq;
	err = qp_create_rq(qp, cap, udata, &resp->rq);
	if (err)
		goto err_sq;
	qp->attr.cap = *cap;

	resp->sq_sig_all = qp->sq.sig_all;
	err = srnic_respond(udata, resp, sizeof(*resp));
	if (err)
		goto err_rq;
	return 0;

err_rq:
	srnic_ring_destroy(&qp->rq.ring);
err_sq:
	qp_destroy_sq(qp);
	return err;
}

static void qp_destroy_rings(struct srnic_qp *qp)
{
	srnic_ring_destroy(&qp->rq.ring);
	qp_destroy_sq(qp);
}

int srnic_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	struct srnic_dev *dev = to_srnic(ib->device);
	struct srnic_qp *qp = to_srnic_qp(ib);
	struct srnic_create_qp_resp resp = {};
	int err;

	err = srnic_check_outlen(udata, sizeof(resp)) ?: qp_check(dev, init, udata);
	if (err)
		return err;
	err = srnic_take_quota(dev, SRNIC_QUOTA_QP, to_srnic_pd(ib->pd)->user);
	if (err)
		return err;

	err = srnic_qpn_reserve(dev, qp);
	if (err)
		goto err_give;
	qp_init(qp, init);
	err = qp_create_rings(qp, &init->cap, udata, &resp);
	if (err)
		goto err_number;
	err = srnic_qp_engine_init(qp);
	if (err)
		goto err_rings;

	qp_join_cqs(qp);
	srnic_qp_show(dev, qp);
	return 0;

err_rings:
	qp_destroy_rings(qp);
err_number:
	srnic_qpn_release(dev, qp);
err_give:
	srnic_give_quota(dev, SRNIC_QUOTA_QP, to_srnic_pd(ib->pd)->user);
	return err;
}

/*
 * The core frees the QP after this returns; the engine waits for all its users.
 * The QP leaves its CQs first, because their workers must not find a QP whose
 * engine part is gone.
 */
int srnic_destroy_qp(struct ib_qp *ib, struct ib_udata *udata)
{
	struct srnic_dev *dev = to_srnic(ib->device);
	struct srnic_qp *qp = to_srnic_qp(ib);

	srnic_qp_hide(dev, qp);
	qp_leave_cqs(qp);
	srnic_qp_engine_exit(qp);
	srnic_stream_end(&qp->mem);
	qp_destroy_rings(qp);
	srnic_give_quota(dev, SRNIC_QUOTA_QP, to_srnic_pd(ib->pd)->user);
	return 0;
}
