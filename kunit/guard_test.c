// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of guard: quotas, limits, shared receive queues, and faults of
 * peers. R numbers are the rows of Documentation/security/rfc5042.md.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched/task.h>
#include <linux/user_namespace.h>

#include "guard/guard.h"
#include "guard/peer.h"

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
		KUNIT_EXPECT_GT(test, srnic_quota_default(i), 0);
		KUNIT_EXPECT_LE(test, srnic_quota_default(i), INT_MAX);
		for (int j = 0; j < i; j++)
			KUNIT_EXPECT_STRNEQ(test, srnic_quota_table[i].name,
					    srnic_quota_table[j].name);
	}
}

static void R18_what_exceeds_the_limit_is_refused(struct kunit *test)
{
	struct srnic_guard *guard = new_guard(test);

	srnic_quota_set(guard, SRNIC_QUOTA_PD, 3, 0);
	for (int i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, srnic_quota_take(guard, SRNIC_QUOTA_PD, NULL), 0);
	KUNIT_EXPECT_EQ(test, srnic_quota_take(guard, SRNIC_QUOTA_PD, NULL), -ENOMEM);
	KUNIT_EXPECT_EQ(test, srnic_quota_get(guard, SRNIC_QUOTA_PD).used, 3);
}

/* Pages that never come keep the workers of one user only. */
static void R31_pages_of_each_user_have_workers_of_their_own(struct kunit *test)
{
	const struct cred alice = { .euid = KUIDT_INIT(1), .user_ns = &init_user_ns };
	const struct cred bob = { .euid = KUIDT_INIT(2), .user_ns = &init_user_ns };
	struct srnic_guard *guard = new_guard(test);
	struct srnic_user *hers = srnic_user_get(guard, &alice);
	struct srnic_user *his = srnic_user_get(guard, &bob);
	struct workqueue_struct *wq;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, hers);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, his);
	KUNIT_EXPECT_NULL(test, hers->page_wq);
	KUNIT_EXPECT_EQ(test, srnic_user_prepare_paging(hers), 0);
	KUNIT_EXPECT_EQ(test, srnic_user_prepare_paging(his), 0);
	wq = hers->page_wq;
	KUNIT_EXPECT_NOT_NULL(test, wq);
	KUNIT_EXPECT_NOT_NULL(test, his->page_wq);
	KUNIT_EXPECT_PTR_NE(test, wq, his->page_wq);
	KUNIT_EXPECT_EQ(test, srnic_user_prepare_paging(hers), 0);
	KUNIT_EXPECT_PTR_EQ(test, hers->page_wq, wq);
	KUNIT_EXPECT_EQ(test, srnic_user_prepare_paging(NULL), 0);
	srnic_user_put(guard, hers);
	srnic_user_put(guard, his);
}

static void R18_pages_are_granted_all_or_none(struct kunit *test)
{
	struct srnic_guard *guard = new_guard(test);

	srnic_quota_set(guard, SRNIC_QUOTA_PINNED, 10, 0);
	KUNIT_EXPECT_EQ(test, srnic_quota_take_many(guard, SRNIC_QUOTA_PINNED, NULL, 7), 0);
	KUNIT_EXPECT_EQ(test, srnic_quota_take_many(guard, SRNIC_QUOTA_PINNED, NULL, 4), -ENOMEM);
	KUNIT_EXPECT_EQ(test, srnic_quota_take_many(guard, SRNIC_QUOTA_PINNED, NULL, U32_MAX),
			-ENOMEM);
	KUNIT_EXPECT_EQ(test, srnic_quota_get(guard, SRNIC_QUOTA_PINNED).used, 7);
	KUNIT_EXPECT_EQ(test, srnic_quota_take_many(guard, SRNIC_QUOTA_PINNED, NULL, 3), 0);
	srnic_quota_give_many(guard, SRNIC_QUOTA_PINNED, NULL, 10);
	KUNIT_EXPECT_EQ(test, srnic_quota_get(guard, SRNIC_QUOTA_PINNED).used, 0);
}

static void quotas_do_not_touch_each_other(struct kunit *test)
{
	struct srnic_guard *guard = new_guard(test);

	srnic_quota_set(guard, SRNIC_QUOTA_QP, 0, 0);
	KUNIT_EXPECT_EQ(test, srnic_quota_take(guard, SRNIC_QUOTA_QP, NULL), -ENOMEM);
	for (int i = 0; i < SRNIC_QUOTAS; i++) {
		if (i != SRNIC_QUOTA_QP)
			KUNIT_EXPECT_EQ(test, srnic_quota_take(guard, i, NULL), 0);
	}
}

static void what_is_given_back_can_be_taken_again(struct kunit *test)
{
	struct srnic_guard *guard = new_guard(test);

	srnic_quota_set(guard, SRNIC_QUOTA_CQ, 1, 0);
	for (int i = 0; i < 10; i++) {
		KUNIT_EXPECT_EQ(test, srnic_quota_take(guard, SRNIC_QUOTA_CQ, NULL), 0);
		KUNIT_EXPECT_EQ(test, srnic_quota_take(guard, SRNIC_QUOTA_CQ, NULL), -ENOMEM);
		srnic_quota_give(guard, SRNIC_QUOTA_CQ, NULL);
	}
	KUNIT_EXPECT_EQ(test, srnic_quota_get(guard, SRNIC_QUOTA_CQ).used, 0);
}

