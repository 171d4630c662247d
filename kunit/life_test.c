// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of lives (protocol.md, section 7): after a fork of the virtual machine, or while
 * the machine hibernates, nothing is sealed or opened by what began before.
 */
#include <linux/module.h>
#include <linux/suspend.h>
#include <net/net_namespace.h>

#include "main.h"
#include "pair_fixture.h"
#include "engine/life.h"
#include "engine/ud_keys.h"
#include "engine/ud_keys_tx.h"

/* Do as main.c when it is told of a fork. */
static void fork_machine(struct kunit *test)
{
	struct world *w = test->priv;

	srnic_sth_begin_life();
	srnic_life_end_seals(w->dev);
}

/* ---------------------------------------------------------- connections */

static void nothing_is_sealed_or_opened_in_another_life(struct kunit *test)
{
	struct sth_pair p = sth_ready_pair(test, test->param_value, false);
	u64 psn64 = p.v->flow[X].start;
	struct sth_box *box = sth_send_only(test, &p, X, psn64 & SRNIC_PSN_MASK);
	struct srnic_subkey *key = sth_subkey_of(p.end[X], SRNIC_FLOW_OURS, psn64, SRNIC_TO_SEAL);
	u8 frame[SRNIC_HS_FRAME_LEN];

	KUNIT_ASSERT_EQ(test, sth_pass(test, &p, psn64), 0);
	KUNIT_ASSERT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box), 0);
	KUNIT_EXPECT_EQ(test, key->emitted, 2);

	srnic_sth_begin_life();
	KUNIT_EXPECT_EQ(test, sth_box_open(p.end[Y], SRNIC_FLOW_THEIRS, box), -EKEYEXPIRED);
	KUNIT_EXPECT_EQ(test, sth_pass(test, &p, psn64), -EKEYEXPIRED);
	KUNIT_EXPECT_EQ_MSG(test, key->emitted, 2, "a nonce was used");
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_next(p.end[X], frame), -ENOTCONN);

	p = sth_ready_pair(test, test->param_value, false);
	KUNIT_EXPECT_EQ_MSG(test, sth_pass(test, &p, psn64), 0, "a connection of this life");
}

/* A responder that listens: its HELLO-ACK was sent, and the CONFIRM is on its way or recorded. */
static void a_responder_of_another_life_answers_nothing(struct kunit *test)
{
	struct sth_pair p = sth_pair_of(test, test->param_value, false);
	u8 hello[SRNIC_HS_FRAME_LEN], confirm[SRNIC_HS_FRAME_LEN], reply[SRNIC_HS_FRAME_LEN];
	unsigned int reply_len;
	int len;

	len = srnic_sth_hs_next(p.end[X], hello);
	KUNIT_ASSERT_EQ(test, srnic_sth_hs_rx(p.end[Y], hello, len, reply, &reply_len),
			SRNIC_HS_REPLY);
	KUNIT_ASSERT_EQ(test, srnic_sth_hs_rx(p.end[X], reply, reply_len, confirm, &reply_len),
			SRNIC_HS_NEXT);
	KUNIT_ASSERT_EQ(test, srnic_sth_hs_next(p.end[X], confirm), len);

	srnic_sth_begin_life();
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_rx(p.end[Y], hello, len, reply, &reply_len), -EPROTO);
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_rx(p.end[Y], confirm, len, reply, &reply_len), -EPROTO);
	KUNIT_EXPECT_FALSE(test, srnic_sth_flow_ready(p.end[Y], SRNIC_FLOW_THEIRS));
}

static void expect_no_life(struct kunit *test, struct sth_pair *p)
{
	u8 frame[SRNIC_HS_FRAME_LEN];

	KUNIT_EXPECT_EQ(test, srnic_sth_hs_next(p->end[X], frame), -ENOTCONN);
}

