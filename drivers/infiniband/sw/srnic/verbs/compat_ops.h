/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Members of struct ib_device_ops whose name or form depends on the kernel version, see
 * compat.h. ops.h declares the functions in their newest form.
 */
#ifndef SRNIC_VERBS_COMPAT_OPS_H
#define SRNIC_VERBS_COMPAT_OPS_H

#include "verbs/ops.h"

/* 6.1: a CQ is created without the attributes of the system call. */
#ifdef SRNIC_HAVE_CREATE_CQ_UDATA
static inline int srnic_op_create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
				     struct ib_udata *udata)
{
	return srnic_create_cq(ib, attr,
			       udata ? rdma_udata_to_uverbs_attr_bundle(udata) : NULL);
}

#define SRNIC_OP_CREATE_CQ	.create_cq = srnic_op_create_cq
#else
#define SRNIC_OP_CREATE_CQ	.create_cq = srnic_create_cq
#endif

/* 6.12: registration has no hints for DMA. */
#ifdef SRNIC_HAVE_DMAH
#define SRNIC_OP_REG_USER_MR	.reg_user_mr = srnic_reg_user_mr
#else
static inline struct ib_mr *srnic_op_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
						 u64 iova, int access, struct ib_udata *udata)
{
	return srnic_reg_user_mr(pd, start, length, iova, access, NULL, udata);
}

#define SRNIC_OP_REG_USER_MR	.reg_user_mr = srnic_op_reg_user_mr
#endif

/* 6.1: no attributes of the system call; 6.12: no hints for DMA. */
#ifdef SRNIC_HAVE_DMAH
#define SRNIC_OP_REG_USER_MR_DMABUF	.reg_user_mr_dmabuf = srnic_reg_user_mr_dmabuf
#else
#ifdef SRNIC_HAVE_DMABUF_UDATA
#define SRNIC_DMABUF_ARG		ib_udata
#else
#define SRNIC_DMABUF_ARG		uverbs_attr_bundle
#endif

static inline struct ib_mr *srnic_op_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length,
							u64 iova, int fd, int access,
							struct SRNIC_DMABUF_ARG *attrs)
{
	return srnic_reg_user_mr_dmabuf(pd, offset, length, iova, fd, access, NULL, NULL);
}

#define SRNIC_OP_REG_USER_MR_DMABUF	.reg_user_mr_dmabuf = srnic_op_reg_user_mr_dmabuf
#endif

/* 6.12: the name does not say yet that only users resize a CQ. */
#ifdef SRNIC_HAVE_RESIZE_USER_CQ
#define SRNIC_OP_RESIZE_CQ	.resize_user_cq = srnic_resize_cq
#else
static inline int srnic_op_resize_cq(struct ib_cq *ib, int cqe, struct ib_udata *udata)
{
	return srnic_resize_cq(ib, cqe, udata);
}

#define SRNIC_OP_RESIZE_CQ	.resize_cq = srnic_op_resize_cq
#endif

/* 6.1: 'rdma resource show srq' has no part of a driver's. */
#ifdef SRNIC_HAVE_FILL_RES_SRQ
#define SRNIC_OP_FILL_RES_SRQ	.fill_res_srq_entry = srnic_fill_res_srq,
#else
#define SRNIC_OP_FILL_RES_SRQ
#endif

/* 6.12: a counter is for one port, which the operations do not say, and is the core's object. */
#ifdef SRNIC_HAVE_COUNTER_PORT
struct srnic_counter {
	struct rdma_counter rdma;
};

#define SRNIC_OP_COUNTER_BIND_QP	.counter_bind_qp = srnic_counter_bind_qp
#define SRNIC_OP_COUNTER_UNBIND_QP	.counter_unbind_qp = srnic_counter_unbind_qp
#define SRNIC_COUNTER_SIZE		INIT_RDMA_OBJ_SIZE(rdma_counter, srnic_counter, rdma),
#else
static inline int srnic_op_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ib)
{
	return srnic_counter_bind_qp(counter, ib, counter->port);
}

static inline int srnic_op_counter_unbind_qp(struct ib_qp *ib)
{
	return srnic_counter_unbind_qp(ib, ib->counter->port);
}

#define SRNIC_OP_COUNTER_BIND_QP	.counter_bind_qp = srnic_op_counter_bind_qp
#define SRNIC_OP_COUNTER_UNBIND_QP	.counter_unbind_qp = srnic_op_counter_unbind_qp
#define SRNIC_COUNTER_SIZE
#endif

#endif /* SRNIC_VERBS_COMPAT_OPS_H */
