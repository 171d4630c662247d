// SPDX-License-Identifier: GPL-2.0
/*
 * Receive queues that do not belong to a QP, and indirection tables of them, for receive-side
 * scaling of raw packets. The engine runs a receive queue as a QP without a send queue.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include "engine/frame.h"
#include "engine/qpn.h"
#include "raw/raw.h"
#include "verbs/ops.h"

/* A completion queue has overflown. The engine knows no receive queues, only QPs. */
static void wq_event(struct ib_event *event, void *context)
{
	struct srnic_wq *wq = context;
	struct ib_event fatal = {
		.device = event->device,
		.element.wq = &wq->ib,
		.event = IB_EVENT_WQ_FATAL,
	};

	if (event->event == IB_EVENT_QP_FATAL && wq->ib.event_handler)
		wq->ib.event_handler(&fatal, wq->ib.wq_context);
}

/*
 * Receive queues are for frames, which need a permission. Besides, Linux 6.12's uverbs keeps a
 * queue locked if it refuses a state that does not exist (ib_uverbs_ex_modify_wq()).
 */
static int wq_check(const struct srnic_dev *dev, const struct ib_wq_init_attr *init,
		    struct ib_udata *udata)
{
	if (!udata || dev->fabric || init->wq_type != IB_WQT_RQ || init->create_flags)
		return -EOPNOTSUPP;
	if (!init->max_wr || init->max_wr > SRNIC_MAX_QP_WR || init->max_sge > SRNIC_MAX_SGE)
		return -EINVAL;
	return srnic_check_outlen(udata, sizeof(struct srnic_create_wq_resp)) ?:
	       srnic_raw_permit(dev);
}

static struct srnic_wq *wq_alloc(struct ib_pd *pd, const struct ib_wq_init_attr *init)
{
	struct srnic_wq *wq = kzalloc(sizeof(*wq), GFP_KERNEL_ACCOUNT);
	struct srnic_qp *qp;

	if (!wq)
		return NULL;
	wq->ib.event_handler = init->event_handler;
	wq->ib.wq_context = init->wq_context;
	wq->ib.state = IB_WQS_RESET;

	qp = &wq->qp;
	qp->ib.device = pd->device;
	qp->ib.pd = pd;
	qp->ib.qp_type = IB_QPT_RAW_PACKET;
	qp->ib.event_handler = wq_event;
	qp->ib.qp_context = wq;
	qp->dev = to_srnic(pd->device);
	qp->stats = qp->dev->stats;
	qp->rcq = to_srnic_cq(init->cq);
	mutex_init(&qp->modify_mutex);
	return wq;
}

static int wq_create_ring(struct srnic_wq *wq, struct ib_wq_init_attr *init,
			  struct ib_udata *udata)
{
	struct ib_qp_cap cap = { .max_recv_wr = init->max_wr, .max_recv_sge = init->max_sge };
	struct srnic_create_wq_resp resp = {};
	int err;

	err = srnic_rq_create(&wq->qp, &cap, udata, &resp.ring);
	if (err)
		return err;
	err = srnic_respond(udata, &resp, sizeof(resp));
	if (err) {
		srnic_ring_destroy(&wq->qp.rq.ring);
		return err;
	}
	init->max_wr = cap.max_recv_wr;
	init->max_sge = cap.max_recv_sge;
	return 0;
}

/* The number is one of those of QPs, so that completions tell both apart. */
static int wq_create(struct srnic_wq *wq, struct ib_wq_init_attr *init, struct ib_udata *udata)
{
	struct srnic_qp *qp = &wq->qp;
	int err;

	err = srnic_qpn_reserve(qp->dev, qp);
	if (err)
		return err;
	wq->ib.wq_num = qp->ib.qp_num;
	srnic_qp_init_mem(qp);
	qp->mem.user = true;
	err = wq_create_ring(wq, init, udata);
	if (err)
		goto err_number;
	err = srnic_qp_engine_init(qp);
	if (err)
		goto err_ring;
	srnic_qp_join(qp);
	return 0;

err_ring:
	srnic_ring_destroy(&qp->rq.ring);
err_number:
	srnic_qpn_release(qp->dev, qp);
	return err;
}

