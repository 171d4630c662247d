// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * libsrnic without a kernel: the requests that it sends, and how it handles answers.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <srnic/srnic.h>
#include "checks.h"
#include "kernel.h"

#define NUM(array)	(sizeof(array) / sizeof(*(array)))

static struct srnic *srnic;

static struct srnic_prefix prefix_of(const char *text)
{
	struct srnic_prefix prefix;

	if (srnic_prefix_parse(&prefix, text))
		abort();
	return prefix;
}

static void test_open(void)
{
	struct srnic *other = (void *)&other;

	kernel_reset();
	check(!srnic_open(&srnic, SRNIC_NETNS_OWN) && kernel.sockets == 1, "open");
	check(kernel.cap_ack && kernel.ext_ack, "refusals come with words, not with the request");
	check(!*srnic_error(), "no words where nothing has failed");

	kernel_reset();
	kernel.unknown = true;
	check(failed(srnic_open(&other, SRNIC_NETNS_OWN), ENOENT, "modprobe srnic") && !other &&
	      kernel.sockets == 1, "open where there is no srnic");
	kernel_reset();
	kernel.nameless = true;
	check(failed(srnic_open(&other, SRNIC_NETNS_OWN), EPROTO, "has no id") &&
	      kernel.sockets == 1, "open where the family has no number");
	kernel_reset();
	kernel.other_version = true;
	check(failed(srnic_open(&other, SRNIC_NETNS_OWN), EPROTO, "install both from one tree") &&
	      kernel.sockets == 1, "open where the family has another version");
	check(failed(srnic_open(&other, 12345), EBADF, "cannot enter the network namespace") &&
	      !other && kernel.sockets == 1, "open where there is no such namespace");
	srnic_close(NULL);
	srnic_list_free(NULL);
}

/* Messages byte by byte, as seen by a little-endian kernel */
static const uint8_t policy_add_bytes[] = {
	0x60, 0x00, 0x00, 0x00, 0x4d, 0x00, 0x05, 0x00,	/* length, family, request + ack */
	0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,	/* sequence number 2; 1 found the family */
	0x01, 0x01, 0x00, 0x00,				/* policy-add, version */
	0x14, 0x00, 0x01, 0x00,				/* prefix */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0xff, 0xff, 0x0a, 0x4d, 0x00, 0x00,
	0x05, 0x00, 0x02, 0x00, 0x78, 0x00, 0x00, 0x00,	/* prefix-len: 96 + 24 */
	0x05, 0x00, 0x03, 0x00, 0x02, 0x00, 0x00, 0x00,	/* rule: require */
	0x05, 0x00, 0x04, 0x00, 0x03, 0x00, 0x00, 0x00,	/* mode: aead */
	0x10, 0x00, 0x05, 0x00,				/* suite */
	'a', 'e', 's', '-', 'g', 'c', 'm', '-', '1', '2', '8', 0x00,
	0x0c, 0x00, 0x06, 0x00, 'l', 'a', 'b', '-', 'k', 'e', 'y', 0x00,
	0x04, 0x00, 0x07, 0x00,				/* replace */
};

static void test_policy_bytes(void)
{
	const union { uint16_t word; uint8_t byte; } one = { 1 };
	struct srnic_prefix prefix = prefix_of("10.77.0.0/24");
	struct srnic *fresh;
	bool fine;

	kernel_reset();
	fine = !srnic_open(&fresh, SRNIC_NETNS_OWN) &&
		!srnic_policy_add(fresh, &prefix, SRNIC_RULE_REQUIRE, SRNIC_MODE_AEAD,
				  "aes-gcm-128", "lab-key", SRNIC_REPLACE);
	if (one.byte)
		fine = fine && kernel.last.nlh.nlmsg_len == sizeof(policy_add_bytes) &&
			!memcmp(&kernel.last, policy_add_bytes, sizeof(policy_add_bytes));
	check(fine, "a rule, byte by byte");
	srnic_close(fresh);
}

static void test_policy(void)
{
	static const char too_long[] = "12345678901234567890123456789012";
	struct srnic_prefix prefix = prefix_of("fd77::/64");

	kernel_reset();
	check(!srnic_policy_add(srnic, &prefix, SRNIC_RULE_OFF, SRNIC_MODE_OFF, NULL, NULL, 0) &&
	      kernel_cmd() == SRNIC_CMD_POLICY_ADD &&
	      attr_is_bytes(kernel_attr(SRNIC_A_POLICY_PREFIX), prefix.addr, 16) &&
	      attr_is_u8(kernel_attr(SRNIC_A_POLICY_PREFIX_LEN), 64) &&
	      attr_is_u8(kernel_attr(SRNIC_A_POLICY_RULE), SRNIC_RULE_OFF) &&
	      !kernel_attr(SRNIC_A_POLICY_MODE) && !kernel_attr(SRNIC_A_POLICY_SUITE) &&
	      !kernel_attr(SRNIC_A_POLICY_KEY) && !kernel_attr(SRNIC_A_POLICY_REPLACE),
	      "rule off sends no seal");
	check(!srnic_policy_del(srnic, &prefix) && kernel_cmd() == SRNIC_CMD_POLICY_DEL &&
	      attr_is_bytes(kernel_attr(SRNIC_A_POLICY_PREFIX), prefix.addr, 16) &&
	      attr_is_u8(kernel_attr(SRNIC_A_POLICY_PREFIX_LEN), 64), "a rule is deleted");

	kernel_reset();
	check(!srnic_policy_add(srnic, &prefix, SRNIC_RULE_REQUIRE, SRNIC_MODE_AEAD, "s", "k",
				SRNIC_CLEAR_CM) && kernel_attr(SRNIC_A_POLICY_CLEAR_CM) &&
	      !kernel_attr(SRNIC_A_POLICY_REPLACE) && !kernel_attr(SRNIC_A_POLICY_UNCACHED),
	      "a rule spares the connection manager");

	kernel_reset();
	check(!srnic_policy_add(srnic, &prefix, SRNIC_RULE_REQUIRE, SRNIC_MODE_HEADER, "s", "k",
				SRNIC_UNCACHED) && kernel_attr(SRNIC_A_POLICY_UNCACHED) &&
	      !kernel_attr(SRNIC_A_POLICY_CLEAR_CM), "a rule keeps no sub-keys");

	kernel_reset();
	check(failed(srnic_policy_add(srnic, &prefix, SRNIC_RULE_REQUIRE, SRNIC_MODE_AEAD, too_long,
				      "k", 0), EINVAL, "is invalid: use 1 to 31") &&
	      failed(srnic_policy_add(srnic, &prefix, SRNIC_RULE_REQUIRE, SRNIC_MODE_AEAD, "s",
				      too_long, 0), EINVAL, "is invalid") &&
	      failed(srnic_policy_add(srnic, &prefix, SRNIC_RULE_REQUIRE, SRNIC_MODE_AEAD, "", "k",
				      0), EINVAL, "name '' is invalid") &&
	      failed(srnic_policy_add(srnic, &prefix, SRNIC_RULE_OFF, SRNIC_MODE_OFF, NULL, NULL,
				      14), EINVAL, "unknown flags: 0x8") &&
	      failed(srnic_policy_add(srnic, &prefix, 256, SRNIC_MODE_OFF, NULL, NULL, 0), EINVAL,
		     "unknown rule 256") && !kernel.requests, "what does not fit is not sent");
}

