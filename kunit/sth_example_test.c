// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the worked example (protocol.md, section 15): the kernel makes
 * every key, frame and packet that the page prints. tests/tools/worked_example.py
 * computes the same from the page's text.
 */
#include <crypto/curve25519.h>
#include <linux/hex.h>
#include <linux/module.h>
#include <linux/sizes.h>

#include "sth_fixture.h"
#include "vectors/example.h"
#include "wire/wire.h"

#define START		0xfffffe	/* of A's flow */
#define ACK_PSN64	0x1000001
#define REGION		0x7f0000001000ULL
#define RKEY		0x1234
#define OFFSET		0x500010	/* of the protected bytes in the region */
#define SALT		0x3333333333333333ULL
#define COUNTER		7		/* of the WRITE, and of datagrams */
#define UDP_LEN		8
#define HELLO		"hello\0\0"	/* with its pad and the terminator: eight bytes */

/* A value of the page, decoded */
struct value {
	unsigned int len;
	u8 bytes[128];
};

/**
 * struct seal - a suite and mode of the example
 * @name: the page's name
 * @suite: suite
 * @mode: mode
 * @counter: the first WRITE's, if the suite's family has counters; the proved one's
 *	is the next
 * @group: datagrams go to the group
 */
struct seal {
	const char *name;
	const char *suite;
	enum srnic_sth_mode mode;
	u32 counter;
	bool group;
};

static const struct seal seals[] = {
	{ "aes-cmac-128, header", "aes-cmac-128", SRNIC_STH_HEADER },
	{ "aes-gcm-128, aead", "aes-gcm-128", SRNIC_STH_AEAD, .counter = COUNTER },
	{ "aes-gcm-128, opaque", "aes-gcm-128", SRNIC_STH_OPAQUE, .counter = COUNTER },
};

KUNIT_ARRAY_PARAM_DESC(seal, seals, name);

static const struct seal dgram_seals[] = {
	{ "aes-cmac-128, packet, to B", "aes-cmac-128", SRNIC_STH_PACKET },
	{ "aes-gcm-128, aead, to B", "aes-gcm-128", SRNIC_STH_AEAD },
	{ "aes-gcm-128, opaque, to B", "aes-gcm-128", SRNIC_STH_OPAQUE },
	{ "aes-gcm-128, aead, to the group", "aes-gcm-128", SRNIC_STH_AEAD, .group = true },
};

KUNIT_ARRAY_PARAM_DESC(dgram_seal, dgram_seals, name);

/* Tell whether a label of the page is @name, or begins with @name and a comma. */
static bool is_named(const char *label, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(label, name, len) && (!label[len] || label[len] == ',');
}

static const struct value *printed(struct kunit *test, const char *part, const char *seal,
				   const char *name)
{
	struct value *value = kunit_kzalloc(test, sizeof(*value), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, value);
	for (i = 0; i < ARRAY_SIZE(example_values); i++) {
		const struct example_value *e = &example_values[i];

		if (strcmp(e->part, part) || strcmp(e->seal, seal) || !is_named(e->name, name))
			continue;
		value->len = strlen(e->hex) / 2;
		KUNIT_ASSERT_LE(test, value->len, sizeof(value->bytes));
		KUNIT_ASSERT_EQ(test, hex2bin(value->bytes, e->hex, value->len), 0);
		return value;
	}
	KUNIT_FAIL(test, "the page has no %s of %s (%s)", name, seal, part);
	kunit_skip(test, "a value is missing");
	return value;
}

static void expect_printed(struct kunit *test, const struct value *value, const u8 *bytes,
			   unsigned int len)
{
	KUNIT_ASSERT_EQ(test, value->len, len);
	KUNIT_EXPECT_MEMEQ(test, bytes, value->bytes, len);
}

static const struct value *shared(struct kunit *test, const char *name)
{
	return printed(test, "connection", "", name);
}

static const struct value *of_seal(struct kunit *test, const char *name)
{
	const struct seal *seal = test->param_value;

	return printed(test, "connection", seal->name, name);
}

