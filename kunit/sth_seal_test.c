// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of sealing and opening (protocol.md, sections 8 to 10): against
 * the independent codec in both directions, and against packets that must be
 * rejected.
 */
#include <linux/module.h>

#include "sth_fixture.h"
#include "wire/wire.h"

KUNIT_ARRAY_PARAM(connection, sth_connection_vectors, sth_connection_desc);

static void with_all_vectors(struct kunit *test, sth_packet_check check)
{
	struct sth_pair p = sth_ready_pair(test, test->param_value, true);

	sth_with_vectors(test, &p, check);
}

static void sealing_gives_the_bytes_of_the_codec(struct kunit *test)
{
	with_all_vectors(test, sth_check_sealing);
}

static void what_the_codec_sealed_opens(struct kunit *test)
{
	with_all_vectors(test, sth_check_opening);
}

static void check_without_simd(struct kunit *test, struct sth_pair *p,
			       const struct sth_packet_vector *v)
{
	p->end[X]->scratch.no_simd = true;
	p->end[Y]->scratch.no_simd = true;
	sth_check_sealing(test, p, v);
	sth_check_opening(test, p, v);
}

static void without_simd_the_bytes_are_the_same(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;

	if (!srnic_sth_suite_find(v->suite)->fast)
		kunit_skip(test, "the kernel chooses by itself");
	with_all_vectors(test, check_without_simd);
}

static void check_bits(struct kunit *test, struct sth_pair *p, const struct sth_packet_vector *v)
{
	int receiver = !sth_sender_of(v);
	struct sth_trip t = {
		.to = p->end[receiver],
		.flow = sth_flow_at(receiver, v->owner),
		.psn64 = v->psn64,
		.box = sth_sealed_box(test, p, v),
		.sealed = v->sealed,
		.name = v->name,
	};

	/* Long packets have the same headers as short ones. */
	if (v->len > 100)
		return;
	sth_expect_no_change(test, &t);
	KUNIT_EXPECT_EQ_MSG(test, sth_open_vector(p, v, t.box), 0, "%s", v->name);
}

static void no_bit_may_change_and_trying_changes_nothing(struct kunit *test)
{
	with_all_vectors(test, check_bits);
}

static void check_header_mode(struct kunit *test, struct sth_pair *p,
			      const struct sth_packet_vector *v)
{
	struct sth_box *box = sth_sealed_box(test, p, v);

	if (p->end[X]->params.mode != SRNIC_STH_HEADER || !v->payload_len)
		return;
	box->body[v->len - v->pad - 1] ^= 0xff;
	KUNIT_EXPECT_EQ_MSG(test, sth_open_vector(p, v, box), 0, "%s", v->name);
}

static void header_mode_does_not_protect_the_payload(struct kunit *test)
{
	with_all_vectors(test, check_header_mode);
}

static void check_congestion(struct kunit *test, struct sth_pair *p,
			     const struct sth_packet_vector *v)
{
	struct sth_box *box = sth_sealed_box(test, p, v);

	box->body[4] ^= 0xff ^ (SRNIC_PHASES - 1);
	KUNIT_EXPECT_EQ_MSG(test, sth_open_vector(p, v, box), 0, "%s", v->name);
}

static void congestion_bits_may_change(struct kunit *test)
{
	with_all_vectors(test, check_congestion);
}

static void check_lengths(struct kunit *test, struct sth_pair *p,
			  const struct sth_packet_vector *v)
{
	struct sth_box *box = sth_sealed_box(test, p, v);

	box->pkt.len += 4;
	KUNIT_EXPECT_EQ(test, sth_open_vector(p, v, box), -EBADMSG);
	memcpy(box->body, v->sealed, v->len);
	box->pkt.len -= 8;
	KUNIT_EXPECT_EQ(test, sth_open_vector(p, v, box), -EBADMSG);
	memcpy(box->body, v->sealed, v->len);
	box->pkt.len += 4;
	box->pkt.sth_len -= 4;
	KUNIT_EXPECT_EQ(test, sth_open_vector(p, v, box), -EBADMSG);
	box->pkt.sth_len = 0;
	KUNIT_EXPECT_EQ(test, sth_open_vector(p, v, box), -EBADMSG);
}

