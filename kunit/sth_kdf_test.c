// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of key derivation (protocol.md, section 6): published vectors,
 * and the whole key tree against the independent codec (tools/codec).
 */
#include <linux/hex.h>
#include <linux/module.h>

#include "sth_fixture.h"
#include "vectors/oracles_kdf.h"

static void check_kdf(struct kunit *test, const struct sth_kdf_oracle *o)
{
	unsigned int key_len = strlen(o->key) / 2, fixed_len = strlen(o->fixed) / 2;
	unsigned int len = strlen(o->out) / 2;
	u8 key[64], fixed[64], want[64], out[64];
	struct crypto_shash *tfm;

	KUNIT_ASSERT_LE(test, max3(key_len, fixed_len, len), 64);
	KUNIT_ASSERT_EQ(test, hex2bin(key, o->key, key_len), 0);
	KUNIT_ASSERT_EQ(test, hex2bin(fixed, o->fixed, fixed_len), 0);
	KUNIT_ASSERT_EQ(test, hex2bin(want, o->out, len), 0);
	tfm = srnic_hmac_alloc(key, key_len);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, tfm);
	KUNIT_EXPECT_EQ(test, srnic_kdf_fixed(tfm, fixed, fixed_len, out, len), 0);
	crypto_free_shash(tfm);
	KUNIT_EXPECT_MEMEQ_MSG(test, out, want, len, "%s", o->name);
}

static void kdf_is_that_of_sp800_108(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sth_kdf_oracles); i++)
		check_kdf(test, &sth_kdf_oracles[i]);
}

#define DD25	"dddddddddddddddddddddddddddddddddddddddddddddddddd"

/* RFC 4231, test cases 1 to 3 */
static void hmac_is_that_of_rfc_4231(struct kunit *test)
{
	static const struct {
		const char *key, *data, *mac;
	} cases[] = {
		{ "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "4869205468657265",
		  "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7" },
		{ "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
		  "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" },
		{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		  DD25 DD25,
		  "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe" },
	};
	u8 key[32], data[64], want[32], mac[32];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned int key_len = strlen(cases[i].key) / 2;
		unsigned int len = strlen(cases[i].data) / 2;
		struct crypto_shash *tfm;

		KUNIT_ASSERT_EQ(test, hex2bin(key, cases[i].key, key_len), 0);
		KUNIT_ASSERT_EQ(test, hex2bin(data, cases[i].data, len), 0);
		KUNIT_ASSERT_EQ(test, hex2bin(want, cases[i].mac, 32), 0);
		tfm = srnic_hmac_alloc(key, key_len);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, tfm);
		KUNIT_EXPECT_EQ(test, crypto_shash_tfm_digest(tfm, data, len, mac), 0);
		KUNIT_EXPECT_MEMEQ(test, mac, want, 32);
		crypto_free_shash(tfm);
	}
}

static void a_longer_key_is_no_extension_of_a_shorter(struct kunit *test)
{
	const struct srnic_kdf_purpose purpose = { .label = SRNIC_LABEL_PACKET };
	u8 key[32] = { 1 }, a[16], b[32];

	KUNIT_ASSERT_EQ(test, srnic_kdf(key, 32, &purpose, a, 16), 0);
	KUNIT_ASSERT_EQ(test, srnic_kdf(key, 32, &purpose, b, 32), 0);
	KUNIT_EXPECT_MEMNEQ(test, a, b, 16);
}

KUNIT_ARRAY_PARAM(connection, sth_connection_vectors, sth_connection_desc);

/* Write A ‖ B; the vectors have both orders of X and Y. */
static void ends_of(const struct sth_connection_vector *v, u8 ab[40])
{
	u8 x[20], y[20];

	srnic_ctx_end(x, v->x_gid, v->x_qpn);
	srnic_ctx_end(y, v->y_gid, v->y_qpn);
	memcpy(ab, memcmp(x, y, 20) < 0 ? x : y, 20);
	memcpy(ab + 20, memcmp(x, y, 20) < 0 ? y : x, 20);
}

static void pair_key_is_the_codecs(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	u8 ab[40], pair[32];

	ends_of(v, ab);
	if (!v->pair_key) {
		KUNIT_ASSERT_EQ(test, srnic_kdf_pair(v->key, v->key_len, ab, pair), 0);
		KUNIT_EXPECT_MEMEQ(test, pair, v->pair, 32);
	}
	KUNIT_ASSERT_EQ(test, srnic_kdf_pair_paper(v->key, ab, pair), 0);
	KUNIT_EXPECT_MEMEQ(test, pair, v->paper, 16);
}