struct ib_wq *srnic_create_wq(struct ib_pd *pd, struct ib_wq_init_attr *init,
			      struct ib_udata *udata)
{
	struct srnic_user *user = to_srnic_pd(pd)->user;
	struct srnic_dev *dev = to_srnic(pd->device);
	struct srnic_wq *wq;
	int err;

	err = wq_check(dev, init, udata) ?: srnic_take_quota(dev, SRNIC_QUOTA_WQ, user);
	if (err)
		return ERR_PTR(err);
	err = -ENOMEM;
	wq = wq_alloc(pd, init);
	if (!wq)
		goto err_give;
	err = wq_create(wq, init, udata);
	if (err)
		goto err_free;
	return &wq->ib;

err_free:
	kfree(wq);
err_give:
	srnic_give_quota(dev, SRNIC_QUOTA_WQ, user);
	return ERR_PTR(err);
}

/* The engine may have moved the queue to ERR by itself. */
static enum ib_wq_state wq_state(const struct srnic_wq *wq)
{
	switch (READ_ONCE(wq->qp.state)) {
	case IB_QPS_RESET:
		return IB_WQS_RESET;
	case IB_QPS_ERR:
		return IB_WQS_ERR;
	default:
		return IB_WQS_RDY;
	}
}

static int wq_change_state(struct srnic_wq *wq, enum ib_wq_state cur, enum ib_wq_state next)
{
	struct srnic_qp *qp = &wq->qp;

	switch (next) {
	case IB_WQS_RESET:
		srnic_qp_to_reset(qp);
		return 0;
	case IB_WQS_RDY:
		if (cur == IB_WQS_ERR)
			return -EINVAL;
		if (cur == IB_WQS_RESET)
			srnic_frame_queue_ready(qp);
		return 0;
	default:
		/* again in ERR: flush the receives that have been posted since */
		if (cur == IB_WQS_ERR)
			srnic_frame_queue_flush(qp);
		else
			srnic_qp_to_err(qp);
		return 0;
	}
}

int srnic_modify_wq(struct ib_wq *ib, struct ib_wq_attr *attr, u32 mask, struct ib_udata *udata)
{
	struct srnic_wq *wq = to_srnic_wq(ib);
	enum ib_wq_state cur;
	int err = 0;

	if (mask & ~(IB_WQ_STATE | IB_WQ_CUR_STATE))
		return -EOPNOTSUPP;
	mutex_lock(&wq->qp.modify_mutex);
	cur = wq_state(wq);
	if (mask & IB_WQ_CUR_STATE && attr->curr_wq_state != cur)
		err = -EINVAL;
	if (!err && mask & IB_WQ_STATE)
		err = wq_change_state(wq, cur, attr->wq_state);
	ib->state = wq_state(wq);
	mutex_unlock(&wq->qp.modify_mutex);
	return err;
}

int srnic_destroy_wq(struct ib_wq *ib, struct ib_udata *udata)
{
	struct srnic_wq *wq = to_srnic_wq(ib);
	struct srnic_qp *qp = &wq->qp;

	srnic_qp_leave_cqs(qp);
	srnic_qp_engine_exit(qp);
	srnic_ring_destroy(&qp->rq.ring);
	srnic_qpn_release(qp->dev, qp);
	srnic_give_quota(qp->dev, SRNIC_QUOTA_WQ, to_srnic_pd(ib->pd)->user);
	kfree(wq);
	return 0;
}

/* The core keeps the queues, and passes them to each QP that has the table. */
int srnic_create_rwq_table(struct ib_rwq_ind_table *ib, struct ib_rwq_ind_table_init_attr *init,
			   struct ib_udata *udata)
{
	struct srnic_rwq_table *table = container_of(ib, struct srnic_rwq_table, ib);
	struct srnic_dev *dev = to_srnic(ib->device);

	if (init->log_ind_tbl_size > SRNIC_MAX_RWQ_TABLE_LOG)
		return -EINVAL;
	table->user = srnic_udata_user(udata);
	return srnic_take_quota(dev, SRNIC_QUOTA_RWQ_TABLE, table->user);
}

int srnic_destroy_rwq_table(struct ib_rwq_ind_table *ib)
{
	struct srnic_rwq_table *table = container_of(ib, struct srnic_rwq_table, ib);

	srnic_give_quota(to_srnic(ib->device), SRNIC_QUOTA_RWQ_TABLE, table->user);
	return 0;
}
