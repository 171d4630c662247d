// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of sth's policy and keyring: which peer gets which seal. It uses
 * the rules and keys of the initial namespace, and is skipped if there are any.
 * End-to-end tests cover the separation of namespaces.
 */
#include <kunit/test.h>
#include <linux/inet.h>
#include <linux/module.h>
#include <net/net_namespace.h>

#include "guard/guard.h"
#include "sth/sth.h"

#define KEY	"kunit"

static const u8 secret[32] = "a secret of thirty-two bytes....";
static const u8 other[16] = "another secret..";

/* Parse an address as written by users; IPv4 in mapped form. */
static void address(struct kunit *test, const char *text, u8 addr[16])
{
	static const u8 mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (strchr(text, ':')) {
		KUNIT_ASSERT_EQ(test, in6_pton(text, -1, addr, -1, NULL), 1);
		return;
	}
	memcpy(addr, mapped, sizeof(mapped));
	KUNIT_ASSERT_EQ(test, in4_pton(text, -1, addr + 12, -1, NULL), 1);
}

static struct srnic_policy rule(struct kunit *test, const char *prefix, u8 len,
				enum srnic_policy_rule kind)
{
	struct srnic_policy policy = { .prefix_len = len, .rule = kind };

	address(test, prefix, policy.prefix);
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
	struct srnic_policy policy = rule(test, prefix, len, kind);

	KUNIT_ASSERT_EQ(test, srnic_policy_add(&init_net, &policy, false), 0);
}

static void add_key(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, srnic_key_add(&init_net, KEY, secret, sizeof(secret), false), 0);
}

static int resolve(struct kunit *test, const char *peer, struct srnic_sth_params *params)
{
	u8 addr[16];

	memset(params, 0xa5, sizeof(*params));
	address(test, peer, addr);
	return srnic_policy_resolve(&init_net, addr, params);
}

static bool clear_allowed(struct kunit *test, const char *peer)
{
	u8 addr[16];

	address(test, peer, addr);
	return srnic_policy_brief(&init_net, addr).rule != SRNIC_POLICY_REQUIRE;
}

static void without_a_rule_it_is_off(struct kunit *test)
{
	struct srnic_sth_params params;

	KUNIT_EXPECT_EQ(test, resolve(test, "192.0.2.1", &params), 0);
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

/* The active MTU must leave space for the longest seal; 20 of 4200 leave 4096 (verbs/port.c). */
static void S18_room_is_left_for_the_longest_seal(struct kunit *test)
{
	struct srnic_policy policy = rule(test, "192.0.2.0", 96 + 24, SRNIC_POLICY_REQUIRE);

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
	struct srnic_policy policy = rule(test, "192.0.2.0", 96 + 24, SRNIC_POLICY_REQUIRE);
	struct srnic_sth_params params;

	policy.uncached = true;
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, false), -EINVAL);
	policy.suite = srnic_sth_suite_find("chacha20-poly1305");
	KUNIT_ASSERT_EQ(test, srnic_policy_add(&init_net, &policy, false), 0);
	add_key(test);
	KUNIT_ASSERT_EQ(test, resolve(test, "192.0.2.1", &params), 0);
	KUNIT_EXPECT_TRUE(test, params.uncached);
	policy.uncached = false;
	KUNIT_ASSERT_EQ(test, srnic_policy_add(&init_net, &policy, true), 0);
	KUNIT_ASSERT_EQ(test, resolve(test, "192.0.2.1", &params), 0);
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
	KUNIT_EXPECT_EQ(test, resolve(test, "192.0.2.1", &params), -EACCES);
	KUNIT_EXPECT_EQ(test, params.mode, SRNIC_STH_OFF);
	KUNIT_EXPECT_EQ(test, params.key_len, 0);
	KUNIT_EXPECT_NULL(test, memchr_inv(params.key, 0, sizeof(params.key)));

	add_key(test);
	KUNIT_EXPECT_EQ(test, resolve(test, "192.0.2.1", &params), 0);
	KUNIT_EXPECT_EQ(test, params.mode, SRNIC_STH_AEAD);
	KUNIT_EXPECT_PTR_EQ(test, params.suite, srnic_sth_suite_find("aes-gcm-128"));
	KUNIT_EXPECT_EQ(test, params.key_len, sizeof(secret));
	KUNIT_EXPECT_MEMEQ(test, params.key, secret, sizeof(secret));
	KUNIT_EXPECT_FALSE(test, params.pair_key);
	KUNIT_EXPECT_FALSE(test, params.preferred_clear);

	KUNIT_EXPECT_EQ(test, srnic_key_del(&init_net, KEY), 0);
	KUNIT_EXPECT_EQ(test, resolve(test, "192.0.2.1", &params), -EACCES);
}

