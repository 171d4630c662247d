// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the room guard: what is granted, and what is not. R numbers are the
 * rows of Documentation/security/rfc5042.md.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/module.h>

#include "guard/guard.h"

#define TAKERS	4
#define TURNS	20000

static struct srnic_guard *new_guard(struct kunit *test)
{
	struct srnic_guard *guard = kunit_kzalloc(test, sizeof(*guard), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, guard);
	srnic_guard_init(guard);
	return guard;
}

static void every_quota_has_a_name_of_its_own_and_a_limit(struct kunit *test)
{
	for (int i = 0; i < SRNIC_QUOTAS; i++) {
		KUNIT_ASSERT_NOT_NULL(test, srnic_quota_table[i].name);
		KUNIT_EXPECT_GT(test, srnic_quota_table[i].limit, 0);
		KUNIT_EXPECT_LE(test, srnic_quota_table[i].limit, INT_MAX);
		for (int j = 0; j < i; j++)
			KUNIT_EXPECT_STRNEQ(test, srnic_quota_table[i].name,
					    srnic_quota_table[j].name);
	}
}

static void R18_what_exceeds_the_limit_is_refused(struct kunit *test)
{
	struct srnic_guard *guard = new_guard(test);

	guard->limit[SRNIC_QUOTA_PD] = 3;
	for (int i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, srnic_quota_take(guard, SRNIC_QUOTA_PD), 0);
	KUNIT_EXPECT_EQ(test, srnic_quota_take(guard, SRNIC_QUOTA_PD), -ENOMEM);
	KUNIT_EXPECT_EQ(test, atomic_read(&guard->used[SRNIC_QUOTA_PD]), 3);
}

static void quotas_do_not_touch_each_other(struct kunit *test)
{
	struct srnic_guard *guard = new_guard(test);

	guard->limit[SRNIC_QUOTA_QP] = 0;
	KUNIT_EXPECT_EQ(test, srnic_quota_take(guard, SRNIC_QUOTA_QP), -ENOMEM);
	for (int i = 0; i < SRNIC_QUOTAS; i++) {
		if (i != SRNIC_QUOTA_QP)
			KUNIT_EXPECT_EQ(test, srnic_quota_take(guard, i), 0);
	}
}

static void what_is_given_back_can_be_taken_again(struct kunit *test)
{
	struct srnic_guard *guard = new_guard(test);

	guard->limit[SRNIC_QUOTA_CQ] = 1;
	for (int i = 0; i < 10; i++) {
		KUNIT_EXPECT_EQ(test, srnic_quota_take(guard, SRNIC_QUOTA_CQ), 0);
		KUNIT_EXPECT_EQ(test, srnic_quota_take(guard, SRNIC_QUOTA_CQ), -ENOMEM);
		srnic_quota_give(guard, SRNIC_QUOTA_CQ);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&guard->used[SRNIC_QUOTA_CQ]), 0);
}

static void lowered_limit_takes_nothing_away_and_grants_nothing(struct kunit *test)
{
	struct srnic_guard *guard = new_guard(test);

	for (int i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, srnic_quota_take(guard, SRNIC_QUOTA_MR), 0);
	guard->limit[SRNIC_QUOTA_MR] = 2;
	KUNIT_EXPECT_EQ(test, atomic_read(&guard->used[SRNIC_QUOTA_MR]), 5);
	for (int i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, srnic_quota_take(guard, SRNIC_QUOTA_MR), -ENOMEM);
		srnic_quota_give(guard, SRNIC_QUOTA_MR);
	}
	KUNIT_EXPECT_EQ(test, srnic_quota_take(guard, SRNIC_QUOTA_MR), -ENOMEM);
	srnic_quota_give(guard, SRNIC_QUOTA_MR);
	KUNIT_EXPECT_EQ(test, srnic_quota_take(guard, SRNIC_QUOTA_MR), 0);
}

struct taker {
	struct srnic_guard *guard;
	struct completion done;
	u32 granted;
	bool exceeded;
};

static int take_and_give(void *arg)
{
	struct taker *taker = arg;
	struct srnic_guard *guard = taker->guard;

	for (int i = 0; i < TURNS; i++) {
		if (srnic_quota_take(guard, SRNIC_QUOTA_QP))
			continue;
		taker->granted++;
		if (atomic_read(&guard->used[SRNIC_QUOTA_QP]) > 2)
			taker->exceeded = true;
		srnic_quota_give(guard, SRNIC_QUOTA_QP);
	}
	complete(&taker->done);
	return 0;
}

static void R18_the_limit_holds_when_all_come_at_once(struct kunit *test)
{
	struct srnic_guard *guard = new_guard(test);
	struct taker *takers = kunit_kcalloc(test, TAKERS, sizeof(*takers), GFP_KERNEL);
	struct task_struct *task;

	KUNIT_ASSERT_NOT_NULL(test, takers);
	guard->limit[SRNIC_QUOTA_QP] = 2;
	for (int i = 0; i < TAKERS; i++) {
		takers[i].guard = guard;
		init_completion(&takers[i].done);
		task = kthread_run(take_and_give, &takers[i], "srnic-guard-test");
		if (IS_ERR(task))
			complete(&takers[i].done);
	}
	for (int i = 0; i < TAKERS; i++) {
		wait_for_completion(&takers[i].done);
		KUNIT_EXPECT_FALSE(test, takers[i].exceeded);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&guard->used[SRNIC_QUOTA_QP]), 0);
}

static struct kunit_case guard_cases[] = {
	KUNIT_CASE(every_quota_has_a_name_of_its_own_and_a_limit),
	KUNIT_CASE(R18_what_exceeds_the_limit_is_refused),
	KUNIT_CASE(quotas_do_not_touch_each_other),
	KUNIT_CASE(what_is_given_back_can_be_taken_again),
	KUNIT_CASE(lowered_limit_takes_nothing_away_and_grants_nothing),
	KUNIT_CASE(R18_the_limit_holds_when_all_come_at_once),
	{}
};

static struct kunit_suite guard_suite = {
	.name = "srnic-guard",
	.test_cases = guard_cases,
};

kunit_test_suite(guard_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's guard room");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
