// SPDX-License-Identifier: GPL-2.0
/*
 * Requests for keys. A secret is only accepted, never sent.
 */
#include <linux/string.h>
#include "control/genl.h"
#include "guard/guard.h"
#include "sth/sth.h"

/* Explain an error of the key store and how to resolve it. */
static void srnic_key_add_explain(struct genl_info *info, int err)
{
	switch (err) {
	case -EEXIST:
		GENL_SET_ERR_MSG(info, "there is a key of this name: replace or delete it");
		break;
	case -ENOSPC:
		GENL_SET_ERR_MSG_FMT(info, "a namespace can have %u keys: delete some",
				     SRNIC_MAX_KEYS);
		break;
	case -EDQUOT:
		GENL_SET_ERR_MSG(info, "your quota of kernel keys is used up: see keyrings(7)");
		break;
	}
}

static int srnic_key_add_asked(struct genl_info *info, struct nlattr *secret)
{
	struct nlattr *name;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, SRNIC_A_KEY_NAME))
		return -EINVAL;

	name = info->attrs[SRNIC_A_KEY_NAME];
	if (!srnic_key_name_ok(nla_data(name))) {
		NL_SET_ERR_MSG_ATTR(info->extack, name,
				    "a key's name is 1 to 31 letters, digits, '.', '_' or '-'");
		return -EINVAL;
	}
	if (nla_len(secret) < SRNIC_STH_KEY_MIN || nla_len(secret) > SRNIC_STH_KEY_MAX) {
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, secret,
					"a key of %d bytes: it must have 16 to 32",
					nla_len(secret));
		return -EINVAL;
	}

	err = srnic_key_add(genl_info_net(info), nla_data(name), nla_data(secret), nla_len(secret),
			    nla_get_flag(info->attrs[SRNIC_A_KEY_REPLACE]));
	srnic_key_add_explain(info, err);
	return err;
}

int srnic_nl_key_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *secret = info->attrs[SRNIC_A_KEY_SECRET];
	int err;

	if (GENL_REQ_ATTR_CHECK(info, SRNIC_A_KEY_SECRET))
		return -EINVAL;
	err = srnic_key_add_asked(info, secret);
	/* the buffer is freed without being wiped, and an error reply contains a copy */
	memzero_explicit(nla_data(secret), nla_len(secret));
	return err;
}

int srnic_nl_key_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	int err;

	if (GENL_REQ_ATTR_CHECK(info, SRNIC_A_KEY_NAME))
		return -EINVAL;

	err = srnic_key_del(genl_info_net(info), nla_data(info->attrs[SRNIC_A_KEY_NAME]));
	if (err == -ENOENT)
		GENL_SET_ERR_MSG(info, "no key of this name: see 'srnic key list'");
	return err;
}

static int srnic_put_key(struct sk_buff *skb, struct netlink_callback *cb, const char *name,
			 unsigned int len)
{
	void *hdr;

	hdr = genlmsg_iput(skb, genl_info_dump(cb));
	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);

	if (nla_put_string(skb, SRNIC_A_KEY_NAME, name) ||
	    nla_put_u32(skb, SRNIC_A_KEY_LEN, len)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

int srnic_nl_key_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct net *net = genl_info_net(genl_info_dump(cb));
	char name[SRNIC_STH_NAME_MAX];
	unsigned int len;
	int err = 0;

	cb->seq = srnic_key_seq(net);
	while (!srnic_key_get(net, cb->args[0], name, &len)) {
		err = srnic_put_key(skb, cb, name, len);
		if (err)
			break;
		cb->args[0]++;
	}
	/* read again: if a key was deleted meanwhile, the dump has skipped another one */
	cb->seq = srnic_key_seq(net);
	return srnic_dump_result(skb, err);
}
