// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of engine: the state machines of one QP, without a wire, a consumer or
 * another QP.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/dst.h>
#include <net/net_namespace.h>

#include "srnic.h"
#include "engine/backpressure.h"
#include "engine/congestion.h"
#include "engine/gso_watch.h"
#include "engine/held.h"
#include "engine/responder.h"
#include "engine/timer.h"
#include "engine/unlock.h"
#include "sth/crypto.h"

#define FIRST_PSN	0xfffffe	/* so that the PSN wraps */

/* ---------------------------------------------------------------- fixture */

static int engine_test_init(struct kunit *test)
{
	struct srnic_qp *qp = kunit_kzalloc(test, sizeof(*qp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, qp);
	test->priv = qp;
	qp->dev = kunit_kzalloc(test, sizeof(*qp->dev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, qp->dev);
	qp->dev->pkeys[SRNIC_PKEY_INDEX] = SRNIC_PKEY;
	qp->dev->stats = alloc_percpu(struct srnic_stats);
	KUNIT_ASSERT_TRUE(test, !!qp->dev->stats);
	qp->stats = qp->dev->stats;

	spin_lock_init(&qp->lock);
	qp->state = IB_QPS_SQD;
	qp->ib.qp_type = IB_QPT_RC;
	qp->mtu = 1024;
	qp->attr.qp_access_flags = IB_ACCESS_REMOTE_READ;
	qp->resp.psn = FIRST_PSN;
	qp->resp.established = true;
	return 0;
}

static void engine_test_exit(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;

	if (!qp)
		return;
	kfree(qp->resp.rres);
	if (qp->dev)
		free_percpu(qp->dev->stats);
}

static u64 counted(const struct srnic_qp *qp, enum srnic_stat stat)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu_ptr(qp->dev->stats, cpu)->val[stat];
	return sum;
}

/* ------------------------------------------------------- READs, responder */

/*
 * Limit the outstanding READs as modify_qp does. The QP is in SQD, where it still accepts the
 * peer's requests.
 */
static void allow(struct kunit *test, u8 most)
{
	struct srnic_qp *qp = test->priv;

	qp->attr.max_dest_rd_atomic = most;
	KUNIT_ASSERT_EQ(test, srnic_rres_resize(qp), 0);
}

/* Receive a READ of zero bytes, which needs no memory region. Return whether it is accepted. */
static bool read_at(struct srnic_qp *qp, u32 psn)
{
	const struct srnic_ends ends = {};
	struct srnic_mem_cache cache = {};
	struct srnic_pkt pkt = {
		.opcode = SRNIC_OPC_READ_REQ,
		.opc = &srnic_opcode_table[SRNIC_OPC_READ_REQ],
		.ends = &ends,
		.psn = psn & SRNIC_PSN_MASK,
	};
	bool taken;

	spin_lock_bh(&qp->lock);
	srnic_responder_rx(qp, &pkt, &cache);
	taken = !qp->resp.nak.fatal;
	spin_unlock_bh(&qp->lock);
	return taken;
}

static bool read_next(struct srnic_qp *qp)
{
	return read_at(qp, qp->resp.psn);
}

static void answer(struct srnic_qp *qp, u32 psn)
{
	struct srnic_responder *resp = &qp->resp;
	u16 i;

	spin_lock_bh(&qp->lock);
	for (i = 0; i < resp->rres_size; i++) {
		if (resp->rres[i].todo && resp->rres[i].first_psn == (psn & SRNIC_PSN_MASK))
			srnic_rres_answered(qp, &resp->rres[i]);
	}
	spin_unlock_bh(&qp->lock);
}

static void R24_no_more_reads_than_modify_qp_allows(struct kunit *test)
{
	static const u8 limits[] = { 1, 16, 3, 16, 128, 1 };
	struct srnic_qp *qp = test->priv;
	u64 refused = 0;
	size_t i;
	u8 n;

	KUNIT_EXPECT_FALSE_MSG(test, read_next(qp), "none is allowed yet");
	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		u32 first = qp->resp.psn;

		memset(&qp->resp.nak, 0, sizeof(qp->resp.nak));
		allow(test, limits[i]);
		for (n = 0; n < limits[i]; n++)
			KUNIT_EXPECT_TRUE_MSG(test, read_next(qp), "%u of %u", n, limits[i]);
		KUNIT_EXPECT_EQ(test, qp->resp.rres_todo, limits[i]);
		KUNIT_EXPECT_EQ(test, counted(qp, SRNIC_STAT_rrq_exceeded), ++refused);
		KUNIT_EXPECT_FALSE(test, read_next(qp));
		for (n = 0; n < limits[i]; n++)
			answer(qp, first + n);
		KUNIT_EXPECT_EQ(test, qp->resp.rres_todo, 0);
	}
}

