/* SPDX-License-Identifier: GPL-2.0 */
/*
 * guard's part that looks at peers: what they do wrong, and who is cut off for it. Apart
 * from guard.h because the pure files, which want limits only, build without a kernel.
 */
#ifndef SRNIC_GUARD_PEER_H
#define SRNIC_GUARD_PEER_H

#include <linux/siphash.h>
#include <linux/workqueue.h>
#include "stats.h"
#include "guard.h"

/* What peers do wrong, or over and over: one row of srnic_fault_table each (peer.c). */
enum srnic_fault {
	SRNIC_FAULT_NONE,
	SRNIC_FAULT_GARBAGE,	/* against the format, damaged, or from elsewhere */
	SRNIC_FAULT_SEAL,	/* a seal that is wrong, missing, or not due */
	SRNIC_FAULT_ACCESS,	/* to memory, or more at once than was agreed upon */
	SRNIC_FAULT_ASTRAY,	/* for a queue pair that is not there, or not ready */
	SRNIC_FAULT_UNREADY,	/* RNR NAKs, sent and received */
	SRNIC_FAULT_REPEAT,	/* sent again, or asked for again */
	SRNIC_FAULT_UNFAIR,	/* more of a shared receive queue than a part (R20) */
	SRNIC_FAULTS,
};

struct srnic_fault_row {
	const char *name;
	const char *res;	/* as rdma resource has it */
	bool ruled;		/* counts towards SRNIC_LIMIT_FAULTS */
};

extern const struct srnic_fault_row srnic_fault_table[SRNIC_FAULTS];

#define SRNIC_PEER_BUCKETS	256

/**
 * struct srnic_peers - those that have erred, and those that are cut off
 * @guard: whose limits are the rule
 * @lock: irqsave: all of it, but for look-ups and counts under RCU
 * @key: of the hash, so that nobody can make buckets long
 * @buckets: of peers, by address
 * @heard: those that are not cut off, by when they erred last
 * @cut: those that are
 * @count: of both; read without the lock
 * @full: jiffies: the table has no room for a second from then on, if @count is at its
 *	maximum; read without the lock
 * @cut_off: of @cut; read without the lock
 * @expire: lets those be heard again whose time is over
 */
struct srnic_peers {
	const struct srnic_guard *guard;
	spinlock_t lock;	/* irqsave: see above */
	siphash_key_t key;
	struct hlist_head buckets[SRNIC_PEER_BUCKETS];
	struct list_head heard;
	struct list_head cut;
	u32 count;
	unsigned long full;
	u32 cut_off;
	struct delayed_work expire;
};

/**
 * struct srnic_peer_state - what is told of a peer
 * @gid: its address, as its packets have it
 * @faults: by kind
 * @dropped: packets, because it was cut off
 * @silent: milliseconds since the last of either
 * @cut: it is cut off
 * @timed: for @left seconds yet; else until it is allowed by hand
 * @left: see @timed
 */
struct srnic_peer_state {
	u8 gid[16];
	u64 faults[SRNIC_FAULTS];
	u64 dropped;
	u64 silent;
	bool cut;
	bool timed;
	u32 left;
};

/* peer.c: any context; @now in jiffies */
struct srnic_peers *srnic_peers_alloc(const struct srnic_guard *guard);
void srnic_peers_free(struct srnic_peers *peers);
enum srnic_fault srnic_fault_of(enum srnic_stat why);
void srnic_peer_fault(struct srnic_peers *peers, const u8 *gid, enum srnic_stat why,
		      unsigned long now);
bool srnic_peer_drop(struct srnic_peers *peers, const u8 *gid, unsigned int packets);
int srnic_peer_cut(struct srnic_peers *peers, const u8 *gid, u32 seconds, unsigned long now);
int srnic_peer_allow(struct srnic_peers *peers, const u8 *gid);
unsigned long srnic_peers_expire(struct srnic_peers *peers, unsigned long now);
bool srnic_peer_from(struct srnic_peers *peers, unsigned long *at, unsigned long now,
		     struct srnic_peer_state *state);

/* Whether packets are dropped for where they come from; where nobody is cut off, one read */
static inline bool srnic_peer_cut_off(struct srnic_peers *peers, const u8 *gid,
				      unsigned int packets)
{
	return unlikely(READ_ONCE(peers->cut_off)) && srnic_peer_drop(peers, gid, packets);
}

#endif /* SRNIC_GUARD_PEER_H */
