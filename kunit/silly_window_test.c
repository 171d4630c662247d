// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the requests for acknowledgments that keep the window moving. Those of a long
 * message are a burst apart, or each acknowledgment would allow one packet (the silly window
 * syndrome of RFC 9293, section 3.8.6.2). A sends.
 */
#include <linux/module.h>

#include "pair_fixture.h"
#include "engine/requester.h"

#define MTU		256
#define PACKETS		64	/* packets of a message */
#define WINDOW		18	/* A's, in packets */
#define BURST		4	/* a quarter of the window */
#define SQ_ENTRIES	4
#define NO_KEY		0x100	/* L_Key of no region */

/* A's protection domain; the device has no regions */
static struct srnic_pd pd;

static int silly_window_test_init(struct kunit *test)
{
	struct srnic_sq *sq;
	struct world *w;
	int err = pair_init(test);
	u32 i;

	if (err)
		return err;
	w = test->priv;
	w->dev->no_gso = true;
	KUNIT_ASSERT_EQ(test, srnic_stag_table_init(w->dev), 0);
	pd.ib.device = &w->dev->ib;
	w->qp[A]->mem.pd = &pd;
	w->qp[A]->mtu = MTU;
	w->qp[A]->req.cc.window = WINDOW;
	w->qp[A]->req.cc.slow_start = false;
	sq = pair_make_sq(test, SQ_ENTRIES, PACKETS * MTU);
	sq->max_inline = PACKETS * MTU;
	sq->max_sge = 1;
	for (i = 0; i < SQ_ENTRIES; i++) {
		srnic_sq_wqe(sq, i)->opcode = SRNIC_WQE_WRITE;
		srnic_sq_wqe(sq, i)->flags = SRNIC_SWQE_INLINE;
		srnic_sq_wqe(sq, i)->length = PACKETS * MTU;
	}
	return 0;
}

static void silly_window_test_exit(struct kunit *test)
{
	struct world *w = test->priv;

	if (w && w->qp[B])
		srnic_stag_table_exit(w->dev);
	pair_exit(test);
}

static void post(struct kunit *test, u32 messages)
{
	struct world *w = test->priv;

	w->qp[A]->sq.prod += messages;
}

/* Let A send all that it may, and lose it. Return how many packets; bit i of @asks is packet i. */
static u32 send(struct kunit *test, u64 *asks)
{
	struct srnic_pkt pkt;
	u32 packets = 0;

	*asks = 0;
	pair_send(test, 4 * PACKETS);
	while (next_packet(test, A, &pkt))
		*asks |= (u64)pkt.ackreq << packets++;
	return packets;
}

/* B has acknowledged all but the last @rest packets. */
static void acknowledge_all_but(struct kunit *test, u32 rest)
{
	struct world *w = test->priv;

	w->qp[A]->req.una = srnic_psn_add(w->qp[A]->req.psn, -(int)rest);
}

static void acknowledgments_are_a_burst_apart(struct kunit *test)
{
	u64 asks;

	post(test, 2);
	KUNIT_EXPECT_EQ(test, send(test, &asks), WINDOW);
	KUNIT_EXPECT_EQ(test, asks, BIT(3) | BIT(7) | BIT(11) | BIT(15));
	acknowledge_all_but(test, WINDOW - BURST);
	KUNIT_EXPECT_EQ(test, send(test, &asks), BURST);
	KUNIT_EXPECT_EQ_MSG(test, asks, BIT(1), "the fourth since the last one");
}

static void end_of_a_message_asks(struct kunit *test)
{
	struct world *w = test->priv;
	u64 asks;

	w->qp[A]->req.cc.window = PACKETS;
	post(test, 1);
	KUNIT_EXPECT_EQ(test, send(test, &asks), PACKETS);
	KUNIT_EXPECT_EQ(test, asks, BIT_ULL(PACKETS - 1));
}

/* The window shrinks at once when the least RTT is measured again. */
static void nothing_asks_in_a_shrunken_window_so_one_more_goes(struct kunit *test)
{
	struct world *w = test->priv;
	u64 asks;

	post(test, 2);
	KUNIT_ASSERT_EQ(test, send(test, &asks), WINDOW);
	acknowledge_all_but(test, WINDOW % BURST);
	w->qp[A]->req.cc.draining = true;
	KUNIT_EXPECT_EQ(test, send(test, &asks), 1);
	KUNIT_EXPECT_EQ(test, asks, BIT(0));
	KUNIT_EXPECT_EQ_MSG(test, send(test, &asks), 0, "its acknowledgment is due");
}

static void a_shrunken_window_waits_for_an_answer_that_is_due(struct kunit *test)
{
	struct world *w = test->priv;
	u64 asks;

	post(test, 2);
	KUNIT_ASSERT_EQ(test, send(test, &asks), WINDOW);
	acknowledge_all_but(test, WINDOW % BURST + 1);
	w->qp[A]->req.cc.draining = true;
	KUNIT_EXPECT_EQ(test, send(test, &asks), 0);
}

/* A full queue has dropped packets, and none of those before them may have asked. */
static void after_a_drop_the_next_packet_asks(struct kunit *test)
{
	struct world *w = test->priv;
	u64 asks;

	post(test, 2);
	KUNIT_ASSERT_EQ(test, send(test, &asks), WINDOW);
	lock(w->qp[A]);
	srnic_requester_rewind(w->qp[A], srnic_psn_add(w->qp[A]->req.una, 2 * BURST));
	unlock(w->qp[A]);
	KUNIT_EXPECT_EQ(test, send(test, &asks), WINDOW - 2 * BURST);
	KUNIT_EXPECT_EQ(test, asks, BIT(0) | BIT(4) | BIT(8));
}

/* A's L_Key does not exist, so the last packet is not built. */
static void a_packet_that_was_not_built_asks_for_nothing(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_swqe *wqe = srnic_sq_wqe(&w->qp[A]->sq, 1);
	u64 asks;

	w->qp[A]->req.cc.window = PACKETS + 1;
	post(test, 1);
	KUNIT_ASSERT_EQ(test, send(test, &asks), PACKETS);
	wqe->flags = 0;
	wqe->length = 8;
	wqe->num_sge = 1;
	wqe->sge[0].length = 8;
	wqe->sge[0].lkey = NO_KEY;
	post(test, 1);
	KUNIT_EXPECT_EQ(test, send(test, &asks), 0);
	KUNIT_EXPECT_EQ(test, wqe->state, SRNIC_SWQE_FAILED);
	KUNIT_EXPECT_EQ(test, w->qp[A]->req.since_ackreq, PACKETS);
}

static struct kunit_case silly_window_cases[] = {
	KUNIT_CASE(acknowledgments_are_a_burst_apart),
	KUNIT_CASE(end_of_a_message_asks),
	KUNIT_CASE(nothing_asks_in_a_shrunken_window_so_one_more_goes),
	KUNIT_CASE(a_shrunken_window_waits_for_an_answer_that_is_due),
	KUNIT_CASE(after_a_drop_the_next_packet_asks),
	KUNIT_CASE(a_packet_that_was_not_built_asks_for_nothing),
	{}
};

static struct kunit_suite silly_window_suite = {
	.name = "srnic-silly-window",
	.init = silly_window_test_init,
	.exit = silly_window_test_exit,
	.test_cases = silly_window_cases,
};

kunit_test_suite(silly_window_suite);

MODULE_IMPORT_NS(SRNIC_KUNIT);
MODULE_DESCRIPTION("KUnit suite of the requests for acknowledgments that keep the window moving");
MODULE_LICENSE("GPL");
