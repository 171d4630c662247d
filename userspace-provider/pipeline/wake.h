/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * wake - an eventfd as a flag: readable if it is set. The system calls themselves, because read(2)
 * and write(2) are cancellation points, and the caller may hold the pipeline's lock.
 */
#ifndef WAKE_H
#define WAKE_H

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline void wake_set(int fd)
{
	uint64_t one = 1;

	/* full: it is readable */
	syscall(SYS_write, fd, &one, sizeof(one));
}

/* @fd is nonblocking. */
static inline void wake_clear(int fd)
{
	uint64_t count;

	/* empty: it is unreadable */
	syscall(SYS_read, fd, &count, sizeof(count));
}

#endif /* WAKE_H */