static void test_refusal(void)
{
	static const char words[] = "suite s does not offer this mode: choose aead or opaque";
	struct srnic_prefix prefix = prefix_of("default");
	struct srnic_list *list;

	kernel_reset();
	kernel.refusal = words;
	kernel.err = EOPNOTSUPP;
	check(srnic_policy_del(srnic, &prefix) == -EOPNOTSUPP &&
	      !strcmp(srnic_error(), words),
	      "the kernel's words are passed on");
	kernel.refusal = "no suite 'two\nlines'";
	check(failed(srnic_policy_del(srnic, &prefix), EINVAL, "'two?lines'"), "and stay one line");
	kernel.err = EPERM;
	check(failed(srnic_policy_del(srnic, &prefix), EPERM, "CAP_NET_ADMIN"),
	      "no permission, without words");
	kernel.err = EOPNOTSUPP;
	check(failed(srnic_policy_del(srnic, &prefix), EOPNOTSUPP, "load one of this version"),
	      "an older module does not know the request");
	kernel.err = EBUSY;
	check(failed(srnic_policy_del(srnic, &prefix), EBUSY, "Device or resource busy"),
	      "another error, without words");
	kernel.err = ENOENT;
	check(failed(srnic_policy_del(srnic, &prefix), ENOENT, "the kernel refused"),
	      "an open handle does not doubt the driver");

	kernel_reset();
	kernel.err = EPERM;
	check(failed(srnic_key_list(srnic, &list), EPERM, "not permitted") && !list,
	      "a list is refused at its beginning");
	kernel.refusal = "half way";
	kernel.err = EIO;
	kernel.at_end = true;
	check(failed(srnic_key_list(srnic, &list), EIO, "half way") && !list,
	      "a list is refused at its end");

	kernel_reset();
	kernel.deaf = true;
	check(failed(srnic_key_list(srnic, &list), ENOBUFS, "cannot ask the kernel") && !list,
	      "a request that cannot be sent");
	kernel_reset();
	kernel.mute = true;
	check(failed(srnic_key_list(srnic, &list), EAGAIN, "no answer") && !list,
	      "an answer that does not come");
}

static void test_keys(void)
{
	static const uint8_t secret[32] = "32 bytes that nobody should know";
	struct srnic_list *list;
	const struct srnic_key *key;
	struct nlmsghdr *nlh;

	kernel_reset();
	check(!srnic_key_add(srnic, "lab", secret, sizeof(secret), 0) &&
	      kernel_cmd() == SRNIC_CMD_KEY_ADD &&
	      attr_is_text(kernel_attr(SRNIC_A_KEY_NAME), "lab") &&
	      attr_is_bytes(kernel_attr(SRNIC_A_KEY_SECRET), secret, sizeof(secret)) &&
	      !kernel_attr(SRNIC_A_KEY_REPLACE), "a key");
	check(!srnic_key_add(srnic, "lab", secret, 16, SRNIC_REPLACE) &&
	      attr_is_bytes(kernel_attr(SRNIC_A_KEY_SECRET), secret, 16) &&
	      kernel_attr(SRNIC_A_KEY_REPLACE), "a key is replaced");
	kernel.refusal = "there is a key of this name";
	kernel.err = EEXIST;
	check(failed(srnic_key_add(srnic, "lab", secret, 16, 0), EEXIST, "there is a key"),
	      "a key is refused");
	check(!srnic_key_del(srnic, "lab") && kernel_cmd() == SRNIC_CMD_KEY_DEL &&
	      attr_is_text(kernel_attr(SRNIC_A_KEY_NAME), "lab"), "a key is deleted");

	kernel_reset();
	check(failed(srnic_key_add(srnic, "lab", secret, 15, 0), EINVAL, "key has 15 bytes") &&
	      failed(srnic_key_add(srnic, "lab", secret, 33, 0), EINVAL, "key has 33 bytes") &&
	      failed(srnic_key_add(srnic, NULL, secret, 16, 0), EINVAL, "is invalid") &&
	      failed(srnic_key_add(srnic, "lab", secret, 16, 8), EINVAL, "unknown flags") &&
	      failed(srnic_key_del(srnic, ""), EINVAL, "is invalid") && !kernel.requests,
	      "keys that do not fit are not sent");

	nlh = kernel_answer(SRNIC_CMD_KEY_GET);
	mnl_attr_put_strz(nlh, SRNIC_A_KEY_NAME, "lab");
	mnl_attr_put_u32(nlh, SRNIC_A_KEY_LEN, 32);
	kernel_commit(nlh);
	nlh = kernel_answer(SRNIC_CMD_KEY_GET);
	mnl_attr_put_strz(nlh, SRNIC_A_KEY_NAME, "other");
	mnl_attr_put_u32(nlh, SRNIC_A_KEY_LEN, 16);
	kernel_commit(nlh);
	must_work(srnic_key_list(srnic, &list));
	key = srnic_key_next(list, NULL);
	check(key && !strcmp(srnic_key_name(key), "lab") && srnic_key_len(key) == 32 &&
	      (key = srnic_key_next(list, key)) && !strcmp(srnic_key_name(key), "other") &&
	      srnic_key_len(key) == 16 && !srnic_key_next(list, key), "a list of keys");
	check(!srnic_policy_next(list, NULL) && !srnic_dev_next(list, NULL) &&
	      !srnic_qp_next(list, NULL) && !srnic_suite_next(list, NULL),
	      "which holds nothing else");
	srnic_list_free(list);
}

static void test_generations(void)
{
	static const uint8_t secret[32] = "32 bytes that nobody should know";
	const struct srnic_key *key;
	struct srnic_list *list;
	struct nlmsghdr *nlh;

	kernel_reset();
	check(!srnic_key_stage(srnic, "lab", secret, 24) && kernel_cmd() == SRNIC_CMD_KEY_STAGE &&
	      attr_is_text(kernel_attr(SRNIC_A_KEY_NAME), "lab") &&
	      attr_is_bytes(kernel_attr(SRNIC_A_KEY_SECRET), secret, 24), "a key's next secret");
	check(!srnic_key_promote(srnic, "lab") && kernel_cmd() == SRNIC_CMD_KEY_PROMOTE &&
	      attr_is_text(kernel_attr(SRNIC_A_KEY_NAME), "lab"), "a secret is promoted");
	check(!srnic_key_retire(srnic, "lab") && kernel_cmd() == SRNIC_CMD_KEY_RETIRE &&
	      attr_is_text(kernel_attr(SRNIC_A_KEY_NAME), "lab"), "a secret is retired");
	kernel_reset();
	check(failed(srnic_key_stage(srnic, "lab", secret, 33), EINVAL, "key has 33 bytes") &&
	      failed(srnic_key_promote(srnic, ""), EINVAL, "is invalid") &&
	      failed(srnic_key_retire(srnic, NULL), EINVAL, "is invalid") && !kernel.requests,
	      "secrets and names that do not fit are not sent");

	nlh = kernel_answer(SRNIC_CMD_KEY_GET);
	mnl_attr_put_strz(nlh, SRNIC_A_KEY_NAME, "lab");
	mnl_attr_put_u32(nlh, SRNIC_A_KEY_LEN, 32);
	mnl_attr_put_u32(nlh, SRNIC_A_KEY_GENERATION, 3);
	mnl_attr_put_u64(nlh, SRNIC_A_KEY_SEALED, 1ULL << 40);
	mnl_attr_put_u8(nlh, SRNIC_A_KEY_OTHER, SRNIC_KEY_SECRET_NEXT);
	mnl_attr_put_u32(nlh, SRNIC_A_KEY_OTHER_LEN, 16);
	kernel_commit(nlh);
	nlh = kernel_answer(SRNIC_CMD_KEY_GET);
	mnl_attr_put_u8(nlh, SRNIC_A_KEY_OTHER, SRNIC_KEY_SECRET_FORMER);
	mnl_attr_put_u32(nlh, SRNIC_A_KEY_OTHER_LEN, 16);
	kernel_commit(nlh);
	kernel_commit(kernel_answer(SRNIC_CMD_KEY_GET));
	must_work(srnic_key_list(srnic, &list));
	key = srnic_key_next(list, NULL);
	check(key && srnic_key_generation(key) == 3 && srnic_key_other_len(key) == 16 &&
	      srnic_key_is_staged(key) && srnic_key_sealed(key) == 1ULL << 40,
	      "a key with its next secret");
	key = srnic_key_next(list, key);
	check(key && srnic_key_other_len(key) == 16 && !srnic_key_is_staged(key),
	      "a key with its former secret");
	key = srnic_key_next(list, key);
	check(key && !srnic_key_other_len(key) && !srnic_key_is_staged(key),
	      "a key with one secret");
	srnic_list_free(list);
}

