// SPDX-License-Identifier: GPL-2.0
/*
 * Send work requests: a table of their properties, and the checks that need no L_Key.
 */
#include "export.h"
#include "srnic.h"
#include "engine/wqe.h"

#define T_RC	BIT(IB_QPT_RC)
#define T_ACKED	(T_RC | BIT(IB_QPT_XRC_INI))
#define T_CONN	(T_ACKED | BIT(IB_QPT_UC))
#define T_DGRAM	(BIT(IB_QPT_UD) | BIT(IB_QPT_GSI) | BIT(IB_QPT_SMI))

#define DATA(completion, qp_types, msg, at_end, alone) {	\
	.class = SRNIC_CLASS_DATA,				\
	.wc = completion,					\
	.types = qp_types,					\
	.first = SRNIC_OPC_##msg##_FIRST,			\
	.middle = SRNIC_OPC_##msg##_MIDDLE,			\
	.last = SRNIC_OPC_##msg##_##at_end,			\
	.only = SRNIC_OPC_##msg##_##alone,			\
}

#define REQUEST(how, completion, qp_types, opc) {		\
	.class = SRNIC_CLASS_##how,				\
	.wc = completion,					\
	.types = qp_types,					\
	.only = SRNIC_OPC_##opc,				\
}

#define LOCAL(completion, qp_types) {				\
	.class = SRNIC_CLASS_LOCAL,				\
	.wc = completion,					\
	.types = qp_types,					\
}

const struct srnic_wqe_kind srnic_wqe_kinds[SRNIC_WQE_OPCODES] = {
	[SRNIC_WQE_SEND]	= DATA(IB_WC_SEND, T_CONN | T_DGRAM, SEND, LAST, ONLY),
	[SRNIC_WQE_SEND_IMM]	= DATA(IB_WC_SEND, T_CONN | T_DGRAM, SEND, LAST_IMM, ONLY_IMM),
	[SRNIC_WQE_SEND_INV]	= DATA(IB_WC_SEND, T_ACKED, SEND, LAST_INV, ONLY_INV),
	[SRNIC_WQE_WRITE]	= DATA(IB_WC_RDMA_WRITE, T_CONN, WRITE, LAST, ONLY),
	[SRNIC_WQE_WRITE_IMM]	= DATA(IB_WC_RDMA_WRITE, T_CONN, WRITE, LAST_IMM, ONLY_IMM),
	[SRNIC_WQE_READ]	= REQUEST(READ, IB_WC_RDMA_READ, T_ACKED, READ_REQ),
	[SRNIC_WQE_CMP_SWAP]	= REQUEST(ATOMIC, IB_WC_COMP_SWAP, T_ACKED, CMP_SWAP),
	[SRNIC_WQE_FETCH_ADD]	= REQUEST(ATOMIC, IB_WC_FETCH_ADD, T_ACKED, FETCH_ADD),
	[SRNIC_WQE_LOCAL_INV]	= LOCAL(IB_WC_LOCAL_INV, T_CONN),
	[SRNIC_WQE_BIND_MW]	= LOCAL(IB_WC_BIND_MW, T_CONN),
	[SRNIC_WQE_REG_MR]	= LOCAL(IB_WC_REG_MR, T_CONN),
	[SRNIC_WQE_FLUSH]	= REQUEST(CONFIRMED, IB_WC_FLUSH, T_RC, FLUSH),
	[SRNIC_WQE_ATOMIC_WRITE] = REQUEST(CONFIRMED, IB_WC_ATOMIC_WRITE, T_RC, ATOMIC_WRITE),
	[SRNIC_WQE_LSO]		= DATA(IB_WC_LSO, BIT(IB_QPT_UD), SEND, LAST, ONLY),
	[SRNIC_WQE_FRAME]	= {
		.class = SRNIC_CLASS_FRAME,
		.wc = IB_WC_SEND,
		.types = BIT(IB_QPT_RAW_PACKET),
	},
};

/* IBA A19: at least one placement type; the other bits of the FETH are reserved. */
static bool flush_well_formed(const struct srnic_swqe *wqe)
{
	return SRNIC_OFFERS_FLUSH && !wqe->length && wqe->flush.types && wqe->flush.level <= 1 &&
	       !(wqe->flush.types & ~SRNIC_FETH_TYPES);
}

/* Check whether opcode, flags and SGEs fit the QP. */
static bool well_formed(const struct srnic_qp *qp, const struct srnic_swqe *wqe)
{
	const struct srnic_wqe_kind *kind = srnic_wqe_kind(wqe);

	if (!(kind->types & BIT(qp->ib.qp_type)) || wqe->flags & ~SRNIC_SWQE_FLAGS)
		return false;
	/* REG_MR has a kernel pointer, which no user ring can name (RFC 5042 6.5) */
	if (qp->sq.ring.user &&
	    (wqe->opcode == SRNIC_WQE_REG_MR || wqe->opcode == SRNIC_WQE_LSO))
		return false;
	if (wqe->flags & SRNIC_SWQE_INLINE)
		return kind->class == SRNIC_CLASS_DATA || kind->class == SRNIC_CLASS_FRAME ?
		       wqe->length <= qp->sq.max_inline : wqe->opcode == SRNIC_WQE_ATOMIC_WRITE;
	return wqe->num_sge <= qp->sq.max_sge;
}

/* Tell whether a datagram, or each datagram of a large send, fits the port's MTU. */
static bool datagram_fits(const struct srnic_qp *qp, const struct srnic_swqe *wqe)
{
	struct srnic_lso lso;

	if (wqe->opcode != SRNIC_WQE_LSO)
		return wqe->length <= qp->mtu;
	lso = srnic_wqe_lso(&qp->sq, wqe);
	return srnic_lso_valid(&lso, qp->mtu);
}

/**
 * srnic_wqe_check() - Check whether a work request can be executed at all
 * @qp: QP that it was posted to
 * @wqe: the private copy
 *
 * Such errors are the consumer's and complete the work request (IBA 10.8.2, 11.4.1.1). L_Keys
 * are checked when the bytes are accessed.
 *
 * Context: any up to softirq, under the QP's lock.
 * Return: IB_WC_SUCCESS, or the status with which the work request fails.
 */
enum ib_wc_status srnic_wqe_check(const struct srnic_qp *qp, const struct srnic_swqe *wqe)
{
	if (wqe->opcode >= SRNIC_WQE_OPCODES || !well_formed(qp, wqe))
		return IB_WC_LOC_QP_OP_ERR;
	if (wqe->length > SRNIC_MAX_MSG)
		return IB_WC_LOC_LEN_ERR;
	if (!srnic_qp_connected(qp) && !datagram_fits(qp, wqe))
		return IB_WC_LOC_LEN_ERR;

	switch (srnic_wqe_kind(wqe)->class) {
	case SRNIC_CLASS_CONFIRMED:
	case SRNIC_CLASS_ATOMIC:
		if (wqe->opcode == SRNIC_WQE_FLUSH) {
			if (!flush_well_formed(wqe))
				return IB_WC_LOC_QP_OP_ERR;
		} else if (wqe->length != sizeof(u64)) {
			return IB_WC_LOC_LEN_ERR;
		}
		fallthrough;
	case SRNIC_CLASS_READ:
		/* none may ever be outstanding, so this one would wait forever */
		if (!qp->attr.max_rd_atomic)
			return IB_WC_LOC_QP_OP_ERR;
		fallthrough;
	default:
		return IB_WC_SUCCESS;
	}
}

SRNIC_EXPORT_FOR_KUNIT(srnic_wqe_check);
