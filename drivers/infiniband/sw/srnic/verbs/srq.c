// SPDX-License-Identifier: GPL-2.0
/*
 * Shared receive queues (IBA 11.2.3, A14). The engine takes work requests out of
 * them and raises the limit event.
 */
#include "engine/srq.h"
#include "engine/xrc.h"
#include "verbs/ops.h"

static u32 srq_stride(u32 max_sge)
{
	return ALIGN(sizeof(struct srnic_rq_wqe) + max_sge * sizeof(struct srnic_abi_sge), 32);
}

static int srq_check_size(struct srnic_dev *dev, u32 max_wr)
{
	if (max_wr && max_wr <= SRNIC_MAX_SRQ_WR)
		return 0;
	if (max_wr)
		srnic_count(dev, quota_refused);
	return -EINVAL;
}

static int srq_check(struct srnic_dev *dev, const struct ib_srq_init_attr *init)
{
	if (init->srq_type != IB_SRQT_BASIC && init->srq_type != IB_SRQT_XRC)
		return -EOPNOTSUPP;
	if (init->srq_type == IB_SRQT_XRC && (!init->ext.xrc.xrcd || !init->ext.cq))
		return -EINVAL;
	if (!init->attr.max_sge || init->attr.max_sge > SRNIC_MAX_SGE)
		return -EINVAL;
	return srq_check_size(dev, init->attr.max_wr);
}

/*
 * Allocate the number and send the response to the provider. From then on, requests that name an
 * XRC SRQ find it.
 */
static int srq_publish(struct srnic_dev *dev, struct srnic_srq *srq, struct ib_udata *udata,
		       struct srnic_create_srq_resp *resp)
{
	int err;

	err = xa_alloc_cyclic(&dev->srqs, &srq->number, NULL, XA_LIMIT(1, 0xffffff),
			      &dev->next_srq, GFP_KERNEL_ACCOUNT);
	if (err < 0)
		return err;

	resp->srq_num = srq->number;
	err = srnic_respond(udata, resp, sizeof(*resp));
	if (err) {
		xa_erase(&dev->srqs, srq->number);
		return err;
	}
	srq->ib.ext.xrc.srq_num = srq->number;
	xa_store(&dev->srqs, srq->number, srq, GFP_KERNEL);	/* into a reserved entry */
	return 0;
}

static void srq_init(struct srnic_srq *srq, const struct ib_srq_init_attr *init)
{
	srq->mem.pd = to_srnic_pd(srq->ib.pd);
	srq->mem.user = srq->ib.uobject;
	INIT_LIST_HEAD(&srq->mem.stags);
	srq->max_sge = init->attr.max_sge;
	spin_lock_init(&srq->lock);
	srnic_share_init(&srq->share);
	mutex_init(&srq->mutex);
	if (init->srq_type == IB_SRQT_XRC)
		srnic_xrc_srq_init(srq, to_srnic_xrcd(init->ext.xrc.xrcd),
				   to_srnic_cq(init->ext.cq));
}

int srnic_create_srq(struct ib_srq *ib, struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	struct srnic_dev *dev = to_srnic(ib->device);
	struct srnic_srq *srq = to_srnic_srq(ib);
	struct srnic_create_srq_resp resp = {};
	int err;

	err = srnic_check_outlen(udata, sizeof(resp)) ?: srq_check(dev, init);
	if (err)
		return err;
	err = srnic_take_quota(dev, SRNIC_QUOTA_SRQ, to_srnic_pd(ib->pd)->user);
	if (err)
		return err;

	srq_init(srq, init);
	err = srnic_ring_create(udata, &srq->ring, init->attr.max_wr, srq_stride(srq->max_sge),
				&resp.ring);
	if (err)
		goto err_give;
	err = srq_publish(dev, srq, udata, &resp);
	if (err)
		goto err_ring;

	init->attr.max_wr = srq->ring.limit;
	return 0;

err_ring:
	srnic_ring_destroy(&srq->ring);
err_give:
	srnic_give_quota(dev, SRNIC_QUOTA_SRQ, to_srnic_pd(ib->pd)->user);
	return err;
}

int srnic_destroy_srq(struct ib_srq *ib, struct ib_udata *udata)
{
	struct srnic_dev *dev = to_srnic(ib->device);
	struct srnic_srq *srq = to_srnic_srq(ib);

	xa_erase(&dev->srqs, srq->number);
	if (srq->xrcd)
		srnic_xrc_srq_gone(srq);
	srnic_ring_detach(&srq->ring, &srq->lock);
	srnic_give_quota(dev, SRNIC_QUOTA_SRQ, to_srnic_pd(ib->pd)->user);
	return 0;
}

