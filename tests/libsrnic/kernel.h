/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * kernel - stand-in for the kernel in tests of libsrnic and of the srnic command: replaces
 * libmnl's sockets, keeps the last request, and answers with what the test has prepared. It
 * shares no code with the library.
 */
#ifndef TEST_KERNEL_H
#define TEST_KERNEL_H

#include <stdbool.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/srnic.h>

#define KERNEL_ROOM	4096
#define KERNEL_FAMILY	0x4d
#define KERNEL_EVENTS	0x51	/* ids of the multicast groups */
#define KERNEL_KEYS	0x53

/* Concatenated messages */
struct test_messages {
	char *data;
	size_t len;
};

union test_message {
	struct nlmsghdr nlh;
	char room[KERNEL_ROOM];
};

struct test_kernel {
	unsigned int requests;		/* number of requests to the family */
	union test_message last;
	struct test_messages answers[SRNIC_CMD_MAX + 1];

	/* Faults to inject */
	const char *refusal;		/* fail the next request with this text ... */
	int err;			/* ... and this error; without a text, only the error */
	uint8_t refuse_cmd;		/* ... if it is this command; 0: any command */
	bool at_end;			/* fail dumps at their end */
	bool unknown;			/* srnic is not loaded */
	bool other_version;		/* the family has another version */
	bool nameless;			/* the controller omits the family's id */
	bool groupless;			/* the family has no groups */
	bool closed;			/* joining a group is not permitted */
	bool deaf;			/* requests cannot be sent */
	bool mute;			/* no answers arrive */
	unsigned int stale;		/* number of dumps to mark as interrupted */
	unsigned int interrupts;	/* number of reads to fail with EINTR */
	unsigned int strays;		/* number of answers preceded by one to another request */
	unsigned int per_read;		/* messages per read; 0: all */
	void (*mangle)(char *data, size_t len);	/* called on each answer before it is read */

	int sockets;			/* number of open sockets */
	bool cap_ack, ext_ack;		/* options that were set */
	uint32_t group;			/* group that was joined */
};

extern struct test_kernel kernel;

/* Reset all state except for open sockets */
void kernel_reset(void);
/* Add a message to the answer to @cmd: fill it in, then commit it. */
struct nlmsghdr *kernel_answer(uint8_t cmd);
void kernel_commit(struct nlmsghdr *nlh);
/* Instead of committing it, send it to the group. */
void kernel_tell(struct nlmsghdr *nlh);

/* A flow of a queue pair: @base sealed, one more opened, two more failed. Psn64 is 2^32. */
void kernel_put_flow(struct nlmsghdr *nlh, uint8_t side, uint32_t epoch, uint32_t base,
		     uint64_t replayed);

/* Parts of the last request */
uint8_t kernel_cmd(void);
const struct nlattr *kernel_attr(uint16_t type);
const struct nlattr *kernel_nested(uint16_t nest, uint16_t type);

/* Test whether an attribute is present and has this value */
bool attr_is_u8(const struct nlattr *attr, uint8_t value);
bool attr_is_u32(const struct nlattr *attr, uint32_t value);
bool attr_is_text(const struct nlattr *attr, const char *text);
bool attr_is_bytes(const struct nlattr *attr, const void *bytes, size_t len);

/* Add a node of the subnet to a message; @port: of the switch, 0: it is a manager */
void kernel_put_node(struct nlmsghdr *nlh, uint8_t last, uint8_t port, bool up);

#endif /* TEST_KERNEL_H */
