// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of verbs: counters of queue pairs ("rdma statistic qp"). A sends to B.
 */
#include <linux/module.h>
#include <rdma/ib_pack.h>
#include <rdma/rdma_counter.h>

#include "pair_fixture.h"
#include "verbs/ops.h"

#define DEVICE	0	/* the set of the device itself */

static struct rdma_counter counters[2];

static int counter_test_init(struct kunit *test)
{
	struct world *w;
	int err = pair_init(test);

	if (err)
		return err;
	w = test->priv;
	srnic_stat_sets_init(&w->dev->stat_sets);
	memset(counters, 0, sizeof(counters));
	for (int i = 0; i < ARRAY_SIZE(counters); i++)
		counters[i].device = &w->dev->ib;
	return 0;
}

static void counter_test_exit(struct kunit *test)
{
	struct world *w = test->priv;

	for (int i = 0; i < ARRAY_SIZE(counters); i++)
		srnic_counter_dealloc(&counters[i]);
	if (w && w->dev)
		srnic_stat_sets_exit(&w->dev->stat_sets);
	pair_exit(test);
}

static void bind(struct kunit *test, struct rdma_counter *counter, int end)
{
	struct world *w = test->priv;

	KUNIT_ASSERT_EQ(test, srnic_counter_bind_qp(counter, &w->qp[end]->ib, SRNIC_PORT), 0);
	KUNIT_EXPECT_PTR_EQ(test, w->qp[end]->ib.counter, counter);
}

static void unbind(struct kunit *test, int end)
{
	struct world *w = test->priv;

	KUNIT_ASSERT_EQ(test, srnic_counter_unbind_qp(&w->qp[end]->ib, SRNIC_PORT), 0);
	KUNIT_EXPECT_NULL(test, w->qp[end]->ib.counter);
}

/* A counter of a set, or of the device itself */
static u64 value(struct kunit *test, u32 set, enum srnic_stat stat)
{
	struct world *w = test->priv;

	return srnic_stats_sum(set == DEVICE ? w->dev->stats :
			       srnic_stat_set_get(&w->dev->stat_sets, set), stat);
}

/* Send a packet; return its bytes. */
static u32 send(struct kunit *test, enum pkt_fault fault)
{
	struct srnic_pkt pkt = { .opcode = IB_OPCODE_RC_ACKNOWLEDGE, .psn = PSN };
	struct sk_buff *skb = packet(test, A, &pkt, fault, false);
	u32 len;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	len = skb->len - sizeof(struct iphdr) - sizeof(struct udphdr);
	deliver(test, skb, B, 0);
	return len;
}

static void a_qp_that_is_bound_is_counted_apart(struct kunit *test)
{
	u32 len;

	bind(test, &counters[0], A);
	bind(test, &counters[1], B);
	len = send(test, FAULT_NONE);
	KUNIT_EXPECT_EQ(test, value(test, counters[0].id, SRNIC_STAT_sent_pkts), 1);
	KUNIT_EXPECT_EQ(test, value(test, counters[0].id, SRNIC_STAT_sent_bytes), len);
	KUNIT_EXPECT_EQ(test, value(test, counters[0].id, SRNIC_STAT_rcvd_pkts), 0);
	KUNIT_EXPECT_EQ(test, value(test, counters[1].id, SRNIC_STAT_rcvd_pkts), 1);
	KUNIT_EXPECT_EQ(test, value(test, counters[1].id, SRNIC_STAT_rcvd_bytes), len);
	KUNIT_EXPECT_EQ(test, value(test, counters[1].id, SRNIC_STAT_sent_pkts), 0);
	for (int stat = SRNIC_STAT_sent_pkts; stat <= SRNIC_STAT_rcvd_bytes; stat++)
		KUNIT_EXPECT_EQ_MSG(test, value(test, DEVICE, stat), 0, "counter %d", stat);
}

static void qps_may_share_a_counter(struct kunit *test)
{
	bind(test, &counters[0], A);
	bind(test, &counters[0], B);
	send(test, FAULT_NONE);
	KUNIT_EXPECT_EQ(test, value(test, counters[0].id, SRNIC_STAT_sent_pkts), 1);
	KUNIT_EXPECT_EQ(test, value(test, counters[0].id, SRNIC_STAT_rcvd_pkts), 1);
}

static void a_qp_that_is_unbound_is_counted_by_the_device(struct kunit *test)
{
	bind(test, &counters[0], A);
	unbind(test, A);
	send(test, FAULT_NONE);
	KUNIT_EXPECT_EQ(test, value(test, counters[0].id, SRNIC_STAT_sent_pkts), 0);
	KUNIT_EXPECT_EQ(test, value(test, DEVICE, SRNIC_STAT_sent_pkts), 1);
	KUNIT_EXPECT_EQ(test, value(test, DEVICE, SRNIC_STAT_rcvd_pkts), 1);
}

static void sums_outlive_a_counter(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_stat_sets *sets = &w->dev->stat_sets;
	u32 len;

	bind(test, &counters[0], A);
	bind(test, &counters[1], B);
	len = send(test, FAULT_NONE);
	unbind(test, A);
	unbind(test, B);
	srnic_counter_dealloc(&counters[0]);
	KUNIT_EXPECT_EQ(test, srnic_stat_sets_sum(sets, SRNIC_STAT_sent_bytes), len);
	KUNIT_EXPECT_EQ(test, srnic_stat_sets_sum(sets, SRNIC_STAT_rcvd_bytes), len);
}

/* A packet that nobody can vouch for is no QP's, though it names one. */
static void dropped_packets_are_counted_by_the_device(struct kunit *test)
{
	bind(test, &counters[1], B);
	send(test, FAULT_ICRC);
	KUNIT_EXPECT_EQ(test, value(test, DEVICE, SRNIC_STAT_icrc_errors), 1);
	KUNIT_EXPECT_EQ(test, value(test, counters[1].id, SRNIC_STAT_icrc_errors), 0);
	send(test, FAULT_QPN);
	KUNIT_EXPECT_EQ(test, value(test, DEVICE, SRNIC_STAT_no_qp), 1);
	KUNIT_EXPECT_EQ(test, value(test, DEVICE, SRNIC_STAT_rcvd_pkts), 1);
	KUNIT_EXPECT_EQ(test, value(test, counters[1].id, SRNIC_STAT_rcvd_pkts), 1);
}

static struct kunit_case counter_cases[] = {
	KUNIT_CASE(a_qp_that_is_bound_is_counted_apart),
	KUNIT_CASE(qps_may_share_a_counter),
	KUNIT_CASE(a_qp_that_is_unbound_is_counted_by_the_device),
	KUNIT_CASE(sums_outlive_a_counter),
	KUNIT_CASE(dropped_packets_are_counted_by_the_device),
	{}
};

static struct kunit_suite counter_suite = {
	.name = "srnic-counter",
	.init = counter_test_init,
	.exit = counter_test_exit,
	.test_cases = counter_cases,
};

kunit_test_suite(counter_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's counters of queue pairs");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
