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
 * under each key. Then each nonce is used once, however long a run is. Soak
 * tests check this by the parameters nonces_*. Unit tests use the keys of
 * vectors and restart their counters at 0.
 */
#include <linux/moduleparam.h>
#include <linux/once.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/unaligned.h>
#include "export.h"
#include "sth/crypto.h"

#define ENTRIES		BIT(16)
#define KEYS		BIT(12)
#define KEY_PLACES	8	/* entries that a key may occupy */

struct use {
	u64 key;	/* hash, 0 if empty */
	u64 nonce[2];
	u64 input;
};

struct rise {
	u64 key;	/* hash, 0 if empty */
	u32 next;	/* lowest counter that no use has reached */
};

static struct use uses[ENTRIES];
static struct rise rises[KEYS];
static unsigned long nonces_seen, nonces_fell, nonces_forgot;
static DEFINE_SPINLOCK(lock);	/* all of the above */
static siphash_key_t secret __read_mostly;
static unsigned long reused;
static bool quiet;

static u64 hash_bytes(const void *p, size_t len)
{
	get_random_once(&secret, sizeof(secret));
	return siphash(p, len, &secret);
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

static u64 hash_input(const struct srnic_sth_scratch *s, const struct srnic_text *text)
{
	struct scatterlist *payload = text->src;
	unsigned int len = text->len;
	u64 h = hash_bytes(s->input, s->input_len);

	if (s->mode == SRNIC_STH_HEADER)
		return h;
	for (; len && payload; payload = sg_next(payload)) {
		const u8 *p = sg_virt(payload);
		unsigned int n = min(len, payload->length);

		/* Hash bytewise, so that another split of the same bytes is the same input. */
		len -= n;
		while (n--)
			h = (h ^ *p++) * 0x100000001b3ULL;
	}
	return h;
}

static struct rise *rise_of(u64 key)
{
	struct rise *rise = &rises[key % KEYS];

	for (unsigned int i = 0; i < KEY_PLACES; i++) {
		struct rise *place = &rises[(key + i) % KEYS];

		if (place->key == key)
			return place;
		if (!place->key) {
			rise = place;
			break;
		}
	}
	nonces_forgot += !!rise->key;
	*rise = (struct rise){ .key = key };
	return rise;
}

static void note_rise(const struct use *now)
{
	/* a nonce ends with its counter: srnic_sth_nonce96() */
	u32 counter = get_unaligned_be32((const u8 *)now->nonce + SRNIC_STH_IV_LEN - 4);
	struct rise *rise = rise_of(now->key);

	nonces_seen++;
	if (counter < rise->next)
		nonces_fell++;
	else
		rise->next = counter + 1;
}

/* Record a use. Return whether the nonce was used for another input before. */
static bool note_use(const struct use *now)
{
	struct use *use = &uses[siphash_3u64(now->key, now->nonce[0], now->nonce[1], &secret) %
				ENTRIES];
	unsigned long flags;
	bool twice;

	spin_lock_irqsave(&lock, flags);
	note_rise(now);
	twice = use->key == now->key && !memcmp(use->nonce, now->nonce, sizeof(use->nonce)) &&
		use->input != now->input;
	*use = *now;
	reused += twice;
	spin_unlock_irqrestore(&lock, flags);
	return twice;
}

/**
 * srnic_nonce_oracle() - Check a nonce before it is used
 * @cipher: cipher of the nonce family
 * @s: scratch, with @s->iv and @s->input
 * @text: payload and pad; not yet encrypted
 */
void srnic_nonce_oracle(const struct srnic_cipher *cipher, const struct srnic_sth_scratch *s,
			const struct srnic_text *text)
{
	struct use now = { .key = cipher->oracle };

	if (!now.key)
		return;
	memcpy(now.nonce, s->iv, SRNIC_STH_IV_LEN);
	now.input = hash_input(s, text);
	WARN(note_use(&now) && !READ_ONCE(quiet), "srnic: nonce %*phN used for two inputs\n",
	     SRNIC_STH_IV_LEN, s->iv);
}

/**
 * srnic_nonce_oracle_reused() - Return how many nonces were used for two inputs
 * @hush: suppress warnings from now on; for the test of this file
 */
unsigned long srnic_nonce_oracle_reused(bool hush)
{
	WRITE_ONCE(quiet, hush);
	return READ_ONCE(reused);
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

	spin_lock_irqsave(&lock, flags);
	memset(rises, 0, sizeof(rises));
	spin_unlock_irqrestore(&lock, flags);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_nonce_oracle_forget);