static void lowered_limit_takes_nothing_away_and_grants_nothing(struct kunit *test)
{
	struct srnic_guard *guard = new_guard(test);

	for (int i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, srnic_quota_take(guard, SRNIC_QUOTA_MR, NULL), 0);
	srnic_quota_set(guard, SRNIC_QUOTA_MR, 2, 0);
	KUNIT_EXPECT_EQ(test, srnic_quota_get(guard, SRNIC_QUOTA_MR).used, 5);
	for (int i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, srnic_quota_take(guard, SRNIC_QUOTA_MR, NULL), -ENOMEM);
		srnic_quota_give(guard, SRNIC_QUOTA_MR, NULL);
	}
	KUNIT_EXPECT_EQ(test, srnic_quota_take(guard, SRNIC_QUOTA_MR, NULL), -ENOMEM);
	srnic_quota_give(guard, SRNIC_QUOTA_MR, NULL);
	KUNIT_EXPECT_EQ(test, srnic_quota_take(guard, SRNIC_QUOTA_MR, NULL), 0);
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
		if (srnic_quota_take(guard, SRNIC_QUOTA_QP, NULL))
			continue;
		taker->granted++;
		if (srnic_quota_get(guard, SRNIC_QUOTA_QP).used > 2)
			taker->exceeded = true;
		srnic_quota_give(guard, SRNIC_QUOTA_QP, NULL);
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
	srnic_quota_set(guard, SRNIC_QUOTA_QP, 2, 0);
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
	KUNIT_EXPECT_EQ(test, srnic_quota_get(guard, SRNIC_QUOTA_QP).used, 0);
}

static struct srnic_user *new_user(struct kunit *test, struct srnic_guard *guard, u32 uid)
{
	const struct cred cred = { .euid = KUIDT_INIT(uid), .user_ns = &init_user_ns };
	struct srnic_user *user = srnic_user_get(guard, &cred);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, user);
	return user;
}

/* Take QPs until the user gets no more. Return their number. */
static u32 take_all(struct srnic_guard *guard, struct srnic_user *user)
{
	u32 taken = 0;

	while (!srnic_quota_take(guard, SRNIC_QUOTA_QP, user))
		taken++;
	return taken;
}

static void give_all(struct srnic_guard *guard, struct srnic_user *user, u32 taken)
{
	while (taken--)
		srnic_quota_give(guard, SRNIC_QUOTA_QP, user);
}

static void R18_the_reserve_is_for_kernel_and_administrator(struct kunit *test)
{
	struct srnic_guard *guard = new_guard(test);
	struct srnic_user *users[20];
	u32 taken[20], all = 0;

	srnic_quota_set(guard, SRNIC_QUOTA_QP, 100, 10);
	for (int i = 0; i < ARRAY_SIZE(users); i++) {
		users[i] = new_user(test, guard, 1000 + i);
		taken[i] = take_all(guard, users[i]);
		all += taken[i];
	}
	KUNIT_EXPECT_LE(test, all, 90);
	KUNIT_EXPECT_EQ(test, take_all(guard, NULL), 100 - all);
	for (int i = 0; i < ARRAY_SIZE(users); i++) {
		give_all(guard, users[i], taken[i]);
		srnic_user_put(guard, users[i]);
	}
	KUNIT_EXPECT_TRUE(test, list_empty(&guard->users));
}

static void R31_one_user_gets_no_more_than_is_left_to_others(struct kunit *test)
{
	struct srnic_guard *guard = new_guard(test);
	struct srnic_user *user = new_user(test, guard, 1000);

	srnic_quota_set(guard, SRNIC_QUOTA_QP, 100, 10);
	KUNIT_EXPECT_EQ(test, take_all(guard, user), 45);
	KUNIT_EXPECT_EQ(test, srnic_quota_get(guard, SRNIC_QUOTA_QP).used, 45);
	give_all(guard, user, 45);
	KUNIT_EXPECT_EQ(test, user->used[SRNIC_QUOTA_QP], 0);
	srnic_user_put(guard, user);
}

/* a single user gets 50 of 100, in one request or in several */
static void R31_a_single_request_gets_no_more_than_is_left_to_others(struct kunit *test)
{
	struct srnic_guard *guard = new_guard(test);
	struct srnic_user *user = new_user(test, guard, 1000);

	srnic_quota_set(guard, SRNIC_QUOTA_PINNED, 110, 10);
	KUNIT_EXPECT_EQ(test, srnic_quota_take_many(guard, SRNIC_QUOTA_PINNED, user, 51), -ENOMEM);
	KUNIT_EXPECT_EQ(test, srnic_quota_take_many(guard, SRNIC_QUOTA_PINNED, user, U32_MAX),
			-ENOMEM);
	KUNIT_EXPECT_EQ(test, srnic_quota_take_many(guard, SRNIC_QUOTA_PINNED, user, 30), 0);
	KUNIT_EXPECT_EQ(test, srnic_quota_take_many(guard, SRNIC_QUOTA_PINNED, user, 21), -ENOMEM);
	KUNIT_EXPECT_EQ(test, srnic_quota_take_many(guard, SRNIC_QUOTA_PINNED, user, 20), 0);
	KUNIT_EXPECT_EQ(test, user->used[SRNIC_QUOTA_PINNED], 50);
	srnic_quota_give_many(guard, SRNIC_QUOTA_PINNED, user, 50);
	srnic_user_put(guard, user);
}

/* the users take one at a time in turn, until none of them gets another */
static void R31_greedy_users_end_with_the_same(struct kunit *test)
{
	struct srnic_guard *guard = new_guard(test);
	struct srnic_user *users[4];
	bool more = true;

	srnic_quota_set(guard, SRNIC_QUOTA_QP, 1000, 0);
	for (int i = 0; i < ARRAY_SIZE(users); i++)
		users[i] = new_user(test, guard, 1000 + i);
	while (more) {
		more = false;
		for (int i = 0; i < ARRAY_SIZE(users); i++)
			more |= !srnic_quota_take(guard, SRNIC_QUOTA_QP, users[i]);
	}
	for (int i = 0; i < ARRAY_SIZE(users); i++) {
		KUNIT_EXPECT_EQ(test, users[i]->used[SRNIC_QUOTA_QP], 200);
		give_all(guard, users[i], users[i]->used[SRNIC_QUOTA_QP]);
		srnic_user_put(guard, users[i]);
	}
}

