// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of sth's policy and keyring, which select the seal for a peer. It
 * uses the rules and keys of the initial namespace, and is skipped if there are
 * any. End-to-end tests cover the separation of namespaces.
 */
#include <kunit/test.h>
#include <linux/inet.h>
#include <linux/module.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>

#include "guard/guard.h"
#include "sth/key_use.h"
#include "sth/sth.h"

#define KEY	"kunit"

static const u8 secret[32] = "a secret of thirty-two bytes....";
static const u8 other[16] = "another secret..";

/* Parse an address as written by users; IPv4 in mapped form. */
static void parse_address(struct kunit *test, const char *text, u8 addr[16])
{
	static const u8 mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (strchr(text, ':')) {
		KUNIT_ASSERT_EQ(test, in6_pton(text, -1, addr, -1, NULL), 1);
		return;
	}
	memcpy(addr, mapped, sizeof(mapped));
	KUNIT_ASSERT_EQ(test, in4_pton(text, -1, addr + 12, -1, NULL), 1);
}

static struct srnic_policy make_rule(struct kunit *test, const char *prefix, u8 len,
				     enum srnic_policy_rule kind)
{
	struct srnic_policy policy = { .prefix_len = len, .rule = kind };

	parse_address(test, prefix, policy.prefix);
	if (kind == SRNIC_POLICY_OFF)
		return policy;
	policy.mode = SRNIC_STH_AEAD;
	policy.suite = srnic_sth_suite_find("aes-gcm-128");
	KUNIT_ASSERT_NOT_NULL(test, policy.suite);
	strscpy(policy.key, KEY);
	return policy;
}

static void add_rule(struct kunit *test, const char *prefix, u8 len, enum srnic_policy_rule kind)
{
	struct srnic_policy policy = make_rule(test, prefix, len, kind);

	KUNIT_ASSERT_EQ(test, srnic_policy_add(&init_net, &policy, false), 0);
}

static void add_key(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, srnic_key_add(&init_net, KEY, secret, sizeof(secret), false), 0);
}

static int resolve_peer(struct kunit *test, const char *peer, struct srnic_sth_params *params)
{
	u8 addr[16];

	memset(params, 0xa5, sizeof(*params));
	parse_address(test, peer, addr);
	return srnic_policy_resolve(&init_net, addr, params);
}

static bool clear_allowed(struct kunit *test, const char *peer)
{
	u8 addr[16];

	parse_address(test, peer, addr);
	return srnic_policy_brief(&init_net, addr).rule != SRNIC_POLICY_REQUIRE;
}

static void without_a_rule_it_is_off(struct kunit *test)
{
	struct srnic_sth_params params;

	KUNIT_EXPECT_EQ(test, resolve_peer(test, "192.0.2.1", &params), 0);
	KUNIT_EXPECT_EQ(test, params.mode, SRNIC_STH_OFF);
	KUNIT_EXPECT_FALSE(test, params.preferred_clear);
	KUNIT_EXPECT_TRUE(test, clear_allowed(test, "192.0.2.1"));
}

static void the_longest_prefix_decides_whatever_came_first(struct kunit *test)
{
	add_rule(test, "192.0.2.0", 96 + 24, SRNIC_POLICY_REQUIRE);
	add_rule(test, "::", 0, SRNIC_POLICY_REQUIRE);
	add_rule(test, "192.0.2.128", 96 + 25, SRNIC_POLICY_OFF);
	add_rule(test, "192.0.0.0", 96 + 8, SRNIC_POLICY_OFF);
	add_rule(test, "192.0.2.200", 128, SRNIC_POLICY_REQUIRE);
	add_rule(test, "2001:db8::", 32, SRNIC_POLICY_OFF);

	KUNIT_EXPECT_FALSE(test, clear_allowed(test, "192.0.2.1"));	/* /24 */
	KUNIT_EXPECT_TRUE(test, clear_allowed(test, "192.0.2.129"));	/* /25 */
	KUNIT_EXPECT_FALSE(test, clear_allowed(test, "192.0.2.200"));	/* /32 */
	KUNIT_EXPECT_TRUE(test, clear_allowed(test, "192.1.1.1"));	/* /8 */
	KUNIT_EXPECT_FALSE(test, clear_allowed(test, "198.51.100.1"));	/* ::/0 */
	KUNIT_EXPECT_TRUE(test, clear_allowed(test, "2001:db8:1::1"));	/* /32 */
	KUNIT_EXPECT_FALSE(test, clear_allowed(test, "2001:db9::1"));	/* ::/0 */
}

/* The active MTU must leave space for the longest seal; 20 of 4200 leave 4096 (engine/mtu.c). */
static void S18_room_is_left_for_the_longest_seal(struct kunit *test)
{
	struct srnic_policy policy = make_rule(test, "192.0.2.0", 96 + 24, SRNIC_POLICY_REQUIRE);

	KUNIT_EXPECT_EQ(test, srnic_policy_longest_sth(&init_net), 0);
	add_rule(test, "198.51.100.1", 128, SRNIC_POLICY_OFF);
	KUNIT_EXPECT_EQ(test, srnic_policy_longest_sth(&init_net), 0);
	KUNIT_ASSERT_EQ(test, srnic_policy_add(&init_net, &policy, false), 0);
	KUNIT_EXPECT_EQ(test, srnic_policy_longest_sth(&init_net), 20);
	policy.mode = SRNIC_STH_PACKET;
	policy.suite = srnic_sth_suite_find("hmac-sha512");
	KUNIT_ASSERT_EQ(test, srnic_policy_add(&init_net, &policy, true), 0);
	KUNIT_EXPECT_EQ(test, srnic_policy_longest_sth(&init_net), 64);
}

