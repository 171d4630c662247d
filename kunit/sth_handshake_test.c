// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the freshness handshake (protocol.md, section 7): two
 * connections in one kernel, and everything that a network can do to the four
 * frames.
 */
#include <linux/module.h>

#include "sth_fixture.h"

enum { HELLO, HELLO_ACK, CONFIRM, CONFIRM_ACK, FRAMES };

struct frame {
	u8 bytes[SRNIC_HS_FRAME_MAX];
	unsigned int len;
};

/* Build the frame that the requester would send next. */
static void next(struct kunit *test, struct srnic_sth *req, struct frame *f)
{
	int len = srnic_sth_hs_next(req, f->bytes);

	KUNIT_ASSERT_EQ(test, len, SRNIC_HS_FRAME_LEN);
	f->len = len;
}

static int rx(struct srnic_sth *sth, const struct frame *f, struct frame *reply)
{
	return srnic_sth_hs_rx(sth, f->bytes, f->len, reply->bytes, &reply->len);
}

/* Record all four frames of X's flow. */
static void record(struct kunit *test, struct sth_pair *p, struct frame f[FRAMES])
{
	struct frame none;

	next(test, p->end[X], &f[HELLO]);
	KUNIT_ASSERT_EQ(test, rx(p->end[Y], &f[HELLO], &f[HELLO_ACK]), SRNIC_HS_REPLY);
	KUNIT_ASSERT_EQ(test, rx(p->end[X], &f[HELLO_ACK], &none), SRNIC_HS_NEXT);
	next(test, p->end[X], &f[CONFIRM]);
	KUNIT_ASSERT_EQ(test, rx(p->end[Y], &f[CONFIRM], &f[CONFIRM_ACK]),
			SRNIC_HS_REPLY | SRNIC_HS_THEIRS);
	KUNIT_ASSERT_EQ(test, rx(p->end[X], &f[CONFIRM_ACK], &none), SRNIC_HS_READY);
}

/* Frames 0 and 2 go to Y, 1 and 3 to X. */
static int receiver_of(int frame)
{
	return frame & 1 ? X : Y;
}

static void both_must_have_the_same_keys(struct kunit *test, struct sth_pair *p)
{
	struct srnic_flow *x = &p->end[X]->flow[SRNIC_FLOW_OURS];
	struct srnic_flow *y = &p->end[Y]->flow[SRNIC_FLOW_THEIRS];

	KUNIT_EXPECT_TRUE(test, srnic_sth_flow_ready(p->end[X], SRNIC_FLOW_OURS));
	KUNIT_EXPECT_TRUE(test, srnic_sth_flow_ready(p->end[Y], SRNIC_FLOW_THEIRS));
	KUNIT_EXPECT_MEMEQ(test, x->nq, y->nq, 16);
	KUNIT_EXPECT_MEMEQ(test, x->nr, y->nr, 16);
	KUNIT_EXPECT_MEMEQ(test, x->key, y->key, 32);
	KUNIT_EXPECT_NOT_NULL(test, memchr_inv(x->key, 0, 32));
}

static void frames_and_keys_are_the_codecs(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_pair_of(test, v, true);
	struct frame f[FRAMES];
	int i;

	record(test, &p, f);
	for (i = 0; i < FRAMES; i++) {
		KUNIT_EXPECT_EQ(test, f[i].len, 60);
		KUNIT_EXPECT_MEMEQ(test, f[i].bytes, v->flow[X].frames[i], 60);
	}
	both_must_have_the_same_keys(test, &p);
	KUNIT_EXPECT_MEMEQ(test, p.end[X]->flow[SRNIC_FLOW_OURS].key, v->flow[X].key, 32);
	sth_shake(test, &p, Y);
	KUNIT_EXPECT_MEMEQ(test, p.end[X]->flow[SRNIC_FLOW_THEIRS].key, v->flow[Y].key, 32);
}