static void reads_that_are_outstanding_stay_so_when_the_limit_changes(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;

	allow(test, 4);
	KUNIT_EXPECT_TRUE(test, read_next(qp));
	answer(qp, FIRST_PSN);
	KUNIT_EXPECT_TRUE(test, read_next(qp) && read_next(qp) && read_next(qp));

	allow(test, 2);
	KUNIT_EXPECT_EQ(test, qp->resp.rres_todo, 3);
	answer(qp, FIRST_PSN + 1);
	answer(qp, FIRST_PSN + 2);
	KUNIT_EXPECT_TRUE_MSG(test, read_next(qp), "one was outstanding");
	KUNIT_EXPECT_FALSE_MSG(test, read_next(qp), "two were");

	memset(&qp->resp.nak, 0, sizeof(qp->resp.nak));
	allow(test, 8);
	KUNIT_EXPECT_EQ(test, qp->resp.rres_todo, 2);
	answer(qp, FIRST_PSN + 3);
	answer(qp, FIRST_PSN + 4);
	KUNIT_EXPECT_EQ(test, qp->resp.rres_todo, 0);
}

/* Repeat the first @count READs, and expect that each is to be answered again. */
static void expect_known(struct kunit *test, u32 count)
{
	struct srnic_qp *qp = test->priv;
	u32 i;

	for (i = 0; i < count; i++) {
		KUNIT_EXPECT_TRUE(test, read_at(qp, FIRST_PSN + i));
		KUNIT_EXPECT_EQ_MSG(test, qp->resp.rres_todo, 1, "number %u of %u", i, count);
		answer(qp, FIRST_PSN + i);
	}
}

static void duplicates_are_known_when_the_limit_has_changed(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	u32 i;

	allow(test, 5);
	for (i = 0; i < 5; i++) {
		KUNIT_EXPECT_TRUE(test, read_next(qp));
		answer(qp, FIRST_PSN + i);
	}
	expect_known(test, 5);
	allow(test, 1);
	expect_known(test, 5);
	allow(test, 16);
	expect_known(test, 5);
	KUNIT_EXPECT_TRUE(test, read_next(qp));
	answer(qp, FIRST_PSN + 5);
	expect_known(test, 6);
}

/* -------------------------------------------------------------- timeouts */

/* How long the timer waits from now on, ms */
static u32 timeout_after(struct srnic_qp *qp, bool losing, u32 srtt_ms)
{
	u32 ms;

	spin_lock_bh(&qp->lock);
	qp->req.interval = msecs_to_jiffies(400);
	qp->req.cc.losing = losing;
	qp->req.cc.srtt = srtt_ms * NSEC_PER_MSEC;
	qp->req.cc.rttvar = 0;
	srnic_timer_renew(qp);
	ms = jiffies_to_msecs(qp->req.deadline - jiffies);
	spin_unlock_bh(&qp->lock);
	return ms;
}

/* Else everything is sent again because of one lost packet, while its probe is in flight. */
static void after_a_loss_the_timer_is_shorter_but_leaves_a_probe_its_time(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;

	/* a tick of the clock may pass */
	KUNIT_EXPECT_GE(test, timeout_after(qp, false, 1), 380);
	KUNIT_EXPECT_LE(test, timeout_after(qp, true, 0), 100);
	KUNIT_EXPECT_LE(test, timeout_after(qp, true, 1), 100);
	KUNIT_EXPECT_GE(test, timeout_after(qp, true, 50), 180);
	KUNIT_EXPECT_LE(test, timeout_after(qp, true, 500), 400);
}

/* ------------------------------------- super-packets that are cut wrongly */

#define CUT_FLIGHTS	8

/*
 * Judge a flight from PSN @from on that contains two super-packets, and of which only the first
 * @arrive packets arrive.
 */
static void flight_of_two(struct srnic_qp *qp, u32 from, u32 arrive)
{
	struct srnic_gso_watch *watch = &qp->req.gso_watch;

	spin_lock_bh(&qp->lock);
	srnic_gso_watch_built(watch, srnic_psn_add(from, 1));
	srnic_gso_watch_built(watch, srnic_psn_add(from, 15));
	srnic_gso_watch_judge(qp, watch, srnic_psn_add(from, arrive));
	spin_unlock_bh(&qp->lock);
}

/*
 * Give the QP a path to a netdev with @features, without a route lookup. With
 * NETIF_F_GSO_UDP_L4 the netdev cuts super-packets, without it the stack does.
 */
static void give_path(struct kunit *test, netdev_features_t features)
{
	struct srnic_qp *qp = test->priv;
	struct net_device *ndev = kunit_kzalloc(test, sizeof(*ndev), GFP_KERNEL);
	struct dst_entry *dst = kunit_kzalloc(test, sizeof(*dst), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ndev);
	KUNIT_ASSERT_NOT_NULL(test, dst);
	ndev->features = features;
	dst->dev = ndev;
	qp->path.dst = dst;
	qp->dev->ndev = ndev;
}

static void second_segments_that_never_arrive_end_super_packets(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	int i;

	give_path(test, NETIF_F_GSO_UDP_L4);
	for (i = 0; i < CUT_FLIGHTS; i++) {
		KUNIT_EXPECT_FALSE(test, qp->dev->no_gso);
		flight_of_two(qp, FIRST_PSN + i, 1);
		/* a flight that is lost as a whole or has no super-packet is no evidence */
		flight_of_two(qp, FIRST_PSN + i + 1, 0);
		spin_lock_bh(&qp->lock);
		srnic_gso_watch_judge(qp, &qp->req.gso_watch, FIRST_PSN + i + 1);
		spin_unlock_bh(&qp->lock);
	}
	KUNIT_EXPECT_TRUE(test, qp->dev->no_gso);
	KUNIT_EXPECT_EQ(test, counted(qp, SRNIC_STAT_segmentation_off), 1);
	for (i = 0; i < CUT_FLIGHTS; i++)
		flight_of_two(qp, FIRST_PSN + i, 1);
	KUNIT_EXPECT_EQ(test, counted(qp, SRNIC_STAT_segmentation_off), 1);
}

