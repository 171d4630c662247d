// SPDX-License-Identifier: GPL-2.0
/*
 * Modify QP: check and store the attributes, then let the engine change state
 * (IBA 11.2.4.2 and 10.3.1).
 */
#include <linux/slab.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include "verbs/ops.h"

/*
 * Rights that the core knows: applications ask for those of regions here, too. The QP restricts
 * its peer by SRNIC_ACCESS_REMOTE and SRNIC_ACCESS_FLUSH; the others have no effect, as in other
 * drivers.
 */
#define QP_ACCESS	(IB_ACCESS_SUPPORTED | SRNIC_ACCESS_FLUSH)

/* A numeric attribute and its valid range */
struct qp_range {
	int mask;
	u32 value;
	u32 min;
	u32 max;
};

static int qp_check_numbers(const struct srnic_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	const u32 last_pkey = qp->dev->fabric ? SRNIC_PKEYS - 1 : SRNIC_PKEY_INDEX;
	const struct qp_range ranges[] = {
		{ IB_QP_EN_SQD_ASYNC_NOTIFY, attr->en_sqd_async_notify, 0, 1 },
		{ IB_QP_PKEY_INDEX, attr->pkey_index, SRNIC_PKEY_INDEX, last_pkey },
		{ IB_QP_PORT, attr->port_num, SRNIC_PORT, SRNIC_PORT },
		{ IB_QP_PATH_MTU, attr->path_mtu, IB_MTU_256, IB_MTU_4096 },
		{ IB_QP_TIMEOUT, attr->timeout, 0, 31 },
		{ IB_QP_RETRY_CNT, attr->retry_cnt, 0, 7 },
		{ IB_QP_RNR_RETRY, attr->rnr_retry, 0, 7 },
		{ IB_QP_MIN_RNR_TIMER, attr->min_rnr_timer, 0, 31 },
		{ IB_QP_RQ_PSN, attr->rq_psn, 0, SRNIC_PSN_MASK },
		{ IB_QP_SQ_PSN, attr->sq_psn, 0, SRNIC_PSN_MASK },
		{ IB_QP_DEST_QPN, attr->dest_qp_num, 0, SRNIC_PSN_MASK },
		/* RFC 5042 7.2, R30: at most guard's limit */
		{ IB_QP_MAX_QP_RD_ATOMIC, attr->max_rd_atomic, 0, SRNIC_MAX_RD_ATOMIC },
		{ IB_QP_MAX_DEST_RD_ATOMIC, attr->max_dest_rd_atomic, 0, SRNIC_MAX_RD_ATOMIC },
		/* no automatic path migration: always migrated (IBA 17.2.8) */
		{ IB_QP_PATH_MIG_STATE, attr->path_mig_state, IB_MIG_MIGRATED, IB_MIG_MIGRATED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
		const struct qp_range *range = &ranges[i];

		if (mask & range->mask &&
		    (range->value < range->min || range->value > range->max))
			return -EINVAL;
	}
	return 0;
}

static int qp_check_av(const struct srnic_qp *qp, const struct rdma_ah_attr *av)
{
	int err = srnic_av_check(qp->dev, av);
	struct in6_addr dgid;

	if (err)
		return err;
	/* a connection has exactly one peer */
	memcpy(&dgid, av->grh.dgid.raw, sizeof(dgid));
	if (rdma_is_multicast_addr(&dgid))
		return -EINVAL;
	/* a sealed connection must not be redirected to another peer */
	if (qp->sth && qp->state != IB_QPS_INIT)
		return -EACCES;
	return 0;
}

/*
 * Return whether the core's table allows the change. uverbs adds the port to each address vector,
 * but the table's row of UC in SQD lacks the port.
 */
static bool qp_change_ok(const struct srnic_qp *qp, enum ib_qp_state cur, enum ib_qp_state next,
			 int mask)
{
	if (qp->ib.qp_type == IB_QPT_UC && cur == IB_QPS_SQD && next == IB_QPS_SQD &&
	    mask & IB_QP_AV)
		mask &= ~IB_QP_PORT;
	return ib_modify_qp_is_ok(cur, next, qp->ib.qp_type, mask);
}

/* Check the arguments; nothing is changed. */
static int qp_check_modify(const struct srnic_qp *qp, const struct ib_qp_attr *attr, int mask,
			   enum ib_qp_state *next)
{
	enum ib_qp_state cur = READ_ONCE(qp->state);
	int err;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	/* it has no queue: its receive queues have states of their own */
	if (qp->rss)
		return -EOPNOTSUPP;
	/* IBA 11.2.4.2: the state that the consumer expects the QP to be in */
	if (mask & IB_QP_CUR_STATE && attr->cur_qp_state != cur)
		return -EINVAL;
	*next = mask & IB_QP_STATE ? attr->qp_state : cur;
	if (!qp_change_ok(qp, cur, *next, mask))
		return -EINVAL;
	if (mask & (IB_QP_ALT_PATH | IB_QP_CAP))
		return -EOPNOTSUPP;
	if (mask & IB_QP_ACCESS_FLAGS && attr->qp_access_flags & ~QP_ACCESS)
		return -EINVAL;

	err = mask & IB_QP_AV ? qp_check_av(qp, &attr->ah_attr) : 0;
	return err ?: qp_check_numbers(qp, attr, mask);
}

/*
 * Make the new path separately, because this may fail. The source port depends
 * only on the flow label and the QPNs.
 */
static int qp_make_path(const struct srnic_qp *qp, const struct ib_qp_attr *attr, int mask,
			struct srnic_path *path)
{
	u32 dqpn = mask & IB_QP_DEST_QPN ? attr->dest_qp_num : qp->attr.dest_qp_num;
	const struct ib_global_route *grh = rdma_ah_read_grh(&attr->ah_attr);
	int err;

	err = srnic_av_path(path, qp->dev, &attr->ah_attr,
			    rdma_get_udp_sport(grh->flow_label, qp->ib.qp_num, dqpn));
	/* UC and UD have no congestion control */
	if (!err && srnic_qp_reliable(qp) &&
	    srnic_limit_get(&qp->dev->guard, SRNIC_LIMIT_ECN))
		srnic_path_set_ect(path);
	return err;
}

/* Store attributes of the requester. */
static void qp_store_requester(struct ib_qp_attr *to, const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_SQ_PSN)
		to->sq_psn = attr->sq_psn;
	if (mask & IB_QP_TIMEOUT)
		to->timeout = attr->timeout;
	if (mask & IB_QP_RETRY_CNT)
		to->retry_cnt = attr->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		to->rnr_retry = attr->rnr_retry;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		to->en_sqd_async_notify = attr->en_sqd_async_notify;
}

