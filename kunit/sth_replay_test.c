// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the replay window (protocol.md, section 9; RFC 6479). Also
 * runs in user space.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "sth/pure.h"

#define WINDOW	SRNIC_REPLAY_WINDOW
#define RING	(64 * SRNIC_REPLAY_WORDS)

/* Do as open does: check that it is fresh, (verify,) mark. */
static bool take(struct srnic_replay *replay, u64 counter)
{
	if (!srnic_replay_fresh(replay, counter))
		return false;
	srnic_replay_mark(replay, counter);
	return true;
}

#define TAKEN(counter)		KUNIT_EXPECT_TRUE(test, take(&r, counter))
#define REFUSED(counter)	KUNIT_EXPECT_FALSE(test, take(&r, counter))

static void the_window_is_as_wide_as_the_specification_demands(struct kunit *test)
{
	KUNIT_EXPECT_GE(test, WINDOW, 1024);
}

static void counters_are_taken_once_in_any_order(struct kunit *test)
{
	struct srnic_replay r = {};

	TAKEN(0);
	REFUSED(0);
	TAKEN(1);
	REFUSED(1);
	TAKEN(9);
	TAKEN(8);
	TAKEN(7);
	REFUSED(7);
	REFUSED(8);
	REFUSED(9);
	TAKEN(2);
	REFUSED(0);
}

static void the_first_counter_may_be_any(struct kunit *test)
{
	static const u64 firsts[] = { 0, 1, 63, 64, 65, RING - 1, RING, RING + 1, BIT(26) - 1 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(firsts); i++) {
		struct srnic_replay r = {};

		TAKEN(firsts[i]);
		REFUSED(firsts[i]);
		if (firsts[i]) {
			TAKEN(firsts[i] - 1);
			REFUSED(firsts[i] - 1);
		}
	}
}

static void the_last_of_the_window_is_taken_and_the_next_refused(struct kunit *test)
{
	static const u64 tops[] = {
		WINDOW, WINDOW + 1, RING - 1, RING, RING + 1, RING + 63, RING + 64,
		10 * RING + 17, BIT(26) - 1,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tops); i++) {
		struct srnic_replay r = {};

		TAKEN(tops[i]);
		REFUSED(tops[i] - WINDOW);
		TAKEN(tops[i] - WINDOW + 1);
		REFUSED(tops[i] - WINDOW + 1);
		if (tops[i] > WINDOW)
			REFUSED(tops[i] - WINDOW - 1);
		REFUSED(0);
	}
}

static void far_jumps_forget_nothing_inside_the_window(struct kunit *test)
{
	static const u64 jumps[] = {
		1, 63, 64, 65, WINDOW - 1, WINDOW, WINDOW + 1, RING - 1, RING, RING + 1,
		RING + 63, RING + 64, RING + 65, 2 * RING, 1000 * RING + 5,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(jumps); i++) {
		struct srnic_replay r = {};
		u64 base = 5 * RING + 29, top = base + jumps[i];

		TAKEN(base);
		TAKEN(top);
		REFUSED(base);
		REFUSED(top);
		/* A bit of the ring's previous turn must not pass for one of this turn. */
		TAKEN(top - 1 == base ? top + 1 : top - 1);
	}
}

static void counters_upwards_then_all_again(struct kunit *test)
{
	struct srnic_replay r = {};
	u64 i;

	for (i = 0; i < 3 * RING; i++)
		TAKEN(i);
	for (i = 0; i < 3 * RING; i++)
		REFUSED(i);
}

static void counters_downwards_through_the_window(struct kunit *test)
{
	struct srnic_replay r = {};
	u64 i;

	for (i = WINDOW; i-- > 0;)
		TAKEN(i);
	for (i = 0; i < WINDOW; i++)
		REFUSED(i);
	TAKEN(WINDOW);
	REFUSED(0);
}

static void looking_changes_nothing(struct kunit *test)
{
	struct srnic_replay r = {}, before;
	u64 i;

	for (i = 0; i < RING; i += 3)
		TAKEN(i);
	before = r;
	for (i = 0; i < 3 * RING; i++)
		srnic_replay_fresh(&r, i);
	KUNIT_EXPECT_MEMEQ(test, &r, &before, sizeof(r));
}

/* Compare with a bit for every counter, at random distances from the newest. */
static void it_agrees_with_a_list_of_all(struct kunit *test)
{
	const unsigned int space = 64 * RING;
	struct srnic_replay r = {};
	u32 rnd = 1, i;
	u64 next = 0;
	u8 *seen;

	seen = kunit_kzalloc(test, space, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, seen);
	for (i = 0; i < 200000; i++) {
		u64 c;
		bool want;

		rnd ^= rnd << 13;
		rnd ^= rnd >> 17;
		rnd ^= rnd << 5;
		c = next + rnd % 64;
		c = rnd & BIT(20) ? c : c - min_t(u64, c, rnd % (WINDOW + 128));
		if (c >= space)
			break;
		want = !seen[c] && (c >= next || next - c <= WINDOW);
		KUNIT_ASSERT_EQ(test, take(&r, c), want);
		seen[c] |= want;
		next = max_t(u64, next, want ? c + 1 : 0);
	}
	KUNIT_EXPECT_GT(test, next, 8 * RING);
}

static struct kunit_case sth_replay_cases[] = {
	KUNIT_CASE(the_window_is_as_wide_as_the_specification_demands),
	KUNIT_CASE(counters_are_taken_once_in_any_order),
	KUNIT_CASE(the_first_counter_may_be_any),
	KUNIT_CASE(the_last_of_the_window_is_taken_and_the_next_refused),
	KUNIT_CASE(far_jumps_forget_nothing_inside_the_window),
	KUNIT_CASE(counters_upwards_then_all_again),
	KUNIT_CASE(counters_downwards_through_the_window),
	KUNIT_CASE(looking_changes_nothing),
	KUNIT_CASE(it_agrees_with_a_list_of_all),
	{}
};

static struct kunit_suite sth_replay_suite = {
	.name = "srnic-sth-replay",
	.test_cases = sth_replay_cases,
};

kunit_test_suite(sth_replay_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's replay window");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
