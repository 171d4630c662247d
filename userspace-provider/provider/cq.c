// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues. The kernel writes whole CQEs into the ring; polling and
 * arming are loads and stores, never system calls.
 */
#include <errno.h>
#include <time.h>

#include "pabi.h"
#include "srnic.h"

#define SRNIC_CQ_STAMPS		(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |		\
				 IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)

#define SRNIC_CQ_WC_FLAGS	(IBV_WC_EX_WITH_BYTE_LEN |			\
				 IBV_WC_EX_WITH_IMM |				\
				 IBV_WC_EX_WITH_QP_NUM |			\
				 IBV_WC_EX_WITH_SRC_QP |			\
				 IBV_WC_EX_WITH_SLID |				\
				 IBV_WC_EX_WITH_SL |				\
				 IBV_WC_EX_WITH_DLID_PATH_BITS |		\
				 SRNIC_CQ_STAMPS)

/* Opcodes and statuses have the same values on both sides; some flags differ. */
static_assert((int)IBV_WC_SEND == IB_UVERBS_WC_SEND &&
	      (int)IBV_WC_RDMA_WRITE == IB_UVERBS_WC_RDMA_WRITE &&
	      (int)IBV_WC_RDMA_READ == IB_UVERBS_WC_RDMA_READ &&
	      (int)IBV_WC_COMP_SWAP == IB_UVERBS_WC_COMP_SWAP &&
	      (int)IBV_WC_FETCH_ADD == IB_UVERBS_WC_FETCH_ADD &&
	      (int)IBV_WC_BIND_MW == IB_UVERBS_WC_BIND_MW &&
	      (int)IBV_WC_LOCAL_INV == IB_UVERBS_WC_LOCAL_INV, "opcodes");
static_assert((int)IBV_WC_GRH == SRNIC_WC_GRH && (int)IBV_WC_WITH_IMM == SRNIC_WC_WITH_IMM,
	      "flags");

static inline unsigned int wc_flags(const struct srnic_cqe *cqe)
{
	unsigned int flags = cqe->wc_flags & (SRNIC_WC_GRH | SRNIC_WC_WITH_IMM);

	if (cqe->wc_flags & SRNIC_WC_WITH_INV)
		flags |= IBV_WC_WITH_INV;
	return flags;
}

static inline void cqe_to_wc(const struct srnic_cqe *cqe, struct ibv_wc *wc)
{
	*wc = (struct ibv_wc) {
		.wr_id = cqe->wr_id,
		.status = cqe->status,
		.opcode = cqe->opcode,
		.vendor_err = cqe->vendor_err,
		.byte_len = cqe->byte_len,
		.imm_data = (__be32)cqe->imm,	/* or invalidated_rkey: a union */
		.qp_num = cqe->qp_num,
		.src_qp = cqe->src_qp,
		.wc_flags = wc_flags(cqe),
		.pkey_index = cqe->pkey_index,
		.slid = cqe->slid,
	};
}

/* Return the slots before ring.mine to the kernel, and release their reservations. */
static inline void consumed(struct srnic_cq *cq)
{
	if (cq->safe)
		srnic_safe_consumed(cq->safe);
	else
		srnic_ring_consumed(&cq->ring);
}

int srnic_poll_cq(struct ibv_cq *ibcq, int num, struct ibv_wc *wc)
{
	struct srnic_cq *cq = to_scq(ibcq);
	uint32_t ready, i;

	if (num <= 0)
		return 0;

	srnic_lock(&cq->lock);
	ready = srnic_ring_ready(&cq->ring, num);
	for (i = 0; i < ready; i++)
		cqe_to_wc(srnic_ring_slot(&cq->ring, cq->ring.mine + i), &wc[i]);
	if (ready) {
		cq->ring.mine += ready;
		consumed(cq);
	}
	srnic_unlock(&cq->lock);
	if (!ready)
		srnic_pay(cq);
	return ready;
}

/* Remove a QP's completions; move the others up, in order. */
static void drop_completions(struct srnic_ring *ring, uint32_t qp_num)
{
	uint32_t ready = srnic_ring_ready(ring, ring->mask + 1), i, dropped = 0;

	for (i = ready; i-- > 0;) {
		struct srnic_cqe *cqe = srnic_ring_slot(ring, ring->mine + i);

		if (cqe->qp_num == qp_num)
			dropped++;
		else if (dropped)
			*(struct srnic_cqe *)srnic_ring_slot(ring, ring->mine + i + dropped) = *cqe;
	}
	if (dropped) {
		ring->mine += dropped;
		srnic_ring_consumed(ring);
	}
}

