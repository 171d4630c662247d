/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The kinds of send work requests, and their encoding in a ring entry: common
 * to both ways to post, ibv_post_send() and ibv_wr_*().
 */
#ifndef SRNIC_WQE_H
#define SRNIC_WQE_H

#include <errno.h>
#include <string.h>

#include "srnic.h"

/* The parts of struct ibv_send_wr that a work request uses. */
enum {
	SRNIC_WR_DATA	= 1 << 0,	/* SGEs */
	SRNIC_WR_REMOTE	= 1 << 1,	/* wr.rdma */
	SRNIC_WR_ATOMIC	= 1 << 2,	/* wr.atomic */
	SRNIC_WR_IMM	= 1 << 3,	/* imm_data or invalidate_rkey */
	SRNIC_WR_BIND	= 1 << 4,	/* bind_mw */
	SRNIC_WR_WORD	= 1 << 5,	/* inline data goes into the entry itself */
	SRNIC_WR_FLUSH	= 1 << 6,	/* has no part: only ibv_wr_flush() posts it */
};

/* Of verbs.h, if it is new enough: rdma-core 44 added ATOMIC WRITE, and 45 FLUSH. */
#define SRNIC_IBV_WR_FLUSH		((enum ibv_wr_opcode)14)
#define SRNIC_IBV_WR_ATOMIC_WRITE	((enum ibv_wr_opcode)15)
#define SRNIC_QP_EX_WITH_FLUSH		(1 << 11)
#define SRNIC_QP_EX_WITH_ATOMIC_WRITE	(1 << 12)

#define SRNIC_WORD_LEN	8	/* bytes of an ATOMIC WRITE */

struct srnic_wr_kind {
	uint8_t opcode;		/* enum srnic_wqe_opcode */
	uint16_t qpts;		/* bits 1 << enum ibv_qp_type; 0: not a work request */
	uint8_t takes;		/* SRNIC_WR_* */
	uint8_t flags;		/* allowed SRNIC_WQE_*, other than SRNIC_WQE_INLINE */
};

#define SRNIC_QPT_RC	(1 << IBV_QPT_RC)
#define SRNIC_QPT_ACKED	(SRNIC_QPT_RC | 1 << IBV_QPT_XRC_SEND)
#define SRNIC_QPT_CONN	(SRNIC_QPT_ACKED | 1 << IBV_QPT_UC)
#define SRNIC_QPT_ALL	(SRNIC_QPT_CONN | 1 << IBV_QPT_UD)

#define SRNIC_NR_WR	(SRNIC_IBV_WR_ATOMIC_WRITE + 1)

/* indexed by enum ibv_wr_opcode, in post.c */
extern const struct srnic_wr_kind srnic_wr_kinds[SRNIC_NR_WR];
/* the SEND of a raw packet QP */
extern const struct srnic_wr_kind srnic_frame_kind;

/* Return the kind of @opcode, or NULL if a QP of @type does not support it. */
static inline const struct srnic_wr_kind *srnic_wr_kind(enum ibv_wr_opcode opcode,
							enum ibv_qp_type type)
{
	const struct srnic_wr_kind *kind;

	if ((unsigned int)opcode >= SRNIC_NR_WR)
		return NULL;
	kind = &srnic_wr_kinds[opcode];
	if (kind->qpts & 1U << type)
		return kind;
	return type == IBV_QPT_RAW_PACKET && opcode == IBV_WR_SEND ? &srnic_frame_kind : NULL;
}

/*
 * Translate those of @send_flags that apply to @kind. Fences need no special case on UC and
 * UD, where there is nothing to wait for; nor do solicited events if the peer gets no
 * completion.
 */
static inline uint16_t srnic_wqe_flags(const struct srnic_wr_kind *kind, unsigned int send_flags)
{
	uint16_t flags = 0;

	if (send_flags & IBV_SEND_SIGNALED)
		flags |= SRNIC_WQE_SIGNALED;
	if (send_flags & IBV_SEND_SOLICITED)
		flags |= SRNIC_WQE_SOLICITED;
	if (send_flags & IBV_SEND_FENCE)
		flags |= SRNIC_WQE_FENCE;
	return flags & kind->flags;
}