static void losses_anywhere_do_not_end_super_packets(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	int i;

	give_path(test, NETIF_F_GSO_UDP_L4);
	for (i = 1; i < 10 * CUT_FLIGHTS; i++)
		flight_of_two(qp, FIRST_PSN + 20 * i, i % CUT_FLIGHTS ? 1 : 2);
	KUNIT_EXPECT_FALSE(test, qp->dev->no_gso);
}

static void what_the_stack_cuts_is_not_doubted(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	int i;

	give_path(test, NETIF_F_SG);
	for (i = 0; i < 10 * CUT_FLIGHTS; i++)
		flight_of_two(qp, FIRST_PSN + i, 1);
	KUNIT_EXPECT_FALSE(test, qp->dev->no_gso);
}

/* ------------------------------------------------------ congestion control */

#define FAST		(1 * NSEC_PER_MSEC)
#define SLOW		(40 * NSEC_PER_MSEC)

/* Send @packets at once, and acknowledge them one by one after @rtt ns of a simulated clock. */
static void fly(struct srnic_qp *qp, u32 packets, u64 rtt)
{
	struct srnic_requester *req = &qp->req;
	u32 i;

	spin_lock_bh(&qp->lock);
	for (i = 0; i < packets; i++) {
		srnic_cc_stamp(qp);
		req->psn = srnic_psn_add(req->psn, 1);
		req->max_sent = req->psn;
	}
	req->cc.limited = true;
	req->cc.now += rtt;
	for (i = 0; i < packets; i++) {
		srnic_cc_acked(qp, srnic_psn_add(req->una, 1));
		req->una = srnic_psn_add(req->una, 1);
	}
	spin_unlock_bh(&qp->lock);
}

static u32 window(struct srnic_qp *qp)
{
	u32 packets;

	spin_lock_bh(&qp->lock);
	packets = srnic_cc_window(qp);
	spin_unlock_bh(&qp->lock);
	return packets;
}

static void fly_windows(struct srnic_qp *qp, int count, u64 rtt)
{
	while (count--)
		fly(qp, window(qp), rtt);
}

/*
 * Bring the QP to a least RTT of FAST, and end slow start in an epoch without a queue. Return
 * the window, in packets.
 */
static u32 cruise(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;

	qp->req.psn = FIRST_PSN;
	qp->req.una = FIRST_PSN;
	qp->req.max_sent = FIRST_PSN;
	spin_lock_bh(&qp->lock);
	srnic_cc_start(qp);
	qp->req.cc.now = NSEC_PER_SEC;
	spin_unlock_bh(&qp->lock);
	fly_windows(qp, 3, FAST);
	spin_lock_bh(&qp->lock);
	srnic_cc_not_ready(qp);
	spin_unlock_bh(&qp->lock);
	fly_windows(qp, 2, FAST);
	KUNIT_EXPECT_GT(test, window(qp), 64);
	return window(qp);
}

static void lose(struct srnic_qp *qp, enum srnic_loss loss)
{
	spin_lock_bh(&qp->lock);
	srnic_cc_lost(qp, qp->req.una, loss);
	spin_unlock_bh(&qp->lock);
}

static void the_window_yields_to_a_queue(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	u32 before = cruise(test);

	fly_windows(qp, 3, SLOW);
	KUNIT_EXPECT_LE(test, window(qp), before / 4);
	KUNIT_EXPECT_GE(test, window(qp), SRNIC_WINDOW_MIN);
}

static void the_window_grows_while_there_is_no_queue(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	u32 before = cruise(test);

	fly_windows(qp, 8, FAST + NSEC_PER_MSEC);
	KUNIT_EXPECT_GT(test, window(qp), before);
}

static void a_least_rtt_of_long_ago_is_forgotten(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	const struct srnic_congestion *cc = &qp->req.cc;
	int i;

	cruise(test);
	fly_windows(qp, 4, SLOW);
	KUNIT_EXPECT_EQ(test, srnic_cc_min_rtt(cc), FAST);
	for (i = 0; i < 2; i++) {
		qp->req.cc.min_rtt_until = jiffies;	/* end the period of the least RTT */
		fly_windows(qp, 4, SLOW);
		fly(qp, 16, SLOW);
	}
	KUNIT_EXPECT_EQ_MSG(test, srnic_cc_min_rtt(cc), SLOW,
			    "this is the path's own RTT now");
}

static void rare_losses_without_a_queue_do_not_shrink_the_window(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	u32 before = cruise(test);
	u32 i;

	for (i = 0; i < 7; i++)
		lose(qp, SRNIC_LOSS_REPORTED);
	KUNIT_EXPECT_EQ(test, window(qp), before);
	lose(qp, SRNIC_LOSS_REPORTED);
	KUNIT_EXPECT_EQ_MSG(test, window(qp), before * 7 / 10, "losses follow one another");
}