struct addition {
	uint8_t secret[SRNIC_SECRET_MAX];
	int err;
};

static void *add_key(void *arg)
{
	struct addition *addition = arg;

	addition->err = srnic_key_add(srnic, "lab", addition->secret, sizeof(addition->secret), 0);
	return NULL;
}

/* Test whether memory that may be freed or uninitialized contains these bytes */
static bool memory_holds(const void *where, size_t len, const void *bytes, size_t count)
{
	int fd = open("/proc/self/mem", O_RDONLY);
	char *copy = malloc(len);
	bool found;

	if (fd < 0 || !copy || pread(fd, copy, len, (uintptr_t)where) != (ssize_t)len)
		abort();
	found = memmem(copy, len, bytes, count);
	free(copy);
	close(fd);
	return found;
}

/* Use a thread whose stack can be searched afterwards */
static void test_key_wiped(void)
{
	size_t size = 256 * 1024;
	void *stack = aligned_alloc(4096, size);
	struct addition addition;
	pthread_attr_t attr;
	pthread_t thread;
	unsigned int i;

	for (i = 0; i < sizeof(addition.secret); i++)
		addition.secret[i] = 37 * i + 11;
	kernel_reset();
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stack, size);
	must_work(pthread_create(&thread, &attr, add_key, &addition));
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	check(!addition.err && kernel.requests == 1 &&
	      !memory_holds(stack, size, addition.secret, sizeof(addition.secret)),
	      "no copy of a key stays on the stack");
	free(stack);
}

static void answer_rule(const char *text, uint8_t rule, const char *key)
{
	struct nlmsghdr *nlh = kernel_answer(SRNIC_CMD_POLICY_GET);
	struct srnic_prefix prefix = prefix_of(text);

	mnl_attr_put(nlh, SRNIC_A_POLICY_PREFIX, sizeof(prefix.addr), prefix.addr);
	mnl_attr_put_u8(nlh, SRNIC_A_POLICY_PREFIX_LEN, prefix.len);
	mnl_attr_put_u8(nlh, SRNIC_A_POLICY_RULE, rule);
	if (key) {
		mnl_attr_put_u8(nlh, SRNIC_A_POLICY_MODE, SRNIC_MODE_AEAD);
		mnl_attr_put_strz(nlh, SRNIC_A_POLICY_SUITE, "aes-gcm-128");
		mnl_attr_put_strz(nlh, SRNIC_A_POLICY_KEY, key);
		mnl_attr_put(nlh, SRNIC_A_POLICY_CLEAR_CM, 0, NULL);
		mnl_attr_put(nlh, SRNIC_A_POLICY_UNCACHED, 0, NULL);
	}
	kernel_commit(nlh);
}

static void test_policy_list(void)
{
	const struct srnic_policy *policy;
	struct srnic_prefix prefix;
	struct srnic_list *list;
	char text[SRNIC_TEXT_MAX];

	kernel_reset();
	check(!srnic_policy_list(srnic, &list) && !srnic_policy_next(list, NULL), "an empty list");
	srnic_list_free(list);

	answer_rule("10.77.0.0/24", SRNIC_RULE_REQUIRE, "lab");
	answer_rule("default", SRNIC_RULE_OFF, NULL);
	must_work(srnic_policy_list(srnic, &list));
	policy = srnic_policy_next(list, NULL);
	check(policy && kernel_cmd() == SRNIC_CMD_POLICY_GET &&
	      srnic_policy_rule(policy) == SRNIC_RULE_REQUIRE &&
	      srnic_policy_mode(policy) == SRNIC_MODE_AEAD &&
	      !strcmp(srnic_policy_suite(policy), "aes-gcm-128") &&
	      !strcmp(srnic_policy_key(policy), "lab") && srnic_policy_clear_cm(policy) &&
	      srnic_policy_uncached(policy),
	      "a rule that seals");
	prefix = srnic_policy_prefix(policy);
	check(!strcmp(srnic_prefix_text(&prefix, text), "10.77.0.0/24"), "its prefix");
	policy = srnic_policy_next(list, policy);
	check(policy && srnic_policy_rule(policy) == SRNIC_RULE_OFF &&
	      srnic_policy_mode(policy) == SRNIC_MODE_OFF && !*srnic_policy_suite(policy) &&
	      !*srnic_policy_key(policy) && !srnic_policy_clear_cm(policy) &&
	      !srnic_policy_uncached(policy) &&
	      !srnic_policy_next(list, policy),
	      "a rule that does not");
	srnic_list_free(list);

	kernel_reset();
	answer_rule("10.77.0.0/24", SRNIC_RULE_REQUIRE, "lab");
	answer_rule("fd77::/64", SRNIC_RULE_OFF, NULL);
	prefix = prefix_of("fd77::/64");
	check(!srnic_policy_flush(srnic) && kernel.requests == 3 &&
	      kernel_cmd() == SRNIC_CMD_POLICY_DEL &&
	      attr_is_bytes(kernel_attr(SRNIC_A_POLICY_PREFIX), prefix.addr, 16), "flush");
}

/* Let one deletion fail */
static void refuse_deletion(int err)
{
	kernel_reset();
	answer_rule("10.77.0.0/24", SRNIC_RULE_OFF, NULL);
	answer_rule("10.78.0.0/24", SRNIC_RULE_OFF, NULL);
	kernel.err = err;
	kernel.refuse_cmd = SRNIC_CMD_POLICY_DEL;
}

static void test_flush_refused(void)
{
	refuse_deletion(ENOENT);
	check(!srnic_policy_flush(srnic) && kernel.requests == 3, "flush beside another");
	refuse_deletion(EPERM);
	check(failed(srnic_policy_flush(srnic), EPERM, "not permitted") && kernel.requests == 2,
	      "flush is refused");
}

static void test_suites(void)
{
	const struct srnic_suite *suite;
	struct srnic_list *list;
	struct nlmsghdr *nlh;

	kernel_reset();
	nlh = kernel_answer(SRNIC_CMD_SUITE_GET);
	mnl_attr_put_strz(nlh, SRNIC_A_SUITE_NAME, "aes-cmac-128");
	mnl_attr_put_u32(nlh, SRNIC_A_SUITE_MODES, 1 << SRNIC_MODE_HEADER | 1 << SRNIC_MODE_PACKET);
	mnl_attr_put_u32(nlh, SRNIC_A_SUITE_STH_LEN, 20);
	mnl_attr_put_u32(nlh, SRNIC_A_SUITE_TAG_LEN, 16);
	mnl_attr_put(nlh, SRNIC_A_SUITE_AVAILABLE, 0, NULL);
	kernel_commit(nlh);
	nlh = kernel_answer(SRNIC_CMD_SUITE_GET);
	mnl_attr_put_strz(nlh, SRNIC_A_SUITE_NAME, "rot13");
	kernel_commit(nlh);
	must_work(srnic_suite_list(srnic, &list));
	suite = srnic_suite_next(list, NULL);
	check(suite && !strcmp(srnic_suite_name(suite), "aes-cmac-128") &&
	      !srnic_suite_has_mode(suite, SRNIC_MODE_OFF) &&
	      srnic_suite_has_mode(suite, SRNIC_MODE_HEADER) &&
	      srnic_suite_has_mode(suite, SRNIC_MODE_PACKET) &&
	      !srnic_suite_has_mode(suite, SRNIC_MODE_AEAD) &&
	      !srnic_suite_has_mode(suite, 32 + SRNIC_MODE_PACKET) &&
	      srnic_suite_sth_len(suite) == 20 && srnic_suite_tag_len(suite) == 16 &&
	      srnic_suite_available(suite), "a suite");
	suite = srnic_suite_next(list, suite);
	check(suite && !srnic_suite_available(suite) && !srnic_suite_next(list, suite),
	      "a suite that the kernel lacks");
	srnic_list_free(list);
}