static void nonces_are_fresh_each_time(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair a = sth_ready_pair(test, v, false), b = sth_ready_pair(test, v, false);
	struct srnic_flow *fa = a.end[X]->flow, *fb = b.end[X]->flow;
	int i;

	for (i = 0; i < SRNIC_FLOWS; i++) {
		KUNIT_EXPECT_MEMNEQ(test, fa[i].nq, fb[i].nq, 16);
		KUNIT_EXPECT_MEMNEQ(test, fa[i].nr, fb[i].nr, 16);
		KUNIT_EXPECT_MEMNEQ(test, fa[i].key, fb[i].key, 32);
	}
	KUNIT_EXPECT_MEMNEQ(test, fa[0].key, fa[1].key, 32);
}

/* Lose each frame once; the requester retransmits. */
static void lost_frames_are_repeated(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct frame a, b, reply;
	struct sth_pair p;
	int lost;

	for (lost = 0; lost < FRAMES; lost++) {
		int round;

		p = sth_pair_of(test, v, false);
		for (round = 0; round < 2; round++) {
			next(test, p.end[X], &a);
			if (lost == 2 * round)
				next(test, p.end[X], &b);
			else if (lost == 2 * round + 1)
				rx(p.end[Y], &a, &reply);
			next(test, p.end[X], &b);
			KUNIT_EXPECT_MEMEQ(test, a.bytes, b.bytes, 60);
			KUNIT_ASSERT_GE(test, rx(p.end[Y], &b, &reply), 0);
			KUNIT_ASSERT_GT(test, rx(p.end[X], &reply, &a), 0);
		}
		KUNIT_EXPECT_EQ(test, srnic_sth_hs_next(p.end[X], a.bytes), 0);
		both_must_have_the_same_keys(test, &p);
	}
}

/* Deliver every frame twice in a row, and all of them again at the end. */
static void duplicates_do_no_harm(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_pair_of(test, v, false);
	struct frame f[FRAMES], reply, again;
	u8 key[32];
	int i;

	next(test, p.end[X], &f[HELLO]);
	KUNIT_EXPECT_EQ(test, rx(p.end[Y], &f[HELLO], &f[HELLO_ACK]), SRNIC_HS_REPLY);
	KUNIT_EXPECT_EQ(test, rx(p.end[Y], &f[HELLO], &again), SRNIC_HS_REPLY);
	KUNIT_EXPECT_MEMEQ(test, again.bytes, f[HELLO_ACK].bytes, 60);
	KUNIT_EXPECT_EQ(test, rx(p.end[X], &f[HELLO_ACK], &reply), SRNIC_HS_NEXT);
	KUNIT_EXPECT_EQ(test, rx(p.end[X], &f[HELLO_ACK], &reply), -EPROTO);
	next(test, p.end[X], &f[CONFIRM]);
	KUNIT_EXPECT_EQ(test, rx(p.end[Y], &f[CONFIRM], &f[CONFIRM_ACK]),
			SRNIC_HS_REPLY | SRNIC_HS_THEIRS);
	KUNIT_EXPECT_EQ(test, rx(p.end[Y], &f[CONFIRM], &again), SRNIC_HS_REPLY);
	KUNIT_EXPECT_MEMEQ(test, again.bytes, f[CONFIRM_ACK].bytes, 60);
	KUNIT_EXPECT_EQ(test, rx(p.end[X], &f[CONFIRM_ACK], &reply), SRNIC_HS_READY);
	KUNIT_EXPECT_EQ(test, rx(p.end[X], &f[CONFIRM_ACK], &reply), -EPROTO);
	both_must_have_the_same_keys(test, &p);

	memcpy(key, p.end[X]->flow[SRNIC_FLOW_OURS].key, 32);
	for (i = 0; i < FRAMES; i++)
		KUNIT_EXPECT_EQ(test, rx(p.end[receiver_of(i)], &f[i], &reply),
				i == CONFIRM ? SRNIC_HS_REPLY : -EPROTO);
	both_must_have_the_same_keys(test, &p);
	KUNIT_EXPECT_MEMEQ(test, p.end[X]->flow[SRNIC_FLOW_OURS].key, key, 32);
}

