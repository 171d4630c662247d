// SPDX-License-Identifier: GPL-2.0
/*
 * Keys of regions and windows (STags): generation, lookup, active references,
 * quiescing.
 */
#include <linux/random.h>
#include <linux/rhashtable.h>
#include <linux/swab.h>
#include <linux/wait_bit.h>
#include "export.h"
#include "srnic.h"
#include "mem/mem.h"

#define STAG_INDEX_BITS		24
#define STAG_HALF_BITS		(STAG_INDEX_BITS / 2)
#define STAG_HALF_MASK		(BIT(STAG_HALF_BITS) - 1)
#define STAG_INDEX_MASK		(BIT(STAG_INDEX_BITS) - 1)
#define STAG_ROUNDS		8
#define STAG_TRIES		4096
#define STAG_REUSE_MIN	BIT(17)	/* indices between two uses of the same, roughly */

/*
 * Multiply-shift hash with a secret odd multiplier: an attacker cannot tell
 * which indices share a bucket. The high bits of the product depend on all bits
 * of the index, but the table uses the low ones, hence the byte swap.
 */
static u32 stag_hash(const void *key, u32 len, u32 seed)
{
	return swab32(*(const u32 *)key * (seed | 1));
}

static int stag_obj_cmp(struct rhashtable_compare_arg *arg, const void *obj)
{
	const struct srnic_stag *stag = obj;

	return stag->index != *(const u32 *)arg->key;
}

static const struct rhashtable_params stag_params = {
	.hashfn = stag_hash,
	.obj_cmpfn = stag_obj_cmp,
	.key_len = sizeof_field(struct srnic_stag, index),
	.key_offset = offsetof(struct srnic_stag, index),
	.head_offset = offsetof(struct srnic_stag, node),
	.automatic_shrinking = true,
};

/*
 * Permute 24 bits by a key: a balanced Feistel network with SipHash as its
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

/* Invert stag_permute(): return the count that yields @index. */
static u32 stag_unpermute(const siphash_key_t *key, u32 index)
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
 * Return the next index: a permutation of a counter. It is as hard to guess as
 * a random number (RFC 5042 6.1.1, R9), and a released index is not reused
 * before all others have been used. The permutation changes with each lap of
 * the counter, because a repeated lap would be predictable. Indices issued late
 * in the previous lap are skipped early in the new one.
 */
static u32 stag_next_index(struct srnic_dev *dev)
{
	struct srnic_stag_seq *seq = &dev->stag_seq;
	u32 count, index;

	spin_lock(&seq->lock);
	do {
		count = seq->count++ & STAG_INDEX_MASK;
		if (!count) {
			seq->prev_key = seq->key;
			get_random_bytes(&seq->key, sizeof(seq->key));
		}
		index = stag_permute(&seq->key, count);
	} while (count < STAG_REUSE_MIN &&
		 STAG_INDEX_MASK - stag_unpermute(&seq->prev_key, index) + count < STAG_REUSE_MIN);
	spin_unlock(&seq->lock);
	return index;
}

/**
 * srnic_stag_table_init() - Initialise the table of STags
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
 * srnic_stag_table_exit() - Destroy the table of STags
 * @dev: the device, without regions and windows
 */
void srnic_stag_table_exit(struct srnic_dev *dev)
{
	rhashtable_destroy(&dev->stags);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stag_table_exit);

/**
 * srnic_stag_init() - Initialise an STag without a key, invalid
 * @stag: zeroed
 * @kind: kind of object
 * @pd: its protection domain
 */
void srnic_stag_init(struct srnic_stag *stag, enum srnic_stag_kind kind, struct srnic_pd *pd)
{
	stag->kind = kind;
	stag->pd = pd;
	spin_lock_init(&stag->lock);
	stag->one_stream = kind == SRNIC_STAG_MW2;
	INIT_LIST_HEAD(&stag->stream_node);
	atomic_set(&stag->active, 0);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stag_init);

/**
 * srnic_stag_insert() - Issue a key and add the STag to the table
 * @dev: the device
 * @stag: initialised; on return it has an index and a key and can be found, but
 *	is not valid
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
			continue;	/* reserved for SRNIC_DMA_LKEY */

		stag->key = stag->index << 8 | get_random_u8();
		err = rhashtable_lookup_insert_fast(&dev->stags, &stag->node, stag_params);
		if (err != -EEXIST)
			return err ? -ENOMEM : 0;
	}
	return -ENOMEM;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stag_insert);

/**
 * srnic_stag_remove() - Remove an STag from the table
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
 * srnic_stag_find() - Look up an STag by the index of a key
 * @stream: stream that uses the key; its device is searched
 * @key: any variant; the caller compares the full key while holding an active
 *	reference
 *
 * Context: under RCU.
 * Return: the STag, or NULL.
 */
struct srnic_stag *srnic_stag_find(const struct srnic_mem_stream *stream, u32 key)
{
	struct srnic_dev *dev = to_srnic(stream->pd->ib.device);
	u32 index = key >> 8;

	return rhashtable_lookup(&dev->stags, &index, stag_params);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stag_find);

/**
 * srnic_stag_get() - Take an active reference to an STag
 * @stag: found under RCU, or otherwise known to exist
 *
 * While the reference is held, @stag does not change and is not freed. The
 * holder must not sleep, and must not wait for a context that might be waiting
 * for the reference: see srnic_stag_quiesce_atomic().
 *
 * Context: BHs off until srnic_stag_put().
 * Return: false if the STag is not valid.
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
 * srnic_stag_put() - Drop an active reference
 * @stag: not to be touched afterwards
 */
void srnic_stag_put(struct srnic_stag *stag)
{
	/*
	 * Reaches zero only after the valid bit was cleared; wake_up_var() does
	 * not dereference.
	 */
	if (unlikely(atomic_dec_and_test(&stag->active)))
		wake_up_var(&stag->active);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stag_put);

/**
 * srnic_stag_publish() - Make a key valid
 * @stag: quiesced, all fields set
 *
 * Context: any; the caller is the only one to change @stag.
 */
void srnic_stag_publish(struct srnic_stag *stag)
{
	atomic_set_release(&stag->active, SRNIC_STAG_VALID);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_stag_publish);

/**
 * srnic_stag_quiesce() - Make a key invalid and wait for its users
 * @stag: valid or not
 *
 * When it returns, no packet in progress reads or writes through the key (RFC
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
 * srnic_stag_quiesce_atomic() - Make a key invalid and spin until it has no users
 * @stag: the caller holds no active reference to any STag on this CPU
 *
 * For invalidation by work request. Spinning cannot deadlock: holders of a
 * reference have BHs off, so none of them is suspended on this CPU. Between get
 * and put they copy at most one burst, under the lock of their own QP, and take
 * no locks but those of CQs, SRQs and AHs, whose holders wait for no key. With
 * PREEMPT_RT, BH-off sections exclude each other per CPU, and a preempted
 * holder on another CPU is boosted through that exclusion.
 *
 * Context: process or softirq, BHs off.
 */
void srnic_stag_quiesce_atomic(struct srnic_stag *stag)
{
	lockdep_assert(softirq_count() || irqs_disabled());
	atomic_andnot(SRNIC_STAG_VALID, &stag->active);
	while (atomic_read_acquire(&stag->active))
		cpu_relax();
}
