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
	u8 bytes[SRNIC_HS_FRAME_LEN];
	unsigned int len;
};

/* Build the frame that the requester would send next. */
static void next_frame(struct kunit *test, struct srnic_sth *req, struct frame *f)
{
	int len = srnic_sth_hs_next(req, f->bytes);

	KUNIT_ASSERT_EQ(test, len, SRNIC_HS_FRAME_LEN);
	f->len = len;
}

static int rx_frame(struct srnic_sth *sth, const struct frame *f, struct frame *reply)
{
	return srnic_sth_hs_rx(sth, f->bytes, f->len, reply->bytes, &reply->len);
}

/* Record all four frames of X's flow. */
static void record_frames(struct kunit *test, struct sth_pair *p, struct frame f[FRAMES])
{
	struct frame none;

	next_frame(test, p->end[X], &f[HELLO]);
	KUNIT_ASSERT_EQ(test, rx_frame(p->end[Y], &f[HELLO], &f[HELLO_ACK]), SRNIC_HS_REPLY);
	KUNIT_ASSERT_EQ(test, rx_frame(p->end[X], &f[HELLO_ACK], &none), SRNIC_HS_NEXT);
	next_frame(test, p->end[X], &f[CONFIRM]);
	KUNIT_ASSERT_EQ(test, rx_frame(p->end[Y], &f[CONFIRM], &f[CONFIRM_ACK]),
			SRNIC_HS_REPLY | SRNIC_HS_THEIRS);
	KUNIT_ASSERT_EQ(test, rx_frame(p->end[X], &f[CONFIRM_ACK], &none), SRNIC_HS_READY);
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

/* Expect that the flow's K_F follows from that of epoch 0. */
static void expect_key_of(struct kunit *test, const struct srnic_flow *f, const u8 key0[32])
{
	const struct srnic_kdf_purpose ratchet = { .label = "STH2 ratchet" };
	u8 key[32], next[32];
	u64 epoch;

	memcpy(key, key0, 32);
	KUNIT_EXPECT_GT(test, f->key_epoch, 0);
	for (epoch = 0; epoch < f->key_epoch; epoch++) {
		KUNIT_ASSERT_EQ(test, srnic_kdf(key, 32, &ratchet, next, 32), 0);
		memcpy(key, next, 32);
	}
	KUNIT_EXPECT_MEMEQ(test, f->key, key, 32);
}

static void frames_and_keys_are_the_codecs(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_pair_of(test, v, true);
	struct frame f[FRAMES];
	int i;

	record_frames(test, &p, f);
	for (i = 0; i < FRAMES; i++) {
		KUNIT_EXPECT_EQ(test, f[i].len, SRNIC_HS_FRAME_LEN);
		KUNIT_EXPECT_MEMEQ(test, f[i].bytes, v->flow[X].frames[i], SRNIC_HS_FRAME_LEN);
	}
	both_must_have_the_same_keys(test, &p);
	expect_key_of(test, &p.end[X]->flow[SRNIC_FLOW_OURS], v->flow[X].key);
	sth_shake(test, &p, Y);
	expect_key_of(test, &p.end[X]->flow[SRNIC_FLOW_THEIRS], v->flow[Y].key);
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
			next_frame(test, p.end[X], &a);
			if (lost == 2 * round)
				next_frame(test, p.end[X], &b);
			else if (lost == 2 * round + 1)
				rx_frame(p.end[Y], &a, &reply);
			next_frame(test, p.end[X], &b);
			KUNIT_EXPECT_MEMEQ(test, a.bytes, b.bytes, SRNIC_HS_FRAME_LEN);
			KUNIT_ASSERT_GE(test, rx_frame(p.end[Y], &b, &reply), 0);
			KUNIT_ASSERT_GT(test, rx_frame(p.end[X], &reply, &a), 0);
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

	next_frame(test, p.end[X], &f[HELLO]);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[Y], &f[HELLO], &f[HELLO_ACK]), SRNIC_HS_REPLY);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[Y], &f[HELLO], &again), SRNIC_HS_REPLY);
	KUNIT_EXPECT_MEMEQ(test, again.bytes, f[HELLO_ACK].bytes, SRNIC_HS_FRAME_LEN);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[X], &f[HELLO_ACK], &reply), SRNIC_HS_NEXT);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[X], &f[HELLO_ACK], &reply), -EPROTO);
	next_frame(test, p.end[X], &f[CONFIRM]);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[Y], &f[CONFIRM], &f[CONFIRM_ACK]),
			SRNIC_HS_REPLY | SRNIC_HS_THEIRS);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[Y], &f[CONFIRM], &again), SRNIC_HS_REPLY);
	KUNIT_EXPECT_MEMEQ(test, again.bytes, f[CONFIRM_ACK].bytes, SRNIC_HS_FRAME_LEN);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[X], &f[CONFIRM_ACK], &reply), SRNIC_HS_READY);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[X], &f[CONFIRM_ACK], &reply), -EPROTO);
	both_must_have_the_same_keys(test, &p);

	memcpy(key, p.end[X]->flow[SRNIC_FLOW_OURS].key, 32);
	for (i = 0; i < FRAMES; i++)
		KUNIT_EXPECT_EQ(test, rx_frame(p.end[receiver_of(i)], &f[i], &reply),
				receiver_of(i) == Y ? SRNIC_HS_REPLY : -EPROTO);
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

	record_frames(test, &old, f);
	memcpy(before[X], p.end[X]->flow, sizeof(before[X]));
	memcpy(before[Y], p.end[Y]->flow, sizeof(before[Y]));
	for (i = 0; i < FRAMES; i++)
		KUNIT_EXPECT_EQ(test, rx_frame(p.end[receiver_of(i)], &f[i], &reply),
				i == HELLO ? SRNIC_HS_REPLY : -EPROTO);
	KUNIT_EXPECT_MEMEQ(test, before[X], p.end[X]->flow, sizeof(before[X]));
	KUNIT_EXPECT_MEMEQ(test, before[Y], p.end[Y]->flow, sizeof(before[Y]));

	/* and in the middle of the new handshake */
	next_frame(test, p.end[X], &now[HELLO]);
	KUNIT_ASSERT_EQ(test, rx_frame(p.end[Y], &now[HELLO], &now[HELLO_ACK]), SRNIC_HS_REPLY);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[Y], &f[CONFIRM], &reply), -EPROTO);
	KUNIT_ASSERT_EQ(test, rx_frame(p.end[X], &now[HELLO_ACK], &reply), SRNIC_HS_NEXT);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[X], &f[CONFIRM_ACK], &reply), -EPROTO);
	next_frame(test, p.end[X], &now[CONFIRM]);
	KUNIT_ASSERT_GT(test, rx_frame(p.end[Y], &now[CONFIRM], &now[CONFIRM_ACK]), 0);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[Y], &f[HELLO], &reply), -EPROTO);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[Y], &f[CONFIRM], &reply), -EPROTO);
	KUNIT_ASSERT_EQ(test, rx_frame(p.end[X], &now[CONFIRM_ACK], &reply), SRNIC_HS_READY);
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

	next_frame(test, p.end[X], &a);
	rx_frame(p.end[Y], &a, &reply);
	rx_frame(p.end[X], &reply, &a);
	next_frame(test, p.end[X], &late);

	srnic_sth_flow_start(reborn, SRNIC_FLOW_OURS, v->flow[X].start);
	next_frame(test, reborn, &a);
	KUNIT_ASSERT_EQ(test, rx_frame(p.end[Y], &a, &reply), SRNIC_HS_REPLY);
	KUNIT_ASSERT_EQ(test, rx_frame(reborn, &reply, &a), SRNIC_HS_NEXT);
	next_frame(test, reborn, &confirm);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[Y], &late, &reply), SRNIC_HS_REPLY | SRNIC_HS_THEIRS);
	KUNIT_EXPECT_EQ(test, rx_frame(reborn, &reply, &a), -EPROTO);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[Y], &confirm, &reply), -EPROTO);
	KUNIT_EXPECT_FALSE(test, srnic_sth_flow_ready(reborn, SRNIC_FLOW_OURS));
}