/* Replay frames of an earlier incarnation with the same GIDs, QPNs, PSNs and key. */
static void replayed_frames_change_nothing(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair old = sth_pair_of(test, v, false), p = sth_pair_of(test, v, false);
	struct srnic_flow before[2][SRNIC_FLOWS];
	struct frame f[FRAMES], now[FRAMES], reply;
	int i;

	record(test, &old, f);
	memcpy(before[X], p.end[X]->flow, sizeof(before[X]));
	memcpy(before[Y], p.end[Y]->flow, sizeof(before[Y]));
	for (i = 0; i < FRAMES; i++)
		KUNIT_EXPECT_EQ(test, rx(p.end[receiver_of(i)], &f[i], &reply),
				i == HELLO ? SRNIC_HS_REPLY : -EPROTO);
	KUNIT_EXPECT_MEMEQ(test, before[X], p.end[X]->flow, sizeof(before[X]));
	KUNIT_EXPECT_MEMEQ(test, before[Y], p.end[Y]->flow, sizeof(before[Y]));

	/* and in the middle of the new handshake */
	next(test, p.end[X], &now[HELLO]);
	KUNIT_ASSERT_EQ(test, rx(p.end[Y], &now[HELLO], &now[HELLO_ACK]), SRNIC_HS_REPLY);
	KUNIT_EXPECT_EQ(test, rx(p.end[Y], &f[CONFIRM], &reply), -EPROTO);
	KUNIT_ASSERT_EQ(test, rx(p.end[X], &now[HELLO_ACK], &reply), SRNIC_HS_NEXT);
	KUNIT_EXPECT_EQ(test, rx(p.end[X], &f[CONFIRM_ACK], &reply), -EPROTO);
	next(test, p.end[X], &now[CONFIRM]);
	KUNIT_ASSERT_GT(test, rx(p.end[Y], &now[CONFIRM], &now[CONFIRM_ACK]), 0);
	KUNIT_EXPECT_EQ(test, rx(p.end[Y], &f[HELLO], &reply), -EPROTO);
	KUNIT_EXPECT_EQ(test, rx(p.end[Y], &f[CONFIRM], &reply), -EPROTO);
	KUNIT_ASSERT_EQ(test, rx(p.end[X], &now[CONFIRM_ACK], &reply), SRNIC_HS_READY);
	both_must_have_the_same_keys(test, &p);
}

/*
 * A CONFIRM is delayed until the requester is reset: it blocks the new flow,
 * but opens nothing.
 */
static void a_late_confirm_cannot_revive_a_dead_requester(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_pair_of(test, v, false);
	struct srnic_sth *reborn = sth_make(test, v, X);
	struct frame a, reply, late, confirm;

	next(test, p.end[X], &a);
	rx(p.end[Y], &a, &reply);
	rx(p.end[X], &reply, &a);
	next(test, p.end[X], &late);

	srnic_sth_flow_start(reborn, SRNIC_FLOW_OURS, v->flow[X].start);
	next(test, reborn, &a);
	KUNIT_ASSERT_EQ(test, rx(p.end[Y], &a, &reply), SRNIC_HS_REPLY);
	KUNIT_ASSERT_EQ(test, rx(reborn, &reply, &a), SRNIC_HS_NEXT);
	next(test, reborn, &confirm);
	KUNIT_EXPECT_EQ(test, rx(p.end[Y], &late, &reply), SRNIC_HS_REPLY | SRNIC_HS_THEIRS);
	KUNIT_EXPECT_EQ(test, rx(reborn, &reply, &a), -EPROTO);
	KUNIT_EXPECT_EQ(test, rx(p.end[Y], &confirm, &reply), -EPROTO);
	KUNIT_EXPECT_FALSE(test, srnic_sth_flow_ready(reborn, SRNIC_FLOW_OURS));
}

