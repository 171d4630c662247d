// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the room engine: state machines of one QP that no wire, no consumer and
 * no other QP knows.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/dst.h>

#include "srnic.h"
#include "engine/cutting.h"
#include "engine/responder.h"

#define FIRST_PSN	0xfffffe	/* wraps in every test */

/* ---------------------------------------------------------------- fixture */

static int engine_test_init(struct kunit *test)
{
	struct srnic_qp *qp = kunit_kzalloc(test, sizeof(*qp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, qp);
	test->priv = qp;
	qp->dev = kunit_kzalloc(test, sizeof(*qp->dev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, qp->dev);
	qp->dev->stats = alloc_percpu(struct srnic_stats);
	KUNIT_ASSERT_TRUE(test, !!qp->dev->stats);

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

/* As modify_qp does it; the state is SQD, in which the peer's requests are still taken */
static void allow(struct kunit *test, u8 most)
{
	struct srnic_qp *qp = test->priv;

	qp->attr.max_dest_rd_atomic = most;
	KUNIT_ASSERT_EQ(test, srnic_rres_resize(qp), 0);
}

/* A READ of no byte, which needs no memory: whether it is taken. */
static bool read_at(struct srnic_qp *qp, u32 psn)
{
	const struct srnic_ends ends = {};
	struct srnic_hold hold = {};
	struct srnic_pkt pkt = {
		.opcode = SRNIC_OPC_READ_REQ,
		.opc = &srnic_opcode_table[SRNIC_OPC_READ_REQ],
		.ends = &ends,
		.psn = psn & SRNIC_PSN_MASK,
	};
	bool taken;

	spin_lock_bh(&qp->lock);
	srnic_responder_rx(qp, &pkt, &hold);
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
	for (i = 0; i < resp->rres_max; i++) {
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

/* All that were accepted are asked for again, and are to be answered again. */
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

/* ------------------------------------- super-packets that are cut wrongly */

#define CUT_FLIGHTS	8

/* A flight of two packets, of which only the first arrives, or @arrive of them, is judged. */
static void flight_of_two(struct srnic_qp *qp, u32 from, u32 arrive)
{
	struct srnic_cutting *cut = &qp->req.cutting;

	spin_lock_bh(&qp->lock);
	srnic_cutting_built(cut, srnic_psn_add(from, 1));
	srnic_cutting_built(cut, srnic_psn_add(from, 15));
	srnic_cutting_again(qp, cut, srnic_psn_add(from, arrive));
	spin_unlock_bh(&qp->lock);
}

/* A netdev that takes super-packets whole, or not; no route is looked up for it. */
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
		KUNIT_EXPECT_FALSE(test, qp->dev->singly);
		flight_of_two(qp, FIRST_PSN + i, 1);
		/* a flight of which nothing arrives, or without a super-packet, tells nothing */
		flight_of_two(qp, FIRST_PSN + i + 1, 0);
		spin_lock_bh(&qp->lock);
		srnic_cutting_again(qp, &qp->req.cutting, FIRST_PSN + i + 1);
		spin_unlock_bh(&qp->lock);
	}
	KUNIT_EXPECT_TRUE(test, qp->dev->singly);
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
	KUNIT_EXPECT_FALSE(test, qp->dev->singly);
}

static void what_the_stack_cuts_is_not_doubted(struct kunit *test)
{
	struct srnic_qp *qp = test->priv;
	int i;

	give_path(test, NETIF_F_SG);
	for (i = 0; i < 10 * CUT_FLIGHTS; i++)
		flight_of_two(qp, FIRST_PSN + i, 1);
	KUNIT_EXPECT_FALSE(test, qp->dev->singly);
}

static struct kunit_case engine_cases[] = {
	KUNIT_CASE(R24_no_more_reads_than_modify_qp_allows),
	KUNIT_CASE(reads_that_are_outstanding_stay_so_when_the_limit_changes),
	KUNIT_CASE(duplicates_are_known_when_the_limit_has_changed),
	KUNIT_CASE(second_segments_that_never_arrive_end_super_packets),
	KUNIT_CASE(losses_anywhere_do_not_end_super_packets),
	KUNIT_CASE(what_the_stack_cuts_is_not_doubted),
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
