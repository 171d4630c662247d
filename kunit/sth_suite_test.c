// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the table of suites and the algorithms behind it: vectors
 * published by NIST, Wycheproof and RFCs, through the same functions as
 * packets, with and without SIMD.
 */
#include <linux/hex.h>
#include <linux/module.h>

#include "sth_fixture.h"
#include "vectors/oracles_chacha.h"
#include "vectors/oracles_cmac.h"
#include "vectors/oracles_gcm.h"
#include "vectors/oracles_gmac.h"
#include "vectors/oracles_hmac.h"

#define MSG_MAX	1024
#define KEY_MAX	140	/* HMAC's vectors have keys longer than a block */

/* arguments for seal and open of a family */
struct bench {
	struct srnic_sth_suite suite;
	struct srnic_sth_scratch *scratch;
	struct srnic_cipher cipher;
	u8 *msg;
	u8 *want;
	unsigned int len;
	struct scatterlist sg;
	bool keyed;
};

static void key_free_action(void *ctx)
{
	struct bench *b = ctx;

	if (b->keyed)
		b->suite.family->free(&b->cipher);
	b->keyed = false;
}

static struct bench *bench_of(struct kunit *test, enum srnic_sth_mode mode)
{
	struct bench *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->scratch = kunit_kzalloc(test, sizeof(*b->scratch), GFP_KERNEL);
	b->msg = kunit_kzalloc(test, MSG_MAX, GFP_KERNEL);
	b->want = kunit_kzalloc(test, MSG_MAX, GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, b->scratch && b->msg && b->want);
	b->scratch->sink = kunit_kzalloc(test, SRNIC_STH_SINK, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, b->scratch->sink);
	b->scratch->mode = mode;
	KUNIT_ASSERT_EQ(test, kunit_add_action(test, key_free_action, b), 0);
	return b;
}

static void bench_key(struct kunit *test, struct bench *b, const struct srnic_sth_suite *suite,
		      const u8 *raw, unsigned int len)
{
	key_free_action(b);
	memset(&b->cipher, 0, sizeof(b->cipher));
	b->suite = *suite;
	b->suite.key_len = len;
	b->scratch->tag_len = suite->tag_len;
	b->keyed = true;
	KUNIT_ASSERT_EQ(test, b->suite.family->init(&b->cipher, &b->suite, raw), 0);
}

/* Use the suite's row with the key size of the vector: those of HMAC differ. */
static void bench_load(struct kunit *test, struct bench *b, const struct srnic_sth_suite *suite,
		       const char *key, const char *msg)
{
	unsigned int key_len = strlen(key) / 2;
	u8 raw[KEY_MAX];

	KUNIT_ASSERT_NOT_NULL(test, suite);
	KUNIT_ASSERT_TRUE(test, srnic_sth_suite_allows(suite, b->scratch->mode));
	b->len = strlen(msg) / 2;
	KUNIT_ASSERT_LE(test, key_len, sizeof(raw));
	KUNIT_ASSERT_LE(test, b->len, MSG_MAX);
	KUNIT_ASSERT_EQ(test, hex2bin(raw, key, key_len), 0);
	KUNIT_ASSERT_EQ(test, hex2bin(b->msg, msg, b->len), 0);
	sg_init_one(&b->sg, b->msg, b->len ?: 1);
	bench_key(test, b, suite, raw, key_len);
}

static void bench_input(struct bench *b, const u8 *input, unsigned int len)
{
	memcpy(b->scratch->input, input, len);
	b->scratch->input_len = len;
}

static int bench_seal(struct bench *b, unsigned int len)
{
	const struct srnic_sth_payload payload = srnic_sth_in_place(&b->sg, len);

	return b->suite.family->apply[SRNIC_TO_SEAL](b->scratch, &b->cipher, &payload);
}

static int bench_open(struct bench *b, unsigned int len)
{
	const struct srnic_sth_payload payload = srnic_sth_in_place(&b->sg, len);

	return b->suite.family->apply[SRNIC_TO_OPEN](b->scratch, &b->cipher, &payload);
}

/* Pass the first @split bytes as MAC input, the rest as payload. */
static void check_mac(struct kunit *test, struct bench *b, const struct sth_mac_oracle *o,
		      const u8 *tag, unsigned int split)
{
	unsigned int rest = b->len - split, tag_len = b->suite.tag_len;
	int err;

	bench_input(b, b->msg, split);
	sg_init_one(&b->sg, b->msg + split, rest ?: 1);
	KUNIT_ASSERT_EQ(test, bench_seal(b, rest), 0);
	KUNIT_EXPECT_EQ_MSG(test, !memcmp(b->scratch->tag, tag, tag_len), o->valid, "%s, %s",
			    b->suite.name, o->name);

	bench_input(b, b->msg, split);	/* seal may have overwritten it */
	memcpy(b->scratch->tag, tag, tag_len);
	err = bench_open(b, rest);
	KUNIT_EXPECT_EQ_MSG(test, err, o->valid ? 0 : -EBADMSG, "%s, %s", b->suite.name, o->name);
}