/* The suite's setkey may sleep (P7). */
static void P7_a_rule_cannot_be_uncached_where_its_suite_cannot(struct kunit *test)
{
	struct srnic_policy policy = make_rule(test, "192.0.2.0", 96 + 24, SRNIC_POLICY_REQUIRE);
	struct srnic_sth_params params;

	policy.uncached = true;
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, false), -EINVAL);
	policy.suite = srnic_sth_suite_find("chacha20-poly1305");
	KUNIT_ASSERT_EQ(test, srnic_policy_add(&init_net, &policy, false), 0);
	add_key(test);
	KUNIT_ASSERT_EQ(test, resolve_peer(test, "192.0.2.1", &params), 0);
	KUNIT_EXPECT_TRUE(test, params.uncached);
	policy.uncached = false;
	KUNIT_ASSERT_EQ(test, srnic_policy_add(&init_net, &policy, true), 0);
	KUNIT_ASSERT_EQ(test, resolve_peer(test, "192.0.2.1", &params), 0);
	KUNIT_EXPECT_FALSE(test, params.uncached);
}

struct match {
	const char *prefix;
	u8 len;
	const char *peer;
	bool matches;
};

static const struct match matches[] = {
	{ "192.0.2.0", 96 + 24, "192.0.2.255", true },
	{ "192.0.2.0", 96 + 24, "192.0.3.0", false },
	{ "192.0.2.0", 96 + 23, "192.0.3.255", true },
	{ "192.0.2.6", 96 + 31, "192.0.2.7", true },
	{ "192.0.2.6", 96 + 31, "192.0.2.5", false },
	{ "192.0.2.6", 128, "192.0.2.6", true },
	{ "192.0.2.6", 128, "192.0.2.7", false },
	{ "0.0.0.0", 96, "203.0.113.9", true },
	{ "0.0.0.0", 96, "2001:db8::1", false },
	{ "0.0.0.0", 96, "::c000:201", false },		/* IPv4-compatible, not mapped */
	{ "::", 0, "203.0.113.9", true },
	{ "::", 0, "2001:db8::1", true },
	{ "8000::", 1, "ffff::", true },
	{ "8000::", 1, "7fff::", false },
	{ "2001:db8::", 33, "2001:db8:7fff::", true },
	{ "2001:db8::", 33, "2001:db8:8000::", false },
	{ "2001:db8::1", 128, "2001:db8::1", true },
	{ "2001:db8::1", 128, "2001:db8::", false },
};

static void describe_match(const struct match *match, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s/%u and %s", match->prefix, match->len,
		 match->peer);
}

KUNIT_ARRAY_PARAM(match, matches, describe_match);

static void prefix_matches(struct kunit *test)
{
	const struct match *match = test->param_value;

	add_rule(test, match->prefix, match->len, SRNIC_POLICY_REQUIRE);
	KUNIT_EXPECT_EQ(test, clear_allowed(test, match->peer), !match->matches);
}

static void require_without_its_key_is_refused(struct kunit *test)
{
	struct srnic_sth_params params;

	add_rule(test, "192.0.2.0", 96 + 24, SRNIC_POLICY_REQUIRE);
	KUNIT_EXPECT_EQ(test, resolve_peer(test, "192.0.2.1", &params), -EACCES);
	KUNIT_EXPECT_EQ(test, params.mode, SRNIC_STH_OFF);
	KUNIT_EXPECT_EQ(test, params.key_len, 0);
	KUNIT_EXPECT_NULL(test, memchr_inv(params.key, 0, sizeof(params.key)));

	add_key(test);
	KUNIT_EXPECT_EQ(test, resolve_peer(test, "192.0.2.1", &params), 0);
	KUNIT_EXPECT_EQ(test, params.mode, SRNIC_STH_AEAD);
	KUNIT_EXPECT_PTR_EQ(test, params.suite, srnic_sth_suite_find("aes-gcm-128"));
	KUNIT_EXPECT_EQ(test, params.key_len, sizeof(secret));
	KUNIT_EXPECT_MEMEQ(test, params.key, secret, sizeof(secret));
	KUNIT_EXPECT_FALSE(test, params.pair_key);
	KUNIT_EXPECT_FALSE(test, params.preferred_clear);

	KUNIT_EXPECT_EQ(test, srnic_key_del(&init_net, KEY), 0);
	KUNIT_EXPECT_EQ(test, resolve_peer(test, "192.0.2.1", &params), -EACCES);
}

static void prefer_without_its_key_is_in_the_clear_and_says_so(struct kunit *test)
{
	struct srnic_sth_params params;

	add_rule(test, "2001:db8::", 32, SRNIC_POLICY_PREFER);
	KUNIT_EXPECT_EQ(test, resolve_peer(test, "2001:db8::1", &params), 0);
	KUNIT_EXPECT_EQ(test, params.mode, SRNIC_STH_OFF);
	KUNIT_EXPECT_TRUE(test, params.preferred_clear);

	add_key(test);
	KUNIT_EXPECT_EQ(test, resolve_peer(test, "2001:db8::1", &params), 0);
	KUNIT_EXPECT_EQ(test, params.mode, SRNIC_STH_AEAD);
	KUNIT_EXPECT_FALSE(test, params.preferred_clear);
	KUNIT_EXPECT_TRUE(test, clear_allowed(test, "2001:db8::1"));
}

static void clear_datagrams_are_not_for_require_even_with_a_key(struct kunit *test)
{
	add_rule(test, "192.0.2.0", 96 + 24, SRNIC_POLICY_REQUIRE);
	add_key(test);
	KUNIT_EXPECT_FALSE(test, clear_allowed(test, "192.0.2.1"));
}

static void expect_secret(struct kunit *test, const struct srnic_secret *is, const u8 *want)
{
	/* the secrets of these tests differ in length */
	unsigned int len = !want ? 0 : want == other ? sizeof(other) : sizeof(secret);

	KUNIT_EXPECT_EQ(test, is->len, len);
	if (want)
		KUNIT_EXPECT_MEMEQ(test, is->bytes, want, len);
	KUNIT_EXPECT_NULL(test, memchr_inv(is->bytes + len, 0, sizeof(is->bytes) - len));
}

/* Expect these secrets of the key; NULL: none. */
static void expect_secrets(struct kunit *test, const u8 *current_one, const u8 *other_one)
{
	struct srnic_secret is[SRNIC_SECRETS];

	memset(is, 0xa5, sizeof(is));
	KUNIT_EXPECT_EQ(test, srnic_key_read(&init_net, KEY, is), current_one ? 0 : -ENOKEY);
	expect_secret(test, &is[SRNIC_SECRET_CURRENT], current_one);
	expect_secret(test, &is[SRNIC_SECRET_OTHER], other_one);
}