static void frames_out_of_order_are_refused(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_pair_of(test, v, true), q = sth_pair_of(test, v, true);
	struct frame f[FRAMES], reply;

	/* Both use the same nonces: frames of p are valid in q, but not yet. */
	record_frames(test, &p, f);
	KUNIT_EXPECT_EQ(test, rx_frame(q.end[X], &f[CONFIRM_ACK], &reply), -EPROTO);
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_next(q.end[X], reply.bytes), SRNIC_HS_FRAME_LEN);
	KUNIT_EXPECT_MEMEQ(test, reply.bytes, f[HELLO].bytes, SRNIC_HS_FRAME_LEN);
	/*
	 * A sender that knows n_r has received our HELLO-ACK: CONFIRM needs no
	 * HELLO before it.
	 */
	KUNIT_EXPECT_EQ(test, rx_frame(q.end[Y], &f[CONFIRM], &reply),
			SRNIC_HS_REPLY | SRNIC_HS_THEIRS);
	KUNIT_EXPECT_EQ(test, rx_frame(q.end[X], &f[HELLO_ACK], &reply), SRNIC_HS_NEXT);
	KUNIT_EXPECT_EQ(test, rx_frame(q.end[X], &f[CONFIRM_ACK], &reply), SRNIC_HS_READY);
	both_must_have_the_same_keys(test, &q);
}

