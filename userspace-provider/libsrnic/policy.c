// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rules. The kernel validates them; this file rejects only what cannot be expressed in a
 * message.
 */
#include <errno.h>
#include <string.h>
#include "error.h"
#include "nl.h"

struct srnic_policy {
	struct nlmsghdr nlh;
};

static void put_prefix(struct nlmsghdr *nlh, const struct srnic_prefix *prefix)
{
	mnl_attr_put(nlh, SRNIC_A_POLICY_PREFIX, sizeof(prefix->addr), prefix->addr);
	mnl_attr_put_u8(nlh, SRNIC_A_POLICY_PREFIX_LEN, prefix->len);
}

/* Send each part that was given: the kernel decides which parts a rule needs. */
static int put_seal(struct nlmsghdr *nlh, enum srnic_mode mode, const char *suite, const char *key)
{
	int err = 0;

	if (mode != SRNIC_MODE_OFF)
		mnl_attr_put_u8(nlh, SRNIC_A_POLICY_MODE, mode);
	if (suite)
		err = nl_put_name(nlh, SRNIC_A_POLICY_SUITE, "suite", suite);
	if (!err && key)
		err = nl_put_name(nlh, SRNIC_A_POLICY_KEY, "key", key);
	return err;
}

#define KNOWN_FLAGS	(SRNIC_REPLACE | SRNIC_CLEAR_CM | SRNIC_UNCACHED)

int srnic_policy_add(struct srnic *srnic, const struct srnic_prefix *prefix, enum srnic_rule rule,
		     enum srnic_mode mode, const char *suite, const char *key, unsigned int flags)
{
	union nl_request request;
	struct nlmsghdr *nlh;
	int err;

	if (flags & ~KNOWN_FLAGS)
		return fail(EINVAL, "unknown flags: %#x", flags & ~KNOWN_FLAGS);
	if (rule > UINT8_MAX || mode > UINT8_MAX)
		return fail(EINVAL, "unknown rule %u or mode %u", rule, mode);

	nlh = nl_begin(&request, SRNIC_CMD_POLICY_ADD);
	put_prefix(nlh, prefix);
	mnl_attr_put_u8(nlh, SRNIC_A_POLICY_RULE, rule);
	err = put_seal(nlh, mode, suite, key);
	if (err)
		return err;
	if (flags & SRNIC_REPLACE)
		mnl_attr_put(nlh, SRNIC_A_POLICY_REPLACE, 0, NULL);
	if (flags & SRNIC_CLEAR_CM)
		mnl_attr_put(nlh, SRNIC_A_POLICY_CLEAR_CM, 0, NULL);
	if (flags & SRNIC_UNCACHED)
		mnl_attr_put(nlh, SRNIC_A_POLICY_UNCACHED, 0, NULL);
	return nl_do(srnic, nlh);
}

int srnic_policy_del(struct srnic *srnic, const struct srnic_prefix *prefix)
{
	union nl_request request;
	struct nlmsghdr *nlh;

	nlh = nl_begin(&request, SRNIC_CMD_POLICY_DEL);
	put_prefix(nlh, prefix);
	return nl_do(srnic, nlh);
}

int srnic_policy_flush(struct srnic *srnic)
{
	const struct srnic_policy *policy;
	struct srnic_prefix prefix;
	struct srnic_list *list;
	int err;

	err = srnic_policy_list(srnic, &list);
	if (err)
		return err;
	srnic_for_each_policy(policy, list) {
		prefix = srnic_policy_prefix(policy);
		err = srnic_policy_del(srnic, &prefix);
		/* the rule was deleted concurrently */
		if (err == -ENOENT)
			err = 0;
		if (err)
			break;
	}
	srnic_list_free(list);
	return err;
}

int srnic_policy_list(struct srnic *srnic, struct srnic_list **list)
{
	return nl_dump_all(srnic, SRNIC_CMD_POLICY_GET, list);
}

const struct srnic_policy *srnic_policy_next(const struct srnic_list *list,
					     const struct srnic_policy *policy)
{
	return (const void *)nl_next(list, (const void *)policy, SRNIC_CMD_POLICY_GET);
}

struct srnic_prefix srnic_policy_prefix(const struct srnic_policy *policy)
{
	const struct nlattr *addr = nl_attr(&policy->nlh, SRNIC_A_POLICY_PREFIX);
	struct srnic_prefix prefix = {};

	if (addr && mnl_attr_get_payload_len(addr) == sizeof(prefix.addr))
		memcpy(prefix.addr, mnl_attr_get_payload(addr), sizeof(prefix.addr));
	prefix.len = nl_uint(nl_attr(&policy->nlh, SRNIC_A_POLICY_PREFIX_LEN));
	return prefix;
}

enum srnic_rule srnic_policy_rule(const struct srnic_policy *policy)
{
	return nl_uint(nl_attr(&policy->nlh, SRNIC_A_POLICY_RULE));
}

enum srnic_mode srnic_policy_mode(const struct srnic_policy *policy)
{
	return nl_uint(nl_attr(&policy->nlh, SRNIC_A_POLICY_MODE));
}

const char *srnic_policy_suite(const struct srnic_policy *policy)
{
	return nl_text(nl_attr(&policy->nlh, SRNIC_A_POLICY_SUITE));
}

const char *srnic_policy_key(const struct srnic_policy *policy)
{
	return nl_text(nl_attr(&policy->nlh, SRNIC_A_POLICY_KEY));
}

bool srnic_policy_clear_cm(const struct srnic_policy *policy)
{
	return nl_attr(&policy->nlh, SRNIC_A_POLICY_CLEAR_CM);
}

bool srnic_policy_uncached(const struct srnic_policy *policy)
{
	return nl_attr(&policy->nlh, SRNIC_A_POLICY_UNCACHED);
}