/* Return the example's connection: X is A. Both flows have the nonces and the start of A's. */
static const struct sth_connection_vector *connection_of(struct kunit *test)
{
	const struct value *a = shared(test, "A"), *b = shared(test, "B");
	struct sth_connection_vector *v = kunit_kzalloc(test, sizeof(*v), GFP_KERNEL);
	const struct seal *seal = test->param_value;
	int owner;

	KUNIT_ASSERT_NOT_NULL(test, v);
	v->name = seal->name;
	v->suite = seal->suite;
	v->mode = seal->mode;
	v->key_len = sizeof(v->key);
	memcpy(v->key, shared(test, "K_PD")->bytes, sizeof(v->key));
	memcpy(v->x_gid, a->bytes, 16);
	memcpy(v->y_gid, b->bytes, 16);
	v->x_qpn = get_unaligned_be32(a->bytes + 16);
	v->y_qpn = get_unaligned_be32(b->bytes + 16);
	memcpy(v->share_secret[X], shared(test, "ephemeral key of A")->bytes, 32);
	memcpy(v->share_secret[Y], shared(test, "ephemeral key of B")->bytes, 32);
	memcpy(v->share[X], shared(test, "E_A")->bytes, 32);
	memcpy(v->share[Y], shared(test, "E_B")->bytes, 32);
	for (owner = X; owner <= Y; owner++) {
		v->flow[owner].start = START;
		memcpy(v->flow[owner].key, of_seal(test, "K_F")->bytes, 32);
		memcpy(v->flow[owner].nq, shared(test, "n_q")->bytes, 16);
		memcpy(v->flow[owner].nr, shared(test, "n_r")->bytes, 16);
	}
	return v;
}

static void P8_the_domains_key_yields_the_pairs(struct kunit *test)
{
	const struct srnic_kdf_purpose branch = { .label = SRNIC_LABEL_CONNECTION };
	const struct value *kpd = shared(test, "K_PD");
	u8 ab[40], key[32];

	memcpy(ab, shared(test, "A")->bytes, 20);
	memcpy(ab + 20, shared(test, "B")->bytes, 20);
	KUNIT_ASSERT_EQ(test, srnic_kdf(kpd->bytes, kpd->len, &branch, key, sizeof(key)), 0);
	expect_printed(test, shared(test, "K_C"), key, sizeof(key));
	KUNIT_ASSERT_EQ(test, srnic_kdf_pair(kpd->bytes, kpd->len, ab, key), 0);
	expect_printed(test, shared(test, "K_AB"), key, sizeof(key));
}

static void the_pairs_key_yields_those_of_handshake_and_flow(struct kunit *test)
{
	const struct sth_connection_vector *v = connection_of(test);
	const struct value *pair = shared(test, "K_AB");
	struct srnic_sth *a = sth_make(test, v, X);
	u8 ctx[SRNIC_CTX_MAX], key[32];
	const struct srnic_kdf_purpose hs = { SRNIC_LABEL_HS, ctx, SRNIC_CTX_HS_LEN };
	const struct srnic_kdf_purpose flow = { SRNIC_LABEL_FLOW, ctx, SRNIC_CTX_FLOW_LEN };
	const struct srnic_kdf_purpose ratchet = { .label = SRNIC_LABEL_RATCHET };
	const struct srnic_flow_id id = {
		.start = START, .nq = v->flow[X].nq, .nr = v->flow[X].nr,
	};
	const u8 *root;
	u8 next[32];

	KUNIT_EXPECT_EQ(test, a->pair[SRNIC_SECRET_CURRENT].id,
			get_unaligned_be32(shared(test, "key id")->bytes));
	srnic_ctx_hs(ctx, &a->form, a->ab);
	expect_printed(test, of_seal(test, "S"), ctx, 4);
	KUNIT_ASSERT_EQ(test, srnic_kdf(pair->bytes, 32, &hs, key, 32), 0);
	expect_printed(test, of_seal(test, "K_HS"), key, 32);
	srnic_ctx_flow(ctx, &a->form, &id, a->ab);
	memcpy(a->ephemeral.secret, v->share_secret[X], 32);
	memcpy(a->ephemeral.ours, v->share[X], 32);
	root = srnic_ephemeral_agree(a, SRNIC_SECRET_CURRENT, false, v->share[Y]);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, root);
	expect_printed(test, shared(test, "K_X of A"), root, 32);
	KUNIT_ASSERT_EQ(test, srnic_kdf(root, 32, &flow, key, 32), 0);
	expect_printed(test, of_seal(test, "K_F, epoch 0"), key, 32);
	KUNIT_ASSERT_EQ(test, srnic_kdf(key, 32, &ratchet, next, 32), 0);
	expect_printed(test, of_seal(test, "K_F, epoch 1"), next, 32);
	root = srnic_ephemeral_agree(a, SRNIC_SECRET_CURRENT, true, v->share[Y]);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, root);
	expect_printed(test, shared(test, "K_X of B"), root, 32);
}