static void check_splits(struct kunit *test, struct bench *b, const struct sth_mac_oracle *o,
			 const struct srnic_sth_suite *suite)
{
	u8 tag[SRNIC_STH_TAG_LEN_MAX];
	unsigned int split;

	bench_load(test, b, suite, o->key, o->msg);
	KUNIT_ASSERT_LE(test, suite->tag_len, strlen(o->tag) / 2);
	KUNIT_ASSERT_EQ(test, hex2bin(tag, o->tag, suite->tag_len), 0);
	KUNIT_ASSERT_EQ(test, hex2bin(b->scratch->iv, o->iv, strlen(o->iv) / 2), 0);
	for (split = 0; split <= min(b->len, SRNIC_STH_INPUT_MAX); split++)
		check_mac(test, b, o, tag, split);
}

struct macs {
	const char *name;
	const struct sth_mac_oracle *oracles;
	unsigned int num;
};

static const struct macs macs[] = {
	{ "CMAC", sth_cmac_oracles, ARRAY_SIZE(sth_cmac_oracles) },
	{ "HMAC", sth_hmac_oracles, ARRAY_SIZE(sth_hmac_oracles) },
	{ "GMAC", sth_gmac_oracles, ARRAY_SIZE(sth_gmac_oracles) },
};

static void macs_desc(const struct macs *m, char *desc)
{
	strscpy(desc, m->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(macs, macs, macs_desc);

static void check_all_macs(struct kunit *test, bool no_simd)
{
	const struct macs *m = test->param_value;
	struct bench *b = bench_of(test, SRNIC_STH_PACKET);
	unsigned int i;

	b->scratch->no_simd = no_simd;
	for (i = 0; i < m->num; i++) {
		const struct srnic_sth_suite *s = srnic_sth_suite_find(m->oracles[i].suite);

		KUNIT_ASSERT_NOT_NULL(test, s);
		/* This suite has one implementation only. */
		if (no_simd && !s->fast)
			continue;
		check_splits(test, b, &m->oracles[i], s);
	}
}

static void tags_are_the_published_ones(struct kunit *test)
{
	check_all_macs(test, false);
}

static void tags_without_simd_are_the_published_ones(struct kunit *test)
{
	check_all_macs(test, true);
}

/* Section 3: a shorter tag is the leftmost bytes. */
static void a_shorter_tag_is_the_beginning_of_the_published_one(struct kunit *test)
{
	struct bench *b = bench_of(test, SRNIC_STH_PACKET);
	unsigned int i, n = 0;
	char name[40];

	for (i = 0; i < ARRAY_SIZE(sth_cmac_oracles); i++) {
		const struct sth_mac_oracle *o = &sth_cmac_oracles[i];

		/* The defect of an invalid vector may lie behind the cut. */
		if (!o->valid)
			continue;
		snprintf(name, sizeof(name), "%s/96", o->suite);
		check_splits(test, b, o, srnic_sth_suite_find(name));
		n++;
	}
	KUNIT_EXPECT_GT(test, n, 0);
}

/* Compare two implementations at every length that can make a difference. */
static void compare_ways(struct kunit *test, struct bench *b, const u8 *msg, unsigned int step)
{
	unsigned int len, input_len, i;
	u8 tag[SRNIC_STH_TAG_LEN_MAX];

	/* short lengths, those around each page and sink, and the longest */
	for (i = 0; i < 700; i += step) {
		len = i < 600 ? i : i < 690 ? 1024 * (i - 599) / 23 : 4100 - (700 - i);
		input_len = 58 + i % 33;
		bench_input(b, msg, input_len);
		sg_init_one(&b->sg, (u8 *)msg + i % 60, len ?: 1);
		b->scratch->no_simd = false;
		KUNIT_ASSERT_EQ(test, bench_seal(b, len), 0);
		memcpy(tag, b->scratch->tag, sizeof(tag));
		bench_input(b, msg, input_len);
		b->scratch->no_simd = true;
		KUNIT_ASSERT_EQ(test, bench_seal(b, len), 0);
		KUNIT_EXPECT_MEMEQ_MSG(test, tag, b->scratch->tag, b->suite.tag_len,
				       "%s: %u and %u", b->suite.name, input_len, len);
	}
}

/* No published vector is longer than 277 bytes: compare the two implementations. */
static void with_simd_the_tag_is_the_same_at_every_length(struct kunit *test)
{
	struct bench *b = bench_of(test, SRNIC_STH_PACKET);
	u8 *msg = kunit_kzalloc(test, 4200, GFP_KERNEL);
	const struct srnic_sth_suite *s;
	u8 raw[SRNIC_STH_RAW_KEY_MAX];
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, msg);
	get_random_bytes(msg, 4200);
	for (i = 0; (s = srnic_sth_suite_at(i)); i++) {
		if (!s->fast || !srnic_sth_suite_allows(s, SRNIC_STH_PACKET))
			continue;
		get_random_bytes(raw, sizeof(raw));
		bench_key(test, b, s, raw, s->key_len);
		/* The key length does not affect how the message is split. */
		compare_ways(test, b, msg, i ? 11 : 1);
	}
}

static void check_aead(struct kunit *test, struct bench *b, const struct sth_aead_oracle *o)
{
	unsigned int aad_len = strlen(o->aad) / 2;
	u8 tag[16];
	int err;

	bench_load(test, b, srnic_sth_suite_find(o->suite), o->key, o->valid ? o->msg : o->ct);
	KUNIT_ASSERT_LE(test, aad_len, SRNIC_STH_INPUT_MAX);
	KUNIT_ASSERT_EQ(test, hex2bin(b->scratch->input, o->aad, aad_len), 0);
	b->scratch->input_len = aad_len;
	KUNIT_ASSERT_EQ(test, hex2bin(b->scratch->iv, o->iv, 12), 0);
	KUNIT_ASSERT_EQ(test, hex2bin(tag, o->tag, 16), 0);
	if (o->valid) {
		KUNIT_ASSERT_EQ(test, hex2bin(b->want, o->ct, b->len), 0);
		KUNIT_ASSERT_EQ(test, bench_seal(b, b->len), 0);
		KUNIT_EXPECT_MEMEQ_MSG(test, b->msg, b->want, b->len, "%s", o->name);
		KUNIT_EXPECT_MEMEQ_MSG(test, b->scratch->tag, tag, 16, "%s", o->name);
	}

	memcpy(b->scratch->tag, tag, 16);
	err = bench_open(b, b->len);
	KUNIT_EXPECT_EQ_MSG(test, err, o->valid ? 0 : -EBADMSG, "%s", o->name);
	if (o->valid) {
		KUNIT_ASSERT_EQ(test, hex2bin(b->want, o->msg, b->len), 0);
		KUNIT_EXPECT_MEMEQ_MSG(test, b->msg, b->want, b->len, "%s", o->name);
	}
}

struct aeads {
	const char *name;
	const struct sth_aead_oracle *oracles;
	unsigned int num;
};

static const struct aeads aeads[] = {
	{ "GCM", sth_gcm_oracles, ARRAY_SIZE(sth_gcm_oracles) },
	{ "ChaCha20-Poly1305", sth_chacha_oracles, ARRAY_SIZE(sth_chacha_oracles) },
};

static void aeads_desc(const struct aeads *a, char *desc)
{
	strscpy(desc, a->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(aeads, aeads, aeads_desc);

static void check_all_aeads(struct kunit *test, bool no_simd)
{
	const struct aeads *a = test->param_value;
	struct bench *b = bench_of(test, SRNIC_STH_AEAD);
	unsigned int i;

	b->scratch->no_simd = no_simd;
	for (i = 0; i < a->num; i++)
		check_aead(test, b, &a->oracles[i]);
}

static void ciphers_are_the_published_ones(struct kunit *test)
{
	check_all_aeads(test, false);
}

static void ciphers_without_simd_are_the_published_ones(struct kunit *test)
{
	check_all_aeads(test, true);
}

static void names_and_numbers_are_unique(struct kunit *test)
{
	const struct srnic_sth_suite *a, *b;
	unsigned int i, j;

	for (i = 0; (a = srnic_sth_suite_at(i)); i++) {
		KUNIT_EXPECT_PTR_EQ(test, srnic_sth_suite_find(a->name), a);
		for (j = 0; j < i; j++) {
			b = srnic_sth_suite_at(j);
			KUNIT_EXPECT_NE(test, a->id, b->id);
		}
	}
	KUNIT_EXPECT_GT(test, i, 0);
	KUNIT_EXPECT_NULL(test, srnic_sth_suite_find("aes-cmac-12"));
	KUNIT_EXPECT_NULL(test, srnic_sth_suite_find(""));
}

static void every_suite_fits_its_code_and_the_limits(struct kunit *test)
{
	const struct srnic_sth_suite *s;
	unsigned long codes = 0;
	const char *missing;
	unsigned int i;

	for (i = 0; (s = srnic_sth_suite_at(i)); i++) {
		KUNIT_EXPECT_EQ_MSG(test, srnic_sth_code_len(s->code),
				    srnic_sth_suite_sth_len(s), "%s", s->name);
		KUNIT_EXPECT_LE(test, s->tag_len, SRNIC_STH_TAG_LEN_MAX);
		KUNIT_EXPECT_LE(test, s->key_len, SRNIC_STH_RAW_KEY_MAX);
		KUNIT_EXPECT_GE(test, s->max_failed, BIT_ULL(36));
		KUNIT_EXPECT_FALSE(test, srnic_sth_suite_allows(s, SRNIC_STH_OFF));
		KUNIT_EXPECT_LE(test, s->max_failed, BIT_ULL(52));
		/* Section 3: a PRF cannot encrypt; GCM can only encrypt. */
		if (!s->family->has_counter)
			KUNIT_EXPECT_FALSE(test, srnic_sth_suite_allows(s, SRNIC_STH_AEAD));
		/* The suites that encrypt the payload can encrypt the headers, and no others. */
		KUNIT_EXPECT_EQ(test, srnic_sth_suite_allows(s, SRNIC_STH_OPAQUE),
				srnic_sth_suite_allows(s, SRNIC_STH_AEAD));
		KUNIT_EXPECT_EQ_MSG(test, srnic_sth_suite_check(s, &missing), 0, "%s needs %s",
				    s->name, missing);
		codes |= BIT(s->code);
	}
	KUNIT_EXPECT_EQ(test, codes, GENMASK(7, 1));
}

static bool has_vectors(const struct srnic_sth_suite *s, enum srnic_sth_mode mode)
{
	const struct sth_connection_vector *v = sth_connection_vectors;

	for (; v < sth_connection_vectors + ARRAY_SIZE(sth_connection_vectors); v++)
		if (!strcmp(v->suite, s->name) && v->mode == mode)
			return true;
	return false;
}

/* The codec has its table from protocol.md: both tables must contain the same rows. */
static void the_codec_knows_the_same_suites_and_modes(struct kunit *test)
{
	const struct srnic_sth_suite *s;
	unsigned int i, n = 0;
	int mode;

	for (i = 0; (s = srnic_sth_suite_at(i)); i++)
		for (mode = SRNIC_STH_HEADER; mode < SRNIC_STH_MODES; mode++) {
			KUNIT_EXPECT_EQ_MSG(test, srnic_sth_suite_allows(s, mode),
					    has_vectors(s, mode), "%s, mode %d", s->name, mode);
			n += srnic_sth_suite_allows(s, mode);
		}
	KUNIT_EXPECT_EQ(test, n, ARRAY_SIZE(sth_connection_vectors));
}

static void a_mode_that_a_suite_has_not_is_refused(struct kunit *test)
{
	struct srnic_sth_params params;
	const struct srnic_sth_suite *s;
	unsigned int i;
	int mode;

	for (i = 0; (s = srnic_sth_suite_at(i)); i++)
		for (mode = SRNIC_STH_OFF; mode < SRNIC_STH_MODES; mode++) {
			struct srnic_sth *sth;

			sth_params_of(&params, &sth_connection_vectors[0], X);
			params.suite = s;
			params.mode = mode;
			sth = srnic_sth_create(&params);
			KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(sth),
					    has_vectors(s, mode) ? 0 : -EOPNOTSUPP,
					    "%s, mode %d", s->name, mode);
			if (!IS_ERR(sth))
				srnic_sth_destroy(sth);
		}
}

static struct kunit_case sth_suite_cases[] = {
	KUNIT_CASE(names_and_numbers_are_unique),
	KUNIT_CASE(every_suite_fits_its_code_and_the_limits),
	KUNIT_CASE(the_codec_knows_the_same_suites_and_modes),
	KUNIT_CASE(a_mode_that_a_suite_has_not_is_refused),
	KUNIT_CASE_PARAM(tags_are_the_published_ones, macs_gen_params),
	KUNIT_CASE_PARAM(tags_without_simd_are_the_published_ones, macs_gen_params),
	KUNIT_CASE(a_shorter_tag_is_the_beginning_of_the_published_one),
	KUNIT_CASE(with_simd_the_tag_is_the_same_at_every_length),
	KUNIT_CASE_PARAM(ciphers_are_the_published_ones, aeads_gen_params),
	KUNIT_CASE_PARAM(ciphers_without_simd_are_the_published_ones, aeads_gen_params),
	{}
};

static struct kunit_suite sth_suite_suite = {
	.name = "srnic-sth-suite",
	.test_cases = sth_suite_cases,
};

kunit_test_suite(sth_suite_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's cipher suites");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
