// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queues (IBA 11.2.6). queue/ implements push, pop and arm.
 */
#include <linux/cpumask.h>
#include "verbs/ops.h"

/* RFC 5042 6.4.3.2, R21: the size of a CQ is limited by guard */
static int cq_check_size(struct srnic_dev *dev, unsigned int cqe)
{
	if (cqe && cqe <= SRNIC_MAX_CQE)
		return 0;
	if (cqe)
		srnic_count(dev, quota_refused);
	return -EINVAL;
}

static void cq_event(struct srnic_cq *cq, enum ib_event_type type)
{
	struct ib_event event = {
		.device = cq->ib.device,
		.element.cq = &cq->ib,
		.event = type,
	};

	if (cq->ib.event_handler)
		cq->ib.event_handler(&event, cq->ib.cq_context);
}

/*
 * A completion was lost. Report it to the consumer and move all QPs of this CQ
 * to the error state, because the consumer cannot know their progress any more.
 * Other CQs and their QPs are not affected (RFC 5042 6.4.6, R27).
 */
static void cq_error_work(struct work_struct *work)
{
	struct srnic_cq *cq = container_of(work, struct srnic_cq, error_work);
	struct srnic_qp *qp;

	cq_event(cq, IB_EVENT_CQ_ERR);

	mutex_lock(&cq->mutex);
	list_for_each_entry(qp, &cq->send_qps, scq_node) {
		srnic_qp_cq_failed(qp);
		cond_resched();
	}
	list_for_each_entry(qp, &cq->recv_qps, rcq_node) {
		srnic_qp_cq_failed(qp);
		cond_resched();
	}
	mutex_unlock(&cq->mutex);
}

/*
 * These kernel consumers poll on the processor that raises the event, and spread their queues by
 * vectors. An event of another consumer wakes a thread that any processor may run: it is raised
 * where the completion is written.
 */
static int cq_cpu(const struct ib_cq *ib, u32 vector)
{
	unsigned int cpu;

	/* ib_alloc_cq() alone chooses how to poll, and has allocated completions for that */
	if (!ib->wc || (ib->poll_ctx != IB_POLL_SOFTIRQ && ib->poll_ctx != IB_POLL_WORKQUEUE))
		return SRNIC_CQ_ANY_CPU;
	cpu = cpumask_nth(vector, cpu_online_mask);
	return cpu < nr_cpu_ids ? cpu : SRNIC_CQ_ANY_CPU;
}

int srnic_create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
		    struct uverbs_attr_bundle *attrs)
{
	struct ib_udata *udata = attrs ? &attrs->driver_udata : NULL;
	struct srnic_dev *dev = to_srnic(ib->device);
	struct srnic_create_cq_resp resp = {};
	struct srnic_cq *cq = to_srnic_cq(ib);
	int err;

	if (attr->flags & ~IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION)
		return -EOPNOTSUPP;
	if (attr->comp_vector >= ib->device->num_comp_vectors)
		return -EINVAL;
	err = srnic_check_outlen(udata, sizeof(resp)) ?: cq_check_size(dev, attr->cqe);
	if (err)
		return err;
	cq->user = srnic_udata_user(udata);
	err = srnic_take_quota(dev, SRNIC_QUOTA_CQ, cq->user);
	if (err)
		return err;

	srnic_cq_init(cq, cq_error_work);
	cq->cpu = cq_cpu(ib, attr->comp_vector);
	cq->timestamps = attr->flags & IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION;
	err = srnic_ring_create(udata, &cq->ring, attr->cqe, sizeof(struct srnic_cqe),
				&resp.ring);
	if (err)
		goto err_give;
	err = srnic_respond(udata, &resp, sizeof(resp));
	if (err)
		goto err_ring;

	ib->cqe = cq->ring.limit;
	return 0;

err_ring:
	srnic_ring_destroy(&cq->ring);
err_give:
	srnic_give_quota(dev, SRNIC_QUOTA_CQ, cq->user);
	return err;
}

int srnic_destroy_cq(struct ib_cq *ib, struct ib_udata *udata)
{
	struct srnic_cq *cq = to_srnic_cq(ib);

	srnic_cq_stop(cq);
	srnic_ring_detach(&cq->ring, &cq->lock);
	srnic_give_quota(to_srnic(ib->device), SRNIC_QUOTA_CQ, cq->user);
	return 0;
}