/* The shares follow from the ephemeral keys, and each end computes Z from the other's. */
static void both_ends_share_a_secret(struct kunit *test)
{
	static const char *const scalars[] = { "ephemeral key of A", "ephemeral key of B" };
	static const char *const shares[] = { "E_A", "E_B" };
	u8 bytes[32];
	int end;

	for (end = X; end <= Y; end++) {
		const u8 *scalar = shared(test, scalars[end])->bytes;

		KUNIT_ASSERT_TRUE(test, curve25519_generate_public(bytes, scalar));
		expect_printed(test, shared(test, shares[end]), bytes, 32);
		KUNIT_ASSERT_TRUE(test, curve25519(bytes, scalar,
						   shared(test, shares[!end])->bytes));
		expect_printed(test, shared(test, "Z"), bytes, 32);
	}
}

static void the_flows_key_yields_sub_keys(struct kunit *test)
{
	static const struct srnic_subkey_id request = { .epoch = 0 };
	static const struct srnic_subkey_id response = {
		.from_b = true, .response = true, .epoch = 1,
	};
	const struct value *flow = of_seal(test, "K_F, epoch 0");
	struct srnic_sth *a = sth_make(test, connection_of(test), X);
	u8 ctx[SRNIC_CTX_MAX], key[16];
	const struct srnic_kdf_purpose packet = { SRNIC_LABEL_PACKET, ctx, SRNIC_CTX_PACKET_LEN };

	srnic_ctx_packet(ctx, &a->form, &request);
	KUNIT_ASSERT_EQ(test, srnic_kdf(flow->bytes, 32, &packet, key, 16), 0);
	expect_printed(test, of_seal(test, "request key"), key, 16);
	flow = of_seal(test, "K_F, epoch 1");
	srnic_ctx_packet(ctx, &a->form, &response);
	KUNIT_ASSERT_EQ(test, srnic_kdf(flow->bytes, 32, &packet, key, 16), 0);
	expect_printed(test, of_seal(test, "response key"), key, 16);
}

static void the_handshake_has_these_frames(struct kunit *test)
{
	static const char *const names[][2] = {
		{ "HELLO", "HELLO-ACK" }, { "CONFIRM", "CONFIRM-ACK" },
	};
	struct sth_pair p = sth_pair_of(test, connection_of(test), true);
	u8 frame[SRNIC_HS_FRAME_LEN], reply[SRNIC_HS_FRAME_LEN];
	unsigned int round, len;

	for (round = 0; round < ARRAY_SIZE(names); round++) {
		len = srnic_sth_hs_next(p.end[X], frame);
		expect_printed(test, of_seal(test, names[round][0]), frame, len);
		KUNIT_ASSERT_GT(test, srnic_sth_hs_rx(p.end[Y], frame, len, reply, &len), 0);
		expect_printed(test, of_seal(test, names[round][1]), reply, len);
		KUNIT_ASSERT_GT(test, srnic_sth_hs_rx(p.end[X], reply, len, frame, &len), 0);
	}
}

