// SPDX-License-Identifier: GPL-2.0
/*
 * Requests for queue pairs: peer, seal and its counters. Keys are never sent.
 */
#include <linux/ipv6.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include "control/genl.h"
#include "engine/engine.h"
#include "srnic.h"

/* SRNIC_QP_STATE_* equal IB_QPS_* */
static_assert((int)SRNIC_QP_STATE_RESET == (int)IB_QPS_RESET);
static_assert((int)SRNIC_QP_STATE_INIT == (int)IB_QPS_INIT);
static_assert((int)SRNIC_QP_STATE_RTR == (int)IB_QPS_RTR);
static_assert((int)SRNIC_QP_STATE_RTS == (int)IB_QPS_RTS);
static_assert((int)SRNIC_QP_STATE_SQD == (int)IB_QPS_SQD);
static_assert((int)SRNIC_QP_STATE_SQE == (int)IB_QPS_SQE);
static_assert((int)SRNIC_QP_STATE_ERR == (int)IB_QPS_ERR);
static_assert((int)SRNIC_FLOW_SIDE_OURS == (int)SRNIC_FLOW_OURS);
static_assert((int)SRNIC_FLOW_SIDE_THEIRS == (int)SRNIC_FLOW_THEIRS);

#define SRNIC_DRIVER_NAME_MAX	64

/**
 * struct srnic_qp_view - Consistent snapshot of a QP
 * @qpn: QPN
 * @type: SRNIC_QP_TYPE_*
 * @state: SRNIC_QP_STATE_*
 * @connected: @peer and @peer_qpn are valid
 * @peer: GID of the peer
 * @peer_qpn: QPN of the peer
 * @sealed: @sth and @driver are valid
 * @sth: result of srnic_sth_info(); its driver must not be used, as the
 *	algorithm may be freed with the QP
 * @driver: copy of the name of the driver
 */
struct srnic_qp_view {
	u32 qpn;
	u8 type;
	u8 state;
	bool connected;
	u8 peer[16];
	u32 peer_qpn;
	bool sealed;
	struct srnic_sth_info sth;
	char driver[SRNIC_DRIVER_NAME_MAX];
};

static u8 srnic_qp_view_type(const struct srnic_qp *qp)
{
	switch (qp->ib.qp_type) {
	case IB_QPT_RC:
		return SRNIC_QP_TYPE_RC;
	case IB_QPT_UC:
		return SRNIC_QP_TYPE_UC;
	case IB_QPT_SMI:
		return SRNIC_QP_TYPE_SMI;
	case IB_QPT_GSI:
		return SRNIC_QP_TYPE_GSI;
	case IB_QPT_XRC_INI:
		return SRNIC_QP_TYPE_XRC_INI;
	case IB_QPT_XRC_TGT:
		return SRNIC_QP_TYPE_XRC_TGT;
	case IB_QPT_RAW_PACKET:
		return SRNIC_QP_TYPE_RAW_PACKET;
	default:
		return SRNIC_QP_TYPE_UD;
	}
}

static void srnic_qp_view_fill(struct srnic_qp_view *view, struct srnic_qp *qp)
{
	view->type = srnic_qp_view_type(qp);

	spin_lock_bh(&qp->lock);
	view->state = qp->state;
	view->connected = qp->path_valid && srnic_qp_connected(qp);
	memcpy(view->peer, qp->path.ends.dgid, sizeof(view->peer));
	view->peer_qpn = qp->attr.dest_qp_num;
	view->sealed = qp->sth;
	if (qp->sth) {
		srnic_sth_info(qp->sth, &view->sth);
		strscpy(view->driver, view->sth.driver, sizeof(view->driver));
	}
	spin_unlock_bh(&qp->lock);
}

/*
 * Take a view of the first QP whose QPN is @qpn or more. Return false if there
 * is none.
 */
static bool srnic_qp_view_next(struct srnic_qp_view *view, struct srnic_dev *dev, unsigned long qpn)
{
	struct srnic_qp *qp;

	rcu_read_lock();
	qp = xa_find(&dev->qps, &qpn, U32_MAX, XA_PRESENT);
	if (qp) {
		view->qpn = qpn;
		srnic_qp_view_fill(view, qp);
	}
	rcu_read_unlock();
	return qp;
}