static void prefer_without_its_key_is_in_the_clear_and_says_so(struct kunit *test)
{
	struct srnic_sth_params params;

	add_rule(test, "2001:db8::", 32, SRNIC_POLICY_PREFER);
	KUNIT_EXPECT_EQ(test, resolve(test, "2001:db8::1", &params), 0);
	KUNIT_EXPECT_EQ(test, params.mode, SRNIC_STH_OFF);
	KUNIT_EXPECT_TRUE(test, params.preferred_clear);

	add_key(test);
	KUNIT_EXPECT_EQ(test, resolve(test, "2001:db8::1", &params), 0);
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

static void a_key_is_replaced_only_if_one_says_so(struct kunit *test)
{
	u8 key[SRNIC_STH_KEY_MAX];

	add_key(test);
	KUNIT_EXPECT_EQ(test, srnic_key_add(&init_net, KEY, other, sizeof(other), false), -EEXIST);
	KUNIT_EXPECT_EQ(test, srnic_key_read(&init_net, KEY, key), sizeof(secret));
	KUNIT_EXPECT_MEMEQ(test, key, secret, sizeof(secret));

	KUNIT_EXPECT_EQ(test, srnic_key_add(&init_net, KEY, other, sizeof(other), true), 0);
	KUNIT_EXPECT_EQ(test, srnic_key_read(&init_net, KEY, key), sizeof(other));
	KUNIT_EXPECT_MEMEQ(test, key, other, sizeof(other));
}

static void keys_are_listed_by_name(struct kunit *test)
{
	static const char *const names[] = { "m", "a", "z", "B", "a.2" };
	static const char *const sorted[] = { "B", "a", "a.2", "m", "z" };
	char name[SRNIC_STH_NAME_MAX];
	unsigned int seq = srnic_key_seq(&init_net);
	unsigned int i, len;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		KUNIT_ASSERT_EQ(test, srnic_key_add(&init_net, names[i], secret, 16 + i, false), 0);
	KUNIT_EXPECT_NE(test, srnic_key_seq(&init_net), seq);
	for (i = 0; i < ARRAY_SIZE(sorted); i++) {
		KUNIT_ASSERT_EQ(test, srnic_key_get(&init_net, i, name, &len), 0);
		KUNIT_EXPECT_STREQ(test, name, sorted[i]);
	}
	KUNIT_EXPECT_EQ(test, len, 18);		/* secret of z */
	KUNIT_EXPECT_EQ(test, srnic_key_get(&init_net, i, name, &len), -ENOENT);
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
	KUNIT_EXPECT_EQ(test, srnic_key_read(&init_net, KEY, key), -ENOKEY);
	KUNIT_EXPECT_EQ(test, srnic_key_del(&init_net, KEY), -ENOENT);
}

static void rules_that_contradict_themselves_are_refused(struct kunit *test)
{
	struct srnic_policy policy;

	policy = rule(test, "192.0.2.1", 96 + 24, SRNIC_POLICY_OFF);	/* bits beyond the prefix */
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, true), -EINVAL);
	policy = rule(test, "::", 129, SRNIC_POLICY_OFF);
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, true), -EINVAL);

	policy = rule(test, "::", 0, SRNIC_POLICY_REQUIRE);
	policy.rule = SRNIC_POLICY_OFF;					/* off with a seal */
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, true), -EINVAL);
	policy = rule(test, "::", 0, SRNIC_POLICY_REQUIRE);
	policy.mode = SRNIC_STH_OFF;
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, true), -EINVAL);
	policy.mode = SRNIC_STH_HEADER;					/* not in this suite */
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, true), -EINVAL);
	policy = rule(test, "::", 0, SRNIC_POLICY_PREFER);
	policy.suite = NULL;
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, true), -EINVAL);
	policy = rule(test, "::", 0, SRNIC_POLICY_PREFER);
	policy.key[0] = '\0';
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, true), -EINVAL);
	policy = rule(test, "::", 0, 3);
	KUNIT_EXPECT_EQ(test, srnic_policy_add(&init_net, &policy, true), -EINVAL);

	KUNIT_EXPECT_EQ(test, srnic_policy_get(&init_net, 0, &policy), -ENOENT);
}

static void a_rule_is_replaced_only_if_one_says_so(struct kunit *test)
{
	struct srnic_policy policy = rule(test, "192.0.2.0", 96 + 24, SRNIC_POLICY_OFF);
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
	address(test, "192.0.2.0", prefix);
	KUNIT_EXPECT_EQ(test, srnic_policy_del(&init_net, prefix, 96 + 25), -ENOENT);
	KUNIT_EXPECT_EQ(test, srnic_policy_del(&init_net, prefix, 96 + 23), -ENOENT);
	KUNIT_EXPECT_FALSE(test, clear_allowed(test, "192.0.2.1"));
	KUNIT_EXPECT_EQ(test, srnic_policy_del(&init_net, prefix, 96 + 24), 0);
	KUNIT_EXPECT_TRUE(test, clear_allowed(test, "192.0.2.1"));
	KUNIT_EXPECT_EQ(test, srnic_policy_del(&init_net, prefix, 96 + 24), -ENOENT);
}