/* RFC 6675, section 5: the losses of one flight are one sign of congestion. */
static void the_losses_of_a_flight_shrink_the_window_once(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	u32 before = cruise(test);
	u32 end = qp->req.psn;
	u32 i;

	fly(qp, 2, SLOW);
	lose(qp, SRNIC_LOSS_REPORTED);
	KUNIT_EXPECT_EQ(test, window(qp), before * 7 / 10);
	spin_lock_bh(&qp->lock);
	for (i = 1; i < 100; i++)
		srnic_cc_lost(qp, srnic_psn_add(end, -i), SRNIC_LOSS_REPORTED);
	spin_unlock_bh(&qp->lock);
	KUNIT_EXPECT_EQ(test, window(qp), before * 7 / 10);
	lose(qp, SRNIC_LOSS_REPORTED);
	KUNIT_EXPECT_EQ_MSG(test, window(qp), before * 7 / 10 * 7 / 10, "it was sent afterwards");
}

static void a_loss_beside_a_queue_or_in_silence_shrinks_the_window(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	u32 before = cruise(test);

	lose(qp, SRNIC_LOSS_TIMEOUT);
	KUNIT_EXPECT_EQ(test, window(qp), before / 2);
	before = cruise(test);
	fly(qp, 1, SLOW);
	lose(qp, SRNIC_LOSS_REPORTED);
	KUNIT_EXPECT_EQ_MSG(test, window(qp), before, "one late answer is no queue");
	fly(qp, 1, SLOW);
	lose(qp, SRNIC_LOSS_REPORTED);
	KUNIT_EXPECT_EQ(test, window(qp), before * 7 / 10);
	lose(qp, SRNIC_LOSS_REPORTED);
	KUNIT_EXPECT_EQ_MSG(test, window(qp), before * 7 / 10, "nor are two evidence twice");
}

/* Karn's algorithm: an acknowledgment does not say which transmission it is for. */
static void a_packet_that_is_sent_again_is_not_timed(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	u32 rtt;

	cruise(test);
	rtt = qp->req.cc.last_rtt;
	spin_lock_bh(&qp->lock);
	qp->req.max_sent = srnic_psn_add(qp->req.psn, 1);
	srnic_cc_stamp(qp);
	qp->req.psn = qp->req.max_sent;
	qp->req.cc.now += SLOW;
	srnic_cc_acked(qp, qp->req.psn);
	spin_unlock_bh(&qp->lock);
	KUNIT_EXPECT_EQ(test, qp->req.cc.last_rtt, rtt);
}

/* ----------------------------------------------------------- backpressure */

static void no_room(struct srnic_txq *txq)
{
}

/*
 * The retry timer does not run the engine: on a busy machine it would do so in the middle of a
 * case, on a QP that has no path. interval_ends() runs it.
 */
static void (*retry_function)(struct timer_list *timer);
static bool retry_expired;

static void note_expiry(struct timer_list *timer)
{
	retry_expired = true;
}

static void take_timer(struct srnic_qp *qp)
{
	srnic_timer_init(qp);
	retry_function = qp->retry_timer.function;
	retry_expired = false;
	qp->retry_timer.function = note_expiry;
}

/* Stop the timer. Return whether the engine has started it. */
static bool timer_was_started(struct srnic_qp *qp)
{
	bool started = timer_delete_sync(&qp->retry_timer) || retry_expired;

	retry_expired = false;
	return started;
}

static void interval_ends(struct srnic_qp *qp)
{
	qp->req.deadline = jiffies - 1;
	local_bh_disable();
	retry_function(&qp->retry_timer);
	local_bh_enable();
}

/*
 * Make the QP a UC QP in INIT, where the engine builds no packets. Its account of bytes in the
 * stack is real.
 */
static void give_stack(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;

	qp->state = IB_QPS_INIT;
	qp->ib.qp_type = IB_QPT_UC;
	qp->req.psn = FIRST_PSN;
	qp->req.una = FIRST_PSN;
	qp->req.max_sent = FIRST_PSN;
	__skb_queue_head_init(&qp->out);
	take_timer(qp);
	qp->probe.runs = true;		/* the engine starts no probe timer */
	KUNIT_ASSERT_EQ(test, srnic_txq_group_init(&qp->dev->txq_group), 0);
	KUNIT_ASSERT_EQ(test, srnic_txq_open(&qp->txq, &qp->dev->txq_group, &init_net, no_room), 0);
}

static void take_stack(struct srnic_qp *qp)
{
	timer_shutdown_sync(&qp->retry_timer);
	srnic_txq_close(&qp->txq);
	synchronize_rcu();
	srnic_txq_group_exit(&qp->dev->txq_group);
}

static struct sk_buff *build(struct kunit *test, enum srnic_out_kind kind)
{
	struct srnic_qp *qp = test->priv;
	struct sk_buff *skb = alloc_skb(1000, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	*srnic_out_cb(skb) = (struct srnic_out_cb){ .kind = kind, .psn = qp->req.psn };
	srnic_txq_charge(&qp->txq, skb);
	qp->req.psn = srnic_psn_add(qp->req.psn, 1);
	qp->req.max_sent = qp->req.psn;
	return skb;
}

static struct sk_buff *build_marked(struct kunit *test)
{
	struct sk_buff *skb = build(test, SRNIC_OUT_REQUEST);
	struct srnic_qp *qp = test->priv;