/**
 * srnic_cq_forget() - Remove a QP's unpolled completions from a CQ
 * @ibcq: the QP's send or receive CQ
 * @qp_num: the QP, for which the kernel writes no more completions
 *
 * Otherwise they would be attributed to the reset QP's next use, or to a new QP with the
 * same number. The kernel is not affected, since it only fills slots from prod on. The QP's
 * reservations on a safe CQ are not released.
 */
void srnic_cq_forget(struct ibv_cq *ibcq, uint32_t qp_num)
{
	struct srnic_cq *cq = to_scq(ibcq);

	srnic_lock(&cq->lock);
	srnic_safe_lock(cq->safe);
	drop_completions(&cq->ring, qp_num);
	if (cq->safe)
		cq->safe->done = cq->ring.mine;
	srnic_safe_unlock(cq->safe);
	srnic_unlock(&cq->lock);
}

int srnic_req_notify_cq(struct ibv_cq *ibcq, int solicited_only)
{
	struct srnic_cq *cq = to_scq(ibcq);
	int ret;

	/* no event would come for work that the kernel does not look at */
	ret = srnic_pay(cq);
	if (ret)
		return ret;
	pthread_spin_lock(&cq->arm_lock);
	srnic_ring_arm(&cq->ring, solicited_only ? SRNIC_ARM_SOLICITED : SRNIC_ARM_NEXT);
	pthread_spin_unlock(&cq->arm_lock);
	return 0;
}

/*
 * The extended interface. Between start_poll and end_poll the current CQE is read in
 * place; only end_poll returns the slots, for the whole batch.
 */
static inline int take_cqe(struct srnic_cq *cq)
{
	const struct srnic_cqe *cqe;

	if (!srnic_ring_ready(&cq->ring, 1))
		return ENOENT;
	cqe = srnic_ring_slot(&cq->ring, cq->ring.mine++);
	cq->cqe = cqe;
	cq->vcq.cq_ex.wr_id = cqe->wr_id;
	cq->vcq.cq_ex.status = cqe->status;
	return 0;
}

static int start_poll(struct ibv_cq_ex *ibcq, struct ibv_poll_cq_attr *attr)
{
	struct srnic_cq *cq = to_scq_ex(ibcq);
	int ret;

	if (attr->comp_mask)
		return EINVAL;

	srnic_lock(&cq->lock);
	ret = take_cqe(cq);
	if (ret) {
		srnic_unlock(&cq->lock);	/* the caller will not call end_poll */
		srnic_pay(cq);
	}
	return ret;
}

static int next_poll(struct ibv_cq_ex *ibcq)
{
	return take_cqe(to_scq_ex(ibcq));
}

static void end_poll(struct ibv_cq_ex *ibcq)
{
	struct srnic_cq *cq = to_scq_ex(ibcq);

	cq->cqe = NULL;
	consumed(cq);
	srnic_unlock(&cq->lock);
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *cq)
{
	return to_scq_ex(cq)->cqe->opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *cq)
{
	return to_scq_ex(cq)->cqe->vendor_err;
}

static uint32_t read_byte_len(struct ibv_cq_ex *cq)
{
	return to_scq_ex(cq)->cqe->byte_len;
}

static __be32 read_imm_data(struct ibv_cq_ex *cq)
{
	return (__be32)to_scq_ex(cq)->cqe->imm;
}

static uint32_t read_qp_num(struct ibv_cq_ex *cq)
{
	return to_scq_ex(cq)->cqe->qp_num;
}

static uint32_t read_src_qp(struct ibv_cq_ex *cq)
{
	return to_scq_ex(cq)->cqe->src_qp;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *cq)
{
	return wc_flags(to_scq_ex(cq)->cqe);
}

/* Ethernet has no LIDs; those of an InfiniBand port are labels. */
static uint32_t read_slid(struct ibv_cq_ex *cq)
{
	return to_scq_ex(cq)->cqe->slid;
}

/* Received packets carry no service level. */
static uint8_t read_zero(struct ibv_cq_ex *cq)
{
	(void)cq;
	return 0;
}