/* Store attributes of the responder. */
static void qp_store_responder(struct ib_qp_attr *to, const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_RQ_PSN)
		to->rq_psn = attr->rq_psn;
	if (mask & IB_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & IB_QP_ACCESS_FLAGS)
		to->qp_access_flags = attr->qp_access_flags;
	if (mask & IB_QP_QKEY)
		to->qkey = attr->qkey;
}

static void qp_store_numbers(struct srnic_qp *qp, const struct ib_qp_attr *attr, int mask)
	__must_hold(&qp->lock)
{
	lockdep_assert_held(&qp->lock);

	qp_store_requester(&qp->attr, attr, mask);
	qp_store_responder(&qp->attr, attr, mask);
	if (mask & IB_QP_PKEY_INDEX)
		qp->attr.pkey_index = attr->pkey_index;
	if (mask & IB_QP_PORT)
		qp->attr.port_num = attr->port_num;
	if (mask & IB_QP_DEST_QPN)
		qp->attr.dest_qp_num = attr->dest_qp_num;
	if (mask & IB_QP_PATH_MTU) {
		qp->attr.path_mtu = attr->path_mtu;
		qp->mtu = ib_mtu_enum_to_int(attr->path_mtu);
	}
}

/* On return, @path is the former path. */
static void qp_store_path(struct srnic_qp *qp, const struct ib_qp_attr *attr,
			  struct srnic_path *path)
	__must_hold(&qp->lock)
{
	swap(qp->path, *path);
	qp->path_valid = true;
	qp->attr.ah_attr = attr->ah_attr;
	/* the core counts references to the GID entry; our copy holds none */
	qp->attr.ah_attr.grh.sgid_attr = NULL;
}