	spin_lock_bh(&qp->lock);
	srnic_tx_mark(qp);
	spin_unlock_bh(&qp->lock);
	return skb;
}

static u32 resume(struct srnic_qp *qp)
{
	spin_lock_bh(&qp->lock);
	srnic_tx_resume(qp);
	spin_unlock_bh(&qp->lock);
	return (qp->req.una - FIRST_PSN) & SRNIC_PSN_MASK;
}

static void unacknowledged_packets_count_when_they_have_left(struct kunit *test)
{
	struct sk_buff *skb[2 * SRNIC_DEPARTURES];
	struct srnic_qp *qp = test->priv;
	size_t i;

	give_stack(test);
	for (i = 0; i < ARRAY_SIZE(skb); i++)
		skb[i] = build_marked(test);
	KUNIT_EXPECT_EQ(test, qp->req.una, FIRST_PSN);
	KUNIT_EXPECT_TRUE_MSG(test, qp->txq.waiting, "it will be told");
	KUNIT_EXPECT_EQ(test, resume(qp), 0);
	for (i = 0; i < ARRAY_SIZE(skb); i++) {
		kfree_skb(skb[i]);
		KUNIT_EXPECT_LE(test, resume(qp), i + 1);
		if (i < SRNIC_DEPARTURES - 1)
			KUNIT_EXPECT_EQ(test, resume(qp), i + 1);
	}
	KUNIT_EXPECT_EQ(test, resume(qp), ARRAY_SIZE(skb));
	take_stack(qp);
}

static u32 allowance(struct srnic_qp *qp)
{
	u32 bytes;

	spin_lock_bh(&qp->lock);
	bytes = srnic_tx_allowance(qp);
	spin_unlock_bh(&qp->lock);
	return bytes;
}

/* Do as a full queue. */
static struct srnic_out_cb refuse(struct sk_buff *skb)
{
	struct srnic_out_cb cb = *srnic_out_cb(skb);

	cb.truesize = skb->truesize;
	kfree_skb(skb);
	return cb;
}

static void requeue(struct srnic_qp *qp, const struct srnic_out_cb *cb, struct sk_buff_head *rest)
{
	spin_lock_bh(&qp->lock);
	srnic_tx_requeue(qp, cb, rest);
	spin_unlock_bh(&qp->lock);
}

/* Do as a full queue that refuses @cb, and nothing waits behind it. */
static void requeue_one(struct srnic_qp *qp, const struct srnic_out_cb *cb)
{
	struct sk_buff_head none;

	__skb_queue_head_init(&none);
	requeue(qp, cb, &none);
}

static void what_was_refused_is_built_again_when_packets_have_left(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	struct sk_buff *left, *refused;
	struct sk_buff_head rest;
	struct srnic_out_cb cb;

	give_stack(test);
	__skb_queue_head_init(&rest);
	left = build_marked(test);
	refused = build_marked(test);
	__skb_queue_tail(&rest, build_marked(test));
	__skb_queue_tail(&qp->out, build_marked(test));
	cb = refuse(refused);
	KUNIT_EXPECT_GT(test, allowance(qp), 0);

	requeue(qp, &cb, &rest);
	KUNIT_EXPECT_EQ(test, qp->req.psn, srnic_psn_add(FIRST_PSN, 1));
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&rest) && skb_queue_empty(&qp->out));
	KUNIT_EXPECT_EQ(test, counted(qp, SRNIC_STAT_send_requeued), 3);
	KUNIT_EXPECT_EQ_MSG(test, allowance(qp), 0, "not yet");
	KUNIT_EXPECT_TRUE_MSG(test, qp->txq.waiting, "it will be told");
	KUNIT_EXPECT_EQ_MSG(test, resume(qp), 0, "the first has not left");

	kfree_skb(left);
	KUNIT_EXPECT_EQ_MSG(test, resume(qp), 1, "what was refused has not left");
	KUNIT_EXPECT_GT(test, allowance(qp), 0);
	take_stack(qp);
}

/* The stack has freed a packet, and the sender has not been told yet that a queue had no room. */
static void what_was_refused_completes_nothing(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	struct sk_buff *refused;
	struct srnic_out_cb cb;

	give_stack(test);
	refused = build_marked(test);
	qp->departures.held = true;
	cb = refuse(refused);
	KUNIT_EXPECT_EQ(test, resume(qp), 0);
	KUNIT_EXPECT_TRUE_MSG(test, qp->departures.late, "it is looked at later");

	qp->departures.held = false;
	requeue_one(qp, &cb);
	KUNIT_EXPECT_EQ(test, qp->req.psn, FIRST_PSN);
	take_stack(qp);
}