/* Seal the printed packet's headers and "hello"; open the result. */
static void check_packet(struct kunit *test, struct sth_pair *p, const struct sth_packet_vector *v,
			 const struct srnic_mkey *mkey)
{
	struct sth_box *box = sth_sealed_box(test, p, v);
	unsigned int len = v->payload_len + v->pad;
	unsigned int ext = sth_box_payload_len(box) - len;
	u8 *payload = box->body + v->len - len;

	KUNIT_ASSERT_EQ(test, box->sth_at + ext, v->hdr_len);
	memset(box->body + box->sth_at, 0xaa, box->pkt.sth_len);
	memcpy(payload - ext, v->ext, ext);
	memcpy(payload, HELLO, len);
	box->pkt.mkey = mkey;
	box->pkt.opc = &srnic_opcode_table[v->sealed[0]];
	box->pkt.va = REGION + OFFSET;
	box->pkt.dmalen = v->payload_len;
	sth_go_to(test, p, v);
	KUNIT_ASSERT_EQ(test, sth_seal_vector(p, v, box), 0);
	KUNIT_EXPECT_MEMEQ(test, box->body, v->sealed, v->len);
	memcpy(box->body, v->sealed, v->len);
	KUNIT_ASSERT_EQ(test, sth_open_vector(p, v, box), 0);
	KUNIT_EXPECT_MEMEQ(test, payload - ext, v->ext, ext);
	KUNIT_EXPECT_MEMEQ(test, payload, HELLO, len);
}

/* RETH: address, rkey, length; AETH: syndrome, MSN */
static const u8 write_ext[] = { 0, 0, 0x7f, 0, 0, 0, 0x10, 0, 0, 0, 0x12, 0x34, 0, 0, 0, 5 };
static const u8 ack_ext[] = { 0x1f, 0, 0, 1 };

static struct sth_packet_vector write_of(const struct seal *seal, const struct value *sealed)
{
	return (struct sth_packet_vector){
		.name = "WRITE ONLY", .owner = X, .hdr_len = 28, .pad = 3, .payload_len = 5,
		.len = sealed->len, .counter = seal->counter, .psn64 = START,
		.sealed = sealed->bytes, .ext = write_ext,
	};
}

static void a_request_and_its_answer_have_these_bytes(struct kunit *test)
{
	struct sth_pair p = sth_ready_pair(test, connection_of(test), true);
	const struct value *sealed = of_seal(test, "ACK");
	const struct sth_packet_vector ack = {
		.name = "ACK", .owner = X, .response = true, .hdr_len = 16, .len = sealed->len,
		.psn64 = ACK_PSN64, .sealed = sealed->bytes, .ext = ack_ext,
	};
	const struct sth_packet_vector write = write_of(test->param_value,
							of_seal(test, "WRITE ONLY"));

	check_packet(test, &p, &write, NULL);
	check_packet(test, &p, &ack, NULL);
}

/* Check the ICRC of an IPv4 packet, which carries @body. */
static void expect_icrc(struct kunit *test, const struct value *ip, const struct value *body)
{
	struct srnic_ends ends = { .v4 = true };
	struct srnic_icrc_base base = { };
	const u8 *bth = ip->bytes + 20 + UDP_LEN;
	u32 crc;

	KUNIT_ASSERT_EQ(test, ip->len, 20 + UDP_LEN + body->len + SRNIC_ICRC_LEN);
	KUNIT_EXPECT_MEMEQ(test, bth, body->bytes, body->len);
	memcpy(ends.iph, ip->bytes, 20);
	memcpy(&ends.sport, ip->bytes + 20, 2);
	memcpy(&ends.dport, ip->bytes + 22, 2);
	crc = srnic_icrc_begin(&base, &ends, 0, ip->len - 20, bth);
	crc = le32_to_cpu(srnic_icrc_end(srnic_crc_update(crc, bth, body->len)));
	KUNIT_EXPECT_EQ(test, crc, get_unaligned_le32(bth + body->len));
}