static void length_and_headers_may_not_shift(struct kunit *test)
{
	with_all_vectors(test, check_lengths);
}

/* Seal and open a payload in pieces of odd lengths; modes that encrypt do so out of place. */
static void check_pieces(struct kunit *test, struct sth_pair *p,
			 const struct sth_packet_vector *v)
{
	struct sth_box *box = sth_clear_box(test, p, v);
	unsigned int len = sth_box_payload_len(box), at, n;
	struct scatterlist sg[SRNIC_STH_PAYLOAD_SG], to[2];
	struct srnic_sth_payload payload = { .src = sg, .dst = sg, .len = len };
	int sender = sth_sender_of(v), err;
	u8 *out;

	if (len < 5)
		return;
	sg_init_table(sg, ARRAY_SIZE(sg));
	for (at = 0, n = 0; at < len; n++) {
		unsigned int part = n + 1 < ARRAY_SIZE(sg) ? min(len - at, 2 * n + 1) : len - at;

		sg_set_buf(&sg[n], box->body + v->len - len + at, part);
		at += part;
	}
	sg_mark_end(&sg[n - 1]);
	local_bh_disable();
	err = srnic_sth_seal(p->end[sender], sth_flow_at(sender, v->owner), &box->pkt, &payload);
	local_bh_enable();
	KUNIT_ASSERT_EQ(test, err, 0);
	KUNIT_EXPECT_MEMEQ_MSG(test, box->body, v->sealed, v->len, "%s", v->name);

	out = kunit_kzalloc(test, len, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, out);
	sg_init_table(to, 2);
	sg_set_buf(&to[0], out, 3);
	sg_set_buf(&to[1], out + 3, len - 3);
	payload.dst = to;
	local_bh_disable();
	err = srnic_sth_open(p->end[!sender], sth_flow_at(!sender, v->owner), &box->pkt, &payload);
	local_bh_enable();
	KUNIT_ASSERT_EQ(test, err, 0);
	KUNIT_EXPECT_MEMEQ_MSG(test, box->body, v->sealed, v->len, "%s", v->name);
	if (srnic_sth_encrypts(p->end[X]->params.mode))
		sth_expect_payload(test, p, v, out);
}

static void pieces_make_no_difference(struct kunit *test)
{
	with_all_vectors(test, check_pieces);
}

static void nothing_is_sealed_or_opened_before_the_handshake(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_pair_of(test, v, false);
	struct sth_box *box = sth_send_only(test, &p, X, v->flow[X].start);

	KUNIT_EXPECT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box), -ENOKEY);
	KUNIT_EXPECT_EQ(test, sth_box_open(p.end[Y], SRNIC_FLOW_THEIRS, box), -ENOKEY);
	sth_shake(test, &p, X);
	KUNIT_EXPECT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box), 0);
	KUNIT_EXPECT_EQ(test, sth_box_open(p.end[Y], SRNIC_FLOW_THEIRS, box), 0);
	/* The other flow has a handshake of its own. */
	KUNIT_EXPECT_EQ(test, sth_box_seal(p.end[Y], SRNIC_FLOW_OURS, box), -ENOKEY);
	KUNIT_EXPECT_EQ(test, sth_box_open(p.end[X], SRNIC_FLOW_THEIRS, box), -ENOKEY);
}

static void a_counter_is_taken_once(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_ready_pair(test, v, false);
	bool counts = p.end[X]->params.suite->family->has_counter;
	struct sth_box *box = sth_send_only(test, &p, X, v->flow[X].start);
	struct sth_box *again;

	KUNIT_ASSERT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box), 0);
	again = sth_box_of(test, &p, X, box->body, box->len, SRNIC_BTH_LEN);
	KUNIT_EXPECT_EQ(test, sth_box_open(p.end[Y], SRNIC_FLOW_THEIRS, box), 0);
	/* PRF suites do not detect a replay: to the transport it is a duplicate (section 13). */
	KUNIT_EXPECT_EQ(test, sth_box_open(p.end[Y], SRNIC_FLOW_THEIRS, again),
			counts ? -EALREADY : 0);
	KUNIT_EXPECT_EQ(test, p.end[Y]->flow[SRNIC_FLOW_THEIRS].replayed, counts);
	KUNIT_EXPECT_EQ(test, p.end[Y]->flow[SRNIC_FLOW_THEIRS].failed, 0);
}

