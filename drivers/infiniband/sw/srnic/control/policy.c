// SPDX-License-Identifier: GPL-2.0
/*
 * Requests for rules. Errors are explained in one line each.
 */
#include <linux/string.h>
#include "control/genl.h"
#include "guard/guard.h"
#include "sth/sth.h"

static int srnic_parse_prefix(struct genl_info *info, struct srnic_policy *policy)
{
	if (GENL_REQ_ATTR_CHECK(info, SRNIC_A_POLICY_PREFIX) ||
	    GENL_REQ_ATTR_CHECK(info, SRNIC_A_POLICY_PREFIX_LEN))
		return -EINVAL;

	nla_memcpy(policy->prefix, info->attrs[SRNIC_A_POLICY_PREFIX], sizeof(policy->prefix));
	policy->prefix_len = nla_get_u8(info->attrs[SRNIC_A_POLICY_PREFIX_LEN]);
	if (srnic_policy_prefix_ok(policy->prefix, policy->prefix_len))
		return 0;

	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[SRNIC_A_POLICY_PREFIX],
			    "address has bits beyond the prefix length: set them to 0");
	return -EINVAL;
}

/* Write the modes that a suite offers, for example "header or packet". */
static void srnic_mode_names(const struct srnic_sth_suite *suite, char *buf, size_t size)
{
	static const char *const names[SRNIC_STH_MODES] = {
		"off", "header", "packet", "aead", "opaque",
	};
	unsigned int mode;
	size_t len = 0;

	*buf = '\0';
	for (mode = SRNIC_STH_HEADER; mode < SRNIC_STH_MODES; mode++)
		if (srnic_sth_suite_allows(suite, mode))
			len += scnprintf(buf + len, size - len, "%s%s", len ? " or " : "",
					 names[mode]);
}

static int srnic_parse_suite(struct genl_info *info, struct srnic_policy *policy)
{
	struct nlattr *attr = info->attrs[SRNIC_A_POLICY_SUITE];
	const char *name = nla_data(attr);
	const char *missing;
	char offer[32];
	int err;

	policy->suite = srnic_sth_suite_find(name);
	if (!policy->suite) {
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, attr,
					"unknown suite '%s': see 'srnic suite list'", name);
		return -EINVAL;
	}
	if (!srnic_sth_suite_allows(policy->suite, policy->mode)) {
		srnic_mode_names(policy->suite, offer, sizeof(offer));
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, info->attrs[SRNIC_A_POLICY_MODE],
					"suite %s does not offer this mode: choose %s",
					name, offer);
		return -EOPNOTSUPP;
	}
	err = srnic_sth_suite_check(policy->suite, &missing);
	if (err == -ENOENT) {
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, attr, "%s needs %s, which this kernel lacks",
					name, missing);
		return -EOPNOTSUPP;
	}
	return err;
}

/* Parse how a prefer or require rule seals: mode, suite and key, all required. */
static int srnic_parse_seal(struct genl_info *info, struct srnic_policy *policy)
{
	struct nlattr *key = info->attrs[SRNIC_A_POLICY_KEY];
	int err;

	if (GENL_REQ_ATTR_CHECK(info, SRNIC_A_POLICY_MODE) ||
	    GENL_REQ_ATTR_CHECK(info, SRNIC_A_POLICY_SUITE) ||
	    GENL_REQ_ATTR_CHECK(info, SRNIC_A_POLICY_KEY)) {
		GENL_SET_ERR_MSG(info, "rules prefer and require need mode, suite and key");
		return -EINVAL;
	}

	policy->mode = nla_get_u8(info->attrs[SRNIC_A_POLICY_MODE]);
	err = srnic_parse_suite(info, policy);
	if (err)
		return err;

	policy->clear_cm = nla_get_flag(info->attrs[SRNIC_A_POLICY_CLEAR_CM]);
	policy->uncached = nla_get_flag(info->attrs[SRNIC_A_POLICY_UNCACHED]);
	if (policy->uncached && !srnic_sth_suite_uncached(policy->suite)) {
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, info->attrs[SRNIC_A_POLICY_UNCACHED],
					"%s cannot be uncached: setting its key may sleep; see srnic(7)",
					srnic_sth_suite_name(policy->suite));
		return -EOPNOTSUPP;
	}
	nla_strscpy(policy->key, key, sizeof(policy->key));
	if (srnic_key_name_ok(policy->key))
		return 0;

	NL_SET_ERR_MSG_ATTR(info->extack, key,
			    "a key's name is 1 to 31 letters, digits, '.', '_' or '-'");
	return -EINVAL;
}