static void a_key_is_replaced_only_if_one_says_so(struct kunit *test)
{
	add_key(test);
	KUNIT_EXPECT_EQ(test, srnic_key_add(&init_net, KEY, other, sizeof(other), false), -EEXIST);
	expect_secrets(test, secret, NULL);

	KUNIT_EXPECT_EQ(test, srnic_key_add(&init_net, KEY, other, sizeof(other), true), 0);
	expect_secrets(test, other, NULL);
}

static struct srnic_key_info key_info(struct kunit *test)
{
	struct srnic_key_info info;

	memset(&info, 0xa5, sizeof(info));
	KUNIT_ASSERT_EQ(test, srnic_key_get(&init_net, 0, &info), 0);
	KUNIT_EXPECT_STREQ(test, info.name, KEY);
	return info;
}

static void a_key_is_replaced_by_stages(struct kunit *test)
{
	unsigned int seq;

	add_key(test);
	KUNIT_EXPECT_EQ(test, key_info(test).generation, 1);
	KUNIT_EXPECT_FALSE(test, key_info(test).staged);
	KUNIT_EXPECT_EQ(test, key_info(test).len[SRNIC_SECRET_OTHER], 0);

	seq = srnic_key_seq(&init_net);
	KUNIT_ASSERT_EQ(test, srnic_key_stage(&init_net, KEY, other, sizeof(other)), 0);
	KUNIT_EXPECT_NE(test, srnic_key_seq(&init_net), seq);
	expect_secrets(test, secret, other);
	KUNIT_EXPECT_EQ(test, key_info(test).generation, 1);
	KUNIT_EXPECT_TRUE(test, key_info(test).staged);
	KUNIT_EXPECT_EQ(test, key_info(test).len[SRNIC_SECRET_OTHER], sizeof(other));

	seq = srnic_key_seq(&init_net);
	KUNIT_ASSERT_EQ(test, srnic_key_promote(&init_net, KEY), 0);
	KUNIT_EXPECT_NE(test, srnic_key_seq(&init_net), seq);
	expect_secrets(test, other, secret);
	KUNIT_EXPECT_EQ(test, key_info(test).generation, 2);
	KUNIT_EXPECT_FALSE(test, key_info(test).staged);

	seq = srnic_key_seq(&init_net);
	KUNIT_ASSERT_EQ(test, srnic_key_retire(&init_net, KEY), 0);
	KUNIT_EXPECT_NE(test, srnic_key_seq(&init_net), seq);
	expect_secrets(test, other, NULL);
	KUNIT_EXPECT_EQ(test, key_info(test).generation, 2);

	/* and back: each place of the key has been used and wiped */
	KUNIT_ASSERT_EQ(test, srnic_key_stage(&init_net, KEY, secret, sizeof(secret)), 0);
	KUNIT_ASSERT_EQ(test, srnic_key_promote(&init_net, KEY), 0);
	expect_secrets(test, secret, other);
	KUNIT_ASSERT_EQ(test, srnic_key_retire(&init_net, KEY), 0);
	expect_secrets(test, secret, NULL);
}

static void stages_are_refused_out_of_order(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, srnic_key_stage(&init_net, KEY, other, sizeof(other)), -ENOENT);
	KUNIT_EXPECT_EQ(test, srnic_key_promote(&init_net, KEY), -ENOENT);
	KUNIT_EXPECT_EQ(test, srnic_key_retire(&init_net, KEY), -ENOENT);

	add_key(test);
	KUNIT_EXPECT_EQ(test, srnic_key_promote(&init_net, KEY), -ENODATA);
	KUNIT_EXPECT_EQ(test, srnic_key_retire(&init_net, KEY), -ENODATA);
	KUNIT_EXPECT_EQ(test, srnic_key_stage(&init_net, KEY, other, 15), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_key_stage(&init_net, KEY, other, 33), -EINVAL);

	KUNIT_ASSERT_EQ(test, srnic_key_stage(&init_net, KEY, other, sizeof(other)), 0);
	KUNIT_EXPECT_EQ(test, srnic_key_stage(&init_net, KEY, secret, sizeof(secret)), -EEXIST);
	expect_secrets(test, secret, other);
	KUNIT_ASSERT_EQ(test, srnic_key_promote(&init_net, KEY), 0);
	/* a promoted secret is not the next one any more: a second promotion does not undo it */
	KUNIT_EXPECT_EQ(test, srnic_key_promote(&init_net, KEY), -ENODATA);
	KUNIT_EXPECT_EQ(test, srnic_key_stage(&init_net, KEY, secret, sizeof(secret)), -EEXIST);
	expect_secrets(test, other, secret);
}

/* Report so many bytes for the secret that a rule has resolved. */
static void use_secret(const struct srnic_sth_params *params, enum srnic_secret_of_key which,
		       u32 bytes)
{
	srnic_key_use_report(params->key_use[which], &bytes);
}

static void each_secret_counts_what_it_seals(struct kunit *test)
{
	struct srnic_sth_params first, both;

	add_rule(test, "192.0.2.0", 96 + 24, SRNIC_POLICY_REQUIRE);
	add_key(test);
	KUNIT_ASSERT_EQ(test, resolve_peer(test, "192.0.2.1", &first), 0);
	KUNIT_EXPECT_EQ(test, first.key_use[SRNIC_SECRET_OTHER], 0);
	use_secret(&first, SRNIC_SECRET_CURRENT, U32_MAX);
	use_secret(&first, SRNIC_SECRET_CURRENT, 5);
	use_secret(&first, SRNIC_SECRET_OTHER, 9);
	KUNIT_EXPECT_EQ(test, key_info(test).sealed, U32_MAX + 5ULL);

	KUNIT_ASSERT_EQ(test, srnic_key_stage(&init_net, KEY, other, sizeof(other)), 0);
	KUNIT_ASSERT_EQ(test, resolve_peer(test, "192.0.2.1", &both), 0);
	use_secret(&both, SRNIC_SECRET_OTHER, 7);
	KUNIT_EXPECT_EQ(test, key_info(test).sealed, U32_MAX + 5ULL);
	KUNIT_ASSERT_EQ(test, srnic_key_promote(&init_net, KEY), 0);
	use_secret(&first, SRNIC_SECRET_CURRENT, 11);
	KUNIT_EXPECT_EQ_MSG(test, key_info(test).sealed, 7, "connections of the former one");

	KUNIT_ASSERT_EQ(test, srnic_key_retire(&init_net, KEY), 0);
	use_secret(&first, SRNIC_SECRET_CURRENT, 13);
	KUNIT_EXPECT_EQ(test, key_info(test).sealed, 7);
	KUNIT_ASSERT_EQ(test, srnic_key_add(&init_net, KEY, secret, sizeof(secret), true), 0);
	use_secret(&both, SRNIC_SECRET_OTHER, 17);
	KUNIT_EXPECT_EQ_MSG(test, key_info(test).sealed, 0, "another secret");
}