/* Others fill the queue: that the refused packet itself was freed is no room. */
static void a_qp_without_packets_in_the_stack_waits_for_a_tick(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	struct sk_buff *refused;
	struct srnic_out_cb cb;

	give_stack(test);
	refused = build_marked(test);
	cb = refuse(refused);
	requeue_one(qp, &cb);
	KUNIT_EXPECT_TRUE(test, timer_was_started(qp));
	local_bh_disable();
	srnic_qp_out_work(&qp->out_work);
	local_bh_enable();
	KUNIT_EXPECT_EQ_MSG(test, allowance(qp), 0, "woken too early");
	interval_ends(qp);
	KUNIT_EXPECT_GT(test, allowance(qp), 0);
	take_stack(qp);
}

/* A turn has one mark. If a part of it is refused, the other part completes when it has left. */
static void what_left_of_a_turn_completes(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	struct sk_buff *left, *refused;
	struct srnic_out_cb cb;

	give_stack(test);
	left = build(test, SRNIC_OUT_REQUEST);
	refused = build_marked(test);
	cb = refuse(refused);
	requeue_one(qp, &cb);
	KUNIT_EXPECT_EQ(test, resume(qp), 0);
	kfree_skb(left);
	KUNIT_EXPECT_EQ(test, resume(qp), 1);
	take_stack(qp);
}

/* A handshake frame has never been charged. */
static void a_refused_frame_leaves_the_account_alone(struct kunit *test)
{
	const struct srnic_out_cb frame = { .kind = SRNIC_OUT_FRAME, .truesize = 4096 };
	struct srnic_qp *qp = test->priv;
	struct sk_buff *left;

	give_stack(test);
	left = build_marked(test);
	requeue_one(qp, &frame);
	kfree_skb(left);
	KUNIT_EXPECT_EQ(test, qp->txq.charged, qp->departures.mark[0].charged);
	KUNIT_EXPECT_EQ(test, resume(qp), 1);
	take_stack(qp);
}

/* Refuse a response, or an acknowledgment, of an RC QP that has answered two READs. */
static void refuse_reply(struct kunit *test, struct srnic_rres reads[2], enum srnic_out_kind kind)
{
	const struct srnic_out_cb cb = { .kind = kind, .psn = FIRST_PSN, .last = FIRST_PSN };
	struct srnic_qp *qp = test->priv;
	u32 i;

	give_stack(test);
	for (i = 0; i < 2; i++) {
		u32 psn = srnic_psn_add(FIRST_PSN, i);

		reads[i] = (struct srnic_rres) {
			.opcode = SRNIC_OPC_READ_REQ,
			.first_psn = psn,
			.last_psn = psn,
			.from = psn,
			.to = psn,
			.next = srnic_psn_add(psn, 1),
			.unsent = srnic_psn_add(psn, 1),
		};
	}
	qp->ib.qp_type = IB_QPT_RC;
	qp->state = IB_QPS_RTR;
	qp->resp.rres = reads;
	qp->resp.rres_size = 2;
	qp->resp.rres_limit = 2;
	qp->resp.psn = srnic_psn_add(FIRST_PSN, 2);
	requeue_one(qp, &cb);
	KUNIT_EXPECT_TRUE(test, qp->resp.ack_due);
	qp->resp.rres = NULL;
	take_stack(qp);
}

/* The peer may have had the others for long, and count on room for further READs. */
static void a_refused_answer_repeats_no_other(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	struct srnic_rres reads[2];

	refuse_reply(test, reads, SRNIC_OUT_RESPONSE);
	KUNIT_EXPECT_TRUE(test, reads[0].todo);
	KUNIT_EXPECT_EQ(test, reads[0].next, FIRST_PSN);
	KUNIT_EXPECT_EQ_MSG(test, reads[0].unsent, FIRST_PSN, "it is no repetition");
	KUNIT_EXPECT_FALSE(test, reads[1].todo);
	KUNIT_EXPECT_EQ(test, qp->resp.rres_todo, 1);
}

static void a_refused_acknowledgment_repeats_no_answer(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	struct srnic_rres reads[2];

	refuse_reply(test, reads, SRNIC_OUT_ACK);
	KUNIT_EXPECT_FALSE(test, reads[0].todo || reads[1].todo);
	KUNIT_EXPECT_EQ(test, qp->resp.rres_todo, 0);
}

static void a_refusal_that_waits_for_answers_is_not_forgotten(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	struct srnic_rres reads[2];

	qp->resp.nak = (struct srnic_refusal){ .due = true, .sent = true, .fatal = true };
	refuse_reply(test, reads, SRNIC_OUT_RESPONSE);
	KUNIT_EXPECT_TRUE(test, qp->resp.nak.due);
}

static void a_qp_in_reset_builds_nothing_again(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	struct sk_buff_head rest;
	struct sk_buff *refused;
	struct srnic_out_cb cb;

	give_stack(test);
	__skb_queue_head_init(&rest);
	refused = build_marked(test);
	__skb_queue_tail(&qp->out, build_marked(test));
	cb = refuse(refused);
	srnic_txq_close(&qp->txq);
	qp->state = IB_QPS_RESET;

	requeue(qp, &cb, &rest);
	KUNIT_EXPECT_FALSE_MSG(test, timer_was_started(qp), "the QP may be freed");
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&qp->out));
	take_stack(qp);
}

