// SPDX-License-Identifier: GPL-2.0
/*
 * The way to the kernel: one generic netlink socket, one request at a time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "nl.h"

#define SOCKET_BUFFER	(1 << 15)
#define DUMP_TRIES	10

static struct {
	struct mnl_socket *socket;
	uint16_t family;
	unsigned int seq;
} nl;

/* What the kernel had to say, if anything: the extended acknowledgement's text. */
static const char *ack_text(const struct nlmsghdr *nlh, size_t payload)
{
	const struct nlattr *attr;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return NULL;
	mnl_attr_for_each(attr, nlh, payload)
		if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG &&
		    mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
			return mnl_attr_get_str(attr);
	return NULL;
}

static int explain(const char *where, int error, const char *text)
{
	if (!nl.family && error == ENOENT)
		return cli_refused(where, "the kernel does not know srnic: load it with 'modprobe srnic'");
	if (text)
		return cli_refused(where, "%s", text);
	if (error == EPERM)
		return cli_refused(where, "not permitted: needs CAP_NET_ADMIN in this network namespace");
	return cli_refused(where, "the kernel refused: %s", strerror(error));
}

/* NLMSG_ERROR: the answer to a request that has no other, or to a wrong one */
static int take_ack(const char *where, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	size_t payload = sizeof(*err);

	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		payload += mnl_nlmsg_get_payload_len(&err->msg);
	if (!err->error)
		return CLI_OK;
	return explain(where, -err->error, ack_text(nlh, payload));
}

/* NLMSG_DONE: the end of a dump, complete or not */
static int take_done(const char *where, const struct nlmsghdr *nlh)
{
	const int *error = mnl_nlmsg_get_payload(nlh);

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*error) || *error >= 0)
		return CLI_OK;
	return explain(where, -*error, ack_text(nlh, sizeof(*error)));
}

static void append(struct nl_list *list, const struct nlmsghdr *nlh)
{
	size_t len = NLMSG_ALIGN(nlh->nlmsg_len);

	list->data = realloc(list->data, list->len + len);
	if (!list->data) {
		fputs("srnic: out of memory\n", cli.err);
		exit(CLI_REFUSED);
	}
	memset(list->data + list->len, 0, len);
	memcpy(list->data + list->len, nlh, nlh->nlmsg_len);
	list->len += len;
}

/* Reads until the answer is complete. @stale: it was not of one moment. */
static int receive(const char *where, struct nl_list *list, bool *stale)
{
	static char buf[SOCKET_BUFFER];
	const struct nlmsghdr *nlh;
	ssize_t got;
	int left;

	for (;;) {
		got = mnl_socket_recvfrom(nl.socket, buf, sizeof(buf));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return cli_refused(where, "no answer from the kernel: %s", strerror(errno));
		left = got;
		for (nlh = (void *)buf; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left)) {
			if (nlh->nlmsg_seq != nl.seq)
				continue;
			if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
				*stale = true;
			if (nlh->nlmsg_type == NLMSG_ERROR)
				return take_ack(where, nlh);
			if (nlh->nlmsg_type == NLMSG_DONE)
				return take_done(where, nlh);
			if (nlh->nlmsg_type >= NLMSG_MIN_TYPE)
				append(list, nlh);
		}
	}
}

static int transact(const char *where, struct nlmsghdr *nlh, struct nl_list *list, bool *stale)
{
	memset(list, 0, sizeof(*list));
	*stale = false;
	nlh->nlmsg_seq = ++nl.seq;
	if (mnl_socket_sendto(nl.socket, nlh, nlh->nlmsg_len) < 0)
		return cli_refused(where, "cannot ask the kernel: %s", strerror(errno));
	return receive(where, list, stale);
}

/* The number that our family has got, from the controller's. */
static int find_family(const char *where)
{
	const struct nlmsghdr *nlh;
	struct nl_list list;
	union nl_buf buf;
	nl_attrs tb;
	bool stale;
	int left;
	int err;

	nl_begin(&buf, CTRL_CMD_GETFAMILY);
	buf.nlh.nlmsg_type = GENL_ID_CTRL;
	buf.nlh.nlmsg_flags |= NLM_F_ACK;
	mnl_attr_put_strz(&buf.nlh, CTRL_ATTR_FAMILY_NAME, SRNIC_FAMILY_NAME);
	err = transact(where, &buf.nlh, &list, &stale);
	nl_for_each(nlh, left, &list) {
		nl_parse(nlh, tb);
		nl.family = nl_u32(tb[CTRL_ATTR_FAMILY_ID]);
	}
	free(list.data);
	return err;
}

static int connect_once(const char *where)
{
	int on = 1;

	if (nl.family)
		return CLI_OK;

	nl.socket = mnl_socket_open(NETLINK_GENERIC);
	if (!nl.socket || mnl_socket_bind(nl.socket, 0, MNL_SOCKET_AUTOPID) < 0)
		return cli_refused(where, "no netlink socket: %s", strerror(errno));
	/* a kernel that does not know them says less, and that is all */
	mnl_socket_setsockopt(nl.socket, NETLINK_EXT_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(nl.socket, NETLINK_CAP_ACK, &on, sizeof(on));
	return find_family(where);
}

static int prepare(const char *where, struct nlmsghdr *nlh, uint16_t flags)
{
	int err = connect_once(where);

	if (err)
		return err;
	nlh->nlmsg_type = nl.family;
	nlh->nlmsg_flags |= flags;
	return CLI_OK;
}

int nl_do(const char *where, struct nlmsghdr *nlh)
{
	struct nl_list list;
	bool stale;
	int err;

	err = prepare(where, nlh, NLM_F_ACK);
	if (err)
		return err;
	err = transact(where, nlh, &list, &stale);
	free(list.data);
	return err;
}

int nl_dump(const char *where, struct nlmsghdr *nlh, struct nl_list *list)
{
	unsigned int tries;
	bool stale;
	int err;

	memset(list, 0, sizeof(*list));
	err = prepare(where, nlh, NLM_F_DUMP);
	if (err)
		return err;

	for (tries = 0; tries < DUMP_TRIES; tries++) {
		err = transact(where, nlh, list, &stale);
		if (!err && !stale)
			return CLI_OK;
		free(list->data);
		list->data = NULL;
		if (err)
			return err;
	}
	return cli_refused(where, "the list changes faster than it can be read: try again");
}