static void no_bit_may_change(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_pair_of(test, v, true), q = sth_pair_of(test, v, true);
	struct frame f[FRAMES], bad, reply;
	struct srnic_flow before[SRNIC_FLOWS];
	unsigned int i, bit;

	record_frames(test, &p, f);
	for (i = 0; i < FRAMES; i++) {
		struct srnic_sth *sth = q.end[receiver_of(i)];

		memcpy(before, sth->flow, sizeof(before));
		for (bit = 0; bit < 8 * SRNIC_HS_FRAME_LEN; bit++) {
			int err;

			if (bit / 8 == 4)
				continue;
			bad = f[i];
			bad.bytes[bit / 8] ^= 0x80 >> bit % 8;
			err = rx_frame(sth, &bad, &reply);
			KUNIT_ASSERT_TRUE_MSG(test, err == -EBADMSG || err == -EPROTO ||
					      err == -EPROTONOSUPPORT,
					      "frame %u, bit %u: %d", i, bit, err);
		}
		KUNIT_EXPECT_MEMEQ(test, before, sth->flow, sizeof(before));
		KUNIT_EXPECT_GT(test, rx_frame(sth, &f[i], &reply), 0);
	}
}

static void a_reflected_frame_is_refused(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_pair_of(test, v, true);
	struct frame f[FRAMES], reply;
	int i;

	record_frames(test, &p, f);
	for (i = 0; i < FRAMES; i++)
		KUNIT_EXPECT_LT(test, rx_frame(p.end[!receiver_of(i)], &f[i], &reply), 0);
}

static void expect_rejected(struct kunit *test, const struct sth_connection_vector *v,
			    const struct srnic_sth_params *params, const char *what)
{
	struct srnic_sth *x = sth_make_of(test, params), *y = sth_make(test, v, Y);
	struct frame f, reply;

	srnic_sth_flow_start(x, SRNIC_FLOW_OURS, v->flow[X].start);
	srnic_sth_flow_start(y, SRNIC_FLOW_THEIRS, v->flow[X].start);
	next_frame(test, x, &f);
	KUNIT_EXPECT_EQ_MSG(test, rx_frame(y, &f, &reply), -EBADMSG, "%s", what);
}

static void ends_that_disagree_do_not_meet(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct srnic_sth_params params;

	sth_params_of(&params, v, X);
	params.key[3] ^= 0x10;
	expect_rejected(test, v, &params, "key");
	sth_params_of(&params, v, X);
	params.pair_key = !params.pair_key;
	expect_rejected(test, v, &params, "kind of key");
	sth_params_of(&params, v, X);
	params.suite = srnic_sth_suite_find(strcmp(v->suite, "aes-gcm-128") ? "aes-gcm-128" :
					    "aes-cmac-128");
	params.mode = srnic_sth_encrypts(v->mode) ? SRNIC_STH_HEADER : SRNIC_STH_AEAD;
	expect_rejected(test, v, &params, "suite");
	sth_params_of(&params, v, X);
	/* each suite has two modes */
	params.mode ^= srnic_sth_encrypts(v->mode) ? SRNIC_STH_AEAD ^ SRNIC_STH_OPAQUE :
						     SRNIC_STH_HEADER ^ SRNIC_STH_PACKET;
	expect_rejected(test, v, &params, "mode");
	sth_params_of(&params, v, X);
	params.local_qpn ^= 0x800000;
	expect_rejected(test, v, &params, "QPN");
	sth_params_of(&params, v, X);
	params.local_gid[15] ^= 0x80;
	expect_rejected(test, v, &params, "GID");
}

static void another_starting_psn_is_refused(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct srnic_sth *x = sth_make(test, v, X), *y = sth_make(test, v, Y);
	struct frame f, reply;

	srnic_sth_flow_start(x, SRNIC_FLOW_OURS, 5);
	srnic_sth_flow_start(y, SRNIC_FLOW_THEIRS, 6);
	next_frame(test, x, &f);
	KUNIT_EXPECT_EQ(test, rx_frame(y, &f, &reply), -EPROTO);
}

static void before_its_start_a_flow_says_nothing(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct srnic_sth *x = sth_make(test, v, X), *y = sth_make(test, v, Y);
	struct frame f, reply;

	KUNIT_EXPECT_EQ(test, srnic_sth_hs_next(x, f.bytes), -ENOTCONN);
	srnic_sth_flow_start(x, SRNIC_FLOW_OURS, v->flow[X].start);
	next_frame(test, x, &f);
	KUNIT_EXPECT_EQ(test, rx_frame(y, &f, &reply), -EPROTO);
	/* A responder that stays in RTR need not send a HELLO. */
	srnic_sth_flow_start(y, SRNIC_FLOW_THEIRS, v->flow[X].start);
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_next(y, reply.bytes), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, rx_frame(y, &f, &reply), SRNIC_HS_REPLY);
}

static bool is_wiped(const u8 key[32])
{
	return !memchr_inv(key, 0, 32);
}

static const u8 *pair_of(const struct srnic_sth *sth)
{
	return sth->pair[SRNIC_SECRET_CURRENT].key;
}

