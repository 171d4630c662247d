/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fast copies. main calls srnic_move_init() at module load.
 */
#ifndef SRNIC_MOVE_H
#define SRNIC_MOVE_H

#include <linux/string.h>
#include <linux/types.h>

extern size_t srnic_move_from;

void srnic_move_init(void);
void srnic_move_string(void *dst, const void *src, size_t len);

/* Copy like memcpy(), in ascending order of addresses. */
static inline void srnic_move(void *dst, const void *src, size_t len)
{
	if (len < srnic_move_from)
		memcpy(dst, src, len);
	else
		srnic_move_string(dst, src, len);
}

#endif /* SRNIC_MOVE_H */
