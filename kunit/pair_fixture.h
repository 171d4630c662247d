/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two connected QPs in one kernel; a suite delivers the packets of each to the other.
 */
#ifndef SRNIC_KUNIT_PAIR_FIXTURE_H
#define SRNIC_KUNIT_PAIR_FIXTURE_H

#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/inet_ecn.h>
#include <net/ip.h>

#include "srnic.h"
#include "engine/build.h"
#include "engine/congestion.h"
#include "engine/engine.h"
#include "engine/requester.h"
#include "engine/responder.h"
#include "net/internal.h"
#include "sth_fixture.h"

#define SPORT		49999
#define QPN		0x123456	/* A's; B's is the next */
#define PSN		0xfffffe
#define ID		0x1234
#define NOW		NSEC_PER_SEC
#define PAIR_TURNS	100	/* more than any suite needs, also if most end with their time */

/* The ends of sth_fixture.h: the flow of an end carries its requests. */
#define A	X
#define B	Y

static const union ib_gid gids[2] = {
	{ .raw = { [10] = 0xff, 0xff, 10, 77, 0, 1 } },
	{ .raw = { [10] = 0xff, 0xff, 10, 77, 0, 2 } },
};

/* A device, a route that is private to the test, and the two QPs */
struct world {
	struct net_device *ndev;
	struct dst_ops ops;
	struct dst_entry dst;
	struct srnic_dev *dev;
	struct srnic_qp *qp[2];
};

static inline unsigned int world_mtu(const struct dst_entry *dst)
{
	return 4352;
}

static inline void lock(struct srnic_qp *qp)
	__acquires(&qp->lock)
{
	spin_lock_bh(&qp->lock);
}

static inline void unlock(struct srnic_qp *qp)
	__releases(&qp->lock)
{
	spin_unlock_bh(&qp->lock);
}

/* GID, QPN and first request PSN of each end */
struct pair_ids {
	union ib_gid gid[2];
	u32 qpn[2];
	u32 psn[2];
};

static inline void no_work(struct work_struct *work)
{
}

/*
 * Make the QP of one end, in RTS. @drain is set so that its packets stay in @out, and
 * @probe.runs so that the engine starts no probe timer.
 */
static inline struct srnic_qp *pair_make_qp(struct kunit *test, const struct pair_ids *n, int end)
{
	struct rdma_ah_attr ah = {
		.type = RDMA_AH_ATTR_TYPE_ROCE,
		.ah_flags = IB_AH_GRH,
		.grh = { .dgid = n->gid[!end] },
	};
	struct srnic_qp *qp = kunit_kzalloc(test, sizeof(*qp), GFP_KERNEL);
	struct world *w = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, qp);
	spin_lock_init(&qp->lock);
	__skb_queue_head_init(&qp->out);
	INIT_LIST_HEAD(&qp->grants);
	INIT_WORK(&qp->work, no_work);
	atomic_set(&qp->drain, SRNIC_DRAIN);
	qp->probe.runs = true;
	qp->dev = w->dev;
	qp->stats = w->dev->stats;
	qp->recv_mem = &qp->mem;
	qp->ib.qp_num = n->qpn[end];
	qp->ib.qp_type = IB_QPT_RC;
	qp->state = IB_QPS_RTS;
	qp->mtu = 4096;
	qp->attr.dest_qp_num = n->qpn[!end];
	qp->attr.qp_access_flags = IB_ACCESS_REMOTE_WRITE;
	qp->resp.psn = n->psn[!end];
	qp->resp.established = true;
	qp->req.psn = n->psn[end];
	qp->req.una = n->psn[end];
	qp->req.max_sent = n->psn[end];
	qp->req.repaired = n->psn[end];
	KUNIT_ASSERT_EQ(test, srnic_path_address(&qp->path, &n->gid[end], &ah, SPORT,
						 htons(SRNIC_ROCE_PORT)), 0);
	qp->path.ip_id = ID;
	qp->path.dst = &w->dst;
	KUNIT_ASSERT_EQ(test, xa_err(xa_store(&w->dev->qps, qp->ib.qp_num, qp, GFP_KERNEL)), 0);
	lock(qp);
	srnic_cc_start(qp);
	unlock(qp);
	return qp;
}

static inline void pair_make_qps(struct kunit *test, const struct pair_ids *n)
{
	struct world *w = test->priv;

	w->qp[A] = pair_make_qp(test, n, A);
	w->qp[B] = pair_make_qp(test, n, B);
}

/* Replace both QPs by those of one of the codec's connections, with keys. */
static inline void seal(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_ready_pair(test, v, false);
	struct world *w = test->priv;
	struct pair_ids n = {
		.qpn = { v->x_qpn, v->y_qpn },
		.psn = { v->flow[X].start, v->flow[Y].start },
	};

	memcpy(n.gid[A].raw, v->x_gid, sizeof(v->x_gid));
	memcpy(n.gid[B].raw, v->y_gid, sizeof(v->y_gid));
	pair_make_qps(test, &n);
	w->qp[A]->sth = p.end[X];
	w->qp[B]->sth = p.end[Y];
}