static void packets_that_leave_after_a_reset_complete_nothing(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	struct sk_buff *left;

	give_stack(test);
	left = build_marked(test);
	kfree_skb(left);
	qp->state = IB_QPS_RESET;
	KUNIT_EXPECT_EQ(test, resume(qp), 0);
	take_stack(qp);
}

static void what_is_not_acknowledged_is_not_sent_again(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	struct sk_buff *slow;

	give_stack(test);
	qp->state = IB_QPS_SQD;
	slow = build_marked(test);
	interval_ends(qp);
	KUNIT_EXPECT_EQ(test, counted(qp, SRNIC_STAT_completer_retry_err), 0);
	KUNIT_EXPECT_EQ(test, qp->req.psn, srnic_psn_add(FIRST_PSN, 1));
	KUNIT_EXPECT_FALSE(test, timer_was_started(qp));
	kfree_skb(slow);
	take_stack(qp);
}

/* A slow link that many QPs share may hold a packet for longer than the interval. */
static void no_retry_is_used_up_by_a_packet_that_has_not_left(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	struct sk_buff *slow, *later;
	int i;

	give_stack(test);
	qp->ib.qp_type = IB_QPT_RC;
	qp->state = IB_QPS_SQD;
	qp->attr.timeout = 1;
	qp->attr.retry_cnt = 7;
	qp->req.retry_left = 7;
	slow = build(test, SRNIC_OUT_REQUEST);
	for (i = 0; i < 3; i++) {
		interval_ends(qp);
		KUNIT_EXPECT_EQ(test, qp->req.retry_left, 7);
		KUNIT_EXPECT_TRUE_MSG(test, timer_was_started(qp), "it waits on");
	}
	later = build(test, SRNIC_OUT_RESPONSE);
	kfree_skb(slow);
	interval_ends(qp);
	KUNIT_EXPECT_EQ_MSG(test, qp->req.retry_left, 6, "another packet is none to wait for");
	KUNIT_EXPECT_EQ(test, counted(qp, SRNIC_STAT_completer_retry_err), 1);
	kfree_skb(later);
	take_stack(qp);
}

/* ------------------------------------------------------------------ grants */

#define RKEY	0x1234

static void give_grant(struct kunit *test, u32 rkey)
{
	struct srnic_grant *grant = kzalloc(sizeof(*grant), GFP_KERNEL);
	struct srnic_qp *qp = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, grant);
	grant->mkey.rkey = rkey;
	list_add(&grant->node, &qp->grants);
	qp->grant_count++;
}

static void P10_a_dropped_key_leaves_no_key_that_was_derived_from_it(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	struct srnic_ksr *ksr;

	qp->sth = kunit_kzalloc(test, sizeof(*qp->sth), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, qp->sth);
	ksr = &qp->sth->ksr[SRNIC_FLOW_OURS];
	memset(ksr, 0x5a, sizeof(*ksr));
	INIT_LIST_HEAD(&qp->grants);
	give_grant(test, RKEY);

	KUNIT_EXPECT_EQ(test, srnic_grant_drop(qp, RKEY + 1), -ENOENT);
	KUNIT_EXPECT_NOT_NULL(test, memchr_inv(ksr, 0, sizeof(*ksr)));
	KUNIT_EXPECT_EQ(test, srnic_grant_drop(qp, RKEY), 0);
	KUNIT_EXPECT_NULL(test, memchr_inv(ksr, 0, sizeof(*ksr)));
	KUNIT_EXPECT_EQ(test, qp->grant_count, 0);
}

/* ---------------------------------------------------------------- states */

static void a_qp_that_has_failed_does_not_drain(struct kunit *test)
{
	static const enum ib_qp_state failed[] = { IB_QPS_SQE, IB_QPS_ERR };
	struct srnic_qp *qp = test->priv;
	unsigned int i;

	__skb_queue_head_init(&qp->out);
	/* SQ_DRAINED would never come */
	for (i = 0; i < ARRAY_SIZE(failed); i++) {
		qp->state = failed[i];
		KUNIT_EXPECT_EQ(test, srnic_qp_to_sqd(qp), -EINVAL);
		KUNIT_EXPECT_EQ(test, qp->state, failed[i]);
	}
}

/* -------------------------------------------------------- UC, responder */

/* It may be used again, with another CQ. */
static void a_qp_in_reset_survives_its_cq(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;

	__skb_queue_head_init(&qp->out);
	qp->state = IB_QPS_RESET;
	srnic_qp_cq_failed(qp);
	KUNIT_EXPECT_EQ(test, qp->state, IB_QPS_RESET);
}

static void receive(struct srnic_qp *qp, u8 kind, u32 psn)
{
	const struct srnic_pkt pkt = {
		.opcode = SRNIC_TP_UC | kind,
		.opc = &srnic_opcode_table[SRNIC_TP_UC | kind],
		.psn = psn,
		.payload_len = qp->mtu,
	};
	struct srnic_mem_cache cache = {};

	spin_lock_bh(&qp->lock);
	srnic_responder_rx(qp, &pkt, &cache);
	spin_unlock_bh(&qp->lock);
}