static void frames_out_of_order_are_refused(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_pair_of(test, v, true), q = sth_pair_of(test, v, true);
	struct frame f[FRAMES], reply;

	/* Both use the same nonces: frames of p are valid in q, but not yet. */
	record(test, &p, f);
	KUNIT_EXPECT_EQ(test, rx(q.end[X], &f[CONFIRM_ACK], &reply), -EPROTO);
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_next(q.end[X], reply.bytes), 60);
	KUNIT_EXPECT_MEMEQ(test, reply.bytes, f[HELLO].bytes, 60);
	/*
	 * A sender that knows n_r has received our HELLO-ACK: CONFIRM needs no
	 * HELLO before it.
	 */
	KUNIT_EXPECT_EQ(test, rx(q.end[Y], &f[CONFIRM], &reply), SRNIC_HS_REPLY | SRNIC_HS_THEIRS);
	KUNIT_EXPECT_EQ(test, rx(q.end[X], &f[HELLO_ACK], &reply), SRNIC_HS_NEXT);
	KUNIT_EXPECT_EQ(test, rx(q.end[X], &f[CONFIRM_ACK], &reply), SRNIC_HS_READY);
	both_must_have_the_same_keys(test, &q);
}

static void no_bit_may_change(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_pair_of(test, v, true), q = sth_pair_of(test, v, true);
	struct frame f[FRAMES], bad, reply;
	struct srnic_flow before[SRNIC_FLOWS];
	unsigned int i, bit;

	record(test, &p, f);
	for (i = 0; i < FRAMES; i++) {
		struct srnic_sth *sth = q.end[receiver_of(i)];

		memcpy(before, sth->flow, sizeof(before));
		for (bit = 0; bit < 8 * 60; bit++) {
			int err;

			if (bit / 8 == 4)
				continue;
			bad = f[i];
			bad.bytes[bit / 8] ^= 0x80 >> bit % 8;
			err = rx(sth, &bad, &reply);
			KUNIT_ASSERT_TRUE_MSG(test, err == -EBADMSG || err == -EPROTO,
					      "frame %u, bit %u: %d", i, bit, err);
		}
		KUNIT_EXPECT_MEMEQ(test, before, sth->flow, sizeof(before));
		KUNIT_EXPECT_GT(test, rx(sth, &f[i], &reply), 0);
	}
}

static void a_reflected_frame_is_refused(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_pair_of(test, v, true);
	struct frame f[FRAMES], reply;
	int i;

	record(test, &p, f);
	for (i = 0; i < FRAMES; i++)
		KUNIT_EXPECT_EQ(test, rx(p.end[!receiver_of(i)], &f[i], &reply), -EBADMSG);
}

static void refused_by(struct kunit *test, const struct sth_connection_vector *v,
		       const struct srnic_sth_params *params, const char *what)
{
	struct srnic_sth *x = sth_make_of(test, params), *y = sth_make(test, v, Y);
	struct frame f, reply;

	srnic_sth_flow_start(x, SRNIC_FLOW_OURS, v->flow[X].start);
	srnic_sth_flow_start(y, SRNIC_FLOW_THEIRS, v->flow[X].start);
	next(test, x, &f);
	KUNIT_EXPECT_EQ_MSG(test, rx(y, &f, &reply), -EBADMSG, "%s", what);
}

static void ends_that_disagree_do_not_meet(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct srnic_sth_params params;

	sth_params_of(&params, v, X);
	params.key[3] ^= 0x10;
	refused_by(test, v, &params, "key");
	sth_params_of(&params, v, X);
	params.pair_key = !params.pair_key;
	refused_by(test, v, &params, "kind of key");
	sth_params_of(&params, v, X);
	params.suite = srnic_sth_suite_find(strcmp(v->suite, "aes-gcm-128") ? "aes-gcm-128" :
					    "aes-cmac-128");
	params.mode = v->mode == SRNIC_STH_AEAD ? SRNIC_STH_HEADER : SRNIC_STH_AEAD;
	refused_by(test, v, &params, "suite");
	sth_params_of(&params, v, X);
	if (v->mode != SRNIC_STH_AEAD) {
		params.mode = v->mode ^ SRNIC_STH_HEADER ^ SRNIC_STH_PACKET;
		refused_by(test, v, &params, "mode");
	}
	sth_params_of(&params, v, X);
	params.local_qpn ^= 0x800000;
	refused_by(test, v, &params, "QPN");
	sth_params_of(&params, v, X);
	params.local_gid[15] ^= 0x80;
	refused_by(test, v, &params, "GID");
}