static inline int pair_init(struct kunit *test)
{
	struct pair_ids n = {
		.gid = { gids[A], gids[B] },
		.qpn = { QPN, QPN + 1 },
		.psn = { PSN, PSN },
	};
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	test->priv = w;
	w->dev = kunit_kzalloc(test, sizeof(*w->dev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w->dev);
	xa_init(&w->dev->qps);
	w->dev->pkeys[SRNIC_PKEY_INDEX] = SRNIC_PKEY;
	w->dev->stats = alloc_percpu(struct srnic_stats);
	KUNIT_ASSERT_TRUE(test, !!w->dev->stats);
	w->ndev = alloc_etherdev(0);
	KUNIT_ASSERT_NOT_NULL(test, w->ndev);
	w->ops.mtu = world_mtu;
	dst_init(&w->dst, &w->ops, w->ndev, DST_OBSOLETE_NONE, DST_NOCOUNT);
	pair_make_qps(test, &n);
	return 0;
}

static inline void pair_exit(struct kunit *test)
{
	struct world *w = test->priv;
	int end;

	if (!w || !w->dev)
		return;
	for (end = A; end <= B; end++) {
		if (!w->qp[end])
			continue;
		cancel_work_sync(&w->qp[end]->work);
		__skb_queue_purge(&w->qp[end]->out);
	}
	xa_destroy(&w->dev->qps);
	free_percpu(w->dev->stats);
	if (!w->ndev)
		return;
	netdev_put(w->ndev, &w->dst.dev_tracker);
	free_netdev(w->ndev);
}

/* Give A a send queue of @entries work requests, with @room bytes each for SGEs or inline data. */
static inline struct srnic_sq *pair_make_sq(struct kunit *test, u32 entries, u32 room)
{
	struct world *w = test->priv;
	struct srnic_sq *sq = &w->qp[A]->sq;

	sq->entries = entries;
	sq->stride = sizeof(struct srnic_swqe) + room;
	sq->wqes = kunit_kcalloc(test, entries, sq->stride, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sq->wqes);
	return sq;
}

/* Fill A's send queue with @entries WRITEs without bytes, which need no memory; none is posted. */
static inline void pair_fill_sq(struct kunit *test, u32 entries)
{
	struct srnic_sq *sq = pair_make_sq(test, entries, 0);
	u32 i;

	for (i = 0; i < entries; i++)
		srnic_sq_wqe(sq, i)->opcode = SRNIC_WQE_WRITE;
}

static inline u64 counted(struct kunit *test, enum srnic_stat stat)
{
	struct world *w = test->priv;

	return srnic_stats_sum(w->dev->stats, stat);
}

/* The fault of a packet that is built */
enum pkt_fault {
	FAULT_NONE,
	FAULT_ICRC,
	FAULT_ADDRESS,
	FAULT_QPN,	/* QPN that no QP has */
	FAULT_PKEY,
};

static inline u8 *udp_payload(struct sk_buff *skb)
{
	return skb->data + sizeof(struct iphdr) + sizeof(struct udphdr);
}

/*
 * Take the next packet that @end has sent, as it arrives; with a CE mark if @marked. Return
 * NULL if there is none.
 */
static inline struct sk_buff *take(struct kunit *test, int end, bool marked)
{
	struct world *w = test->priv;
	struct sk_buff *skb = __skb_dequeue(&w->qp[end]->out);

	if (!skb)
		return NULL;
	KUNIT_ASSERT_EQ(test, skb_linearize(skb), 0);
	skb->dev = w->ndev;
	skb_reset_mac_header(skb);
	if (ip_hdr(skb)->version == 4)
		ip_hdr(skb)->tot_len = htons(skb->len);
	else
		ipv6_hdr(skb)->payload_len = htons(skb->len - sizeof(struct ipv6hdr));
	if (marked)
		ip_hdr(skb)->tos |= INET_ECN_CE;
	return skb;
}

/* Take and parse the next packet of @end. Return false if there is none. */
static inline bool next_packet(struct kunit *test, int end, struct srnic_pkt *pkt)
{
	struct sk_buff *skb = take(test, end, false);
	u32 len;

	if (!skb)
		return false;
	len = skb->len - sizeof(struct iphdr) - sizeof(struct udphdr);
	KUNIT_EXPECT_EQ(test, srnic_wire_parse(pkt, udp_payload(skb), len), SRNIC_WIRE_OK);
	kfree_skb(skb);
	return true;
}

static inline void expect_silence(struct kunit *test, int end)
{
	struct srnic_pkt pkt;

	KUNIT_EXPECT_FALSE(test, next_packet(test, end, &pkt));
}

/* A turn that has ended with its time leaves replies to the worker; the suite takes its place. */
static inline void finish_replies(struct srnic_qp *qp)
{
	u32 turns;

	for (turns = 0; turns < PAIR_TURNS; turns++) {
		if (!test_and_clear_bit(SRNIC_QP_WORK_REPLY, &qp->work_bits))
			break;
		lock(qp);
		srnic_reply_run(qp);
		unlock(qp);
	}
}

/* Deliver a packet to the QP @to at the time @now, ns; 0: the current time. */
static inline void deliver(struct kunit *test, struct sk_buff *skb, int to, u64 now)
{
	struct world *w = test->priv;
	struct srnic_rx rx = {};
	bool v4;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	v4 = ip_hdr(skb)->version == 4;
	w->qp[to]->req.cc.now = now;
	local_bh_disable();
	KUNIT_EXPECT_TRUE(test, srnic_rx_open(&rx, skb, v4 ? sizeof(struct iphdr) :
							     sizeof(struct ipv6hdr), v4));
	rx.dev = w->dev;
	srnic_segment_lock();
	srnic_engine_rx(&rx);
	srnic_segment_unlock();
	local_bh_enable();
	finish_replies(w->qp[to]);
}

/* Change the source address, or restore it; the ICRC of later packets is right for it. */
static inline void change_address(struct srnic_qp *qp)
{
	((struct iphdr *)qp->path.ends.iph)->saddr ^= htonl(0x40);
	memset(qp->path.icrc, 0, sizeof(qp->path.icrc));
}

/* Write the packet to @body, and seal it. Return its length without the ICRC, in bytes. */
static inline unsigned int seal_packet(struct kunit *test, struct srnic_qp *qp,
				       struct srnic_pkt *pkt, u8 *body)
{
	bool response = srnic_opcode_table[pkt->opcode].flags & SRNIC_OPF_RESP;
	struct srnic_sth_payload payload = {};
	struct scatterlist sg;
	u8 *text;

	pkt->hdr = body;
	pkt->hdr_len = srnic_opcode_table[pkt->opcode].hdr_len;
	pkt->sth_len = srnic_sth_len(qp->sth);
	pkt->len = pkt->hdr_len + pkt->sth_len + SRNIC_ICRC_LEN;
	text = body + srnic_sth_offset(srnic_sth_params(qp->sth)->mode, pkt) + pkt->sth_len;
	if (srnic_sth_params(qp->sth)->mode == SRNIC_STH_OPAQUE) {
		srnic_wire_build_apart(pkt, body, text);
		payload = srnic_sth_in_place(&sg, pkt->hdr_len - SRNIC_BTH_LEN);
		sg_init_one(&sg, text, payload.len ?: 1);
	} else {
		srnic_wire_build(pkt, body);
	}
	lock(qp);
	KUNIT_EXPECT_EQ(test, srnic_sth_seal(qp->sth, response ? SRNIC_FLOW_THEIRS :
					     SRNIC_FLOW_OURS, pkt, &payload), 0);
	unlock(qp);
	return pkt->hdr_len + pkt->sth_len;
}

/* Build the packet @pkt of @end with @fault. P_Key and QPN of @pkt are set here. */
static inline struct sk_buff *packet(struct kunit *test, int end, struct srnic_pkt *pkt,
				     enum pkt_fault fault, bool marked)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[end];
	u8 *body = kunit_kzalloc(test, SRNIC_HDR_MAX, GFP_KERNEL);
	struct sk_buff *skb;
	unsigned int len;

	KUNIT_ASSERT_NOT_NULL(test, body);
	pkt->pkey = fault == FAULT_PKEY ? 0x1234 : SRNIC_PKEY;
	pkt->dqpn = qp->attr.dest_qp_num + (fault == FAULT_QPN ? 2 : 0);
	if (pkt->sth_code)
		len = seal_packet(test, qp, pkt, body);
	else
		len = srnic_wire_build(pkt, body);
	if (fault == FAULT_ADDRESS)
		change_address(qp);
	lock(qp);
	KUNIT_EXPECT_EQ(test, srnic_build_frame(qp, body, len), 0);
	unlock(qp);
	skb = take(test, end, marked);
	if (fault == FAULT_ADDRESS)
		change_address(qp);
	if (skb && fault == FAULT_ICRC)
		udp_payload(skb)[len] ^= 1;
	return skb;
}

static inline u8 opcode_of(struct sk_buff *skb)
{
	return udp_payload(skb)[0];
}

/* Let A send all that it may at NOW. A clock tick ends a turn, so a turn may send nothing. */
static inline void pair_send(struct kunit *test, u32 turns)
{
	struct world *w = test->priv;

	while (turns--) {
		lock(w->qp[A]);
		w->qp[A]->req.cc.now = NOW;
		srnic_requester_run(w->qp[A]);
		unlock(w->qp[A]);
	}
}

#endif /* SRNIC_KUNIT_PAIR_FIXTURE_H */
