// SPDX-License-Identifier: GPL-2.0
/*
 * Modify QP: attributes checked and stored, then the engine changes state (IBA
 * 11.2.4.2 and 10.3.1).
 */
#include <linux/stddef.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include "ops.h"

#define QP_ACCESS	(SRNIC_ACCESS_REMOTE | IB_ACCESS_LOCAL_WRITE | IB_ACCESS_MW_BIND)

/**
 * struct qp_attr_row - an attribute that is a number
 * @mask: its bit in the attribute mask
 * @offset: in struct ib_qp_attr
 * @size: bytes
 * @min: lowest value allowed
 * @max: highest
 */
struct qp_attr_row {
	u32 mask;
	u16 offset;
	u8 size;
	u32 min;
	u32 max;
};

#define QP_ATTR(mask_, field, min_, max_) {			\
	.mask = (mask_),					\
	.offset = offsetof(struct ib_qp_attr, field),		\
	.size = sizeof_field(struct ib_qp_attr, field),		\
	.min = (min_),						\
	.max = (max_),						\
}

static const struct qp_attr_row qp_attr_rows[] = {
	QP_ATTR(IB_QP_EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify, 0, 1),
	QP_ATTR(IB_QP_PKEY_INDEX, pkey_index, SRNIC_PKEY_INDEX, SRNIC_PKEY_INDEX),
	QP_ATTR(IB_QP_PORT, port_num, SRNIC_PORT, SRNIC_PORT),
	QP_ATTR(IB_QP_QKEY, qkey, 0, U32_MAX),
	QP_ATTR(IB_QP_PATH_MTU, path_mtu, IB_MTU_256, IB_MTU_4096),
	QP_ATTR(IB_QP_TIMEOUT, timeout, 0, 31),
	QP_ATTR(IB_QP_RETRY_CNT, retry_cnt, 0, 7),
	QP_ATTR(IB_QP_RNR_RETRY, rnr_retry, 0, 7),
	QP_ATTR(IB_QP_MIN_RNR_TIMER, min_rnr_timer, 0, 31),
	QP_ATTR(IB_QP_RQ_PSN, rq_psn, 0, SRNIC_PSN_MASK),
	QP_ATTR(IB_QP_SQ_PSN, sq_psn, 0, SRNIC_PSN_MASK),
	/* RFC 5042 7.2, R30: nobody gets more than guard's limit */
	QP_ATTR(IB_QP_MAX_QP_RD_ATOMIC, max_rd_atomic, 0, SRNIC_MAX_RD_ATOMIC),
	QP_ATTR(IB_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic, 0, SRNIC_MAX_RD_ATOMIC),
	/* no automatic path migration: always migrated (IBA 17.2.8) */
	QP_ATTR(IB_QP_PATH_MIG_STATE, path_mig_state, IB_MIG_MIGRATED, IB_MIG_MIGRATED),
	QP_ATTR(IB_QP_DEST_QPN, dest_qp_num, 0, SRNIC_PSN_MASK),
};

static u32 qp_attr_value(const struct ib_qp_attr *attr, const struct qp_attr_row *row)
{
	const void *field = (const void *)attr + row->offset;

	switch (row->size) {
	case 1:
		return *(const u8 *)field;
	case 2:
		return *(const u16 *)field;
	default:
		return *(const u32 *)field;
	}
}

static int qp_check_numbers(const struct ib_qp_attr *attr, int mask)
{
	for (size_t i = 0; i < ARRAY_SIZE(qp_attr_rows); i++) {
		const struct qp_attr_row *row = &qp_attr_rows[i];
		u32 value;

		if (!(mask & row->mask))
			continue;
		value = qp_attr_value(attr, row);
		if (value < row->min || value > row->max)
			return -EINVAL;
	}
	return 0;
}

static int qp_check_av(const struct srnic_qp *qp, const struct rdma_ah_attr *av)
{
	struct in6_addr dgid;

	if (av->type != RDMA_AH_ATTR_TYPE_ROCE || !(rdma_ah_get_ah_flags(av) & IB_AH_GRH))
		return -EINVAL;
	if (rdma_ah_get_port_num(av) != SRNIC_PORT || !av->grh.sgid_attr)
		return -EINVAL;
	/* a connection has one peer */
	memcpy(&dgid, av->grh.dgid.raw, sizeof(dgid));
	if (rdma_is_multicast_addr(&dgid))
		return -EINVAL;
	/* what was sealed for one peer does not go to another */
	if (qp->sth && qp->state != IB_QPS_INIT)
		return -EACCES;
	return 0;
}