static void every_emission_has_a_nonce_of_its_own(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_ready_pair(test, v, false);
	struct srnic_sth *x = p.end[X];
	u32 i;

	/* Retransmit one packet several times. */
	for (i = 0; i < 20; i++) {
		struct sth_box *box = sth_send_only(test, &p, X, v->flow[X].start);

		KUNIT_ASSERT_EQ(test, sth_box_seal(x, SRNIC_FLOW_OURS, box), 0);
		if (x->params.suite->family->has_counter)
			KUNIT_EXPECT_EQ(test, get_unaligned_be32(box->body + SRNIC_BTH_LEN), i);
		KUNIT_EXPECT_EQ(test, sth_box_open(p.end[Y], SRNIC_FLOW_THEIRS, box), 0);
	}
}

static void forgeries_end_a_key_at_the_cryptographic_limit_only(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_ready_pair(test, v, false);
	struct sth_box *box = sth_send_only(test, &p, X, v->flow[X].start);
	struct srnic_subkey *key;

	key = sth_subkey_of(p.end[Y], SRNIC_FLOW_THEIRS, v->flow[X].start, SRNIC_TO_OPEN);
	KUNIT_ASSERT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box), 0);
	key->failed = p.end[Y]->params.suite->max_failed - 1;
	box->body[SRNIC_BTH_LEN + 5] ^= 1;
	KUNIT_EXPECT_EQ(test, sth_box_open(p.end[Y], SRNIC_FLOW_THEIRS, box), -EBADMSG);
	KUNIT_EXPECT_EQ(test, sth_box_open(p.end[Y], SRNIC_FLOW_THEIRS, box), -EKEYEXPIRED);
}

static void swap_ends(struct sth_box *box)
{
	u8 gid[16];

	memcpy(gid, box->ends.sgid, 16);
	memcpy(box->ends.sgid, box->ends.dgid, 16);
	memcpy(box->ends.dgid, gid, 16);
}

static void a_reflected_packet_is_refused(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_ready_pair(test, v, false);
	u32 psn = v->flow[X].start;
	struct sth_box *box = sth_send_only(test, &p, X, psn);
	int flow;

	/* Move on so that the PSN is in the window of both flows. */
	p.end[X]->flow[SRNIC_FLOW_THEIRS].start = 0;
	sth_expect(test, p.end[X], SRNIC_FLOW_THEIRS, psn);
	KUNIT_ASSERT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box), 0);
	for (flow = 0; flow < SRNIC_FLOWS; flow++) {
		KUNIT_EXPECT_EQ(test, sth_box_open(p.end[X], flow, box), -EBADMSG);
		/* with the addresses of the reverse direction */
		swap_ends(box);
		KUNIT_EXPECT_EQ(test, sth_box_open(p.end[X], flow, box), -EBADMSG);
		swap_ends(box);
	}
}

static void a_request_is_no_response_nor_one_of_the_other_flow(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_ready_pair(test, v, false);
	struct sth_box *box = sth_send_only(test, &p, X, v->flow[X].start);
	struct srnic_sth *y = p.end[Y];

	y->flow[SRNIC_FLOW_OURS].start = 0;
	sth_expect(test, y, SRNIC_FLOW_OURS, v->flow[X].start);
	KUNIT_ASSERT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box), 0);
	/* Y would take it as a response to its own request. */
	KUNIT_EXPECT_EQ(test, sth_box_open(y, SRNIC_FLOW_OURS, box), -EBADMSG);
	/* X's response to Y's request: same sender and PSN */
	p.end[X]->flow[SRNIC_FLOW_THEIRS].start = 0;
	sth_expect(test, p.end[X], SRNIC_FLOW_THEIRS, v->flow[X].start);
	box = sth_send_only(test, &p, X, v->flow[X].start);
	KUNIT_ASSERT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_THEIRS, box), 0);
	KUNIT_EXPECT_EQ(test, sth_box_open(y, SRNIC_FLOW_THEIRS, box), -EBADMSG);
	box = sth_send_only(test, &p, X, v->flow[X].start);
	KUNIT_ASSERT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_THEIRS, box), 0);
	KUNIT_EXPECT_EQ(test, sth_box_open(y, SRNIC_FLOW_OURS, box), 0);
}

