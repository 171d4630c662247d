// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Netlink transport: one request at a time, and its complete answer.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include "error.h"
#include "nl.h"

#define DUMP_TRIES	10
#define MAX_ERRNO	4095	/* same as in the kernel */

/* An answer that is being received */
struct answer {
	struct srnic_list *list;
	bool no_memory;
	bool stale;		/* the dump was interrupted by a change */
};

/* Return the text of the extended ACK, or NULL. */
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

/* @negative: errno value as received */
static int explain(const struct srnic *srnic, int negative, const char *text)
{
	int err;

	if (negative > 0 || negative < -MAX_ERRNO)
		return fail(EPROTO, "the kernel's answer is malformed: update module and library together");
	err = -negative;
	if (!srnic->family && err == ENOENT)
		return fail(err, "the kernel does not know srnic: load it with 'modprobe srnic'");
	if (text)
		return fail(err, "%s", text);
	if (err == EOPNOTSUPP)
		return fail(err, "the module does not know this request: "
			    "load one of this version ('srnic doctor')");
	if (err == EPERM)
		return fail(err, "not permitted: needs CAP_NET_ADMIN in this network namespace");
	return fail(err, "the kernel refused: %s", strerror(err));
}

/* NLMSG_ERROR: answers a request that has no other answer, or reports an error */
static int take_ack(const struct srnic *srnic, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*err))
		return fail(EPROTO, "the kernel's answer is malformed: update module and library together");
	if (!err->error)
		return 0;
	/* NETLINK_CAP_ACK: attributes follow directly, without a copy of the request */
	return explain(srnic, err->error, ack_text(nlh, sizeof(*err)));
}

/* NLMSG_DONE: ends a dump, successful or not */
static int take_done(const struct srnic *srnic, const struct nlmsghdr *nlh)
{
	const int *err = mnl_nlmsg_get_payload(nlh);

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*err) || *err >= 0)
		return 0;
	return explain(srnic, *err, ack_text(nlh, sizeof(*err)));
}

/* After an allocation failure keep reading: the rest would precede the next answer. */
static void take_message(struct answer *answer, const struct nlmsghdr *nlh)
{
	size_t before = answer->list ? answer->list->len : 0;
	size_t len = NLMSG_ALIGN(nlh->nlmsg_len);
	struct srnic_list *list;

	if (answer->no_memory || mnl_nlmsg_get_payload_len(nlh) < sizeof(struct genlmsghdr))
		return;
	list = realloc(answer->list, sizeof(*list) + before + len);
	if (!list) {
		answer->no_memory = true;
		return;
	}
	memset(list->messages + before, 0, len);
	memcpy(list->messages + before, nlh, nlh->nlmsg_len);
	list->len = before + len;
	answer->list = list;
}

/* Return 1 if the answer continues; otherwise it is complete. */
static int take(const struct srnic *srnic, struct answer *answer, const struct nlmsghdr *nlh)
{
	if (nlh->nlmsg_seq != srnic->seq)
		return 1;
	if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
		answer->stale = true;
	if (nlh->nlmsg_type == NLMSG_ERROR)
		return take_ack(srnic, nlh);
	if (nlh->nlmsg_type == NLMSG_DONE)
		return take_done(srnic, nlh);
	if (nlh->nlmsg_type >= NLMSG_MIN_TYPE)
		take_message(answer, nlh);
	return 1;
}

/* mnl_nlmsg_ok() compares lengths as int and accepts one above INT_MAX. */
static bool message_ok(const struct nlmsghdr *nlh, int left)
{
	return mnl_nlmsg_ok(nlh, left) && nlh->nlmsg_len <= (unsigned int)left;
}

static int receive(struct srnic *srnic, struct answer *answer)
{
	const struct nlmsghdr *nlh;
	ssize_t got;
	int left;
	int err;

	for (;;) {
		got = mnl_socket_recvfrom(srnic->socket, srnic->answer, sizeof(srnic->answer));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail(errno, "no answer from the kernel: %s", strerror(errno));
		left = got;
		for (nlh = (void *)srnic->answer; message_ok(nlh, left);
		     nlh = mnl_nlmsg_next(nlh, &left)) {
			err = take(srnic, answer, nlh);
			if (err <= 0)
				return err;
		}
	}
}

/* On success, @answer has a list, which may be empty; on error, it is freed. */
static int complete(struct answer *answer, int err)
{
	if (!err && !answer->list && !answer->no_memory)
		answer->list = calloc(1, sizeof(*answer->list));
	if (!err && (answer->no_memory || !answer->list))
		err = fail(ENOMEM, "out of memory");
	if (err)
		free(answer->list);
	return err;
}

/* Send a request and receive the answer; the list is as for complete() */
static int transact(struct srnic *srnic, struct nlmsghdr *nlh, struct answer *answer)
{
	memset(answer, 0, sizeof(*answer));
	nlh->nlmsg_seq = ++srnic->seq;
	if (mnl_socket_sendto(srnic->socket, nlh, nlh->nlmsg_len) < 0)
		return fail(errno, "cannot ask the kernel: %s", strerror(errno));

	return complete(answer, receive(srnic, answer));
}

/* Return the id of a multicast group of our family */
static uint32_t find_group(const struct nlattr *groups, const char *name)
{
	const struct nlattr *group;

	if (groups)
		mnl_attr_for_each_nested(group, groups)
			if (!strcmp(nl_text(nl_nested(group, CTRL_ATTR_MCAST_GRP_NAME)), name))
				return nl_uint(nl_nested(group, CTRL_ATTR_MCAST_GRP_ID));
	return 0;
}

