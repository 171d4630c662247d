/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel - what stands in for the kernel in the command's tests: it keeps the last
 * request, and answers with what it was given.
 */
#ifndef TEST_KERNEL_H
#define TEST_KERNEL_H

#include "../srnic/nl.h"

struct test_kernel {
	unsigned int requests;	/* of all kinds */
	union nl_buf last;
	const char *refusal;	/* the next request is refused with this text */
	struct nl_list answers[SRNIC_CMD_MAX + 1];
};

extern struct test_kernel kernel;

void kernel_reset(void);
/* Adds a message to the answer to @cmd: fill it, then commit it. */
struct nlmsghdr *kernel_answer(uint8_t cmd);
void kernel_commit(struct nlmsghdr *nlh);

#endif /* TEST_KERNEL_H */