static int srnic_put_flow(struct sk_buff *skb, const struct srnic_qp_view *view,
			  enum srnic_sth_flow side)
{
	const typeof(view->sth.flow[0]) *flow = &view->sth.flow[side];
	struct nlattr *nest;

	nest = nla_nest_start(skb, SRNIC_A_QP_FLOW);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u8(skb, SRNIC_A_FLOW_SIDE, side) ||
	    (flow->ready && nla_put_flag(skb, SRNIC_A_FLOW_READY)) ||
	    nla_put_uint(skb, SRNIC_A_FLOW_EPOCH, flow->epoch) ||
	    nla_put_uint(skb, SRNIC_A_FLOW_PSN64, flow->psn64) ||
	    nla_put_uint(skb, SRNIC_A_FLOW_SEALED, flow->sealed) ||
	    nla_put_uint(skb, SRNIC_A_FLOW_OPENED, flow->opened) ||
	    nla_put_uint(skb, SRNIC_A_FLOW_FAILED, flow->failed) ||
	    nla_put_uint(skb, SRNIC_A_FLOW_REPLAYED, flow->replayed))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int srnic_put_seal(struct sk_buff *skb, const struct srnic_qp_view *view)
{
	if (!view->sealed)
		return nla_put_u8(skb, SRNIC_A_QP_MODE, SRNIC_MODE_OFF);

	if (nla_put_u8(skb, SRNIC_A_QP_MODE, view->sth.mode) ||
	    nla_put_string(skb, SRNIC_A_QP_SUITE, view->sth.suite) ||
	    nla_put_string(skb, SRNIC_A_QP_DRIVER, view->driver) ||
	    (view->sth.uncached && nla_put_flag(skb, SRNIC_A_QP_UNCACHED)) ||
	    srnic_put_flow(skb, view, SRNIC_FLOW_OURS) ||
	    srnic_put_flow(skb, view, SRNIC_FLOW_THEIRS))
		return -EMSGSIZE;
	return 0;
}

static int srnic_put_qp(struct sk_buff *skb, const struct genl_info *info, struct srnic_dev *dev,
			const struct srnic_qp_view *view)
{
	void *hdr;

	hdr = genlmsg_iput(skb, info);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_u32(skb, SRNIC_A_QP_DEV_INDEX, dev->ib.index) ||
	    nla_put_string(skb, SRNIC_A_QP_DEV_NAME, dev->ib.name) ||
	    nla_put_u32(skb, SRNIC_A_QP_QPN, view->qpn) ||
	    nla_put_u8(skb, SRNIC_A_QP_TYPE, view->type) ||
	    nla_put_u8(skb, SRNIC_A_QP_STATE, view->state) ||
	    srnic_put_seal(skb, view))
		goto cancel;
	if (view->connected &&
	    (nla_put(skb, SRNIC_A_QP_PEER, sizeof(view->peer), view->peer) ||
	     nla_put_u32(skb, SRNIC_A_QP_PEER_QPN, view->peer_qpn)))
		goto cancel;
	genlmsg_end(skb, hdr);
	return 0;

cancel:
	genlmsg_cancel(skb, hdr);
	return -EMSGSIZE;
}

/* Put the QPs from QPN *@qpn on; set *@qpn to the first one that did not fit. */
static int srnic_put_qps(struct sk_buff *skb, const struct genl_info *info, struct srnic_dev *dev,
			 long *qpn)
{
	struct srnic_qp_view view;
	int err;

	while (srnic_qp_view_next(&view, dev, *qpn)) {
		err = srnic_put_qp(skb, info, dev, &view);
		if (err)
			return err;
		*qpn = view.qpn + 1;
	}
	return 0;
}

int srnic_nl_qp_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return srnic_dump_by_device(skb, cb, SRNIC_A_QP_DEV_INDEX, srnic_put_qps);
}
