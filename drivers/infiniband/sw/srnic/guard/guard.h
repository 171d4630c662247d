/* SPDX-License-Identifier: GPL-2.0 */
/*
 * guard - the Privileged Resource Manager (RFC 5042 section 2). It owns every
 * limit, grants resources and decides; engine and verbs carry the decisions
 * out.
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
struct workqueue_struct;

/* Resources with a quota: one row of srnic_quota_table each (quota.c) */
enum srnic_quota {
	SRNIC_QUOTA_UCONTEXT,
	SRNIC_QUOTA_PD,
	SRNIC_QUOTA_AH,
	SRNIC_QUOTA_SRQ,
	SRNIC_QUOTA_XRCD,
	SRNIC_QUOTA_WQ,
	SRNIC_QUOTA_RWQ_TABLE,
	SRNIC_QUOTA_FLOW,
	SRNIC_QUOTA_QP,
	SRNIC_QUOTA_CQ,
	SRNIC_QUOTA_MR,
	SRNIC_QUOTA_PAGED,	/* regions that are paged on demand, which count as MR, too */
	SRNIC_QUOTA_MW,
	SRNIC_QUOTA_MCAST,	/* groups */
	SRNIC_QUOTA_MCAST_QP,	/* attachments, over all groups */
	SRNIC_QUOTA_PINNED,	/* pages pinned by regions */
	SRNIC_QUOTA_RING,	/* pages of rings */
	SRNIC_QUOTA_DEVICE,	/* pages of device memory */
	SRNIC_QUOTAS,
};

/* Limits on the behaviour of peers: one row of srnic_limit_table each (limit.c) */
enum srnic_limit {
	SRNIC_LIMIT_IDLE,	/* seconds that a peer may be silent */
	SRNIC_LIMIT_FAULTS,	/* faults per second and peer; above, the peer is cut off */
	SRNIC_LIMIT_CUTOFF,	/* duration of a cut-off, in seconds; 0: until allowed by hand */
	SRNIC_LIMIT_GREED,	/* 1: do not divide shared receive queues into shares */
	SRNIC_LIMIT_ECN,	/* 1: send RC packets as ECN-capable */
	SRNIC_LIMITS,
};

/* Fixed limits that are no counts of objects */
#define SRNIC_MAX_QP_WR		16384
#define SRNIC_MAX_SRQ_WR	65536
#define SRNIC_MAX_CQE		SZ_1M
#define SRNIC_MAX_RD_ATOMIC	128	/* per QP, in each direction */
#define SRNIC_MAX_MSG		SZ_2G
#define SRNIC_MAX_MR_SIZE	(~0ULL)
#define SRNIC_MAX_FRMR_PAGES	512
#define SRNIC_MAX_MCAST_QP	64	/* QPs attached to one group */
#define SRNIC_MAX_POLICIES	1024	/* rules per network namespace */
#define SRNIC_MAX_GRANTS	128	/* memory keys per QP */
#define SRNIC_MAX_DGRAM_PEERS	256	/* destinations per QP that keys are kept for */
#define SRNIC_MAX_DGRAM_SENDERS	4096	/* senders per device whose packet numbers are kept */
#define SRNIC_MAX_DGRAM_DEFERRED	512	/* waiting datagrams of unknown senders */
#define SRNIC_MAX_EARLY		1024	/* early packets per QP and direction */
#define SRNIC_MAX_EARLY_ALL	4096	/* early packets per device */
#define SRNIC_MAX_HELD		16	/* datagrams per QP that wait for pages */
#define SRNIC_MAX_HELD_ALL	1024	/* the same per device */
#define SRNIC_MAX_PAGE_WORKERS	32	/* per user and device: flows whose pages are faulted in */
#define SRNIC_MAX_KEYS		1024	/* keys per network namespace */
#define SRNIC_MAX_PEERS		1024	/* peers per device whose faults are counted */
#define SRNIC_MAX_CUT_OFF	(SRNIC_MAX_PEERS / 2)	/* cut-off peers among them */

struct srnic_quota_row {
	const char *name;
	u32 limit;		/* default; if 0, see @memory */
	u32 memory;		/* default, in percent of the machine's pages */
};

extern const struct srnic_quota_row srnic_quota_table[SRNIC_QUOTAS];

struct srnic_limit_row {
	const char *name;
	u32 max;		/* largest value; the default is 0, no limit */
};

extern const struct srnic_limit_row srnic_limit_table[SRNIC_LIMITS];

/**
 * struct srnic_user - A user of a device and the objects granted to it
 * @node: entry in srnic_guard.users
 * @uid: user ID that pays, see srnic_user_get()
 * @refs: contexts, and multicast groups, XRC domains and XRC targets that the user created
 * @used: objects granted to the user, by kind
 * @page_wq: faults in pages of regions that are paged on demand; NULL: there has been none
 */
