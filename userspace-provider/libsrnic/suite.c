// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cipher suites that rules can name.
 */
#include "nl.h"

struct srnic_suite {
	struct nlmsghdr nlh;
};

int srnic_suite_list(struct srnic *srnic, struct srnic_list **list)
{
	return nl_dump_all(srnic, SRNIC_CMD_SUITE_GET, list);
}

const struct srnic_suite *srnic_suite_next(const struct srnic_list *list,
					   const struct srnic_suite *suite)
{
	return (const void *)nl_next(list, (const void *)suite, SRNIC_CMD_SUITE_GET);
}

const char *srnic_suite_name(const struct srnic_suite *suite)
{
	return nl_text(nl_attr(&suite->nlh, SRNIC_A_SUITE_NAME));
}

bool srnic_suite_has_mode(const struct srnic_suite *suite, enum srnic_mode mode)
{
	uint32_t modes = nl_uint(nl_attr(&suite->nlh, SRNIC_A_SUITE_MODES));

	return mode < 32 && modes & 1u << mode;
}

unsigned int srnic_suite_tag_len(const struct srnic_suite *suite)
{
	return nl_uint(nl_attr(&suite->nlh, SRNIC_A_SUITE_TAG_LEN));
}

unsigned int srnic_suite_sth_len(const struct srnic_suite *suite)
{
	return nl_uint(nl_attr(&suite->nlh, SRNIC_A_SUITE_STH_LEN));
}

bool srnic_suite_available(const struct srnic_suite *suite)
{
	return nl_attr(&suite->nlh, SRNIC_A_SUITE_AVAILABLE);
}
