/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* wake - an eventfd as a flag: readable if it is set */
#ifndef WAKE_H
#define WAKE_H

#include <stdint.h>
#include <unistd.h>

static inline void wake_set(int fd)
{
	uint64_t one = 1;
	ssize_t done;

	done = write(fd, &one, sizeof(one));
	(void)done;	/* full: it is readable */
}

/* @fd is nonblocking. */
static inline void wake_clear(int fd)
{
	uint64_t count;
	ssize_t done;

	done = read(fd, &count, sizeof(count));
	(void)done;	/* empty: it is unreadable */
}

#endif /* WAKE_H */