static void what_starts_between_two_lives_never_seals(struct kunit *test)
{
	struct sth_pair between, before = sth_ready_pair(test, test->param_value, false);

	srnic_sth_hold_life();
	between = sth_pair_of(test, test->param_value, false);
	KUNIT_EXPECT_EQ(test, sth_pass(test, &before, before.v->flow[X].start), -EKEYEXPIRED);
	expect_no_life(test, &between);

	/* a fork meanwhile changes nothing */
	srnic_sth_begin_life();
	expect_no_life(test, &between);
	between = sth_pair_of(test, test->param_value, false);
	expect_no_life(test, &between);

	srnic_sth_release_life();
	expect_no_life(test, &between);
	before = sth_ready_pair(test, test->param_value, false);
	KUNIT_EXPECT_EQ(test, sth_pass(test, &before, before.v->flow[X].start), 0);
}

static void nothing_that_starts_while_the_machine_hibernates_seals(struct kunit *test)
{
	struct sth_pair p = sth_ready_pair(test, test->param_value, false);

	srnic_pm_event(NULL, PM_HIBERNATION_PREPARE, NULL);
	KUNIT_EXPECT_EQ(test, sth_pass(test, &p, p.v->flow[X].start), -EKEYEXPIRED);
	p = sth_pair_of(test, test->param_value, false);
	expect_no_life(test, &p);

	srnic_pm_event(NULL, PM_POST_HIBERNATION, NULL);
	expect_no_life(test, &p);
	p = sth_ready_pair(test, test->param_value, false);
	KUNIT_EXPECT_EQ(test, sth_pass(test, &p, p.v->flow[X].start), 0);
}

static void suspension_to_memory_ends_nothing(struct kunit *test)
{
	struct sth_pair p = sth_ready_pair(test, test->param_value, false);

	srnic_pm_event(NULL, PM_SUSPEND_PREPARE, NULL);
	srnic_pm_event(NULL, PM_POST_SUSPEND, NULL);
	KUNIT_EXPECT_EQ(test, sth_pass(test, &p, p.v->flow[X].start), 0);
}

static void expect_wiped(struct kunit *test, const struct srnic_sth *sth)
{
	enum srnic_sth_flow flow;
	unsigned int i;

	for (flow = 0; flow < SRNIC_FLOWS; flow++) {
		const struct srnic_flow *f = &sth->flow[flow];

		KUNIT_EXPECT_NULL(test, memchr_inv(f->key, 0, sizeof(f->key)));
		KUNIT_EXPECT_NULL(test, rcu_access_pointer(f->keys[0]));
		KUNIT_EXPECT_NULL(test, rcu_access_pointer(f->keys[1]));
		KUNIT_EXPECT_NULL(test, memchr_inv(&sth->ksr[flow], 0, sizeof(sth->ksr[flow])));
	}
	for (i = 0; i < SRNIC_SECRETS; i++) {
		const struct srnic_pair *pair = &sth->pair[i];

		KUNIT_EXPECT_NULL(test, memchr_inv(pair->key, 0, sizeof(pair->key)));
		KUNIT_EXPECT_NULL(test, pair->hs);
	}
	KUNIT_EXPECT_NULL(test, memchr_inv(&sth->ephemeral, 0, sizeof(sth->ephemeral)));
}

static void keys_of_another_life_are_wiped(struct kunit *test)
{
	struct sth_pair p = sth_pair_of(test, test->param_value, false);
	u8 frame[SRNIC_HS_FRAME_LEN], reply[SRNIC_HS_FRAME_LEN];
	unsigned int reply_len;
	int len;

	len = srnic_sth_hs_next(p.end[Y], frame);
	sth_shake(test, &p, X);
	memset(p.end[X]->ksr, 0x5a, sizeof(p.end[X]->ksr));
	KUNIT_EXPECT_FALSE(test, srnic_sth_end(p.end[X]));
	srnic_sth_wipe(p.end[X]);
	KUNIT_EXPECT_EQ_MSG(test, sth_pass(test, &p, p.v->flow[X].start), 0, "it lives");

	srnic_sth_begin_life();
	KUNIT_EXPECT_TRUE(test, srnic_sth_end(p.end[X]));
	KUNIT_EXPECT_FALSE_MSG(test, srnic_sth_end(p.end[X]), "once");
	srnic_sth_wipe(p.end[X]);
	expect_wiped(test, p.end[X]);
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_rx(p.end[X], frame, len, reply, &reply_len), -EPROTO);
	KUNIT_EXPECT_EQ(test, srnic_sth_rekey(p.end[X]), 0);
	expect_wiped(test, p.end[X]);
}

