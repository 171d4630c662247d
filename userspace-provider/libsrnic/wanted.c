// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Reports of keys that rules require and that do not exist.
 */
#include <errno.h>
#include "error.h"
#include "nl.h"

struct srnic_wanted {
	struct nlmsghdr nlh;
};

int srnic_wanted_follow(struct srnic *srnic, int timeout, struct srnic_list **list)
{
	int err;

	*list = NULL;
	if (!srnic->keys.id)
		return fail(EOPNOTSUPP, "this version of the module reports no missing keys: load a newer one");
	err = nl_listen(srnic, &srnic->keys);
	return err ?: nl_wait(srnic, timeout, list);
}

const struct srnic_wanted *srnic_wanted_next(const struct srnic_list *list,
					     const struct srnic_wanted *wanted)
{
	return (const void *)nl_next(list, (const void *)wanted, SRNIC_CMD_KEY_WANTED);
}

const char *srnic_wanted_key(const struct srnic_wanted *wanted)
{
	return nl_text(nl_attr(&wanted->nlh, SRNIC_A_KEY_NAME));
}

const uint8_t *srnic_wanted_peer(const struct srnic_wanted *wanted)
{
	return nl_address(nl_attr(&wanted->nlh, SRNIC_A_KEY_PEER));
}

int srnic_fd(const struct srnic *srnic)
{
	return mnl_socket_get_fd(srnic->socket);
}
