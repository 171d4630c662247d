// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of net/txq.c: the account of a sender's bytes in the stack.
 */
#include <kunit/test.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#include "net/txq.h"

#define SENDERS		4
#define BYTES		1000

struct world {
	struct srnic_txq_group group;
	struct sender {
		struct srnic_txq txq;
		int woken;
	} sender[SENDERS];
};

/* ---------------------------------------------------------------- fixture */

static void count_wake(struct srnic_txq *txq)
{
	container_of(txq, struct sender, txq)->woken++;
}

static int txq_test_init(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, w);
	test->priv = w;
	KUNIT_ASSERT_EQ(test, srnic_txq_group_init(&w->group), 0);
	for (i = 0; i < SENDERS; i++)
		KUNIT_ASSERT_EQ(test, srnic_txq_open(&w->sender[i].txq, &w->group, &init_net,
						     count_wake), 0);
	return 0;
}

static void txq_test_exit(struct kunit *test)
{
	struct world *w = test->priv;
	int i;

	if (!w)
		return;
	for (i = 0; i < SENDERS; i++)
		srnic_txq_close(&w->sender[i].txq);
	synchronize_rcu();
	srnic_txq_group_exit(&w->group);
}

static struct sk_buff *send_packet(struct kunit *test, struct sender *sender)
{
	struct sk_buff *skb = alloc_skb(BYTES, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	srnic_txq_charge(&sender->txq, skb);
	return skb;
}

/* Return the limit as if it had last been asked for, and changed, @jiffies_later ago. */
static u32 limit_later(struct world *w, unsigned long jiffies_later)
{
	w->group.counted_at = jiffies - jiffies_later;
	w->group.changed_at = jiffies - jiffies_later;
	return srnic_txq_limit(&w->sender[0].txq);
}

/* ------------------------------------------------------------------ cases */

static void a_packet_is_its_senders_until_it_is_freed(struct kunit *test)
{
	struct world *w = test->priv;
	struct sender *sender = &w->sender[0];
	struct sk_buff *skb = send_packet(test, sender);
	u32 size = skb->truesize;
	struct sk_buff *other = send_packet(test, sender);

	KUNIT_EXPECT_EQ(test, srnic_txq_bytes(&sender->txq), 2 * size);
	KUNIT_EXPECT_EQ(test, srnic_txq_bytes(&w->sender[1].txq), 0);
	kfree_skb(skb);
	KUNIT_EXPECT_EQ(test, srnic_txq_bytes(&sender->txq), size);
	consume_skb(other);
	KUNIT_EXPECT_EQ(test, srnic_txq_bytes(&sender->txq), 0);
	KUNIT_EXPECT_EQ(test, sender->txq.charged, 2 * size);
}

static void a_sender_that_waits_is_called_once_when_there_is_room(struct kunit *test)
{
	struct world *w = test->priv;
	struct sender *sender = &w->sender[0];
	struct sk_buff *skb[3] = {
		send_packet(test, sender), send_packet(test, sender), send_packet(test, sender),
	};
	u32 size = skb[0]->truesize;

	KUNIT_EXPECT_TRUE(test, srnic_txq_wait(&sender->txq, size));
	kfree_skb(skb[0]);
	KUNIT_EXPECT_EQ(test, sender->woken, 0);
	kfree_skb(skb[1]);
	KUNIT_EXPECT_EQ(test, sender->woken, 1);
	kfree_skb(skb[2]);
	KUNIT_EXPECT_EQ(test, sender->woken, 1);
	KUNIT_EXPECT_FALSE(test, srnic_txq_wait(&sender->txq, 0));
	KUNIT_EXPECT_EQ(test, sender->woken, 1);
}

/* Two contexts wait for different amounts, and only the first has to. */
static void a_wait_that_is_not_needed_takes_back_no_other(struct kunit *test)
{
	struct world *w = test->priv;
	struct sender *sender = &w->sender[0];
	struct sk_buff *skb = send_packet(test, sender);

	KUNIT_EXPECT_TRUE(test, srnic_txq_wait(&sender->txq, 0));
	KUNIT_EXPECT_FALSE(test, srnic_txq_wait(&sender->txq, skb->truesize));
	KUNIT_EXPECT_EQ_MSG(test, sender->woken, 1, "it can wait again");
	KUNIT_EXPECT_TRUE(test, srnic_txq_wait(&sender->txq, 0));
	kfree_skb(skb);
	KUNIT_EXPECT_EQ(test, sender->woken, 2);
}

/* ---- several CPUs in sock_wfree(), each of which still holds a byte of its packet */

static void (*write_space)(struct sock *sk);
static struct sk_buff *beside;
static bool waits;

/* A sender on another CPU begins to wait when the freeing one has looked. */
static void wait_behind(struct sock *sk)
{
	write_space(sk);
	waits = srnic_txq_wait(sk->sk_user_data, 0);
}

static void a_sender_does_not_wait_for_a_packet_that_is_being_freed(struct kunit *test)
{
	struct world *w = test->priv;
	struct sender *sender = &w->sender[0];
	struct sk_buff *skb = send_packet(test, sender);

	write_space = sender->txq.sk->sk_write_space;
	sender->txq.sk->sk_write_space = wait_behind;
	kfree_skb(skb);
	KUNIT_EXPECT_TRUE(test, !waits || sender->woken);
}

/* Two CPUs look while each holds its byte. */
static void free_beside(struct sock *sk)
{
	struct sk_buff *skb = beside;

	beside = NULL;
	if (skb) {
		kfree_skb(skb);
	} else {
		write_space(sk);
		write_space(sk);
	}
}

static void a_sender_is_called_though_two_packets_are_freed_at_once(struct kunit *test)
{
	struct world *w = test->priv;
	struct sender *sender = &w->sender[0];
	struct sk_buff *skb = send_packet(test, sender);

	beside = send_packet(test, sender);
	write_space = sender->txq.sk->sk_write_space;
	sender->txq.sk->sk_write_space = free_beside;
	KUNIT_EXPECT_TRUE(test, srnic_txq_wait(&sender->txq, 0));
	kfree_skb(skb);
	KUNIT_EXPECT_EQ(test, sender->woken, 1);
	KUNIT_EXPECT_FALSE(test, sender->txq.busy);
}

static void nobody_is_called_when_the_account_is_closed(struct kunit *test)
{
	struct world *w = test->priv;
	struct sender *sender = &w->sender[0];
	struct sk_buff *skb = send_packet(test, sender);

	KUNIT_EXPECT_TRUE(test, srnic_txq_wait(&sender->txq, 0));
	srnic_txq_close(&sender->txq);
	kfree_skb(skb);
	KUNIT_EXPECT_EQ(test, sender->woken, 0);
	KUNIT_EXPECT_EQ(test, srnic_txq_bytes(&sender->txq), 0);
}

static void the_limit_is_shared_by_those_that_have_something_there(struct kunit *test)
{
	struct world *w = test->priv;
	struct sk_buff *skb[SENDERS];
	u32 most = limit_later(w, 1);
	int i;

	for (i = 0; i < SENDERS; i++)
		skb[i] = send_packet(test, &w->sender[i]);
	KUNIT_EXPECT_EQ(test, limit_later(w, 1), w->group.limit / SENDERS);
	KUNIT_EXPECT_LT(test, limit_later(w, 1), most);
	for (i = 0; i < SENDERS; i++)
		kfree_skb(skb[i]);
	KUNIT_EXPECT_EQ(test, limit_later(w, 1), most);
}

static void a_refusal_halves_the_limit_once_and_it_grows_again(struct kunit *test)
{
	struct world *w = test->priv;
	u32 most = w->group.limit;
	int i;

	srnic_txq_dropped(&w->sender[0].txq);
	KUNIT_EXPECT_EQ(test, w->group.limit, most / 2);
	w->group.changed_at = jiffies + HZ;	/* the same overflow, however slow the test */
	srnic_txq_dropped(&w->sender[1].txq);
	KUNIT_EXPECT_EQ_MSG(test, w->group.limit, most / 2, "one overflow counts once");

	for (i = 0; i < 100; i++) {
		w->group.changed_at = jiffies - HZ;
		srnic_txq_dropped(&w->sender[0].txq);
	}
	KUNIT_EXPECT_GT(test, w->group.limit, 0);
	KUNIT_EXPECT_LT(test, w->group.limit, most / 16);
	for (i = 0; i < 100; i++)
		limit_later(w, HZ);
	KUNIT_EXPECT_EQ(test, w->group.limit, most);
}

static struct kunit_case txq_cases[] = {
	KUNIT_CASE(a_packet_is_its_senders_until_it_is_freed),
	KUNIT_CASE(a_sender_that_waits_is_called_once_when_there_is_room),
	KUNIT_CASE(a_wait_that_is_not_needed_takes_back_no_other),
	KUNIT_CASE(a_sender_does_not_wait_for_a_packet_that_is_being_freed),
	KUNIT_CASE(a_sender_is_called_though_two_packets_are_freed_at_once),
	KUNIT_CASE(nobody_is_called_when_the_account_is_closed),
	KUNIT_CASE(the_limit_is_shared_by_those_that_have_something_there),
	KUNIT_CASE(a_refusal_halves_the_limit_once_and_it_grows_again),
	{}
};

static struct kunit_suite txq_suite = {
	.name = "srnic-txq",
	.init = txq_test_init,
	.exit = txq_test_exit,
	.test_cases = txq_cases,
};

kunit_test_suite(txq_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's account of what is in the stack");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
