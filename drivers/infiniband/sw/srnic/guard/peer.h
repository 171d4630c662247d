/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults of peers, and cut-off peers. Separate from guard.h because pure files,
 * which need only the limits, also build outside the kernel.
 */
#ifndef SRNIC_GUARD_PEER_H
#define SRNIC_GUARD_PEER_H

#include <linux/siphash.h>
#include <linux/workqueue.h>
#include "stats.h"
#include "guard/guard.h"

/* Kinds of faults: one row of srnic_fault_table each (peer.c) */
enum srnic_fault {
	SRNIC_FAULT_NONE,
	SRNIC_FAULT_GARBAGE,	/* malformed, damaged, or sent from a wrong address */
	SRNIC_FAULT_SEAL,	/* wrong, missing or unexpected seal */
	SRNIC_FAULT_ACCESS,	/* illegal memory access, or more requests at once than agreed */
	SRNIC_FAULT_ASTRAY,	/* for a QP that does not exist or is not ready */
	SRNIC_FAULT_UNREADY,	/* RNR NAKs, sent and received */
	SRNIC_FAULT_REPEAT,	/* duplicates, and requests for retransmission */
	SRNIC_FAULT_UNFAIR,	/* more than its share of a shared receive queue (R20) */
	SRNIC_FAULTS,
};

struct srnic_fault_row {
	const char *name;
	const char *res;	/* name in "rdma resource" */
	bool limited;		/* counts towards SRNIC_LIMIT_FAULTS */
};

extern const struct srnic_fault_row srnic_fault_table[SRNIC_FAULTS];

#define SRNIC_PEER_BUCKETS	256

/**
 * struct srnic_peers - Peers that have committed faults or are cut off
 * @guard: holds the limits
 * @lock: irqsave; protects everything but lookups and counts under RCU
 * @key: secret hash key, so that an attacker cannot fill one bucket
 * @buckets: hash table of peers, by address
 * @lru: peers that are not cut off, in LRU order of their faults
 * @cut_list: cut-off peers
 * @count: number of peers in both lists; read without the lock
 * @full_since: jiffies: if @count is at its maximum, no peer can be evicted for a
 *	second from then on; read without the lock
 * @cut_count: number of peers in @cut_list; read without the lock
 * @expire: ends timed cut-offs
 */
struct srnic_peers {
	const struct srnic_guard *guard;
	spinlock_t lock;	/* irqsave; see above */
	siphash_key_t key;
	struct hlist_head buckets[SRNIC_PEER_BUCKETS];
	struct list_head lru;
	struct list_head cut_list;
	u32 count;
	unsigned long full_since;
	u32 cut_count;
	struct delayed_work expire;
};

/**
 * struct srnic_peer_state - State of a peer, for dumps
 * @gid: address
 * @faults: faults, by kind
 * @dropped: packets dropped because the peer was cut off
 * @silent: milliseconds since the last fault or dropped packet
 * @cut: the peer is cut off
 * @timed: the cut-off ends in @left seconds; else it lasts until allowed by
 *	hand
 * @left: seconds left, if @timed
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
bool srnic_peer_next(struct srnic_peers *peers, unsigned long *at, unsigned long now,
		     struct srnic_peer_state *state);

/* Check for a cut-off peer. If no peer is cut off, this costs one read. */
static inline bool srnic_peer_cut_off(struct srnic_peers *peers, const u8 *gid,
				      unsigned int packets)
{
	return unlikely(READ_ONCE(peers->cut_count)) && srnic_peer_drop(peers, gid, packets);
}

#endif /* SRNIC_GUARD_PEER_H */
