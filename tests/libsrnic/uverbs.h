/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * uverbs - stand-in for a context's file in tests of libsrnic: replaces ioctl(2), keeps the
 * last call as the kernel would have read it, and answers with what the test has prepared.
 * It shares no code with the library.
 */
#ifndef TEST_UVERBS_H
#define TEST_UVERBS_H

#include <stdbool.h>
#include <stdint.h>
#include <rdma/srnic-ioctl.h>

#define UVERBS_FD	4711
#define UVERBS_ROOM	128	/* maximum length of an attribute, in bytes */

struct test_attr {
	uint16_t id;
	uint16_t len;
	bool mandatory;
	uint64_t word;		/* handle, or address of input or output */
	uint8_t bytes[UVERBS_ROOM];	/* input data */
};

struct test_uverbs {
	unsigned int calls;	/* number of calls of known methods */
	bool malformed;		/* a call violated rdma-core's conventions */
	uint16_t object;	/* of the last call */
	uint16_t method;
	unsigned int num_attrs;
	struct test_attr attrs[4];

	int err;		/* error of all calls */
	bool foreign;		/* the device belongs to another driver */
	bool old;		/* the driver lacks these methods */
	struct srnic_ioctl_grant grant;		/* output of METHOD_MR_GRANT */
};

extern struct test_uverbs uverbs;

void uverbs_reset(void);
/* Return an attribute of the last call; NULL if it had none with this id */
const struct test_attr *uverbs_attr(uint16_t id);
bool uverbs_attr_is(uint16_t id, const void *bytes, uint16_t len);
bool uverbs_handle_is(uint16_t id, uint32_t handle);

#endif /* TEST_UVERBS_H */
