/* SPDX-License-Identifier: GPL-2.0 */
/*
 * guard - the Privileged Resource Manager (RFC 5042 section 2): owns every limit,
 * grants and decides. Engine and verbs carry out.
 */
#ifndef SRNIC_GUARD_H
#define SRNIC_GUARD_H

#include <linux/list.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct cred;
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
	SRNIC_QUOTA_PINNED,	/* pages of regions */
	SRNIC_QUOTA_RING,	/* pages of rings */
	SRNIC_QUOTAS,
};

/* What an administrator may ask of peers: one row of srnic_limit_table each (limit.c). */
enum srnic_limit {
	SRNIC_LIMIT_IDLE,	/* seconds for which a peer may say nothing */
	SRNIC_LIMIT_FAULTS,	/* a second, of one peer; beyond, it is cut off */
	SRNIC_LIMIT_CUTOFF,	/* seconds for which that is; none: until allowed by hand */
	SRNIC_LIMIT_GREED,	/* 1: shared receive queues are not divided into shares */
	SRNIC_LIMIT_ECN,	/* 1: packets of RC are ECN-capable */
	SRNIC_LIMITS,
};

/* Limits that nobody sets, and are not counts of objects: one place for all of them. */
#define SRNIC_MAX_QP_WR		16384
#define SRNIC_MAX_SRQ_WR	65536
#define SRNIC_MAX_CQE		SZ_1M
#define SRNIC_MAX_RD_ATOMIC	128	/* a QP, each way */
#define SRNIC_MAX_MSG		SZ_2G
#define SRNIC_MAX_MR_SIZE	(~0ULL)
#define SRNIC_MAX_FRMR_PAGES	512
#define SRNIC_MAX_MCAST_QP	64	/* attached to one group */
#define SRNIC_MAX_POLICIES	1024	/* rules of one network namespace */
#define SRNIC_MAX_GRANTS	128	/* memory keys of one QP */
#define SRNIC_MAX_DGRAM_PEERS	256	/* destinations that one QP has keys for */
#define SRNIC_MAX_DGRAM_SENDERS	4096	/* whose numbers a device remembers */
#define SRNIC_MAX_DGRAM_HELD	512	/* datagrams of unknown senders, a device */
#define SRNIC_MAX_KEYS		1024	/* keys of one network namespace */
#define SRNIC_MAX_PEERS		1024	/* that a device remembers the faults of */
#define SRNIC_MAX_CUT_OFF	(SRNIC_MAX_PEERS / 2)	/* of these */

struct srnic_quota_row {
	const char *name;
	u32 limit;		/* default; or */
	u32 memory;		/* default, in per cent of the machine's pages */
};

extern const struct srnic_quota_row srnic_quota_table[SRNIC_QUOTAS];

struct srnic_limit_row {
	const char *name;
	u32 max;		/* the default is 0: there is no limit */
};

extern const struct srnic_limit_row srnic_limit_table[SRNIC_LIMITS];

/**
 * struct srnic_user - one who uses a device, and what is his
 * @node: in srnic_guard.users
 * @uid: see srnic_user_get()
 * @refs: contexts, and multicast groups that he began
 * @used: objects granted to him
 */
struct srnic_user {
	struct list_head node;
	kuid_t uid;
	u32 refs;
	u32 used[SRNIC_QUOTAS];
};

/**
 * struct srnic_guard - what a device grants
 * @lock: irqsave: all of it but @stream
 * @users: those who have something now
 * @used: objects granted, to anybody
 * @limit: how many there may be
 * @reserve: how many of these are the kernel's and the administrator's alone
 * @stream: SRNIC_LIMIT_*: by READ_ONCE() and WRITE_ONCE()
 */
struct srnic_guard {
	spinlock_t lock;	/* irqsave: all of it but @stream */
	struct list_head users;
	u32 used[SRNIC_QUOTAS];
	u32 limit[SRNIC_QUOTAS];
	u32 reserve[SRNIC_QUOTAS];
	u32 stream[SRNIC_LIMITS];
};