/* nothing has been changed yet, and nothing is */
static int qp_check_modify(const struct srnic_qp *qp, const struct ib_qp_attr *attr, int mask,
			   enum ib_qp_state *next)
{
	enum ib_qp_state cur = READ_ONCE(qp->state);
	int err;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	/* IBA 11.2.4.2: the consumer says in which state it believes the QP to be */
	if (mask & IB_QP_CUR_STATE && attr->cur_qp_state != cur)
		return -EINVAL;
	*next = mask & IB_QP_STATE ? attr->qp_state : cur;
	if (!ib_modify_qp_is_ok(cur, *next, qp->ib.qp_type, mask))
		return -EINVAL;
	if (mask & (IB_QP_ALT_PATH | IB_QP_CAP))
		return -EOPNOTSUPP;
	if (mask & IB_QP_ACCESS_FLAGS && attr->qp_access_flags & ~QP_ACCESS)
		return -EINVAL;

	err = mask & IB_QP_AV ? qp_check_av(qp, &attr->ah_attr) : 0;
	return err ?: qp_check_numbers(attr, mask);
}

/* the new path is made apart, for that may fail; the source port stays with the QP */
static int qp_make_path(const struct srnic_qp *qp, const struct ib_qp_attr *attr, int mask,
			struct srnic_path *path)
{
	u32 dqpn = mask & IB_QP_DEST_QPN ? attr->dest_qp_num : qp->attr.dest_qp_num;
	const struct ib_global_route *grh = rdma_ah_read_grh(&attr->ah_attr);

	return srnic_path_init(path, grh->sgid_attr, &attr->ah_attr,
			       rdma_get_udp_sport(grh->flow_label, qp->ib.qp_num, dqpn));
}

static void qp_store_numbers(struct srnic_qp *qp, const struct ib_qp_attr *attr, int mask)
	__must_hold(&qp->lock)
{
	for (size_t i = 0; i < ARRAY_SIZE(qp_attr_rows); i++) {
		const struct qp_attr_row *row = &qp_attr_rows[i];

		if (mask & row->mask)
			memcpy((void *)&qp->attr + row->offset, (const void *)attr + row->offset,
			       row->size);
	}
	if (mask & IB_QP_ACCESS_FLAGS)
		qp->attr.qp_access_flags = attr->qp_access_flags;
	if (mask & IB_QP_PATH_MTU)
		qp->mtu = ib_mtu_enum_to_int(attr->path_mtu);
}

/* @path comes back with what is to be released */
static void qp_store_path(struct srnic_qp *qp, const struct ib_qp_attr *attr,
			  struct srnic_path *path)
	__must_hold(&qp->lock)
{
	swap(qp->path, *path);
	qp->path_valid = true;
	qp->attr.ah_attr = attr->ah_attr;
	/* the core counts references to the GID entry; our copy has none */
	qp->attr.ah_attr.grh.sgid_attr = NULL;
}

static int qp_store(struct srnic_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	struct srnic_path path = {};
	int err;

	if (mask & IB_QP_AV) {
		err = qp_make_path(qp, attr, mask, &path);
		if (err)
			return err;
	}

	spin_lock_bh(&qp->lock);
	qp_store_numbers(qp, attr, mask);
	if (mask & IB_QP_AV)
		qp_store_path(qp, attr, &path);
	spin_unlock_bh(&qp->lock);

	srnic_path_release(&path);
	return 0;
}

static void qp_reset(struct srnic_qp *qp)
{
	srnic_qp_to_reset(qp);
	/* a window bound to this stream is not the next stream's (R8) */
	srnic_window_forget_qp(qp);

	spin_lock_bh(&qp->lock);
	qp->path_valid = false;
	spin_unlock_bh(&qp->lock);
}

static int qp_change_state(struct srnic_qp *qp, enum ib_qp_state next)
{
	switch (next) {
	case IB_QPS_RESET:
		qp_reset(qp);
		return 0;
	case IB_QPS_INIT:
		srnic_qp_to_init(qp);
		return 0;
	case IB_QPS_RTR:
		return srnic_qp_to_rtr(qp);
	case IB_QPS_RTS:
		return srnic_qp_to_rts(qp);
	case IB_QPS_SQD:
		srnic_qp_to_sqd(qp);
		return 0;
	case IB_QPS_ERR:
		srnic_qp_to_err(qp);
		return 0;
	default:
		return -EINVAL;	/* SQE: the engine's to enter */
	}
}

static int qp_modify(struct srnic_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	enum ib_qp_state cur = READ_ONCE(qp->state);
	enum ib_qp_state next;
	int err;

	lockdep_assert_held(&qp->modify_mutex);

	err = qp_check_modify(qp, attr, mask, &next);
	if (err)
		return err;
	err = qp_store(qp, attr, mask);
	if (err || next == cur)
		return err;
	return qp_change_state(qp, next);
}

int srnic_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct srnic_qp *qp = to_srnic_qp(ib);
	int err;

	mutex_lock(&qp->modify_mutex);
	err = qp_modify(qp, attr, mask);
	mutex_unlock(&qp->modify_mutex);
	return err;
}
