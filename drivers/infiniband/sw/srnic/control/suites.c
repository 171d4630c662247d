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

	for (mode = SRNIC_STH_HEADER; mode <= SRNIC_STH_AEAD; mode++)
		if (srnic_sth_suite_allows(suite, mode))
			modes |= BIT(mode);
	return modes;
}

static int srnic_put_suite(struct sk_buff *skb, const struct genl_info *info,
			   const struct srnic_sth_suite *suite)
{
	const char *missing;
	void *hdr;

	hdr = genlmsg_iput(skb, info);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_string(skb, SRNIC_A_SUITE_NAME, srnic_sth_suite_name(suite)) ||
	    nla_put_u32(skb, SRNIC_A_SUITE_MODES, srnic_suite_modes(suite)) ||
	    nla_put_u32(skb, SRNIC_A_SUITE_STH_LEN, srnic_sth_suite_sth_len(suite)) ||
	    nla_put_u32(skb, SRNIC_A_SUITE_TAG_LEN, srnic_sth_suite_tag_len(suite)))
		goto cancel;
	if (!srnic_sth_suite_check(suite, &missing) && nla_put_flag(skb, SRNIC_A_SUITE_AVAILABLE))
		goto cancel;
	genlmsg_end(skb, hdr);
	return 0;

cancel:
	genlmsg_cancel(skb, hdr);
	return -EMSGSIZE;
}

int srnic_nl_suite_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct srnic_sth_suite *suite;
	int err = 0;

	while ((suite = srnic_sth_suite_at(cb->args[0]))) {
		err = srnic_put_suite(skb, genl_info_dump(cb), suite);
		if (err)
			break;
		cb->args[0]++;
	}
	return srnic_dump_result(skb, err);
}