static void the_answer_has_this_icrc(struct kunit *test)
{
	expect_icrc(test, of_seal(test, "the same ACK"), of_seal(test, "ACK"));
}

static const struct value *of_memory(struct kunit *test, const char *seal, const char *name)
{
	return printed(test, "memory", seal, name);
}

/* Return the key of the whole region, to write. */
static struct srnic_mkey root_of(struct kunit *test)
{
	struct srnic_mkey mkey = { .addr = REGION, .rkey = RKEY };

	KUNIT_ASSERT_EQ(test, srnic_tree_init(&mkey.tree, 16 * SZ_1M, 4, 20), 0);
	KUNIT_ASSERT_EQ(test, srnic_mkey_root(&mkey, of_memory(test, "", "K_MR")->bytes,
					      SRNIC_RIGHT_WRITE), 0);
	return mkey;
}

static void P8_the_domains_key_yields_the_regions(struct kunit *test)
{
	const struct srnic_kdf_purpose branch = { .label = SRNIC_LABEL_MEMORY };
	const struct srnic_va_range region = { .addr = REGION, .len = 16 * SZ_1M };
	const struct value *kpd = shared(test, "K_PD");
	struct srnic_mkey root = root_of(test);
	u8 key[SRNIC_MKEY_LEN];

	KUNIT_ASSERT_EQ(test, srnic_kdf(kpd->bytes, kpd->len, &branch, key, sizeof(key)), 0);
	expect_printed(test, of_memory(test, "", "K_M"), key, sizeof(key));
	KUNIT_ASSERT_EQ(test, srnic_mkey_region(kpd->bytes, kpd->len, &region, RKEY, key), 0);
	expect_printed(test, of_memory(test, "", "K_MR"), key, sizeof(key));
	expect_printed(test, of_memory(test, "", "root"), root.key, sizeof(root.key));
}

/* Compute the proof of the example's access, and expect the printed K_SR. */
static void prove(struct kunit *test, const struct srnic_mkey *mkey,
		  const struct srnic_proof_input *in, u8 proof[SRNIC_STH_PROOF_LEN])
{
	const struct srnic_va_range access = { .addr = REGION + OFFSET, .len = 5 };
	struct srnic_ksr ksr = { };
	int err;

	local_bh_disable();
	err = srnic_mkey_prove(mkey, &access, &ksr, in, proof);
	local_bh_enable();
	KUNIT_ASSERT_EQ(test, err, 0);
	expect_printed(test, of_memory(test, "", "K_SR of [0x500010, 0x500015)"), ksr.key,
		       sizeof(ksr.key));
}

static void P10_each_block_on_the_path_yields_the_accesss_key(struct kunit *test)
{
	static const struct {
		const char *name;
		struct srnic_tree_node node;
	} steps[] = {
		{ "root", { 0, 24 } },
		{ "step 1: [0x0, 0x800000)", { 0, 23 } },
		{ "step 2: [0x400000, 0x800000)", { 0x400000, 22 } },
		{ "step 3: [0x400000, 0x600000)", { 0x400000, 21 } },
		{ "step 4: [0x500000, 0x600000)", { 0x500000, 20 } },
	};
	static const u8 nonce[SRNIC_STH_NONCE_LEN];
	const struct srnic_proof_input nothing = { .nq = nonce, .nr = nonce, .head = nonce };
	struct srnic_mkey mkey = root_of(test);
	u8 proof[SRNIC_STH_PROOF_LEN];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		mkey.node = steps[i].node;
		memcpy(mkey.key, of_memory(test, "", steps[i].name)->bytes, sizeof(mkey.key));
		KUNIT_ASSERT_EQ(test, srnic_mkey_validate(&mkey), 0);
		prove(test, &mkey, &nothing, proof);
	}
}