static bool has_roots(const struct srnic_sth *sth)
{
	return memchr_inv(sth->ephemeral.root, 0, sizeof(sth->ephemeral.root));
}

/* After the first flow, only the root of the second flow's keys is left. */
static void what_keys_were_derived_from_is_wiped(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_pair_of(test, v, false);
	int end;

	for (end = X; end <= Y; end++)
		KUNIT_EXPECT_MEMEQ(test, pair_of(p.end[end]), v->pair, 32);
	sth_shake(test, &p, X);
	for (end = X; end <= Y; end++) {
		struct srnic_ephemeral *ephemeral = &p.end[end]->ephemeral;
		bool x_is_b = p.end[X]->local_b;

		KUNIT_EXPECT_TRUE(test, is_wiped(pair_of(p.end[end])));
		KUNIT_EXPECT_TRUE(test, is_wiped(ephemeral->secret));
		KUNIT_EXPECT_TRUE(test, is_wiped(ephemeral->root[SRNIC_SECRET_CURRENT][x_is_b]));
		KUNIT_EXPECT_FALSE(test, is_wiped(ephemeral->root[SRNIC_SECRET_CURRENT][!x_is_b]));
	}
	sth_shake(test, &p, Y);
	for (end = X; end <= Y; end++)
		KUNIT_EXPECT_FALSE(test, has_roots(p.end[end]));
}

/* K_AB and all frames do not yield the secret that the shares stand for. */
static void the_same_frames_with_other_scalars_give_other_keys(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_pair_of(test, v, true), q = sth_pair_of(test, v, true);
	struct frame f[FRAMES];

	record_frames(test, &p, f);
	KUNIT_EXPECT_MEMEQ(test, pair_of(q.end[X]), v->pair, 32);
	q.end[X]->ephemeral.secret[7] ^= 0x40;
	record_frames(test, &q, f);
	KUNIT_EXPECT_MEMNEQ(test, q.end[X]->flow[SRNIC_FLOW_OURS].key,
			    q.end[Y]->flow[SRNIC_FLOW_THEIRS].key, 32);
}

/* RFC 7748, section 6.1: some points give a shared secret of zeros, whatever the scalar. */
static void a_share_of_small_order_is_refused(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	static const u8 points[][32] = { { 0 }, { 1 } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(points); i++) {
		struct sth_pair p = sth_pair_of(test, v, false);
		struct frame f, reply;

		memcpy(p.end[X]->ephemeral.ours, points[i], 32);
		next_frame(test, p.end[X], &f);
		KUNIT_ASSERT_EQ(test, rx_frame(p.end[Y], &f, &reply), SRNIC_HS_REPLY);
		KUNIT_ASSERT_EQ(test, rx_frame(p.end[X], &reply, &f), SRNIC_HS_NEXT);
		next_frame(test, p.end[X], &f);
		KUNIT_EXPECT_EQ(test, rx_frame(p.end[Y], &f, &reply), -EKEYREJECTED);
		KUNIT_EXPECT_FALSE(test, srnic_sth_flow_ready(p.end[Y], SRNIC_FLOW_THEIRS));
	}
}

/* The second flow must have the same ends, in the same life. A refusal changes nothing. */
static void both_flows_have_one_share(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_pair_of(test, v, false);
	struct srnic_sth *reborn = sth_make(test, v, X);
	struct srnic_flow *theirs = &p.end[Y]->flow[SRNIC_FLOW_THEIRS], before;
	struct frame hello, confirm, f, reply;

	srnic_sth_flow_start(reborn, SRNIC_FLOW_OURS, v->flow[X].start);
	next_frame(test, reborn, &hello);
	KUNIT_ASSERT_EQ(test, rx_frame(p.end[Y], &hello, &reply), SRNIC_HS_REPLY);
	KUNIT_ASSERT_EQ(test, rx_frame(reborn, &reply, &f), SRNIC_HS_NEXT);
	next_frame(test, reborn, &confirm);
	sth_shake(test, &p, Y);
	before = *theirs;
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[Y], &hello, &reply), -EPROTO);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[Y], &confirm, &reply), -EPROTO);
	KUNIT_EXPECT_MEMEQ(test, theirs, &before, sizeof(before));
}

/* Repeat the frames of a flow. Return how many its requester has sent; 0: the ends do not meet. */
static int shake_patiently(struct kunit *test, struct sth_pair *p, int owner)
{
	struct frame f, reply;
	int tries;

	for (tries = 1; tries <= 32; tries++) {
		next_frame(test, p->end[owner], &f);
		if (rx_frame(p->end[!owner], &f, &reply) < 0)
			continue;
		if (rx_frame(p->end[owner], &reply, &f) == SRNIC_HS_READY)
			return tries;
	}
	return 0;
}