/**
 * struct qp_saved - State to restore if modify_qp fails (IBA 11.2.4.2)
 * @attr: attributes
 * @mtu: path MTU in bytes
 * @path: path to the peer; the new one until it is stored
 * @path_valid: value of qp->path_valid
 */
struct qp_saved {
	struct ib_qp_attr attr;
	u32 mtu;
	struct srnic_path path;
	bool path_valid;
};

static void qp_restore(struct srnic_qp *qp, int mask, struct qp_saved *saved)
{
	spin_lock_bh(&qp->lock);
	qp->attr = saved->attr;
	qp->mtu = saved->mtu;
	if (mask & IB_QP_AV) {
		swap(qp->path, saved->path);
		qp->path_valid = saved->path_valid;
	}
	spin_unlock_bh(&qp->lock);
}

/*
 * A connection in the clear must not be redirected to a peer whose rule asks
 * for a seal (policy per peer: protocol.md, section 1).
 */
static int qp_check_redirect(const struct srnic_qp *qp, const struct srnic_path *path)
{
	struct srnic_sth_params params;
	int err;

	if (!srnic_qp_connected(qp) || qp->state == IB_QPS_INIT)
		return 0;
	err = srnic_policy_resolve(path->net, path->ends.dgid, &params);
	if (!err && params.mode != SRNIC_STH_OFF)
		err = -EACCES;
	memzero_explicit(&params, sizeof(params));
	return err;
}

/* @saved is zeroed; the caller releases its path. */
static int qp_store(struct srnic_qp *qp, const struct ib_qp_attr *attr, int mask,
		    struct qp_saved *saved)
{
	int err;

	if (mask & IB_QP_AV) {
		err = qp_make_path(qp, attr, mask, &saved->path) ?:
		      qp_check_redirect(qp, &saved->path);
		if (err)
			return err;
	}

	spin_lock_bh(&qp->lock);
	saved->attr = qp->attr;
	saved->mtu = qp->mtu;
	saved->path_valid = qp->path_valid;
	qp_store_numbers(qp, attr, mask);
	if (mask & IB_QP_AV)
		qp_store_path(qp, attr, &saved->path);
	spin_unlock_bh(&qp->lock);
	return 0;
}

static void qp_reset(struct srnic_qp *qp)
{
	srnic_qp_to_reset(qp);
	/* a window bound to this stream must not serve the next one (R8); a target has none */
	if (!qp->xrc)
		srnic_stream_end(&qp->mem);

	spin_lock_bh(&qp->lock);
	qp->path_valid = false;
	/* the next connection must not have what the consumer asked for the last one */
	qp->attr = (struct ib_qp_attr){ .cap = qp->attr.cap, .port_num = SRNIC_PORT };
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
		return srnic_qp_to_sqd(qp);
	case IB_QPS_ERR:
		srnic_qp_to_err(qp);
		return 0;
	default:
		return -EINVAL;	/* SQE: entered by the engine only */
	}
}

/* Apply the stored attributes. */
static int qp_apply(struct srnic_qp *qp, int mask, enum ib_qp_state cur, enum ib_qp_state next)
{
	if (next != cur)
		return qp_change_state(qp, next);
	/* IBA 11.2.4.2: in SQD, the responder resources may be changed */
	if (cur == IB_QPS_SQD && mask & IB_QP_MAX_DEST_RD_ATOMIC)
		return srnic_rres_resize(qp);
	return 0;
}

/* Use the heap: a path and the attributes are too large for the stack. */
static int qp_store_and_change(struct srnic_qp *qp, const struct ib_qp_attr *attr, int mask,
			       enum ib_qp_state cur, enum ib_qp_state next)
{
	struct qp_saved *saved = kzalloc(sizeof(*saved), GFP_KERNEL_ACCOUNT);
	int err;

	if (!saved)
		return -ENOMEM;
	err = qp_store(qp, attr, mask, saved);
	if (!err) {
		err = qp_apply(qp, mask, cur, next);
		if (err)
			qp_restore(qp, mask, saved);
	}
	srnic_path_release(&saved->path);
	kfree(saved);
	return err;
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
	/* these carry no attributes, and must not fail for lack of memory */
	if (next == IB_QPS_RESET || next == IB_QPS_ERR)
		return next == cur ? 0 : qp_change_state(qp, next);
	return qp_store_and_change(qp, attr, mask, cur, next);
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
