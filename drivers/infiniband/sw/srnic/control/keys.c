// SPDX-License-Identifier: GPL-2.0
/*
 * Requests for keys, and notifications of wanted ones. A secret is only accepted, never sent.
 */
#include <linux/string.h>
#include "control/genl.h"
#include "guard/guard.h"
#include "sth/sth.h"

/* Explain an error of a request and how to resolve it. */
static void srnic_key_explain(struct genl_info *info, int err)
{
	switch (err) {
	case -EEXIST:
		if (info->genlhdr->cmd == SRNIC_CMD_KEY_STAGE)
			GENL_SET_ERR_MSG(info, "the key has two secrets: retire one first");
		else
			GENL_SET_ERR_MSG(info, "there is a key of this name: replace or delete it");
		break;
	case -ENOENT:
		GENL_SET_ERR_MSG(info, "no key of this name: see 'srnic key list'");
		break;
	case -ENODATA:
		if (info->genlhdr->cmd == SRNIC_CMD_KEY_PROMOTE)
			GENL_SET_ERR_MSG(info, "the key has no next secret: stage one first");
		else
			GENL_SET_ERR_MSG(info, "the key has one secret only, the current one");
		break;
	case -ENOSPC:
		GENL_SET_ERR_MSG_FMT(info, "this namespace has the maximum of %u keys: delete some",
				     SRNIC_MAX_KEYS);
		break;
	case -EDQUOT:
		GENL_SET_ERR_MSG(info, "your quota of kernel keys is used up: see keyrings(7)");
		break;
	}
}

static int srnic_key_store_request(struct genl_info *info, struct nlattr *secret)
{
	struct net *net = genl_info_net(info);
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
					"key has %d bytes: it must have 16 to 32",
					nla_len(secret));
		return -EINVAL;
	}

	if (info->genlhdr->cmd == SRNIC_CMD_KEY_STAGE)
		err = srnic_key_stage(net, nla_data(name), nla_data(secret), nla_len(secret));
	else
		err = srnic_key_add(net, nla_data(name), nla_data(secret), nla_len(secret),
				    nla_get_flag(info->attrs[SRNIC_A_KEY_REPLACE]));
	srnic_key_explain(info, err);
	return err;
}

static int srnic_key_secret_do(struct genl_info *info)
{
	struct nlattr *secret = info->attrs[SRNIC_A_KEY_SECRET];
	int err;

	if (GENL_REQ_ATTR_CHECK(info, SRNIC_A_KEY_SECRET))
		return -EINVAL;
	err = srnic_key_store_request(info, secret);
	/* the buffer is freed without being wiped, and an error reply contains a copy */
	memzero_explicit(nla_data(secret), nla_len(secret));
	return err;
}

int srnic_nl_key_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	return srnic_seals_changed(info, srnic_key_secret_do(info));
}

int srnic_nl_key_stage_doit(struct sk_buff *skb, struct genl_info *info)
{
	return srnic_key_secret_do(info);
}

static int srnic_key_do(struct genl_info *info, int (*act)(struct net *net, const char *name))
{
	int err;

	if (GENL_REQ_ATTR_CHECK(info, SRNIC_A_KEY_NAME))
		return -EINVAL;

	err = act(genl_info_net(info), nla_data(info->attrs[SRNIC_A_KEY_NAME]));
	srnic_key_explain(info, err);
	return err;
}

int srnic_nl_key_promote_doit(struct sk_buff *skb, struct genl_info *info)
{
	return srnic_key_do(info, srnic_key_promote);
}

int srnic_nl_key_retire_doit(struct sk_buff *skb, struct genl_info *info)
{
	return srnic_seals_changed(info, srnic_key_do(info, srnic_key_retire));
}

int srnic_nl_key_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	return srnic_seals_changed(info, srnic_key_do(info, srnic_key_del));
}

/* A key with one secret has no attributes of another. */
static int srnic_put_other(struct sk_buff *skb, const struct srnic_key_info *key)
{
	unsigned int len = key->len[SRNIC_SECRET_OTHER];

	if (!len)
		return 0;
	return nla_put_u8(skb, SRNIC_A_KEY_OTHER,
			  key->staged ? SRNIC_KEY_SECRET_NEXT : SRNIC_KEY_SECRET_FORMER) ?:
	       nla_put_u32(skb, SRNIC_A_KEY_OTHER_LEN, len);
}

static int srnic_put_key(struct sk_buff *skb, struct netlink_callback *cb,
			 const struct srnic_key_info *key)
{
	void *hdr;

	hdr = genlmsg_iput(skb, genl_info_dump(cb));
	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);

	if (nla_put_string(skb, SRNIC_A_KEY_NAME, key->name) ||
	    nla_put_u32(skb, SRNIC_A_KEY_LEN, key->len[SRNIC_SECRET_CURRENT]) ||
	    nla_put_u32(skb, SRNIC_A_KEY_GENERATION, key->generation) ||
	    nla_put_uint(skb, SRNIC_A_KEY_SEALED, key->sealed) ||
	    srnic_put_other(skb, key)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

int srnic_nl_key_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct net *net = genl_info_net(genl_info_dump(cb));
	struct srnic_key_info key;
	int err = 0;

	cb->seq = srnic_key_seq(net);
	while (!srnic_key_get(net, cb->args[0], &key)) {
		err = srnic_put_key(skb, cb, &key);
		if (err)
			break;
		cb->args[0]++;
	}
	/* read again: if a key was deleted meanwhile, the dump has skipped another one */
	cb->seq = srnic_key_seq(net);
	return srnic_dump_result(skb, err);
}

static bool srnic_keys_heard(struct net *net)
{
	return genl_has_listeners(&srnic_nl_family, net, SRNIC_NLGRP_KEYS);
}

static void srnic_tell_wanted(struct net *net, const char *name, const u8 peer[16])
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	void *hdr;

	if (!skb)
		return;		/* the key is reported again when it is wanted again */
	hdr = genlmsg_put(skb, 0, 0, &srnic_nl_family, 0, SRNIC_CMD_KEY_WANTED);
	if (!hdr || nla_put_string(skb, SRNIC_A_KEY_NAME, name) ||
	    nla_put(skb, SRNIC_A_KEY_PEER, 16, peer)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, hdr);
	genlmsg_multicast_netns(&srnic_nl_family, net, skb, 0, SRNIC_NLGRP_KEYS, GFP_KERNEL);
}

const struct srnic_key_listener srnic_nl_key_listener = {
	.listens = srnic_keys_heard,
	.tell = srnic_tell_wanted,
};
