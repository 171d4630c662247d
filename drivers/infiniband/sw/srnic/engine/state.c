// SPDX-License-Identifier: GPL-2.0
/*
 * The states of a QP (IBA 10.3.1), and the effects of each transition on the transport.
 */
#define pr_fmt(fmt) "srnic: " fmt

#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include "export.h"
#include "srnic.h"
#include "engine/backpressure.h"
#include "engine/congestion.h"
#include "engine/due.h"
#include "engine/frame.h"
#include "engine/handshake.h"
#include "engine/held.h"
#include "engine/page_in.h"
#include "engine/pkey.h"
#include "engine/reorder.h"
#include "engine/requester.h"
#include "engine/state.h"
#include "engine/timer.h"
#include "engine/ud_keys.h"
#include "engine/unlock.h"
#include "engine/xrc.h"
#include "engine/wqe.h"
#include "mem/mem.h"
#include "net/frame.h"

#define NO_TRANSPORT	0xff	/* no packet has it */

/* The top three bits of the opcodes of each QP type (IBA 9.2) */
static const u8 transports[] = {
	[IB_QPT_SMI] = SRNIC_TP_UD,
	[IB_QPT_GSI] = SRNIC_TP_UD,
	[IB_QPT_RC] = SRNIC_TP_RC,
	[IB_QPT_UC] = SRNIC_TP_UC,
	[IB_QPT_UD] = SRNIC_TP_UD,
	[IB_QPT_RAW_PACKET] = NO_TRANSPORT,
	[IB_QPT_XRC_INI] = SRNIC_TP_XRC,
	[IB_QPT_XRC_TGT] = SRNIC_TP_XRC,
};

/**
 * srnic_qp_engine_init() - Initialise the engine's part of a new QP, in RESET
 * @qp: the QP, zeroed except the members that verbs sets: type, device, PD, CQs, SRQ, the rings,
 *	and entries, limit, max_sge, max_inline and sig_all of the queues
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int srnic_qp_engine_init(struct srnic_qp *qp)
{
	struct srnic_sq *sq = &qp->sq;
	size_t tail = max(sq->max_sge * sizeof(struct srnic_abi_sge), (size_t)sq->max_inline);
	int err;

	spin_lock_init(&qp->lock);
	spin_lock_init(&sq->post_lock);
	spin_lock_init(&qp->rq.post_lock);
	mutex_init(&qp->hs_mutex);
	__skb_queue_head_init(&qp->out);
	INIT_LIST_HEAD(&qp->grants);
	INIT_WORK(&qp->work, srnic_qp_worker);
	INIT_WORK(&qp->out_work, srnic_qp_out_work);
	srnic_page_in_init(qp);
	INIT_LIST_HEAD(&qp->held);
	qp->out_until = jiffies;
	qp->transport = transports[qp->ib.qp_type];
	srnic_timer_init(qp);
	qp->state = IB_QPS_RESET;

	sq->lso_at = sizeof(struct srnic_swqe) + tail;
	sq->stride = ALIGN(sq->lso_at + (sq->lso ? SRNIC_LSO_HDR_MAX : 0), 32);
	if (srnic_qp_datagrams(qp)) {
		err = srnic_dgram_out_alloc(qp);
		if (err)
			return err;
	}
	/* a kernel consumer may post in atomic context */
	err = sq->ring.user ? 0 : srnic_sq_alloc(qp);
	if (err)
		srnic_dgram_out_free(qp);
	return err;
}

static void rq_drop(struct srnic_qp *qp)
{
	struct srnic_ring *ring = &qp->rq.ring;

	qp->resp.rwqe.valid = false;
	if (!ring->hdr)
		return;
	ring->head = READ_ONCE(ring->hdr->prod);
	srnic_ring_publish_cons(ring, ring->head);
	if (ring->user)
		WRITE_ONCE(ring->hdr->need_wakeup, 0);
}

/*
 * The caller serialises state changes of the QP, and with them changes of the seal request.
 */