static void another_starting_psn_is_refused(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct srnic_sth *x = sth_make(test, v, X), *y = sth_make(test, v, Y);
	struct frame f, reply;

	srnic_sth_flow_start(x, SRNIC_FLOW_OURS, 5);
	srnic_sth_flow_start(y, SRNIC_FLOW_THEIRS, 6);
	next(test, x, &f);
	KUNIT_EXPECT_EQ(test, rx(y, &f, &reply), -EPROTO);
}

static void before_its_start_a_flow_says_nothing(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct srnic_sth *x = sth_make(test, v, X), *y = sth_make(test, v, Y);
	struct frame f, reply;

	KUNIT_EXPECT_EQ(test, srnic_sth_hs_next(x, f.bytes), -ENOTCONN);
	srnic_sth_flow_start(x, SRNIC_FLOW_OURS, v->flow[X].start);
	next(test, x, &f);
	KUNIT_EXPECT_EQ(test, rx(y, &f, &reply), -EPROTO);
	/* A responder that stays in RTR need not send a HELLO. */
	srnic_sth_flow_start(y, SRNIC_FLOW_THEIRS, v->flow[X].start);
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_next(y, reply.bytes), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, rx(y, &f, &reply), SRNIC_HS_REPLY);
}

static void the_pair_key_is_wiped_when_both_flows_have_theirs(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_pair_of(test, v, false);
	int end;

	sth_shake(test, &p, X);
	for (end = X; end <= Y; end++)
		KUNIT_EXPECT_MEMEQ(test, p.end[end]->pair, v->pair, 32);
	sth_shake(test, &p, Y);
	for (end = X; end <= Y; end++)
		KUNIT_EXPECT_NULL(test, memchr_inv(p.end[end]->pair, 0, 32));
}

static void expect_refused(struct kunit *test, const struct srnic_sth_params *params, int err)
{
	struct srnic_sth *sth = srnic_sth_create(params);

	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(sth), err);
	if (!IS_ERR(sth))
		srnic_sth_destroy(sth);
}

/* X has its policy's key if @policy, and its application's if @own; Y has both. */
static struct sth_pair pair_of_two_keys(struct kunit *test, const struct sth_connection_vector *v,
					bool policy, bool own)
{
	struct sth_pair p = { .v = v };
	int end, owner;

	for (end = X; end <= Y; end++) {
		struct srnic_sth_params params;

		sth_params_of(&params, v, end);
		if (end == Y || own) {
			params.own_len = 32;
			params.own_pair = !v->pair_key;
			memset(params.own_key, 0x5a, 32);
		}
		if (end == X && !policy)
			params.key_len = 0;
		p.end[end] = sth_make_of(test, &params);
		for (owner = X; owner <= Y; owner++)
			srnic_sth_flow_start(p.end[end], sth_flow_at(end, owner),
					     v->flow[owner].start);
	}
	return p;
}

static void S19_of_two_keys_it_takes_both(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = pair_of_two_keys(test, v, true, true);
	struct frame hello, reply;

	sth_shake(test, &p, X);
	sth_shake(test, &p, Y);
	both_must_have_the_same_keys(test, &p);

	p = pair_of_two_keys(test, v, true, false);
	next(test, p.end[X], &hello);
	KUNIT_EXPECT_EQ(test, rx(p.end[Y], &hello, &reply), -EBADMSG);
	p = pair_of_two_keys(test, v, false, true);
	next(test, p.end[X], &hello);
	KUNIT_EXPECT_EQ(test, rx(p.end[Y], &hello, &reply), -EBADMSG);
}

