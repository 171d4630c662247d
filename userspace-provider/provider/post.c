// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_post_send(), ibv_post_recv(), ibv_post_srq_recv() and the doorbell.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <infiniband/cmd_ioctl.h>
#include <rdma/ib_user_ioctl_cmds.h>

#include "wqe.h"

#define FLAGS_ANY	SRNIC_WQE_SIGNALED
#define FLAGS_RDMA	(FLAGS_ANY | SRNIC_WQE_FENCE)
#define FLAGS_SEND	(FLAGS_RDMA | SRNIC_WQE_SOLICITED)

const struct srnic_wr_kind srnic_wr_kinds[SRNIC_NR_WR] = {
	[IBV_WR_SEND] = {
		SRNIC_WQE_SEND, SRNIC_QPT_ALL, SRNIC_WR_DATA, FLAGS_SEND },
	[IBV_WR_SEND_WITH_IMM] = {
		SRNIC_WQE_SEND_IMM, SRNIC_QPT_ALL, SRNIC_WR_DATA | SRNIC_WR_IMM, FLAGS_SEND },
	[IBV_WR_SEND_WITH_INV] = {
		SRNIC_WQE_SEND_INV, SRNIC_QPT_ACKED, SRNIC_WR_DATA | SRNIC_WR_IMM, FLAGS_SEND },
	[IBV_WR_RDMA_WRITE] = {
		SRNIC_WQE_WRITE, SRNIC_QPT_CONN, SRNIC_WR_DATA | SRNIC_WR_REMOTE, FLAGS_RDMA },
	[IBV_WR_RDMA_WRITE_WITH_IMM] = {
		SRNIC_WQE_WRITE_IMM, SRNIC_QPT_CONN,
		SRNIC_WR_DATA | SRNIC_WR_REMOTE | SRNIC_WR_IMM, FLAGS_SEND },
	[IBV_WR_RDMA_READ] = {
		SRNIC_WQE_READ, SRNIC_QPT_ACKED, SRNIC_WR_DATA | SRNIC_WR_REMOTE, FLAGS_RDMA },
	[IBV_WR_ATOMIC_CMP_AND_SWP] = {
		SRNIC_WQE_CMP_SWAP, SRNIC_QPT_ACKED, SRNIC_WR_DATA | SRNIC_WR_ATOMIC, FLAGS_RDMA },
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = {
		SRNIC_WQE_FETCH_ADD, SRNIC_QPT_ACKED, SRNIC_WR_DATA | SRNIC_WR_ATOMIC, FLAGS_RDMA },
	[IBV_WR_LOCAL_INV] = {
		SRNIC_WQE_LOCAL_INV, SRNIC_QPT_CONN, SRNIC_WR_IMM, FLAGS_RDMA },
	[IBV_WR_BIND_MW] = {
		SRNIC_WQE_BIND_MW, SRNIC_QPT_CONN, SRNIC_WR_BIND, FLAGS_RDMA },
	[SRNIC_IBV_WR_FLUSH] = {
		SRNIC_WQE_FLUSH, SRNIC_QPT_RC, SRNIC_WR_FLUSH, FLAGS_RDMA },
	[SRNIC_IBV_WR_ATOMIC_WRITE] = {
		SRNIC_WQE_ATOMIC_WRITE, SRNIC_QPT_RC,
		SRNIC_WR_DATA | SRNIC_WR_REMOTE | SRNIC_WR_WORD, FLAGS_RDMA },
};

const struct srnic_wr_kind srnic_frame_kind = {
	SRNIC_WQE_FRAME, 1 << IBV_QPT_RAW_PACKET, SRNIC_WR_DATA, FLAGS_ANY
};

/* Both doorbells, and the kernel's responses to them, have the same layout. */
static_assert(sizeof(struct ibv_post_recv) == sizeof(struct ibv_post_send) &&
	      offsetof(struct ibv_post_recv, response) ==
	      offsetof(struct ibv_post_send, response) &&
	      offsetof(struct ibv_post_recv, qp_handle) ==
	      offsetof(struct ibv_post_send, qp_handle) &&
	      offsetof(struct ibv_post_recv, wqe_size) ==
	      offsetof(struct ibv_post_send, wqe_size) &&
	      sizeof(struct ib_uverbs_post_recv_resp) ==
	      sizeof(struct ib_uverbs_post_send_resp), "doorbells");

