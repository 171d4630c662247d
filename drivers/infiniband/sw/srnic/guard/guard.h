/* SPDX-License-Identifier: GPL-2.0 */
/*
 * guard - the Privileged Resource Manager (RFC 5042 section 2): owns every limit,
 * grants and decides. Engine and verbs carry out.
 */
#ifndef SRNIC_GUARD_H
#define SRNIC_GUARD_H

#include <linux/atomic.h>
#include <linux/sizes.h>
#include <linux/types.h>

struct mm_struct;

/* What can be granted: one row of srnic_quota_table each (quota.c). */
enum srnic_quota {
	SRNIC_QUOTA_UCONTEXT,
	SRNIC_QUOTA_PD,
	SRNIC_QUOTA_AH,
	SRNIC_QUOTA_SRQ,
	SRNIC_QUOTA_QP,
	SRNIC_QUOTA_CQ,
	SRNIC_QUOTA_MR,
	SRNIC_QUOTA_MW,
	SRNIC_QUOTA_MCAST,	/* groups */
	SRNIC_QUOTA_MCAST_QP,	/* attachments in all */
	SRNIC_QUOTAS,
};

/* Limits that are not counts of objects: one place for all of them. */
#define SRNIC_MAX_QP_WR		16384
#define SRNIC_MAX_SRQ_WR	65536
#define SRNIC_MAX_CQE		SZ_1M
#define SRNIC_MAX_RD_ATOMIC	128	/* a QP, each way */
#define SRNIC_MAX_MSG		SZ_2G
#define SRNIC_MAX_MR_SIZE	(~0ULL)
#define SRNIC_MAX_FRMR_PAGES	512
#define SRNIC_MAX_MCAST_QP	64	/* attached to one group */
#define SRNIC_MAX_POLICIES	1024	/* rules of one network namespace */
#define SRNIC_MAX_KEYS		1024	/* keys of one network namespace */

struct srnic_quota_row {
	const char *name;
	u32 limit;		/* default */
};

extern const struct srnic_quota_row srnic_quota_table[SRNIC_QUOTAS];

struct srnic_guard {
	atomic_t used[SRNIC_QUOTAS];
	u32 limit[SRNIC_QUOTAS];
};

/* quota.c: any context */
void srnic_guard_init(struct srnic_guard *guard);
/* 0, or -ENOMEM (what libibverbs documents for exhaustion) */
int srnic_quota_take(struct srnic_guard *guard, enum srnic_quota quota);
void srnic_quota_give(struct srnic_guard *guard, enum srnic_quota quota);

/* account.c: who is charged for the pages of a ring, and for how many */
struct srnic_charge {
	struct mm_struct *mm;	/* NULL: nobody (a kernel consumer) */
	unsigned long pages;
};

int srnic_charge_pages(struct srnic_charge *charge, unsigned long pages);
void srnic_uncharge_pages(struct srnic_charge *charge);

#endif /* SRNIC_GUARD_H */