/* X's HELLO and Y's answer: X goes on to CONFIRM. */
static void answer_hello(struct kunit *test, struct sth_pair *p, struct frame *answer)
{
	struct frame f;

	next_frame(test, p->end[X], &f);
	KUNIT_ASSERT_EQ(test, rx_frame(p->end[Y], &f, answer), SRNIC_HS_REPLY);
	KUNIT_ASSERT_EQ(test, rx_frame(p->end[X], answer, &f), SRNIC_HS_NEXT);
}

/* The responder was reset after its HELLO-ACK: its n_r is another one now. */
static void a_reset_responder_is_asked_anew(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_pair_of(test, v, false);
	struct frame answer;

	answer_hello(test, &p, &answer);
	p.end[Y] = sth_make(test, v, Y);
	srnic_sth_flow_start(p.end[Y], SRNIC_FLOW_THEIRS, v->flow[X].start);
	KUNIT_EXPECT_EQ(test, shake_patiently(test, &p, X), 6);
	both_must_have_the_same_keys(test, &p);
}

/* Reset the responder after its HELLO-ACK @old, and return its next life's CONFIRM-ACK. */
static struct frame confirm_after_reset(struct kunit *test, struct sth_pair *p, struct frame *old)
{
	struct frame f, reply = {};
	int tries;

	answer_hello(test, p, old);
	p->end[Y] = sth_make(test, p->v, Y);
	srnic_sth_flow_start(p->end[Y], SRNIC_FLOW_THEIRS, p->v->flow[X].start);
	for (tries = 0; tries < 16 && reply.bytes[0] != SRNIC_OPC_CONFIRM_ACK; tries++) {
		next_frame(test, p->end[X], &f);
		if (rx_frame(p->end[Y], &f, &reply) == SRNIC_HS_REPLY)
			KUNIT_EXPECT_EQ(test, rx_frame(p->end[X], &reply, &f), SRNIC_HS_NEXT);
	}
	KUNIT_ASSERT_EQ(test, reply.bytes[0], SRNIC_OPC_CONFIRM_ACK);
	return reply;
}

/* Somebody repeats the HELLO-ACK of the former responder before the answer to CONFIRM arrives. */
static void an_old_answer_to_hello_stops_no_requester(struct kunit *test)
{
	struct sth_pair p = sth_pair_of(test, test->param_value, false);
	struct frame old, f, answer = confirm_after_reset(test, &p, &old);

	KUNIT_EXPECT_EQ(test, rx_frame(p.end[X], &old, &f), SRNIC_HS_NEXT);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[X], &answer, &f), SRNIC_HS_READY);
	both_must_have_the_same_keys(test, &p);
}

/* The same, and the answer to CONFIRM is lost: the responder has confirmed the flow. */
static void nor_if_the_answer_to_confirm_is_lost(struct kunit *test)
{
	struct sth_pair p = sth_pair_of(test, test->param_value, false);
	struct frame old, f;

	confirm_after_reset(test, &p, &old);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[X], &old, &f), SRNIC_HS_NEXT);
	KUNIT_EXPECT_GT(test, shake_patiently(test, &p, X), 0);
	both_must_have_the_same_keys(test, &p);
}

/* A frame that the flow cannot use costs no HMAC (issue 23.6). */
static void a_frame_is_checked_before_its_tag(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_pair_of(test, v, true), q = sth_pair_of(test, v, true);
	struct frame f[FRAMES], bad;
	int i;

	record_frames(test, &p, f);
	for (i = 0; i < FRAMES; i++) {
		int err = receiver_of(i) == Y ? 0 : -EPROTO;

		KUNIT_EXPECT_EQ(test, srnic_sth_hs_check(p.end[receiver_of(i)], f[i].bytes,
							 f[i].len), err);
	}
	for (i = 0; i < FRAMES; i++)
		KUNIT_EXPECT_EQ(test, srnic_sth_hs_check(q.end[receiver_of(i)], f[i].bytes,
							 f[i].len), i == CONFIRM_ACK ? -EPROTO : 0);
	bad = f[HELLO];
	bad.bytes[20] ^= 1;	/* n_q, once the flow is confirmed */
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_check(p.end[Y], bad.bytes, bad.len), -EPROTO);
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_check(q.end[Y], bad.bytes, bad.len), 0);
	bad = f[HELLO];
	bad.bytes[16] ^= 1;	/* key id */
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_check(q.end[Y], bad.bytes, bad.len), -EBADMSG);
	bad = f[HELLO];
	bad.bytes[12]++;	/* version */
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_check(q.end[Y], bad.bytes, bad.len), -EPROTONOSUPPORT);
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_check(q.end[Y], bad.bytes, bad.len - 32),
			-EPROTONOSUPPORT);
	bad = f[CONFIRM];
	bad.bytes[36] ^= 1;	/* n_r */
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_check(q.end[Y], bad.bytes, bad.len), -EPROTO);
	bad = f[HELLO_ACK];
	bad.bytes[20] ^= 1;	/* n_q */
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_check(q.end[X], bad.bytes, bad.len), -EPROTO);
}

