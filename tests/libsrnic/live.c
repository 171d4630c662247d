// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * libsrnic against the kernel; tests/e2e/libsrnic.sh prepares the environment.
 *
 *	srnic-live suites
 *	srnic-live rules		deletes all rules
 *	srnic-live keys			deletes all keys
 *	srnic-live dev DEV		restores the quotas
 *	srnic-live peers DEV		ends all cut-offs
 *	srnic-live netns PATH DEV	DEV must be in that namespace and not in this one
 *	srnic-live sealed DEV PEER MODE SUITE	waits for packets in both directions
 *	srnic-live unprivileged
 *
 * Exits with 0 if all checks pass; otherwise prints what failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <srnic/srnic.h>

static struct srnic *srnic;

static void expect(bool fine, const char *what)
{
	if (fine)
		return;
	fprintf(stderr, "srnic-live: not so: %s (last error: %s)\n", what, srnic_error());
	exit(1);
}

#define EXPECT(condition)	expect(condition, #condition)

static void must(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "srnic-live: %s: %s: %s\n", what, strerror(-err), srnic_error());
	exit(1);
}

#define MUST(call)		must(call, #call)

/* Check that a call failed with this error and a text from the kernel */
static void refused(int err, int wanted, const char *says)
{
	if (err == -wanted && strstr(srnic_error(), says))
		return;
	fprintf(stderr, "srnic-live: not %d with '%s', but %d with '%s'\n", -wanted, says, err,
		srnic_error());
	exit(1);
}

static struct srnic_prefix prefix_of(const char *text)
{
	struct srnic_prefix prefix;

	MUST(srnic_prefix_parse(&prefix, text));
	return prefix;
}

static const struct srnic_suite *find_suite(const struct srnic_list *list, const char *name)
{
	const struct srnic_suite *suite;

	srnic_for_each_suite(suite, list)
		if (!strcmp(srnic_suite_name(suite), name))
			return suite;
	return NULL;
}

static void suites(char **args)
{
	const struct srnic_suite *suite;
	struct srnic_list *list;

	(void)args;
	MUST(srnic_suite_list(srnic, &list));
	suite = find_suite(list, "aes-gcm-128");
	EXPECT(suite && srnic_suite_has_mode(suite, SRNIC_MODE_AEAD) &&
	       srnic_suite_has_mode(suite, SRNIC_MODE_OPAQUE) &&
	       !srnic_suite_has_mode(suite, SRNIC_MODE_HEADER));
	EXPECT(srnic_suite_tag_len(suite) == 16 &&
	       srnic_suite_sth_len(suite) >= srnic_suite_tag_len(suite));
	EXPECT(srnic_suite_available(suite));
	suite = find_suite(list, "aes-cmac-128");
	EXPECT(suite && srnic_suite_has_mode(suite, SRNIC_MODE_HEADER) &&
	       srnic_suite_has_mode(suite, SRNIC_MODE_PACKET) &&
	       !srnic_suite_has_mode(suite, SRNIC_MODE_AEAD));
	suite = find_suite(list, "aes-cmac-256/96");
	EXPECT(suite && srnic_suite_tag_len(suite) == 12 && srnic_suite_sth_len(suite) == 12);
	suite = find_suite(list, "hmac-sha512");
	EXPECT(suite && srnic_suite_tag_len(suite) == 64 && srnic_suite_sth_len(suite) == 64);
	EXPECT(!find_suite(list, "rot13"));
	srnic_list_free(list);
}

static int seal(const char *prefix, enum srnic_mode mode, const char *suite, unsigned int flags)
{
	struct srnic_prefix peers = prefix_of(prefix);

	return srnic_policy_add(srnic, &peers, SRNIC_RULE_REQUIRE, mode, suite, "nowhere", flags);
}

static void expect_rule(const struct srnic_policy *policy, const char *prefix,
			enum srnic_rule rule, enum srnic_mode mode, const char *suite)
{
	struct srnic_prefix got;
	char text[SRNIC_TEXT_MAX];

	EXPECT(policy);
	got = srnic_policy_prefix(policy);
	EXPECT(!strcmp(srnic_prefix_text(&got, text), prefix));
	EXPECT(srnic_policy_rule(policy) == rule);
	EXPECT(srnic_policy_mode(policy) == mode);
	EXPECT(!strcmp(srnic_policy_suite(policy), suite));
	EXPECT(!strcmp(srnic_policy_key(policy), *suite ? "nowhere" : ""));
}

