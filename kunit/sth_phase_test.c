// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of phases: a sub-key that is used up is replaced within its epoch,
 * and the receiver follows verified packets only (protocol.md, section 10; S8).
 */
#include <linux/module.h>

#include "sth_fixture.h"

#define BOTH	(BIT(X) | BIT(Y))

/* A connection on which X sends requests, and the phases of their sub-keys at each end */
struct phase_pair {
	struct sth_pair p;
	struct srnic_phases *seal;
	struct srnic_phases *open;
	u32 psn;
};

typedef void (*phase_check)(struct kunit *test, struct phase_pair *pp);

static struct phase_pair phase_pair_of(struct kunit *test, unsigned long uncached)
{
	struct phase_pair pp = {
		.p = sth_ready_pair_by(test, test->param_value, false, uncached),
	};

	pp.psn = pp.p.v->flow[X].start;
	pp.seal = &sth_keys_of(pp.p.end[X], SRNIC_FLOW_OURS, pp.psn)->phases[SRNIC_TO_SEAL];
	pp.open = &sth_keys_of(pp.p.end[Y], SRNIC_FLOW_THEIRS, pp.psn)->phases[SRNIC_TO_OPEN];
	return pp;
}

/* Check connections that keep sub-keys and, if the suite allows, some that derive them. */
static void check_both(struct kunit *test, phase_check check)
{
	struct phase_pair pp = phase_pair_of(test, 0);

	check(test, &pp);
	if (!sth_can_be_uncached(test->param_value))
		return;
	pp = phase_pair_of(test, BOTH);
	check(test, &pp);
}

static struct srnic_subkey *sealing_key(struct phase_pair *pp)
{
	return sth_subkey_of(pp->p.end[X], SRNIC_FLOW_OURS, pp->psn, SRNIC_TO_SEAL);
}

static struct sth_box *next_box(struct kunit *test, struct phase_pair *pp)
{
	return sth_send_only(test, &pp->p, X, pp->psn);
}

static int seal(struct phase_pair *pp, struct sth_box *box)
{
	return sth_box_seal(pp->p.end[X], SRNIC_FLOW_OURS, box);
}

static int open(struct phase_pair *pp, struct sth_box *box)
{
	return sth_box_open(pp->p.end[Y], SRNIC_FLOW_THEIRS, box);
}

/* Return a packet of the present phase, sealed. */
static struct sth_box *sealed_box(struct kunit *test, struct phase_pair *pp)
{
	struct sth_box *box = next_box(test, pp);

	KUNIT_ASSERT_EQ(test, seal(pp, box), 0);
	return box;
}

/* Use up the present sub-key, and derive its successor at the sender. */
static void use_up(struct kunit *test, struct phase_pair *pp)
{
	sealing_key(pp)->emitted = srnic_sth_emissions();
	KUNIT_ASSERT_EQ(test, seal(pp, next_box(test, pp)), -ENOKEY);
	KUNIT_ASSERT_EQ(test, srnic_sth_rekey(pp->p.end[X]), 0);
}

/* Open a copy, so that the packet remains as it was sealed. */
static int open_copy(struct kunit *test, struct phase_pair *pp, const struct sth_box *box)
{
	return open(pp, sth_box_of(test, &pp->p, X, box->body, box->len, box->pkt.hdr_len));
}

static void check_successor(struct kunit *test, struct phase_pair *pp)
{
	struct sth_box *box;

	sealing_key(pp)->emitted = srnic_sth_emissions() - 1;
	KUNIT_EXPECT_EQ(test, sth_pass(test, &pp->p, pp->psn), 0);
	use_up(test, pp);
	box = sealed_box(test, pp);
	KUNIT_EXPECT_EQ(test, srnic_phase_named(box->body), 1);
	KUNIT_EXPECT_EQ(test, sealing_key(pp)->emitted, 1);
	if (sth_counts(pp->p.v))
		KUNIT_EXPECT_EQ(test, get_unaligned_be32(box->body + SRNIC_BTH_LEN), 0);
	KUNIT_EXPECT_EQ(test, open_copy(test, pp, box), -ENOKEY);
	KUNIT_EXPECT_TRUE(test, srnic_sth_update_due(pp->p.end[Y], SRNIC_FLOW_THEIRS));
	KUNIT_EXPECT_FALSE(test, srnic_sth_update_due(pp->p.end[Y], SRNIC_FLOW_THEIRS));
	KUNIT_ASSERT_EQ(test, srnic_sth_rekey(pp->p.end[Y]), 0);
	KUNIT_EXPECT_EQ(test, open(pp, box), 0);
}