static void R31_a_user_after_a_hog_gets_something(struct kunit *test)
{
	struct srnic_guard *guard = new_guard(test);
	struct srnic_user *hog = new_user(test, guard, 1000), *late = new_user(test, guard, 1001);
	u32 taken;

	srnic_quota_set(guard, SRNIC_QUOTA_QP, 100, 0);
	taken = take_all(guard, hog);
	KUNIT_EXPECT_EQ(test, taken, 50);
	KUNIT_EXPECT_EQ(test, take_all(guard, late), 25);
	give_all(guard, late, 25);
	give_all(guard, hog, taken);
	srnic_user_put(guard, late);
	srnic_user_put(guard, hog);
}

static void contexts_of_one_user_are_one_user(struct kunit *test)
{
	struct srnic_guard *guard = new_guard(test);
	struct srnic_user *first = new_user(test, guard, 1000), copy;

	KUNIT_EXPECT_PTR_EQ(test, new_user(test, guard, 1000), first);
	srnic_user_put(guard, first);
	KUNIT_EXPECT_TRUE(test, srnic_user_nth(guard, 0, &copy));
	KUNIT_EXPECT_TRUE(test, uid_eq(copy.uid, KUIDT_INIT(1000)));
	KUNIT_EXPECT_FALSE(test, srnic_user_nth(guard, 1, &copy));
	srnic_user_put(guard, first);
	KUNIT_EXPECT_FALSE(test, srnic_user_nth(guard, 0, &copy));
}

/* Return the user ID charged for @uid in a user namespace that @owner created. */
static kuid_t charged_uid(struct kunit *test, struct srnic_guard *guard, u32 owner, u32 uid)
{
	struct user_namespace *ns = kunit_kzalloc(test, sizeof(*ns), GFP_KERNEL);
	struct cred cred = { .euid = KUIDT_INIT(uid), .user_ns = ns };
	struct srnic_user *user;
	kuid_t payer;

	KUNIT_ASSERT_NOT_NULL(test, ns);
	ns->parent = &init_user_ns;
	ns->owner = KUIDT_INIT(owner);
	user = srnic_user_get(guard, &cred);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, user);
	payer = user->uid;
	srnic_user_put(guard, user);
	return payer;
}

static void R31_a_user_namespace_is_its_makers_unless_root_made_it(struct kunit *test)
{
	struct srnic_guard *guard = new_guard(test);

	KUNIT_EXPECT_TRUE(test, uid_eq(charged_uid(test, guard, 1000, 100001), KUIDT_INIT(1000)));
	KUNIT_EXPECT_TRUE(test, uid_eq(charged_uid(test, guard, 1000, 100002), KUIDT_INIT(1000)));
	KUNIT_EXPECT_TRUE(test, uid_eq(charged_uid(test, guard, 0, 100001), KUIDT_INIT(100001)));
}

static void R19_there_is_no_limit_unless_one_is_set(struct kunit *test)
{
	struct srnic_guard *guard = new_guard(test);

	for (int i = 0; i < SRNIC_LIMITS; i++) {
		u32 max = srnic_limit_table[i].max;

		KUNIT_EXPECT_EQ(test, srnic_limit_get(guard, i), 0);
		KUNIT_EXPECT_EQ(test, srnic_limit_set(guard, i, max), 0);
		KUNIT_EXPECT_EQ(test, srnic_limit_set(guard, i, max + 1), -ERANGE);
		KUNIT_EXPECT_EQ(test, srnic_limit_get(guard, i), max);
		KUNIT_EXPECT_EQ(test, srnic_limit_set(guard, i, 0), 0);
		KUNIT_EXPECT_EQ(test, srnic_limit_get(guard, i), 0);
	}
}

/* qp_is_idle() compares jiffies: the longest limit must not wrap */
static void R19_the_longest_silence_fits_into_jiffies(struct kunit *test)
{
	KUNIT_EXPECT_LT(test, (u64)srnic_limit_table[SRNIC_LIMIT_IDLE].max * HZ, (u64)LONG_MAX);
}

/* ------------------------------------------------------- shared receive queue */

#define STREAMS		16
#define CAPACITY	64
#define RETRY_TIME	10

/**
 * struct shared - A receive queue, the streams that share it, and a clock
 * @share: sharing state
 * @stream: the streams
 * @queue: entries in the queue
 * @now: jiffies
 */
struct shared {
	struct srnic_share share;
	struct srnic_stream stream[STREAMS];
	struct srnic_share_queue queue;
	unsigned long now;
};

static struct shared *new_shared(struct kunit *test, u32 avail)
{
	struct shared *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	srnic_share_init(&s->share);
	s->queue = (struct srnic_share_queue){
		.capacity = CAPACITY,
		.avail = avail,
		.retry_time = RETRY_TIME,
	};
	s->now = -5UL;		/* wraps during the test */
	return s;
}

static enum srnic_share_answer take_entry(struct shared *s, int i)
{
	enum srnic_share_answer answer;

	answer = srnic_share_ask(&s->share, &s->stream[i], &s->queue, s->now);
	if (answer == SRNIC_SHARE_TAKE) {
		srnic_share_took(&s->share, &s->stream[i]);
		s->queue.avail--;
	}
	return answer;
}

