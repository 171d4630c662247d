// SPDX-License-Identifier: GPL-2.0
/*
 * Quotas on objects and on the pages that they hold: one row per kind (RFC 5042
 * 6.4.1 and 7.2, R18 and R31).
 *
 * The limits of a device start with the table's defaults and are set through
 * netlink. A limit below the present use revokes nothing; it only stops further
 * grants.
 *
 * A reserve is kept for the kernel and the administrator. Of the rest, a user
 * may hold at most as much as remains free: a single user half of it, two users
 * a third each, and so on (dynamic thresholds: Choudhury and Hahne, IEEE/ACM
 * Trans. Networking 6, 1998). A new user thus always finds something free,
 * users need not be counted or asked to give back, and no share is set aside
 * for absent users.
 */
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include "export.h"
#include "guard/guard.h"

#define SRNIC_QUOTA_ROW(quota, name_, limit_) \
	[SRNIC_QUOTA_##quota] = { .name = (name_), .limit = (limit_) }
#define SRNIC_QUOTA_PAGES(quota, name_, memory_) \
	[SRNIC_QUOTA_##quota] = { .name = (name_), .memory = (memory_) }

const struct srnic_quota_row srnic_quota_table[SRNIC_QUOTAS] = {
	SRNIC_QUOTA_ROW(UCONTEXT,	"ucontext",	16384),
	SRNIC_QUOTA_ROW(PD,		"pd",		32768),
	SRNIC_QUOTA_ROW(AH,		"ah",		65536),
	SRNIC_QUOTA_ROW(SRQ,		"srq",		32768),
	SRNIC_QUOTA_ROW(XRCD,		"xrcd",		32768),
	SRNIC_QUOTA_ROW(WQ,		"wq",		32768),
	SRNIC_QUOTA_ROW(RWQ_TABLE,	"rwq_table",	4096),
	SRNIC_QUOTA_ROW(FLOW,		"flow",		1024),
	SRNIC_QUOTA_ROW(QP,		"qp",		65536),
	SRNIC_QUOTA_ROW(CQ,		"cq",		65536),
	SRNIC_QUOTA_ROW(MR,		"mr",		1 << 19),
	/* the kernel calls each of them for each page that it takes back from the process */
	SRNIC_QUOTA_ROW(PAGED,		"paged_mr",	8192),
	SRNIC_QUOTA_ROW(MW,		"mw",		1 << 19),
	SRNIC_QUOTA_ROW(MCAST,		"mcast",	8192),
	SRNIC_QUOTA_ROW(MCAST_QP,	"mcast_qp",	65536),
	/*
	 * A page counts once for each region it is in: one user may register
	 * nearly all.
	 */
	SRNIC_QUOTA_PAGES(PINNED,	"pinned_pages",	200),
	SRNIC_QUOTA_PAGES(RING,		"ring_pages",	50),
	SRNIC_QUOTA_ROW(DEVICE,		"device_pages",	SZ_32M >> PAGE_SHIFT),
};

SRNIC_EXPORT_FOR_KUNIT(srnic_quota_table);

/**
 * srnic_quota_default_reserve() - Return the part of a limit for the kernel and the administrator
 * @limit: number of objects or pages; no other reserve has been set for it
 *
 * Context: any.
 */
u32 srnic_quota_default_reserve(u32 limit)
{
	return limit / 16;
}

/**
 * srnic_quota_default() - Return the default limit
 * @quota: kind of object or page
 *
 * Return: the limit that applies until an administrator sets another.
 */
u32 srnic_quota_default(enum srnic_quota quota)
{
	const struct srnic_quota_row *row = &srnic_quota_table[quota];
	u64 pages = div_u64((u64)totalram_pages() * row->memory, 100);

	return row->memory ? min_t(u64, pages, INT_MAX) : row->limit;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_quota_default);

/**
 * srnic_guard_init() - Initialise a guard without grants and with the default limits
 * @guard: guard of one device
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

/**
 * srnic_quota_is_fair() - Return whether grants would stay within a limit and a user's share
 * @state: the limit and its use
 * @held: how many the user holds; NULL: the kernel or the administrator, which no share restricts
 * @n: how many are to be granted; the result is that of granting one at a time
 *
 * Context: any.
 */
bool srnic_quota_is_fair(const struct srnic_quota_state *state, const u32 *held, u32 n)
{
	u32 reserve = held ? state->reserve : 0;
	u64 left;

	if ((u64)state->used + reserve + n > state->limit)
		return false;
	left = state->limit - state->used - reserve;
	return !held || *held + 2ULL * n <= left + 1;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_quota_is_fair);

static struct srnic_quota_state quota_state(const struct srnic_guard *guard,
					    enum srnic_quota quota)
	__must_hold(&guard->lock)
{
	lockdep_assert_held(&guard->lock);
	return (struct srnic_quota_state){
		.used = guard->used[quota],
		.limit = guard->limit[quota],
		.reserve = guard->reserve[quota],
	};
}

/**
 * srnic_quota_take_many() - Grant several objects or pages, all or none
 * @guard: guard of the device
 * @quota: kind of object or page
 * @user: user to charge; NULL: the kernel or the administrator, which no share
 *	restricts
 * @n: how many; srnic_quota_take() grants one
 *
 * The count never exceeds the limit, not even temporarily, so a refused call
 * cannot make a concurrent one fail.
 *
 * Context: any.
 * Return: 0, or -ENOMEM if the limit or the user's share has been reached
 * (documented for exhaustion by ibv_create_qp(3) and others).
 */
int srnic_quota_take_many(struct srnic_guard *guard, enum srnic_quota quota,
			  struct srnic_user *user, u32 n)
{
	struct srnic_quota_state state;
	unsigned long flags;
	int err = -ENOMEM;

	spin_lock_irqsave(&guard->lock, flags);
	state = quota_state(guard, quota);
	if (!srnic_quota_is_fair(&state, user ? &user->used[quota] : NULL, n))
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
 * srnic_quota_give_many() - Return granted objects or pages
 * @guard: guard of the device
 * @quota: kind of object or page
 * @user: user that was charged, or NULL
 * @n: how many; srnic_quota_give() returns one
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
 * srnic_quota_get() - Return the use and the limits of one kind of object
 * @guard: guard of the device
 * @quota: kind of object or page
 *
 * Context: any.
 * Return: a consistent snapshot.
 */
struct srnic_quota_state srnic_quota_get(struct srnic_guard *guard, enum srnic_quota quota)
{
	struct srnic_quota_state state;
	unsigned long flags;

	spin_lock_irqsave(&guard->lock, flags);
	state = quota_state(guard, quota);
	spin_unlock_irqrestore(&guard->lock, flags);
	return state;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_quota_get);

/**
 * srnic_quota_set() - Set a limit; existing grants are kept
 * @guard: guard of the device
 * @quota: kind of object or page
 * @limit: most objects that may be granted
 * @reserve: part of @limit that users cannot get; @limit or more leaves users
 *	nothing
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