static void a_staged_secret_may_be_withdrawn(struct kunit *test)
{
	add_key(test);
	KUNIT_ASSERT_EQ(test, srnic_key_stage(&init_net, KEY, other, sizeof(other)), 0);
	KUNIT_ASSERT_EQ(test, srnic_key_retire(&init_net, KEY), 0);
	expect_secrets(test, secret, NULL);
	KUNIT_EXPECT_EQ(test, srnic_key_promote(&init_net, KEY), -ENODATA);
}

/* A secret that has become known must not be accepted after the key is replaced. */
static void a_replaced_key_has_no_other_secret(struct kunit *test)
{
	static const u8 third[sizeof(secret)] = "a third of thirty-two bytes ....";

	add_key(test);
	KUNIT_ASSERT_EQ(test, srnic_key_stage(&init_net, KEY, other, sizeof(other)), 0);
	KUNIT_ASSERT_EQ(test, srnic_key_promote(&init_net, KEY), 0);
	KUNIT_ASSERT_EQ(test, srnic_key_add(&init_net, KEY, third, sizeof(third), true), 0);
	expect_secrets(test, third, NULL);
	KUNIT_EXPECT_EQ(test, key_info(test).generation, 1);
}

static void a_rule_has_both_secrets_of_its_key(struct kunit *test)
{
	struct srnic_sth_params params;

	add_key(test);
	add_rule(test, "192.0.2.0", 96 + 24, SRNIC_POLICY_REQUIRE);
	KUNIT_EXPECT_EQ(test, resolve_peer(test, "192.0.2.1", &params), 0);
	KUNIT_EXPECT_EQ(test, params.other_key_len, 0);
	KUNIT_EXPECT_NULL(test, memchr_inv(params.other_key, 0, sizeof(params.other_key)));

	KUNIT_ASSERT_EQ(test, srnic_key_stage(&init_net, KEY, other, sizeof(other)), 0);
	KUNIT_EXPECT_EQ(test, resolve_peer(test, "192.0.2.1", &params), 0);
	KUNIT_EXPECT_EQ(test, params.key_len, sizeof(secret));
	KUNIT_EXPECT_MEMEQ(test, params.key, secret, sizeof(secret));
	KUNIT_EXPECT_EQ(test, params.other_key_len, sizeof(other));
	KUNIT_EXPECT_MEMEQ(test, params.other_key, other, sizeof(other));

	KUNIT_ASSERT_EQ(test, srnic_key_promote(&init_net, KEY), 0);
	KUNIT_EXPECT_EQ(test, resolve_peer(test, "192.0.2.1", &params), 0);
	KUNIT_EXPECT_MEMEQ(test, params.key, other, sizeof(other));
	KUNIT_EXPECT_MEMEQ(test, params.other_key, secret, sizeof(secret));

	/* nothing of that result is left for a peer without a rule */
	KUNIT_EXPECT_EQ(test, resolve_peer(test, "198.51.100.1", &params), 0);
	KUNIT_EXPECT_EQ(test, params.other_key_len, 0);
	KUNIT_EXPECT_NULL(test, memchr_inv(params.other_key, 0, sizeof(params.other_key)));
}

static void keys_are_listed_by_name(struct kunit *test)
{
	static const char *const names[] = { "m", "a", "z", "B", "a.2" };
	static const char *const sorted[] = { "B", "a", "a.2", "m", "z" };
	struct srnic_key_info info;
	unsigned int seq = srnic_key_seq(&init_net);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		KUNIT_ASSERT_EQ(test, srnic_key_add(&init_net, names[i], secret, 16 + i, false), 0);
	KUNIT_EXPECT_NE(test, srnic_key_seq(&init_net), seq);
	for (i = 0; i < ARRAY_SIZE(sorted); i++) {
		KUNIT_ASSERT_EQ(test, srnic_key_get(&init_net, i, &info), 0);
		KUNIT_EXPECT_STREQ(test, info.name, sorted[i]);
	}
	KUNIT_EXPECT_EQ(test, info.len[SRNIC_SECRET_CURRENT], 18);	/* secret of z */
	KUNIT_EXPECT_EQ(test, srnic_key_get(&init_net, i, &info), -ENOENT);
}

static void bad_keys_are_refused(struct kunit *test)
{
	static const char *const names[] = {
		"", "a b", "a/b", "a\n", "\xc3\xa4", "a:b", "-a",
		"12345678901234567890123456789012",
	};
	u8 key[SRNIC_STH_KEY_MAX + 1] = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		KUNIT_EXPECT_FALSE(test, srnic_key_name_ok(names[i]));
		KUNIT_EXPECT_EQ(test, srnic_key_add(&init_net, names[i], secret, 16, true),
				-EINVAL);
	}
	KUNIT_EXPECT_TRUE(test, srnic_key_name_ok("1234567890123456789012345678901"));
	KUNIT_EXPECT_EQ(test, srnic_key_add(&init_net, KEY, key, 15, true), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_key_add(&init_net, KEY, key, 33, true), -EINVAL);
	expect_secrets(test, NULL, NULL);
	KUNIT_EXPECT_EQ(test, srnic_key_del(&init_net, KEY), -ENOENT);
}