static void R20_while_there_is_enough_each_stream_takes_what_it_needs(struct kunit *test)
{
	struct shared *s = new_shared(test, CAPACITY);

	for (int i = 1; i < STREAMS; i++)
		KUNIT_EXPECT_EQ(test, take_entry(s, i), SRNIC_SHARE_TAKE);
	while (s->queue.avail)
		KUNIT_ASSERT_EQ(test, take_entry(s, 0), SRNIC_SHARE_TAKE);
	KUNIT_EXPECT_EQ(test, take_entry(s, 0), SRNIC_SHARE_EMPTY);
	KUNIT_EXPECT_EQ(test, s->stream[0].denied, 0);
	KUNIT_EXPECT_EQ(test, s->stream[0].max_taken, CAPACITY - STREAMS + 1);
}

static void R20_a_stream_that_found_the_queue_empty_is_owed_the_rest_of_its_part(struct kunit *test)
{
	struct shared *s = new_shared(test, CAPACITY / 2 + 1);

	/* stream 0 takes more than its half of the round, stream 1 gets nothing */
	while (s->queue.avail)
		KUNIT_ASSERT_EQ(test, take_entry(s, 0), SRNIC_SHARE_TAKE);
	KUNIT_EXPECT_EQ(test, take_entry(s, 1), SRNIC_SHARE_EMPTY);

	s->queue.avail = 10;
	KUNIT_EXPECT_EQ(test, take_entry(s, 0), SRNIC_SHARE_UNFAIR);
	KUNIT_EXPECT_EQ(test, s->stream[0].denied, 1);
	for (int i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, take_entry(s, 1), SRNIC_SHARE_TAKE);
	/* entries beyond those owed to stream 1 are free for stream 0 */
	s->queue.avail = CAPACITY / 2 - 10 + 1;
	KUNIT_EXPECT_EQ(test, take_entry(s, 0), SRNIC_SHARE_TAKE);
	KUNIT_EXPECT_EQ(test, take_entry(s, 0), SRNIC_SHARE_UNFAIR);
}

static void R20_friends_take_what_there_is_and_are_counted(struct kunit *test)
{
	struct shared *s = new_shared(test, CAPACITY / 2 + 1);

	s->queue.greed = true;
	while (s->queue.avail)
		KUNIT_ASSERT_EQ(test, take_entry(s, 0), SRNIC_SHARE_TAKE);
	KUNIT_EXPECT_EQ(test, take_entry(s, 1), SRNIC_SHARE_EMPTY);
	s->queue.avail = 10;
	for (int i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, take_entry(s, 0), SRNIC_SHARE_TAKE);
	KUNIT_EXPECT_EQ(test, take_entry(s, 0), SRNIC_SHARE_EMPTY);
	KUNIT_EXPECT_EQ(test, s->stream[0].denied, 0);
	KUNIT_EXPECT_EQ(test, s->stream[0].max_taken, CAPACITY / 2 + 11);
}

static void R20_a_stream_that_does_not_come_back_delays_no_other(struct kunit *test)
{
	struct shared *s = new_shared(test, CAPACITY / 2 + 1);

	while (s->queue.avail)
		KUNIT_ASSERT_EQ(test, take_entry(s, 0), SRNIC_SHARE_TAKE);
	KUNIT_EXPECT_EQ(test, take_entry(s, 1), SRNIC_SHARE_EMPTY);
	s->queue.avail = 10;
	s->now += RETRY_TIME;
	KUNIT_EXPECT_EQ(test, take_entry(s, 0), SRNIC_SHARE_UNFAIR);
	s->now++;
	while (s->queue.avail)
		KUNIT_ASSERT_EQ(test, take_entry(s, 0), SRNIC_SHARE_TAKE);
}

static void R20_a_queue_smaller_than_its_streams_are_many_serves_them(struct kunit *test)
{
	struct shared *s = new_shared(test, 1);

	s->queue.capacity = 1;
	for (int turn = 0; turn < 10; turn++) {
		for (int i = 0; i < STREAMS; i++) {
			s->queue.avail = 1;
			KUNIT_ASSERT_EQ(test, take_entry(s, i), SRNIC_SHARE_TAKE);
		}
	}
}

/*
 * The consumer posts more slowly than the peers send: 15 streams ask for one
 * entry per tick each; stream 0 asks for as many as it can get, before and
 * after them.
 */
/* Of XRC targets, see engine/xrc.c */
static void R20_a_stream_that_was_forgotten_gets_what_is_owed_to_nobody(struct kunit *test)
{
	struct srnic_stream honest = {}, forgotten = {};
	struct srnic_share_queue queue = { .capacity = 8, .retry_time = 1000 };
	struct srnic_share share;

	srnic_share_init(&share);
	KUNIT_EXPECT_EQ(test, srnic_share_ask(&share, &honest, &queue, 1), SRNIC_SHARE_EMPTY);
	KUNIT_EXPECT_EQ(test, share.owed, 8);
	srnic_share_forgotten(&share, &forgotten, queue.capacity);
	queue.avail = 8;
	KUNIT_EXPECT_EQ(test, srnic_share_ask(&share, &forgotten, &queue, 2), SRNIC_SHARE_UNFAIR);
	queue.avail = 9;
	KUNIT_EXPECT_EQ(test, srnic_share_ask(&share, &forgotten, &queue, 3), SRNIC_SHARE_TAKE);
	srnic_share_took(&share, &forgotten);
	queue.avail = 8;
	KUNIT_EXPECT_EQ(test, srnic_share_ask(&share, &honest, &queue, 4), SRNIC_SHARE_TAKE);
}

