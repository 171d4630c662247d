// SPDX-License-Identifier: GPL-2.0
/*
 * Objects granted by count: one row a kind (RFC 5042 6.4.1, R18).
 *
 * A device's limits start as the table's and are set through netlink; a limit
 * that falls below what is in use takes nothing away, it only grants no more.
 */
#include <linux/errno.h>
#include "../export.h"
#include "guard.h"

#define SRNIC_QUOTA_ROW(quota, name_, limit_) \
	[SRNIC_QUOTA_##quota] = { .name = (name_), .limit = (limit_) }

const struct srnic_quota_row srnic_quota_table[SRNIC_QUOTAS] = {
	SRNIC_QUOTA_ROW(UCONTEXT,	"ucontext",	16384),
	SRNIC_QUOTA_ROW(PD,		"pd",		32768),
	SRNIC_QUOTA_ROW(AH,		"ah",		65536),
	SRNIC_QUOTA_ROW(SRQ,		"srq",		32768),
	SRNIC_QUOTA_ROW(QP,		"qp",		65536),
	SRNIC_QUOTA_ROW(CQ,		"cq",		65536),
	SRNIC_QUOTA_ROW(MR,		"mr",		1 << 19),
	SRNIC_QUOTA_ROW(MW,		"mw",		1 << 19),
	SRNIC_QUOTA_ROW(MCAST,		"mcast",	8192),
	SRNIC_QUOTA_ROW(MCAST_QP,	"mcast_qp",	65536),
};

SRNIC_EXPORT_FOR_KUNIT(srnic_quota_table);

/**
 * srnic_guard_init - nothing granted yet, limits as the table has them
 * @guard: of one device
 */
void srnic_guard_init(struct srnic_guard *guard)
{
	for (unsigned int i = 0; i < SRNIC_QUOTAS; i++) {
		atomic_set(&guard->used[i], 0);
		guard->limit[i] = srnic_quota_table[i].limit;
	}
}

SRNIC_EXPORT_FOR_KUNIT(srnic_guard_init);

/**
 * srnic_quota_take - grant one object
 * @guard: of the device
 * @quota: kind of object
 *
 * The count never rises above the limit, not even for a moment: a caller that is
 * refused cannot make another one fail.
 *
 * Context: any.
 * Return: 0, or -ENOMEM if the limit has been reached (ibv_create_qp(3) and its
 * like document that for exhaustion).
 */
int srnic_quota_take(struct srnic_guard *guard, enum srnic_quota quota)
{
	int used = atomic_read(&guard->used[quota]);

	do {
		if ((u32)used >= READ_ONCE(guard->limit[quota]))
			return -ENOMEM;
	} while (!atomic_try_cmpxchg(&guard->used[quota], &used, used + 1));

	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_quota_take);

/**
 * srnic_quota_give - an object is gone
 * @guard: of the device
 * @quota: kind of object
 *
 * Context: any.
 */
void srnic_quota_give(struct srnic_guard *guard, enum srnic_quota quota)
{
	atomic_dec(&guard->used[quota]);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_quota_give);
