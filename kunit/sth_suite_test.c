// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the table of suites and of what is behind it: published vectors,
 * NIST's and Wycheproof's, through the same functions that packets go through, with
 * SIMD and without.
 */
#include <linux/hex.h>
#include <linux/module.h>

#include "sth_fixture.h"
#include "vectors/oracles_cmac.h"
#include "vectors/oracles_gcm.h"

#define MSG_MAX	1024

/* a connection of which only what seal and open of a family use is there */
struct bench {
	struct srnic_sth_suite suite;
	struct srnic_sth *sth;
	struct srnic_subkey key;
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
		b->suite.family->key_free(&b->key);
	b->keyed = false;
}

static struct bench *bench_of(struct kunit *test, const char *name, enum srnic_sth_mode mode)
{
	struct bench *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->sth = kunit_kzalloc(test, sizeof(*b->sth), GFP_KERNEL);
	b->msg = kunit_kzalloc(test, MSG_MAX, GFP_KERNEL);
	b->want = kunit_kzalloc(test, MSG_MAX, GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, b->sth && b->msg && b->want);
	b->sth->sink = kunit_kzalloc(test, SRNIC_STH_SINK, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, b->sth->sink);
	b->suite = *srnic_sth_suite_find(name);
	b->sth->params.suite = &b->suite;
	b->sth->params.mode = mode;
	b->sth->seals.tag_len = b->suite.tag_len;
	KUNIT_ASSERT_EQ(test, kunit_add_action(test, key_free_action, b), 0);
	return b;
}

/* the suite's row with the vector's key size: vectors have all three */
static void bench_load(struct kunit *test, struct bench *b, const char *key, const char *msg)
{
	u8 raw[32];

	key_free_action(b);
	memset(&b->key, 0, sizeof(b->key));
	b->suite.key_len = strlen(key) / 2;
	b->len = strlen(msg) / 2;
	KUNIT_ASSERT_LE(test, b->suite.key_len, sizeof(raw));
	KUNIT_ASSERT_LE(test, b->len, MSG_MAX);
	KUNIT_ASSERT_EQ(test, hex2bin(raw, key, b->suite.key_len), 0);
	KUNIT_ASSERT_EQ(test, hex2bin(b->msg, msg, b->len), 0);
	sg_init_one(&b->sg, b->msg, b->len ?: 1);
	b->keyed = true;
	KUNIT_ASSERT_EQ(test, b->suite.family->key_init(&b->key, &b->suite, raw), 0);
}

/* the first @split bytes as MAC input, the rest as payload */
static void check_cmac(struct kunit *test, struct bench *b, const struct sth_cmac_oracle *o,
		       unsigned int split)
{
	unsigned int rest = b->len - split;
	u8 tag[16];
	int err;

	KUNIT_ASSERT_EQ(test, hex2bin(tag, o->tag, 16), 0);
	memcpy(b->sth->input, b->msg, split);
	sg_init_one(&b->sg, b->msg + split, rest ?: 1);
	err = b->suite.family->seal(b->sth, &b->key, split, &b->sg, rest);
	KUNIT_ASSERT_EQ(test, err, 0);
	KUNIT_EXPECT_EQ_MSG(test, !memcmp(b->sth->tag, tag, 16), o->valid, "%s", o->name);

	memcpy(b->sth->input, b->msg, split);	/* it is scratch, too */
	memcpy(b->sth->tag, tag, 16);
	err = b->suite.family->open(b->sth, &b->key, split, &b->sg, &b->sg, rest);
	KUNIT_EXPECT_EQ_MSG(test, err, o->valid ? 0 : -EBADMSG, "%s", o->name);
}

static void check_all_cmac(struct kunit *test, bool no_simd)
{
	struct bench *b = bench_of(test, "aes-cmac-128", SRNIC_STH_PACKET);
	unsigned int i, split;

	b->sth->no_simd = no_simd;
	for (i = 0; i < ARRAY_SIZE(sth_cmac_oracles); i++) {
		const struct sth_cmac_oracle *o = &sth_cmac_oracles[i];

		bench_load(test, b, o->key, o->msg);
		for (split = 0; split <= min(b->len, SRNIC_STH_INPUT_MAX); split++)
			check_cmac(test, b, o, split);
	}
}

static void cmac_is_the_published_one(struct kunit *test)
{
	check_all_cmac(test, false);
}

static void cmac_without_simd_is_the_published_one(struct kunit *test)
{
	check_all_cmac(test, true);
}

