/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * uverbs - what stands in for a context's file in tests of libsrnic: it takes the place of
 * ioctl(2), keeps the last call as the kernel would have read it, and answers with what it
 * was given. It shares no code with the library.
 */
#ifndef TEST_UVERBS_H
#define TEST_UVERBS_H

#include <stdbool.h>
#include <stdint.h>
#include <rdma/srnic-ioctl.h>

#define UVERBS_FD	4711
#define UVERBS_ROOM	128	/* no attribute is longer */

struct test_attr {
	uint16_t id;
	uint16_t len;
	bool mandatory;
	uint64_t word;		/* handle, or where data is read from or written to */
	uint8_t bytes[UVERBS_ROOM];	/* what was put */
};

struct test_uverbs {
	unsigned int calls;	/* of methods that there are */
	bool malformed;		/* some call was, as rdma-core never makes one */
	uint16_t object;	/* of the last call */
	uint16_t method;
	unsigned int num_attrs;
	struct test_attr attrs[4];

	int err;		/* all calls are refused */
	bool foreign;		/* the device is another driver's */
	bool old;		/* the driver knows none of these methods */
	struct srnic_ioctl_grant grant;		/* what it grants */
};

extern struct test_uverbs uverbs;

void uverbs_reset(void);
/* Of the last call; NULL if it had none such */
const struct test_attr *uverbs_attr(uint16_t id);
bool uverbs_attr_is(uint16_t id, const void *bytes, uint16_t len);
bool uverbs_handle_is(uint16_t id, uint32_t handle);

#endif /* TEST_UVERBS_H */