static uint64_t read_completion_ts(struct ibv_cq_ex *cq)
{
	return to_scq_ex(cq)->cqe->timestamp;
}

static int64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* Apply the current offset between the two clocks: the completion has just been polled. */
static uint64_t read_completion_wallclock_ns(struct ibv_cq_ex *cq)
{
	return to_scq_ex(cq)->cqe->timestamp + clock_ns(CLOCK_REALTIME) -
	       clock_ns(CLOCK_MONOTONIC);
}

static void set_poll_ops(struct ibv_cq_ex *cq, uint64_t flags)
{
	cq->start_poll = start_poll;
	cq->next_poll = next_poll;
	cq->end_poll = end_poll;
	cq->read_opcode = read_opcode;
	cq->read_vendor_err = read_vendor_err;
	cq->read_wc_flags = read_wc_flags;
	if (flags & IBV_WC_EX_WITH_BYTE_LEN)
		cq->read_byte_len = read_byte_len;
	if (flags & IBV_WC_EX_WITH_IMM)
		cq->read_imm_data = read_imm_data;
	if (flags & IBV_WC_EX_WITH_QP_NUM)
		cq->read_qp_num = read_qp_num;
	if (flags & IBV_WC_EX_WITH_SRC_QP)
		cq->read_src_qp = read_src_qp;
	if (flags & IBV_WC_EX_WITH_SLID)
		cq->read_slid = read_slid;
	if (flags & IBV_WC_EX_WITH_SL)
		cq->read_sl = read_zero;
	if (flags & IBV_WC_EX_WITH_DLID_PATH_BITS)
		cq->read_dlid_path_bits = read_zero;
	if (flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)
		cq->read_completion_ts = read_completion_ts;
	if (flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
		cq->read_completion_wallclock_ns = read_completion_wallclock_ns;
}

/* Return 0 or an errno. The only domains that a CQ can be in are parent domains. */
static int check_attr(const struct ibv_cq_init_attr_ex *attr)
{
	const uint32_t known = IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD;
	const uint32_t flags = attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS ? attr->flags : 0;

	if (attr->comp_mask & ~known || attr->wc_flags & ~(uint64_t)SRNIC_CQ_WC_FLAGS ||
	    flags & ~IBV_CREATE_CQ_ATTR_SINGLE_THREADED)
		return EOPNOTSUPP;
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD &&
	    (!attr->parent_domain || !to_spd(attr->parent_domain)->parent_of))
		return EINVAL;
	return 0;
}

/* Whether the CQ needs no lock: the application has promised it of the CQ, or of its domain. */
static bool needs_no_lock(const struct ibv_cq_init_attr_ex *attr, struct ibv_pd *pd)
{
	return srnic_single_threaded(pd) ||
	       (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
		attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
}

/*
 * Create the CQ in the kernel and map its ring. Return 0 or an errno. The command gets only
 * attributes that the kernel needs. Its single clock is read only on request, and wall-clock
 * times are computed from it. Locking is up to the provider.
 */
static int create_ring(struct srnic_cq *cq, struct ibv_context *ctx,
		       const struct ibv_cq_init_attr_ex *attr)
{
	struct ibv_cq_init_attr_ex kattr = {
		.cqe = attr->cqe,
		.channel = attr->channel,
		.comp_vector = attr->comp_vector,
		.wc_flags = attr->wc_flags & SRNIC_CQ_STAMPS ?
			    IBV_WC_EX_WITH_COMPLETION_TIMESTAMP : 0,
	};
	struct srnic_create_cq_uresp resp = {};
	void *mem;
	int ret;

	ret = srnic_cmd_create_cq(ctx, &kattr, &cq->vcq, &resp.ibv, sizeof(resp));
	if (ret)
		return ret;
	mem = srnic_map(ctx, &resp.drv.ring, sizeof(struct srnic_cqe));
	if (!mem)
		goto err_destroy;

	srnic_ring_init_consumer(&cq->ring, mem, &resp.drv.ring);
	if (!to_sctx(ctx)->safe_cq)
		return 0;
	cq->safe = srnic_safe_create(&cq->ring);
	if (cq->safe)
		return 0;

err_destroy:
	ret = errno;
	ibv_cmd_destroy_cq(&cq->vcq.cq);
	srnic_ring_unmap(&cq->ring);
	return ret;
}

/* @pd: the parent domain that the CQ is in, or NULL */
static struct srnic_cq *create_cq(struct ibv_context *ctx, const struct ibv_cq_init_attr_ex *attr,
				  struct ibv_pd *pd, bool single_threaded)
{
	struct srnic_home home;
	struct srnic_cq *cq;
	int ret;

	cq = srnic_home_alloc(&home, pd, sizeof(*cq), UVERBS_OBJECT_CQ);
	if (!cq)
		return NULL;
	cq->home = home;
	ret = create_ring(cq, ctx, attr);
	if (ret) {
		srnic_home_free(home, cq);
		errno = ret;
		return NULL;
	}
	srnic_lock_init(&cq->lock, single_threaded);
	pthread_spin_init(&cq->arm_lock, PTHREAD_PROCESS_PRIVATE);
	pthread_mutex_init(&cq->debts_lock, NULL);
	return cq;
}

struct ibv_cq *srnic_create_cq(struct ibv_context *ctx, int cqe,
			       struct ibv_comp_channel *channel, int comp_vector)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe,
		.channel = channel,
		.comp_vector = comp_vector,
	};
	struct srnic_cq *cq = create_cq(ctx, &attr, NULL, false);

	return cq ? &cq->vcq.cq : NULL;
}