/*
 * An insider has K_AB, as another host under a prefix key or another tenant does, and stands on the
 * path: it knows the nonces, and its tags are valid. A flow that is confirmed stays that of its two
 * ends: the insider's share has not entered K_F.
 */
static void an_insider_takes_over_no_confirmed_flow(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_ready_pair(test, v, false);
	const struct srnic_flow *seen = &p.end[X]->flow[SRNIC_FLOW_OURS];
	struct sth_box *box = sth_send_only(test, &p, X, v->flow[X].start);
	u8 frame[SRNIC_HS_FRAME_LEN], reply[SRNIC_HS_FRAME_LEN];
	struct srnic_sth *insider = sth_make(test, v, X);
	struct srnic_flow *f = &insider->flow[SRNIC_FLOW_OURS];
	unsigned int len;

	srnic_sth_flow_start(insider, SRNIC_FLOW_OURS, v->flow[X].start);
	KUNIT_ASSERT_EQ(test, srnic_sth_hs_next(insider, frame), sizeof(frame));
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_rx(p.end[Y], frame, sizeof(frame), reply, &len),
			-EPROTO);

	memcpy(f->nq, seen->nq, sizeof(f->nq));
	memcpy(f->nr, seen->nr, sizeof(f->nr));
	f->state = SRNIC_HS_CONFIRM;
	KUNIT_ASSERT_EQ(test, srnic_sth_hs_next(insider, frame), sizeof(frame));
	KUNIT_EXPECT_EQ_MSG(test, srnic_sth_hs_rx(p.end[Y], frame, sizeof(frame), reply, &len),
			    -EPROTO, "its own share");

	memcpy(insider->ephemeral.ours, p.end[X]->ephemeral.ours, SRNIC_STH_SHARE_LEN);
	KUNIT_ASSERT_EQ(test, srnic_sth_hs_next(insider, frame), sizeof(frame));
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_rx(p.end[Y], frame, sizeof(frame), reply, &len),
			SRNIC_HS_REPLY);
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_rx(p.end[X], reply, len, frame, &len), -EPROTO);
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_rx(insider, reply, sizeof(reply), frame, &len),
			SRNIC_HS_READY);

	KUNIT_ASSERT_EQ(test, sth_box_seal(insider, SRNIC_FLOW_OURS, box), 0);
	KUNIT_EXPECT_EQ(test, sth_box_open(p.end[Y], SRNIC_FLOW_THEIRS, box), -EBADMSG);
	KUNIT_EXPECT_NE(test, memcmp(f->key, seen->key, sizeof(f->key)), 0);
	KUNIT_EXPECT_EQ(test, sth_pass(test, &p, v->flow[X].start), 0);
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
			params.app_key_len = 32;
			params.app_pair_key = !v->pair_key;
			memset(params.app_key, 0x5a, 32);
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
	next_frame(test, p.end[X], &hello);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[Y], &hello, &reply), -EBADMSG);
	p = pair_of_two_keys(test, v, false, true);
	next_frame(test, p.end[X], &hello);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[Y], &hello, &reply), -EBADMSG);
}

static void S19_of_two_keys_comes_one(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair one = sth_pair_of(test, v, false);
	struct sth_pair two = pair_of_two_keys(test, v, true, true);
	struct sth_pair other = pair_of_two_keys(test, v, false, true);
	const struct srnic_kdf_purpose both = { "STH1 both", pair_of(other.end[X]), 32 };
	u8 pair[32];

	KUNIT_ASSERT_EQ(test, srnic_kdf(pair_of(one.end[X]), 32, &both, pair, 32), 0);
	KUNIT_EXPECT_MEMEQ(test, pair_of(two.end[X]), pair, 32);
	KUNIT_EXPECT_MEMEQ(test, pair_of(two.end[Y]), pair, 32);
}

/* Numbers of the secrets of an end's key; 0: none */
struct secrets {
	u8 current_one;
	u8 other;
};

/* An end whose policy's key has these secrets, and whose application has a key if @own */
static struct srnic_sth *end_with(struct kunit *test, const struct sth_connection_vector *v,
				  int end, const struct secrets *secrets, bool own)
{
	struct srnic_sth_params params;
	struct srnic_sth *sth;
	int owner;

	sth_params_of(&params, v, end);
	params.key[0] ^= secrets->current_one;
	if (secrets->other) {
		params.other_key_len = v->key_len;
		memcpy(params.other_key, v->key, v->key_len);
		params.other_key[0] ^= secrets->other;
	}
	if (own) {
		params.app_key_len = 16;
		memset(params.app_key, 0x5a, 16);
	}
	sth = sth_make_of(test, &params);
	KUNIT_EXPECT_TRUE(test, is_wiped(sth->params.other_key));
	for (owner = X; owner <= Y; owner++)
		srnic_sth_flow_start(sth, sth_flow_at(end, owner), v->flow[owner].start);
	return sth;
}