/*
 * uverbs lets only the credentials write that have opened the file. A process that has changed
 * them since, or that was given the file, calls the command by a method.
 */
static int post_by_method(struct ibv_context *ctx, const struct ibv_post_send *cmd)
{
	struct ib_uverbs_post_send_resp resp;

	DECLARE_COMMAND_BUFFER(buf, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, 3);

	fill_attr_const_in(buf, UVERBS_ATTR_WRITE_CMD, cmd->hdr.command);
	fill_attr_in(buf, UVERBS_ATTR_CORE_IN, &cmd->response,
		     sizeof(*cmd) - offsetof(struct ibv_post_send, response));
	fill_attr_out_ptr(buf, UVERBS_ATTR_CORE_OUT, &resp);
	return execute_ioctl(ctx, buf);
}

/* The system call itself: write(2) would be a cancellation point, with a queue's lock held. */
static int post_command(struct srnic_context *ctx, const struct ibv_post_send *cmd)
{
	struct ibv_context *ibctx = &ctx->vctx.context;

	if (!atomic_load_explicit(&ctx->no_write, memory_order_relaxed)) {
		if (syscall(SYS_write, ibctx->cmd_fd, cmd, sizeof(*cmd)) >= 0)
			return 0;
		if (errno != EACCES)
			return errno;
		atomic_store_explicit(&ctx->no_write, true, memory_order_relaxed);
	}
	return post_by_method(ibctx, cmd);
}

/*
 * A doorbell is uverbs' own post command without a work request. It fails only for lack of
 * memory, or because the device is gone.
 */
static int ring_doorbell(struct srnic_qp *qp, uint32_t command, uint32_t wqe_size)
{
	struct ib_uverbs_post_send_resp resp;
	struct ibv_post_send cmd = {
		.hdr = {
			.command = command,
			.in_words = sizeof(cmd) / 4,
			.out_words = sizeof(resp) / 4,
		},
		.response = (uintptr_t)&resp,
		.qp_handle = qp->vqp.qp.handle,
		.wqe_size = wqe_size,
	};
	int tries = 8, ret;

	do {
		ret = post_command(to_sctx(qp->vqp.qp.context), &cmd);
	} while (srnic_is_transient(ret) && --tries);
	return ret;
}

static int ring_sq(struct srnic_qp *qp)
{
	return ring_doorbell(qp, IB_USER_VERBS_CMD_POST_SEND, sizeof(struct ib_uverbs_send_wr));
}

/**
 * srnic_sq_first() - Ring a QP's first doorbell, before its first work request
 *
 * On this doorbell the kernel allocates the memory that it needs to send; it keeps that
 * across RESET. If the allocation fails, the post can still fail cleanly: published entries
 * cannot be taken back, and would be executed twice if the application posted them again.
 *
 * Context: Called with the send queue's lock held. Other posters would have to make the same
 * call, and there is nothing to transmit yet.
 */
int srnic_sq_first(struct srnic_qp *qp)
{
	int ret = ring_sq(qp);

	qp->sq_rung = !ret;
	return ret;
}

/* Ring a doorbell if the kernel asks for it. */
int srnic_sq_ring(struct srnic_qp *qp)
{
	return srnic_ring_must_wake(&qp->sq) ? ring_sq(qp) : 0;
}

/*
 * The same for receives. The kernel asks for it only in ERR, where no message arrives that would
 * make it read the ring, but posted receives must be flushed.
 */
int srnic_rq_ring(struct srnic_qp *qp)
{
	if (!srnic_ring_must_wake(&qp->rq))
		return 0;
	return ring_doorbell(qp, IB_USER_VERBS_CMD_POST_RECV, sizeof(struct ib_uverbs_recv_wr));
}