static void drop_seal_request(struct srnic_qp *qp)
{
	kfree_sensitive(qp->seal_request);
	qp->seal_request = NULL;
}

/* Drop all state of the connection; only the memory of the queues is kept. */
static void qp_clear_state(struct srnic_qp *qp)
{
	struct srnic_rres *rres;
	struct srnic_sth *sth;

	mutex_lock(&qp->hs_mutex);
	spin_lock_bh(&qp->lock);
	srnic_sq_drop(qp);
	rq_drop(qp);
	rres = qp->resp.rres;
	sth = qp->sth;
	qp->sth = NULL;
	srnic_reorder_drop(qp, &qp->req.early);
	srnic_reorder_drop(qp, &qp->resp.early);
	srnic_held_drop(qp);
	srnic_page_in_forget(qp);
	memset(&qp->req, 0, sizeof(qp->req));
	memset(&qp->resp, 0, sizeof(qp->resp));
	if (qp->xrc)
		qp->mem.pd = NULL;
	qp->hs_box[SRNIC_FLOW_OURS].full = false;
	qp->hs_box[SRNIC_FLOW_THEIRS].full = false;
	qp->flushed = false;
	qp->due = 0;
	__skb_queue_purge(&qp->out);
	qp->out_ordered = false;
	qp->out_follows = false;
	qp->out_timed = false;
	qp->tx_stopped = false;
	qp->tx_ticks = false;
	qp->refused.since = 0;
	qp->departures.count = 0;
	qp->departures.late = false;
	srnic_path_release(&qp->path);
	spin_unlock_bh(&qp->lock);
	mutex_unlock(&qp->hs_mutex);

	kfree(rres);
	srnic_sth_destroy(sth);
	srnic_grant_forget(qp);
	srnic_dgram_out_forget(qp);
	drop_seal_request(qp);
}

/*
 * Send all packets that have been built, in order: one of them may acknowledge the message
 * whose completion made the consumer destroy the QP. If another context is draining qp->out, it
 * takes all packets, because none are added any more. If it has left packets to the worker, they
 * are sent here, because the worker has been cancelled.
 */
static void drain_rest(struct srnic_qp *qp)
{
	srnic_page_in_cancel(qp);
	cancel_work_sync(&qp->work);
	srnic_qp_lock(qp);
	qp->due = 0;
	/* order no longer matters: so neither work passes the packets on to the other */
	qp->out_follows = false;
	qp->out_until = jiffies;
	srnic_qp_unlock(qp);
	cancel_work_sync(&qp->out_work);
	cancel_work_sync(&qp->work);
}

/* Stop the QP. Then only the receive path still uses it, and drops packets because of the state. */
static void qp_quiesce(struct srnic_qp *qp)
{
	spin_lock_bh(&qp->lock);
	qp->state = IB_QPS_RESET;
	spin_unlock_bh(&qp->lock);

	srnic_timer_stop(qp);
	spin_lock_bh(&qp->lock);
	srnic_txq_close(&qp->txq);
	spin_unlock_bh(&qp->lock);
	drain_rest(qp);
	qp->work_bits = 0;
}

/**
 * srnic_qp_to_reset() - Move a QP from any state to RESET
 * @qp: the QP
 *
 * Context: process.
 */
void srnic_qp_to_reset(struct srnic_qp *qp)
{
	qp_quiesce(qp);
	qp_clear_state(qp);
}

/**
 * srnic_qp_to_init() - Move a QP from RESET to INIT
 * @qp: the QP
 *
 * Context: process.
 */
void srnic_qp_to_init(struct srnic_qp *qp)
{
	spin_lock_bh(&qp->lock);
	qp->state = IB_QPS_INIT;
	spin_unlock_bh(&qp->lock);
}

