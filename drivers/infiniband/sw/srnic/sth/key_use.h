/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_STH_KEY_USE_H
#define SRNIC_STH_KEY_USE_H

#include <linux/compiler.h>
#include <linux/types.h>

#define SRNIC_KEY_USE_STEP	(256 << 10)	/* bytes */

u32 srnic_key_use_begin(void);
void srnic_key_use_end(u32 id);
u64 srnic_key_use_bytes(u32 id);
void srnic_key_use_report(u32 id, u32 *bytes);

/* Count a packet of @len bytes in @bytes, which is reported in steps. */
static inline void srnic_key_use_count(u32 id, u32 *bytes, u32 len)
{
	*bytes += len;
	if (unlikely(*bytes >= SRNIC_KEY_USE_STEP))
		srnic_key_use_report(id, bytes);
}

#endif /* SRNIC_STH_KEY_USE_H */