/* Same ends, key and PSN: a later incarnation, and a connection with another seal. */
static void a_packet_of_another_connection_is_refused(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair old = sth_ready_pair(test, v, false);
	struct sth_pair new = sth_ready_pair(test, v, false);
	struct sth_box *box = sth_send_only(test, &old, X, v->flow[X].start);
	struct sth_connection_vector other = *v;
	struct sth_pair third;

	KUNIT_ASSERT_EQ(test, sth_box_seal(old.end[X], SRNIC_FLOW_OURS, box), 0);
	KUNIT_EXPECT_EQ(test, sth_box_open(new.end[Y], SRNIC_FLOW_THEIRS, box), -EBADMSG);

	other.key[0] ^= 1;
	third = sth_ready_pair(test, &other, true);
	new = sth_ready_pair(test, v, true);
	box = sth_send_only(test, &third, X, v->flow[X].start);
	KUNIT_ASSERT_EQ(test, sth_box_seal(third.end[X], SRNIC_FLOW_OURS, box), 0);
	KUNIT_EXPECT_EQ(test, sth_box_open(new.end[Y], SRNIC_FLOW_THEIRS, box), -EBADMSG);
}

static bool encrypts(const struct sth_connection_vector *v)
{
	return srnic_sth_encrypts(v->mode);
}

static const void *encrypting_gen(const void *prev, char *desc)
{
	return sth_next(prev, desc, encrypts);
}

/* The same ends, key, nonces and packet: the mode alone, which no bit of the packet tells. */
static void a_packet_of_the_other_mode_that_encrypts_is_refused(struct kunit *test)
{
	struct sth_connection_vector v = *(const struct sth_connection_vector *)test->param_value;
	struct sth_pair ours, theirs;
	struct sth_box *box;

	v.key[0] ^= 1;	/* no nonce of the vectors is used again */
	ours = sth_ready_pair(test, &v, true);
	v.mode ^= SRNIC_STH_AEAD ^ SRNIC_STH_OPAQUE;
	theirs = sth_ready_pair(test, &v, true);
	box = sth_send_only(test, &ours, X, v.flow[X].start);
	KUNIT_ASSERT_EQ(test, sth_box_seal(ours.end[X], SRNIC_FLOW_OURS, box), 0);
	KUNIT_EXPECT_EQ(test, sth_box_open(theirs.end[Y], SRNIC_FLOW_THEIRS, box), -EBADMSG);
}

static void a_packet_of_another_turn_of_the_psn_is_refused(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_ready_pair(test, v, false);
	u64 psn64 = v->flow[X].start;
	struct sth_box *box = sth_send_only(test, &p, X, psn64 & SRNIC_PSN_MASK);

	KUNIT_ASSERT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box), 0);
	sth_expect(test, p.end[Y], SRNIC_FLOW_THEIRS, psn64 + BIT(24));
	KUNIT_EXPECT_EQ(test, sth_box_open(p.end[Y], SRNIC_FLOW_THEIRS, box), -EBADMSG);
}

static void a_psn_below_the_start_is_refused(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_ready_pair(test, v, false);
	struct sth_box *box = sth_send_only(test, &p, X, (v->flow[X].start - 1) & SRNIC_PSN_MASK);

	KUNIT_EXPECT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box), -ERANGE);
	KUNIT_EXPECT_EQ(test, sth_box_open(p.end[Y], SRNIC_FLOW_THEIRS, box), -ERANGE);
}

static void a_pad_that_is_not_zero_is_refused(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_ready_pair(test, v, false);
	bool told = v->mode != SRNIC_STH_HEADER;
	int pad;

	for (pad = 1; pad <= 3; pad++) {
		struct sth_box *box = sth_send_only(test, &p, X, v->flow[X].start);

		box->body[1] |= pad << 4;
		box->body[box->len - pad] = 1;
		sth_box_reparse(box);
		KUNIT_ASSERT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box), 0);
		KUNIT_EXPECT_EQ(test, sth_box_open(p.end[Y], SRNIC_FLOW_THEIRS, box),
				told ? -EBADMSG : 0);
	}
}

