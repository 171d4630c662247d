// SPDX-License-Identifier: GPL-2.0
/*
 * One end of a connection: PD, CQ, QP and a buffer. The buffer is registered by
 * a work request (FRWR), as kernel consumers do. Its key also serves for local
 * access, which iWARP requires for the destination of a READ.
 */
#define pr_fmt(fmt) "srnic_kbench: " fmt

#include <linux/gfp.h>
#include <linux/mm.h>

#include "kbench.h"

#define ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ)

/**
 * kbench_wait() - Wait for a step of the connection or the registration
 * @end: the end
 *
 * Return: 0 or a negative errno.
 */
int kbench_wait(struct kbench_end *end)
{
	if (!wait_for_completion_timeout(&end->step, KBENCH_PATIENCE))
		return -ETIMEDOUT;
	return end->err;
}

/**
 * kbench_sge() - Describe a part of an end's buffer
 * @end: the end
 * @at: offset in bytes
 * @len: length in bytes
 * @sge: filled in
 */
void kbench_sge(const struct kbench_end *end, size_t at, u32 len, struct ib_sge *sge)
{
	sge->addr = end->addr + at;
	sge->length = len;
	sge->lkey = end->mr->lkey;
}

/**
 * kbench_completed() - Check a completion
 * @wc: the completion
 * @opcode: the expected operation
 *
 * Return: 0 or a negative errno.
 */
int kbench_completed(const struct ib_wc *wc, enum ib_wc_opcode opcode)
{
	if (wc->status == IB_WC_SUCCESS)
		return wc->opcode == opcode ? 0 : -EPROTO;
	/* Requests flushed after a failure add no information */
	if (wc->status != IB_WC_WR_FLUSH_ERR)
		pr_err("%s\n", ib_wc_status_msg(wc->status));
	return -EIO;
}

static int open_qp(struct kbench_end *end)
{
	const struct kbench_job *job = end->job;
	u32 sends = kbench_is_latency(job) ? KBENCH_PINGS : job->depth;
	struct ib_qp_init_attr attr = {
		.send_cq = end->cq,
		.recv_cq = end->cq,
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.qp_type = IB_QPT_RC,
		.cap = {
			/*
			 * Besides the sends: the registration, the end of the
			 * last list, ib_drain_qp()
			 */
			.max_send_wr = sends + 2,
			.max_recv_wr = 2 * sends + job->batch + 1,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};
	int err = rdma_create_qp(end->id, end->pd, &attr);

	end->qp = err ? NULL : end->id->qp;
	return err;
}

static int open_buffer(struct kbench_end *end)
{
	/* A ping-pong uses separate halves for sent and received bytes */
	end->len = PAGE_ALIGN(end->job->size * (kbench_is_latency(end->job) ? 2 : 1));
	end->buf = alloc_pages_exact(end->len, GFP_KERNEL | __GFP_ZERO);
	if (!end->buf)
		return -ENOMEM;
	sg_init_one(&end->sg, end->buf, end->len);
	end->mr = ib_alloc_mr(end->pd, IB_MR_TYPE_MEM_REG, end->len / PAGE_SIZE);
	return PTR_ERR_OR_ZERO(end->mr);
}

/**
 * kbench_end_open() - Create an end's objects
 * @end: the end, with its job set
 * @id: the rdma_cm id of its connection
 *
 * Return: 0 or a negative errno. The caller calls kbench_end_close() in both cases.
 */
int kbench_end_open(struct kbench_end *end, struct rdma_cm_id *id)
{
	u32 entries = 4 * max(end->job->depth, KBENCH_PINGS);

	end->id = id;
	end->pd = ib_alloc_pd(id->device, 0);
	if (IS_ERR(end->pd))
		return PTR_ERR(end->pd);
	end->cq = ib_alloc_cq(id->device, end, entries, 0, end->job->poll);
	if (IS_ERR(end->cq))
		return PTR_ERR(end->cq);
	return open_qp(end) ?: open_buffer(end);
}

static void registered(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kbench_end *end = container_of(wc->wr_cqe, struct kbench_end, reg);

	end->err = kbench_completed(wc, IB_WC_REG_MR);
	complete(&end->step);
}

/**
 * kbench_end_register() - Register the buffer
 * @end: the end, connected
 *
 * Return: 0 or a negative errno.
 */
int kbench_end_register(struct kbench_end *end)
{
	struct ib_reg_wr wr = {
		.wr = { .wr_cqe = &end->reg, .opcode = IB_WR_REG_MR },
		.mr = end->mr,
		.key = end->mr->rkey,
		.access = ACCESS,
	};
	int err;

	if (!ib_dma_map_sg(end->id->device, &end->sg, 1, DMA_BIDIRECTIONAL))
		return -ENOMEM;
	end->mapped = true;
	if (ib_map_mr_sg(end->mr, &end->sg, 1, NULL, PAGE_SIZE) != 1)
		return -EINVAL;
	end->addr = end->mr->iova;
	end->reg.done = registered;
	err = ib_post_send(end->qp, &wr.wr, NULL);
	return err ?: kbench_wait(end);
}

/**
 * kbench_end_close() - Destroy an end's objects, as far as they exist
 * @end: the end, disconnected
 */
void kbench_end_close(struct kbench_end *end)
{
	if (end->qp) {
		ib_drain_qp(end->qp);
		rdma_destroy_qp(end->id);
	}
	if (!IS_ERR_OR_NULL(end->mr))
		ib_dereg_mr(end->mr);
	if (end->mapped)
		ib_dma_unmap_sg(end->id->device, &end->sg, 1, DMA_BIDIRECTIONAL);
	if (end->buf)
		free_pages_exact(end->buf, end->len);
	if (!IS_ERR_OR_NULL(end->cq))
		ib_free_cq(end->cq);
	if (!IS_ERR_OR_NULL(end->pd))
		ib_dealloc_pd(end->pd);
	if (end->id)
		rdma_destroy_id(end->id);
}