static void rules(char **args)
{
	struct srnic_prefix all = prefix_of("default");
	struct srnic_prefix site = prefix_of("fd99::/48");
	const struct srnic_policy *policy;
	struct srnic_list *list;

	(void)args;
	MUST(seal("192.0.2.0/24", SRNIC_MODE_AEAD, "aes-gcm-128", 0));
	MUST(srnic_policy_add(srnic, &all, SRNIC_RULE_OFF, SRNIC_MODE_OFF, NULL, NULL, 0));
	MUST(seal("fd99::/48", SRNIC_MODE_AEAD, "aes-gcm-128", 0));
	refused(seal("fd99::/48", SRNIC_MODE_PACKET, "aes-cmac-128", 0), EEXIST,
		"there is a rule with this prefix");
	MUST(seal("fd99::/48", SRNIC_MODE_PACKET, "aes-cmac-128", SRNIC_REPLACE));
	refused(seal("192.0.2.0/25", SRNIC_MODE_HEADER, "aes-gcm-128", 0), EOPNOTSUPP,
		"suite aes-gcm-128 does not offer this mode: choose aead or opaque");
	refused(seal("192.0.2.0/25", SRNIC_MODE_AEAD, "rot13", 0), EINVAL, "unknown suite 'rot13'");

	MUST(srnic_policy_list(srnic, &list));
	policy = srnic_policy_next(list, NULL);
	expect_rule(policy, "192.0.2.0/24", SRNIC_RULE_REQUIRE, SRNIC_MODE_AEAD, "aes-gcm-128");
	policy = srnic_policy_next(list, policy);
	expect_rule(policy, "fd99::/48", SRNIC_RULE_REQUIRE, SRNIC_MODE_PACKET, "aes-cmac-128");
	policy = srnic_policy_next(list, policy);
	expect_rule(policy, "default", SRNIC_RULE_OFF, SRNIC_MODE_OFF, "");
	EXPECT(!srnic_policy_next(list, policy));
	srnic_list_free(list);

	MUST(srnic_policy_del(srnic, &site));
	refused(srnic_policy_del(srnic, &site), ENOENT, "no rule with exactly this prefix");
	site.addr[15] = 1;
	refused(srnic_policy_del(srnic, &site), EINVAL, "bits beyond the prefix length");
	MUST(srnic_policy_flush(srnic));
	MUST(srnic_policy_list(srnic, &list));
	EXPECT(!srnic_policy_next(list, NULL));
	srnic_list_free(list);
}

static void keys(char **args)
{
	static const char secret[SRNIC_SECRET_MAX] = "a key for tests of 32 characters";
	const struct srnic_key *key;
	struct srnic_list *list;

	(void)args;
	MUST(srnic_key_add(srnic, "live-a", secret, 32, 0));
	MUST(srnic_key_add(srnic, "live-b", secret, 16, 0));
	refused(srnic_key_add(srnic, "live-a", secret, 16, 0), EEXIST,
		"there is a key of this name");
	refused(srnic_key_add(srnic, "live c", secret, 16, 0), EINVAL, "a key's name is 1 to 31");
	MUST(srnic_key_add(srnic, "live-a", secret, 24, SRNIC_REPLACE));

	MUST(srnic_key_list(srnic, &list));
	key = srnic_key_next(list, NULL);
	EXPECT(key && !strcmp(srnic_key_name(key), "live-a") && srnic_key_len(key) == 24);
	key = srnic_key_next(list, key);
	EXPECT(key && !strcmp(srnic_key_name(key), "live-b") && srnic_key_len(key) == 16);
	EXPECT(!srnic_key_next(list, key));
	srnic_list_free(list);

	refused(srnic_key_promote(srnic, "live-a"), ENODATA, "no next secret");
	MUST(srnic_key_stage(srnic, "live-a", secret, 16));
	refused(srnic_key_stage(srnic, "live-a", secret, 16), EEXIST, "retire one first");
	MUST(srnic_key_promote(srnic, "live-a"));
	MUST(srnic_key_list(srnic, &list));
	key = srnic_key_next(list, NULL);
	EXPECT(key && srnic_key_generation(key) == 2 && srnic_key_len(key) == 16 &&
	       srnic_key_other_len(key) == 24 && !srnic_key_is_staged(key));
	srnic_list_free(list);
	MUST(srnic_key_retire(srnic, "live-a"));
	refused(srnic_key_retire(srnic, "live-a"), ENODATA, "one secret only");
	refused(srnic_key_stage(srnic, "live-c", secret, 16), ENOENT, "no key of this name");

	MUST(srnic_key_del(srnic, "live-a"));
	MUST(srnic_key_del(srnic, "live-b"));
	refused(srnic_key_del(srnic, "live-b"), ENOENT, "no key of this name");
}