static void answer_dev(uint32_t index, const char *name)
{
	static const char *const quotas[] = { "pd", "qp" };
	struct nlmsghdr *nlh = kernel_answer(SRNIC_CMD_DEV_GET);
	struct nlattr *nest;
	unsigned int i;

	mnl_attr_put_u32(nlh, SRNIC_A_DEV_INDEX, index);
	mnl_attr_put_strz(nlh, SRNIC_A_DEV_NAME, name);
	mnl_attr_put_u32(nlh, SRNIC_A_DEV_IFINDEX, 3);
	mnl_attr_put_u32(nlh, SRNIC_A_DEV_MTU, 4352);
	for (i = 0; i < NUM(quotas); i++) {
		nest = mnl_attr_nest_start(nlh, SRNIC_A_DEV_QUOTA);
		mnl_attr_put_strz(nlh, SRNIC_A_QUOTA_NAME, quotas[i]);
		mnl_attr_put_u32(nlh, SRNIC_A_QUOTA_USED, i);
		mnl_attr_put_u32(nlh, SRNIC_A_QUOTA_LIMIT, 1000 + i);
		mnl_attr_put_u32(nlh, SRNIC_A_QUOTA_RESERVE, 100 + i);
		mnl_attr_nest_end(nlh, nest);
	}
	nest = mnl_attr_nest_start(nlh, SRNIC_A_DEV_LIMIT);
	mnl_attr_put_strz(nlh, SRNIC_A_LIMIT_NAME, "idle");
	mnl_attr_put_u32(nlh, SRNIC_A_LIMIT_VALUE, 60);
	mnl_attr_put_u32(nlh, SRNIC_A_LIMIT_HIGHEST, 100);
	mnl_attr_nest_end(nlh, nest);
	mnl_attr_put_u16(nlh, SRNIC_A_DEV_PKEY, 0xffff);
	mnl_attr_put_u16(nlh, SRNIC_A_DEV_PKEY, 0x8001);
	if (index == 9) {
		mnl_attr_put_u32(nlh, SRNIC_A_DEV_IB_MTU, 2048);
		kernel_put_node(nlh, 1, 0, false);
		kernel_put_node(nlh, 2, 5, true);
	}
	kernel_commit(nlh);
}

static const struct nlattr *node_attr(uint16_t type)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, kernel_attr(SRNIC_A_DEV_NODE))
		if (mnl_attr_get_type(attr) == type)
			return attr;
	return NULL;
}

static void test_nodes(void)
{
	static const uint8_t gid[16] = { 0xfe, 0x80, [15] = 2 };
	const struct srnic_node *node;
	const struct srnic_dev *dev;
	struct srnic_list *list;

	kernel_reset();
	answer_dev(7, "srnic0");
	answer_dev(9, "srnic1");
	must_work(srnic_dev_list(srnic, &list));
	check(!srnic_node_next(srnic_dev_find(list, "srnic0"), NULL), "a device without nodes");
	dev = srnic_dev_find(list, "srnic1");
	node = srnic_node_next(dev, NULL);
	check(node && srnic_node_role(node) == SRNIC_ROLE_MANAGER && !srnic_node_lid(node) &&
	      !srnic_node_port(node) && !srnic_node_is_up(node), "a manager");
	node = srnic_node_next(dev, node);
	check(node && srnic_node_role(node) == SRNIC_ROLE_MEMBER && srnic_node_lid(node) == 12 &&
	      srnic_node_port(node) == 5 && srnic_node_is_up(node) &&
	      !memcmp(srnic_node_gid(node), gid, sizeof(gid)) && !srnic_node_next(dev, node),
	      "a member");
	srnic_list_free(list);
	check(!srnic_node_add(srnic, 9, SRNIC_ROLE_MEMBER, gid) &&
	      kernel_cmd() == SRNIC_CMD_NODE_ADD &&
	      attr_is_u32(kernel_attr(SRNIC_A_DEV_INDEX), 9) &&
	      mnl_attr_get_u8(node_attr(SRNIC_A_NODE_ROLE)) == SRNIC_ROLE_MEMBER &&
	      !memcmp(mnl_attr_get_payload(node_attr(SRNIC_A_NODE_GID)), gid, 16), "a node added");
	check(!srnic_node_del(srnic, 9, SRNIC_ROLE_MANAGER, NULL) &&
	      kernel_cmd() == SRNIC_CMD_NODE_DEL && !node_attr(SRNIC_A_NODE_GID),
	      "this node removed");
}

static void test_devs(void)
{
	const struct srnic_limit *limit;
	const struct srnic_quota *quota;
	const struct srnic_pkey *pkey;
	const struct srnic_dev *dev;
	struct srnic_list *list;

	kernel_reset();
	answer_dev(7, "srnic0");
	answer_dev(9, "srnic1");
	must_work(srnic_dev_list(srnic, &list));
	dev = srnic_dev_find(list, "srnic1");
	check(dev && !strcmp(srnic_dev_name(dev), "srnic1") && srnic_dev_index(dev) == 9 &&
	      srnic_dev_ifindex(dev) == 3 && srnic_dev_mtu(dev) == 4352 &&
	      !srnic_dev_find(list, "srnic2") && !srnic_dev_next(list, dev), "a device");
	quota = srnic_quota_next(dev, NULL);
	check(quota && !strcmp(srnic_quota_name(quota), "pd") &&
	      srnic_quota_used(quota) == 0 && srnic_quota_limit(quota) == 1000 &&
	      (quota = srnic_quota_next(dev, quota)) && !strcmp(srnic_quota_name(quota), "qp") &&
	      srnic_quota_used(quota) == 1 && srnic_quota_limit(quota) == 1001 &&
	      srnic_quota_reserve(quota) == 101 &&
	      !srnic_quota_next(dev, quota), "its quotas");
	limit = srnic_limit_next(dev, NULL);
	check(limit && !strcmp(srnic_limit_name(limit), "idle") &&
	      srnic_limit_value(limit) == 60 && srnic_limit_highest(limit) == 100 &&
	      !srnic_limit_next(dev, limit), "its limits");
	pkey = srnic_pkey_next(dev, NULL);
	check(pkey && srnic_pkey_value(pkey) == 0xffff && (pkey = srnic_pkey_next(dev, pkey)) &&
	      srnic_pkey_value(pkey) == 0x8001 && !srnic_pkey_next(dev, pkey), "its P_Keys");
	check(srnic_dev_ib_mtu(dev) == 2048 && !srnic_dev_ib_mtu(srnic_dev_find(list, "srnic0")),
	      "the MTU of a port");
	srnic_list_free(list);
	check(!srnic_pkey_add(srnic, 9, 0x8002) && kernel_cmd() == SRNIC_CMD_PKEY_ADD &&
	      attr_is_u32(kernel_attr(SRNIC_A_DEV_INDEX), 9) &&
	      mnl_attr_get_u16(kernel_attr(SRNIC_A_DEV_PKEY)) == 0x8002, "P_Key added");
	check(!srnic_pkey_del(srnic, 9, 0x0002) && kernel_cmd() == SRNIC_CMD_PKEY_DEL &&
	      mnl_attr_get_u16(kernel_attr(SRNIC_A_DEV_PKEY)) == 2, "P_Key removed");
	check(!srnic_dev_set_ib_mtu(srnic, 9, 4096) && kernel_cmd() == SRNIC_CMD_MTU_SET &&
	      attr_is_u32(kernel_attr(SRNIC_A_DEV_INDEX), 9) &&
	      attr_is_u32(kernel_attr(SRNIC_A_DEV_IB_MTU), 4096), "MTU set");
	check(!srnic_limit_set(srnic, 9, "idle", 5) && kernel_cmd() == SRNIC_CMD_LIMIT_SET &&
	      attr_is_u32(kernel_attr(SRNIC_A_DEV_INDEX), 9) &&
	      attr_is_text(kernel_nested(SRNIC_A_DEV_LIMIT, SRNIC_A_LIMIT_NAME), "idle") &&
	      attr_is_u32(kernel_nested(SRNIC_A_DEV_LIMIT, SRNIC_A_LIMIT_VALUE), 5), "limit set");

	check(!srnic_quota_set(srnic, 9, "qp", 5) && kernel_cmd() == SRNIC_CMD_QUOTA_SET &&
	      attr_is_u32(kernel_attr(SRNIC_A_DEV_INDEX), 9) &&
	      attr_is_text(kernel_nested(SRNIC_A_DEV_QUOTA, SRNIC_A_QUOTA_NAME), "qp") &&
	      attr_is_u32(kernel_nested(SRNIC_A_DEV_QUOTA, SRNIC_A_QUOTA_LIMIT), 5) &&
	      !kernel_nested(SRNIC_A_DEV_QUOTA, SRNIC_A_QUOTA_RESERVE), "quota set");
	check(!srnic_quota_set_reserve(srnic, 9, "qp", 5, 0) &&
	      attr_is_u32(kernel_nested(SRNIC_A_DEV_QUOTA, SRNIC_A_QUOTA_LIMIT), 5) &&
	      attr_is_u32(kernel_nested(SRNIC_A_DEV_QUOTA, SRNIC_A_QUOTA_RESERVE), 0),
	      "quota set without a reserve");
	check(failed(srnic_quota_set(srnic, 9, "", 5), EINVAL, "is invalid"),
	      "quota without a name");
}

