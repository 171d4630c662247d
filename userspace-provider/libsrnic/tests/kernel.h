/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * kernel - what stands in for the kernel in tests of libsrnic and of the srnic
 * command: it takes the place of libmnl's sockets, keeps the last request, and answers
 * with what it was given. It shares no code with the library.
 */
#ifndef TEST_KERNEL_H
#define TEST_KERNEL_H

#include <stdbool.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/srnic.h>

#define KERNEL_ROOM	4096
#define KERNEL_FAMILY	0x4d
#define KERNEL_EVENTS	0x51	/* number of the group */

/* Messages, one behind the other */
struct test_messages {
	char *data;
	size_t len;
};

union test_message {
	struct nlmsghdr nlh;
	char room[KERNEL_ROOM];
};

struct test_kernel {
	unsigned int requests;		/* to the family, of all kinds */
	union test_message last;
	struct test_messages answers[SRNIC_CMD_MAX + 1];

	/* What is not as it should be */
	const char *refusal;		/* the next request is refused, with this text, ... */
	int err;			/* ... and this error; without a text, that alone */
	uint8_t refuse_cmd;		/* ... if it is this; 0: whatever it is */
	bool at_end;			/* a dump is refused at its end */
	bool unknown;			/* there is no srnic */
	bool nameless;			/* the controller forgets to say the number */
	bool groupless;			/* the family has no groups */
	bool closed;			/* nobody may join one */
	bool deaf;			/* it takes no requests */
	bool mute;			/* it gives no answers */
	unsigned int stale;		/* so many dumps are not of one moment */
	unsigned int interrupts;	/* so many reads are interrupted */
	unsigned int strays;		/* so many answers come behind one to somebody else */
	unsigned int per_read;		/* messages at once; 0: all */
	void (*mangle)(char *data, size_t len);	/* the answer, before it is read */

	int sockets;			/* how many are open */
	bool cap_ack, ext_ack;		/* what they were told */
	uint32_t group;			/* which they have joined */
};

extern struct test_kernel kernel;

/* Forgets all but open sockets */
void kernel_reset(void);
/* Adds a message to the answer to @cmd: fill it, then commit it. */
struct nlmsghdr *kernel_answer(uint8_t cmd);
void kernel_commit(struct nlmsghdr *nlh);
/* Sends it to who listens, instead. */
void kernel_tell(struct nlmsghdr *nlh);

/* Of the last request */
uint8_t kernel_cmd(void);
const struct nlattr *kernel_attr(uint16_t type);
const struct nlattr *kernel_nested(uint16_t nest, uint16_t type);

/* Whether an attribute is there, and is this */
bool attr_is_u8(const struct nlattr *attr, uint8_t value);
bool attr_is_u32(const struct nlattr *attr, uint32_t value);
bool attr_is_text(const struct nlattr *attr, const char *text);
bool attr_is_bytes(const struct nlattr *attr, const void *bytes, size_t len);

#endif /* TEST_KERNEL_H */
