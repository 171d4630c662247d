// SPDX-License-Identifier: GPL-2.0
/*
 * Messages and their attributes: what needs no kernel. The sizes of attributes are
 * checked here: an older or newer kernel may send others.
 */
#include <string.h>
#include "nl.h"

struct nlmsghdr *nl_begin(union nl_buf *buf, uint8_t cmd)
{
	struct nlmsghdr *nlh;
	struct genlmsghdr *genl;

	memset(buf, 0, sizeof(*buf));
	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_flags = NLM_F_REQUEST;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = SRNIC_FAMILY_VERSION;
	return nlh;
}

static void note(const struct nlattr *attr, nl_attrs tb)
{
	if (mnl_attr_get_type(attr) < NL_ATTRS)
		tb[mnl_attr_get_type(attr)] = attr;
}

void nl_parse(const struct nlmsghdr *nlh, nl_attrs tb)
{
	const struct nlattr *attr;

	memset(tb, 0, sizeof(nl_attrs));
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		note(attr, tb);
}

void nl_parse_nested(const struct nlattr *nest, nl_attrs tb)
{
	const struct nlattr *attr;

	memset(tb, 0, sizeof(nl_attrs));
	mnl_attr_for_each_nested(attr, nest)
		note(attr, tb);
}

uint64_t nl_uint(const struct nlattr *attr)
{
	if (!attr)
		return 0;
	switch (mnl_attr_get_payload_len(attr)) {
	case 1:
		return mnl_attr_get_u8(attr);
	case 2:
		return mnl_attr_get_u16(attr);
	case 4:
		return mnl_attr_get_u32(attr);
	case 8:
		return mnl_attr_get_u64(attr);
	}
	return 0;
}

uint32_t nl_u32(const struct nlattr *attr)
{
	return nl_uint(attr);
}

uint8_t nl_u8(const struct nlattr *attr)
{
	return nl_uint(attr);
}

const char *nl_text(const struct nlattr *attr)
{
	if (!attr || mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) < 0)
		return "";
	return mnl_attr_get_str(attr);
}
