// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of packets that leave when a QP's lock is released: of several contexts, one passes
 * them to the stack, and none is left behind. A sends.
 */
#include <linux/module.h>

#include "pair_fixture.h"
#include "engine/requester.h"
#include "engine/unlock.h"

#define SQ_ENTRIES	16

/**
 * struct stack - the stack of this suite, which frees what it gets
 * @test: the test, or NULL: the route belongs to no test
 * @packets: number of packets that have been passed to it
 * @late: number of packets that another context builds while the first packet is passed
 * @ticks: number of ticks of the clock that a packet takes
 */
static struct stack {
	struct kunit *test;
	u32 packets;
	u32 late;
	u32 ticks;
} stack;

/* Post a WRITE without bytes, and build its packet. */
static void build(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[A];
	u32 end = srnic_psn_add(qp->req.psn, 1);
	u32 turns;

	qp->sq.prod++;
	/* a slow machine may end a turn before its first packet */
	for (turns = 0; turns < PAIR_TURNS && qp->req.psn != end; turns++)
		srnic_requester_run(qp);
	KUNIT_EXPECT_EQ(test, qp->req.psn, end);
}

/* Lock A's QP and release the lock, as each context does. */
static void lock_and_release(struct kunit *test)
{
	struct world *w = test->priv;

	srnic_qp_out_work(&w->qp[A]->out_work);
}

static void send_one(struct kunit *test)
{
	struct world *w = test->priv;

	lock(w->qp[A]);
	build(test);
	unlock(w->qp[A]);
	lock_and_release(test);
}

/* A context whose time is over leaves the rest to the worker, which does the same. */
static void go_on_as_worker(struct kunit *test)
{
	struct world *w = test->priv;
	u32 turns;

	for (turns = 0; turns < PAIR_TURNS; turns++) {
		if (!test_and_clear_bit(SRNIC_QP_WORK_UNLOCK, &w->qp[A]->work_bits))
			break;
		lock_and_release(test);
	}
}

/* As another context would, at the worst time. */
static int stack_output(struct net *net, struct sock *sk, struct sk_buff *skb)
{
	unsigned long until = jiffies + stack.ticks;
	struct kunit *test = stack.test;

	stack.packets++;
	kfree_skb(skb);
	while (time_before(jiffies, until))
		cpu_relax();
	while (stack.late) {
		stack.late--;
		send_one(test);
	}
	return 0;
}

static int unlock_test_init(struct kunit *test)
{
	struct world *w;
	int err = pair_init(test);

	if (err)
		return err;
	w = test->priv;
	w->dev->no_gso = true;
	w->dst.output = stack_output;
	stack = (struct stack) { .test = test };
	pair_fill_sq(test, SQ_ENTRIES);
	w->qp[A]->out_until = jiffies;
	atomic_set(&w->qp[A]->drain, SRNIC_DRAIN_NONE);
	return 0;
}

static int drain_of_a(struct kunit *test)
{
	struct world *w = test->priv;

	return atomic_read(&w->qp[A]->drain);
}

static void packets_leave_when_the_lock_is_released(struct kunit *test)
{
	send_one(test);
	KUNIT_EXPECT_EQ(test, stack.packets, 1);
	KUNIT_EXPECT_EQ(test, drain_of_a(test), SRNIC_DRAIN_NONE);
}

static void packets_that_are_built_while_others_leave_follow_them(struct kunit *test)
{
	struct world *w = test->priv;

	stack.late = 3;
	send_one(test);
	go_on_as_worker(test);
	KUNIT_EXPECT_EQ(test, stack.packets, 4);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&w->qp[A]->out));
	KUNIT_EXPECT_EQ(test, drain_of_a(test), SRNIC_DRAIN_NONE);
}

static void a_context_whose_time_is_over_leaves_packets_to_the_worker(struct kunit *test)
{
	struct world *w = test->priv;

	stack.late = 3;
	stack.ticks = 3;
	send_one(test);
	KUNIT_EXPECT_EQ(test, stack.packets, 1);
	KUNIT_EXPECT_TRUE(test, test_bit(SRNIC_QP_WORK_UNLOCK, &w->qp[A]->work_bits));
	go_on_as_worker(test);
	KUNIT_EXPECT_EQ(test, stack.packets, 4);
	KUNIT_EXPECT_EQ(test, drain_of_a(test), SRNIC_DRAIN_NONE);
}

static void packets_are_left_to_the_context_that_sends(struct kunit *test)
{
	struct world *w = test->priv;

	atomic_set(&w->qp[A]->drain, SRNIC_DRAIN);
	send_one(test);
	KUNIT_EXPECT_EQ(test, stack.packets, 0);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&w->qp[A]->out), 1);
	KUNIT_EXPECT_EQ(test, drain_of_a(test), SRNIC_DRAIN_MORE);
	send_one(test);
	KUNIT_EXPECT_EQ(test, stack.packets, 0);
	KUNIT_EXPECT_EQ(test, drain_of_a(test), SRNIC_DRAIN_MORE);
}

static void nothing_more_is_asked_of_it_if_nothing_is_built(struct kunit *test)
{
	struct world *w = test->priv;

	atomic_set(&w->qp[A]->drain, SRNIC_DRAIN);
	lock_and_release(test);
	KUNIT_EXPECT_EQ(test, drain_of_a(test), SRNIC_DRAIN);
}

static void send_as(struct kunit *test, u8 transport)
{
	struct world *w = test->priv;

	w->qp[A]->transport = transport;
	send_one(test);
	KUNIT_EXPECT_EQ(test, stack.packets, 1);
}

static void packets_of_uc_stay_on_one_cpu_for_a_while(struct kunit *test)
{
	struct world *w = test->priv;
	unsigned long start = jiffies;

	send_as(test, SRNIC_TP_UC);
	KUNIT_EXPECT_TRUE(test, time_after(w->qp[A]->out_until, start));
}

static void packets_of_rc_stay_on_one_cpu_until_they_are_acknowledged(struct kunit *test)
{
	struct world *w = test->priv;
	unsigned long start = jiffies;

	send_as(test, SRNIC_TP_RC);
	KUNIT_EXPECT_FALSE(test, time_after(w->qp[A]->out_until, start));
	KUNIT_EXPECT_NE(test, w->qp[A]->req.una, w->qp[A]->req.max_sent);
	atomic_set(&w->qp[A]->drain, SRNIC_DRAIN);
	send_one(test);
	KUNIT_EXPECT_TRUE(test, w->qp[A]->out_follows);
}

static struct kunit_case unlock_cases[] = {
	KUNIT_CASE(packets_leave_when_the_lock_is_released),
	KUNIT_CASE(packets_that_are_built_while_others_leave_follow_them),
	KUNIT_CASE(a_context_whose_time_is_over_leaves_packets_to_the_worker),
	KUNIT_CASE(packets_are_left_to_the_context_that_sends),
	KUNIT_CASE(nothing_more_is_asked_of_it_if_nothing_is_built),
	KUNIT_CASE(packets_of_uc_stay_on_one_cpu_for_a_while),
	KUNIT_CASE(packets_of_rc_stay_on_one_cpu_until_they_are_acknowledged),
	{}
};

static struct kunit_suite unlock_suite = {
	.name = "srnic-unlock",
	.init = unlock_test_init,
	.exit = pair_exit,
	.test_cases = unlock_cases,
};

kunit_test_suite(unlock_suite);

MODULE_IMPORT_NS(SRNIC_KUNIT);
MODULE_DESCRIPTION("KUnit suite of packets that leave when a QP's lock is released");
MODULE_LICENSE("GPL");