/* Add the application's seal request, with the key of its PD unless it has a key of its own. */
static int apply_seal_request(struct srnic_qp *qp, struct srnic_sth_params *params)
{
	struct srnic_pd *pd = srnic_xrc_own_domain(qp);
	int err;

	if (!pd)	/* no key but the request's own */
		return srnic_seal_request_apply(qp->seal_request, NULL, 0, params);
	mutex_lock(&pd->key_lock);
	/* no peer has a key that was drawn at random */
	err = srnic_seal_request_apply(qp->seal_request, pd->key,
				       pd->key_drawn ? 0 : pd->key_len, params);
	mutex_unlock(&pd->key_lock);
	return err;
}

/*
 * Apply the present policy of the namespace of the GID's netdev, and the application's request
 * (protocol.md, section 6). *@sth stays NULL if packets go in the clear.
 */
static int make_seal(struct srnic_qp *qp, struct srnic_sth **sth)
{
	const struct srnic_ends *ends = &qp->path.ends;
	struct srnic_sth_params params = {};
	long wait = 0;
	int err;

	/*
	 * kernel consumers come here in the connection manager's only worker; XRC targets are of
	 * processes
	 */
	if (qp->sq.ring.user || qp->xrc)
		wait = SRNIC_KEY_WAIT;
	err = srnic_policy_obtain(qp->path.net, ends->dgid, wait, &params);
	if (err)
		goto out;
	memcpy(params.remote_gid, ends->dgid, sizeof(params.remote_gid));
	if (qp->seal_request) {
		err = apply_seal_request(qp, &params);
		if (err)
			goto out;
	}
	if (params.preferred_clear)
		srnic_count(qp->dev, policy_prefer_clear);
	if (params.mode == SRNIC_STH_OFF)
		goto out;

	memcpy(params.local_gid, ends->sgid, sizeof(params.local_gid));
	params.local_qpn = qp->ib.qp_num;
	params.remote_qpn = qp->attr.dest_qp_num;
	params.kind = srnic_ends_kind(ends);
	params.pkey = srnic_qp_pkey(qp);
	*sth = srnic_sth_create(&params);
	if (IS_ERR(*sth)) {
		err = PTR_ERR(*sth);
		*sth = NULL;
	}
out:
	memzero_explicit(&params, sizeof(params));
	return err;
}

/*
 * The largest packet, with its seal, must fit the underlay (protocol.md, section 2). If there is
 * no route at the moment, the check passes.
 */
static int check_path_mtu(struct srnic_qp *qp, const struct srnic_sth *sth, u32 mtu)
{
	u32 need = SRNIC_BTH_LEN + SRNIC_PAYLOAD_EXT_MAX + mtu + SRNIC_ICRC_LEN;
	u32 max_len = U32_MAX;

	/* of an InfiniBand port: IPv6 fragments them (protocol.md, section 17) */
	if (qp->dev->fabric)
		return 0;
	if (qp->transport == SRNIC_TP_XRC)
		need += SRNIC_XRCETH_LEN;
	if (sth)
		need += srnic_sth_len(sth);
	spin_lock_bh(&qp->lock);
	if (!srnic_path_route(&qp->path))
		max_len = srnic_path_max_len(&qp->path);
	spin_unlock_bh(&qp->lock);
	if (max_len >= need)
		return 0;

	pr_warn_ratelimited("no connection with %pI6c: path MTU %u needs packets of %u bytes, the route carries %u; lower the path MTU, or raise the netdev's MTU\n",
			    qp->path.ends.dgid, mtu, need, max_len);
	return -EMSGSIZE;
}

/* Allocate the resources of an RC or UC responder; the receive path does not see them yet. */
static int prepare_connected(struct srnic_qp *qp, struct srnic_sth **sth,
			     struct srnic_rres **rres)
{
	int err;

	err = make_seal(qp, sth);
	if (err)
		return err;
	err = check_path_mtu(qp, *sth, ib_mtu_enum_to_int(qp->attr.path_mtu));
	if (err)
		goto destroy;
	if (!srnic_qp_reliable(qp) || !qp->attr.max_dest_rd_atomic)
		return 0;

