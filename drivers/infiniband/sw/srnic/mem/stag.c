// SPDX-License-Identifier: GPL-2.0
/*
 * Keys: how they are made, found, and brought to rest.
 */
#include <linux/random.h>
#include <linux/rhashtable.h>
#include <linux/swab.h>
#include <linux/wait_bit.h>
#include "../export.h"
#include "../srnic.h"
#include "mem.h"

#define STAG_INDEX_BITS		24
#define STAG_HALF_BITS		(STAG_INDEX_BITS / 2)
#define STAG_HALF_MASK		(BIT(STAG_HALF_BITS) - 1)
#define STAG_INDEX_MASK		(BIT(STAG_INDEX_BITS) - 1)
#define STAG_ROUNDS		8
#define STAG_TRIES		4096
#define STAG_LATE		BIT(17)	/* so many others come first, and a few less */

/*
 * Multiply-shift by a secret odd number: nobody can tell which indices share a bucket.
 * The product's high bits are those that depend on all of the index; the table looks at
 * the low ones.
 */
static u32 stag_hash(const void *key, u32 len, u32 seed)
{
	return swab32(*(const u32 *)key * (seed | 1));
}

static int stag_differs(struct rhashtable_compare_arg *arg, const void *obj)
{
	const struct srnic_stag *stag = obj;

	return stag->index != *(const u32 *)arg->key;
}

static const struct rhashtable_params stag_params = {
	.hashfn = stag_hash,
	.obj_cmpfn = stag_differs,
	.key_len = sizeof_field(struct srnic_stag, index),
	.key_offset = offsetof(struct srnic_stag, index),
	.head_offset = offsetof(struct srnic_stag, node),
	.automatic_shrinking = true,
};

/*
 * A keyed permutation of 24 bits: a balanced Feistel network with SipHash as its
 * round function.
 */
static u32 stag_permute(const siphash_key_t *key, u32 count)
{
	u32 left = count >> STAG_HALF_BITS & STAG_HALF_MASK;
	u32 right = count & STAG_HALF_MASK;

	for (u32 round = 0; round < STAG_ROUNDS; round++) {
		u32 mixed = left ^ (siphash_2u32(round, right, key) & STAG_HALF_MASK);

		left = right;
		right = mixed;
	}
	return left << STAG_HALF_BITS | right;
}

/* The way back: which count comes to this index. */
static u32 stag_place(const siphash_key_t *key, u32 index)
{
	u32 left = index >> STAG_HALF_BITS;
	u32 right = index & STAG_HALF_MASK;

	for (u32 round = STAG_ROUNDS; round--;) {
		u32 mixed = right ^ (siphash_2u32(round, left, key) & STAG_HALF_MASK);

		right = left;
		left = mixed;
	}
	return left << STAG_HALF_BITS | right;
}

/*
 * The next index: the permutation of a counter. It is as hard to guess as a
 * random number (RFC 5042 6.1.1, R9), and what has been given back is not given
 * out again before all others have been. With each lap the permutation changes,
 * or whoever has seen one would know the next; what came late in the former lap
 * does not come early in the new one: it is left out.
 */
static u32 stag_next_index(struct srnic_dev *dev)
{
	struct srnic_stag_seq *seq = &dev->stag_seq;
	u32 count, index;

	spin_lock(&seq->lock);
	do {
		count = seq->count++ & STAG_INDEX_MASK;
		if (!count) {
			seq->former = seq->key;
			get_random_bytes(&seq->key, sizeof(seq->key));
		}
		index = stag_permute(&seq->key, count);
	} while (count < STAG_LATE &&
		 STAG_INDEX_MASK - stag_place(&seq->former, index) + count < STAG_LATE);
	spin_unlock(&seq->lock);
	return index;
}

/**
 * srnic_stag_table_init - an empty table
 * @dev: zeroed
 *
 * Return: 0 or -ENOMEM.
 */
int srnic_stag_table_init(struct srnic_dev *dev)
{
	spin_lock_init(&dev->stag_seq.lock);
	dev->stag_seq.count = 0;
	return rhashtable_init(&dev->stags, &stag_params);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stag_table_init);

/**
 * srnic_stag_table_exit - the table goes; all regions and windows have gone
 * @dev: the device
 */
void srnic_stag_table_exit(struct srnic_dev *dev)
{
	rhashtable_destroy(&dev->stags);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stag_table_exit);

/**
 * srnic_stag_init - a key that is not yet one
 * @stag: zeroed
 * @kind: of what
 * @pd: its protection domain
 */