static void rules_that_contradict_themselves_are_refused(struct kunit *test)
{
	struct srnic_policy policy;

	/* bits beyond the prefix */
	policy = make_rule(test, "192.0.2.1", 96 + 24, SRNIC_POLICY_OFF);
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, true), -EINVAL);
	policy = make_rule(test, "::", 129, SRNIC_POLICY_OFF);
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, true), -EINVAL);

	policy = make_rule(test, "::", 0, SRNIC_POLICY_REQUIRE);
	policy.rule = SRNIC_POLICY_OFF;					/* off with a seal */
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, true), -EINVAL);
	policy = make_rule(test, "::", 0, SRNIC_POLICY_REQUIRE);
	policy.mode = SRNIC_STH_OFF;
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, true), -EINVAL);
	policy.mode = SRNIC_STH_HEADER;					/* not in this suite */
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, true), -EINVAL);
	policy = make_rule(test, "::", 0, SRNIC_POLICY_PREFER);
	policy.suite = NULL;
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, true), -EINVAL);
	policy = make_rule(test, "::", 0, SRNIC_POLICY_PREFER);
	policy.key[0] = '\0';
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, true), -EINVAL);
	policy = make_rule(test, "::", 0, 3);
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, true), -EINVAL);

	KUNIT_EXPECT_EQ(test, srnic_policy_get(&init_net, 0, &policy), -ENOENT);
}

static void a_rule_is_replaced_only_if_one_says_so(struct kunit *test)
{
	struct srnic_policy policy = make_rule(test, "192.0.2.0", 96 + 24, SRNIC_POLICY_OFF);
	unsigned int seq = srnic_policy_seq(&init_net);

	add_rule(test, "192.0.2.0", 96 + 24, SRNIC_POLICY_REQUIRE);
	KUNIT_EXPECT_NE(test, srnic_policy_seq(&init_net), seq);
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, false), -EEXIST);
	KUNIT_EXPECT_FALSE(test, clear_allowed(test, "192.0.2.1"));
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, true), 0);
	KUNIT_EXPECT_TRUE(test, clear_allowed(test, "192.0.2.1"));
	KUNIT_EXPECT_EQ(test, srnic_policy_get(&init_net, 1, &policy), -ENOENT);
}

static void only_exactly_this_rule_is_deleted(struct kunit *test)
{
	u8 prefix[16];

	add_rule(test, "192.0.2.0", 96 + 24, SRNIC_POLICY_REQUIRE);
	parse_address(test, "192.0.2.0", prefix);
	KUNIT_EXPECT_EQ(test, srnic_policy_del(&init_net, prefix, 96 + 25), -ENOENT);
	KUNIT_EXPECT_EQ(test, srnic_policy_del(&init_net, prefix, 96 + 23), -ENOENT);
	KUNIT_EXPECT_FALSE(test, clear_allowed(test, "192.0.2.1"));
	KUNIT_EXPECT_EQ(test, srnic_policy_del(&init_net, prefix, 96 + 24), 0);
	KUNIT_EXPECT_TRUE(test, clear_allowed(test, "192.0.2.1"));
	KUNIT_EXPECT_EQ(test, srnic_policy_del(&init_net, prefix, 96 + 24), -ENOENT);
}

static void a_namespace_has_so_many_rules_and_no_more(struct kunit *test)
{
	struct srnic_policy policy = make_rule(test, "10.0.0.0", 128, SRNIC_POLICY_OFF);
	unsigned int i;

	for (i = 0; i < SRNIC_MAX_POLICIES; i++) {
		policy.prefix[14] = i >> 8;
		policy.prefix[15] = i;
		KUNIT_ASSERT_EQ(test, srnic_policy_add(&init_net, &policy, false), 0);
	}
	policy.prefix[13] = 1;
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, false), -ENOSPC);
	policy.prefix[13] = 0;
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, true), 0);
}

static struct srnic_seal_request request_of(const char *suite, enum srnic_sth_mode mode,
					    bool with_key)
{
	struct srnic_seal_request request = { .mode = mode, .suite = srnic_sth_suite_find(suite) };

	if (with_key) {
		memcpy(request.key, other, sizeof(other));
		request.key_len = sizeof(other);
	}
	return request;
}

static void S19_an_application_may_seal_where_no_rule_does(struct kunit *test)
{
	struct srnic_seal_request request = request_of("aes-gmac-128", SRNIC_STH_PACKET, true);
	struct srnic_sth_params params;

	KUNIT_ASSERT_EQ(test, resolve_peer(test, "10.0.0.1", &params), 0);
	KUNIT_ASSERT_EQ(test, srnic_seal_request_apply(&request, NULL, 0, &params), 0);
	KUNIT_EXPECT_EQ(test, params.mode, SRNIC_STH_PACKET);
	KUNIT_EXPECT_PTR_EQ(test, params.suite, request.suite);
	KUNIT_EXPECT_EQ(test, params.key_len, 0);
	KUNIT_EXPECT_EQ(test, params.app_key_len, sizeof(other));
	KUNIT_EXPECT_TRUE(test, params.app_pair_key);
	KUNIT_EXPECT_MEMEQ(test, params.app_key, other, sizeof(other));
}

static void P7_without_a_key_of_its_own_the_domains_serves(struct kunit *test)
{
	struct srnic_seal_request request = request_of("aes-gmac-128", SRNIC_STH_PACKET, false);
	struct srnic_sth_params params;

	KUNIT_ASSERT_EQ(test, resolve_peer(test, "10.0.0.1", &params), 0);
	KUNIT_ASSERT_EQ(test, srnic_seal_request_apply(&request, secret, sizeof(secret), &params),
			0);
	KUNIT_EXPECT_EQ(test, params.app_key_len, sizeof(secret));
	KUNIT_EXPECT_FALSE(test, params.app_pair_key);
	KUNIT_EXPECT_MEMEQ(test, params.app_key, secret, sizeof(secret));

	KUNIT_ASSERT_EQ(test, resolve_peer(test, "10.0.0.1", &params), 0);
	KUNIT_EXPECT_EQ(test, srnic_seal_request_apply(&request, NULL, 0, &params), -EACCES);
}