/* The ephemeral key is as old as the connection: the original of this machine has it, too. */
static void a_share_from_before_a_fork_is_never_sent(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct srnic_sth *sth = sth_make(test, v, X);
	u8 frame[SRNIC_HS_FRAME_LEN];

	srnic_sth_begin_life();
	srnic_sth_flow_start(sth, SRNIC_FLOW_THEIRS, v->flow[Y].start);
	srnic_sth_flow_start(sth, SRNIC_FLOW_OURS, v->flow[X].start);
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_next(sth, frame), -ENOTCONN);
	KUNIT_ASSERT_TRUE(test, srnic_sth_end(sth));
	srnic_sth_wipe(sth);
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_next(sth, frame), -ENOTCONN);
}

/*
 * Keys of the next epoch or phase must not be derived from a K_F that has been wiped, because
 * everybody knows zeros.
 */
static void no_key_is_derived_from_what_was_wiped(struct kunit *test)
{
	struct sth_pair p = sth_ready_pair(test, test->param_value, false);
	enum srnic_sth_flow flow;

	srnic_sth_begin_life();
	KUNIT_ASSERT_TRUE(test, srnic_sth_end(p.end[X]));
	srnic_sth_wipe(p.end[X]);
	for (flow = 0; flow < SRNIC_FLOWS; flow++) {
		p.end[X]->flow[flow].update_due = true;
		p.end[X]->flow[flow].expected += 1 << SRNIC_EPOCH_SHIFT;
	}
	KUNIT_EXPECT_EQ(test, srnic_sth_rekey(p.end[X]), 0);
	expect_wiped(test, p.end[X]);
	KUNIT_EXPECT_NE(test, sth_pass(test, &p, p.v->flow[X].start), 0);
}

/* ------------------------------------------------------------------- QPs */

static unsigned int fatal_events;

static void count_event(struct ib_event *event, void *context)
{
	fatal_events += event->event == IB_EVENT_QP_FATAL;
}

static void expect_state(struct kunit *test, enum ib_qp_state state, u64 ended)
{
	struct world *w = test->priv;

	KUNIT_EXPECT_EQ(test, w->qp[A]->state, state);
	KUNIT_EXPECT_EQ(test, w->qp[B]->state, state);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_sth_ended), ended);
	KUNIT_EXPECT_EQ(test, fatal_events, ended);
}

static void a_fork_ends_sealed_connections_and_says_so(struct kunit *test)
{
	struct world *w = test->priv;

	seal(test);
	/* both may have one number, as they would on two machines */
	KUNIT_ASSERT_EQ(test, xa_err(xa_store(&w->dev->qps, A, w->qp[A], GFP_KERNEL)), 0);
	KUNIT_ASSERT_EQ(test, xa_err(xa_store(&w->dev->qps, B, w->qp[B], GFP_KERNEL)), 0);
	fatal_events = 0;
	w->qp[A]->ib.event_handler = count_event;
	w->qp[B]->ib.event_handler = count_event;

	srnic_life_end_seals(w->dev);
	expect_state(test, IB_QPS_RTS, 0);
	fork_machine(test);
	expect_state(test, IB_QPS_ERR, 2);
	KUNIT_EXPECT_TRUE(test, test_bit(SRNIC_QP_WORK_WIPE, &w->qp[A]->work_bits));
	KUNIT_EXPECT_TRUE(test, test_bit(SRNIC_QP_WORK_FLUSH, &w->qp[A]->work_bits));
	fork_machine(test);
	expect_state(test, IB_QPS_ERR, 2);
}

static void a_fork_leaves_clear_connections_alone(struct kunit *test)
{
	fatal_events = 0;
	fork_machine(test);
	expect_state(test, IB_QPS_RTS, 0);
}

/* ------------------------------------------------------------- datagrams */

static void put_request(void *out)
{
	if (((struct srnic_dgram_out *)out)->key_requested)
		put_net(((struct srnic_dgram_out *)out)->req_net);
}

static void free_out(void *qp)
{
	put_request(((struct srnic_qp *)qp)->dgram_out);
	srnic_dgram_out_free(qp);
}