/* Reset the counter and change a header or the payload: two inputs under one nonce. */
static void the_oracle_sees_a_nonce_used_twice(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_ready_pair(test, v, false);
	bool covered = v->mode != SRNIC_STH_HEADER;
	u32 psn = v->flow[X].start;
	unsigned long before = srnic_nonce_oracle_reused(true), fell;
	u32 *emitted = &sth_subkey_of(p.end[X], SRNIC_FLOW_OURS, psn, SRNIC_TO_SEAL)->emitted;
	struct sth_box *box = sth_send_only(test, &p, X, psn);

	/* Other cases have sealed under the same keys. */
	srnic_nonce_oracle_forget();
	KUNIT_EXPECT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box), 0);
	fell = srnic_nonce_oracle_fell();
	box = sth_send_only(test, &p, X, psn);
	KUNIT_EXPECT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box), 0);
	KUNIT_EXPECT_EQ(test, srnic_nonce_oracle_fell(), fell);
	*emitted = 0;
	box = sth_send_only(test, &p, X, psn);
	KUNIT_EXPECT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box), 0);
	KUNIT_EXPECT_EQ(test, srnic_nonce_oracle_reused(true), before);
	*emitted = 0;
	box = sth_send_only(test, &p, X, psn);
	box->body[1] ^= 0x80;	/* SE: covered by the tag in every mode */
	KUNIT_EXPECT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box), 0);
	KUNIT_EXPECT_EQ(test, srnic_nonce_oracle_reused(true), before + 1);
	*emitted = 0;
	box = sth_send_only(test, &p, X, psn);
	box->body[1] ^= 0x80;
	box->body[box->len - 1] ^= 1;
	KUNIT_EXPECT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box), 0);
	KUNIT_EXPECT_EQ(test, srnic_nonce_oracle_reused(false), before + 1 + covered);
	KUNIT_EXPECT_EQ(test, srnic_nonce_oracle_fell(), fell + 3);
}

static void a_snapshot_has_the_figures_and_no_key(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_ready_pair(test, v, false);
	static const u8 zero[SRNIC_STH_KEY_MAX];
	struct srnic_sth_info info;

	KUNIT_ASSERT_EQ(test, sth_pass(test, &p, v->flow[X].start), 0);
	srnic_sth_info(p.end[X], &info);
	KUNIT_EXPECT_STREQ(test, info.suite, v->suite);
	KUNIT_EXPECT_EQ(test, info.mode, (enum srnic_sth_mode)v->mode);
	KUNIT_EXPECT_TRUE(test, info.flow[SRNIC_FLOW_OURS].ready);
	KUNIT_EXPECT_EQ(test, info.flow[SRNIC_FLOW_OURS].psn64, v->flow[X].start);
	KUNIT_EXPECT_EQ(test, info.flow[SRNIC_FLOW_OURS].sealed, 1);
	KUNIT_EXPECT_EQ(test, info.flow[SRNIC_FLOW_THEIRS].sealed, 0);
	KUNIT_EXPECT_STREQ(test, info.driver, srnic_sth_driver_name(p.end[X]));
	KUNIT_EXPECT_MEMEQ(test, srnic_sth_params(p.end[X])->key, zero, sizeof(zero));
	kunit_info(test, "%s is done by %s\n", v->name, info.driver);
}

