// SPDX-License-Identifier: GPL-2.0
/*
 * Faults of each peer, by kind, and cut-off peers: by hand, or by the
 * administrator's rule (RFC 5042 6.4.4, R25).
 *
 * A peer is identified by the source address of its packets. If the network
 * lets addresses be forged, an attacker can forge faults, too, and a rule then
 * cuts off an honest peer. There is therefore no rule by default.
 *
 * At most SRNIC_MAX_PEERS peers are remembered. A new offender replaces the
 * peer whose last fault is the oldest, if that fault is at least a second old:
 * a flood of forged addresses must neither evict peers that are being counted
 * nor cost one allocation per packet. Cut-off peers are never evicted; they may
 * use half of the table.
 *
 * Faults of known peers are counted under RCU without the lock, because
 * duplicates and NAKs of honest peers are among them, on every CPU. The lock is
 * taken once per second and peer, for new peers, and to cut a peer off.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "compat.h"
#include "export.h"
#include "guard/peer.h"

/* Most entries at the head of the LRU list that are re-sorted for one new peer */
#define PEER_ROTATIONS	4

/**
 * struct srnic_peer - A peer that has committed faults or is cut off
 * @node: entry in its hash bucket, read under RCU
 * @lru_node: entry in srnic_peers.lru or srnic_peers.cut_list
 * @rcu: for freeing after a grace period
 * @gid: address
 * @faults: faults, by kind
 * @dropped: packets dropped while the peer was cut off
 * @last_seen: jiffies: last fault or dropped packet; without the lock
 * @lru_seen: @last_seen when the peer got its place in srnic_peers.lru
 * @second_start: jiffies: start of the second that @second_faults counts; read
 *	without the lock
 * @second_faults: faults in that second that the rule covers
 * @cut: the peer is cut off; read without the lock
 * @timed: the cut-off ends at @until
 * @until: jiffies: end of the cut-off
 */
struct srnic_peer {
	struct hlist_node node;
	struct list_head lru_node;
	struct rcu_head rcu;
	u8 gid[16];
	atomic64_t faults[SRNIC_FAULTS];
	atomic64_t dropped;
	unsigned long last_seen;
	unsigned long lru_seen;
	unsigned long second_start;
	atomic_t second_faults;
	bool cut;
	bool timed;
	unsigned long until;
};

