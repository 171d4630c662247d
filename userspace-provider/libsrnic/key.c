// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Pre-shared keys: write-only.
 */
#include <errno.h>
#include <string.h>
#include "error.h"
#include "nl.h"

struct srnic_key {
	struct nlmsghdr nlh;
};

/* The message contains the secret, so wipe it once the kernel has read it. */
int srnic_key_add(struct srnic *srnic, const char *name, const void *secret, size_t len,
		  unsigned int flags)
{
	union nl_request request;
	struct nlmsghdr *nlh;
	int err;

	if (flags & ~SRNIC_REPLACE)
		return fail(EINVAL, "no such flags: %#x", flags & ~SRNIC_REPLACE);
	if (len < SRNIC_SECRET_MIN || len > SRNIC_SECRET_MAX)
		return fail(EINVAL, "a key of %zu bytes: it must have %d to %d", len,
			    SRNIC_SECRET_MIN, SRNIC_SECRET_MAX);

	nlh = nl_begin(&request, SRNIC_CMD_KEY_ADD);
	err = nl_put_name(nlh, SRNIC_A_KEY_NAME, "key", name);
	if (err)
		return err;
	if (flags & SRNIC_REPLACE)
		mnl_attr_put(nlh, SRNIC_A_KEY_REPLACE, 0, NULL);
	mnl_attr_put(nlh, SRNIC_A_KEY_SECRET, len, secret);
	err = nl_do(srnic, nlh);
	explicit_bzero(&request, sizeof(request));
	return err;
}

int srnic_key_del(struct srnic *srnic, const char *name)
{
	union nl_request request;
	struct nlmsghdr *nlh;
	int err;

	nlh = nl_begin(&request, SRNIC_CMD_KEY_DEL);
	err = nl_put_name(nlh, SRNIC_A_KEY_NAME, "key", name);
	return err ?: nl_do(srnic, nlh);
}

int srnic_key_list(struct srnic *srnic, struct srnic_list **list)
{
	return nl_dump_all(srnic, SRNIC_CMD_KEY_GET, list);
}

const struct srnic_key *srnic_key_next(const struct srnic_list *list, const struct srnic_key *key)
{
	return (const void *)nl_next(list, (const void *)key, SRNIC_CMD_KEY_GET);
}

const char *srnic_key_name(const struct srnic_key *key)
{
	return nl_text(nl_attr(&key->nlh, SRNIC_A_KEY_NAME));
}

unsigned int srnic_key_len(const struct srnic_key *key)
{
	return nl_uint(nl_attr(&key->nlh, SRNIC_A_KEY_LEN));
}