/*
 * How many frames a requester sends: HELLO and CONFIRM under its current key, or after four
 * HELLOs without answer under the other one
 */
static int patience(const struct secrets *requester, const struct secrets *responder)
{
	if (requester->current_one == responder->current_one ||
	    requester->current_one == responder->other)
		return 2;
	if (requester->other && (requester->other == responder->current_one ||
				 requester->other == responder->other))
		return 6;
	return 0;
}

static const struct secrets generations[][2] = {
	{ { 1, 0 }, { 1, 2 } },		/* staged at one end */
	{ { 1, 2 }, { 1, 2 } },
	{ { 1, 2 }, { 2, 1 } },		/* promoted at one end */
	{ { 2, 1 }, { 2, 1 } },
	{ { 2, 1 }, { 2, 0 } },		/* retired at one end */
	{ { 1, 0 }, { 2, 1 } },		/* begun before staging, and after the promotion */
	{ { 1, 2 }, { 2, 0 } },		/* before the promotion, and after retirement */
	{ { 1, 2 }, { 3, 2 } },
	{ { 1, 0 }, { 2, 0 } },		/* no secret in common */
	{ { 1, 2 }, { 3, 0 } },
	{ { 1, 2 }, { 3, 4 } },
};

static void ends_with_a_secret_in_common_meet(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	unsigned int i;

	for (i = 0; i < 2 * ARRAY_SIZE(generations); i++) {
		const struct secrets *of = generations[i / 2];
		bool own = i & 1;
		struct sth_pair p = { .v = v };

		p.end[X] = end_with(test, v, X, &of[X], own);
		p.end[Y] = end_with(test, v, Y, &of[Y], own);
		KUNIT_EXPECT_EQ_MSG(test, shake_patiently(test, &p, X), patience(&of[X], &of[Y]),
				    "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, shake_patiently(test, &p, Y), patience(&of[Y], &of[X]),
				    "row %u", i);
		if (!patience(&of[X], &of[Y]))
			continue;
		both_must_have_the_same_keys(test, &p);
		KUNIT_EXPECT_EQ(test, sth_pass(test, &p, v->flow[X].start), 0);
		KUNIT_EXPECT_FALSE(test, has_roots(p.end[X]));
		KUNIT_EXPECT_FALSE(test, has_roots(p.end[Y]));
	}
}

/* The key id tells under which of the secrets a frame is, without an HMAC. */
static void a_frame_under_a_third_key_costs_no_tag(struct kunit *test)
{
	static const struct secrets two = { 1, 2 }, one[] = { { 1 }, { 2 }, { 3 } };
	const struct sth_connection_vector *v = test->param_value;
	struct srnic_sth *y = end_with(test, v, Y, &two, false);
	struct frame f, reply;
	unsigned int i;

	KUNIT_EXPECT_NE(test, y->pair[0].id, y->pair[1].id);
	for (i = 0; i < ARRAY_SIZE(one); i++) {
		bool known = one[i].current_one <= 2;

		next_frame(test, end_with(test, v, X, &one[i], false), &f);
		KUNIT_EXPECT_EQ(test, srnic_sth_hs_check(y, f.bytes, f.len),
				known ? 0 : -EBADMSG);
		KUNIT_EXPECT_EQ(test, rx_frame(y, &f, &reply), known ? SRNIC_HS_REPLY : -EBADMSG);
		if (known)	/* the answer has the same key id */
			KUNIT_EXPECT_MEMEQ(test, reply.bytes + 16, f.bytes + 16, 4);
	}
	/* and the tag is compared under either */
	next_frame(test, end_with(test, v, X, &one[1], false), &f);
	f.bytes[f.len - 1] ^= 1;
	KUNIT_EXPECT_EQ(test, srnic_sth_hs_check(y, f.bytes, f.len), 0);
	KUNIT_EXPECT_EQ(test, rx_frame(y, &f, &reply), -EBADMSG);
}

/* CONFIRM settles the key of a flow, and the responder answers under that one. */
static void a_flow_is_confirmed_under_one_key(struct kunit *test)
{
	static const struct secrets two = { 1, 2 };
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = { .v = v };
	struct frame f, reply, ack;
	struct srnic_flow *flow;

	p.end[X] = end_with(test, v, X, &two, false);
	p.end[Y] = end_with(test, v, Y, &two, false);
	flow = &p.end[X]->flow[SRNIC_FLOW_OURS];
	answer_hello(test, &p, &reply);
	next_frame(test, p.end[X], &f);
	KUNIT_ASSERT_EQ(test, rx_frame(p.end[Y], &f, &ack), SRNIC_HS_REPLY | SRNIC_HS_THEIRS);

	flow->secret = SRNIC_SECRET_OTHER;
	next_frame(test, p.end[X], &f);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[Y], &f, &reply), -EPROTO);
	KUNIT_EXPECT_EQ(test, rx_frame(p.end[X], &ack, &reply), SRNIC_HS_READY);
	KUNIT_EXPECT_EQ(test, flow->secret, SRNIC_SECRET_CURRENT);
	both_must_have_the_same_keys(test, &p);
}