static void a_namespace_has_so_many_rules_and_no_more(struct kunit *test)
{
	struct srnic_policy policy = rule(test, "10.0.0.0", 128, SRNIC_POLICY_OFF);
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

	KUNIT_ASSERT_EQ(test, resolve(test, "10.0.0.1", &params), 0);
	KUNIT_ASSERT_EQ(test, srnic_seal_request_grant(&request, NULL, 0, &params), 0);
	KUNIT_EXPECT_EQ(test, params.mode, SRNIC_STH_PACKET);
	KUNIT_EXPECT_PTR_EQ(test, params.suite, request.suite);
	KUNIT_EXPECT_EQ(test, params.key_len, 0);
	KUNIT_EXPECT_EQ(test, params.own_len, sizeof(other));
	KUNIT_EXPECT_TRUE(test, params.own_pair);
	KUNIT_EXPECT_MEMEQ(test, params.own_key, other, sizeof(other));
}

static void P7_without_a_key_of_its_own_the_domains_serves(struct kunit *test)
{
	struct srnic_seal_request request = request_of("aes-gmac-128", SRNIC_STH_PACKET, false);
	struct srnic_sth_params params;

	KUNIT_ASSERT_EQ(test, resolve(test, "10.0.0.1", &params), 0);
	KUNIT_ASSERT_EQ(test, srnic_seal_request_grant(&request, secret, sizeof(secret), &params),
			0);
	KUNIT_EXPECT_EQ(test, params.own_len, sizeof(secret));
	KUNIT_EXPECT_FALSE(test, params.own_pair);
	KUNIT_EXPECT_MEMEQ(test, params.own_key, secret, sizeof(secret));

	KUNIT_ASSERT_EQ(test, resolve(test, "10.0.0.1", &params), 0);
	KUNIT_EXPECT_EQ(test, srnic_seal_request_grant(&request, NULL, 0, &params), -EACCES);
}

static void S19_an_application_adds_to_the_policys_key_and_does_not_replace_it(struct kunit *test)
{
	struct srnic_seal_request request = request_of("aes-gcm-256", SRNIC_STH_AEAD, true);
	struct srnic_sth_params params;

	add_key(test);
	add_rule(test, "10.0.0.0", 104, SRNIC_POLICY_REQUIRE);
	KUNIT_ASSERT_EQ(test, resolve(test, "10.0.0.1", &params), 0);
	KUNIT_ASSERT_EQ(test, srnic_seal_request_grant(&request, NULL, 0, &params), 0);
	KUNIT_EXPECT_PTR_EQ(test, params.suite, request.suite);
	KUNIT_EXPECT_EQ(test, params.key_len, sizeof(secret));
	KUNIT_EXPECT_MEMEQ(test, params.key, secret, sizeof(secret));
	KUNIT_EXPECT_EQ(test, params.own_len, sizeof(other));

	request.key_len = 0;	/* the policy's key alone */
	KUNIT_ASSERT_EQ(test, resolve(test, "10.0.0.1", &params), 0);
	KUNIT_ASSERT_EQ(test, srnic_seal_request_grant(&request, NULL, 0, &params), 0);
	KUNIT_EXPECT_EQ(test, params.own_len, 0);
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

		KUNIT_ASSERT_EQ(test, resolve(test, "10.0.0.1", &params), 0);
		KUNIT_EXPECT_EQ_MSG(test, srnic_seal_request_grant(&request, NULL, 0, &params),
				    cases[i].err, "%s", cases[i].suite);
	}
}

static void S19_neither_a_shorter_key_nor_a_shorter_tag(struct kunit *test)
{
	struct srnic_seal_request request = request_of("aes-cmac-128", SRNIC_STH_PACKET, true);
	struct srnic_sth_params params = {
		.suite = srnic_sth_suite_find("aes-cmac-256"),
		.mode = SRNIC_STH_HEADER,
	};

	KUNIT_EXPECT_EQ(test, srnic_seal_request_grant(&request, NULL, 0, &params), -EACCES);
	params.suite = srnic_sth_suite_find("aes-cmac-128");
	request.suite = srnic_sth_suite_find("aes-cmac-128/96");
	KUNIT_EXPECT_EQ(test, srnic_seal_request_grant(&request, NULL, 0, &params), -EACCES);
	params.suite = srnic_sth_suite_find("aes-cmac-128/96");
	KUNIT_EXPECT_EQ(test, srnic_seal_request_grant(&request, NULL, 0, &params), 0);
}

static bool has_rules_or_keys(void)
{
	char name[SRNIC_STH_NAME_MAX];
	struct srnic_policy policy;
	unsigned int len;

	return !srnic_policy_get(&init_net, 0, &policy) ||
	       !srnic_key_get(&init_net, 0, name, &len);
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
	char name[SRNIC_STH_NAME_MAX];
	struct srnic_policy policy;
	unsigned int len;

	if (!test->priv)
		return;
	while (!srnic_policy_get(&init_net, 0, &policy))
		srnic_policy_del(&init_net, policy.prefix, policy.prefix_len);
	while (!srnic_key_get(&init_net, 0, name, &len))
		srnic_key_del(&init_net, name);
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
	KUNIT_CASE(S19_neither_a_shorter_key_nor_a_shorter_tag),
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