static void R20_a_hog_leaves_15_others_their_part(struct kunit *test)
{
	struct shared *s = new_shared(test, 0);
	u32 got[STREAMS] = {};
	u32 posted = 0, part;

	for (int tick = 0; tick < 4000; tick++, s->now++) {
		for (; posted < tick * 4; posted++)
			s->queue.avail += s->queue.avail < CAPACITY;
		while (take_entry(s, 0) == SRNIC_SHARE_TAKE)
			got[0]++;
		for (int i = 1; i < STREAMS; i++)
			got[i] += take_entry(s, i) == SRNIC_SHARE_TAKE;
		while (take_entry(s, 0) == SRNIC_SHARE_TAKE)
			got[0]++;
	}
	part = posted / STREAMS;
	for (int i = 1; i < STREAMS; i++)
		KUNIT_EXPECT_GE(test, got[i], part * 8 / 10);
	/* stream 0 gets its part, too */
	KUNIT_EXPECT_GE(test, got[0], part * 8 / 10);
	KUNIT_EXPECT_GT(test, s->stream[0].denied, 0);
}

/* ------------------------------------------------- faults and cut-offs of peers */

#define RULE	10	/* faults per second */

/**
 * struct watched - The peers of a device, and a clock
 * @guard: limits of the device
 * @peers: peers of the device
 * @now: jiffies
 */
struct watched {
	struct srnic_guard guard;
	struct srnic_peers *peers;
	unsigned long now;
};

static void free_peers(void *peers)
{
	srnic_peers_free(peers);
}

static struct watched *new_watched(struct kunit *test, u32 rule, u32 seconds)
{
	struct watched *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	srnic_guard_init(&w->guard);
	KUNIT_ASSERT_EQ(test, srnic_limit_set(&w->guard, SRNIC_LIMIT_FAULTS, rule), 0);
	KUNIT_ASSERT_EQ(test, srnic_limit_set(&w->guard, SRNIC_LIMIT_CUTOFF, seconds), 0);
	w->now = jiffies;
	w->peers = srnic_peers_alloc(&w->guard);
	KUNIT_ASSERT_NOT_NULL(test, w->peers);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_peers, w->peers), 0);
	return w;
}

struct gid {
	u8 raw[16];
};

static struct gid peer_of(u32 number)
{
	struct gid gid = { .raw = { [10] = 0xff, [11] = 0xff } };

	memcpy(gid.raw + 12, &number, sizeof(number));
	return gid;
}

static void commit_faults(struct watched *w, u32 number, enum srnic_stat why, u32 times)
{
	const struct gid gid = peer_of(number);

	while (times--)
		srnic_peer_fault(w->peers, gid.raw, why, w->now);
}

static bool is_cut_off(struct watched *w, u32 number)
{
	const struct gid gid = peer_of(number);

	return srnic_peer_cut_off(w->peers, gid.raw, 1);
}

static int cut_peer(struct watched *w, u32 number, u32 seconds)
{
	const struct gid gid = peer_of(number);

	return srnic_peer_cut(w->peers, gid.raw, seconds, w->now);
}

static int allow_peer(struct watched *w, u32 number)
{
	const struct gid gid = peer_of(number);

	return srnic_peer_allow(w->peers, gid.raw);
}

/* Return how often a dump contains the peer; fill in @state. */
static int dump_peer(struct watched *w, u32 number, struct srnic_peer_state *state)
{
	const struct gid gid = peer_of(number);
	struct srnic_peer_state each;
	int times = 0;

	for (unsigned long at = 0; srnic_peer_next(w->peers, &at, w->now, &each); at++) {
		if (memcmp(each.gid, gid.raw, sizeof(gid.raw)))
			continue;
		*state = each;
		times++;
	}
	return times;
}

static bool is_known(struct watched *w, u32 number)
{
	struct srnic_peer_state state;

	return dump_peer(w, number, &state);
}

static const struct {
	enum srnic_stat why;
	enum srnic_fault kind;
	bool limited;
} counted[] = {
	{ SRNIC_STAT_malformed, SRNIC_FAULT_GARBAGE, true },
	{ SRNIC_STAT_icrc_errors, SRNIC_FAULT_GARBAGE, true },
	{ SRNIC_STAT_wrong_address, SRNIC_FAULT_GARBAGE, true },
	{ SRNIC_STAT_sth_auth_failed, SRNIC_FAULT_SEAL, true },
	{ SRNIC_STAT_sth_replayed, SRNIC_FAULT_SEAL, true },
	{ SRNIC_STAT_sth_proof_failed, SRNIC_FAULT_SEAL, true },
	{ SRNIC_STAT_stag_invalid, SRNIC_FAULT_ACCESS, true },
	{ SRNIC_STAT_stag_access, SRNIC_FAULT_ACCESS, true },
	{ SRNIC_STAT_rrq_exceeded, SRNIC_FAULT_ACCESS, true },
	{ SRNIC_STAT_no_qp, SRNIC_FAULT_ASTRAY, false },
	{ SRNIC_STAT_wrong_srq, SRNIC_FAULT_ASTRAY, false },
	{ SRNIC_STAT_send_rnr_err, SRNIC_FAULT_UNREADY, false },
	{ SRNIC_STAT_duplicate_request, SRNIC_FAULT_REPEAT, false },
	{ SRNIC_STAT_rcvd_seq_err, SRNIC_FAULT_REPEAT, false },
	{ SRNIC_STAT_srq_unfair, SRNIC_FAULT_UNFAIR, false },
};

static void R25_faults_are_counted_by_peer_and_kind(struct kunit *test)
{
	struct watched *w = new_watched(test, 0, 0);
	struct srnic_peer_state state;
	u64 sum[SRNIC_FAULTS] = {};

	for (int i = 0; i < ARRAY_SIZE(counted); i++) {
		commit_faults(w, 1, counted[i].why, i + 1);
		sum[counted[i].kind] += i + 1;
	}
	commit_faults(w, 2, SRNIC_STAT_no_qp, 5);
	commit_faults(w, 3, SRNIC_STAT_rcvd_pkts, 5);
	commit_faults(w, 3, SRNIC_STAT_rcvd_cnps, 5);
	commit_faults(w, 3, SRNIC_STAT_ud_too_long, 5);

	KUNIT_ASSERT_EQ(test, dump_peer(w, 1, &state), 1);
	KUNIT_EXPECT_MEMEQ(test, state.faults, sum, sizeof(sum));
	KUNIT_ASSERT_EQ(test, dump_peer(w, 2, &state), 1);
	KUNIT_EXPECT_EQ(test, state.faults[SRNIC_FAULT_ASTRAY], 5);
	KUNIT_EXPECT_EQ(test, state.faults[SRNIC_FAULT_GARBAGE], 0);
	/* these counters record no fault of a peer */
	KUNIT_EXPECT_FALSE(test, is_known(w, 3));
}