struct srnic_user {
	struct list_head node;
	kuid_t uid;
	u32 refs;
	u32 used[SRNIC_QUOTAS];
	struct workqueue_struct *page_wq;
};

/**
 * struct srnic_guard - Limits and grants of a device
 * @lock: irqsave; protects everything but @peer_limit
 * @users: users that hold at least one reference
 * @used: objects granted to all users, by kind
 * @limit: most objects that may be granted, by kind
 * @reserve: part of @limit for the kernel and the administrator only
 * @peer_limit: values of SRNIC_LIMIT_*; accessed by READ_ONCE() and WRITE_ONCE()
 */
struct srnic_guard {
	spinlock_t lock;	/* irqsave; everything but @peer_limit */
	struct list_head users;
	u32 used[SRNIC_QUOTAS];
	u32 limit[SRNIC_QUOTAS];
	u32 reserve[SRNIC_QUOTAS];
	u32 peer_limit[SRNIC_LIMITS];
};

/**
 * struct srnic_share - How the streams of a receive queue share it, see share.c
 * @round: number of the present round
 * @taken: entries taken in this round, by all streams
 * @streams: streams that asked in this round
 * @prev_streams: streams that asked in the previous round
 * @owed: entries owed to streams that found the queue empty
 * @owed_deadline: jiffies: end of the wait for those streams
 */
struct srnic_share {
	u32 round;
	u32 taken;
	u32 streams;
	u32 prev_streams;
	u32 owed;
	unsigned long owed_deadline;
};

/**
 * struct srnic_stream - One stream that shares a receive queue
 * @round: last round in which the stream asked
 * @taken: entries taken in that round
 * @owed: entries owed in that round
 * @max_taken: most entries taken in any round
 * @denied: times the stream was denied an entry in favour of other streams
 */
struct srnic_stream {
	u32 round;
	u32 taken;
	u32 owed;
	u32 max_taken;
	u32 denied;
};

/**
 * struct srnic_share_queue - Present state of a receive queue
 * @capacity: capacity, in entries
 * @avail: entries in the queue
 * @retry_time: jiffies within which a denied stream retries
 * @greed: never refuse a stream in favour of others
 */
struct srnic_share_queue {
	u32 capacity;
	u32 avail;
	unsigned long retry_time;
	bool greed;
};

enum srnic_share_answer {
	SRNIC_SHARE_TAKE,
	SRNIC_SHARE_EMPTY,	/* the queue is empty */
	SRNIC_SHARE_UNFAIR,	/* the remaining entries are owed to other streams */
};

/* Use and limits of one kind of resource */
struct srnic_quota_state {
	u32 used;
	u32 limit;
	u32 reserve;
};

/* quota.c: any context; @user NULL: the kernel or the administrator */
void srnic_guard_init(struct srnic_guard *guard);
u32 srnic_quota_default(enum srnic_quota quota);
bool srnic_quota_is_fair(const struct srnic_quota_state *state, const u32 *held, u32 n);
/* grant all of @n or none; 0, or -ENOMEM, which libibverbs documents for exhaustion */
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
u32 srnic_quota_default_reserve(u32 limit);

/* limit.c: any context */
u32 srnic_limit_get(const struct srnic_guard *guard, enum srnic_limit limit);
int srnic_limit_set(struct srnic_guard *guard, enum srnic_limit limit, u32 value);

/* share.c: any context, under the lock of the queue */
void srnic_share_init(struct srnic_share *share);
enum srnic_share_answer srnic_share_ask(struct srnic_share *share, struct srnic_stream *stream,
					const struct srnic_share_queue *queue, unsigned long now);
void srnic_share_forgotten(const struct srnic_share *share, struct srnic_stream *stream,
			   u32 capacity);
void srnic_share_took(struct srnic_share *share, struct srnic_stream *stream);

/* user.c */
bool srnic_user_nth(struct srnic_guard *guard, unsigned int n, struct srnic_user *copy);
struct srnic_user *srnic_user_get(struct srnic_guard *guard, const struct cred *cred);
struct srnic_user *srnic_user_current(struct srnic_guard *guard);
void srnic_user_hold(struct srnic_guard *guard, struct srnic_user *user);
void srnic_user_put(struct srnic_guard *guard, struct srnic_user *user);
int srnic_user_prepare_paging(struct srnic_user *user);

/* account.c: the process that is charged for pages, and how many */
struct srnic_charge {
	struct mm_struct *mm;	/* NULL: no charge (kernel consumer) */
	unsigned long pages;
};

int srnic_charge_pages(struct srnic_charge *charge, unsigned long pages);
void srnic_uncharge_pages(struct srnic_charge *charge);

#endif /* SRNIC_GUARD_H */