/* Return the device's quota of queue pairs, as reported by the kernel */
static uint32_t qp_limit(const char *name)
{
	const struct srnic_quota *quota;
	const struct srnic_dev *dev;
	struct srnic_list *list;
	uint32_t limit = 0;

	MUST(srnic_dev_list(srnic, &list));
	dev = srnic_dev_find(list, name);
	EXPECT(dev);
	srnic_for_each_quota(quota, dev)
		if (!strcmp(srnic_quota_name(quota), "qp"))
			limit = srnic_quota_limit(quota);
	srnic_list_free(list);
	return limit;
}

static void dev(char **args)
{
	const struct srnic_dev *found;
	struct srnic_list *list;
	uint32_t index, limit;

	MUST(srnic_dev_list(srnic, &list));
	found = srnic_dev_find(list, args[0]);
	EXPECT(found && srnic_dev_mtu(found) == 4352 && srnic_dev_ifindex(found));
	EXPECT(srnic_quota_next(found, NULL));
	index = srnic_dev_index(found);
	srnic_list_free(list);

	limit = qp_limit(args[0]);
	EXPECT(limit > 1);
	MUST(srnic_quota_set(srnic, index, "qp", limit - 1));
	EXPECT(qp_limit(args[0]) == limit - 1);
	MUST(srnic_quota_set(srnic, index, "qp", limit));
	refused(srnic_quota_set(srnic, index, "nonsense", 1), ENOENT, "unknown quota 'nonsense'");
	refused(srnic_quota_set(srnic, index + 1000, "qp", 1), ENODEV, "no such device");
}

/* args: device */
static void peers(char **args)
{
	struct srnic_prefix stranger = prefix_of("192.0.2.9");
	const struct srnic_peer *peer;
	struct srnic_list *list;
	uint32_t index;

	MUST(srnic_dev_list(srnic, &list));
	EXPECT(srnic_dev_find(list, args[0]));
	index = srnic_dev_index(srnic_dev_find(list, args[0]));
	srnic_list_free(list);

	refused(srnic_peer_allow(srnic, index, stranger.addr), ENOENT, "is not cut off");
	refused(srnic_peer_cut(srnic, index, stranger.addr, UINT32_MAX), ERANGE,
		"seconds must be at most");
	refused(srnic_peer_cut(srnic, index + 1000, stranger.addr, 0), ENODEV, "no such device");
	MUST(srnic_peer_cut(srnic, index, stranger.addr, 0));
	MUST(srnic_peer_list(srnic, index, &list));
	peer = srnic_peer_next(list, NULL);
	EXPECT(peer && !srnic_peer_next(list, peer) && srnic_peer_dev_index(peer) == index);
	EXPECT(!memcmp(srnic_peer_address(peer), stranger.addr, sizeof(stranger.addr)));
	EXPECT(srnic_peer_is_cut_off(peer) && !srnic_peer_is_timed(peer));
	srnic_list_free(list);

	MUST(srnic_peer_cut(srnic, index, stranger.addr, 1000));
	MUST(srnic_peer_list(srnic, index, &list));
	peer = srnic_peer_next(list, NULL);
	EXPECT(srnic_peer_is_timed(peer) && srnic_peer_seconds(peer) <= 1000 &&
	       srnic_peer_seconds(peer) > 900);
	srnic_list_free(list);
	MUST(srnic_peer_allow(srnic, index, stranger.addr));
}

static bool has_dev(struct srnic *where, const char *name)
{
	struct srnic_list *list;
	bool found;

	MUST(srnic_dev_list(where, &list));
	found = srnic_dev_find(list, name);
	srnic_list_free(list);
	return found;
}

static void netns(char **args)
{
	int fd = open(args[0], O_RDONLY | O_CLOEXEC);
	struct srnic *there, *again;

	EXPECT(fd >= 0);
	MUST(srnic_open(&there, fd));
	close(fd);
	EXPECT(has_dev(there, args[1]) && !has_dev(srnic, args[1]));
	/* the calling thread must still be in its own namespace */
	MUST(srnic_open(&again, SRNIC_NETNS_OWN));
	EXPECT(!has_dev(again, args[1]));
	srnic_close(again);
	srnic_close(there);

	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	refused(srnic_open(&there, fd), EINVAL, "cannot enter the network namespace");
	EXPECT(!there);
	close(fd);
}

/* Add up what a queue pair's flows have sealed and opened; false without flows or on errors */
static bool add_flows(const struct srnic_qp *qp, uint64_t *sealed, uint64_t *opened)
{
	const struct srnic_flow *flow;
	bool any = false;

	srnic_for_each_flow(flow, qp) {
		EXPECT(!srnic_flow_failed(flow) && !srnic_flow_replayed(flow));
		EXPECT(srnic_flow_epoch(flow) == srnic_flow_psn64(flow) >> 24);
		*sealed += srnic_flow_sealed(flow);
		*opened += srnic_flow_opened(flow);
		any = true;
	}
	return any;
}