/* Keep @err if the device is gone; else ring the doorbell later, since entries were published. */
static int put_off(struct srnic_qp *qp, struct srnic_debt *debt, int err)
{
	if (!srnic_is_transient(err))
		return err;
	srnic_owe(qp, debt);
	return 0;
}

/**
 * srnic_sq_kick() - Ring the doorbell for published entries if the kernel asks for it
 *
 * Context: Called without the lock, because the kernel may transmit during this call.
 * Concurrent posters check need_wakeup themselves.
 * Return: 0, also if the doorbell is owed; or an errno: the device is gone.
 */
int srnic_sq_kick(struct srnic_qp *qp)
{
	int ret = srnic_sq_ring(qp);

	return ret ? put_off(qp, &qp->send_debt, ret) : 0;
}

static int rq_kick(struct srnic_qp *qp)
{
	int ret = srnic_rq_ring(qp);

	return ret ? put_off(qp, &qp->recv_debt, ret) : 0;
}

/* Fill in the fields that depend on the kind of work request. */
static int put_kind(struct srnic_qp *qp, struct srnic_sq_wqe *wqe,
		    const struct srnic_wr_kind *kind, const struct ibv_send_wr *wr)
{
	if (kind->takes & SRNIC_WR_IMM)
		wqe->imm = (__u32)wr->imm_data;	/* or invalidate_rkey: a union */

	if (kind->takes & SRNIC_WR_REMOTE) {
		wqe->remote_addr = wr->wr.rdma.remote_addr;
		wqe->rkey = wr->wr.rdma.rkey;
	} else if (kind->takes & SRNIC_WR_ATOMIC) {
		wqe->remote_addr = wr->wr.atomic.remote_addr;
		wqe->rkey = wr->wr.atomic.rkey;
		wqe->atomic.compare_add = wr->wr.atomic.compare_add;
		wqe->atomic.swap = wr->wr.atomic.swap;
	} else if (kind->takes & (SRNIC_WR_BIND | SRNIC_WR_FLUSH)) {
		if (kind->takes & SRNIC_WR_FLUSH)
			return EINVAL;	/* struct ibv_send_wr has no fields for it */
		return srnic_put_bind(wqe, wr->bind_mw.mw, wr->bind_mw.rkey,
				      &wr->bind_mw.bind_info);
	} else if (qp->vqp.qp.qp_type == IBV_QPT_UD) {
		if (!wr->wr.ud.ah)
			return EINVAL;
		wqe->ud.ah = to_sah(wr->wr.ud.ah)->number;
		wqe->ud.qpn = wr->wr.ud.remote_qpn;
		wqe->ud.qkey = wr->wr.ud.remote_qkey;
	}
	return 0;
}

/* Fill in the inline data of ATOMIC WRITE. */
static int put_word(struct srnic_sq_wqe *wqe, const struct ibv_sge *sg_list, int num_sge)
{
	char *to = (char *)&wqe->atomic_write.value;
	uint32_t left = SRNIC_WORD_LEN;
	int i;

	for (i = 0; i < num_sge; i++) {
		if (sg_list[i].length > left)
			return EINVAL;
		memcpy(to, (void *)(uintptr_t)sg_list[i].addr, sg_list[i].length);
		to += sg_list[i].length;
		left -= sg_list[i].length;
	}
	wqe->flags |= SRNIC_WQE_INLINE;
	return left ? EINVAL : 0;
}

/* Fill in the payload: none, SGEs, or inline data. */
static int put_data(struct srnic_qp *qp, struct srnic_sq_wqe *wqe,
		    const struct srnic_wr_kind *kind, const struct ibv_send_wr *wr)
{
	int ret = 0;
	int i;

	if (!(kind->takes & SRNIC_WR_DATA))
		return wr->send_flags & IBV_SEND_INLINE ? EINVAL : 0;
	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > qp->max_send_sge)
		return EINVAL;
	if (!(wr->send_flags & IBV_SEND_INLINE))
		return srnic_put_gather(qp, wqe, wr->sg_list, wr->num_sge);
	if (kind->takes & SRNIC_WR_WORD)
		return put_word(wqe, wr->sg_list, wr->num_sge);
	if (!srnic_takes_inline(wqe))
		return EINVAL;

	wqe->flags |= SRNIC_WQE_INLINE;
	for (i = 0; i < wr->num_sge && !ret; i++)
		ret = srnic_put_inline(qp, wqe, (void *)(uintptr_t)wr->sg_list[i].addr,
				       wr->sg_list[i].length);
	return ret;
}