struct ibv_cq_ex *srnic_create_cq_ex(struct ibv_context *ctx, struct ibv_cq_init_attr_ex *attr)
{
	struct ibv_pd *pd = NULL;
	struct srnic_cq *cq;

	errno = check_attr(attr);
	if (errno)
		return NULL;

	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD)
		pd = attr->parent_domain;
	cq = create_cq(ctx, attr, pd, needs_no_lock(attr, pd));
	if (!cq)
		return NULL;
	set_poll_ops(&cq->vcq.cq_ex, attr->wc_flags);
	return &cq->vcq.cq_ex;
}

/**
 * srnic_resize_cq() - Change the depth of a CQ
 *
 * The kernel moves unpolled completions and a pending request for an event to a new ring.
 * If mapping the new ring fails, the old one stays: it is valid but receives nothing, and
 * posts to a safe CQ fail. A safe CQ does not shrink below its reservations.
 */
int srnic_resize_cq(struct ibv_cq *ibcq, int cqe)
{
	struct srnic_cq *cq = to_scq(ibcq);
	struct srnic_resize_cq_uresp resp = {};
	struct ibv_resize_cq cmd = {};
	void *mem;
	int ret;

	srnic_lock(&cq->lock);
	pthread_spin_lock(&cq->arm_lock);
	srnic_safe_lock(cq->safe);

	if (cq->safe && !srnic_safe_may_shrink(cq->safe, cqe)) {
		ret = EINVAL;
		goto unlock;
	}
	ret = ibv_cmd_resize_cq(ibcq, cqe, &cmd, sizeof(cmd), &resp.ibv, sizeof(resp));
	if (ret)
		goto unlock;
	mem = srnic_map(ibcq->context, &resp.drv.ring, sizeof(struct srnic_cqe));
	if (!mem) {
		ret = errno;
		cq->ring.limit = 0;
		goto unlock;
	}
	srnic_ring_unmap(&cq->ring);
	srnic_ring_init_consumer(&cq->ring, mem, &resp.drv.ring);
	if (cq->safe)
		cq->safe->done = cq->ring.mine;

unlock:
	srnic_safe_unlock(cq->safe);
	pthread_spin_unlock(&cq->arm_lock);
	srnic_unlock(&cq->lock);
	return ret;
}

/* The kernel delays events; the ring is not affected. */
int srnic_modify_cq(struct ibv_cq *ibcq, struct ibv_modify_cq_attr *attr)
{
	struct ibv_modify_cq cmd = {};

	return ibv_cmd_modify_cq(ibcq, attr, &cmd, sizeof(cmd));
}

int srnic_destroy_cq(struct ibv_cq *ibcq)
{
	struct srnic_cq *cq = to_scq(ibcq);
	int ret;

	ret = ibv_cmd_destroy_cq(ibcq);
	if (ret)
		return ret;
	srnic_safe_destroy(cq->safe);
	srnic_ring_unmap(&cq->ring);
	srnic_lock_destroy(&cq->lock);
	pthread_spin_destroy(&cq->arm_lock);
	pthread_mutex_destroy(&cq->debts_lock);
	srnic_home_free(cq->home, cq);
	return 0;
}
