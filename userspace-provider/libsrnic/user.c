// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Usage of a device per user.
 */
#include "nl.h"

struct srnic_user {
	struct nlmsghdr nlh;
};

int srnic_user_list(struct srnic *srnic, uint32_t dev_index, struct srnic_list **list)
{
	return nl_dump_of(srnic, SRNIC_CMD_USER_GET, SRNIC_A_USER_DEV_INDEX, dev_index, list);
}

const struct srnic_user *srnic_user_next(const struct srnic_list *list,
					 const struct srnic_user *user)
{
	return (const void *)nl_next(list, (const void *)user, SRNIC_CMD_USER_GET);
}

uint32_t srnic_user_dev_index(const struct srnic_user *user)
{
	return nl_uint(nl_attr(&user->nlh, SRNIC_A_USER_DEV_INDEX));
}

const char *srnic_user_dev_name(const struct srnic_user *user)
{
	return nl_text(nl_attr(&user->nlh, SRNIC_A_USER_DEV_NAME));
}

uint32_t srnic_user_uid(const struct srnic_user *user)
{
	return nl_uint(nl_attr(&user->nlh, SRNIC_A_USER_UID));
}

const struct srnic_quota *srnic_user_quota_next(const struct srnic_user *user,
						const struct srnic_quota *quota)
{
	return (const void *)nl_next_attr(&user->nlh, (const void *)quota, SRNIC_A_USER_QUOTA);
}