static void test_users(void)
{
	struct nlmsghdr *nlh;
	const struct srnic_quota *quota;
	const struct srnic_user *user;
	struct srnic_list *list;
	struct nlattr *nest;

	kernel_reset();
	nlh = kernel_answer(SRNIC_CMD_USER_GET);
	mnl_attr_put_u32(nlh, SRNIC_A_USER_DEV_INDEX, 7);
	mnl_attr_put_strz(nlh, SRNIC_A_USER_DEV_NAME, "srnic0");
	mnl_attr_put_u32(nlh, SRNIC_A_USER_UID, 1000);
	nest = mnl_attr_nest_start(nlh, SRNIC_A_USER_QUOTA);
	mnl_attr_put_strz(nlh, SRNIC_A_QUOTA_NAME, "qp");
	mnl_attr_put_u32(nlh, SRNIC_A_QUOTA_USED, 3);
	mnl_attr_nest_end(nlh, nest);
	kernel_commit(nlh);
	must_work(srnic_user_list(srnic, 7, &list));
	check(kernel_cmd() == SRNIC_CMD_USER_GET &&
	      attr_is_u32(kernel_attr(SRNIC_A_USER_DEV_INDEX), 7), "users of a device");
	user = srnic_user_next(list, NULL);
	check(user && srnic_user_dev_index(user) == 7 &&
	      !strcmp(srnic_user_dev_name(user), "srnic0") && srnic_user_uid(user) == 1000 &&
	      !srnic_user_next(list, user), "a user");
	quota = srnic_user_quota_next(user, NULL);
	check(quota && !strcmp(srnic_quota_name(quota), "qp") && srnic_quota_used(quota) == 3 &&
	      !srnic_user_quota_next(user, quota), "what is his");
	srnic_list_free(list);
}

/* Prepare two peers: one cut off for a limited time, one without limit */
static void answer_peers(void)
{
	struct srnic_prefix peer = prefix_of("10.77.0.9");
	struct nlmsghdr *nlh = kernel_answer(SRNIC_CMD_PEER_GET);
	struct nlattr *nest;

	mnl_attr_put_u32(nlh, SRNIC_A_PEER_DEV_INDEX, 7);
	mnl_attr_put_strz(nlh, SRNIC_A_PEER_DEV_NAME, "srnic0");
	mnl_attr_put(nlh, SRNIC_A_PEER_ADDRESS, sizeof(peer.addr), peer.addr);
	nest = mnl_attr_nest_start(nlh, SRNIC_A_PEER_FAULT);
	mnl_attr_put_strz(nlh, SRNIC_A_FAULT_NAME, "garbage");
	mnl_attr_put_u32(nlh, SRNIC_A_FAULT_COUNT, 5);
	mnl_attr_nest_end(nlh, nest);
	nest = mnl_attr_nest_start(nlh, SRNIC_A_PEER_FAULT);
	mnl_attr_put_strz(nlh, SRNIC_A_FAULT_NAME, "seal");
	mnl_attr_put_u64(nlh, SRNIC_A_FAULT_COUNT, 1ull << 40);
	mnl_attr_nest_end(nlh, nest);
	mnl_attr_put_u32(nlh, SRNIC_A_PEER_SILENT, 1500);
	mnl_attr_put_u32(nlh, SRNIC_A_PEER_DROPPED, 12);
	mnl_attr_put(nlh, SRNIC_A_PEER_CUT_OFF, 0, NULL);
	mnl_attr_put_u32(nlh, SRNIC_A_PEER_SECONDS, 30);
	kernel_commit(nlh);

	nlh = kernel_answer(SRNIC_CMD_PEER_GET);
	mnl_attr_put_u32(nlh, SRNIC_A_PEER_DEV_INDEX, 9);
	kernel_commit(nlh);
}

static void test_peers(void)
{
	const struct srnic_fault *fault;
	const struct srnic_peer *peer;
	struct srnic_list *list;
	char text[SRNIC_TEXT_MAX];

	kernel_reset();
	answer_peers();
	must_work(srnic_peer_list(srnic, SRNIC_DEV_ALL, &list));
	check(!kernel_attr(SRNIC_A_PEER_DEV_INDEX), "peers of all devices");
	peer = srnic_peer_next(list, NULL);
	check(peer && srnic_peer_dev_index(peer) == 7 &&
	      !strcmp(srnic_peer_dev_name(peer), "srnic0") && srnic_peer_address(peer) &&
	      !strcmp(srnic_addr_text(srnic_peer_address(peer), text), "10.77.0.9") &&
	      srnic_peer_silent(peer) == 1500 && srnic_peer_dropped(peer) == 12 &&
	      srnic_peer_is_cut_off(peer) && srnic_peer_is_timed(peer) &&
	      srnic_peer_seconds(peer) == 30, "a peer that is cut off");
	fault = srnic_fault_next(peer, NULL);
	check(fault && !strcmp(srnic_fault_name(fault), "garbage") &&
	      srnic_fault_count(fault) == 5 && (fault = srnic_fault_next(peer, fault)) &&
	      !strcmp(srnic_fault_name(fault), "seal") &&
	      srnic_fault_count(fault) == 1ull << 40 && !srnic_fault_next(peer, fault),
	      "what it did");
	peer = srnic_peer_next(list, peer);
	check(peer && srnic_peer_dev_index(peer) == 9 && !srnic_peer_address(peer) &&
	      !srnic_peer_is_cut_off(peer) && !srnic_peer_is_timed(peer) &&
	      !srnic_fault_next(peer, NULL) && !srnic_peer_next(list, peer),
	      "one of which little is told");
	srnic_list_free(list);
	check(!srnic_peer_list(srnic, 7, &list) &&
	      attr_is_u32(kernel_attr(SRNIC_A_PEER_DEV_INDEX), 7), "peers of one device");
	srnic_list_free(list);
}

static void test_peer_cut(void)
{
	struct srnic_prefix peer = prefix_of("fd77::9");

	kernel_reset();
	check(!srnic_peer_cut(srnic, 7, peer.addr, 60) && kernel_cmd() == SRNIC_CMD_PEER_CUT &&
	      attr_is_u32(kernel_attr(SRNIC_A_PEER_DEV_INDEX), 7) &&
	      attr_is_bytes(kernel_attr(SRNIC_A_PEER_ADDRESS), peer.addr, 16) &&
	      attr_is_u32(kernel_attr(SRNIC_A_PEER_SECONDS), 60), "a peer is cut off");
	check(!srnic_peer_allow(srnic, 7, peer.addr) && kernel_cmd() == SRNIC_CMD_PEER_ALLOW &&
	      attr_is_u32(kernel_attr(SRNIC_A_PEER_DEV_INDEX), 7) &&
	      attr_is_bytes(kernel_attr(SRNIC_A_PEER_ADDRESS), peer.addr, 16) &&
	      !kernel_attr(SRNIC_A_PEER_SECONDS), "and taken again");
	kernel.err = ENOENT;
	kernel.refusal = "this peer is not cut off: see 'srnic peer'";
	check(failed(srnic_peer_allow(srnic, 7, peer.addr), ENOENT, "is not cut off"),
	      "but not if it was");
}