/**
 * srnic_may_send() - Test whether the QP's state allows posting send work requests
 *
 * In Reset, Init and RTR posting is an immediate error (IBA 10.3.1); in Error the kernel
 * flushes. The state is the one last set through libibverbs: if the kernel has moved on to
 * ERR by itself, it flushes, too.
 */
static inline bool srnic_may_send(const struct srnic_qp *qp)
{
	enum ibv_qp_state state = qp->vqp.qp.state;

	return state != IBV_QPS_RESET && state != IBV_QPS_INIT && state != IBV_QPS_RTR;
}

/**
 * srnic_sq_take() - Take the slot of @next, and an entry of a safe CQ
 * @next: the index; slots are taken in sequence
 *
 * A slot that is not published must be returned by srnic_unclaim().
 *
 * Context: Called with the send queue's lock held.
 * Return: 0, or ENOMEM: the queue is full, or its CQ could overflow.
 */
static inline int srnic_sq_take(struct srnic_qp *qp, uint32_t next)
{
	if (qp->send_claims.safe)
		return srnic_claim(&qp->send_claims);
	return srnic_ring_full(&qp->sq, next) ? ENOMEM : 0;
}

/**
 * srnic_sq_produced() - Publish a batch; for the first, make sure that the kernel can send
 * @next: the index after the batch
 *
 * The caller must then call srnic_sq_kick(), without the lock.
 *
 * Context: Called with the send queue's lock held.
 * Return: 0, or the errno of the first doorbell, and nothing is posted.
 */
static inline int srnic_sq_produced(struct srnic_qp *qp, uint32_t next)
{
	int ret = qp->sq_rung ? 0 : srnic_sq_first(qp);

	if (!ret)
		srnic_ring_produced(&qp->sq, next);
	else
		srnic_unclaim(&qp->send_claims, qp->sq.mine);
	return ret;
}

/* Inline data is for sends and writes only (IBA). */
static inline bool srnic_takes_inline(const struct srnic_sq_wqe *wqe)
{
	return wqe->opcode <= SRNIC_WQE_WRITE_IMM || wqe->opcode == SRNIC_WQE_FRAME;
}

/* Encode the bind of a window of either type. Binding zero bytes unbinds it. */
static inline int srnic_put_bind(struct srnic_sq_wqe *wqe, const struct ibv_mw *mw,
				 uint32_t rkey, const struct ibv_mw_bind_info *info)
{
	if (!info->mr && info->length)
		return EINVAL;
	wqe->bind.addr = info->addr;
	wqe->bind.length = info->length;
	wqe->bind.mr_lkey = info->mr ? info->mr->lkey : 0;
	wqe->bind.mw_rkey = mw->rkey;
	wqe->bind.new_rkey = rkey;
	wqe->bind.access = info->mw_access_flags;
	return 0;
}

/* SGEs have the same layout on both sides. */
static_assert(sizeof(struct srnic_abi_sge) == sizeof(struct ibv_sge) &&
	      offsetof(struct srnic_abi_sge, addr) == offsetof(struct ibv_sge, addr) &&
	      offsetof(struct srnic_abi_sge, length) == offsetof(struct ibv_sge, length) &&
	      offsetof(struct srnic_abi_sge, lkey) == offsetof(struct ibv_sge, lkey), "SGE");

static inline void srnic_put_sges(void *dst, const struct ibv_sge *sg_list, uint32_t num_sge)
{
	if (num_sge)
		memcpy(dst, sg_list, num_sge * sizeof(*sg_list));
}

/* Store the scatter/gather list in the entry. */
static inline int srnic_put_gather(struct srnic_qp *qp, struct srnic_sq_wqe *wqe,
				   const struct ibv_sge *sg_list, size_t num_sge)
{
	if (num_sge > qp->max_send_sge)
		return EINVAL;
	wqe->num_sge = num_sge;
	srnic_put_sges(wqe + 1, sg_list, num_sge);
	return 0;
}

/* Append a piece of inline data to the entry. */
static inline int srnic_put_inline(struct srnic_qp *qp, struct srnic_sq_wqe *wqe,
				   const void *data, size_t length)
{
	if (length > qp->max_inline - wqe->inline_len)
		return EINVAL;
	if (length)
		memcpy((char *)(wqe + 1) + wqe->inline_len, data, length);
	wqe->inline_len += length;
	return 0;
}

#endif /* SRNIC_WQE_H */