/* On return, @ring is what the caller must destroy. */
static int cq_exchange(struct srnic_cq *cq, struct srnic_ring *ring)
{
	int err;

	mutex_lock(&cq->mutex);
	err = srnic_cq_exchange(cq, ring);
	if (!err)
		cq->ib.cqe = cq->ring.limit;
	mutex_unlock(&cq->mutex);
	return err;
}

/*
 * The provider holds its lock and maps the new ring after this returns. The
 * response is written before the exchange, because nothing may fail afterwards.
 *
 * The CQ's mutex is not held: a process can stall writes to its memory, and
 * cq_error_work() would wait for it, with the work of all queue pairs behind.
 */
static int cq_resize(struct srnic_cq *cq, unsigned int cqe, struct ib_udata *udata)
{
	struct srnic_resize_cq_resp resp = {};
	struct srnic_ring ring;
	int err;

	err = srnic_ring_create(udata, &ring, cqe, sizeof(struct srnic_cqe), &resp.ring);
	if (err)
		return err;

	err = srnic_respond(udata, &resp, sizeof(resp));
	if (!err)
		err = cq_exchange(cq, &ring);
	srnic_ring_destroy(&ring);
	return err;
}

int srnic_resize_cq(struct ib_cq *ib, unsigned int cqe, struct ib_udata *udata)
{
	struct srnic_cq *cq = to_srnic_cq(ib);
	int err;

	err = srnic_check_outlen(udata, sizeof(struct srnic_resize_cq_resp)) ?:
	      cq_check_size(to_srnic(ib->device), cqe);
	if (err)
		return err;

	return cq_resize(cq, cqe, udata);
}

/* ibv_modify_cq(3) */
int srnic_modify_cq(struct ib_cq *ib, u16 count, u16 period)
{
	return srnic_cq_moderate(to_srnic_cq(ib), count, period);
}

/*
 * A completion carries a QPN, which is looked up here. Completions of a QP
 * destroyed meanwhile are dropped (IBA 11.2.4.4).
 */
static struct ib_qp *cq_find_qp(struct srnic_cq *cq, u32 qpn)
{
	struct srnic_qp *qp = xa_load(&to_srnic(cq->ib.device)->qps, qpn);

	return qp ? &qp->ib : NULL;
}

static void cq_fill_wc(struct ib_wc *wc, const struct srnic_cqe *cqe, struct ib_qp *qp)
{
	*wc = (struct ib_wc){
		.wr_id = cqe->wr_id,
		.status = cqe->status,
		.opcode = cqe->opcode,
		.vendor_err = cqe->vendor_err,
		.byte_len = cqe->byte_len,
		.qp = qp,
		.src_qp = cqe->src_qp,
		.wc_flags = cqe->wc_flags,
		.pkey_index = cqe->pkey_index,
		.slid = cqe->slid,
		.port_num = SRNIC_PORT,
		.vlan_id = cqe->vlan_id,
		.network_hdr_type = cqe->network_hdr_type,
	};
	if (cqe->wc_flags & IB_WC_WITH_INVALIDATE)
		wc->ex.invalidate_rkey = cqe->imm;
	else
		wc->ex.imm_data = (__force __be32)cqe->imm;
}

int srnic_poll_cq(struct ib_cq *ib, int num, struct ib_wc *wc)
{
	struct srnic_cq *cq = to_srnic_cq(ib);
	struct srnic_cqe cqe;
	int found = 0;

	while (found < num && srnic_cq_pop(cq, &cqe)) {
		struct ib_qp *qp = cq_find_qp(cq, cqe.qp_num);

		if (qp)
			cq_fill_wc(&wc[found++], &cqe, qp);
	}
	return found;
}

int srnic_peek_cq(struct ib_cq *ib, int count)
{
	return min_t(u32, srnic_cq_waiting(to_srnic_cq(ib)), max(count, 0));
}

int srnic_req_notify_cq(struct ib_cq *ib, enum ib_cq_notify_flags flags)
{
	u8 arm = (flags & IB_CQ_SOLICITED_MASK) == IB_CQ_SOLICITED ? SRNIC_ARM_SOLICITED :
								    SRNIC_ARM_NEXT;
	bool missed = srnic_cq_arm(to_srnic_cq(ib), arm);

	return missed && (flags & IB_CQ_REPORT_MISSED_EVENTS);
}
