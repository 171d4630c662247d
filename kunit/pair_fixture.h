/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two QPs that are connected, in one kernel: a suite hands the packets of one to the other.
 */
#ifndef SRNIC_KUNIT_PAIR_FIXTURE_H
#define SRNIC_KUNIT_PAIR_FIXTURE_H

#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <linux/udp.h>
#include <net/inet_ecn.h>
#include <net/ip.h>

#include "srnic.h"
#include "engine/build.h"
#include "engine/congestion.h"
#include "engine/engine.h"
#include "net/internal.h"
#include "sth_fixture.h"

#define SPORT		49999
#define QPN		0x123456	/* and the one after that */
#define PSN		0xfffffe
#define ID		0x1234
#define NOW		NSEC_PER_SEC

/* A's flow is that of its requests */
#define A	X
#define B	Y

static const union ib_gid gids[2] = {
	{ .raw = { [10] = 0xff, 0xff, 10, 77, 0, 1 } },
	{ .raw = { [10] = 0xff, 0xff, 10, 77, 0, 2 } },
};

/* A device, a route that no one else knows, and the two QPs */
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

/* The numbers of both ends; PSNs are of their requests */
struct numbers {
	union ib_gid gid[2];
	u32 qpn[2];
	u32 psn[2];
};

static inline void no_work(struct work_struct *work)
{
}

/* Packets stay in @qp->out: somebody seems to be sending them. Timers seem to run. */
static inline struct srnic_qp *make_qp(struct kunit *test, const struct numbers *n, int end)
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
	qp->flushing = true;
	qp->probe.runs = true;
	qp->dev = w->dev;
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
	KUNIT_ASSERT_EQ(test, srnic_path_address(&qp->path, &n->gid[end], &ah, SPORT), 0);
	qp->path.ip_id = ID;
	qp->path.dst = &w->dst;
	KUNIT_ASSERT_EQ(test, xa_err(xa_store(&w->dev->qps, qp->ib.qp_num, qp, GFP_KERNEL)), 0);
	lock(qp);
	srnic_cc_start(qp);
	unlock(qp);
	return qp;
}

static inline void make_both(struct kunit *test, const struct numbers *n)
{
	struct world *w = test->priv;

	w->qp[A] = make_qp(test, n, A);
	w->qp[B] = make_qp(test, n, B);
}

/* Others in place of the two: a connection of the codec's, with keys */
static inline void seal(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_ready_pair(test, v, false);
	struct world *w = test->priv;
	struct numbers n = {
		.qpn = { v->x_qpn, v->y_qpn },
		.psn = { v->flow[X].start, v->flow[Y].start },
	};

	memcpy(n.gid[A].raw, v->x_gid, sizeof(v->x_gid));
	memcpy(n.gid[B].raw, v->y_gid, sizeof(v->y_gid));
	make_both(test, &n);
	w->qp[A]->sth = p.end[X];
	w->qp[B]->sth = p.end[Y];
}