/* uverbs has no response for modify_srq: the command contains the address of one */
static int srq_respond(struct ib_udata *udata, const struct srnic_modify_srq_resp *resp)
{
	struct srnic_modify_srq_cmd cmd;
	int err;

	if (!udata)
		return 0;
	if (udata->inlen < sizeof(cmd))
		return -EINVAL;
	err = ib_copy_from_udata(&cmd, udata, sizeof(cmd));
	if (err)
		return err;
	return copy_to_user(u64_to_user_ptr(cmd.resp_addr), resp, sizeof(*resp)) ? -EFAULT : 0;
}

/*
 * Exchange the ring, and arm a new limit, or keep the armed one if @limit is NULL. IBA 11.2.3.3:
 * the size must not be below the limit. Return an errno of srnic_rq_exchange().
 */
static int srq_exchange_now(struct srnic_srq *srq, struct srnic_ring *ring, const u32 *limit,
			    struct srnic_ring_move *move)
{
	u32 armed = limit ? *limit : srq->limit;
	int err;

	lockdep_assert_held(&srq->lock);

	if (armed > ring->limit)
		return -EINVAL;
	err = srnic_rq_exchange(&srq->ring, ring, move);
	if (!err)
		srq->limit = armed;
	return err;
}

/* Copy in batches, because a ring may be megabytes; lock only for the last batch. */
static int srq_exchange(struct srnic_srq *srq, struct srnic_ring *ring, const u32 *limit)
{
	struct srnic_ring_move move = {};
	unsigned long flags;
	int err;

	lockdep_assert_held(&srq->mutex);

	for (;;) {
		spin_lock_irqsave(&srq->lock, flags);
		err = srq_exchange_now(srq, ring, limit, &move);
		spin_unlock_irqrestore(&srq->lock, flags);
		if (err != -EAGAIN)
			return err;
		srnic_ring_move_some(&move, ring, &srq->ring);
		cond_resched();
	}
}

/*
 * Resize the ring, moving the pending receives. The provider holds its lock and
 * maps the new ring after this returns.
 */
static int srq_resize(struct srnic_srq *srq, u32 max_wr, const u32 *limit, struct ib_udata *udata)
{
	struct srnic_modify_srq_resp resp = {};
	struct srnic_ring ring;
	int err;

	lockdep_assert_held(&srq->mutex);

	err = srnic_ring_create(udata, &ring, max_wr, srq->ring.stride, &resp.ring);
	if (err)
		return err;
	err = srq_respond(udata, &resp);
	if (err)
		goto out;

	err = srq_exchange(srq, &ring, limit);
out:
	srnic_ring_destroy(&ring);
	return err;
}

static int srq_set_limit(struct srnic_srq *srq, u32 limit)
{
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&srq->lock, flags);
	if (limit > srq->ring.limit)
		err = -EINVAL;
	else
		srq->limit = limit;
	spin_unlock_irqrestore(&srq->lock, flags);
	return err;
}

/* Check everything that can be refused before anything changes. */
static int srq_check_modify(struct srnic_dev *dev, const struct ib_srq_attr *attr,
			    enum ib_srq_attr_mask mask)
{
	if (mask & ~(IB_SRQ_MAX_WR | IB_SRQ_LIMIT))
		return -EINVAL;
	if (!(mask & IB_SRQ_MAX_WR))
		return 0;
	if (mask & IB_SRQ_LIMIT && attr->srq_limit > attr->max_wr)
		return -EINVAL;
	return srq_check_size(dev, attr->max_wr);
}

int srnic_modify_srq(struct ib_srq *ib, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		     struct ib_udata *udata)
{
	struct srnic_srq *srq = to_srnic_srq(ib);
	int err;

	err = srq_check_modify(to_srnic(ib->device), attr, mask);
	if (err)
		return err;

	mutex_lock(&srq->mutex);
	if (mask & IB_SRQ_MAX_WR)
		err = srq_resize(srq, attr->max_wr, mask & IB_SRQ_LIMIT ? &attr->srq_limit : NULL,
				 udata);
	else if (mask & IB_SRQ_LIMIT)
		err = srq_set_limit(srq, attr->srq_limit);
	mutex_unlock(&srq->mutex);
	return err;
}

int srnic_query_srq(struct ib_srq *ib, struct ib_srq_attr *attr)
{
	struct srnic_srq *srq = to_srnic_srq(ib);
	unsigned long flags;

	spin_lock_irqsave(&srq->lock, flags);
	attr->max_wr = srq->ring.limit;
	attr->max_sge = srq->max_sge;
	attr->srq_limit = srq->limit;
	spin_unlock_irqrestore(&srq->lock, flags);
	return 0;
}

int srnic_post_srq_recv(struct ib_srq *ib, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad_wr)
{
	struct srnic_srq *srq = to_srnic_srq(ib);
	unsigned long flags;
	int err = 0;

	/* user space posts only through its ring (R1) */
	if (srq->ring.user) {
		*bad_wr = wr;
		return -EINVAL;
	}

	spin_lock_irqsave(&srq->lock, flags);
	for (; wr && !err; wr = wr->next) {
		err = srnic_rq_post(&srq->ring, wr, srq->max_sge);
		if (err)
			*bad_wr = wr;
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	return err;
}
