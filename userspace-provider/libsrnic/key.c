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

struct secret {
	const void *bytes;
	size_t len;
};

/* The message contains the secret, so wipe it once the kernel has read it. */
static int send_secret(struct srnic *srnic, uint8_t cmd, const char *name,
		       const struct secret *secret, unsigned int flags)
{
	union nl_request request;
	struct nlmsghdr *nlh;
	int err;

	if (secret->len < SRNIC_SECRET_MIN || secret->len > SRNIC_SECRET_MAX)
		return fail(EINVAL, "key has %zu bytes: it must have %d to %d", secret->len,
			    SRNIC_SECRET_MIN, SRNIC_SECRET_MAX);

	nlh = nl_begin(&request, cmd);
	err = nl_put_name(nlh, SRNIC_A_KEY_NAME, "key", name);
	if (err)
		return err;
	if (flags & SRNIC_REPLACE)
		mnl_attr_put(nlh, SRNIC_A_KEY_REPLACE, 0, NULL);
	mnl_attr_put(nlh, SRNIC_A_KEY_SECRET, secret->len, secret->bytes);
	err = nl_do(srnic, nlh);
	explicit_bzero(&request, sizeof(request));
	return err;
}

int srnic_key_add(struct srnic *srnic, const char *name, const void *secret, size_t len,
		  unsigned int flags)
{
	const struct secret key = { secret, len };

	if (flags & ~SRNIC_REPLACE)
		return fail(EINVAL, "unknown flags: %#x", flags & ~SRNIC_REPLACE);
	return send_secret(srnic, SRNIC_CMD_KEY_ADD, name, &key, flags);
}

int srnic_key_stage(struct srnic *srnic, const char *name, const void *secret, size_t len)
{
	const struct secret key = { secret, len };

	return send_secret(srnic, SRNIC_CMD_KEY_STAGE, name, &key, 0);
}

static int send_name(struct srnic *srnic, uint8_t cmd, const char *name)
{
	union nl_request request;
	struct nlmsghdr *nlh;
	int err;

	nlh = nl_begin(&request, cmd);
	err = nl_put_name(nlh, SRNIC_A_KEY_NAME, "key", name);
	return err ?: nl_do(srnic, nlh);
}

int srnic_key_promote(struct srnic *srnic, const char *name)
{
	return send_name(srnic, SRNIC_CMD_KEY_PROMOTE, name);
}

int srnic_key_retire(struct srnic *srnic, const char *name)
{
	return send_name(srnic, SRNIC_CMD_KEY_RETIRE, name);
}

int srnic_key_del(struct srnic *srnic, const char *name)
{
	return send_name(srnic, SRNIC_CMD_KEY_DEL, name);
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

uint32_t srnic_key_generation(const struct srnic_key *key)
{
	return nl_uint(nl_attr(&key->nlh, SRNIC_A_KEY_GENERATION));
}

uint64_t srnic_key_sealed(const struct srnic_key *key)
{
	return nl_uint(nl_attr(&key->nlh, SRNIC_A_KEY_SEALED));
}

unsigned int srnic_key_other_len(const struct srnic_key *key)
{
	return nl_uint(nl_attr(&key->nlh, SRNIC_A_KEY_OTHER_LEN));
}

bool srnic_key_is_staged(const struct srnic_key *key)
{
	const struct nlattr *other = nl_attr(&key->nlh, SRNIC_A_KEY_OTHER);

	return other && nl_uint(other) == SRNIC_KEY_SECRET_NEXT;
}