static inline int pair_init(struct kunit *test)
{
	struct numbers n = {
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
	w->dev->stats = alloc_percpu(struct srnic_stats);
	KUNIT_ASSERT_TRUE(test, !!w->dev->stats);
	w->ndev = alloc_etherdev(0);
	KUNIT_ASSERT_NOT_NULL(test, w->ndev);
	w->ops.mtu = world_mtu;
	dst_init(&w->dst, &w->ops, w->ndev, DST_OBSOLETE_NONE, DST_NOCOUNT);
	make_both(test, &n);
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

static inline u64 counted(struct kunit *test, enum srnic_stat stat)
{
	struct world *w = test->priv;

	return srnic_stats_sum(w->dev->stats, stat);
}

/* What of a packet is not as it should be */
enum wrong {
	NOTHING,
	ICRC,
	ADDRESS,
	NUMBER,		/* of the QP: there is none */
	PKEY,
};

static inline u8 *udp_payload(struct sk_buff *skb)
{
	return skb->data + sizeof(struct iphdr) + sizeof(struct udphdr);
}

/* The next packet of those that @end has sent, as it arrives */
static inline struct sk_buff *take(struct kunit *test, int end, bool marked)
{
	struct world *w = test->priv;
	struct sk_buff *skb = __skb_dequeue(&w->qp[end]->out);

	if (!skb)
		return NULL;
	KUNIT_ASSERT_EQ(test, skb_linearize(skb), 0);
	skb->dev = w->ndev;
	skb_reset_mac_header(skb);
	ip_hdr(skb)->tot_len = htons(skb->len);
	if (marked)
		ip_hdr(skb)->tos |= INET_ECN_CE;
	return skb;
}

/* @now: as if it were that late */
static inline void deliver(struct kunit *test, struct sk_buff *skb, int to, u64 now)
{
	struct world *w = test->priv;
	struct srnic_rx rx = {};

	KUNIT_ASSERT_NOT_NULL(test, skb);
	w->qp[to]->req.cc.now = now;
	local_bh_disable();
	KUNIT_EXPECT_TRUE(test, srnic_rx_open(&rx, skb, sizeof(struct iphdr), true));
	rx.dev = w->dev;
	srnic_segment_lock();
	srnic_engine_rx(&rx);
	srnic_segment_unlock();
	local_bh_enable();
}

/* There and back; the ICRC is right for either */
static inline void change_address(struct srnic_qp *qp)
{
	((struct iphdr *)qp->path.ends.iph)->saddr ^= htonl(0x40);
	memset(qp->path.icrc, 0, sizeof(qp->path.icrc));
}

/* Returns how long it is then */
static inline unsigned int seal_packet(struct kunit *test, struct srnic_qp *qp,
				       struct srnic_pkt *pkt, u8 *body)
{
	bool response = srnic_opcode_table[pkt->opcode].flags & SRNIC_OPF_RESP;
	const struct srnic_text none = {};

	pkt->hdr = body;
	pkt->hdr_len = srnic_opcode_table[pkt->opcode].hdr_len;
	pkt->sth_len = srnic_sth_len(qp->sth);
	pkt->len = pkt->hdr_len + pkt->sth_len + SRNIC_ICRC_LEN;
	lock(qp);
	KUNIT_EXPECT_EQ(test, srnic_sth_seal(qp->sth, response ? SRNIC_FLOW_THEIRS :
					     SRNIC_FLOW_OURS, pkt, &none), 0);
	unlock(qp);
	return pkt->hdr_len + pkt->sth_len;
}

/* A packet of @end, whose BTH is given but for P_Key and QP number */
static inline struct sk_buff *packet(struct kunit *test, int end, struct srnic_pkt *pkt,
				     enum wrong wrong, bool marked)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[end];
	u8 body[SRNIC_HDR_MAX] = {};
	struct sk_buff *skb;
	unsigned int len;

	pkt->pkey = wrong == PKEY ? 0x1234 : SRNIC_PKEY;
	pkt->dqpn = qp->attr.dest_qp_num + (wrong == NUMBER ? 2 : 0);
	len = srnic_wire_build(pkt, body);
	if (pkt->sth_code)
		len = seal_packet(test, qp, pkt, body);
	if (wrong == ADDRESS)
		change_address(qp);
	lock(qp);
	KUNIT_EXPECT_EQ(test, srnic_build_frame(qp, body, len), 0);
	unlock(qp);
	skb = take(test, end, marked);
	if (wrong == ADDRESS)
		change_address(qp);
	if (skb && wrong == ICRC)
		udp_payload(skb)[len] ^= 1;
	return skb;
}

static inline u8 opcode_of(struct sk_buff *skb)
{
	return udp_payload(skb)[0];
}

#endif /* SRNIC_KUNIT_PAIR_FIXTURE_H */
