/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * nl - requests and their answers. A list is the messages of an answer, as they came;
 * its members are messages, and their members attributes. Nothing is unpacked before
 * it is asked for.
 */
#ifndef NL_H
#define NL_H

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <srnic/srnic.h>

#define NL_REQUEST_ROOM		512	/* all attributes that a request can have */
#define NL_ANSWER_ROOM		(1 << 15)	/* the kernel never sends more at once */

struct srnic {
	struct mnl_socket *socket;
	uint16_t family;
	uint32_t events;	/* the number of their group; 0: there is none */
	bool listening;
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

/* attr.c: what needs no kernel */
struct nlmsghdr *nl_begin(union nl_request *request, uint8_t cmd);
/* 0, or -EINVAL if the kernel would not take it as the name of a @what */
int nl_put_name(struct nlmsghdr *nlh, uint16_t type, const char *what, const char *name);

/* The message behind @nlh (NULL: the first) that belongs to @cmd; NULL if there is none */
const struct nlmsghdr *nl_next(const struct srnic_list *list, const struct nlmsghdr *nlh,
			       uint8_t cmd);
/* The same of a message's attributes, which may come several times */
const struct nlattr *nl_next_attr(const struct nlmsghdr *nlh, const struct nlattr *attr,
				  uint16_t type);
/* The only one, or NULL */
const struct nlattr *nl_attr(const struct nlmsghdr *nlh, uint16_t type);
const struct nlattr *nl_nested(const struct nlattr *nest, uint16_t type);

/* Values of attributes that may not be there, or not be what they should: 0, "", NULL */
uint64_t nl_uint(const struct nlattr *attr);
const char *nl_text(const struct nlattr *attr);
/* 16 bytes, or NULL */
const uint8_t *nl_address(const struct nlattr *attr);

/*
 * nl.c: 0, or a negative errno value with the line noted. A dump's answer is there as a
 * whole; if the kernel says that it is not of one moment, the dump is asked for again.
 */
int nl_connect(struct srnic *srnic);
int nl_do(struct srnic *srnic, struct nlmsghdr *nlh);
/* A dump that is asked for without attributes */
int nl_dump_all(struct srnic *srnic, uint8_t cmd, struct srnic_list **list);
/* A dump of what one device has, whose index is the attribute @type, or all (SRNIC_DEV_ALL) */
int nl_dump_of(struct srnic *srnic, uint8_t cmd, uint16_t type, uint32_t dev_index,
	       struct srnic_list **list);
/* Events come in from now on, if they do not yet */
int nl_listen(struct srnic *srnic);
/* Those that have come, after a wait of so many milliseconds (-1: for ever) for the first */
int nl_wait(struct srnic *srnic, int timeout, struct srnic_list **list);

#endif /* NL_H */