static void answer_qps(void)
{
	struct nlmsghdr *nlh = kernel_answer(SRNIC_CMD_QP_GET);
	struct srnic_prefix peer = prefix_of("10.77.0.2");

	mnl_attr_put_u32(nlh, SRNIC_A_QP_QPN, 1);
	mnl_attr_put_u8(nlh, SRNIC_A_QP_TYPE, SRNIC_QP_TYPE_GSI);
	mnl_attr_put_u8(nlh, SRNIC_A_QP_STATE, SRNIC_QP_STATE_RTS);
	mnl_attr_put_u8(nlh, SRNIC_A_QP_MODE, SRNIC_MODE_OFF);
	kernel_commit(nlh);

	nlh = kernel_answer(SRNIC_CMD_QP_GET);
	mnl_attr_put_u32(nlh, SRNIC_A_QP_DEV_INDEX, 7);
	mnl_attr_put_strz(nlh, SRNIC_A_QP_DEV_NAME, "srnic0");
	mnl_attr_put_u32(nlh, SRNIC_A_QP_QPN, 17);
	mnl_attr_put_u8(nlh, SRNIC_A_QP_TYPE, SRNIC_QP_TYPE_RC);
	mnl_attr_put_u8(nlh, SRNIC_A_QP_STATE, SRNIC_QP_STATE_SQD);
	mnl_attr_put_u8(nlh, SRNIC_A_QP_MODE, SRNIC_MODE_AEAD);
	mnl_attr_put_strz(nlh, SRNIC_A_QP_SUITE, "aes-gcm-128");
	mnl_attr_put_strz(nlh, SRNIC_A_QP_DRIVER, "gcm-aesni");
	mnl_attr_put(nlh, SRNIC_A_QP_UNCACHED, 0, NULL);
	kernel_put_flow(nlh, SRNIC_FLOW_SIDE_OURS, 256, 10, 10 + (1ull << 40));
	kernel_put_flow(nlh, SRNIC_FLOW_SIDE_THEIRS, 256, 20, 20 + (1ull << 40));
	mnl_attr_put(nlh, SRNIC_A_QP_PEER, sizeof(peer.addr), peer.addr);
	mnl_attr_put_u32(nlh, SRNIC_A_QP_PEER_QPN, 18);
	kernel_commit(nlh);
}

/* Fill in a log entry of a packet that could be parsed or not */
static void fill_entry(struct nlmsghdr *nlh, uint32_t serial, bool legible)
{
	struct srnic_prefix peer = prefix_of("10.77.0.2");

	mnl_attr_put_u32(nlh, SRNIC_A_LOG_DEV_INDEX, 7);
	mnl_attr_put_strz(nlh, SRNIC_A_LOG_DEV_NAME, "srnic0");
	mnl_attr_put_u32(nlh, SRNIC_A_LOG_SERIAL, serial);
	mnl_attr_put_u64(nlh, SRNIC_A_LOG_TIME, 1ull << 60);
	mnl_attr_put_u32(nlh, SRNIC_A_LOG_COUNT, 5);
	mnl_attr_put_strz(nlh, SRNIC_A_LOG_REASON, "stag_bounds");
	mnl_attr_put(nlh, SRNIC_A_LOG_PEER, sizeof(peer.addr), peer.addr);
	if (!legible)
		return;
	mnl_attr_put_u32(nlh, SRNIC_A_LOG_QPN, 17);
	mnl_attr_put_u32(nlh, SRNIC_A_LOG_PSN, 0xffffff);
	mnl_attr_put_u8(nlh, SRNIC_A_LOG_OPCODE, 0x0a);
}

static bool is_entry(const struct srnic_log_entry *entry, uint32_t serial, bool legible)
{
	char text[SRNIC_TEXT_MAX];

	if (!entry || srnic_log_serial(entry) != serial || srnic_log_dev_index(entry) != 7 ||
	    strcmp(srnic_log_dev_name(entry), "srnic0") || srnic_log_time(entry) != 1ull << 60 ||
	    srnic_log_count(entry) != 5 || strcmp(srnic_log_reason(entry), "stag_bounds") ||
	    !srnic_log_peer(entry) ||
	    strcmp(srnic_addr_text(srnic_log_peer(entry), text), "10.77.0.2") ||
	    srnic_log_legible(entry) != legible)
		return false;
	return !legible || (srnic_log_qp_num(entry) == 17 && srnic_log_psn(entry) == 0xffffff &&
			    srnic_log_opcode(entry) == 0x0a);
}

static void test_log(void)
{
	const struct srnic_log_entry *entry;
	struct srnic_list *list;
	struct nlmsghdr *nlh;

	kernel_reset();
	for (uint32_t serial = 0; serial < 2; serial++) {
		nlh = kernel_answer(SRNIC_CMD_LOG_GET);
		fill_entry(nlh, serial, !serial);
		kernel_commit(nlh);
	}
	must_work(srnic_log_list(srnic, SRNIC_DEV_ALL, &list));
	check(!kernel_attr(SRNIC_A_LOG_DEV_INDEX), "the log of all devices");
	entry = srnic_log_next(list, NULL);
	check(is_entry(entry, 0, true), "an entry of a packet that could be read");
	entry = srnic_log_next(list, entry);
	check(is_entry(entry, 1, false) && !srnic_log_next(list, entry),
	      "and of one that could not");
	srnic_list_free(list);
	check(!srnic_log_list(srnic, 7, &list) &&
	      attr_is_u32(kernel_attr(SRNIC_A_LOG_DEV_INDEX), 7), "the log of one device");
	srnic_list_free(list);
}

static void tell_entry(uint32_t serial)
{
	struct nlmsghdr *nlh = kernel_answer(SRNIC_CMD_LOG_NTF);

	fill_entry(nlh, serial, true);
	kernel_tell(nlh);
}

static void test_follow(void)
{
	const struct srnic_log_entry *entry;
	struct srnic *other;
	struct srnic_list *list;

	kernel_reset();
	must_work(srnic_open(&other, SRNIC_NETNS_OWN));
	must_work(srnic_log_follow(other, 0, &list));
	check(kernel.group == KERNEL_EVENTS && !srnic_log_next(list, NULL),
	      "nothing is refused: an empty list when the time is up");
	srnic_list_free(list);
	tell_entry(3);
	tell_entry(4);
	must_work(srnic_log_follow(other, -1, &list));
	entry = srnic_log_next(list, NULL);
	check(is_entry(entry, 3, true) && is_entry(srnic_log_next(list, entry), 4, true),
	      "what is refused is told");
	srnic_list_free(list);
	tell_entry(5);
	must_work(srnic_suite_list(other, &list));
	check(!srnic_log_next(list, NULL), "an answer has no events in it");
	srnic_list_free(list);
	srnic_close(other);

	kernel_reset();
	kernel.closed = true;
	must_work(srnic_open(&other, SRNIC_NETNS_OWN));
	check(failed(srnic_log_follow(other, 0, &list), EPERM, "needs CAP_NET_ADMIN"),
	      "who may not listen");
	srnic_close(other);

	kernel_reset();
	kernel.groupless = true;
	must_work(srnic_open(&other, SRNIC_NETNS_OWN));
	check(failed(srnic_log_follow(other, 0, &list), EOPNOTSUPP, "keeps no log"),
	      "a driver without a log");
	srnic_close(other);
}

static void tell_wanted(const char *name, const uint8_t *peer)
{
	struct nlmsghdr *nlh = kernel_answer(SRNIC_CMD_KEY_WANTED);

	mnl_attr_put_strz(nlh, SRNIC_A_KEY_NAME, name);
	if (peer)
		mnl_attr_put(nlh, SRNIC_A_KEY_PEER, 16, peer);
	kernel_tell(nlh);
}

