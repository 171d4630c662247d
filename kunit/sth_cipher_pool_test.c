// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of sub-keys that are derived for each packet (sRDMA 4.5; P7): in
 * a shared cipher they yield the same bytes as cached sub-keys, they never mix
 * with those of another connection, and they do not outlive their connection.
 */
#include <linux/module.h>

#include "sth_fixture.h"

#define BOTH	(BIT(X) | BIT(Y))

static void P7_packets_are_those_of_the_codec(struct kunit *test)
{
	struct sth_pair p = sth_ready_pair_by(test, test->param_value, true, BOTH);

	sth_with_vectors(test, &p, sth_check_sealing);
	sth_with_vectors(test, &p, sth_check_opening);
}

/* Alternate with and without SIMD: the cipher must not confuse the two. */
static void check_in_turn(struct kunit *test, struct sth_pair *p,
			  const struct sth_packet_vector *v)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		p->end[X]->scratch.no_simd = i & 1;
		p->end[Y]->scratch.no_simd = i & 2;
		sth_go_to(test, p, v);
		sth_check_sealing(test, p, v);
		sth_check_opening(test, p, v);
	}
}

static void P7_packets_are_so_without_simd_too(struct kunit *test)
{
	struct sth_pair p = sth_ready_pair_by(test, test->param_value, true, BOTH);

	sth_with_vectors(test, &p, check_in_turn);
}

static void P7_one_end_may_keep_its_keys(struct kunit *test)
{
	struct sth_pair x = sth_ready_pair_by(test, test->param_value, false, BIT(X));
	struct sth_pair y = sth_ready_pair_by(test, test->param_value, false, BIT(Y));
	u64 psn = x.v->flow[X].start;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, sth_pass(test, &x, psn + i), 0);
		KUNIT_EXPECT_EQ(test, sth_pass(test, &y, psn + i), 0);
	}
}

/* Fresh nonces: the same ends and K_PD, but other sub-keys. */
static void P7_connections_share_a_cipher_and_no_key(struct kunit *test)
{
	struct sth_pair one = sth_ready_pair_by(test, test->param_value, false, BOTH);
	struct sth_pair two = sth_ready_pair_by(test, test->param_value, false, BOTH);
	u64 psn = one.v->flow[X].start;
	struct sth_box *box;
	unsigned int i;

	KUNIT_EXPECT_PTR_EQ(test, one.end[X]->pool, two.end[Y]->pool);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, sth_pass(test, &one, psn + i), 0);
		KUNIT_EXPECT_EQ(test, sth_pass(test, &two, psn + i), 0);
	}
	box = sth_send_only(test, &one, X, psn + i);
	KUNIT_ASSERT_EQ(test, sth_box_seal(one.end[X], SRNIC_FLOW_OURS, box), 0);
	KUNIT_EXPECT_EQ(test, sth_box_open(two.end[Y], SRNIC_FLOW_THEIRS, box), -EBADMSG);
	KUNIT_EXPECT_EQ(test, sth_pass(test, &one, psn + i + 1), 0);
}

static void P7_no_bit_may_change_and_trying_changes_nothing(struct kunit *test)
{
	struct sth_pair p = sth_ready_pair_by(test, test->param_value, false, BOTH);
	u64 psn = p.v->flow[X].start;
	struct sth_box *box = sth_send_only(test, &p, X, psn);
	struct sth_trip t = {
		.to = p.end[Y],
		.flow = SRNIC_FLOW_THEIRS,
		.psn64 = psn,
		.box = box,
		.name = p.v->name,
	};

	KUNIT_ASSERT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box), 0);
	sth_keep_sealed(test, &t);
	sth_expect_no_change(test, &t);
	KUNIT_EXPECT_EQ(test, sth_box_open(p.end[Y], SRNIC_FLOW_THEIRS, box), 0);
}

/* Called on one CPU, so that the next packet finds the cipher as the last one left it. */
static int seal_on_this_cpu(struct kunit *test, struct sth_pair *p, int sender, u64 psn)
{
	struct sth_box *box = sth_send_only(test, p, sender, psn);
	const struct srnic_sth_payload payload = sth_box_payload(box);

	return srnic_sth_seal(p->end[sender], SRNIC_FLOW_OURS, &box->pkt, &payload);
}