/* args: device, peer, mode, suite */
static bool is_sealed(const struct srnic_qp *qp, char **args)
{
	uint64_t sealed = 0, opened = 0;
	char text[SRNIC_TEXT_MAX];

	if (srnic_qp_type(qp) != SRNIC_QP_TYPE_RC || !srnic_qp_peer(qp) ||
	    srnic_qp_state(qp) != SRNIC_QP_STATE_RTS)
		return false;
	EXPECT(!strcmp(srnic_qp_dev_name(qp), args[0]));
	EXPECT(!strcmp(srnic_addr_text(srnic_qp_peer(qp), text), args[1]));
	EXPECT(!strcmp(srnic_mode_name(srnic_qp_mode(qp)), args[2]));
	EXPECT(!strcmp(srnic_qp_suite(qp), args[3]));
	EXPECT(*srnic_qp_driver(qp) && srnic_qp_peer_num(qp) && srnic_qp_num(qp) > 1);
	EXPECT(add_flows(qp, &sealed, &opened));
	return sealed > 10 && opened > 10;
}

static bool any_sealed(char **args)
{
	const struct srnic_dev *where;
	struct srnic_list *devs, *list;
	const struct srnic_qp *qp;
	bool found = false;

	MUST(srnic_dev_list(srnic, &devs));
	where = srnic_dev_find(devs, args[0]);
	EXPECT(where);
	MUST(srnic_qp_list(srnic, srnic_dev_index(where), &list));
	srnic_for_each_qp(qp, list) {
		EXPECT(srnic_qp_dev_index(qp) == srnic_dev_index(where));
		found |= is_sealed(qp, args);
	}
	srnic_list_free(list);
	srnic_list_free(devs);
	return found;
}

static void sealed(char **args)
{
	struct srnic_list *list;
	unsigned int i;

	for (i = 0; i < 200 && !any_sealed(args); i++)
		usleep(100000);
	EXPECT(any_sealed(args));
	MUST(srnic_qp_list(srnic, 1000000, &list));
	EXPECT(!srnic_qp_next(list, NULL));
	srnic_list_free(list);
}

static void unprivileged(char **args)
{
	struct srnic_prefix all = prefix_of("default");
	static const char secret[16] = "no use whatever";
	struct srnic_list *list;

	(void)args;
	MUST(srnic_suite_list(srnic, &list));
	srnic_list_free(list);
	MUST(srnic_dev_list(srnic, &list));
	srnic_list_free(list);
	refused(srnic_policy_list(srnic, &list), EPERM, "needs CAP_NET_ADMIN");
	refused(srnic_key_list(srnic, &list), EPERM, "needs CAP_NET_ADMIN");
	refused(srnic_qp_list(srnic, SRNIC_DEV_ALL, &list), EPERM, "needs CAP_NET_ADMIN");
	refused(srnic_policy_del(srnic, &all), EPERM, "needs CAP_NET_ADMIN");
	refused(srnic_policy_flush(srnic), EPERM, "needs CAP_NET_ADMIN");
	refused(srnic_key_add(srnic, "k", secret, sizeof(secret), 0), EPERM, "needs CAP_NET_ADMIN");
	refused(srnic_key_del(srnic, "k"), EPERM, "needs CAP_NET_ADMIN");
	refused(srnic_quota_set(srnic, 0, "qp", 1), EPERM, "needs CAP_NET_ADMIN");
	refused(srnic_peer_list(srnic, SRNIC_DEV_ALL, &list), EPERM, "needs CAP_NET_ADMIN");
	refused(srnic_peer_cut(srnic, 0, all.addr, 1), EPERM, "needs CAP_NET_ADMIN");
	refused(srnic_peer_allow(srnic, 0, all.addr), EPERM, "needs CAP_NET_ADMIN");
}

static const struct {
	const char *name;
	void (*run)(char **args);
	int args;
} scenes[] = {
	{ "suites", suites, 0 }, { "rules", rules, 0 }, { "keys", keys, 0 }, { "dev", dev, 1 },
	{ "peers", peers, 1 }, { "netns", netns, 2 }, { "sealed", sealed, 4 },
	{ "unprivileged", unprivileged, 0 },
};

int main(int argc, char **argv)
{
	unsigned int i;

	for (i = 0; argc > 1 && i < sizeof(scenes) / sizeof(*scenes); i++) {
		if (strcmp(scenes[i].name, argv[1]) || argc != 2 + scenes[i].args)
			continue;
		MUST(srnic_open(&srnic, SRNIC_NETNS_OWN));
		scenes[i].run(argv + 2);
		srnic_close(srnic);
		return 0;
	}
	fprintf(stderr, "srnic-live: no such scene, or not with so many arguments\n");
	return 2;
}
