// SPDX-License-Identifier: GPL-2.0
/*
 * Objects, and pages that they hold, granted by count: one row a kind (RFC 5042 6.4.1 and
 * 7.2, R18 and R31).
 *
 * A device's limits start as the table's and are set through netlink; a limit
 * that falls below what is in use takes nothing away, it only grants no more.
 *
 * A part is the kernel's and the administrator's. Of the rest a user gets no more than he
 * leaves to others: one alone half of it, two of them a third each, and so on (a threshold
 * that moves with what is free: Choudhury and Hahne, IEEE/ACM Trans. Networking 6, 1998).
 * There is always something for a newcomer, nobody has to be counted or asked to give
 * back, and no share lies unused for somebody who does not come.
 */
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include "../export.h"
#include "guard.h"

#define SRNIC_QUOTA_ROW(quota, name_, limit_) \
	[SRNIC_QUOTA_##quota] = { .name = (name_), .limit = (limit_) }
#define SRNIC_QUOTA_PAGES(quota, name_, memory_) \
	[SRNIC_QUOTA_##quota] = { .name = (name_), .memory = (memory_) }

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
	/* a page counts for each region that it is in: one user may register nearly all */
	SRNIC_QUOTA_PAGES(PINNED,	"pinned_pages",	200),
	SRNIC_QUOTA_PAGES(RING,		"ring_pages",	50),
};

SRNIC_EXPORT_FOR_KUNIT(srnic_quota_table);

u32 srnic_quota_default_reserve(u32 limit)
{
	return limit / 16;
}

/**
 * srnic_quota_default - a limit until an administrator sets another
 * @quota: kind of object, or of pages
 */
u32 srnic_quota_default(enum srnic_quota quota)
{
	const struct srnic_quota_row *row = &srnic_quota_table[quota];
	u64 pages = div_u64((u64)totalram_pages() * row->memory, 100);

	return row->memory ? min_t(u64, pages, INT_MAX) : row->limit;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_quota_default);

/**
 * srnic_guard_init - nothing granted yet, limits as the table has them
 * @guard: of one device
 */
void srnic_guard_init(struct srnic_guard *guard)
{
	spin_lock_init(&guard->lock);
	INIT_LIST_HEAD(&guard->users);
	for (unsigned int i = 0; i < SRNIC_QUOTAS; i++) {
		u32 limit = srnic_quota_default(i);

		guard->used[i] = 0;
		guard->limit[i] = limit;
		guard->reserve[i] = srnic_quota_default_reserve(limit);
	}
}

SRNIC_EXPORT_FOR_KUNIT(srnic_guard_init);

/* Are there @n more of them for this user, of which the last still leaves enough? */
static bool quota_has(const struct srnic_guard *guard, enum srnic_quota quota,
		      const struct srnic_user *user, u32 n)
	__must_hold(&guard->lock)
{
	u32 used = guard->used[quota], limit = guard->limit[quota];
	u32 reserve = user ? guard->reserve[quota] : 0;
	u64 left;

	lockdep_assert_held(&guard->lock);
	if ((u64)used + reserve + n > limit)
		return false;
	left = limit - used - reserve;
	return !user || user->used[quota] + 2ULL * n <= left + 1;
}

/**
 * srnic_quota_take_many - grant objects or pages: all, or none
 * @guard: of the device
 * @quota: kind of object
 * @user: for whom; NULL: the kernel, or the administrator, who may have all of them
 * @n: how many; srnic_quota_take(): one
 *
 * The count never rises above the limit, not even for a moment: a caller that is
 * refused cannot make another one fail.
 *
 * Context: any.
 * Return: 0, or -ENOMEM if the limit or the user's share has been reached
 * (ibv_create_qp(3) and its like document that for exhaustion).
 */
int srnic_quota_take_many(struct srnic_guard *guard, enum srnic_quota quota,
			  struct srnic_user *user, u32 n)
{
	unsigned long flags;
	int err = -ENOMEM;

	spin_lock_irqsave(&guard->lock, flags);
	if (!quota_has(guard, quota, user, n))
		goto unlock;
	guard->used[quota] += n;
	if (user)
		user->used[quota] += n;
	err = 0;
unlock:
	spin_unlock_irqrestore(&guard->lock, flags);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_quota_take_many);

/**
 * srnic_quota_give_many - they are gone
 * @guard: of the device
 * @quota: kind of object
 * @user: to whom they had been granted
 * @n: how many; srnic_quota_give(): one
 *
 * Context: any.
 */
void srnic_quota_give_many(struct srnic_guard *guard, enum srnic_quota quota,
			   struct srnic_user *user, u32 n)
{
	unsigned long flags;

	spin_lock_irqsave(&guard->lock, flags);
	guard->used[quota] -= n;
	if (user)
		user->used[quota] -= n;
	spin_unlock_irqrestore(&guard->lock, flags);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_quota_give_many);

/**
 * srnic_quota_get - how much there is, and how much is taken
 * @guard: of the device
 * @quota: kind of object
 *
 * Context: any.
 */
struct srnic_quota_state srnic_quota_get(struct srnic_guard *guard, enum srnic_quota quota)
{
	struct srnic_quota_state state;
	unsigned long flags;

	spin_lock_irqsave(&guard->lock, flags);
	state.used = guard->used[quota];
	state.limit = guard->limit[quota];
	state.reserve = guard->reserve[quota];
	spin_unlock_irqrestore(&guard->lock, flags);
	return state;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_quota_get);

/**
 * srnic_quota_set - from now on; nobody loses what he has
 * @guard: of the device
 * @quota: kind of object
 * @limit: how many there may be
 * @reserve: how many of these no user gets; not less than @limit: none is for users
 *
 * Context: any.
 */
void srnic_quota_set(struct srnic_guard *guard, enum srnic_quota quota, u32 limit, u32 reserve)
{
	unsigned long flags;

	spin_lock_irqsave(&guard->lock, flags);
	guard->limit[quota] = limit;
	guard->reserve[quota] = reserve;
	spin_unlock_irqrestore(&guard->lock, flags);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_quota_set);
