// SPDX-License-Identifier: GPL-2.0
/*
 * Creation and destruction of queue pairs (IBA 11.2.4). The engine runs them.
 */
#include <linux/memcontrol.h>
#include <linux/slab.h>
#include "engine/qpn.h"
#include "engine/srq.h"
#include "engine/xrc.h"
#include "raw/raw.h"
#include "verbs/ops.h"

/* Granularity of ring slots; all that fits a slot is granted */
#define QP_SQ_SLOT	64
#define QP_RQ_SLOT	32

/* Frames are those of the netdev, which an InfiniBand port only borrows. */
static int qp_check_raw(const struct srnic_dev *dev, const struct ib_qp_init_attr *init, bool user)
{
	if (!user || dev->fabric || init->srq)
		return -EOPNOTSUPP;
	return srnic_raw_permit(dev);
}

/* QP0 of a RoCE port and others are valid but not supported: -EOPNOTSUPP. */
static int qp_check_type(const struct srnic_dev *dev, const struct ib_qp_init_attr *init,
			 bool user)
{
	switch (init->qp_type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
	case IB_QPT_UD:
		return 0;
	case IB_QPT_XRC_INI:
		/* the kernel's work requests have no field for the SRQ */
		return user ? 0 : -EOPNOTSUPP;
	case IB_QPT_XRC_TGT:
		return init->xrcd ? 0 : -EINVAL;
	case IB_QPT_RAW_PACKET:
		return qp_check_raw(dev, init, user);
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

static bool has_send_queue(const struct ib_qp_init_attr *init)
{
	return init->qp_type != IB_QPT_XRC_TGT && !init->rwq_ind_tbl;
}

static bool has_receive_queue(const struct ib_qp_init_attr *init)
{
	return init->qp_type != IB_QPT_XRC_TGT && init->qp_type != IB_QPT_XRC_INI &&
	       !init->srq && !init->rwq_ind_tbl;
}

static int qp_check_queues(const struct ib_qp_init_attr *init)
{
	const bool xrc = init->qp_type == IB_QPT_XRC_TGT || init->qp_type == IB_QPT_XRC_INI;

	/* its queues are those of the table */
	if (init->rwq_ind_tbl)
		return init->send_cq || init->recv_cq ? -EINVAL : 0;
	/* requests of XRC name an SRQ, and other QPs have one that is not for XRC */
	if (init->srq && (xrc || init->srq->srq_type != IB_SRQT_BASIC))
		return -EINVAL;
	if (has_send_queue(init) && !init->send_cq)
		return -EINVAL;
	return xrc || init->recv_cq ? 0 : -EINVAL;
}

/* Capacities of queues that the QP does not have are ignored, and returned as 0. */
static int qp_check_caps(const struct ib_qp_init_attr *init)
{
	const struct ib_qp_cap *cap = &init->cap;

	if (!has_send_queue(init))
		return 0;
	if (cap->max_send_wr > SRNIC_MAX_QP_WR || cap->max_send_sge > SRNIC_MAX_SGE ||
	    cap->max_inline_data > SRNIC_MAX_INLINE)
		return -EINVAL;
	if (!has_receive_queue(init))
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
	if (init->create_flags & ~qp_create_flags(dev, init, user))
		return -EOPNOTSUPP;
	if (init->rwq_ind_tbl && init->qp_type != IB_QPT_RAW_PACKET)
		return -EOPNOTSUPP;
	return qp_check_type(dev, init, user) ?: qp_check_queues(init) ?: qp_check_caps(init);
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

/**
 * srnic_rq_create() - Create the receive queue of a QP
 * @qp: the QP
 * @cap: sizes that are asked for; returns those that are granted
 * @udata: of the command
 * @abi: filled in for user space
 *
 * Context: process.
 * Return: 0, or an errno of srnic_ring_create().
 */
int srnic_rq_create(struct srnic_qp *qp, struct ib_qp_cap *cap, struct ib_udata *udata,
		    struct srnic_abi_ring *abi)
{
	u32 sges = max(cap->max_recv_sge, 1U) * sizeof(struct srnic_abi_sge);
	u32 stride = ALIGN(sizeof(struct srnic_rq_wqe) + sges, QP_RQ_SLOT);
	u32 avail = stride - sizeof(struct srnic_rq_wqe);
	struct srnic_rq *rq = &qp->rq;
	int err;

	err = srnic_ring_create(udata, &rq->ring, max(cap->max_recv_wr, 1U), stride, abi);
	if (err)
		return err;

	rq->max_sge = min_t(u32, avail / sizeof(struct srnic_abi_sge), SRNIC_MAX_SGE);
	cap->max_recv_wr = rq->ring.limit;
	cap->max_recv_sge = rq->max_sge;
	return 0;
}

static void cq_join(struct srnic_cq *cq, struct list_head *node, struct list_head *qps)
{
	mutex_lock(&cq->mutex);
	list_add_tail(node, qps);
	mutex_unlock(&cq->mutex);
}

static void cq_leave(struct srnic_cq *cq, struct list_head *node)
{
	mutex_lock(&cq->mutex);
	list_del(node);
	mutex_unlock(&cq->mutex);
}

/**
 * srnic_qp_join() - Enter a QP in the lists of the objects that it uses
 * @qp: the QP
 *
 * A CQ's overflow finds it there (R27), and an XRC target's SRQs, when they are destroyed.
 *
 * Context: process.
 */
void srnic_qp_join(struct srnic_qp *qp)
{
	if (qp->scq)
		cq_join(qp->scq, &qp->scq_node, &qp->scq->send_qps);
	if (qp->rcq)
		cq_join(qp->rcq, &qp->rcq_node, &qp->rcq->recv_qps);
	if (qp->xrc)
		srnic_target_join(qp);
}

/**
 * srnic_qp_leave_cqs() - Take a QP from the lists of its CQs
 * @qp: the QP; an XRC target's @rcq is not its own
 *
 * Context: process.
 */
void srnic_qp_leave_cqs(struct srnic_qp *qp)
{
	if (qp->xrc)
		return;
	if (qp->scq)
		cq_leave(qp->scq, &qp->scq_node);
	if (qp->rcq)
		cq_leave(qp->rcq, &qp->rcq_node);
}

/**
 * srnic_qp_init_mem() - Set mem's part of a QP
 * @qp: the QP, which has its number; an XRC target gets the domain of each request's SRQ
 */
void srnic_qp_init_mem(struct srnic_qp *qp)
{
	qp->mem.pd = qp->xrc ? NULL : to_srnic_pd(qp->ib.pd);
	qp->mem.qpn = qp->ib.qp_num;
	qp->mem.user = qp->xrc || qp->ib.uobject;
	qp->mem.unpaged = qp->xrc;
	INIT_LIST_HEAD(&qp->mem.stags);
	/* the keys of receives are those of the queue's domain, which may be another (R7) */
	qp->recv_mem = qp->srq && qp->srq->mem.pd != qp->mem.pd ? &qp->srq->mem : &qp->mem;
}

static void qp_init(struct srnic_qp *qp, const struct ib_qp_init_attr *init)
{
	qp->dev = to_srnic(qp->ib.device);
	qp->stats = qp->dev->stats;
	if (has_send_queue(init))
		qp->scq = to_srnic_cq(init->send_cq);
	if (init->recv_cq && init->qp_type != IB_QPT_XRC_TGT && init->qp_type != IB_QPT_XRC_INI)
		qp->rcq = to_srnic_cq(init->recv_cq);
	qp->srq = init->srq ? to_srnic_srq(init->srq) : NULL;
	qp->sq.sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->sq.lso = init->create_flags & IB_QP_CREATE_IPOIB_UD_LSO;
	qp->attr.port_num = SRNIC_PORT;
	mutex_init(&qp->modify_mutex);
	srnic_qp_init_mem(qp);
}

/* A queue that the QP does not have holds nothing. */
static void clear_caps(struct ib_qp_init_attr *init)
{
	struct ib_qp_cap *cap = &init->cap;

	if (!has_send_queue(init))
		*cap = (struct ib_qp_cap){};
	if (!has_receive_queue(init)) {
		cap->max_recv_wr = 0;
		cap->max_recv_sge = 0;
	}
}

static int qp_create_rings(struct srnic_qp *qp, struct ib_qp_init_attr *init,
			   struct ib_udata *udata, struct srnic_create_qp_resp *resp)
{
	int err = 0;

	clear_caps(init);
	if (has_send_queue(init))
		err = qp_create_sq(qp, &init->cap, udata, &resp->sq);
	if (err)
		goto err_sq;
	if (has_receive_queue(init))
		err = srnic_rq_create(qp, &init->cap, udata, &resp->rq);
	if (err)
		goto err_sq;
	qp->attr.cap = init->cap;

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

/* The user who is charged for a QP */
static struct srnic_user *qp_payer(const struct srnic_qp *qp)
{
	return qp->xrc ? qp->xrc->user : to_srnic_pd(qp->ib.pd)->user;
}

static int qp_create(struct srnic_qp *qp, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	struct srnic_dev *dev = to_srnic(qp->ib.device);
	struct srnic_create_qp_resp resp = {};
	int err;

	err = srnic_take_quota(dev, SRNIC_QUOTA_QP, qp_payer(qp));
	if (err)
		return err;
	err = srnic_qpn_reserve(dev, qp);
	if (err)
		goto err_give;
	qp_init(qp, init);
	err = qp_create_rings(qp, init, udata, &resp);
	if (err)
		goto err_number;
	err = srnic_qp_engine_init(qp);
	if (err)
		goto err_rings;

	srnic_qp_join(qp);
	srnic_qp_show(dev, qp);
	return 0;

err_rings:
	qp_destroy_rings(qp);
err_number:
	srnic_qpn_release(dev, qp);
err_give:
	srnic_give_quota(dev, SRNIC_QUOTA_QP, qp_payer(qp));
	return err;
}

/* The core passes no parameters of the hash: user space sends them beside the command. */
static int qp_create_rss(struct srnic_qp *qp, const struct ib_qp_init_attr *init,
			 struct ib_udata *udata)
{
	struct srnic_create_qp_cmd cmd;
	struct srnic_rss *rss;
	int err;

	if (udata->inlen < sizeof(cmd))
		return -EINVAL;
	err = ib_copy_from_udata(&cmd, udata, sizeof(cmd));
	if (err)
		return err;
	rss = srnic_rss_alloc(init->rwq_ind_tbl, &cmd);
	if (IS_ERR(rss))
		return PTR_ERR(rss);
	qp->rss = rss;
	return 0;
}

/* Create the part that few kinds of QPs have. */
static int qp_create_special(struct srnic_qp *qp, const struct ib_qp_init_attr *init,
			     struct ib_udata *udata)
{
	if (init->qp_type == IB_QPT_XRC_TGT)
		return srnic_target_create(qp, init->xrcd);
	return init->rwq_ind_tbl ? qp_create_rss(qp, init, udata) : 0;
}

static void qp_destroy_special(struct srnic_qp *qp)
{
	if (qp->xrc)
		srnic_target_destroy(qp);
	kfree(qp->rss);
	qp->rss = NULL;
}

int srnic_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	struct srnic_dev *dev = to_srnic(ib->device);
	struct srnic_qp *qp = to_srnic_qp(ib);
	int err;

	err = srnic_check_outlen(udata, sizeof(struct srnic_create_qp_resp)) ?:
	      qp_check(dev, init, udata);
	if (!err)
		err = qp_create_special(qp, init, udata);
	if (err)
		return err;
	err = qp_create(qp, init, udata);
	if (err)
		qp_destroy_special(qp);
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
	srnic_qp_leave_cqs(qp);
	srnic_qp_engine_exit(qp);
	if (!qp->xrc)
		srnic_stream_end(&qp->mem);
	qp_destroy_rings(qp);
	srnic_give_quota(dev, SRNIC_QUOTA_QP, qp_payer(qp));
	/* last: until the engine is done, SRQs must find it */
	qp_destroy_special(qp);
	return 0;
}