/* Packets are reported to the count of their secret: in steps, and the rest at the end. */
static void what_a_secret_seals_is_counted(struct kunit *test)
{
	struct sth_pair p = sth_ready_pair(test, test->param_value, false);
	u64 psn64 = p.v->flow[X].start;
	struct sth_box *box = sth_send_only(test, &p, X, psn64 & SRNIC_PSN_MASK);
	struct srnic_flow *f = &p.end[X]->flow[SRNIC_FLOW_OURS];
	u32 use = srnic_key_use_begin(), other = srnic_key_use_begin();

	KUNIT_ASSERT_NE(test, use, 0);
	KUNIT_ASSERT_NE(test, other, use);
	p.end[X]->params.key_use[SRNIC_SECRET_CURRENT] = use;
	p.end[X]->params.key_use[SRNIC_SECRET_OTHER] = other;
	f->unreported = SRNIC_KEY_USE_STEP - box->pkt.len - 1;
	KUNIT_ASSERT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box), 0);
	KUNIT_EXPECT_EQ(test, f->unreported, SRNIC_KEY_USE_STEP - 1);
	KUNIT_EXPECT_EQ(test, srnic_key_use_bytes(use), 0);
	KUNIT_ASSERT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box), 0);
	KUNIT_EXPECT_EQ(test, srnic_key_use_bytes(use), SRNIC_KEY_USE_STEP - 1 + box->pkt.len);
	KUNIT_ASSERT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box), 0);
	kunit_release_action(test, sth_destroy_action, p.end[X]);
	KUNIT_EXPECT_EQ(test, srnic_key_use_bytes(use), SRNIC_KEY_USE_STEP - 1 + 2 * box->pkt.len);
	KUNIT_EXPECT_EQ(test, srnic_key_use_bytes(other), 0);

	srnic_key_use_end(use);
	srnic_key_use_end(other);
	KUNIT_EXPECT_EQ(test, srnic_key_use_bytes(use), 0);
}

static struct kunit_case sth_seal_cases[] = {
	KUNIT_CASE_PARAM(sealing_gives_the_bytes_of_the_codec, connection_gen_params),
	KUNIT_CASE_PARAM(without_simd_the_bytes_are_the_same, connection_gen_params),
	KUNIT_CASE_PARAM(what_the_codec_sealed_opens, connection_gen_params),
	KUNIT_CASE_PARAM(no_bit_may_change_and_trying_changes_nothing, sth_thorough_gen),
	KUNIT_CASE_PARAM(header_mode_does_not_protect_the_payload, sth_kind_gen),
	KUNIT_CASE_PARAM(congestion_bits_may_change, sth_kind_gen),
	KUNIT_CASE_PARAM(length_and_headers_may_not_shift, sth_kind_gen),
	KUNIT_CASE_PARAM(pieces_make_no_difference, sth_kind_gen),
	KUNIT_CASE_PARAM(nothing_is_sealed_or_opened_before_the_handshake, sth_kind_gen),
	KUNIT_CASE_PARAM(a_counter_is_taken_once, sth_kind_gen),
	KUNIT_CASE_PARAM(every_emission_has_a_nonce_of_its_own, sth_kind_gen),
	KUNIT_CASE_PARAM(forgeries_end_a_key_at_the_cryptographic_limit_only,
			 connection_gen_params),
	KUNIT_CASE_PARAM(a_reflected_packet_is_refused, sth_kind_gen),
	KUNIT_CASE_PARAM(a_request_is_no_response_nor_one_of_the_other_flow, sth_kind_gen),
	KUNIT_CASE_PARAM(a_packet_of_another_connection_is_refused, sth_kind_gen),
	KUNIT_CASE_PARAM(a_packet_of_the_other_mode_that_encrypts_is_refused, encrypting_gen),
	KUNIT_CASE_PARAM(a_packet_of_another_turn_of_the_psn_is_refused, sth_kind_gen),
	KUNIT_CASE_PARAM(a_psn_below_the_start_is_refused, sth_kind_gen),
	KUNIT_CASE_PARAM(a_pad_that_is_not_zero_is_refused, sth_kind_gen),
	KUNIT_CASE_PARAM(the_oracle_sees_a_nonce_used_twice, sth_counting_gen),
	KUNIT_CASE_PARAM(a_snapshot_has_the_figures_and_no_key, sth_kind_gen),
	KUNIT_CASE_PARAM(what_a_secret_seals_is_counted, sth_kind_gen),
	{}
};

static struct kunit_suite sth_seal_suite = {
	.name = "srnic-sth-seal",
	.test_cases = sth_seal_cases,
};

kunit_test_suite(sth_seal_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's sealing and opening");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