static void S19_of_two_keys_comes_one(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair one = sth_pair_of(test, v, false);
	struct sth_pair two = pair_of_two_keys(test, v, true, true);
	struct sth_pair other = pair_of_two_keys(test, v, false, true);
	const struct srnic_kdf_purpose both = { "STH1 both", other.end[X]->pair, 32 };
	u8 pair[32];

	KUNIT_ASSERT_EQ(test, srnic_kdf(one.end[X]->pair, 32, &both, pair, 32), 0);
	KUNIT_EXPECT_MEMEQ(test, two.end[X]->pair, pair, 32);
	KUNIT_EXPECT_MEMEQ(test, two.end[Y]->pair, pair, 32);
}

static void what_cannot_be_secure_is_not_made(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct srnic_sth_params params;
	unsigned int len;

	sth_params_of(&params, v, X);
	params.remote_qpn = params.local_qpn;
	memcpy(params.remote_gid, params.local_gid, 16);
	expect_refused(test, &params, -EINVAL);

	for (len = 0; len < 16; len++) {
		sth_params_of(&params, v, X);
		params.key_len = len;
		expect_refused(test, &params, -EKEYREJECTED);
	}
	params.key_len = 33;
	expect_refused(test, &params, -EKEYREJECTED);
	params.key_len = 32;
	params.own_len = 15;
	expect_refused(test, &params, -EKEYREJECTED);
	params.own_len = 33;
	expect_refused(test, &params, -EKEYREJECTED);

	sth_params_of(&params, v, X);
	params.mode = SRNIC_STH_OFF;
	expect_refused(test, &params, -EOPNOTSUPP);
	params.mode = v->mode == SRNIC_STH_AEAD ? SRNIC_STH_PACKET : SRNIC_STH_AEAD;
	expect_refused(test, &params, -EOPNOTSUPP);
	params.suite = NULL;
	expect_refused(test, &params, -EOPNOTSUPP);
}

static struct kunit_case sth_handshake_cases[] = {
	KUNIT_CASE_PARAM(frames_and_keys_are_the_codecs, sth_thorough_gen),
	KUNIT_CASE_PARAM(nonces_are_fresh_each_time, sth_thorough_gen),
	KUNIT_CASE_PARAM(lost_frames_are_repeated, sth_thorough_gen),
	KUNIT_CASE_PARAM(duplicates_do_no_harm, sth_thorough_gen),
	KUNIT_CASE_PARAM(replayed_frames_change_nothing, sth_thorough_gen),
	KUNIT_CASE_PARAM(a_late_confirm_cannot_revive_a_dead_requester, sth_thorough_gen),
	KUNIT_CASE_PARAM(frames_out_of_order_are_refused, sth_thorough_gen),
	KUNIT_CASE_PARAM(no_bit_may_change, sth_thorough_gen),
	KUNIT_CASE_PARAM(a_reflected_frame_is_refused, sth_thorough_gen),
	KUNIT_CASE_PARAM(ends_that_disagree_do_not_meet, sth_thorough_gen),
	KUNIT_CASE_PARAM(another_starting_psn_is_refused, sth_thorough_gen),
	KUNIT_CASE_PARAM(before_its_start_a_flow_says_nothing, sth_thorough_gen),
	KUNIT_CASE_PARAM(the_pair_key_is_wiped_when_both_flows_have_theirs, sth_thorough_gen),
	KUNIT_CASE_PARAM(S19_of_two_keys_it_takes_both, sth_thorough_gen),
	KUNIT_CASE_PARAM(S19_of_two_keys_comes_one, sth_thorough_gen),
	KUNIT_CASE_PARAM(what_cannot_be_secure_is_not_made, sth_thorough_gen),
	{}
};

static struct kunit_suite sth_handshake_suite = {
	.name = "srnic-sth-handshake",
	.test_cases = sth_handshake_cases,
};

kunit_test_suite(sth_handshake_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's freshness handshake");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
