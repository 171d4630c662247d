/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * nl - netlink requests and their answers. A list is the messages of an answer as received:
 * its members are messages, whose members are attributes. Nothing is unpacked before an
 * accessor reads it.
 */
#ifndef NL_H
#define NL_H

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <srnic/srnic.h>

#define NL_REQUEST_ROOM		512	/* bytes; enough for all attributes of a request */
#define NL_ANSWER_ROOM		(1 << 15)	/* bytes; the kernel sends no larger datagram */

/* A multicast group; @id 0: the kernel has none */
struct nl_group {
	uint32_t id;
	bool joined;
};

struct srnic {
	struct mnl_socket *socket;
	uint16_t family;
	struct nl_group events;	/* refused packets */
	struct nl_group keys;	/* missing keys */
	uint32_t seq;
	char answer[NL_ANSWER_ROOM];
};

struct srnic_list {
	size_t len;
	char messages[];
};

union nl_request {
	struct nlmsghdr nlh;
	char room[NL_REQUEST_ROOM];
};

/* attr.c: functions that need no kernel */
struct nlmsghdr *nl_begin(union nl_request *request, uint8_t cmd);
/* Return 0, or -EINVAL if the kernel would reject the name of a @what */
int nl_put_name(struct nlmsghdr *nlh, uint16_t type, const char *what, const char *name);

/* Return the message of @cmd after @nlh (NULL: the first); NULL if there is none */
const struct nlmsghdr *nl_next(const struct srnic_list *list, const struct nlmsghdr *nlh,
			       uint8_t cmd);
/* Return the next attribute of @type in a message; NULL if there is none */
const struct nlattr *nl_next_attr(const struct nlmsghdr *nlh, const struct nlattr *attr,
				  uint16_t type);
/* Return the first attribute of @type, or NULL */
const struct nlattr *nl_attr(const struct nlmsghdr *nlh, uint16_t type);
const struct nlattr *nl_nested(const struct nlattr *nest, uint16_t type);

/* Values of attributes; 0, "" or NULL if the attribute is missing or malformed */
uint64_t nl_uint(const struct nlattr *attr);
const char *nl_text(const struct nlattr *attr);
/* Return 16 bytes, or NULL */
const uint8_t *nl_address(const struct nlattr *attr);

/*
 * nl.c: functions return 0, or a negative errno value with the message set. A dump is
 * returned only as a whole; if it was interrupted by a change, it is repeated.
 */
int nl_connect(struct srnic *srnic);
int nl_do(struct srnic *srnic, struct nlmsghdr *nlh);
/* Dump without attributes in the request */
int nl_dump_all(struct srnic *srnic, uint8_t cmd, struct srnic_list **list);
/* Dump the objects of the device whose index is attribute @type, or of all (SRNIC_DEV_ALL) */
int nl_dump_of(struct srnic *srnic, uint8_t cmd, uint16_t type, uint32_t dev_index,
	       struct srnic_list **list);
/* Start receiving notifications of a group, unless already started */
int nl_listen(struct srnic *srnic, struct nl_group *group);
/* Return notifications; wait up to @timeout milliseconds (-1: for ever) for the first */
int nl_wait(struct srnic *srnic, int timeout, struct srnic_list **list);

#endif /* NL_H */