/* Make A a sender of datagrams that has sent some, and has a key. */
static struct srnic_dgram_out *make_sender(struct kunit *test)
{
	struct srnic_out_key *key = kzalloc(sizeof(*key), GFP_KERNEL);
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[A];

	KUNIT_ASSERT_NOT_NULL(test, key);
	qp->ib.qp_type = IB_QPT_UD;
	qp->transport = SRNIC_TP_UD;
	qp->path.net = &init_net;
	KUNIT_ASSERT_EQ(test, srnic_dgram_out_alloc(qp), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_out, qp), 0);
	hash_add(qp->dgram_out->keys, &key->node, 0);
	qp->dgram_out->count++;
	qp->dgram_out->counter = 7;
	return qp->dgram_out;
}

static void a_fork_draws_new_salts(struct kunit *test)
{
	struct srnic_dgram_out *out = make_sender(test);
	u64 salt = out->salt;

	srnic_sth_release_life();
	fork_machine(test);
	KUNIT_EXPECT_NE(test, out->salt, salt);
	KUNIT_EXPECT_EQ(test, out->counter, 0);
	KUNIT_EXPECT_EQ(test, out->count, 0);
	KUNIT_EXPECT_FALSE_MSG(test, hlist_empty(&out->dead), "the worker frees the keys");
}

static int find_error(struct srnic_qp *qp)
{
	struct srnic_dgram *dgram;

	lock(qp);
	dgram = srnic_dgram_out_find(qp, &qp->path);
	unlock(qp);
	return PTR_ERR_OR_ZERO(dgram);
}

static void no_datagram_is_sealed_under_a_salt_of_another_life(struct kunit *test)
{
	struct srnic_dgram_out *out = make_sender(test);
	struct world *w = test->priv;
	u64 salt = out->salt;

	srnic_sth_begin_life();	/* before main.c gets to this QP */
	KUNIT_EXPECT_EQ(test, find_error(w->qp[A]), -ENOKEY);
	KUNIT_EXPECT_NE(test, out->salt, salt);
	KUNIT_EXPECT_EQ(test, out->req_id.salt, out->salt);
	KUNIT_EXPECT_EQ(test, out->counter, 0);

	srnic_sth_hold_life();
	KUNIT_EXPECT_EQ(test, find_error(w->qp[A]), -EBUSY);
	salt = out->salt;
	srnic_sth_release_life();
	KUNIT_EXPECT_EQ(test, find_error(w->qp[A]), -ENOKEY);
	KUNIT_EXPECT_NE(test, out->salt, salt);
}

static void life_test_exit(struct kunit *test)
{
	srnic_sth_release_life();
	pair_exit(test);
}

static struct kunit_case life_cases[] = {
	KUNIT_CASE_PARAM(nothing_is_sealed_or_opened_in_another_life, sth_kind_gen),
	KUNIT_CASE_PARAM(a_responder_of_another_life_answers_nothing, sth_kind_gen),
	KUNIT_CASE_PARAM(what_starts_between_two_lives_never_seals, sth_kind_gen),
	KUNIT_CASE_PARAM(nothing_that_starts_while_the_machine_hibernates_seals, sth_kind_gen),
	KUNIT_CASE_PARAM(suspension_to_memory_ends_nothing, sth_kind_gen),
	KUNIT_CASE_PARAM(keys_of_another_life_are_wiped, sth_kind_gen),
	KUNIT_CASE_PARAM(a_share_from_before_a_fork_is_never_sent, sth_kind_gen),
	KUNIT_CASE_PARAM(no_key_is_derived_from_what_was_wiped, sth_kind_gen),
	KUNIT_CASE_PARAM(a_fork_ends_sealed_connections_and_says_so, sth_kind_gen),
	KUNIT_CASE(a_fork_leaves_clear_connections_alone),
	KUNIT_CASE(a_fork_draws_new_salts),
	KUNIT_CASE(no_datagram_is_sealed_under_a_salt_of_another_life),
	{}
};

static struct kunit_suite life_suite = {
	.name = "srnic-life",
	.init = pair_init,
	.exit = life_test_exit,
	.test_cases = life_cases,
};

kunit_test_suite(life_suite);

MODULE_DESCRIPTION("KUnit suite of srnic: lives of the machine's memory");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