/**
 * struct srnic_share - how a receive queue is shared, see share.c
 * @round: number of this round
 * @taken: in it, by all
 * @streams: that wanted something in it
 * @before: and in the last one
 * @owed: to those who came to an empty queue
 * @until: jiffies: for so long they are waited for
 */
struct srnic_share {
	u32 round;
	u32 taken;
	u32 streams;
	u32 before;
	u32 owed;
	unsigned long until;
};

/**
 * struct srnic_stream - one of those that share it
 * @round: in which it last wanted something
 * @taken: in that round
 * @owed: likewise
 * @most: taken in a round
 * @refused: how often it was, for the sake of the others
 */
struct srnic_stream {
	u32 round;
	u32 taken;
	u32 owed;
	u32 most;
	u32 refused;
};

/**
 * struct srnic_share_queue - the queue, as it is now
 * @room: how many it can hold
 * @left: how many are in it
 * @patience: jiffies: until a stream that was refused must have come back
 * @greed: never refuse a stream for the sake of others
 */
struct srnic_share_queue {
	u32 room;
	u32 left;
	unsigned long patience;
	bool greed;
};

enum srnic_share_answer {
	SRNIC_SHARE_TAKE,
	SRNIC_SHARE_EMPTY,	/* there is nothing, for anybody */
	SRNIC_SHARE_UNFAIR,	/* what there is others are owed */
};

/* What there is of one kind */
struct srnic_quota_state {
	u32 used;
	u32 limit;
	u32 reserve;
};

/* quota.c: any context; user NULL: the kernel's, or the administrator's */
void srnic_guard_init(struct srnic_guard *guard);
u32 srnic_quota_default(enum srnic_quota quota);
/* all of @n or nothing: 0, or -ENOMEM (what libibverbs documents for exhaustion) */
int srnic_quota_take_many(struct srnic_guard *guard, enum srnic_quota quota,
			  struct srnic_user *user, u32 n);
void srnic_quota_give_many(struct srnic_guard *guard, enum srnic_quota quota,
			   struct srnic_user *user, u32 n);

static inline int srnic_quota_take(struct srnic_guard *guard, enum srnic_quota quota,
				   struct srnic_user *user)
{
	return srnic_quota_take_many(guard, quota, user, 1);
}

static inline void srnic_quota_give(struct srnic_guard *guard, enum srnic_quota quota,
				    struct srnic_user *user)
{
	srnic_quota_give_many(guard, quota, user, 1);
}

struct srnic_quota_state srnic_quota_get(struct srnic_guard *guard, enum srnic_quota quota);
void srnic_quota_set(struct srnic_guard *guard, enum srnic_quota quota, u32 limit, u32 reserve);
/* what is kept back of a limit unless the administrator says otherwise */
u32 srnic_quota_default_reserve(u32 limit);

/* limit.c: any context */
u32 srnic_limit_get(const struct srnic_guard *guard, enum srnic_limit limit);
int srnic_limit_set(struct srnic_guard *guard, enum srnic_limit limit, u32 value);

/* share.c: any context, under the lock of the queue */
void srnic_share_init(struct srnic_share *share);
enum srnic_share_answer srnic_share_ask(struct srnic_share *share, struct srnic_stream *stream,
					const struct srnic_share_queue *queue, unsigned long now);
void srnic_share_took(struct srnic_share *share, struct srnic_stream *stream);

/* user.c */
bool srnic_user_nth(struct srnic_guard *guard, unsigned int n, struct srnic_user *copy);
struct srnic_user *srnic_user_get(struct srnic_guard *guard, const struct cred *cred);
struct srnic_user *srnic_user_current(struct srnic_guard *guard);
void srnic_user_hold(struct srnic_guard *guard, struct srnic_user *user);
void srnic_user_put(struct srnic_guard *guard, struct srnic_user *user);

/* account.c: who is charged for the pages of a ring, and for how many */
struct srnic_charge {
	struct mm_struct *mm;	/* NULL: nobody (a kernel consumer) */
	unsigned long pages;
};

int srnic_charge_pages(struct srnic_charge *charge, unsigned long pages);
void srnic_uncharge_pages(struct srnic_charge *charge);

#endif /* SRNIC_GUARD_H */