static struct srnic_pool_slot *this_slot(struct srnic_sth *sth)
{
	return &this_cpu_ptr(sth->pool->slots)->of[SRNIC_TO_SEAL];
}

/*
 * Change K_F directly: if sealing still yields correct packets, it has not
 * derived the sub-key again, although a packet was opened in between.
 */
static void P7_a_burst_derives_once(struct kunit *test)
{
	struct sth_pair p = sth_ready_pair_by(test, test->param_value, false, BOTH);
	u64 psn = p.end[X]->flow[SRNIC_FLOW_OURS].start, serial;
	struct sth_box *box[2], *theirs;
	struct srnic_epoch_keys *keys;
	unsigned int i;

	keys = sth_keys_of(p.end[X], SRNIC_FLOW_OURS, psn);
	for (i = 0; i < ARRAY_SIZE(box); i++)
		box[i] = sth_send_only(test, &p, X, psn + i);
	theirs = sth_send_only(test, &p, Y, p.v->flow[Y].start);
	KUNIT_ASSERT_EQ(test, sth_box_seal(p.end[Y], SRNIC_FLOW_OURS, theirs), 0);
	migrate_disable();
	KUNIT_EXPECT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box[0]), 0);
	keys->flow_key[0] ^= 1;
	KUNIT_EXPECT_EQ(test, sth_box_open(p.end[X], SRNIC_FLOW_THEIRS, theirs), 0);
	KUNIT_EXPECT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box[1]), 0);
	serial = this_slot(p.end[X])->serial;
	migrate_enable();
	KUNIT_EXPECT_EQ(test, serial,
			sth_subkey_of(p.end[X], SRNIC_FLOW_OURS, psn, SRNIC_TO_SEAL)->serial);
	for (i = 0; i < ARRAY_SIZE(box); i++)
		KUNIT_EXPECT_EQ(test, sth_box_open(p.end[Y], SRNIC_FLOW_THEIRS, box[i]), 0);
}

/* Compute a tag of an arbitrary input with the slot's cipher as it is now. */
static void tag_of(struct kunit *test, struct srnic_pool_slot *slot, struct srnic_sth *sth,
		   bool simd, u8 *tag)
{
	struct srnic_sth_scratch *s = &sth->scratch;
	const struct srnic_sth_payload none = {};

	s->no_simd = !simd;
	memset(s->input, 7, 64);
	s->input_len = 64;
	memset(s->iv, 7, sizeof(s->iv));
	slot->cipher.oracle = 0;	/* The oracle does not watch the all-zero key. */
	KUNIT_ASSERT_EQ(test,
			sth->params.suite->family->apply[SRNIC_TO_SEAL](s, &slot->cipher, &none),
			0);
	memcpy(tag, s->tag, SRNIC_STH_TAG_LEN_MAX);
}

static void hmac_of(struct kunit *test, struct srnic_pool_slot *slot, u8 mac[32])
{
	KUNIT_ASSERT_EQ(test, crypto_shash_tfm_digest(slot->kdf, "any", 3, mac), 0);
}

