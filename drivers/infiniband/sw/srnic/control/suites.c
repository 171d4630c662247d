// SPDX-License-Identifier: GPL-2.0
/*
 * Requests for the table of suites.
 */
#include "control/genl.h"
#include "sth/sth.h"

static u32 srnic_suite_modes(const struct srnic_sth_suite *suite)
{
	u32 modes = 0;
	unsigned int mode;

	for (mode = SRNIC_STH_HEADER; mode < SRNIC_STH_MODES; mode++)
		if (srnic_sth_suite_allows(suite, mode))
			modes |= BIT(mode);
	return modes;
}

/* A check loads modules, so only an administrator of the namespace may cause it. */
static bool srnic_suite_available(const struct srnic_sth_suite *suite, bool admin)
{
	const char *missing;

	return admin ? !srnic_sth_suite_check(suite, &missing) : srnic_sth_suite_loaded(suite);
}

static int srnic_put_suite(struct sk_buff *skb, const struct genl_info *info,
			   const struct srnic_sth_suite *suite, bool admin)
{
	void *hdr;

	hdr = genlmsg_iput(skb, info);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_string(skb, SRNIC_A_SUITE_NAME, srnic_sth_suite_name(suite)) ||
	    nla_put_u32(skb, SRNIC_A_SUITE_MODES, srnic_suite_modes(suite)) ||
	    nla_put_u32(skb, SRNIC_A_SUITE_STH_LEN, srnic_sth_suite_sth_len(suite)) ||
	    nla_put_u32(skb, SRNIC_A_SUITE_TAG_LEN, srnic_sth_suite_tag_len(suite)))
		goto cancel;
	if (srnic_suite_available(suite, admin) && nla_put_flag(skb, SRNIC_A_SUITE_AVAILABLE))
		goto cancel;
	genlmsg_end(skb, hdr);
	return 0;

cancel:
	genlmsg_cancel(skb, hdr);
	return -EMSGSIZE;
}

int srnic_nl_suite_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	bool admin = netlink_net_capable(cb->skb, CAP_NET_ADMIN);
	const struct srnic_sth_suite *suite;
	int err = 0;

	while ((suite = srnic_sth_suite_at(cb->args[0]))) {
		err = srnic_put_suite(skb, genl_info_dump(cb), suite, admin);
		if (err)
			break;
		cb->args[0]++;
	}
	return srnic_dump_result(skb, err);
}