static void R25_every_kind_has_names_of_its_own(struct kunit *test)
{
	for (int i = SRNIC_FAULT_NONE + 1; i < SRNIC_FAULTS; i++) {
		KUNIT_ASSERT_NOT_NULL(test, srnic_fault_table[i].name);
		KUNIT_ASSERT_NOT_NULL(test, srnic_fault_table[i].res);
		for (int j = SRNIC_FAULT_NONE + 1; j < i; j++)
			KUNIT_EXPECT_STRNEQ(test, srnic_fault_table[i].name,
					    srnic_fault_table[j].name);
	}
}

static void R25_nobody_is_cut_off_without_a_rule(struct kunit *test)
{
	struct watched *w = new_watched(test, 0, 60);

	commit_faults(w, 1, SRNIC_STAT_malformed, 100000);
	KUNIT_EXPECT_FALSE(test, is_cut_off(w, 1));
}

static void R25_more_in_a_second_than_the_rule_allows_and_a_peer_is_cut_off(struct kunit *test)
{
	struct watched *w = new_watched(test, RULE, 0);
	struct srnic_peer_state state;

	commit_faults(w, 1, SRNIC_STAT_malformed, RULE / 2);
	w->now += HZ - 1;
	commit_faults(w, 1, SRNIC_STAT_sth_missing, RULE - RULE / 2);
	KUNIT_EXPECT_FALSE(test, is_cut_off(w, 1));
	commit_faults(w, 1, SRNIC_STAT_stag_pd, 1);
	KUNIT_EXPECT_TRUE(test, is_cut_off(w, 1));
	KUNIT_EXPECT_TRUE(test, is_cut_off(w, 1));
	KUNIT_EXPECT_FALSE(test, is_cut_off(w, 2));

	KUNIT_ASSERT_EQ(test, dump_peer(w, 1, &state), 1);
	KUNIT_EXPECT_TRUE(test, state.cut);
	KUNIT_EXPECT_FALSE(test, state.timed);
	KUNIT_EXPECT_EQ(test, state.dropped, 2);
}

static void R25_as_many_as_the_rule_allows_are_taken_each_second(struct kunit *test)
{
	struct watched *w = new_watched(test, RULE, 0);

	for (int second = 0; second < 20; second++, w->now += HZ)
		commit_faults(w, 1, SRNIC_STAT_malformed, RULE);
	KUNIT_EXPECT_FALSE(test, is_cut_off(w, 1));
}

static void R25_the_rule_is_about_what_honest_peers_do_not_do(struct kunit *test)
{
	for (int i = 0; i < ARRAY_SIZE(counted); i++) {
		struct watched *w = new_watched(test, RULE, 0);

		commit_faults(w, 1, counted[i].why, RULE + 1);
		KUNIT_EXPECT_EQ_MSG(test, is_cut_off(w, 1), counted[i].limited,
				    "kind %d", counted[i].kind);
	}
}

static void R25_a_peer_cut_off_by_rule_is_heard_again_in_time(struct kunit *test)
{
	struct watched *w = new_watched(test, RULE, 1000);
	struct srnic_peer_state state;

	commit_faults(w, 1, SRNIC_STAT_malformed, RULE + 1);
	w->now += HZ * 10;
	KUNIT_ASSERT_EQ(test, dump_peer(w, 1, &state), 1);
	KUNIT_EXPECT_TRUE(test, state.timed);
	KUNIT_EXPECT_EQ(test, state.left, 990);

	w->now += HZ * 990 - 1;
	KUNIT_EXPECT_EQ(test, srnic_peers_expire(w->peers, w->now), 1);
	KUNIT_EXPECT_TRUE(test, is_cut_off(w, 1));
	w->now++;
	KUNIT_EXPECT_EQ(test, srnic_peers_expire(w->peers, w->now), MAX_JIFFY_OFFSET);
	KUNIT_EXPECT_FALSE(test, is_cut_off(w, 1));
	/* a full second's allowance is available again */
	commit_faults(w, 1, SRNIC_STAT_malformed, RULE);
	KUNIT_EXPECT_FALSE(test, is_cut_off(w, 1));
	commit_faults(w, 1, SRNIC_STAT_malformed, 1);
	KUNIT_EXPECT_TRUE(test, is_cut_off(w, 1));
}

static void R25_and_nobody_need_look_for_that(struct kunit *test)
{
	struct watched *w = new_watched(test, 0, 0);

	KUNIT_EXPECT_EQ(test, cut_peer(w, 1, 1000), 0);
	KUNIT_EXPECT_EQ(test, cut_peer(w, 2, 1), 0);
	KUNIT_EXPECT_EQ(test, cut_peer(w, 3, 0), 0);
	for (int i = 0; i < 6000 && is_cut_off(w, 2); i++)
		msleep(50);
	KUNIT_EXPECT_FALSE(test, is_cut_off(w, 2));
	KUNIT_EXPECT_TRUE(test, is_cut_off(w, 1));
	KUNIT_EXPECT_TRUE(test, is_cut_off(w, 3));
}