static void S8_a_key_that_is_used_up_has_a_successor(struct kunit *test)
{
	check_both(test, check_successor);
}

/* Progress of the flow asks for the successor, so that nothing waits for it. */
static void check_in_advance(struct kunit *test, struct phase_pair *pp)
{
	u32 half = srnic_sth_emissions() / 2, next = pp->psn + 1;
	struct srnic_sth *x = pp->p.end[X], *y = pp->p.end[Y];

	sealing_key(pp)->emitted = half;
	sth_subkey_of(y, SRNIC_FLOW_THEIRS, pp->psn, SRNIC_TO_OPEN)->opened = half - 1;
	KUNIT_EXPECT_EQ(test, sth_pass(test, &pp->p, pp->psn), 0);
	KUNIT_EXPECT_TRUE(test, srnic_sth_advance(x, SRNIC_FLOW_OURS, next));
	KUNIT_EXPECT_TRUE(test, srnic_sth_advance(y, SRNIC_FLOW_THEIRS, next));
	KUNIT_EXPECT_FALSE(test, srnic_sth_advance(x, SRNIC_FLOW_OURS, next + 1));
	KUNIT_ASSERT_EQ(test, srnic_sth_rekey(x), 0);
	KUNIT_ASSERT_EQ(test, srnic_sth_rekey(y), 0);
	pp->psn += 2;
	KUNIT_EXPECT_EQ(test, sth_pass(test, &pp->p, pp->psn), 0);
	KUNIT_EXPECT_FALSE(test, srnic_sth_advance(x, SRNIC_FLOW_OURS, pp->psn + 1));
	sealing_key(pp)->emitted = srnic_sth_emissions();
	KUNIT_EXPECT_EQ(test, sth_pass(test, &pp->p, pp->psn + 1), 0);
	KUNIT_EXPECT_EQ(test, pp->seal->latest, 1);
	KUNIT_EXPECT_EQ(test, pp->open->latest, 1);
}

static void S8_the_successor_is_derived_ahead_of_use(struct kunit *test)
{
	check_both(test, check_in_advance);
}

/*
 * Packets of the phase before may be late. Those of earlier phases have no key, or that of
 * another phase with the same bits.
 */
static void check_many(struct kunit *test, struct phase_pair *pp)
{
	struct sth_box *old[10];
	unsigned int phase, i;

	for (phase = 0; phase < ARRAY_SIZE(old); phase++) {
		struct sth_box *late = sealed_box(test, pp);

		old[phase] = sealed_box(test, pp);
		KUNIT_EXPECT_EQ(test, open_copy(test, pp, old[phase]), 0);
		/* without a counter, a replay of the phase before opens */
		for (i = 0; i + !sth_counts(pp->p.v) < phase; i++)
			KUNIT_EXPECT_LT_MSG(test, open_copy(test, pp, old[i]), 0, "%u in %u", i,
					    phase);
		use_up(test, pp);
		KUNIT_EXPECT_EQ(test, open_copy(test, pp, sealed_box(test, pp)), -ENOKEY);
		KUNIT_ASSERT_EQ(test, srnic_sth_rekey(pp->p.end[Y]), 0);
		KUNIT_EXPECT_EQ(test, open(pp, sealed_box(test, pp)), 0);
		KUNIT_EXPECT_EQ(test, pp->open->latest, phase + 1);
		KUNIT_EXPECT_EQ(test, open(pp, late), 0);
		KUNIT_EXPECT_EQ(test, pp->open->latest, phase + 1);
	}
}

static void S8_phases_follow_each_other(struct kunit *test)
{
	check_both(test, check_many);
}

