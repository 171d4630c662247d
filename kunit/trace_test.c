// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of trace: the log of rejected packets. R numbers are the rows of
 * Documentation/security/rfc5042.md.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "trace/log.h"

#define INTERVAL	110	/* ms; slightly longer than that of trace/log.c */

struct world {
	struct srnic_stats __percpu *stats;
	struct srnic_log *log;
	atomic_t notified;
};

static void log_drop(struct world *w, enum srnic_stat why, u32 qpn)
{
	struct srnic_log_entry what = {
		.why = why,
		.peer = { [15] = 9 },
		.parsed = true,
		.qpn = qpn,
		.psn = 7,
		.opcode = 10,
	};

	this_cpu_inc(w->stats->val[why]);
	if (srnic_log_wants(w->log, why))
		srnic_log_add(w->log, w->stats, &what);
}

static u64 count_entries(struct world *w)
{
	struct srnic_log_entry entry;
	u64 serial = 0;

	while (srnic_log_find(w->log, serial, &entry))
		serial = entry.serial + 1;
	return serial;
}

static void R25_an_entry_has_the_peer_the_reason_and_the_time(struct kunit *test)
{
	struct world *w = test->priv;
	u64 before = ktime_get_real_ns();
	struct srnic_log_entry entry;

	KUNIT_EXPECT_FALSE(test, srnic_log_find(w->log, 0, &entry));
	log_drop(w, SRNIC_STAT_stag_bounds, 17);
	KUNIT_ASSERT_TRUE(test, srnic_log_find(w->log, 0, &entry));
	KUNIT_EXPECT_EQ(test, entry.serial, 0);
	KUNIT_EXPECT_EQ(test, (u32)entry.why, (u32)SRNIC_STAT_stag_bounds);
	KUNIT_EXPECT_EQ(test, entry.peer[15], 9);
	KUNIT_EXPECT_EQ(test, entry.qpn, 17);
	KUNIT_EXPECT_EQ(test, entry.psn, 7);
	KUNIT_EXPECT_EQ(test, entry.opcode, 10);
	KUNIT_EXPECT_TRUE(test, entry.parsed);
	KUNIT_EXPECT_GE(test, entry.time, before);
	KUNIT_EXPECT_LE(test, entry.time, ktime_get_real_ns());
	KUNIT_EXPECT_FALSE(test, srnic_log_find(w->log, 1, &entry));
}

static void R25_a_flood_of_one_reason_makes_an_entry_with_its_number(struct kunit *test)
{
	struct world *w = test->priv;
	unsigned long begin = jiffies;
	struct srnic_log_entry entry;

	log_drop(w, SRNIC_STAT_icrc_errors, 1);
	msleep(INTERVAL);
	for (u32 i = 0; i < 1000; i++)
		log_drop(w, SRNIC_STAT_icrc_errors, 2);
	msleep(INTERVAL);
	log_drop(w, SRNIC_STAT_icrc_errors, 3);
	KUNIT_ASSERT_TRUE(test, srnic_log_find(w->log, 0, &entry));
	KUNIT_EXPECT_EQ(test, entry.count, 1);
	KUNIT_ASSERT_TRUE(test, srnic_log_find(w->log, 1, &entry));
	KUNIT_EXPECT_EQ(test, entry.count, 1);
	/* ten per second, and one at the beginning */
	KUNIT_EXPECT_LE(test, count_entries(w), 2 + (jiffies - begin) * 10 / HZ);
	KUNIT_ASSERT_TRUE(test, srnic_log_find(w->log, count_entries(w) - 1, &entry));
	KUNIT_EXPECT_EQ(test, entry.qpn, 3);
	KUNIT_EXPECT_GT(test, entry.count, 1);
}

static void R25_a_flood_of_one_reason_hides_no_other(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_log_entry entry;

	for (u32 i = 0; i < 1000; i++)
		log_drop(w, SRNIC_STAT_icrc_errors, 1);
	log_drop(w, SRNIC_STAT_stag_pd, 2);
	KUNIT_ASSERT_TRUE(test, srnic_log_find(w->log, count_entries(w) - 1, &entry));
	KUNIT_EXPECT_EQ(test, (u32)entry.why, (u32)SRNIC_STAT_stag_pd);
}

/* End the interval of a reason. */
static void end_interval(struct world *w, enum srnic_stat why)
{
	w->log->quiet_until[why] = jiffies;
}

static void the_oldest_entries_make_room(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_log_entry entry;

	for (u32 i = 0; i < SRNIC_LOG_SIZE + 10; i++) {
		end_interval(w, SRNIC_STAT_no_qp);
		log_drop(w, SRNIC_STAT_no_qp, i);
	}
	KUNIT_ASSERT_TRUE(test, srnic_log_find(w->log, 0, &entry));
	KUNIT_EXPECT_EQ(test, entry.serial, 10);
	KUNIT_EXPECT_EQ(test, entry.qpn, 10);
	KUNIT_EXPECT_EQ(test, count_entries(w), SRNIC_LOG_SIZE + 10);
}

static struct world *listening;

static void count_notification(struct work_struct *work)
{
	atomic_inc(&listening->notified);
}

static void a_listener_is_told_until_it_stops(struct kunit *test)
{
	struct world *w = test->priv;

	log_drop(w, SRNIC_STAT_no_qp, 1);	/* without a listener */
	listening = w;
	srnic_log_listen(w->log, count_notification);
	end_interval(w, SRNIC_STAT_no_qp);
	log_drop(w, SRNIC_STAT_no_qp, 2);
	flush_work(&w->log->notify_work);
	KUNIT_EXPECT_EQ(test, atomic_read(&w->notified), 1);
	srnic_log_unlisten(w->log);
	end_interval(w, SRNIC_STAT_no_qp);
	log_drop(w, SRNIC_STAT_no_qp, 3);
	KUNIT_EXPECT_FALSE(test, work_pending(&w->log->notify_work));
	KUNIT_EXPECT_EQ(test, atomic_read(&w->notified), 1);
	KUNIT_EXPECT_EQ(test, count_entries(w), 3);
}

static int world_init(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	test->priv = w;
	w->stats = alloc_percpu(struct srnic_stats);
	KUNIT_ASSERT_TRUE(test, !!w->stats);
	w->log = srnic_log_alloc(NULL);
	KUNIT_ASSERT_NOT_NULL(test, w->log);
	return 0;
}

static void world_exit(struct kunit *test)
{
	struct world *w = test->priv;

	srnic_log_free(w->log);
	free_percpu(w->stats);
}

static struct kunit_case trace_cases[] = {
	KUNIT_CASE(R25_an_entry_has_the_peer_the_reason_and_the_time),
	KUNIT_CASE(R25_a_flood_of_one_reason_makes_an_entry_with_its_number),
	KUNIT_CASE(R25_a_flood_of_one_reason_hides_no_other),
	KUNIT_CASE(the_oldest_entries_make_room),
	KUNIT_CASE(a_listener_is_told_until_it_stops),
	{}
};

static struct kunit_suite trace_suite = {
	.name = "srnic-trace",
	.init = world_init,
	.exit = world_exit,
	.test_cases = trace_cases,
};

kunit_test_suite(trace_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's trace room");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