/* When the key of its last user is wiped, the slot behaves as before its first key. */
static void P7_no_key_outlives_its_connection(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct srnic_sth *stays = sth_make_by(test, v, X, true);
	unsigned int tag_len = stays->params.suite->tag_len;
	u8 tag[5][SRNIC_STH_TAG_LEN_MAX], mac[3][32];
	struct srnic_pool_slot *slot;
	struct sth_pair p;

	p = sth_ready_pair_by(test, v, false, BIT(X));
	KUNIT_ASSERT_PTR_EQ(test, stays->pool, p.end[X]->pool);
	migrate_disable();
	slot = this_slot(stays);
	tag_of(test, slot, stays, false, tag[0]);
	hmac_of(test, slot, mac[0]);

	KUNIT_EXPECT_EQ(test, seal_on_this_cpu(test, &p, X, v->flow[X].start), 0);
	KUNIT_EXPECT_NE(test, slot->serial, 0);
	tag_of(test, slot, stays, false, tag[1]);
	tag_of(test, slot, stays, true, tag[2]);
	hmac_of(test, slot, mac[1]);
	migrate_enable();

	kunit_release_action(test, sth_destroy_action, p.end[X]);
	KUNIT_EXPECT_EQ(test, slot->serial, 0);
	tag_of(test, slot, stays, false, tag[3]);
	tag_of(test, slot, stays, true, tag[4]);
	hmac_of(test, slot, mac[2]);
	KUNIT_EXPECT_MEMNEQ(test, tag[0], tag[1], tag_len);
	KUNIT_EXPECT_MEMEQ(test, tag[1], tag[2], tag_len);
	KUNIT_EXPECT_MEMEQ(test, tag[0], tag[3], tag_len);
	KUNIT_EXPECT_MEMNEQ(test, tag[2], tag[4], tag_len);
	KUNIT_EXPECT_MEMNEQ(test, mac[0], mac[1], 32);
	KUNIT_EXPECT_MEMEQ(test, mac[0], mac[2], 32);
}

static void P7_epochs_follow_each_other(struct kunit *test)
{
	struct sth_connection_vector v = *(const struct sth_connection_vector *)test->param_value;
	struct sth_pair p;
	u64 e;

	v.flow[X].start = 0xfffff0;
	p = sth_ready_pair_by(test, &v, false, BOTH);
	for (e = 1; e < 4; e++) {
		KUNIT_EXPECT_EQ(test, sth_pass(test, &p, e * BIT(24) - 1), 0);
		KUNIT_EXPECT_EQ(test, sth_pass(test, &p, e * BIT(24)), 0);
		KUNIT_EXPECT_EQ(test, sth_pass(test, &p, e * BIT(24) - 1), 0);
		sth_expect(test, p.end[X], SRNIC_FLOW_OURS, e * BIT(24) + BIT(23));
		sth_expect(test, p.end[Y], SRNIC_FLOW_THEIRS, e * BIT(24) + BIT(23));
	}
}

static void P7_a_cipher_whose_setkey_sleeps_is_not_shared(struct kunit *test)
{
	const struct sth_connection_vector *v = sth_connection_vectors;
	unsigned int refused = 0;

	for (; v < sth_connection_vectors + ARRAY_SIZE(sth_connection_vectors); v++) {
		bool sleeps = !strcmp(srnic_sth_suite_find(v->suite)->alg, "gcm(aes)");
		struct srnic_sth_params params;
		struct srnic_sth *sth;

		sth_params_of(&params, v, X);
		params.uncached = true;
		sth = srnic_sth_create(&params);
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(sth), sleeps ? -EOPNOTSUPP : 0, "%s",
				    v->name);
		if (!IS_ERR(sth))
			srnic_sth_destroy(sth);
		refused += sleeps;
	}
	KUNIT_EXPECT_GT(test, refused, 0);
}

static struct kunit_case sth_cipher_pool_cases[] = {
	KUNIT_CASE_PARAM(P7_packets_are_those_of_the_codec, sth_uncached_gen),
	KUNIT_CASE_PARAM(P7_packets_are_so_without_simd_too, sth_uncached_gen),
	KUNIT_CASE_PARAM(P7_one_end_may_keep_its_keys, sth_uncached_gen),
	KUNIT_CASE_PARAM(P7_connections_share_a_cipher_and_no_key, sth_uncached_gen),
	KUNIT_CASE_PARAM(P7_no_bit_may_change_and_trying_changes_nothing, sth_uncached_gen),
	KUNIT_CASE_PARAM(P7_a_burst_derives_once, sth_uncached_gen),
	KUNIT_CASE_PARAM(P7_no_key_outlives_its_connection, sth_uncached_gen),
	KUNIT_CASE_PARAM(P7_epochs_follow_each_other, sth_uncached_gen),
	KUNIT_CASE(P7_a_cipher_whose_setkey_sleeps_is_not_shared),
	{}
};

static struct kunit_suite sth_cipher_pool_suite = {
	.name = "srnic-sth-cipher-pool",
	.test_cases = sth_cipher_pool_cases,
};

kunit_test_suite(sth_cipher_pool_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's shared ciphers");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