static void test_wanted(void)
{
	static const uint8_t peer[16] = { 0x20, 0x01, [15] = 7 };
	const struct srnic_wanted *wanted;
	struct srnic *other;
	struct srnic_list *list;

	kernel_reset();
	must_work(srnic_open(&other, SRNIC_NETNS_OWN));
	must_work(srnic_wanted_follow(other, 0, &list));
	check(kernel.group == KERNEL_KEYS && !srnic_wanted_next(list, NULL),
	      "no key is wanted: an empty list when the time is up");
	srnic_list_free(list);
	check(srnic_fd(other) >= 0, "a descriptor to wait on");
	tell_wanted("lab", peer);
	tell_wanted("site", NULL);
	must_work(srnic_wanted_follow(other, -1, &list));
	wanted = srnic_wanted_next(list, NULL);
	check(wanted && !strcmp(srnic_wanted_key(wanted), "lab") &&
	      srnic_wanted_peer(wanted) && !memcmp(srnic_wanted_peer(wanted), peer, 16),
	      "a wanted key");
	wanted = srnic_wanted_next(list, wanted);
	check(wanted && !strcmp(srnic_wanted_key(wanted), "site") &&
	      !srnic_wanted_peer(wanted) && !srnic_wanted_next(list, wanted) &&
	      !srnic_log_next(list, NULL), "another, without its peer");
	srnic_list_free(list);
	srnic_close(other);

	kernel_reset();
	kernel.groupless = true;
	must_work(srnic_open(&other, SRNIC_NETNS_OWN));
	check(failed(srnic_wanted_follow(other, 0, &list), EOPNOTSUPP, "no missing keys"),
	      "a driver that reports no keys");
	srnic_close(other);
}

static void test_qps(void)
{
	const struct srnic_flow *flow;
	const struct srnic_qp *qp;
	struct srnic_list *list;
	char text[SRNIC_TEXT_MAX];

	kernel_reset();
	answer_qps();
	must_work(srnic_qp_list(srnic, SRNIC_DEV_ALL, &list));
	qp = srnic_qp_next(list, NULL);
	check(qp && !kernel_attr(SRNIC_A_QP_DEV_INDEX) && srnic_qp_num(qp) == 1 &&
	      srnic_qp_type(qp) == SRNIC_QP_TYPE_GSI && !srnic_qp_peer(qp) &&
	      !srnic_qp_peer_num(qp) && srnic_qp_mode(qp) == SRNIC_MODE_OFF &&
	      !*srnic_qp_suite(qp) && !*srnic_qp_driver(qp) && !srnic_qp_uncached(qp) &&
	      !srnic_flow_next(qp, NULL),
	      "a queue pair in the clear");
	qp = srnic_qp_next(list, qp);
	check(qp && srnic_qp_dev_index(qp) == 7 &&
	      !strcmp(srnic_qp_dev_name(qp), "srnic0") && srnic_qp_num(qp) == 17 &&
	      srnic_qp_type(qp) == SRNIC_QP_TYPE_RC &&
	      srnic_qp_state(qp) == SRNIC_QP_STATE_SQD && srnic_qp_peer(qp) &&
	      !strcmp(srnic_addr_text(srnic_qp_peer(qp), text), "10.77.0.2") &&
	      srnic_qp_peer_num(qp) == 18 && srnic_qp_mode(qp) == SRNIC_MODE_AEAD &&
	      !strcmp(srnic_qp_suite(qp), "aes-gcm-128") &&
	      !strcmp(srnic_qp_driver(qp), "gcm-aesni") && srnic_qp_uncached(qp) &&
	      !srnic_qp_next(list, qp),
	      "a sealed queue pair");
	flow = srnic_flow_next(qp, NULL);
	check(flow && srnic_flow_side(flow) == SRNIC_FLOW_SIDE_OURS && srnic_flow_ready(flow) &&
	      srnic_flow_epoch(flow) == 256 && srnic_flow_psn64(flow) == 1ull << 32 &&
	      srnic_flow_sealed(flow) == 10 && srnic_flow_opened(flow) == 11 &&
	      srnic_flow_failed(flow) == 12 && srnic_flow_replayed(flow) == 10 + (1ull << 40),
	      "our flow");
	flow = srnic_flow_next(qp, flow);
	check(flow && srnic_flow_side(flow) == SRNIC_FLOW_SIDE_THEIRS && !srnic_flow_ready(flow) &&
	      srnic_flow_sealed(flow) == 20 && !srnic_flow_next(qp, flow), "their flow");
	srnic_list_free(list);

	check(!srnic_qp_list(srnic, 7, &list) && attr_is_u32(kernel_attr(SRNIC_A_QP_DEV_INDEX), 7),
	      "queue pairs of one device");
	srnic_list_free(list);
}

static unsigned int count_keys(const struct srnic_list *list)
{
	const struct srnic_key *key;
	unsigned int count = 0;

	srnic_for_each_key(key, list)
		count++;
	return count;
}

static void answer_keys(unsigned int count)
{
	struct nlmsghdr *nlh;

	kernel_reset();
	while (count--) {
		nlh = kernel_answer(SRNIC_CMD_KEY_GET);
		mnl_attr_put_strz(nlh, SRNIC_A_KEY_NAME, "name");
		kernel_commit(nlh);
	}
}

static void test_transport(void)
{
	struct srnic_list *list;

	answer_keys(500);
	kernel.per_read = 3;
	check(!srnic_key_list(srnic, &list) && count_keys(list) == 500, "an answer in many pieces");
	srnic_list_free(list);

	kernel.interrupts = 5;
	check(!srnic_key_list(srnic, &list) && count_keys(list) == 500, "interrupted by signals");
	srnic_list_free(list);

	kernel.strays = 1;
	check(!srnic_key_list(srnic, &list) && count_keys(list) == 500,
	      "what is left of an earlier answer is passed over");
	srnic_list_free(list);

	kernel.requests = 0;
	kernel.stale = 4;
	check(!srnic_key_list(srnic, &list) && count_keys(list) == 500 && kernel.requests == 5,
	      "a list that changes is read again");
	srnic_list_free(list);

	kernel.stale = 1000;
	check(failed(srnic_key_list(srnic, &list), EAGAIN, "changes faster") && !list,
	      "a list that changes all the time");
}

/* A newer or broken kernel: attributes with unknown sizes and values. */
static void test_strange_answers(void)
{
	const struct srnic_policy *policy;
	struct srnic_prefix prefix;
	struct srnic_list *list;
	struct nlmsghdr *nlh;

	kernel_reset();
	nlh = kernel_answer(SRNIC_CMD_POLICY_GET);
	mnl_attr_put(nlh, SRNIC_A_POLICY_PREFIX, 3, "abc");
	mnl_attr_put(nlh, SRNIC_A_POLICY_PREFIX_LEN, 3, "abc");
	mnl_attr_put_u8(nlh, SRNIC_A_POLICY_RULE, 77);
	mnl_attr_put(nlh, SRNIC_A_POLICY_KEY, 4, "abcd");	/* not terminated */
	mnl_attr_put_u32(nlh, 1000, 1);
	kernel_commit(nlh);
	must_work(srnic_policy_list(srnic, &list));
	policy = srnic_policy_next(list, NULL);
	check(policy && srnic_policy_rule(policy) == 77 && !*srnic_policy_key(policy) &&
	      !*srnic_policy_suite(policy) && !srnic_policy_next(list, policy), "a strange rule");
	prefix = srnic_policy_prefix(policy);
	check(!prefix.len && !prefix.addr[0], "a strange prefix");
	check(!strcmp(srnic_rule_name(srnic_policy_rule(policy)), "?") &&
	      !strcmp(srnic_mode_name(5), "?") && !strcmp(srnic_qp_type_name(77), "?") &&
	      !strcmp(srnic_qp_state_name(77), "?") && !strcmp(srnic_flow_side_name(2), "?"),
	      "values without a name");
	srnic_list_free(list);
}