/* @found: the controller's description of the family */
static int take_family(struct srnic *srnic, const struct nlmsghdr *found)
{
	const struct nlattr *groups = nl_attr(found, CTRL_ATTR_MCAST_GROUPS);
	unsigned int version = nl_uint(nl_attr(found, CTRL_ATTR_VERSION));

	if (version != SRNIC_FAMILY_VERSION)
		return fail(EPROTO, "the module has version %u of the netlink family, this library %u: "
			    "install both from one tree", version, SRNIC_FAMILY_VERSION);
	srnic->family = nl_uint(nl_attr(found, CTRL_ATTR_FAMILY_ID));
	srnic->events.id = find_group(groups, SRNIC_MCGRP_EVENTS);
	srnic->keys.id = find_group(groups, SRNIC_MCGRP_KEYS);
	return 0;
}

/* Ask the controller for the ids of the family and its group. */
static int find_family(struct srnic *srnic)
{
	const struct nlmsghdr *found;
	union nl_request request;
	struct answer answer;
	int err;

	nl_begin(&request, CTRL_CMD_GETFAMILY);
	request.nlh.nlmsg_type = GENL_ID_CTRL;
	request.nlh.nlmsg_flags |= NLM_F_ACK;
	mnl_attr_put_strz(&request.nlh, CTRL_ATTR_FAMILY_NAME, SRNIC_FAMILY_NAME);
	err = transact(srnic, &request.nlh, &answer);
	if (err)
		return err;

	found = nl_next(answer.list, NULL, CTRL_CMD_NEWFAMILY);
	if (found)
		err = take_family(srnic, found);
	free(answer.list);
	if (!err && !srnic->family)
		err = fail(EPROTO, "the kernel's answer has no id of srnic's netlink family");
	return err;
}

int nl_connect(struct srnic *srnic)
{
	int on = 1;

	/* Without NETLINK_CAP_ACK, the kernel would copy keys back in error messages */
	if (mnl_socket_bind(srnic->socket, 0, MNL_SOCKET_AUTOPID) < 0 ||
	    mnl_socket_setsockopt(srnic->socket, NETLINK_CAP_ACK, &on, sizeof(on)) < 0 ||
	    mnl_socket_setsockopt(srnic->socket, NETLINK_EXT_ACK, &on, sizeof(on)) < 0)
		return fail(errno, "cannot set up a netlink socket: %s", strerror(errno));
	return find_family(srnic);
}

int nl_do(struct srnic *srnic, struct nlmsghdr *nlh)
{
	struct answer answer;
	int err;

	nlh->nlmsg_type = srnic->family;
	nlh->nlmsg_flags |= NLM_F_ACK;
	err = transact(srnic, nlh, &answer);
	if (!err)
		free(answer.list);
	return err;
}

static int nl_dump(struct srnic *srnic, struct nlmsghdr *nlh, struct srnic_list **list)
{
	struct answer answer;
	unsigned int tries;
	int err;

	*list = NULL;
	nlh->nlmsg_type = srnic->family;
	nlh->nlmsg_flags |= NLM_F_DUMP;
	for (tries = 0; tries < DUMP_TRIES; tries++) {
		err = transact(srnic, nlh, &answer);
		if (err)
			return err;
		if (!answer.stale) {
			*list = answer.list;
			return 0;
		}
		free(answer.list);
	}
	return fail(EAGAIN, "the list changes faster than it can be read: try again");
}

int nl_dump_all(struct srnic *srnic, uint8_t cmd, struct srnic_list **list)
{
	union nl_request request;

	return nl_dump(srnic, nl_begin(&request, cmd), list);
}

int nl_dump_of(struct srnic *srnic, uint8_t cmd, uint16_t type, uint32_t dev_index,
	       struct srnic_list **list)
{
	union nl_request request;
	struct nlmsghdr *nlh = nl_begin(&request, cmd);

	if (dev_index != SRNIC_DEV_ALL)
		mnl_attr_put_u32(nlh, type, dev_index);
	return nl_dump(srnic, nlh, list);
}

int nl_listen(struct srnic *srnic, struct nl_group *group)
{
	if (group->joined)
		return 0;
	if (mnl_socket_setsockopt(srnic->socket, NETLINK_ADD_MEMBERSHIP, &group->id,
				  sizeof(group->id)) < 0)
		return explain(srnic, -errno, NULL);
	group->joined = true;
	return 0;
}

/* Take notifications only */
static void take_events(const struct srnic *srnic, struct answer *answer, int len)
{
	const struct nlmsghdr *nlh;

	for (nlh = (void *)srnic->answer; message_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len))
		if (nlh->nlmsg_type == srnic->family && !nlh->nlmsg_seq)
			take_message(answer, nlh);
}

int nl_wait(struct srnic *srnic, int timeout, struct srnic_list **list)
{
	struct pollfd pollfd = { .fd = mnl_socket_get_fd(srnic->socket), .events = POLLIN };
	struct answer answer = {};
	ssize_t got;
	int ready;
	int err;

	ready = poll(&pollfd, 1, timeout);
	if (ready < 0)
		return fail(errno, "cannot wait for events: %s", strerror(errno));
	if (ready) {
		got = mnl_socket_recvfrom(srnic->socket, srnic->answer, sizeof(srnic->answer));
		if (got < 0)
			return fail(errno, "events were lost: %s", strerror(errno));
		take_events(srnic, &answer, got);
	}
	err = complete(&answer, 0);
	if (!err)
		*list = answer.list;
	return err;
}
