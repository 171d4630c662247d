/* SPDX-License-Identifier: GPL-2.0 */
/*
 * nl - requests to the kernel. Commands build them with nl_begin() and libmnl's
 * mnl_attr_put*; the tests put something else in the kernel's place.
 */
#ifndef NL_H
#define NL_H

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/srnic.h>

#define NL_ROOM		1024

/* An attribute table as large as the largest set needs */
#define NL_ATTRS	16
typedef const struct nlattr *nl_attrs[NL_ATTRS];

union nl_buf {
	struct nlmsghdr nlh;
	char room[NL_ROOM];
};

struct nlmsghdr *nl_begin(union nl_buf *buf, uint8_t cmd);

/* The messages of an answer, one behind the other */
struct nl_list {
	char *data;
	size_t len;
};

#define nl_for_each(nlh, left, list)					\
	for ((nlh) = (void *)(list)->data, (left) = (list)->len;	\
	     mnl_nlmsg_ok(nlh, left);					\
	     (nlh) = mnl_nlmsg_next(nlh, &(left)))

/*
 * CLI_OK, or CLI_REFUSED with a line on cli.err. A dump's answer is there as a whole
 * before any of it is shown, and is of one moment; free(list->data).
 */
int nl_do(const char *where, struct nlmsghdr *nlh);
int nl_dump(const char *where, struct nlmsghdr *nlh, struct nl_list *list);

void nl_parse_nested(const struct nlattr *nest, nl_attrs tb);
void nl_parse(const struct nlmsghdr *nlh, nl_attrs tb);

/* Values of attributes that may not be there: 0, "" */
uint8_t nl_u8(const struct nlattr *attr);
uint32_t nl_u32(const struct nlattr *attr);
uint64_t nl_uint(const struct nlattr *attr);
const char *nl_text(const struct nlattr *attr);

#endif /* NL_H */