/* Forged phases cost one derivation at most, and move nothing. */
static void check_forged(struct kunit *test, struct phase_pair *pp)
{
	struct srnic_sth *y = pp->p.end[Y];
	struct sth_box *box = sealed_box(test, pp);
	unsigned int phase, round;

	for (round = 0; round < 3; round++) {
		/* the next phase last: its request would hide that of another one */
		for (phase = SRNIC_PHASES - 1; phase > 0; phase--) {
			struct sth_box *forged = sth_box_of(test, &pp->p, X, box->body, box->len,
							    box->pkt.hdr_len);

			forged->body[SRNIC_PHASE_AT] = phase;
			KUNIT_EXPECT_LT(test, open(pp, forged), 0);
			KUNIT_EXPECT_EQ(test, srnic_sth_update_due(y, SRNIC_FLOW_THEIRS),
					!round && phase == 1);
		}
		KUNIT_ASSERT_EQ(test, srnic_sth_rekey(y), 0);
		KUNIT_EXPECT_EQ(test, pp->open->derived, 1);
		KUNIT_EXPECT_EQ(test, pp->open->latest, 0);
	}
	KUNIT_EXPECT_EQ(test, open(pp, box), 0);
}

static void S8_a_forged_phase_moves_nothing(struct kunit *test)
{
	check_both(test, check_forged);
}

/* A request that comes twice must not displace the sub-key in use. */
static void check_twice(struct kunit *test, struct phase_pair *pp)
{
	struct sth_box *box = sealed_box(test, pp);
	unsigned int i;

	for (i = 0; i < SRNIC_PHASES; i++) {
		pp->open->due = true;
		pp->p.end[Y]->flow[SRNIC_FLOW_THEIRS].update_due = true;
		KUNIT_ASSERT_EQ(test, srnic_sth_rekey(pp->p.end[Y]), 0);
	}
	KUNIT_EXPECT_EQ(test, pp->open->derived, 1);
	KUNIT_EXPECT_EQ(test, open(pp, box), 0);
}

static void S8_a_request_that_comes_twice_changes_nothing(struct kunit *test)
{
	check_both(test, check_twice);
}

static void check_last(struct kunit *test, struct phase_pair *pp)
{
	struct srnic_subkey *key = sealing_key(pp);

	key->phase = SRNIC_PHASE_LAST;
	pp->seal->latest = SRNIC_PHASE_LAST;
	pp->seal->derived = SRNIC_PHASE_LAST;
	swap(pp->seal->at[0], pp->seal->at[srnic_phase_index(SRNIC_PHASE_LAST)]);
	key->emitted = srnic_sth_emissions() - 1;
	KUNIT_EXPECT_EQ(test, seal(pp, next_box(test, pp)), 0);
	KUNIT_EXPECT_EQ(test, seal(pp, next_box(test, pp)), -EKEYEXPIRED);
	KUNIT_EXPECT_EQ(test, srnic_sth_rekey(pp->p.end[X]), 0);
	KUNIT_EXPECT_EQ(test, seal(pp, next_box(test, pp)), -EKEYEXPIRED);
}

static void S8_the_last_phase_ends_the_connection(struct kunit *test)
{
	check_both(test, check_last);
}

static struct kunit_case sth_phase_cases[] = {
	KUNIT_CASE_PARAM(S8_a_key_that_is_used_up_has_a_successor, sth_kind_gen),
	KUNIT_CASE_PARAM(S8_the_successor_is_derived_ahead_of_use, sth_kind_gen),
	KUNIT_CASE_PARAM(S8_phases_follow_each_other, sth_kind_gen),
	KUNIT_CASE_PARAM(S8_a_forged_phase_moves_nothing, sth_kind_gen),
	KUNIT_CASE_PARAM(S8_a_request_that_comes_twice_changes_nothing, sth_kind_gen),
	KUNIT_CASE_PARAM(S8_the_last_phase_ends_the_connection, sth_kind_gen),
	{}
};

static struct kunit_suite sth_phase_suite = {
	.name = "srnic-sth-phase",
	.test_cases = sth_phase_cases,
};

kunit_test_suite(sth_phase_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's phases of sub-keys");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