static void R25_by_hand_anybody_is_cut_off_and_allowed(struct kunit *test)
{
	struct watched *w = new_watched(test, 0, 0);
	u32 most = srnic_limit_table[SRNIC_LIMIT_CUTOFF].max;
	struct srnic_peer_state state;

	KUNIT_EXPECT_EQ(test, allow_peer(w, 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, cut_peer(w, 1, most + 1), -ERANGE);
	KUNIT_EXPECT_FALSE(test, is_known(w, 1));
	KUNIT_EXPECT_EQ(test, cut_peer(w, 1, most), 0);
	KUNIT_EXPECT_TRUE(test, is_cut_off(w, 1));
	/* a later request overrides the earlier one */
	KUNIT_EXPECT_EQ(test, cut_peer(w, 1, 0), 0);
	KUNIT_ASSERT_EQ(test, dump_peer(w, 1, &state), 1);
	KUNIT_EXPECT_FALSE(test, state.timed);
	KUNIT_EXPECT_EQ(test, allow_peer(w, 1), 0);
	KUNIT_EXPECT_FALSE(test, is_cut_off(w, 1));
	KUNIT_EXPECT_EQ(test, allow_peer(w, 1), -ENOENT);
}

static void R25_half_of_the_places_are_for_peers_that_are_not_cut_off(struct kunit *test)
{
	struct watched *w = new_watched(test, RULE, 0);
	u32 number;

	for (number = 0; number < SRNIC_MAX_CUT_OFF; number++)
		KUNIT_ASSERT_EQ(test, cut_peer(w, number, 0), 0);
	KUNIT_EXPECT_EQ(test, cut_peer(w, number, 0), -ENOSPC);
	commit_faults(w, number, SRNIC_STAT_malformed, RULE + 1);
	KUNIT_EXPECT_FALSE(test, is_cut_off(w, number));
	KUNIT_EXPECT_TRUE(test, is_known(w, number));
	/* the number of cut-off peers is below the maximum again */
	KUNIT_EXPECT_EQ(test, allow_peer(w, 0), 0);
	commit_faults(w, number, SRNIC_STAT_malformed, 1);
	KUNIT_EXPECT_TRUE(test, is_cut_off(w, number));
}

static void R25_a_flood_of_forged_addresses_drives_nobody_out(struct kunit *test)
{
	struct watched *w = new_watched(test, 0, 0);

	KUNIT_ASSERT_EQ(test, cut_peer(w, 0, 0), 0);
	for (u32 number = 1; number < 3 * SRNIC_MAX_PEERS; number++)
		commit_faults(w, number, SRNIC_STAT_malformed, 1);
	KUNIT_EXPECT_EQ(test, w->peers->count, SRNIC_MAX_PEERS);
	KUNIT_EXPECT_TRUE(test, is_known(w, 1));
	KUNIT_EXPECT_TRUE(test, is_known(w, SRNIC_MAX_PEERS - 1));
	KUNIT_EXPECT_FALSE(test, is_known(w, SRNIC_MAX_PEERS));

	/* the quietest peer is evicted after a second without a fault */
	w->now += HZ - 1;
	commit_faults(w, 1, SRNIC_STAT_malformed, 1);
	w->now++;
	commit_faults(w, SRNIC_MAX_PEERS, SRNIC_STAT_malformed, 1);
	KUNIT_EXPECT_TRUE(test, is_known(w, SRNIC_MAX_PEERS));
	KUNIT_EXPECT_TRUE(test, is_known(w, 1));
	KUNIT_EXPECT_FALSE(test, is_known(w, 2));
	/* a cut-off peer is never evicted; a cut-off by hand evicts at once */
	KUNIT_EXPECT_TRUE(test, is_cut_off(w, 0));
	KUNIT_EXPECT_EQ(test, cut_peer(w, 3 * SRNIC_MAX_PEERS, 0), 0);
	KUNIT_EXPECT_EQ(test, w->peers->count, SRNIC_MAX_PEERS);
}

static void R25_each_is_told_of_once(struct kunit *test)
{
	struct watched *w = new_watched(test, 0, 0);
	struct srnic_peer_state state;
	unsigned int all = 0;

	for (u32 number = 0; number < SRNIC_MAX_PEERS; number++)
		commit_faults(w, number, SRNIC_STAT_malformed, 1);
	for (unsigned long at = 0; srnic_peer_next(w->peers, &at, w->now, &state); at++)
		all++;
	KUNIT_EXPECT_EQ(test, all, SRNIC_MAX_PEERS);
	for (u32 number = 0; number < SRNIC_MAX_PEERS; number += 100)
		KUNIT_EXPECT_EQ(test, dump_peer(w, number, &state), 1);
}

/**
 * struct fault_thread - Faults that are counted on another CPU
 * @w: the peers
 * @go: set to start counting
 * @done: set after counting
 */
struct fault_thread {
	struct watched *w;
	bool go;
	bool done;
};

static int commit_fault_thread(void *arg)
{
	struct fault_thread *e = arg;

	while (!READ_ONCE(e->go))
		usleep_range(100, 200);
	commit_faults(e->w, 1, SRNIC_STAT_duplicate_request, 5);
	/* a new peer while the table is full */
	commit_faults(e->w, 2, SRNIC_STAT_malformed, 1);
	WRITE_ONCE(e->done, true);
	return 0;
}

static void R25_known_peers_and_floods_are_counted_without_a_lock(struct kunit *test)
{
	struct watched *w = new_watched(test, RULE, 0);
	struct fault_thread e = { .w = w };
	struct srnic_peer_state state;
	struct task_struct *task;
	unsigned long flags;
	u32 wait = 10000;

	if (num_online_cpus() < 2)	/* holding the lock here would block the other thread */
		kunit_skip(test, "there is one processor");
	commit_faults(w, 1, SRNIC_STAT_malformed, 1);
	for (u32 number = 10; number < 10 + SRNIC_MAX_PEERS; number++)
		commit_faults(w, number, SRNIC_STAT_malformed, 1);
	task = kthread_create(commit_fault_thread, &e, "srnic-test");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	migrate_disable();
	kthread_bind(task, cpumask_any_but(cpu_online_mask, smp_processor_id()));
	wake_up_process(task);

	spin_lock_irqsave(&w->peers->lock, flags);
	WRITE_ONCE(e.go, true);
	while (!READ_ONCE(e.done) && wait--)
		mdelay(1);
	spin_unlock_irqrestore(&w->peers->lock, flags);
	migrate_enable();

	kthread_stop_put(task);
	KUNIT_EXPECT_TRUE_MSG(test, wait != U32_MAX, "the lock was waited for");
	KUNIT_ASSERT_EQ(test, dump_peer(w, 1, &state), 1);
	KUNIT_EXPECT_EQ(test, state.faults[SRNIC_FAULT_REPEAT], 5);
	KUNIT_EXPECT_FALSE(test, is_known(w, 2));
}

static void R25_a_peer_with_recent_faults_keeps_its_place(struct kunit *test)
{
	struct watched *w = new_watched(test, 0, 0);
	u32 number;

	for (number = 0; number < SRNIC_MAX_PEERS; number++)
		commit_faults(w, number, SRNIC_STAT_malformed, 1);
	/* all but three commit faults again, within the second without re-sorting */
	w->now += HZ - 1;
	for (number = 0; number < SRNIC_MAX_PEERS - 3; number++)
		commit_faults(w, number, SRNIC_STAT_malformed, 1);
	w->now++;
	/* repeated attempts find the three quiet entries, however far back they are */
	for (number = 0; number < SRNIC_MAX_PEERS; number++)
		commit_faults(w, SRNIC_MAX_PEERS + number % 8, SRNIC_STAT_malformed, 1);
	for (number = 0; number < SRNIC_MAX_PEERS - 3; number += 17)
		KUNIT_EXPECT_TRUE(test, is_known(w, number));
	for (number = SRNIC_MAX_PEERS - 3; number < SRNIC_MAX_PEERS; number++)
		KUNIT_EXPECT_FALSE(test, is_known(w, number));
	KUNIT_EXPECT_EQ(test, w->peers->count, SRNIC_MAX_PEERS);
}

static struct kunit_case guard_cases[] = {
	KUNIT_CASE(every_quota_has_a_name_of_its_own_and_a_limit),
	KUNIT_CASE(R18_what_exceeds_the_limit_is_refused),
	KUNIT_CASE(R31_pages_of_each_user_have_workers_of_their_own),
	KUNIT_CASE(R18_pages_are_granted_all_or_none),
	KUNIT_CASE(quotas_do_not_touch_each_other),
	KUNIT_CASE(what_is_given_back_can_be_taken_again),
	KUNIT_CASE(lowered_limit_takes_nothing_away_and_grants_nothing),
	KUNIT_CASE(R18_the_limit_holds_when_all_come_at_once),
	KUNIT_CASE(R18_the_reserve_is_for_kernel_and_administrator),
	KUNIT_CASE(R31_one_user_gets_no_more_than_is_left_to_others),
	KUNIT_CASE(R31_a_single_request_gets_no_more_than_is_left_to_others),
	KUNIT_CASE(R31_greedy_users_end_with_the_same),
	KUNIT_CASE(R31_a_user_after_a_hog_gets_something),
	KUNIT_CASE(contexts_of_one_user_are_one_user),
	KUNIT_CASE(R19_there_is_no_limit_unless_one_is_set),
	KUNIT_CASE(R19_the_longest_silence_fits_into_jiffies),
	KUNIT_CASE(R31_a_user_namespace_is_its_makers_unless_root_made_it),
	KUNIT_CASE(R20_while_there_is_enough_each_stream_takes_what_it_needs),
	KUNIT_CASE(R20_a_stream_that_found_the_queue_empty_is_owed_the_rest_of_its_part),
	KUNIT_CASE(R20_friends_take_what_there_is_and_are_counted),
	KUNIT_CASE(R20_a_stream_that_does_not_come_back_delays_no_other),
	KUNIT_CASE(R20_a_queue_smaller_than_its_streams_are_many_serves_them),
	KUNIT_CASE(R20_a_stream_that_was_forgotten_gets_what_is_owed_to_nobody),
	KUNIT_CASE(R20_a_hog_leaves_15_others_their_part),
	KUNIT_CASE(R25_faults_are_counted_by_peer_and_kind),
	KUNIT_CASE(R25_every_kind_has_names_of_its_own),
	KUNIT_CASE(R25_nobody_is_cut_off_without_a_rule),
	KUNIT_CASE(R25_more_in_a_second_than_the_rule_allows_and_a_peer_is_cut_off),
	KUNIT_CASE(R25_as_many_as_the_rule_allows_are_taken_each_second),
	KUNIT_CASE(R25_the_rule_is_about_what_honest_peers_do_not_do),
	KUNIT_CASE(R25_a_peer_cut_off_by_rule_is_heard_again_in_time),
	KUNIT_CASE(R25_and_nobody_need_look_for_that),
	KUNIT_CASE(R25_by_hand_anybody_is_cut_off_and_allowed),
	KUNIT_CASE(R25_half_of_the_places_are_for_peers_that_are_not_cut_off),
	KUNIT_CASE(R25_a_flood_of_forged_addresses_drives_nobody_out),
	KUNIT_CASE(R25_each_is_told_of_once),
	KUNIT_CASE(R25_known_peers_and_floods_are_counted_without_a_lock),
	KUNIT_CASE(R25_a_peer_with_recent_faults_keeps_its_place),
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