	*rres = kcalloc(qp->attr.max_dest_rd_atomic, sizeof(**rres), GFP_KERNEL_ACCOUNT);
	if (*rres)
		return 0;
	err = -ENOMEM;
destroy:
	srnic_sth_destroy(*sth);
	return err;
}

/*
 * Return the most bytes of a datagram. The kernel's consumers of an InfiniBand port go by the MTU
 * of their groups, which the administrator may change while the QP is in use (RFC 4391, 5).
 */
static enum ib_mtu max_datagram(const struct srnic_qp *qp)
{
	if (qp->dev->fabric && !qp->sq.ring.user)
		return qp->dev->ib_max_mtu;
	return srnic_active_mtu(qp->dev);
}

/* Return the most bytes of a packet; of a frame, the netdev's present MTU counts, too (frame.c). */
static u32 max_payload(const struct srnic_qp *qp)
{
	if (srnic_qp_is_raw(qp))
		return SRNIC_FRAME_MAX;
	return ib_mtu_enum_to_int(srnic_qp_connected(qp) ? qp->attr.path_mtu : max_datagram(qp));
}

/**
 * srnic_qp_to_rtr() - Move a QP from INIT to RTR
 * @qp: the QP; attributes are in qp->attr, and the path is set if it is connected
 *
 * Context: process. It may wait SRNIC_KEY_WAIT for a key that is not there yet.
 * Return: 0; -ENOMEM; -EACCES (the policy or the application asks for a seal and there is no
 * key, or the application asks for a weaker seal than the policy); -EMSGSIZE (packets would not
 * fit the underlay); -EINVAL (the QP has left INIT meanwhile); -EBUSY (the machine hibernates, or
 * has become a copy meanwhile); or the error of srnic_sth_create().
 */
int srnic_qp_to_rtr(struct srnic_qp *qp)
{
	bool connected = srnic_qp_connected(qp);
	struct srnic_responder *resp = &qp->resp;
	struct srnic_rres *rres = NULL;
	struct srnic_sth *sth = NULL;
	int err = 0;

	if (connected) {
		err = prepare_connected(qp, &sth, &rres);
		if (err)
			return err;
	}
	err = srnic_txq_open(&qp->txq, &qp->dev->txq_group,
			     connected ? qp->path.net : qp->dev->net, srnic_tx_wake);
	if (err)
		goto destroy;

	mutex_lock(&qp->hs_mutex);
	spin_lock_bh(&qp->lock);
	if (qp->state != IB_QPS_INIT || (sth && srnic_sth_end(sth))) {
		srnic_txq_close(&qp->txq);
		err = qp->state == IB_QPS_INIT ? -EBUSY : -EINVAL;
		goto unlock;
	}
	qp->mtu = max_payload(qp);
	resp->psn = qp->attr.rq_psn & SRNIC_PSN_MASK;
	resp->rres = rres;
	resp->rres_size = rres ? qp->attr.max_dest_rd_atomic : 0;
	resp->rres_limit = resp->rres_size;
	qp->sth = sth;
	if (sth)
		srnic_sth_flow_start(sth, SRNIC_FLOW_THEIRS, resp->psn);
	WRITE_ONCE(qp->last_rx, jiffies);
	qp->state = IB_QPS_RTR;
	sth = NULL;
	rres = NULL;
unlock:
	spin_unlock_bh(&qp->lock);
	mutex_unlock(&qp->hs_mutex);
destroy:
	srnic_sth_destroy(sth);
	kfree(rres);
	if (!err)
		drop_seal_request(qp);
	return err;
}

static void start_sending(struct srnic_qp *qp)
{
	struct srnic_requester *req = &qp->req;

	req->psn = qp->attr.sq_psn & SRNIC_PSN_MASK;
	req->una = req->psn;
	req->max_sent = req->psn;
	req->repaired = req->psn;
	srnic_cc_start(qp);
	if (qp->sth) {
		srnic_sth_flow_start(qp->sth, SRNIC_FLOW_OURS, req->psn);
		srnic_hs_begin(qp);
	}
}