static void the_rest_of_a_message_without_beginning_is_received_and_not_used(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	unsigned int i;

	qp->ib.qp_type = IB_QPT_UC;
	for (i = 1; i < 5; i++) {
		receive(qp, SRNIC_OPC_WRITE_MIDDLE, srnic_psn_add(FIRST_PSN, i));
		KUNIT_EXPECT_EQ(test, qp->resp.psn, srnic_psn_add(FIRST_PSN, i + 1));
		KUNIT_EXPECT_EQ(test, qp->resp.message, 0);
	}
	KUNIT_EXPECT_EQ_MSG(test, counted(qp, SRNIC_STAT_out_of_seq_request), 1, "one gap");
	KUNIT_EXPECT_EQ(test, qp->resp.msn, 0);
}

/* ------------------------------------------ datagrams that wait for pages */

static void hold(struct srnic_qp *qp)
{
	static const u8 grh[SRNIC_GRH_LEN];
	const struct srnic_cqe cqe = {};
	u8 payload[8] = {};
	const struct srnic_pkt pkt = {
		.ends = &qp->path.ends, .payload = payload, .payload_len = sizeof(payload),
	};

	spin_lock_bh(&qp->lock);
	srnic_held_add(qp, &pkt, &cqe, grh);
	spin_unlock_bh(&qp->lock);
}

static void R24_datagrams_that_wait_for_pages_are_few(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	atomic_t *all = &qp->dev->held;
	int i;

	INIT_LIST_HEAD(&qp->held);
	for (i = 0; i < SRNIC_MAX_HELD + 2; i++)
		hold(qp);
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(all), SRNIC_MAX_HELD, "of one QP");
	KUNIT_EXPECT_EQ(test, counted(qp, SRNIC_STAT_page_drops), 2);
	spin_lock_bh(&qp->lock);
	srnic_held_drop(qp);
	spin_unlock_bh(&qp->lock);
	KUNIT_EXPECT_EQ(test, atomic_read(all), 0);

	atomic_set(all, SRNIC_MAX_HELD_ALL);
	hold(qp);
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(all), SRNIC_MAX_HELD_ALL, "of all QPs");
	KUNIT_EXPECT_EQ(test, counted(qp, SRNIC_STAT_page_drops), 3);
	KUNIT_EXPECT_TRUE(test, list_empty(&qp->held));
}

static struct kunit_case engine_cases[] = {
	KUNIT_CASE(R24_no_more_reads_than_modify_qp_allows),
	KUNIT_CASE(reads_that_are_outstanding_stay_so_when_the_limit_changes),
	KUNIT_CASE(duplicates_are_known_when_the_limit_has_changed),
	KUNIT_CASE(after_a_loss_the_timer_is_shorter_but_leaves_a_probe_its_time),
	KUNIT_CASE(second_segments_that_never_arrive_end_super_packets),
	KUNIT_CASE(losses_anywhere_do_not_end_super_packets),
	KUNIT_CASE(what_the_stack_cuts_is_not_doubted),
	KUNIT_CASE(the_window_yields_to_a_queue),
	KUNIT_CASE(the_window_grows_while_there_is_no_queue),
	KUNIT_CASE(a_least_rtt_of_long_ago_is_forgotten),
	KUNIT_CASE(rare_losses_without_a_queue_do_not_shrink_the_window),
	KUNIT_CASE(the_losses_of_a_flight_shrink_the_window_once),
	KUNIT_CASE(a_loss_beside_a_queue_or_in_silence_shrinks_the_window),
	KUNIT_CASE(a_packet_that_is_sent_again_is_not_timed),
	KUNIT_CASE(unacknowledged_packets_count_when_they_have_left),
	KUNIT_CASE(what_was_refused_is_built_again_when_packets_have_left),
	KUNIT_CASE(what_was_refused_completes_nothing),
	KUNIT_CASE(a_qp_without_packets_in_the_stack_waits_for_a_tick),
	KUNIT_CASE(what_left_of_a_turn_completes),
	KUNIT_CASE(a_refused_frame_leaves_the_account_alone),
	KUNIT_CASE(a_refused_answer_repeats_no_other),
	KUNIT_CASE(a_refused_acknowledgment_repeats_no_answer),
	KUNIT_CASE(a_refusal_that_waits_for_answers_is_not_forgotten),
	KUNIT_CASE(a_qp_in_reset_builds_nothing_again),
	KUNIT_CASE(packets_that_leave_after_a_reset_complete_nothing),
	KUNIT_CASE(what_is_not_acknowledged_is_not_sent_again),
	KUNIT_CASE(no_retry_is_used_up_by_a_packet_that_has_not_left),
	KUNIT_CASE(P10_a_dropped_key_leaves_no_key_that_was_derived_from_it),
	KUNIT_CASE(a_qp_that_has_failed_does_not_drain),
	KUNIT_CASE(a_qp_in_reset_survives_its_cq),
	KUNIT_CASE(the_rest_of_a_message_without_beginning_is_received_and_not_used),
	KUNIT_CASE(R24_datagrams_that_wait_for_pages_are_few),
	{}
};

static struct kunit_suite engine_suite = {
	.name = "srnic-engine",
	.init = engine_test_init,
	.exit = engine_test_exit,
	.test_cases = engine_cases,
};

kunit_test_suite(engine_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's engine room");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