/* no published vector is longer than 64 bytes: the two ways against each other */
static void cmac_by_cbc_is_cmac_at_every_length(struct kunit *test)
{
	struct bench *b = bench_of(test, "aes-cmac-128", SRNIC_STH_PACKET);
	unsigned int len, input_len, i;
	u8 *msg = kunit_kzalloc(test, 4200, GFP_KERNEL);
	u8 tag[16];

	KUNIT_ASSERT_NOT_NULL(test, msg);
	bench_load(test, b, "2b7e151628aed2a6abf7158809cf4f3c", "");
	get_random_bytes(msg, 4200);
	/* short, around each page and sink, and the longest */
	for (i = 0; i < 700; i++) {
		len = i < 600 ? i : i < 690 ? 1024 * (i - 599) / 23 : 4100 - (700 - i);
		input_len = 58 + i % 33;
		memcpy(b->sth->input, msg, input_len);
		sg_init_one(&b->sg, msg + i % 60, len ?: 1);
		b->sth->no_simd = false;
		KUNIT_ASSERT_EQ(test, b->suite.family->seal(b->sth, &b->key, input_len, &b->sg,
							    len), 0);
		memcpy(tag, b->sth->tag, 16);
		memcpy(b->sth->input, msg, input_len);
		b->sth->no_simd = true;
		KUNIT_ASSERT_EQ(test, b->suite.family->seal(b->sth, &b->key, input_len, &b->sg,
							    len), 0);
		KUNIT_EXPECT_MEMEQ_MSG(test, tag, b->sth->tag, 16, "%u and %u", input_len, len);
	}
}

static void check_gcm(struct kunit *test, struct bench *b, const struct sth_gcm_oracle *o)
{
	unsigned int aad_len = strlen(o->aad) / 2;
	u8 tag[16];
	int err;

	bench_load(test, b, o->key, o->valid ? o->msg : o->ct);
	KUNIT_ASSERT_LE(test, aad_len, SRNIC_STH_INPUT_MAX);
	KUNIT_ASSERT_EQ(test, hex2bin(b->sth->input, o->aad, aad_len), 0);
	KUNIT_ASSERT_EQ(test, hex2bin(b->sth->iv, o->iv, 12), 0);
	KUNIT_ASSERT_EQ(test, hex2bin(tag, o->tag, 16), 0);
	if (o->valid) {
		KUNIT_ASSERT_EQ(test, hex2bin(b->want, o->ct, b->len), 0);
		err = b->suite.family->seal(b->sth, &b->key, aad_len, &b->sg, b->len);
		KUNIT_ASSERT_EQ(test, err, 0);
		KUNIT_EXPECT_MEMEQ_MSG(test, b->msg, b->want, b->len, "%s", o->name);
		KUNIT_EXPECT_MEMEQ_MSG(test, b->sth->tag, tag, 16, "%s", o->name);
	}

	memcpy(b->sth->tag, tag, 16);
	err = b->suite.family->open(b->sth, &b->key, aad_len, &b->sg, &b->sg, b->len);
	KUNIT_EXPECT_EQ_MSG(test, err, o->valid ? 0 : -EBADMSG, "%s", o->name);
	if (o->valid) {
		KUNIT_ASSERT_EQ(test, hex2bin(b->want, o->msg, b->len), 0);
		KUNIT_EXPECT_MEMEQ_MSG(test, b->msg, b->want, b->len, "%s", o->name);
	}
}

static void check_all_gcm(struct kunit *test, bool no_simd)
{
	struct bench *b = bench_of(test, "aes-gcm-128", SRNIC_STH_AEAD);
	unsigned int i;

	b->sth->no_simd = no_simd;
	for (i = 0; i < ARRAY_SIZE(sth_gcm_oracles); i++)
		check_gcm(test, b, &sth_gcm_oracles[i]);
}

static void gcm_is_the_published_one(struct kunit *test)
{
	check_all_gcm(test, false);
}

static void gcm_without_simd_is_the_published_one(struct kunit *test)
{
	check_all_gcm(test, true);
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
	const char *missing;
	unsigned int i;

	for (i = 0; (s = srnic_sth_suite_at(i)); i++) {
		KUNIT_EXPECT_EQ_MSG(test, srnic_sth_code_len(s->code), srnic_suite_sth_len(s),
				    "%s", s->name);
		KUNIT_EXPECT_LE(test, s->tag_len, SRNIC_STH_TAG_LEN_MAX);
		KUNIT_EXPECT_LE(test, s->key_len, SRNIC_STH_RAW_KEY_MAX);
		KUNIT_EXPECT_GE(test, s->max_failed, BIT_ULL(36));
		KUNIT_EXPECT_FALSE(test, srnic_sth_suite_allows(s, SRNIC_STH_OFF));
		/* section 3: a PRF cannot encrypt; GCM only does */
		if (!s->family->has_counter)
			KUNIT_EXPECT_FALSE(test, srnic_sth_suite_allows(s, SRNIC_STH_AEAD));
		KUNIT_EXPECT_EQ(test, srnic_sth_suite_check(s, &missing), 0);
	}
}

static struct kunit_case sth_suite_cases[] = {
	KUNIT_CASE(names_and_numbers_are_unique),
	KUNIT_CASE(every_suite_fits_its_code_and_the_limits),
	KUNIT_CASE(cmac_is_the_published_one),
	KUNIT_CASE(cmac_without_simd_is_the_published_one),
	KUNIT_CASE(cmac_by_cbc_is_cmac_at_every_length),
	KUNIT_CASE(gcm_is_the_published_one),
	KUNIT_CASE(gcm_without_simd_is_the_published_one),
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