/**
 * put_send() - Write a work request into the slot of @next
 *
 * Return: 0; EINVAL: the QP does not support the request; ENOMEM: no free entry.
 */
static int put_send(struct srnic_qp *qp, const struct ibv_send_wr *wr, uint32_t next)
{
	const unsigned int known = IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED |
				   IBV_SEND_INLINE;
	const struct srnic_wr_kind *kind = srnic_wr_kind(wr->opcode, qp->vqp.qp.qp_type);
	struct srnic_sq_wqe *wqe;
	int ret;

	if (!kind || wr->send_flags & ~known)
		return EINVAL;
	ret = srnic_sq_take(qp, next);
	if (ret)
		return ret;

	wqe = srnic_ring_slot(&qp->sq, next);
	*wqe = (struct srnic_sq_wqe) {
		.wr_id = wr->wr_id,
		.opcode = kind->opcode,
		.flags = srnic_wqe_flags(kind, wr->send_flags) | qp->always,
	};
	ret = put_kind(qp, wqe, kind, wr);
	if (qp->vqp.qp.qp_type == IBV_QPT_XRC_SEND && !(kind->takes & SRNIC_WR_BIND))
		wqe->xrc.srqn = wr->qp_type.xrc.remote_srqn;
	return ret ? ret : put_data(qp, wqe, kind, wr);
}

/*
 * The device is gone. Return whether it has retired, and thus posted, all @count entries from index
 * @start on; if not, set @bad_wr to the first other one, counted from @wr.
 */
static bool all_retired(struct srnic_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr,
			uint32_t start, uint32_t count)
{
	uint32_t done = srnic_ring_retired(&qp->sq, start, count);

	if (done == count)
		return true;
	for (; done; done--)
		wr = wr->next;
	*bad_wr = wr;
	return false;
}

/* Post entries until one fails; set @bad_wr to it, or to NULL if all were posted. */
static int post_list(struct srnic_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct ibv_send_wr *first = wr;
	uint32_t start, next;
	int ret = 0;
	int err = 0;

	srnic_lock(&qp->sq_lock);
	start = qp->sq.mine;
	for (next = start; wr; wr = wr->next, next++) {
		ret = put_send(qp, wr, next);
		if (ret) {
			srnic_unclaim(&qp->send_claims, next);
			break;
		}
	}
	if (next != start)
		err = srnic_sq_produced(qp, next);
	srnic_unlock(&qp->sq_lock);
	*bad_wr = wr;
	if (next == start)
		return ret;
	if (err) {		/* nothing was posted */
		*bad_wr = first;
		return err;
	}

	err = srnic_sq_kick(qp);
	return err && !all_retired(qp, first, bad_wr, start, next - start) ? err : ret;
}

int srnic_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct srnic_qp *qp = to_sqp(ibqp);

	if (!srnic_may_send(qp)) {
		*bad_wr = wr;
		return EINVAL;
	}
	return post_list(qp, wr, bad_wr);
}

/* Common view of an RQ and an SRQ. */
struct recv_queue {
	struct srnic_ring *ring;
	struct srnic_lock *lock;
	uint32_t max_sge;
	bool safe;
	struct srnic_claims *claims;	/* for an RQ with a safe CQ */
	struct srnic_srq *srq;		/* for an SRQ with safe CQs */
};

static inline int claim_recv(const struct recv_queue *rq, uint32_t next)
{
	return rq->claims ? srnic_claim(rq->claims) : srnic_srq_claim(rq->srq, next);
}

