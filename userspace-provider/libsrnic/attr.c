// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Netlink messages and their attributes. Older or newer kernels may omit attributes or
 * send them with other sizes; all such checks are in this file.
 */
#include <errno.h>
#include <string.h>
#include "error.h"
#include "nl.h"

struct nlmsghdr *nl_begin(union nl_request *request, uint8_t cmd)
{
	struct genlmsghdr *genl;
	struct nlmsghdr *nlh;

	memset(request, 0, sizeof(*request));
	nlh = mnl_nlmsg_put_header(request);
	nlh->nlmsg_flags = NLM_F_REQUEST;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = SRNIC_FAMILY_VERSION;
	return nlh;
}

int nl_put_name(struct nlmsghdr *nlh, uint16_t type, const char *what, const char *name)
{
	if (!name || !*name || strlen(name) > SRNIC_NAME_MAX)
		return fail(EINVAL, "%s name '%.40s' is invalid: use 1 to %d characters", what,
			    name ?: "", SRNIC_NAME_MAX);
	mnl_attr_put_strz(nlh, type, name);
	return 0;
}

/* Lists contain only messages that have this header. */
static uint8_t cmd_of(const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);

	return genl->cmd;
}

const struct nlmsghdr *nl_next(const struct srnic_list *list, const struct nlmsghdr *nlh,
			       uint8_t cmd)
{
	int left = list->len;

	if (nlh) {
		left -= (const char *)nlh - list->messages;
		nlh = mnl_nlmsg_next(nlh, &left);
	} else {
		nlh = (const void *)list->messages;
	}
	for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left))
		if (cmd_of(nlh) == cmd)
			return nlh;
	return NULL;
}

const struct nlattr *nl_next_attr(const struct nlmsghdr *nlh, const struct nlattr *attr,
				  uint16_t type)
{
	const char *end = mnl_nlmsg_get_payload_tail(nlh);

	attr = attr ? mnl_attr_next(attr) :
		mnl_nlmsg_get_payload_offset(nlh, sizeof(struct genlmsghdr));
	for (; mnl_attr_ok(attr, end - (const char *)attr); attr = mnl_attr_next(attr))
		if (mnl_attr_get_type(attr) == type)
			return attr;
	return NULL;
}

const struct nlattr *nl_attr(const struct nlmsghdr *nlh, uint16_t type)
{
	return nl_next_attr(nlh, NULL, type);
}

const struct nlattr *nl_nested(const struct nlattr *nest, uint16_t type)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest)
		if (mnl_attr_get_type(attr) == type)
			return attr;
	return NULL;
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

const char *nl_text(const struct nlattr *attr)
{
	if (!attr || mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) < 0)
		return "";
	return mnl_attr_get_str(attr);
}

const uint8_t *nl_address(const struct nlattr *attr)
{
	if (!attr || mnl_attr_get_payload_len(attr) != 16)
		return NULL;
	return mnl_attr_get_payload(attr);
}