void srnic_stag_init(struct srnic_stag *stag, enum srnic_stag_kind kind, struct srnic_pd *pd)
{
	stag->kind = kind;
	stag->pd = pd;
	spin_lock_init(&stag->lock);
	stag->one_stream = kind == SRNIC_STAG_MW2;
	INIT_LIST_HEAD(&stag->stream);
	atomic_set(&stag->active, 0);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stag_init);

/**
 * srnic_stag_insert - give out a key
 * @dev: the device
 * @stag: initialised; index and key are set, it can be found, but is not valid
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int srnic_stag_insert(struct srnic_dev *dev, struct srnic_stag *stag)
{
	for (unsigned int try = 0; try < STAG_TRIES; try++) {
		int err;

		stag->index = stag_next_index(dev);
		if (!stag->index)
			continue;	/* SRNIC_DMA_LKEY's */

		stag->key = stag->index << 8 | get_random_u8();
		err = rhashtable_lookup_insert_fast(&dev->stags, &stag->node, stag_params);
		if (err != -EEXIST)
			return err ? -ENOMEM : 0;
	}
	return -ENOMEM;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stag_insert);

/**
 * srnic_stag_remove - nobody finds this key any more
 * @dev: the device
 * @stag: quiesced; to be freed after a grace period
 *
 * Context: process.
 */
void srnic_stag_remove(struct srnic_dev *dev, struct srnic_stag *stag)
{
	rhashtable_remove_fast(&dev->stags, &stag->node, stag_params);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stag_remove);

/**
 * srnic_stag_find - what an index names
 * @dev: the device
 * @key: any variant of it: the caller compares the whole key, holding a count
 *
 * Context: under RCU.
 */
struct srnic_stag *srnic_stag_find(struct srnic_dev *dev, u32 key)
{
	u32 index = key >> 8;

	return rhashtable_lookup(&dev->stags, &index, stag_params);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stag_find);

/**
 * srnic_stag_get - take part in using a key
 * @stag: found under RCU, or otherwise known to be there
 *
 * As long as the count is held nothing of @stag changes, and it stays where it
 * is. The holder does not sleep, and waits for nobody who might be waiting for the
 * count: see srnic_stag_quiesce_atomic().
 *
 * Context: BHs off until srnic_stag_put().
 * Return: false if it is not valid.
 */
bool srnic_stag_get(struct srnic_stag *stag)
{
	int active = atomic_read(&stag->active);

	/*
	 * No unconditional increment: a flood of refused accesses would keep
	 * the count from reaching zero.
	 */
	do {
		if (active >= 0)
			return false;
	} while (!atomic_try_cmpxchg_acquire(&stag->active, &active, active + 1));

	return true;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stag_get);

/**
 * srnic_stag_put - done with it
 * @stag: not to be touched afterwards
 */
void srnic_stag_put(struct srnic_stag *stag)
{
	/* zero only once the valid bit has gone; wake_up_var() does not dereference */
	if (unlikely(atomic_dec_and_test(&stag->active)))
		wake_up_var(&stag->active);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stag_put);

/**
 * srnic_stag_publish - the key is valid from now on
 * @stag: at rest, all fields set
 *
 * Context: any; the caller is the only one to change @stag.
 */
void srnic_stag_publish(struct srnic_stag *stag)
{
	atomic_set_release(&stag->active, SRNIC_STAG_VALID);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stag_publish);

/**
 * srnic_stag_quiesce - make a key invalid and wait for who still uses it
 * @stag: valid or not
 *
 * When it returns no packet in progress reads or writes through the key (RFC
 * 5042 6.2.2, R12).
 *
 * Context: process.
 */
void srnic_stag_quiesce(struct srnic_stag *stag)
{
	might_sleep();
	atomic_andnot(SRNIC_STAG_VALID, &stag->active);
	wait_var_event(&stag->active, !atomic_read_acquire(&stag->active));
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stag_quiesce);

/**
 * srnic_stag_quiesce_atomic - the same, for invalidation by work request
 * @stag: the caller holds no count of any key on this CPU
 *
 * Spins, which cannot deadlock: holders of a count have BHs off, so none sleeps on
 * this CPU below us, and between get and put they copy at most a burst of packets,
 * under their own QP's lock, and take no lock but those of CQs, SRQs and AHs, whose
 * holders wait for no key. (With PREEMPT_RT, BH-off sections exclude each other a
 * CPU, and a holder elsewhere that is preempted is boosted through that very
 * exclusion.)
 *
 * Context: process or softirq, BHs off.
 */
void srnic_stag_quiesce_atomic(struct srnic_stag *stag)
{
	lockdep_assert(in_softirq() || irqs_disabled());
	atomic_andnot(SRNIC_STAG_VALID, &stag->active);
	while (atomic_read_acquire(&stag->active))
		cpu_relax();
}
