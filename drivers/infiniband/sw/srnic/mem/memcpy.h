/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fast copies. main calls srnic_memcpy_init() at module load.
 */
#ifndef SRNIC_MEMCPY_H
#define SRNIC_MEMCPY_H

#include <linux/string.h>
#include <linux/types.h>

extern size_t srnic_memcpy_string_min;

void srnic_memcpy_init(void);
void srnic_memcpy_string(void *dst, const void *src, size_t len);

/* Copy like memcpy(), in ascending order of addresses. */
static inline void srnic_memcpy(void *dst, const void *src, size_t len)
{
	if (len < srnic_memcpy_string_min)
		memcpy(dst, src, len);
	else
		srnic_memcpy_string(dst, src, len);
}

#endif /* SRNIC_MEMCPY_H */
