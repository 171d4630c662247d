// SPDX-License-Identifier: GPL-2.0
/*
 * The nonce oracle of test kernels (CONFIG_KUNIT): records the input for which
 * each nonce is used, and warns if a nonce is used for two inputs. No other
 * check would detect this: such packets open correctly, but their key is
 * compromised.
 *
 * The oracle identifies keys by value, not by connection, so it also detects
 * that a reset QP derives an old key again. It stores keyed hashes in a table,
 * where new entries replace old ones.
 *
 * Because the table forgets, the oracle also checks that counters only rise
 * under each key: then each nonce is used once, however long a run is. Soak
 * tests read the result from the parameters nonces_*. Unit tests, which restart
 * counters at 0 under the keys of vectors, do not.
 */
#include <linux/moduleparam.h>
#include <linux/once.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/unaligned.h>
#include "export.h"
#include "sth/crypto.h"

#define ORACLE_ENTRIES	BIT(16)
#define ORACLE_KEYS	BIT(12)
#define ORACLE_KEY_WAYS	8	/* entries that a key may occupy */

struct nonce_use {
	u64 key;	/* hash, 0 if empty */
	u64 nonce[2];
	u64 input;
};

struct key_counter {
	u64 key;	/* hash, 0 if empty */
	u32 next;	/* lowest counter that no use has reached */
};

static struct nonce_use nonce_uses[ORACLE_ENTRIES];
static struct key_counter key_counters[ORACLE_KEYS];
static unsigned long nonces_seen, nonces_fell, nonces_forgot;
static DEFINE_SPINLOCK(oracle_lock);	/* all of the above */
static siphash_key_t oracle_key __read_mostly;
static unsigned long nonces_reused;
static bool oracle_quiet;

static u64 hash_bytes(const void *p, size_t len)
{
	get_random_once(&oracle_key, sizeof(oracle_key));
	return siphash(p, len, &oracle_key);
}

module_param(nonces_seen, ulong, 0444);
MODULE_PARM_DESC(nonces_seen, "Test kernels: packets sealed under a suite with a counter");
module_param(nonces_fell, ulong, 0444);
MODULE_PARM_DESC(nonces_fell, "Test kernels: of those, with a counter not above the key's last");
module_param(nonces_forgot, ulong, 0444);
MODULE_PARM_DESC(nonces_forgot, "Test kernels: keys whose last counter was forgotten");

/**
 * srnic_nonce_oracle_key() - Return the oracle's name for a key
 * @raw: the key
 * @len: bytes in @raw
 *
 * Return: a number that depends on the key only; not 0.
 */
u64 srnic_nonce_oracle_key(const u8 *raw, unsigned int len)
{
	return hash_bytes(raw, len) ?: 1;
}

static u64 hash_input(const struct srnic_sth_scratch *s, const struct srnic_sth_payload *payload)
{
	struct scatterlist *sg = payload->src;
	unsigned int len = payload->len;
	u64 h = hash_bytes(s->input, s->input_len);

	if (s->mode == SRNIC_STH_HEADER)
		return h;
	for (; len && sg; sg = sg_next(sg)) {
		const u8 *p = sg_virt(sg);
		unsigned int n = min(len, sg->length);

		/* Hash bytewise, so that another split of the same bytes is the same input. */
		len -= n;
		while (n--)
			h = (h ^ *p++) * 0x100000001b3ULL;
	}
	return h;
}

static struct key_counter *key_counter_find(u64 key)
{
	struct key_counter *entry = &key_counters[key % ORACLE_KEYS];

	for (unsigned int i = 0; i < ORACLE_KEY_WAYS; i++) {
		struct key_counter *place = &key_counters[(key + i) % ORACLE_KEYS];

		if (place->key == key)
			return place;
		if (!place->key) {
			entry = place;
			break;
		}
	}
	nonces_forgot += !!entry->key;
	*entry = (struct key_counter){ .key = key };
	return entry;
}

static void record_counter(const struct nonce_use *now)
{
	/* a nonce ends with its counter: srnic_sth_nonce96() */
	u32 counter = get_unaligned_be32((const u8 *)now->nonce + SRNIC_STH_IV_LEN - 4);
	struct key_counter *entry = key_counter_find(now->key);

	nonces_seen++;
	if (counter < entry->next)
		nonces_fell++;
	else
		entry->next = counter + 1;
}

/* Record a use. Return whether the nonce was used for another input before. */
static bool record_use(const struct nonce_use *now)
{
	u64 hash = siphash_3u64(now->key, now->nonce[0], now->nonce[1], &oracle_key);
	struct nonce_use *use = &nonce_uses[hash % ORACLE_ENTRIES];
	unsigned long flags;
	bool twice;

	spin_lock_irqsave(&oracle_lock, flags);
	record_counter(now);
	twice = use->key == now->key && !memcmp(use->nonce, now->nonce, sizeof(use->nonce)) &&
		use->input != now->input;
	*use = *now;
	nonces_reused += twice;
	spin_unlock_irqrestore(&oracle_lock, flags);
	return twice;
}

/**
 * srnic_nonce_oracle() - Check a nonce before it is used
 * @cipher: cipher of the nonce family
 * @s: scratch, with @s->iv and @s->input
 * @payload: payload and pad; not yet encrypted
 */
void srnic_nonce_oracle(const struct srnic_cipher *cipher, const struct srnic_sth_scratch *s,
			const struct srnic_sth_payload *payload)
{
	struct nonce_use now = { .key = cipher->oracle };

	if (!now.key)
		return;
	memcpy(now.nonce, s->iv, SRNIC_STH_IV_LEN);
	now.input = hash_input(s, payload);
	WARN(record_use(&now) && !READ_ONCE(oracle_quiet),
	     "srnic: nonce %*phN used for two inputs\n", SRNIC_STH_IV_LEN, s->iv);
}

/**
 * srnic_nonce_oracle_reused() - Return how many nonces were used for two inputs
 * @hush: suppress warnings from now on; for the test of this file
 */
unsigned long srnic_nonce_oracle_reused(bool hush)
{
	WRITE_ONCE(oracle_quiet, hush);
	return READ_ONCE(nonces_reused);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_nonce_oracle_reused);

/** srnic_nonce_oracle_fell() - Return how many counters were not above their key's last */
unsigned long srnic_nonce_oracle_fell(void)
{
	return READ_ONCE(nonces_fell);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_nonce_oracle_fell);

/** srnic_nonce_oracle_forget() - Forget the last counters of all keys, for this file's test */
void srnic_nonce_oracle_forget(void)
{
	unsigned long flags;

	spin_lock_irqsave(&oracle_lock, flags);
	memset(key_counters, 0, sizeof(key_counters));
	spin_unlock_irqrestore(&oracle_lock, flags);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_nonce_oracle_forget);