/* A responder that was reset has learned the key anew, when it had been replaced. */
static void a_reset_responder_may_have_the_other_key(struct kunit *test)
{
	static const struct secrets two = { 1, 2 }, first = { 1 }, second = { 2 };
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = { .v = v };
	struct frame answer;

	p.end[X] = end_with(test, v, X, &two, false);
	p.end[Y] = end_with(test, v, Y, &first, false);
	answer_hello(test, &p, &answer);
	p.end[Y] = end_with(test, v, Y, &second, false);
	KUNIT_EXPECT_EQ(test, shake_patiently(test, &p, X), 8);
	both_must_have_the_same_keys(test, &p);
}

/* The second flow may be confirmed under either key, and until then there is a root for each. */
static void the_roots_of_both_keys_are_wiped(struct kunit *test)
{
	static const struct secrets two = { 1, 2 };
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = { .v = v };
	int end, key;

	p.end[X] = end_with(test, v, X, &two, false);
	p.end[Y] = end_with(test, v, Y, &two, false);
	sth_shake(test, &p, X);
	for (end = X; end <= Y; end++) {
		for (key = 0; key < SRNIC_SECRETS; key++) {
			const struct srnic_sth *sth = p.end[end];
			bool x_is_b = p.end[X]->local_b;

			KUNIT_EXPECT_TRUE(test, is_wiped(sth->pair[key].key));
			KUNIT_EXPECT_TRUE(test, is_wiped(sth->ephemeral.root[key][x_is_b]));
			KUNIT_EXPECT_FALSE(test, is_wiped(sth->ephemeral.root[key][!x_is_b]));
		}
	}
	sth_shake(test, &p, Y);
	KUNIT_EXPECT_FALSE(test, has_roots(p.end[X]));
	KUNIT_EXPECT_FALSE(test, has_roots(p.end[Y]));
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
	params.app_key_len = 15;
	expect_refused(test, &params, -EKEYREJECTED);
	params.app_key_len = 33;
	expect_refused(test, &params, -EKEYREJECTED);
	params.app_key_len = 0;
	params.other_key_len = 15;
	expect_refused(test, &params, -EKEYREJECTED);
	params.other_key_len = 33;
	expect_refused(test, &params, -EKEYREJECTED);
	params.other_key_len = 32;
	params.key_len = 0;
	params.app_key_len = 32;
	expect_refused(test, &params, -EKEYREJECTED);

	sth_params_of(&params, v, X);
	params.mode = SRNIC_STH_OFF;
	expect_refused(test, &params, -EOPNOTSUPP);
	params.mode = srnic_sth_encrypts(v->mode) ? SRNIC_STH_PACKET : SRNIC_STH_AEAD;
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
	KUNIT_CASE_PARAM(what_keys_were_derived_from_is_wiped, sth_thorough_gen),
	KUNIT_CASE_PARAM(the_same_frames_with_other_scalars_give_other_keys, sth_thorough_gen),
	KUNIT_CASE_PARAM(a_share_of_small_order_is_refused, sth_thorough_gen),
	KUNIT_CASE_PARAM(both_flows_have_one_share, sth_thorough_gen),
	KUNIT_CASE_PARAM(a_reset_responder_is_asked_anew, sth_thorough_gen),
	KUNIT_CASE_PARAM(an_old_answer_to_hello_stops_no_requester, sth_thorough_gen),
	KUNIT_CASE_PARAM(nor_if_the_answer_to_confirm_is_lost, sth_thorough_gen),
	KUNIT_CASE_PARAM(a_frame_is_checked_before_its_tag, sth_thorough_gen),
	KUNIT_CASE_PARAM(an_insider_takes_over_no_confirmed_flow, sth_thorough_gen),
	KUNIT_CASE_PARAM(S19_of_two_keys_it_takes_both, sth_thorough_gen),
	KUNIT_CASE_PARAM(S19_of_two_keys_comes_one, sth_thorough_gen),
	KUNIT_CASE_PARAM(ends_with_a_secret_in_common_meet, sth_kind_gen),
	KUNIT_CASE_PARAM(a_frame_under_a_third_key_costs_no_tag, sth_kind_gen),
	KUNIT_CASE_PARAM(a_flow_is_confirmed_under_one_key, sth_kind_gen),
	KUNIT_CASE_PARAM(a_reset_responder_may_have_the_other_key, sth_kind_gen),
	KUNIT_CASE_PARAM(the_roots_of_both_keys_are_wiped, sth_kind_gen),
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
