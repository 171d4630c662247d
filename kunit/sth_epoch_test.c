// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of sequence numbers and epochs (protocol.md, sections 5 and 10).
 * Also runs in user space.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "sth/pure.h"

#define HALF	((s64)BIT(23))
#define TURN	BIT_ULL(24)

static const u64 expecteds[] = {
	0, 1, HALF - 1, HALF, HALF + 1, TURN - 1, TURN, TURN + 1, TURN + HALF - 1, TURN + HALF,
	TURN + HALF + 1, 2 * TURN - 1, 0x123456789abcULL, (1ULL << 62) - 1,
};

static const s64 distances[] = { -HALF, -HALF + 1, -1000, -1, 0, 1, 1000, HALF - 2, HALF - 1 };

static void a_psn_stands_for_the_one_match_around_the_expected(struct kunit *test)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(expecteds); i++) {
		for (j = 0; j < ARRAY_SIZE(distances); j++) {
			s64 want = (s64)expecteds[i] + distances[j];
			u64 psn64 = 0;
			int err;

			err = srnic_psn64(expecteds[i], 0, want & SRNIC_PSN_MASK, &psn64);
			KUNIT_EXPECT_EQ(test, err, want < 0 ? -ERANGE : 0);
			if (!err)
				KUNIT_EXPECT_EQ(test, psn64, (u64)want);
		}
	}
}

static void one_past_the_window_is_its_other_end(struct kunit *test)
{
	u64 psn64;

	KUNIT_ASSERT_EQ(test, srnic_psn64(5 * TURN, 0, HALF, &psn64), 0);
	KUNIT_EXPECT_EQ(test, psn64, 5 * TURN - HALF);
}

static void nothing_below_the_start_is_accepted(struct kunit *test)
{
	const u64 start = 0x654321;
	u64 psn64 = 42;

	KUNIT_EXPECT_EQ(test, srnic_psn64(start, start, start - 1, &psn64), -ERANGE);
	KUNIT_EXPECT_EQ(test, srnic_psn64(start + 9, start, start - 1, &psn64), -ERANGE);
	KUNIT_EXPECT_EQ(test, psn64, 42);
	KUNIT_EXPECT_EQ(test, srnic_psn64(start, start, start, &psn64), 0);
	KUNIT_EXPECT_EQ(test, psn64, start);
}

static void a_flow_that_starts_at_the_end_goes_on_into_epoch_1(struct kunit *test)
{
	u64 psn64;

	KUNIT_ASSERT_EQ(test, srnic_psn64(0xfffff0, 0xfffff0, 0x000005, &psn64), 0);
	KUNIT_EXPECT_EQ(test, psn64, 0x1000005);
	KUNIT_EXPECT_EQ(test, srnic_epoch(psn64), 1);
}

/* The epoch of every PSN of the window must be live, and at most two are. */
static void live_epochs_are_those_that_a_psn_can_name(struct kunit *test)
{
	unsigned int i, j;
	u64 first, last;

	for (i = 0; i < ARRAY_SIZE(expecteds); i++) {
		srnic_epoch_live(expecteds[i], &first, &last);
		KUNIT_EXPECT_LE(test, last - first, 1);
		for (j = 0; j < ARRAY_SIZE(distances); j++) {
			s64 psn64 = (s64)expecteds[i] + distances[j];

			if (psn64 < 0)
				continue;
			KUNIT_EXPECT_GE(test, srnic_epoch(psn64), first);
			KUNIT_EXPECT_LE(test, srnic_epoch(psn64), last);
		}
	}
}

static void an_epoch_is_retired_in_the_middle_of_the_next(struct kunit *test)
{
	u64 first, last;

	srnic_epoch_live(7 * TURN + HALF - 1, &first, &last);
	KUNIT_EXPECT_EQ(test, first, 6);
	KUNIT_EXPECT_EQ(test, last, 7);
	srnic_epoch_live(7 * TURN + HALF, &first, &last);
	KUNIT_EXPECT_EQ(test, first, 7);
	KUNIT_EXPECT_EQ(test, last, 8);
	srnic_epoch_live(8 * TURN, &first, &last);
	KUNIT_EXPECT_EQ(test, first, 7);
	KUNIT_EXPECT_EQ(test, last, 8);
	srnic_epoch_live(0, &first, &last);
	KUNIT_EXPECT_EQ(test, first, 0);
	KUNIT_EXPECT_EQ(test, last, 0);
}

static struct kunit_case sth_epoch_cases[] = {
	KUNIT_CASE(a_psn_stands_for_the_one_match_around_the_expected),
	KUNIT_CASE(one_past_the_window_is_its_other_end),
	KUNIT_CASE(nothing_below_the_start_is_accepted),
	KUNIT_CASE(a_flow_that_starts_at_the_end_goes_on_into_epoch_1),
	KUNIT_CASE(live_epochs_are_those_that_a_psn_can_name),
	KUNIT_CASE(an_epoch_is_retired_in_the_middle_of_the_next),
	{}
};

static struct kunit_suite sth_epoch_suite = {
	.name = "srnic-sth-epoch",
	.test_cases = sth_epoch_cases,
};

kunit_test_suite(sth_epoch_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's sequence numbers and epochs");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