int srnic_nl_policy_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct srnic_policy policy = {};
	int err;

	err = srnic_parse_prefix(info, &policy);
	if (err)
		return err;

	if (GENL_REQ_ATTR_CHECK(info, SRNIC_A_POLICY_RULE))
		return -EINVAL;
	policy.rule = nla_get_u8(info->attrs[SRNIC_A_POLICY_RULE]);
	if (policy.rule != SRNIC_POLICY_OFF) {
		err = srnic_parse_seal(info, &policy);
		if (err)
			return err;
	} else if (info->attrs[SRNIC_A_POLICY_MODE] || info->attrs[SRNIC_A_POLICY_SUITE] ||
		   info->attrs[SRNIC_A_POLICY_KEY] || info->attrs[SRNIC_A_POLICY_CLEAR_CM] ||
		   info->attrs[SRNIC_A_POLICY_UNCACHED]) {
		GENL_SET_ERR_MSG(info,
				 "rule off seals nothing: leave out mode, suite, key, clear-cm and uncached");
		return -EINVAL;
	}

	err = srnic_policy_add(genl_info_net(info), &policy,
			       nla_get_flag(info->attrs[SRNIC_A_POLICY_REPLACE]));
	if (err == -EEXIST)
		GENL_SET_ERR_MSG(info, "there is a rule with this prefix: replace or delete it");
	else if (err == -ENOSPC)
		GENL_SET_ERR_MSG_FMT(info,
				     "this namespace has the maximum of %u rules: delete some",
				     SRNIC_MAX_POLICIES);
	return srnic_seals_changed(info, err);
}

int srnic_nl_policy_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct srnic_policy policy = {};
	int err;

	err = srnic_parse_prefix(info, &policy);
	if (err)
		return err;

	err = srnic_policy_del(genl_info_net(info), policy.prefix, policy.prefix_len);
	if (err == -ENOENT)
		GENL_SET_ERR_MSG(info, "no rule with exactly this prefix: see 'srnic policy list'");
	return srnic_seals_changed(info, err);
}

static int srnic_put_policy(struct sk_buff *skb, struct netlink_callback *cb,
			    const struct srnic_policy *policy)
{
	void *hdr;

	hdr = genlmsg_iput(skb, genl_info_dump(cb));
	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);

	if (nla_put(skb, SRNIC_A_POLICY_PREFIX, sizeof(policy->prefix), policy->prefix) ||
	    nla_put_u8(skb, SRNIC_A_POLICY_PREFIX_LEN, policy->prefix_len) ||
	    nla_put_u8(skb, SRNIC_A_POLICY_RULE, policy->rule))
		goto cancel;
	if (policy->rule != SRNIC_POLICY_OFF &&
	    (nla_put_u8(skb, SRNIC_A_POLICY_MODE, policy->mode) ||
	     nla_put_string(skb, SRNIC_A_POLICY_SUITE, srnic_sth_suite_name(policy->suite)) ||
	     nla_put_string(skb, SRNIC_A_POLICY_KEY, policy->key) ||
	     (policy->clear_cm && nla_put_flag(skb, SRNIC_A_POLICY_CLEAR_CM)) ||
	     (policy->uncached && nla_put_flag(skb, SRNIC_A_POLICY_UNCACHED))))
		goto cancel;
	genlmsg_end(skb, hdr);
	return 0;

cancel:
	genlmsg_cancel(skb, hdr);
	return -EMSGSIZE;
}

int srnic_nl_policy_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct net *net = genl_info_net(genl_info_dump(cb));
	struct srnic_policy policy;
	int err = 0;

	cb->seq = srnic_policy_seq(net);
	while (!srnic_policy_get(net, cb->args[0], &policy)) {
		err = srnic_put_policy(skb, cb, &policy);
		if (err)
			break;
		cb->args[0]++;
	}
	/*
	 * Read again: if a rule was deleted meanwhile, the dump has skipped
	 * another one.
	 */
	cb->seq = srnic_policy_seq(net);
	return srnic_dump_result(skb, err);
}