static void handshake_and_flow_keys_are_the_codecs(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct srnic_sth *x = sth_make(test, v, X);
	u8 ctx[SRNIC_CTX_MAX], key[32];
	const struct srnic_kdf_purpose hs = { SRNIC_LABEL_HS, ctx, SRNIC_CTX_HS_LEN };
	const struct srnic_kdf_purpose flow = { SRNIC_LABEL_FLOW, ctx, SRNIC_CTX_FLOW_LEN };
	const u8 *root;
	int owner;

	KUNIT_EXPECT_EQ(test, x->pair[SRNIC_SECRET_CURRENT].id, v->key_id);
	memcpy(x->ephemeral.secret, v->share_secret[X], 32);
	memcpy(x->ephemeral.ours, v->share[X], 32);
	srnic_ctx_hs(ctx, &x->form, x->ab);
	KUNIT_ASSERT_EQ(test, srnic_kdf(v->pair, 32, &hs, key, 32), 0);
	KUNIT_EXPECT_MEMEQ(test, key, v->hs, 32);
	for (owner = X; owner <= Y; owner++) {
		const struct sth_flow_vector *f = &v->flow[owner];
		const struct srnic_flow_id id = {
			.owner_b = x->local_b == (owner == X),
			.start = f->start,
			.nq = f->nq,
			.nr = f->nr,
		};

		root = srnic_ephemeral_agree(x, SRNIC_SECRET_CURRENT, id.owner_b, v->share[Y]);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, root);
		KUNIT_EXPECT_MEMEQ(test, root, v->root[owner], 32);
		srnic_ctx_flow(ctx, &x->form, &id, x->ab);
		KUNIT_ASSERT_EQ(test, srnic_kdf(root, 32, &flow, key, 32), 0);
		KUNIT_EXPECT_MEMEQ(test, key, f->key, 32);
	}
}

/* Derive K_F of an epoch from that of epoch 0. */
static void flow_key_of(struct kunit *test, const u8 key0[32], u64 epoch, u8 key[32])
{
	const struct srnic_kdf_purpose ratchet = { .label = SRNIC_LABEL_RATCHET };
	u8 next[32];

	memcpy(key, key0, 32);
	while (epoch--) {
		KUNIT_ASSERT_EQ(test, srnic_kdf(key, 32, &ratchet, next, 32), 0);
		memcpy(key, next, 32);
	}
}

static void sub_keys_are_the_codecs(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct srnic_sth *x = sth_make(test, v, X);
	unsigned int i, n = 0, len = x->params.suite->key_len;
	u8 ctx[SRNIC_CTX_MAX], key[64], flow_key[32];
	const struct srnic_kdf_purpose purpose = { SRNIC_LABEL_PACKET, ctx, SRNIC_CTX_PACKET_LEN };

	for (i = 0; i < ARRAY_SIZE(sth_sub_key_vectors); i++) {
		const struct sth_sub_key_vector *k = &sth_sub_key_vectors[i];
		/* Responses travel against the flow. */
		bool from_x = (k->owner == X) != k->response;
		const struct srnic_subkey_id id = {
			.from_b = x->local_b == from_x,
			.response = k->response,
			.epoch = k->epoch,
		};

		if (&sth_connection_vectors[k->connection] != v)
			continue;
		srnic_ctx_packet(ctx, &x->form, &id);
		flow_key_of(test, v->flow[k->owner].key, k->epoch, flow_key);
		KUNIT_ASSERT_EQ(test, srnic_kdf(flow_key, 32, &purpose, key, len), 0);
		KUNIT_EXPECT_MEMEQ(test, key, k->key, len);
		n++;
	}
	KUNIT_EXPECT_GT(test, n, 0);
}

static struct kunit_case sth_kdf_cases[] = {
	KUNIT_CASE(kdf_is_that_of_sp800_108),
	KUNIT_CASE(hmac_is_that_of_rfc_4231),
	KUNIT_CASE(a_longer_key_is_no_extension_of_a_shorter),
	KUNIT_CASE_PARAM(pair_key_is_the_codecs, connection_gen_params),
	KUNIT_CASE_PARAM(handshake_and_flow_keys_are_the_codecs, connection_gen_params),
	KUNIT_CASE_PARAM(sub_keys_are_the_codecs, connection_gen_params),
	{}
};

static struct kunit_suite sth_kdf_suite = {
	.name = "srnic-sth-kdf",
	.test_cases = sth_kdf_cases,
};

kunit_test_suite(sth_kdf_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's key derivation");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
