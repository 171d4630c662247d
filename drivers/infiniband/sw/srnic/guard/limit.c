// SPDX-License-Identifier: GPL-2.0
/*
 * Limits on the behaviour of peers, set by the administrator: one row each. The
 * rooms that enforce a limit read it whenever they apply it.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include "export.h"
#include "guard/guard.h"

const struct srnic_limit_row srnic_limit_table[SRNIC_LIMITS] = {
	/* 24 days: jiffies compare correctly over this span on every machine */
	[SRNIC_LIMIT_IDLE] = { .name = "idle", .max = 24 * 24 * 3600 },
	[SRNIC_LIMIT_FAULTS] = { .name = "faults", .max = 1000000 },
	[SRNIC_LIMIT_CUTOFF] = { .name = "cutoff", .max = 24 * 24 * 3600 },
	[SRNIC_LIMIT_GREED] = { .name = "greed", .max = 1 },
	[SRNIC_LIMIT_ECN] = { .name = "ecn", .max = 1 },
};

SRNIC_EXPORT_FOR_KUNIT(srnic_limit_table);

/**
 * srnic_limit_get() - Return the present value of a limit
 * @guard: guard of the device
 * @limit: the limit
 *
 * Context: any.
 * Return: the value in the unit of the limit; 0: no limit.
 */
u32 srnic_limit_get(const struct srnic_guard *guard, enum srnic_limit limit)
{
	return READ_ONCE(guard->peer_limit[limit]);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_limit_get);

/**
 * srnic_limit_set() - Set a limit
 * @guard: guard of the device
 * @limit: the limit
 * @value: value in the unit of the limit; 0: no limit
 *
 * Context: any.
 * Return: 0, or -ERANGE if @value exceeds the maximum of the limit.
 */
int srnic_limit_set(struct srnic_guard *guard, enum srnic_limit limit, u32 value)
{
	if (value > srnic_limit_table[limit].max)
		return -ERANGE;
	WRITE_ONCE(guard->peer_limit[limit], value);
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_limit_set);