static void S19_an_application_adds_to_the_policys_key_and_does_not_replace_it(struct kunit *test)
{
	struct srnic_seal_request request = request_of("aes-gcm-256", SRNIC_STH_AEAD, true);
	struct srnic_sth_params params;

	add_key(test);
	add_rule(test, "10.0.0.0", 104, SRNIC_POLICY_REQUIRE);
	KUNIT_ASSERT_EQ(test, resolve_peer(test, "10.0.0.1", &params), 0);
	KUNIT_ASSERT_EQ(test, srnic_seal_request_apply(&request, NULL, 0, &params), 0);
	KUNIT_EXPECT_PTR_EQ(test, params.suite, request.suite);
	KUNIT_EXPECT_EQ(test, params.key_len, sizeof(secret));
	KUNIT_EXPECT_MEMEQ(test, params.key, secret, sizeof(secret));
	KUNIT_EXPECT_EQ(test, params.app_key_len, sizeof(other));

	request.key_len = 0;	/* the policy's key alone */
	KUNIT_ASSERT_EQ(test, resolve_peer(test, "10.0.0.1", &params), 0);
	KUNIT_ASSERT_EQ(test, srnic_seal_request_apply(&request, NULL, 0, &params), 0);
	KUNIT_EXPECT_EQ(test, params.app_key_len, 0);
}

struct request_case {
	const char *suite;
	enum srnic_sth_mode mode;
	int err;
};

static void S19_an_application_never_weakens_the_policy(struct kunit *test)
{
	/* the rule says: aes-gcm-128, aead */
	static const struct request_case cases[] = {
		{ "aes-gcm-128", SRNIC_STH_AEAD, 0 },
		{ "aes-gcm-128", SRNIC_STH_OPAQUE, 0 },
		{ "chacha20-poly1305", SRNIC_STH_AEAD, 0 },
		{ "aes-gmac-128", SRNIC_STH_PACKET, -EACCES },
		{ "hmac-sha512", SRNIC_STH_PACKET, -EACCES },
		{ "aes-cmac-128/96", SRNIC_STH_HEADER, -EACCES },
	};
	struct srnic_sth_params params;
	unsigned int i;

	add_key(test);
	add_rule(test, "10.0.0.0", 104, SRNIC_POLICY_REQUIRE);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct srnic_seal_request request = request_of(cases[i].suite, cases[i].mode, true);

		KUNIT_ASSERT_EQ(test, resolve_peer(test, "10.0.0.1", &params), 0);
		KUNIT_EXPECT_EQ_MSG(test, srnic_seal_request_apply(&request, NULL, 0, &params),
				    cases[i].err, "%s", cases[i].suite);
	}
}

static void S19_an_application_does_not_uncover_the_headers(struct kunit *test)
{
	struct srnic_seal_request request = request_of("aes-gcm-256", SRNIC_STH_AEAD, true);
	struct srnic_sth_params params = {
		.suite = srnic_sth_suite_find("aes-gcm-128"),
		.mode = SRNIC_STH_OPAQUE,
	};

	KUNIT_EXPECT_EQ(test, srnic_seal_request_apply(&request, NULL, 0, &params), -EACCES);
	KUNIT_EXPECT_EQ(test, params.mode, SRNIC_STH_OPAQUE);
	request.mode = SRNIC_STH_OPAQUE;
	KUNIT_EXPECT_EQ(test, srnic_seal_request_apply(&request, NULL, 0, &params), 0);
}

static void S19_neither_a_shorter_key_nor_a_shorter_tag(struct kunit *test)
{
	struct srnic_seal_request request = request_of("aes-cmac-128", SRNIC_STH_PACKET, true);
	struct srnic_sth_params params = {
		.suite = srnic_sth_suite_find("aes-cmac-256"),
		.mode = SRNIC_STH_HEADER,
	};

	KUNIT_EXPECT_EQ(test, srnic_seal_request_apply(&request, NULL, 0, &params), -EACCES);
	params.suite = srnic_sth_suite_find("aes-cmac-128");
	request.suite = srnic_sth_suite_find("aes-cmac-128/96");
	KUNIT_EXPECT_EQ(test, srnic_seal_request_apply(&request, NULL, 0, &params), -EACCES);
	params.suite = srnic_sth_suite_find("aes-cmac-128/96");
	KUNIT_EXPECT_EQ(test, srnic_seal_request_apply(&request, NULL, 0, &params), 0);
}

static void S19_an_application_does_not_give_up_the_detection_of_replays(struct kunit *test)
{
	/* the rule says: aes-gmac-128, packet */
	static const struct request_case cases[] = {
		{ "aes-gmac-128", SRNIC_STH_PACKET, 0 },
		{ "aes-gmac-256", SRNIC_STH_PACKET, 0 },
		{ "aes-gcm-128", SRNIC_STH_AEAD, 0 },
		{ "chacha20-poly1305", SRNIC_STH_AEAD, 0 },
		{ "aes-cmac-128", SRNIC_STH_PACKET, -EACCES },
		{ "aes-cmac-256", SRNIC_STH_PACKET, -EACCES },
		{ "hmac-sha512", SRNIC_STH_PACKET, -EACCES },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct srnic_seal_request request = request_of(cases[i].suite, cases[i].mode, true);
		struct srnic_sth_params params = {
			.suite = srnic_sth_suite_find("aes-gmac-128"),
			.mode = SRNIC_STH_PACKET,
		};

		KUNIT_EXPECT_EQ_MSG(test, srnic_seal_request_apply(&request, NULL, 0, &params),
				    cases[i].err, "%s", cases[i].suite);
	}
}

/* A listener for wanted keys, and the reports that it got; one at a time */
static struct {
	bool listens;
	bool adds;		/* the key, some time after the report */
	unsigned int heard;
	char name[SRNIC_STH_NAME_MAX];
	u8 peer[16];
} ear;

static void add_wanted_key(struct work_struct *work)
{
	srnic_key_add(&init_net, ear.name, secret, sizeof(secret), false);
}

