// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of engine: accesses that wait for absent pages, and the time that a peer is told to
 * wait (page_in.c).
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/workqueue.h>

#include "srnic.h"
#include "engine/page_in.h"

#define THEIRS	SRNIC_FLOW_THEIRS

/* Codes of IBA table 46 */
#define CODE_0_03_MS	3
#define CODE_0_48_MS	11
#define CODE_163_84_MS	28

/**
 * struct world - A QP, and a peer's access to a page that is absent
 * @dev: its device
 * @pd: its domain, of the administrator
 * @qp: the QP
 * @access: the access
 */
struct world {
	struct srnic_dev dev;
	struct srnic_pd pd;
	struct srnic_qp qp;
	struct srnic_access access;
};

/* The pages of these tests come when the test says so, by settle(). */
static void no_work(struct work_struct *work)
{
}

static void end_world(void *arg)
{
	struct world *w = arg;

	cancel_delayed_work_sync(&w->qp.page_in[THEIRS].work);
	free_percpu(w->dev.stats);
}

static struct world *make_world(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	INIT_DELAYED_WORK(&w->qp.page_in[THEIRS].work, no_work);
	w->dev.stats = alloc_percpu(struct srnic_stats);
	KUNIT_ASSERT_TRUE(test, !!w->dev.stats);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, end_world, w), 0);
	w->qp.dev = &w->dev;
	w->qp.stats = w->dev.stats;
	w->qp.mem.pd = &w->pd;
	spin_lock_init(&w->qp.lock);
	w->access = (struct srnic_access){
		.key = 0x1234, .rights = IB_ACCESS_REMOTE_WRITE, .va = 0x10000, .len = 64,
	};
	return w;
}

static bool waits(struct world *w, u64 ahead)
{
	bool wait;

	spin_lock_bh(&w->qp.lock);
	wait = srnic_page_in(&w->qp, THEIRS, &w->access, ahead);
	spin_unlock_bh(&w->qp.lock);
	return wait;
}

static u8 next_code(struct world *w)
{
	u8 code;

	spin_lock_bh(&w->qp.lock);
	code = srnic_page_in_rnr_code(&w->qp);
	spin_unlock_bh(&w->qp.lock);
	return code;
}

/* The worker has ended: the pages are there, or the process has no such memory. */
static void settle(struct world *w, enum srnic_page_in_state state)
{
	cancel_delayed_work_sync(&w->qp.page_in[THEIRS].work);
	spin_lock_bh(&w->qp.lock);
	w->qp.page_in[THEIRS].state = state;
	spin_unlock_bh(&w->qp.lock);
}

/* IBA 9.7.5.2.8: the code says after which time the requester is to try again */
static void a_peer_waits_first_as_long_as_its_pages_take(struct kunit *test)
{
	static const struct { u64 ahead; u8 code; } rows[] = {
		{ 1, CODE_0_03_MS }, { PAGE_SIZE, CODE_0_03_MS }, { 2 * PAGE_SIZE, 4 },
		{ 16 * PAGE_SIZE, 7 }, { 256 * PAGE_SIZE, CODE_0_48_MS },
		{ 1ULL << 40, CODE_0_48_MS },
	};
	struct world *w = make_world(test);

	for (int i = 0; i < ARRAY_SIZE(rows); i++) {
		KUNIT_EXPECT_TRUE(test, waits(w, rows[i].ahead));
		KUNIT_EXPECT_EQ_MSG(test, next_code(w), rows[i].code, "%llu bytes",
				    rows[i].ahead);
		settle(w, SRNIC_PAGE_IN_IDLE);
	}
}

static void each_further_wait_is_longer_up_to_a_limit(struct kunit *test)
{
	struct world *w = make_world(test);
	u8 last, code;
	int naks = 1;

	KUNIT_EXPECT_TRUE(test, waits(w, PAGE_SIZE));
	for (last = next_code(w); last < CODE_163_84_MS; last = code, naks++) {
		code = next_code(w);
		KUNIT_ASSERT_GT(test, code, last);
	}
	KUNIT_EXPECT_EQ(test, next_code(w), CODE_163_84_MS);
	/* a peer with retry_cnt 6 has waited for a slow page, too */
	KUNIT_EXPECT_LE(test, naks, 6);
}

static void the_next_page_is_awaited_as_the_first_was(struct kunit *test)
{
	struct world *w = make_world(test);

	KUNIT_EXPECT_TRUE(test, waits(w, PAGE_SIZE));
	next_code(w);
	KUNIT_EXPECT_GT(test, next_code(w), CODE_0_03_MS);
	settle(w, SRNIC_PAGE_IN_IDLE);
	w->access.va += PAGE_SIZE;
	KUNIT_EXPECT_TRUE(test, waits(w, PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, next_code(w), CODE_0_03_MS);
}

static void another_access_waits_for_the_turn_of_the_first(struct kunit *test)
{
	struct world *w = make_world(test);
	u64 first = w->access.va;

	KUNIT_EXPECT_TRUE(test, waits(w, PAGE_SIZE));
	w->access.va += 8 * PAGE_SIZE;
	KUNIT_EXPECT_TRUE(test, waits(w, PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, w->qp.page_in[THEIRS].access.va, first);
	KUNIT_EXPECT_EQ(test, srnic_stats_sum(w->dev.stats, SRNIC_STAT_page_waits), 1);
}

static void R7_what_the_process_has_not_is_refused_once_and_asked_for_again(struct kunit *test)
{
	struct world *w = make_world(test);

	KUNIT_EXPECT_TRUE(test, waits(w, PAGE_SIZE));
	settle(w, SRNIC_PAGE_IN_FAILED);
	KUNIT_EXPECT_FALSE(test, waits(w, PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, srnic_stats_sum(w->dev.stats, SRNIC_STAT_page_refused), 1);
	KUNIT_EXPECT_TRUE(test, waits(w, PAGE_SIZE));
}

static void a_failure_of_one_access_refuses_no_other(struct kunit *test)
{
	struct world *w = make_world(test);

	KUNIT_EXPECT_TRUE(test, waits(w, PAGE_SIZE));
	settle(w, SRNIC_PAGE_IN_FAILED);
	w->access.rights = IB_ACCESS_REMOTE_READ;
	KUNIT_EXPECT_TRUE(test, waits(w, PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, srnic_stats_sum(w->dev.stats, SRNIC_STAT_page_refused), 0);
}

/* Its domain is that of its last request: a worker could not use it. */
static void A14_a_target_of_XRC_does_not_wait(struct kunit *test)
{
	struct world *w = make_world(test);

	w->qp.xrc = kunit_kzalloc(test, 8, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w->qp.xrc);
	KUNIT_EXPECT_FALSE(test, waits(w, PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, w->qp.page_in[THEIRS].state, SRNIC_PAGE_IN_IDLE);
}

static struct kunit_case page_in_cases[] = {
	KUNIT_CASE(a_peer_waits_first_as_long_as_its_pages_take),
	KUNIT_CASE(each_further_wait_is_longer_up_to_a_limit),
	KUNIT_CASE(the_next_page_is_awaited_as_the_first_was),
	KUNIT_CASE(another_access_waits_for_the_turn_of_the_first),
	KUNIT_CASE(R7_what_the_process_has_not_is_refused_once_and_asked_for_again),
	KUNIT_CASE(a_failure_of_one_access_refuses_no_other),
	KUNIT_CASE(A14_a_target_of_XRC_does_not_wait),
	{}
};

static struct kunit_suite page_in_suite = {
	.name = "srnic-page-in",
	.test_cases = page_in_cases,
};

kunit_test_suite(page_in_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's waits for absent pages");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