static void check_proved_request(struct kunit *test)
{
	const struct seal *seal = test->param_value;
	const struct value *head = of_memory(test, seal->name,
					     "M up to and with the extension headers");
	struct sth_packet_vector write =
		write_of(seal, of_memory(test, seal->name, "WRITE ONLY"));
	struct sth_pair p = sth_ready_pair(test, connection_of(test), true);
	bool covered = seal->mode != SRNIC_STH_HEADER;
	struct srnic_mkey mkey = root_of(test);
	u8 *text = kunit_kzalloc(test, sizeof(HELLO), GFP_KERNEL);
	u8 proof[SRNIC_STH_PROOF_LEN];
	struct scatterlist sg;
	const struct srnic_proof_input in = {
		.nq = p.v->flow[X].nq, .nr = p.v->flow[X].nr,
		.head = head->bytes, .head_len = head->len,
		.payload = &sg, .payload_len = covered ? sizeof(HELLO) : 0,
	};

	KUNIT_ASSERT_NOT_NULL(test, text);
	memcpy(text, write.sealed + write.len - sizeof(HELLO), sizeof(HELLO));
	sg_init_one(&sg, text, sizeof(HELLO));
	write.counter++;
	prove(test, &mkey, &in, proof);
	expect_printed(test, of_memory(test, seal->name, "proof"), proof, sizeof(proof));
	check_packet(test, &p, &write, &mkey);
}

static void P9_a_proved_request_has_these_bytes(struct kunit *test)
{
	const struct seal *seal = test->param_value;

	if (seal->mode == SRNIC_STH_OPAQUE)
		kunit_skip(test, "no request in opaque mode is proved");
	check_proved_request(test);
}

static void destroy_dgram(void *dgram)
{
	srnic_dgram_destroy(dgram);
}

/* Return A's keys towards B or the group, and the addresses, which M contains. */
static noinline_for_stack struct srnic_dgram *dgram_of(struct kunit *test,
						       const struct seal *seal,
						       struct srnic_ends *ends)
{
	const u8 *m = printed(test, "datagrams", seal->name, "M")->bytes;
	struct srnic_dgram_params params = {
		.suite = srnic_sth_suite_find(seal->suite), .mode = seal->mode,
	};
	struct srnic_dgram_id id = { .salt = SALT };
	const u8 *kpd = shared(test, "K_PD")->bytes;
	struct srnic_dgram *dgram;

	id.sqpn = get_unaligned_be32(shared(test, "A")->bytes + 16);
	memcpy(id.sgid, m + 16, 16);
	memcpy(id.dgid, m + 32, 16);
	memcpy(ends->sgid, id.sgid, 16);
	memcpy(ends->dgid, id.dgid, 16);
	if (seal->group)
		srnic_dgram_group_key(kpd, 32, params.kud);
	else
		KUNIT_ASSERT_EQ(test, srnic_dgram_pair_key(kpd, 32, id.sgid, id.dgid, params.kud),
				0);
	expect_printed(test, printed(test, "datagrams", seal->name, "K_UD"), params.kud, 32);
	dgram = srnic_dgram_create(&params, &id);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, dgram);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, destroy_dgram, dgram), 0);
	return dgram;
}

static void the_senders_key_has_these_bytes(struct kunit *test)
{
	const struct seal *seal = test->param_value;
	const struct srnic_sth_suite *suite = srnic_sth_suite_find(seal->suite);
	const struct srnic_sth_form form = {
		.suite_id = suite->id, .mode = seal->mode, .tag_len = suite->tag_len,
	};
	const u8 *kud = printed(test, "datagrams", seal->name, "K_UD")->bytes;
	const u8 *a = shared(test, "A")->bytes;
	u8 ctx[SRNIC_CTX_DGRAM_LEN], key[16];
	const struct srnic_kdf_purpose purpose = { SRNIC_LABEL_DGRAM, ctx, sizeof(ctx) };

	srnic_ctx_datagram(ctx, &form, a, seal->mode == SRNIC_STH_OPAQUE ? 0 :
			   get_unaligned_be32(a + 16), SALT);
	expect_printed(test, printed(test, "datagrams", seal->name, "S"), ctx, 4);
	KUNIT_ASSERT_EQ(test, srnic_kdf(kud, 32, &purpose, key, sizeof(key)), 0);
	expect_printed(test, printed(test, "datagrams", seal->name, "sub-key"), key, sizeof(key));
}