static DECLARE_DELAYED_WORK(add_work, add_wanted_key);

static bool ear_listens(struct net *net)
{
	return ear.listens;
}

static void ear_hears(struct net *net, const char *name, const u8 peer[16])
{
	ear.heard++;
	strscpy(ear.name, name);
	memcpy(ear.peer, peer, sizeof(ear.peer));
	if (ear.adds)
		schedule_delayed_work(&add_work, 1);
}

static const struct srnic_key_listener ear_listener = {
	.listens = ear_listens,
	.tell = ear_hears,
};

/* Require a key for 192.0.2.@last, and install @ear_listener; put_back() undoes both. */
static const struct srnic_key_listener *require_key(struct kunit *test, const char *key, u8 last)
{
	struct srnic_policy policy = make_rule(test, "192.0.2.0", 128, SRNIC_POLICY_REQUIRE);

	policy.prefix[15] = last;
	strscpy(policy.key, key);
	KUNIT_ASSERT_EQ(test, srnic_policy_add(&init_net, &policy, false), 0);
	return srnic_key_listen(&ear_listener);
}

static void put_back(const struct srnic_key_listener *former)
{
	cancel_delayed_work_sync(&add_work);
	srnic_key_listen(former);
}

static int obtain(struct kunit *test, u8 last, long wait)
{
	struct srnic_sth_params params;
	u8 addr[16];
	int err;

	parse_address(test, "192.0.2.0", addr);
	addr[15] = last;
	err = srnic_policy_obtain(&init_net, addr, wait, &params);
	KUNIT_EXPECT_EQ(test, params.key_len, err ? 0 : sizeof(secret));
	return err;
}

/* A minute is the bound of a wait that must end earlier, by the key. */
static void a_connection_waits_for_a_key_that_somebody_adds(struct kunit *test)
{
	const struct srnic_key_listener *former = require_key(test, "adds", 1);

	memset(&ear, 0, sizeof(ear));
	ear.listens = true;
	ear.adds = true;
	KUNIT_EXPECT_EQ(test, obtain(test, 1, 60 * HZ), 0);
	put_back(former);
	KUNIT_EXPECT_EQ(test, ear.heard, 1);
	KUNIT_EXPECT_STREQ(test, ear.name, "adds");
	KUNIT_EXPECT_EQ(test, ear.peer[15], 1);
}

static void without_the_key_the_wait_ends(struct kunit *test)
{
	const struct srnic_key_listener *former = require_key(test, "waits", 2);

	memset(&ear, 0, sizeof(ear));
	ear.listens = true;
	KUNIT_EXPECT_EQ(test, obtain(test, 2, 2), -EACCES);
	put_back(former);
	KUNIT_EXPECT_EQ(test, ear.heard, 1);
}

static void nobody_waits_where_nobody_listens(struct kunit *test)
{
	const struct srnic_key_listener *former = require_key(test, "deaf", 3);

	memset(&ear, 0, sizeof(ear));
	/* it would wait for ever */
	KUNIT_EXPECT_EQ(test, obtain(test, 3, MAX_SCHEDULE_TIMEOUT), -EACCES);
	srnic_key_listen(NULL);
	KUNIT_EXPECT_EQ(test, obtain(test, 3, MAX_SCHEDULE_TIMEOUT), -EACCES);
	put_back(former);
	KUNIT_EXPECT_EQ(test, ear.heard, 0);
}

/* The clock of a busy machine may pass a second meanwhile: then there is one report more. */
static void a_key_is_not_reported_again_at_once(struct kunit *test)
{
	const struct srnic_key_listener *former = require_key(test, "again", 4);
	unsigned long start = jiffies;
	unsigned int i;

	memset(&ear, 0, sizeof(ear));
	ear.listens = true;
	for (i = 0; i < 1000; i++)
		KUNIT_EXPECT_EQ(test, obtain(test, 4, 0), -EACCES);
	put_back(former);
	KUNIT_EXPECT_GE(test, ear.heard, 1);
	KUNIT_EXPECT_LE(test, ear.heard, 1 + (jiffies - start) / HZ);
}

static void a_flood_of_names_is_not_reported(struct kunit *test)
{
	const struct srnic_key_listener *former = srnic_key_listen(&ear_listener);
	unsigned long start = jiffies;
	char name[SRNIC_STH_NAME_MAX];
	u8 peer[16] = {};
	unsigned int i;

	memset(&ear, 0, sizeof(ear));
	ear.listens = true;
	for (i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "flood%u", i);
		KUNIT_EXPECT_TRUE(test, srnic_key_want(&init_net, name, peer));
	}
	put_back(former);
	KUNIT_EXPECT_LE(test, ear.heard, 16 * (1 + (jiffies - start) / HZ));
}

#define STRICT_KEY	"kunit-strict"

/* An administrator that changes rule and keys of a peer without a pause */
struct meddler {
	struct work_struct work;
	struct srnic_policy rule[2];
	unsigned int rounds;
	bool stop;
};

static void meddle(struct work_struct *work)
{
	struct meddler *m = container_of(work, struct meddler, work);

	while (!READ_ONCE(m->stop)) {
		const struct srnic_policy *rule = &m->rule[m->rounds & 1];

		srnic_policy_add(&init_net, rule, true);
		srnic_key_stage(&init_net, rule->key, other, sizeof(other));
		srnic_key_promote(&init_net, rule->key);
		srnic_key_retire(&init_net, rule->key);
		if (m->rounds % 3 == 2)
			srnic_key_del(&init_net, rule->key);
		srnic_key_add(&init_net, rule->key, secret, sizeof(secret), true);
		WRITE_ONCE(m->rounds, m->rounds + 1);
		cond_resched();
	}
}

static bool is_secret(const u8 *key, unsigned int len)
{
	return (len == sizeof(secret) && !memcmp(key, secret, len)) ||
	       (len == sizeof(other) && !memcmp(key, other, len));
}

/* Tell whether @params are those of one whole rule, with a secret of its key. */
static bool is_whole(const struct meddler *m, const struct srnic_sth_params *params)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(m->rule); i++)
		if (params->mode == m->rule[i].mode && params->suite == m->rule[i].suite)
			return is_secret(params->key, params->key_len) &&
			       (!params->other_key_len ||
				is_secret(params->other_key, params->other_key_len));
	return false;
}

