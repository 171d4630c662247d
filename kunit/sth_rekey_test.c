// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of a connection's epochs (protocol.md, section 10): their keys follow each other as
 * its flows advance, also beside traffic.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>

#include "sth_fixture.h"

static bool advance_flow(struct sth_pair *p, u64 psn64)
{
	bool x, y;

	local_bh_disable();
	x = srnic_sth_advance(p->end[X], SRNIC_FLOW_OURS, psn64 & SRNIC_PSN_MASK);
	y = srnic_sth_advance(p->end[Y], SRNIC_FLOW_THEIRS, psn64 & SRNIC_PSN_MASK);
	local_bh_enable();
	return x || y;
}

static void rekey_pair(struct kunit *test, struct sth_pair *p)
{
	KUNIT_ASSERT_EQ(test, srnic_sth_rekey(p->end[X]), 0);
	KUNIT_ASSERT_EQ(test, srnic_sth_rekey(p->end[Y]), 0);
}

static void epochs_follow_each_other(struct kunit *test)
{
	const u64 half = BIT(23), turn = BIT(24);
	struct sth_connection_vector v = *(const struct sth_connection_vector *)test->param_value;
	struct sth_pair p;
	u64 e;

	v.flow[X].start = 0xfffff0;
	p = sth_ready_pair(test, &v, false);
	/* A flow that starts near the wrap has both epochs from the start. */
	KUNIT_EXPECT_EQ(test, sth_pass(test, &p, 0xfffff0), 0);
	KUNIT_EXPECT_EQ(test, sth_pass(test, &p, 0x1000005), 0);
	/* Go back over the wrap: packets of epoch 0 after packets of epoch 1. */
	KUNIT_EXPECT_EQ(test, sth_pass(test, &p, 0xffffff), 0);
	KUNIT_EXPECT_FALSE(test, advance_flow(&p, 0x1000001));

	for (e = 1; e < 5; e++) {
		KUNIT_EXPECT_FALSE(test, advance_flow(&p, e * turn + half - 1));
		KUNIT_EXPECT_EQ(test, sth_pass(test, &p, e * turn - 1), 0);
		/*
		 * In the middle of an epoch a rekey is due, once; until it has
		 * run, the next epoch has no keys.
		 */
		KUNIT_EXPECT_TRUE(test, advance_flow(&p, e * turn + half));
		KUNIT_EXPECT_FALSE(test, advance_flow(&p, e * turn + half + 1));
		KUNIT_EXPECT_EQ(test, sth_pass(test, &p, (e + 1) * turn), -ENOKEY);
		KUNIT_EXPECT_EQ(test, sth_pass(test, &p, e * turn + half), 0);
		rekey_pair(test, &p);
		KUNIT_EXPECT_EQ(test, sth_pass(test, &p, (e + 1) * turn), 0);
		KUNIT_EXPECT_EQ(test, sth_pass(test, &p, e * turn + half + 1), 0);
		/* The keys of e - 1 are wiped: those of e + 1 replace them. */
		KUNIT_EXPECT_FALSE(test, srnic_flow_has_keys(&p.end[X]->flow[SRNIC_FLOW_OURS],
							     e - 1));
		KUNIT_EXPECT_FALSE(test, advance_flow(&p, (e + 1) * turn - 1));
		KUNIT_EXPECT_FALSE(test, advance_flow(&p, (e + 1) * turn + 1));
	}
}

/* Do the work of the QP's worker, without pause. */
static int rekey_thread(void *ctx)
{
	struct sth_pair *p = ctx;

	while (!kthread_should_stop()) {
		srnic_sth_rekey(p->end[X]);
		srnic_sth_rekey(p->end[Y]);
		cond_resched();
	}
	return 0;
}

/* Keys change on one CPU while packets pass on another. */
static void keys_may_change_beside_traffic(struct kunit *test)
{
	struct sth_pair p = sth_ready_pair(test, test->param_value, false);
	u64 psn64 = p.v->flow[X].start, end = psn64 + 30 * BIT(24);
	struct task_struct *task = kthread_run(rekey_thread, &p, "srnic-rekey");
	unsigned int passed = 0;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	for (; psn64 < end; psn64 += BIT(21) - 1) {
		int err, tries = 0;

		advance_flow(&p, psn64);
		/* The keys of a new epoch may not be derived yet. */
		while ((err = sth_pass(test, &p, psn64)) == -ENOKEY && tries++ < 15000)
			msleep(20);
		if (err)
			break;
		passed++;
	}
	kthread_stop(task);
	KUNIT_EXPECT_GE_MSG(test, psn64, end, "%u passed", passed);
}

static void the_expected_psn_does_not_go_back(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_ready_pair(test, v, false);
	struct srnic_flow *f = &p.end[X]->flow[SRNIC_FLOW_OURS];
	u64 start = v->flow[X].start;

	advance_flow(&p, start + 100);
	KUNIT_EXPECT_EQ(test, f->expected, start + 100);
	advance_flow(&p, start + 50);
	KUNIT_EXPECT_EQ(test, f->expected, start + 100);
	advance_flow(&p, start - 1);
	KUNIT_EXPECT_EQ(test, f->expected, start + 100);
}

static struct kunit_case sth_rekey_cases[] = {
	KUNIT_CASE_PARAM(epochs_follow_each_other, sth_thorough_gen),
	KUNIT_CASE_PARAM(keys_may_change_beside_traffic, sth_thorough_gen),
	KUNIT_CASE_PARAM(the_expected_psn_does_not_go_back, sth_thorough_gen),
	{}
};

static struct kunit_suite sth_rekey_suite = {
	.name = "srnic-sth-rekey",
	.test_cases = sth_rekey_cases,
};

kunit_test_suite(sth_rekey_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's epochs and their keys");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
