// SPDX-License-Identifier: GPL-2.0
/*
 * Limits of what a peer may do, by an administrator's rule: one row each. Those who
 * carry them out look at them when they are due.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include "../export.h"
#include "guard.h"

const struct srnic_limit_row srnic_limit_table[SRNIC_LIMITS] = {
	/* 24 days, which jiffies can be compared over on every machine */
	[SRNIC_LIMIT_IDLE] = { .name = "idle", .max = 24 * 24 * 3600 },
	[SRNIC_LIMIT_FAULTS] = { .name = "faults", .max = 1000000 },
	[SRNIC_LIMIT_CUTOFF] = { .name = "cutoff", .max = 24 * 24 * 3600 },
	[SRNIC_LIMIT_GREED] = { .name = "greed", .max = 1 },
	[SRNIC_LIMIT_ECN] = { .name = "ecn", .max = 1 },
};

SRNIC_EXPORT_FOR_KUNIT(srnic_limit_table);

/**
 * srnic_limit_get - what holds now
 * @guard: of the device
 * @limit: which
 *
 * Context: any.
 * Return: in the unit of the limit; 0: there is none.
 */
u32 srnic_limit_get(const struct srnic_guard *guard, enum srnic_limit limit)
{
	return READ_ONCE(guard->stream[limit]);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_limit_get);

/**
 * srnic_limit_set - what holds from now on
 * @guard: of the device
 * @limit: which
 * @value: in its unit; 0: there is none
 *
 * Context: any.
 * Return: 0, or -ERANGE if it is more than can be.
 */
int srnic_limit_set(struct srnic_guard *guard, enum srnic_limit limit, u32 value)
{
	if (value > srnic_limit_table[limit].max)
		return -ERANGE;
	WRITE_ONCE(guard->stream[limit], value);
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_limit_set);