/* Rule and keys change by netlink while connections are made (issue 23.6). */
static void S19_no_race_of_rules_and_keys_weakens_a_seal(struct kunit *test)
{
	struct meddler *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	unsigned int i, sealed = 0, refused = 0, weaker = 0;
	struct srnic_sth_params params;

	if (num_online_cpus() < 2)
		kunit_skip(test, "there is one processor");
	KUNIT_ASSERT_NOT_NULL(test, m);
	m->rule[0] = make_rule(test, "192.0.2.0", 96 + 24, SRNIC_POLICY_REQUIRE);
	m->rule[1] = m->rule[0];
	m->rule[1].mode = SRNIC_STH_OPAQUE;
	m->rule[1].suite = srnic_sth_suite_find("aes-gcm-256");
	strscpy(m->rule[1].key, STRICT_KEY);
	add_key(test);
	KUNIT_ASSERT_EQ(test, srnic_key_add(&init_net, STRICT_KEY, secret, sizeof(secret), false),
			0);
	KUNIT_ASSERT_EQ(test, srnic_policy_add(&init_net, &m->rule[0], false), 0);
	INIT_WORK(&m->work, meddle);
	queue_work(system_unbound_wq, &m->work);

	for (i = 0; i < 5000 || READ_ONCE(m->rounds) < 200; i++) {
		int err = resolve_peer(test, "192.0.2.1", &params);

		if (!clear_allowed(test, "192.0.2.1"))
			weaker += err ? params.mode != SRNIC_STH_OFF || params.key_len :
					!is_whole(m, &params);
		else
			weaker++;
		sealed += !err;
		refused += err == -EACCES;
		cond_resched();
	}
	WRITE_ONCE(m->stop, true);
	flush_work(&m->work);
	KUNIT_EXPECT_EQ(test, weaker, 0);
	KUNIT_EXPECT_EQ(test, sealed + refused, i);
	KUNIT_EXPECT_GT(test, sealed, 0);
	kunit_info(test, "%u sealed, %u refused, beside %u changes\n", sealed, refused, m->rounds);
}

static bool has_rules_or_keys(void)
{
	struct srnic_key_info info;
	struct srnic_policy policy;

	return !srnic_policy_get(&init_net, 0, &policy) || !srnic_key_get(&init_net, 0, &info);
}

static int policy_test_init(struct kunit *test)
{
	if (has_rules_or_keys())
		kunit_skip(test, "the initial namespace has rules or keys of its own");
	/* test->priv is set: rules and keys found afterwards are the test's own */
	test->priv = test;
	return 0;
}

static void policy_test_exit(struct kunit *test)
{
	struct srnic_key_info info;
	struct srnic_policy policy;

	if (!test->priv)
		return;
	while (!srnic_policy_get(&init_net, 0, &policy))
		srnic_policy_del(&init_net, policy.prefix, policy.prefix_len);
	while (!srnic_key_get(&init_net, 0, &info))
		srnic_key_del(&init_net, info.name);
}

static struct kunit_case policy_cases[] = {
	KUNIT_CASE(without_a_rule_it_is_off),
	KUNIT_CASE(the_longest_prefix_decides_whatever_came_first),
	KUNIT_CASE(S18_room_is_left_for_the_longest_seal),
	KUNIT_CASE(P7_a_rule_cannot_be_uncached_where_its_suite_cannot),
	KUNIT_CASE_PARAM(prefix_matches, match_gen_params),
	KUNIT_CASE(require_without_its_key_is_refused),
	KUNIT_CASE(prefer_without_its_key_is_in_the_clear_and_says_so),
	KUNIT_CASE(clear_datagrams_are_not_for_require_even_with_a_key),
	KUNIT_CASE(a_key_is_replaced_only_if_one_says_so),
	KUNIT_CASE(a_key_is_replaced_by_stages),
	KUNIT_CASE(each_secret_counts_what_it_seals),
	KUNIT_CASE(stages_are_refused_out_of_order),
	KUNIT_CASE(a_staged_secret_may_be_withdrawn),
	KUNIT_CASE(a_replaced_key_has_no_other_secret),
	KUNIT_CASE(a_rule_has_both_secrets_of_its_key),
	KUNIT_CASE(keys_are_listed_by_name),
	KUNIT_CASE(bad_keys_are_refused),
	KUNIT_CASE(rules_that_contradict_themselves_are_refused),
	KUNIT_CASE(a_rule_is_replaced_only_if_one_says_so),
	KUNIT_CASE(only_exactly_this_rule_is_deleted),
	KUNIT_CASE(a_namespace_has_so_many_rules_and_no_more),
	KUNIT_CASE(S19_an_application_may_seal_where_no_rule_does),
	KUNIT_CASE(P7_without_a_key_of_its_own_the_domains_serves),
	KUNIT_CASE(S19_an_application_adds_to_the_policys_key_and_does_not_replace_it),
	KUNIT_CASE(S19_an_application_never_weakens_the_policy),
	KUNIT_CASE(S19_an_application_does_not_uncover_the_headers),
	KUNIT_CASE(S19_neither_a_shorter_key_nor_a_shorter_tag),
	KUNIT_CASE(S19_an_application_does_not_give_up_the_detection_of_replays),
	KUNIT_CASE(a_connection_waits_for_a_key_that_somebody_adds),
	KUNIT_CASE(without_the_key_the_wait_ends),
	KUNIT_CASE(nobody_waits_where_nobody_listens),
	KUNIT_CASE(a_key_is_not_reported_again_at_once),
	KUNIT_CASE(a_flood_of_names_is_not_reported),
	KUNIT_CASE(S19_no_race_of_rules_and_keys_weakens_a_seal),
	{}
};

static struct kunit_suite policy_suite = {
	.name = "srnic-policy",
	.init = policy_test_init,
	.exit = policy_test_exit,
	.test_cases = policy_cases,
};

kunit_test_suite(policy_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's policy and keys");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