/* Flush the work requests behind the failed one before any new one is sent. */
static void finish_flush(struct srnic_qp *qp)
	__must_hold(&qp->lock)
{
	while (qp->state == IB_QPS_SQE && srnic_qp_flush_some(qp)) {
		srnic_qp_unlock(qp);
		cond_resched();
		srnic_qp_lock(qp);
	}
}

/**
 * srnic_qp_to_rts() - Move a QP from RTR, SQD or SQE to RTS
 * @qp: the QP; attributes are in qp->attr
 *
 * Context: process.
 * Return: 0, or -EINVAL if the QP has entered ERR meanwhile.
 */
int srnic_qp_to_rts(struct srnic_qp *qp)
{
	int err = 0;

	mutex_lock(&qp->hs_mutex);
	srnic_qp_lock(qp);
	finish_flush(qp);
	if (qp->state == IB_QPS_ERR) {
		err = -EINVAL;
		goto out;
	}
	if (qp->state == IB_QPS_RTR)
		start_sending(qp);
	srnic_timer_set(qp);
	qp->req.drained = false;
	qp->state = IB_QPS_RTS;
	srnic_requester_run(qp);	/* a user may have filled the ring already */
out:
	srnic_qp_unlock(qp);
	mutex_unlock(&qp->hs_mutex);
	return err;
}

/**
 * srnic_qp_to_sqd() - Move a QP from RTS to SQD
 * @qp: the QP
 *
 * Context: process.
 * Return: 0, or -EINVAL if an error has moved the QP to another state meanwhile.
 */
int srnic_qp_to_sqd(struct srnic_qp *qp)
{
	int err = -EINVAL;

	srnic_qp_lock(qp);
	if (qp->state == IB_QPS_RTS) {
		qp->req.drained = false;
		qp->state = IB_QPS_SQD;
		srnic_requester_run(qp);	/* the send queue may be drained already */
		err = 0;
	}
	srnic_qp_unlock(qp);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_qp_to_sqd);

/**
 * srnic_qp_draining() - Return whether a QP is draining, for query_qp's sq_draining
 * @qp: the QP
 *
 * Context: process.
 * Return: true in SQD while a request is outstanding.
 */
bool srnic_qp_draining(struct srnic_qp *qp)
{
	bool draining;

	spin_lock_bh(&qp->lock);
	draining = qp->state == IB_QPS_SQD && srnic_requester_busy(qp);
	spin_unlock_bh(&qp->lock);
	return draining;
}

/**
 * srnic_qp_to_err() - Move a QP from any state to ERR
 * @qp: the QP
 *
 * Context: process or softirq.
 */
void srnic_qp_to_err(struct srnic_qp *qp)
{
	srnic_qp_lock(qp);
	if (qp->state != IB_QPS_ERR)
		srnic_qp_enter_err(qp);
	srnic_qp_unlock(qp);
}

/**
 * srnic_qp_cq_failed() - Move a QP to ERR because one of its CQs has failed
 * @qp: the QP; one in RESET stays there, and may be used again with another CQ
 *
 * Context: process.
 */
void srnic_qp_cq_failed(struct srnic_qp *qp)
{
	srnic_qp_lock(qp);
	srnic_qp_fatal(qp, -1);
	srnic_qp_unlock(qp);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_qp_cq_failed);

/**
 * srnic_qp_engine_exit() - Destroy the engine's part of a QP
 * @qp: the QP, in neither dev->qps nor a multicast group
 *
 * No part of the engine uses the QP after this returns. The receive path uses it without a
 * reference, hence the grace period; it is expedited because jobs with thousands of QPs destroy
 * them one by one.
 *
 * Context: process.
 */
void srnic_qp_engine_exit(struct srnic_qp *qp)
{
	qp_quiesce(qp);
	synchronize_rcu_expedited();
	/* a burst that was being received may have queued a work for the last time */
	drain_rest(qp);
	qp_clear_state(qp);
	srnic_dgram_out_free(qp);
	srnic_sq_free(qp);
}