/* The claim on the safe CQ comes last: only it would have to be undone. */
static inline int put_recv(const struct recv_queue *rq, const struct ibv_recv_wr *wr,
			   uint32_t next)
{
	struct srnic_rq_wqe *wqe;

	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > rq->max_sge)
		return EINVAL;
	if (srnic_ring_full(rq->ring, next))
		return ENOMEM;

	wqe = srnic_ring_slot(rq->ring, next);
	*wqe = (struct srnic_rq_wqe) { .wr_id = wr->wr_id, .num_sge = wr->num_sge };
	srnic_put_sges(wqe + 1, wr->sg_list, wr->num_sge);
	return rq->safe ? claim_recv(rq, next) : 0;
}

/*
 * Post to an RQ or SRQ; set @end to the index after the last entry, if there is one. No doorbell is
 * needed: the kernel reads the ring for each message.
 */
static int post_recv_list(const struct recv_queue *rq, struct ibv_recv_wr *wr,
			  struct ibv_recv_wr **bad_wr, uint32_t *end)
{
	uint32_t next;
	int ret = 0;

	srnic_lock(rq->lock);
	next = rq->ring->mine;
	for (; wr; wr = wr->next, next++) {
		ret = put_recv(rq, wr, next);
		if (ret)
			break;
	}
	if (next != rq->ring->mine)
		srnic_ring_produced(rq->ring, next);
	srnic_unlock(rq->lock);
	*bad_wr = wr;
	*end = next;
	return ret;
}

/* The device is gone, and has flushed the receives before @bad_wr: set it to the next one. */
static bool all_flushed(struct srnic_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr,
			uint32_t end)
{
	const struct ibv_recv_wr *at;
	uint32_t posted = 0, done;

	for (at = wr; at != *bad_wr; at = at->next)
		posted++;
	done = srnic_ring_retired(&qp->rq, end - posted, posted);
	if (done == posted)
		return true;
	for (; done; done--)
		wr = wr->next;
	*bad_wr = wr;
	return false;
}

int srnic_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct srnic_qp *qp = to_sqp(ibqp);
	const struct recv_queue rq = {
		.ring = &qp->rq,
		.lock = &qp->rq_lock,
		.max_sge = qp->max_recv_sge,
		.safe = qp->recv_claims.safe,
		.claims = &qp->recv_claims,
	};
	uint32_t end;
	int ret, err;

	/* with an SRQ there is no RQ; in Reset, posting is an error (IBA C10-97.2.1) */
	if (ibqp->srq || ibqp->state == IBV_QPS_RESET) {
		*bad_wr = wr;
		return EINVAL;
	}
	ret = post_recv_list(&rq, wr, bad_wr, &end);
	if (*bad_wr == wr)	/* nothing was posted, and the ring may not exist */
		return ret;
	err = rq_kick(qp);
	return err && !all_flushed(qp, wr, bad_wr, end) ? err : ret;
}

/*
 * A queue without a QP has no doorbell: in ERR, where one is needed, the change to the state that
 * it is in serves as one.
 */
static int wq_ring(struct srnic_wq *wq)
{
	struct ibv_wq_attr attr = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_ERR };
	int tries = 8, ret = 0;

	if (!srnic_ring_must_wake(&wq->ring))
		return 0;
	do {
		ret = srnic_modify_wq(&wq->ibv, &attr);
	} while (srnic_is_transient(ret) && --tries);
	return srnic_is_transient(ret) ? 0 : ret;
}

int srnic_post_wq_recv(struct ibv_wq *ibwq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct srnic_wq *wq = to_swq(ibwq);
	const struct recv_queue rq = {
		.ring = &wq->ring,
		.lock = &wq->lock,
		.max_sge = wq->max_sge,
	};
	uint32_t end;
	int ret;

	if (ibwq->state == IBV_WQS_RESET) {
		*bad_wr = wr;
		return EINVAL;
	}
	ret = post_recv_list(&rq, wr, bad_wr, &end);
	return ret ? ret : wq_ring(wq);
}

int srnic_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **bad_wr)
{
	struct srnic_srq *srq = to_ssrq(ibsrq);
	const struct recv_queue rq = {
		.ring = &srq->ring,
		.lock = &srq->lock,
		.max_sge = srq->max_sge,
		.safe = srq->safe,
		.srq = srq,
	};
	uint32_t end;

	return post_recv_list(&rq, wr, bad_wr, &end);
}
