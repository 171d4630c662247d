// SPDX-License-Identifier: GPL-2.0
/*
 * Requests for the users of a device and what they hold.
 */
#include <linux/cred.h>
#include <net/sock.h>
#include "control/genl.h"
#include "srnic.h"

static int put_user_quota(struct sk_buff *skb, const char *name, u32 used)
{
	struct nlattr *nest;

	nest = nla_nest_start(skb, SRNIC_A_USER_QUOTA);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_string(skb, SRNIC_A_QUOTA_NAME, name) ||
	    nla_put_u32(skb, SRNIC_A_QUOTA_USED, used))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_user_entry(struct sk_buff *skb, const struct genl_info *info, struct srnic_dev *dev,
			  const struct srnic_user *user, uid_t uid)
{
	unsigned int quota;
	void *hdr;

	hdr = genlmsg_iput(skb, info);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_u32(skb, SRNIC_A_USER_DEV_INDEX, dev->ib.index) ||
	    nla_put_string(skb, SRNIC_A_USER_DEV_NAME, dev->ib.name) ||
	    nla_put_u32(skb, SRNIC_A_USER_UID, uid))
		goto cancel;
	for (quota = 0; quota < SRNIC_QUOTAS; quota++)
		if (put_user_quota(skb, srnic_quota_table[quota].name, user->used[quota]))
			goto cancel;
	genlmsg_end(skb, hdr);
	return 0;

cancel:
	genlmsg_cancel(skb, hdr);
	return -EMSGSIZE;
}

/* Put the users from position *@at on; set *@at to the first one that did not fit. */
static int put_users(struct sk_buff *skb, const struct genl_info *info, struct srnic_dev *dev,
		     long *at)
{
	/* the reply's skb belongs to the requesting socket */
	struct user_namespace *ns = sk_user_ns(skb->sk);
	struct srnic_user user;
	int err;

	for (; srnic_user_nth(&dev->guard, *at, &user); ++*at) {
		err = put_user_entry(skb, info, dev, &user, from_kuid_munged(ns, user.uid));
		if (err)
			return err;
	}
	return 0;
}

int srnic_nl_user_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return srnic_dump_by_device(skb, cb, SRNIC_A_USER_DEV_INDEX, put_users);
}
