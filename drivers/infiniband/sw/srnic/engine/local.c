// SPDX-License-Identifier: GPL-2.0
/*
 * Work requests that send no packets: they create, change and invalidate L_Keys and R_Keys, in
 * order with the other work requests (IBA 10.6.4, 10.6.5, 10.6.7).
 */
#include "srnic.h"
#include "engine/requester.h"
#include "mem/mem.h"

/**
 * srnic_local_op() - Execute LOCAL_INV, BIND_MW or REG_MR
 * @qp: the QP
 * @wqe: a work request that srnic_wqe_check() has accepted
 *
 * Context: process or softirq, under the QP's lock.
 * Return: IB_WC_SUCCESS, or the status with which the work request fails.
 */
enum ib_wc_status srnic_local_op(struct srnic_qp *qp, const struct srnic_swqe *wqe)
{
	int err;

	lockdep_assert_held(&qp->lock);

	switch (wqe->opcode) {
	case SRNIC_WQE_LOCAL_INV:
		err = srnic_mem_invalidate(&qp->mem, wqe->inv_rkey, SRNIC_INV_BY_OWNER);
		return err ? IB_WC_LOC_QP_OP_ERR : IB_WC_SUCCESS;
	case SRNIC_WQE_BIND_MW:
		err = srnic_mem_bind(&qp->mem, &wqe->bind);
		return err ? IB_WC_MW_BIND_ERR : IB_WC_SUCCESS;
	case SRNIC_WQE_REG_MR:
		err = srnic_mem_reg(&qp->mem, to_srnic_mr(wqe->reg.mr), wqe->reg.key,
				    wqe->reg.access);
		return err ? IB_WC_LOC_QP_OP_ERR : IB_WC_SUCCESS;
	default:
		return IB_WC_LOC_QP_OP_ERR;
	}
}