#define SRNIC_FAULT_ROW(kind, name_, res_, limited_) \
	[SRNIC_FAULT_##kind] = { .name = (name_), .res = (res_), .limited = (limited_) }

/*
 * The rule covers only faults that an honest peer does not commit. When packets
 * are lost or our consumer is slow, an honest peer sends duplicates and gets
 * RNR NAKs; when a local program ends, a window of its packets finds no QP or SRQ. A
 * peer that takes too much of a shared queue is already held back (R20).
 */
const struct srnic_fault_row srnic_fault_table[SRNIC_FAULTS] = {
	SRNIC_FAULT_ROW(GARBAGE,	"garbage",	"faults_garbage",	true),
	SRNIC_FAULT_ROW(SEAL,		"seal",		"faults_seal",		true),
	SRNIC_FAULT_ROW(ACCESS,		"access",	"faults_access",	true),
	SRNIC_FAULT_ROW(ASTRAY,		"astray",	"faults_astray",	false),
	SRNIC_FAULT_ROW(UNREADY,	"unready",	"faults_unready",	false),
	SRNIC_FAULT_ROW(REPEAT,		"repeat",	"faults_repeat",	false),
	SRNIC_FAULT_ROW(UNFAIR,		"unfair",	"faults_unfair",	false),
};

SRNIC_EXPORT_FOR_KUNIT(srnic_fault_table);

/*
 * The other counters record no fault of the peer: an honest RNIC sends CNPs,
 * and a datagram may be longer than the receive buffer that happens to be
 * posted.
 */
static const u8 fault_of[SRNIC_STAT_COUNT] = {
	[SRNIC_STAT_malformed] = SRNIC_FAULT_GARBAGE,
	[SRNIC_STAT_unknown_opcode] = SRNIC_FAULT_GARBAGE,
	[SRNIC_STAT_icrc_errors] = SRNIC_FAULT_GARBAGE,
	[SRNIC_STAT_wrong_address] = SRNIC_FAULT_GARBAGE,
	[SRNIC_STAT_wrong_pkey] = SRNIC_FAULT_GARBAGE,
	[SRNIC_STAT_wrong_qkey] = SRNIC_FAULT_GARBAGE,
	[SRNIC_STAT_sth_auth_failed] = SRNIC_FAULT_SEAL,
	[SRNIC_STAT_sth_missing] = SRNIC_FAULT_SEAL,
	[SRNIC_STAT_sth_unexpected] = SRNIC_FAULT_SEAL,
	[SRNIC_STAT_sth_version] = SRNIC_FAULT_SEAL,
	[SRNIC_STAT_sth_replayed] = SRNIC_FAULT_SEAL,
	[SRNIC_STAT_sth_proof_failed] = SRNIC_FAULT_SEAL,
	[SRNIC_STAT_stag_invalid] = SRNIC_FAULT_ACCESS,
	[SRNIC_STAT_stag_pd] = SRNIC_FAULT_ACCESS,
	[SRNIC_STAT_stag_bounds] = SRNIC_FAULT_ACCESS,
	[SRNIC_STAT_stag_access] = SRNIC_FAULT_ACCESS,
	[SRNIC_STAT_rrq_exceeded] = SRNIC_FAULT_ACCESS,
	[SRNIC_STAT_no_qp] = SRNIC_FAULT_ASTRAY,
	[SRNIC_STAT_wrong_state] = SRNIC_FAULT_ASTRAY,
	[SRNIC_STAT_wrong_srq] = SRNIC_FAULT_ASTRAY,
	[SRNIC_STAT_send_rnr_err] = SRNIC_FAULT_UNREADY,
	[SRNIC_STAT_rcvd_rnr_err] = SRNIC_FAULT_UNREADY,
	[SRNIC_STAT_duplicate_request] = SRNIC_FAULT_REPEAT,
	[SRNIC_STAT_rcvd_seq_err] = SRNIC_FAULT_REPEAT,
	[SRNIC_STAT_sth_crowded] = SRNIC_FAULT_REPEAT,
	[SRNIC_STAT_srq_unfair] = SRNIC_FAULT_UNFAIR,
};

/**
 * srnic_fault_of() - Return the kind of fault that a counter counts
 * @why: the counter
 *
 * Return: the kind; SRNIC_FAULT_NONE if it counts no fault.
 */
enum srnic_fault srnic_fault_of(enum srnic_stat why)
{
	return fault_of[why];
}

static struct hlist_head *bucket_of(struct srnic_peers *peers, const u8 *gid)
{
	u64 hash = siphash(gid, sizeof_field(struct srnic_peer, gid), &peers->key);

	return &peers->buckets[hash % SRNIC_PEER_BUCKETS];
}

/* Context: under the lock, or RCU read side. */
static struct srnic_peer *peer_find(struct srnic_peers *peers, const u8 *gid)
{
	struct srnic_peer *peer;

	hlist_for_each_entry_rcu(peer, bucket_of(peers, gid), node,
				 lockdep_is_held(&peers->lock))
		if (!memcmp(peer->gid, gid, sizeof(peer->gid)))
			return peer;
	return NULL;
}

static void peer_evict(struct srnic_peers *peers, struct srnic_peer *peer)
	__must_hold(&peers->lock)
{
	hlist_del_rcu(&peer->node);
	list_del(&peer->lru_node);
	WRITE_ONCE(peers->count, peers->count - 1);
	kfree_rcu(peer, rcu);
}

static bool within_second(unsigned long now, unsigned long since)
{
	return time_in_range(now, since, since + HZ - 1);
}

static void peer_lru_touch(struct srnic_peers *peers, struct srnic_peer *peer)
	__must_hold(&peers->lock)
{
	peer->lru_seen = READ_ONCE(peer->last_seen);
	list_move_tail(&peer->lru_node, &peers->lru);
}

/*
 * Return the peer whose last fault is the oldest, or NULL if the head of the
 * list holds only active peers. Faults do not move a peer in the list; active
 * peers are moved here.
 */
static struct srnic_peer *peer_lru_victim(struct srnic_peers *peers)
	__must_hold(&peers->lock)
{
	struct srnic_peer *peer;

	for (int i = 0; i < PEER_ROTATIONS; i++) {
		/* the list is not empty: at most half of the peers can be cut off */
		peer = list_first_entry(&peers->lru, struct srnic_peer, lru_node);
		if (READ_ONCE(peer->last_seen) == peer->lru_seen)
			return peer;
		peer_lru_touch(peers, peer);
	}
	return NULL;
}

/*
 * Return true if a new offender may be added, after evicting the quietest peer
 * if needed.
 */
static bool peers_evict_idle(struct srnic_peers *peers, unsigned long now)
	__must_hold(&peers->lock)
{
	struct srnic_peer *victim;

	if (peers->count < SRNIC_MAX_PEERS)
		return true;
	victim = peer_lru_victim(peers);
	if (!victim)
		return false;
	if (within_second(now, victim->lru_seen)) {
		WRITE_ONCE(peers->full_since, victim->lru_seen);
		return false;
	}
	peer_evict(peers, victim);
	return true;
}

/*
 * Evict a peer if needed, active or not: a peer that the administrator names
 * gets its place at once.
 */
static void peers_evict_any(struct srnic_peers *peers)
	__must_hold(&peers->lock)
{
	if (peers->count == SRNIC_MAX_PEERS)
		peer_evict(peers, peer_lru_victim(peers) ?:
			   list_first_entry(&peers->lru, struct srnic_peer, lru_node));
}

/* Return true if no entry can be evicted in this second, without the lock. */
static bool peers_are_full(const struct srnic_peers *peers, unsigned long now)
{
	return READ_ONCE(peers->count) == SRNIC_MAX_PEERS &&
	       within_second(now, READ_ONCE(peers->full_since));
}

/* The caller has ensured that there is space. */
static struct srnic_peer *peer_create(struct srnic_peers *peers, const u8 *gid, unsigned long now)
	__must_hold(&peers->lock)
{
	struct srnic_peer *peer = kzalloc(sizeof(*peer), GFP_ATOMIC | __GFP_NOWARN);

	if (!peer)
		return NULL;
	memcpy(peer->gid, gid, sizeof(peer->gid));
	peer->last_seen = now;
	peer->lru_seen = now;
	peer->second_start = now;
	/* at the tail: a dump in progress resumes by position in the bucket */
	hlist_add_tail_rcu(&peer->node, bucket_of(peers, gid));
	list_add_tail(&peer->lru_node, &peers->lru);
	WRITE_ONCE(peers->count, peers->count + 1);
	return peer;
}

static int peer_cut(struct srnic_peers *peers, struct srnic_peer *peer, u32 seconds,
		    unsigned long now)
	__must_hold(&peers->lock)
{
	if (!peer->cut) {
		if (peers->cut_count >= SRNIC_MAX_CUT_OFF)
			return -ENOSPC;
		list_move_tail(&peer->lru_node, &peers->cut_list);
		WRITE_ONCE(peers->cut_count, peers->cut_count + 1);
		WRITE_ONCE(peer->cut, true);
	}
	peer->timed = seconds;
	peer->until = now + (unsigned long)seconds * HZ;
	if (seconds)
		mod_delayed_work(system_percpu_wq, &peers->expire, 0);
	return 0;
}

static void peer_allow(struct srnic_peers *peers, struct srnic_peer *peer)
	__must_hold(&peers->lock)
{
	peer_lru_touch(peers, peer);
	WRITE_ONCE(peers->cut_count, peers->cut_count - 1);
	WRITE_ONCE(peer->cut, false);
	atomic_set(&peer->second_faults, 0);
}

/* Context: under the lock, or RCU read side. */
static void peer_count(struct srnic_peer *peer, enum srnic_fault kind, unsigned long now)
{
	atomic64_inc(&peer->faults[kind]);
	WRITE_ONCE(peer->last_seen, now);
	if (srnic_fault_table[kind].limited)
		atomic_inc(&peer->second_faults);
}

static bool peer_over_limit(const struct srnic_peers *peers, const struct srnic_peer *peer)
{
	u32 limit = srnic_limit_get(peers->guard, SRNIC_LIMIT_FAULTS);

	return limit && (u32)atomic_read(&peer->second_faults) > limit;
}

/* Return true if the fault that was just counted needs nothing done under the lock. */
static bool peer_fault_done(const struct srnic_peers *peers, const struct srnic_peer *peer,
			    unsigned long now)
{
	if (READ_ONCE(peer->cut))
		return true;	/* the packet was in flight when the peer was cut off */
	return within_second(now, READ_ONCE(peer->second_start)) && !peer_over_limit(peers, peer);
}

/* Start a new second if one is due, and apply the rule, after a fault has been counted. */
static void peer_apply_limit(struct srnic_peers *peers, struct srnic_peer *peer,
			     enum srnic_fault kind, unsigned long now)
	__must_hold(&peers->lock)
{
	if (peer->cut)
		return;
	peer_lru_touch(peers, peer);
	if (!within_second(now, peer->second_start)) {
		WRITE_ONCE(peer->second_start, now);
		atomic_set(&peer->second_faults, srnic_fault_table[kind].limited);
	}
	if (peer_over_limit(peers, peer))
		peer_cut(peers, peer, srnic_limit_get(peers->guard, SRNIC_LIMIT_CUTOFF), now);
}

/* Slow path: an unknown peer, the first fault in a second, or too many */
static void peer_fault_locked(struct srnic_peers *peers, const u8 *gid, enum srnic_fault kind,
			      bool known, unsigned long now)
{
	struct srnic_peer *peer;
	unsigned long flags;

	spin_lock_irqsave(&peers->lock, flags);
	peer = peer_find(peers, gid);
	if (!known) {
		if (!peer && peers_evict_idle(peers, now))
			peer = peer_create(peers, gid, now);
		if (peer)
			peer_count(peer, kind, now);
	}
	if (peer)
		peer_apply_limit(peers, peer, kind, now);
	spin_unlock_irqrestore(&peers->lock, flags);
}

/**
 * srnic_peer_fault() - Count a fault of a peer
 * @peers: peers of the device; NULL: faults are not counted
 * @gid: source address of the packet
 * @why: the counter; most counters count no fault of a peer
 * @now: jiffies
 *
 * Cuts the peer off if it exceeds the limit.
 *
 * Context: any but NMI.
 */
void srnic_peer_fault(struct srnic_peers *peers, const u8 *gid, enum srnic_stat why,
		      unsigned long now)
{
	enum srnic_fault kind = srnic_fault_of(why);
	struct srnic_peer *peer;
	bool done;

	if (!peers || kind == SRNIC_FAULT_NONE)
		return;
	rcu_read_lock();
	peer = peer_find(peers, gid);
	if (peer) {
		peer_count(peer, kind, now);
		done = peer_fault_done(peers, peer, now);
	} else {
		done = peers_are_full(peers, now);
	}
	rcu_read_unlock();
	if (!done)
		peer_fault_locked(peers, gid, kind, peer, now);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_peer_fault);

/**
 * srnic_peer_drop() - Check whether packets come from a cut-off peer
 * @peers: peers of the device
 * @gid: source address
 * @packets: number of packets, for the peer's count
 *
 * Context: any.
 * Return: true if the packets are to be dropped.
 */
bool srnic_peer_drop(struct srnic_peers *peers, const u8 *gid, unsigned int packets)
{
	struct srnic_peer *peer;
	bool cut;

	rcu_read_lock();
	peer = peer_find(peers, gid);
	cut = peer && READ_ONCE(peer->cut);
	if (cut) {
		atomic64_add(packets, &peer->dropped);
		WRITE_ONCE(peer->last_seen, jiffies);
	}
	rcu_read_unlock();
	return cut;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_peer_drop);

/**
 * srnic_peer_cut() - Cut a peer off by hand
 * @peers: peers of the device
 * @gid: address of the peer; need not be known
 * @seconds: duration; 0: until srnic_peer_allow()
 * @now: jiffies
 *
 * Context: any but NMI.
 * Return: 0; -ERANGE: @seconds exceeds the maximum of SRNIC_LIMIT_CUTOFF;
 * -ENOSPC: SRNIC_MAX_CUT_OFF peers are cut off; -ENOMEM.
 */
int srnic_peer_cut(struct srnic_peers *peers, const u8 *gid, u32 seconds, unsigned long now)
{
	struct srnic_peer *peer;
	unsigned long flags;
	int err = -ENOMEM;

	if (seconds > srnic_limit_table[SRNIC_LIMIT_CUTOFF].max)
		return -ERANGE;
	spin_lock_irqsave(&peers->lock, flags);
	peer = peer_find(peers, gid);
	if (!peer) {
		peers_evict_any(peers);
		peer = peer_create(peers, gid, now);
	}
	if (peer)
		err = peer_cut(peers, peer, seconds, now);
	spin_unlock_irqrestore(&peers->lock, flags);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_peer_cut);

/**
 * srnic_peer_allow() - Accept packets of a cut-off peer again
 * @peers: peers of the device
 * @gid: address of the peer
 *
 * The counts of the peer are kept.
 *
 * Context: any but NMI.
 * Return: 0, or -ENOENT if the peer was not cut off.
 */
int srnic_peer_allow(struct srnic_peers *peers, const u8 *gid)
{
	struct srnic_peer *peer;
	unsigned long flags;
	int err = -ENOENT;

	spin_lock_irqsave(&peers->lock, flags);
	peer = peer_find(peers, gid);
	if (peer && peer->cut) {
		peer_allow(peers, peer);
		err = 0;
	}
	spin_unlock_irqrestore(&peers->lock, flags);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_peer_allow);

/**
 * srnic_peers_expire() - End the cut-offs whose time is over
 * @peers: peers of the device
 * @now: jiffies
 *
 * Context: any but NMI.
 * Return: jiffies until the next cut-off ends; MAX_JIFFY_OFFSET if none will.
 */
unsigned long srnic_peers_expire(struct srnic_peers *peers, unsigned long now)
{
	unsigned long next = MAX_JIFFY_OFFSET;
	struct srnic_peer *peer, *after;
	unsigned long flags;

	spin_lock_irqsave(&peers->lock, flags);
	list_for_each_entry_safe(peer, after, &peers->cut_list, lru_node) {
		if (!peer->timed)
			continue;
		if (time_after_eq(now, peer->until))
			peer_allow(peers, peer);
		else
			next = min(next, peer->until - now);
	}
	spin_unlock_irqrestore(&peers->lock, flags);
	return next;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_peers_expire);

static void expire_work(struct work_struct *work)
{
	struct srnic_peers *peers = container_of(to_delayed_work(work), struct srnic_peers, expire);
	unsigned long next = srnic_peers_expire(peers, jiffies);

	/* does not defer the work if peer_cut() has queued it meanwhile */
	if (next != MAX_JIFFY_OFFSET)
		queue_delayed_work(system_percpu_wq, &peers->expire, next);
}

/*
 * Return the peer at position *@at, or else the next one, and set *@at to its
 * position.
 */
static const struct srnic_peer *peer_at(struct srnic_peers *peers, unsigned long *at)
	__must_hold(&peers->lock)
{
	unsigned long bucket = *at / SRNIC_MAX_PEERS;
	unsigned long first = *at % SRNIC_MAX_PEERS;
	const struct srnic_peer *peer;

	for (; bucket < SRNIC_PEER_BUCKETS; bucket++, first = 0) {
		*at = bucket * SRNIC_MAX_PEERS;
		hlist_for_each_entry(peer, &peers->buckets[bucket], node) {
			if (*at % SRNIC_MAX_PEERS >= first)
				return peer;
			++*at;
		}
	}
	return NULL;
}

/* Return @later - @earlier, or 0 if it is negative: the clock was read twice. */
static unsigned long jiffies_elapsed(unsigned long earlier, unsigned long later)
{
	return time_after(later, earlier) ? later - earlier : 0;
}

/**
 * srnic_peer_next() - Iterate over the peers, while others may add and remove some
 * @peers: peers of the device
 * @at: position to start at, 0 for the first; set to the position of the peer
 *	found, to be incremented by the caller
 * @now: jiffies
 * @state: filled in
 *
 * Context: any but NMI.
 * Return: true if a peer was found.
 */
bool srnic_peer_next(struct srnic_peers *peers, unsigned long *at, unsigned long now,
		     struct srnic_peer_state *state)
{
	const struct srnic_peer *peer;
	unsigned long flags;

	spin_lock_irqsave(&peers->lock, flags);
	peer = peer_at(peers, at);
	if (peer) {
		memcpy(state->gid, peer->gid, sizeof(state->gid));
		for (int i = 0; i < SRNIC_FAULTS; i++)
			state->faults[i] = atomic64_read(&peer->faults[i]);
		state->dropped = atomic64_read(&peer->dropped);
		state->silent = jiffies_to_msecs(jiffies_elapsed(READ_ONCE(peer->last_seen), now));
		state->cut = peer->cut;
		state->timed = peer->cut && peer->timed;
		state->left = state->timed ?
			DIV_ROUND_UP(jiffies_elapsed(now, peer->until), HZ) : 0;
	}
	spin_unlock_irqrestore(&peers->lock, flags);
	return peer;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_peer_next);

/**
 * srnic_peers_alloc() - Allocate an empty table of peers
 * @guard: guard of the device, which holds the limits
 *
 * Context: process.
 * Return: the table, to be freed by srnic_peers_free(), or NULL.
 */
struct srnic_peers *srnic_peers_alloc(const struct srnic_guard *guard)
{
	struct srnic_peers *peers = kzalloc(sizeof(*peers), GFP_KERNEL);

	if (!peers)
		return NULL;
	peers->guard = guard;
	peers->full_since = jiffies - HZ;
	spin_lock_init(&peers->lock);
	get_random_bytes(&peers->key, sizeof(peers->key));
	INIT_LIST_HEAD(&peers->lru);
	INIT_LIST_HEAD(&peers->cut_list);
	INIT_DELAYED_WORK(&peers->expire, expire_work);
	return peers;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_peers_alloc);

/**
 * srnic_peers_free() - Free a table of peers
 * @peers: may be NULL; no longer in use
 *
 * Context: process.
 */
void srnic_peers_free(struct srnic_peers *peers)
{
	struct srnic_peer *peer, *after;

	if (!peers)
		return;
	cancel_delayed_work_sync(&peers->expire);
	list_splice(&peers->cut_list, &peers->lru);
	list_for_each_entry_safe(peer, after, &peers->lru, lru_node)
		kfree(peer);
	kfree(peers);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_peers_free);