static void a_datagram_has_these_bytes(struct kunit *test)
{
	/* DETH: Q_Key, A's QPN; the payload and its pad */
	static const u8 plain[] = "\x11\x11\x11\x11\0\0\0\x11" HELLO;
	const struct seal *seal = test->param_value;
	const struct value *sealed = printed(test, "datagrams", seal->name, "SEND ONLY");
	unsigned int len = sizeof(HELLO), sth_at;
	u8 *body = kunit_kzalloc(test, sizeof(sealed->bytes), GFP_KERNEL);
	struct srnic_sth_payload payload;
	struct srnic_ends ends = { };
	struct srnic_pkt pkt = { };
	struct srnic_dgram *dgram = dgram_of(test, seal, &ends);
	struct scatterlist sg;

	KUNIT_ASSERT_NOT_NULL(test, body);
	memcpy(body, sealed->bytes, sealed->len);
	KUNIT_ASSERT_EQ(test, srnic_wire_parse(&pkt, body, sealed->len + SRNIC_ICRC_LEN),
			SRNIC_WIRE_OK);
	KUNIT_ASSERT_EQ(test, pkt.payload_len + pkt.pad, len);
	sth_at = srnic_sth_offset(seal->mode, &pkt);
	len += pkt.hdr_len - sth_at;
	pkt.ends = &ends;
	pkt.payload = body + sth_at + pkt.sth_len;
	sg_init_one(&sg, pkt.payload, len);
	payload = srnic_sth_in_place(&sg, len);
	memset(body + sth_at, 0xaa, pkt.sth_len);
	memcpy(pkt.payload, plain + sizeof(plain) - len, len);
	KUNIT_ASSERT_EQ(test, srnic_dgram_seal(dgram, COUNTER, &pkt, &payload), 0);
	expect_printed(test, sealed, body, sealed->len);
	KUNIT_ASSERT_EQ(test, srnic_dgram_open(dgram, &pkt, &payload), 0);
	KUNIT_EXPECT_MEMEQ(test, pkt.payload, plain + sizeof(plain) - len, len);
	if (seal->group)
		expect_icrc(test, printed(test, "datagrams", seal->name, "the same"), sealed);
}

static int sth_example_init(struct kunit *test)
{
	return srnic_mkey_prepare();
}

static struct kunit_case sth_example_cases[] = {
	KUNIT_CASE(P8_the_domains_key_yields_the_pairs),
	KUNIT_CASE(both_ends_share_a_secret),
	KUNIT_CASE_PARAM(the_pairs_key_yields_those_of_handshake_and_flow, seal_gen_params),
	KUNIT_CASE_PARAM(the_flows_key_yields_sub_keys, seal_gen_params),
	KUNIT_CASE_PARAM(the_handshake_has_these_frames, seal_gen_params),
	KUNIT_CASE_PARAM(a_request_and_its_answer_have_these_bytes, seal_gen_params),
	KUNIT_CASE_PARAM(the_answer_has_this_icrc, seal_gen_params),
	KUNIT_CASE(P8_the_domains_key_yields_the_regions),
	KUNIT_CASE(P10_each_block_on_the_path_yields_the_accesss_key),
	KUNIT_CASE_PARAM(P9_a_proved_request_has_these_bytes, seal_gen_params),
	KUNIT_CASE_PARAM(the_senders_key_has_these_bytes, dgram_seal_gen_params),
	KUNIT_CASE_PARAM(a_datagram_has_these_bytes, dgram_seal_gen_params),
	{}
};

static struct kunit_suite sth_example_suite = {
	.name = "srnic-sth-example",
	.init = sth_example_init,
	.test_cases = sth_example_cases,
};

kunit_test_suite(sth_example_suite);

MODULE_DESCRIPTION("KUnit suite of the worked example in protocol.md");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