static unsigned int seed = 1;

/* Change random bytes */
static void garble(char *data, size_t len)
{
	unsigned int times = 1 + rand_r(&seed) % 4;

	while (times--)
		data[rand_r(&seed) % len] = rand_r(&seed);
}

static unsigned long touch_qps(const struct srnic_list *list)
{
	const struct srnic_flow *flow;
	const struct srnic_qp *qp;
	char text[SRNIC_TEXT_MAX];
	unsigned long sum = 0;

	srnic_for_each_qp(qp, list) {
		sum += strlen(srnic_qp_dev_name(qp)) + strlen(srnic_qp_suite(qp)) +
			strlen(srnic_qp_driver(qp)) + srnic_qp_num(qp) + srnic_qp_mode(qp);
		if (srnic_qp_peer(qp))
			sum += strlen(srnic_addr_text(srnic_qp_peer(qp), text));
		srnic_for_each_flow(flow, qp)
			sum += srnic_flow_side(flow) + srnic_flow_ready(flow) +
				srnic_flow_psn64(flow) + srnic_flow_replayed(flow);
	}
	return sum;
}

static unsigned long touch_rules(const struct srnic_list *list)
{
	const struct srnic_policy *policy;
	struct srnic_prefix prefix;
	char text[SRNIC_TEXT_MAX];
	unsigned long sum = 0;

	srnic_for_each_policy(policy, list) {
		prefix = srnic_policy_prefix(policy);
		sum += strlen(srnic_prefix_text(&prefix, text)) +
			strlen(srnic_policy_suite(policy)) + strlen(srnic_policy_key(policy));
	}
	return sum;
}

/* The sanitizers and valgrind detect errors in this test. */
static void test_garbled(void)
{
	unsigned int rounds = atoi(getenv("SRNIC_TEST_ROUNDS") ?: "20000");
	unsigned int read = 0, refused = 0;
	struct srnic_list *list;
	unsigned long sum = 0;

	kernel_reset();
	answer_qps();
	answer_rule("10.77.0.0/24", SRNIC_RULE_REQUIRE, "lab");
	kernel.mangle = garble;
	while (rounds--) {
		if (srnic_qp_list(srnic, SRNIC_DEV_ALL, &list)) {
			refused++;
		} else {
			sum += touch_qps(list) + touch_rules(list);
			srnic_list_free(list);
			read++;
		}
		if (!srnic_policy_list(srnic, &list)) {
			sum += touch_rules(list);
			srnic_list_free(list);
		}
	}
	printf("# %u read, %u refused, sum %lu\n", read, refused, sum);
	check(read && refused, "garbled answers");
}

static void test_prefixes(void)
{
	static const struct {
		const char *text;
		const char *addr;	/* as an IPv6 address */
		uint8_t len;
		const char *shown;
	} good[] = {
		{ "10.77.0.0/24", "::ffff:10.77.0.0", 120, "10.77.0.0/24" },
		{ "10.77.0.1", "::ffff:10.77.0.1", 128, "10.77.0.1/32" },
		{ "0.0.0.0/0", "::ffff:0.0.0.0", 96, "0.0.0.0/0" },
		{ "fd77::/64", "fd77::", 64, "fd77::/64" },
		{ "default", "::", 0, "default" },
		{ "all", "::", 0, "default" },
		{ "::/0", "::", 0, "default" },
		{ "::ffff:10.77.0.0/120", "::ffff:10.77.0.0", 120, "10.77.0.0/24" },
		{ "::/95", "::", 95, "::/95" },
	};
	static const char *const bad[] = {
		"", "/", "10.0.0.300", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8x",
		"10.0.0.0/4294967304", "10.1.2.3/8", "fd00::/129", "fd00::1/64",
		"::ffff:10.0.0.0/8",
		"1111:2222:3333:4444:5555:6666:7777:8888/128/and/much/more/of/this/and/that",
	};
	struct srnic_prefix prefix;
	char text[SRNIC_TEXT_MAX];
	uint8_t want[16];
	unsigned int i;

	for (i = 0; i < NUM(good); i++) {
		inet_pton(AF_INET6, good[i].addr, want);
		snprintf(text, sizeof(text), "prefix %s", good[i].text);
		check(!srnic_prefix_parse(&prefix, good[i].text) && prefix.len == good[i].len &&
		      !memcmp(prefix.addr, want, sizeof(want)), text);
		check(!strcmp(srnic_prefix_text(&prefix, text), good[i].shown), "and back");
	}
	for (i = 0; i < NUM(bad); i++) {
		memset(&prefix, 0x5a, sizeof(prefix));
		snprintf(text, sizeof(text), "no prefix %.40s", bad[i]);
		check(srnic_prefix_parse(&prefix, bad[i]) == -EINVAL && *srnic_error() &&
		      prefix.len == 0x5a && prefix.addr[0] == 0x5a, text);
	}
}

static void test_names(void)
{
	enum srnic_rule rule;
	enum srnic_mode mode;

	check(!srnic_rule_parse(&rule, "require") && rule == SRNIC_RULE_REQUIRE &&
	      !srnic_mode_parse(&mode, "packet") && mode == SRNIC_MODE_PACKET &&
	      !strcmp(srnic_rule_name(SRNIC_RULE_PREFER), "prefer") &&
	      !strcmp(srnic_mode_name(SRNIC_MODE_AEAD), "aead") &&
	      !srnic_mode_parse(&mode, "opaque") && mode == SRNIC_MODE_OPAQUE &&
	      !strcmp(srnic_mode_name(SRNIC_MODE_OPAQUE), "opaque") &&
	      !strcmp(srnic_qp_type_name(SRNIC_QP_TYPE_GSI), "gsi") &&
	      !strcmp(srnic_qp_type_name(SRNIC_QP_TYPE_SMI), "smi") &&
	      !strcmp(srnic_qp_type_name(SRNIC_QP_TYPE_XRC_INI), "xrc-ini") &&
	      !strcmp(srnic_qp_type_name(SRNIC_QP_TYPE_XRC_TGT), "xrc-tgt") &&
	      !strcmp(srnic_qp_type_name(SRNIC_QP_TYPE_RAW_PACKET), "raw-packet") &&
	      !strcmp(srnic_qp_state_name(SRNIC_QP_STATE_ERR), "err") &&
	      !strcmp(srnic_flow_side_name(SRNIC_FLOW_SIDE_THEIRS), "theirs"), "names");
	check(failed(srnic_rule_parse(&rule, "deny"), EINVAL, "unknown rule 'deny': use off") &&
	      failed(srnic_mode_parse(&mode, ""), EINVAL, "unknown mode ''"), "no names");
}

static void *fail_elsewhere(void *before)
{
	enum srnic_mode mode;

	*(bool *)before = !*srnic_error();
	srnic_mode_parse(&mode, "elsewhere");
	return NULL;
}

static void test_threads(void)
{
	enum srnic_mode mode;
	pthread_t thread;
	bool silent;

	srnic_mode_parse(&mode, "here");
	pthread_create(&thread, NULL, fail_elsewhere, &silent);
	pthread_join(thread, NULL);
	check(silent && strstr(srnic_error(), "'here'"), "each thread has errors of its own");
}

int main(void)
{
	puts("TAP version 13");
	test_open();
	test_policy_bytes();
	test_policy();
	test_refusal();
	test_keys();
	test_generations();
	test_key_wiped();
	test_policy_list();
	test_flush_refused();
	test_suites();
	test_devs();
	test_nodes();
	test_users();
	test_qps();
	test_log();
	test_follow();
	test_wanted();
	test_peers();
	test_peer_cut();
	test_transport();
	test_strange_answers();
	test_garbled();
	test_prefixes();
	test_names();
	test_threads();
	kernel_reset();
	srnic_close(srnic);
	check(!kernel.sockets, "nothing stays open");
	printf("1..%u\n", tests);
	return failures != 0;
}
