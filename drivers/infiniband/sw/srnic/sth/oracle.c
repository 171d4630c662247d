// SPDX-License-Identifier: GPL-2.0
/*
 * The nonce oracle of test kernels (CONFIG_KUNIT): remembers which nonce was used for
 * what, and warns of one that is used for two inputs. Nothing else in srnic would
 * notice: such packets open, and their keys are gone.
 *
 * It knows keys by their bytes, not by their connection: a queue pair that is reset
 * and derives the same key again is just what it is to find. What it keeps is a keyed
 * hash, in a table where the new displaces the old.
 *
 * That forgets. So it also looks whether counters only rise under each key, for then each
 * is used once, however long a run is: soak tests ask for that, by the parameters
 * nonces_*. Unit tests, whose keys are those of vectors, begin again with a counter of 0.
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
#define KEY_PLACES	8	/* where a key may be */

struct use {
	u64 key;	/* 0: empty */
	u64 nonce[2];
	u64 input;
};

struct rise {
	u64 key;	/* 0: empty */
	u32 next;	/* no counter from here on has been used */
};

static struct use uses[ENTRIES];
static struct rise rises[KEYS];
static unsigned long nonces_seen, nonces_fell, nonces_forgot;
static DEFINE_SPINLOCK(lock);	/* all of the above */
static siphash_key_t secret __read_mostly;
static unsigned long reused;
static bool quiet;

static u64 hash(const void *p, size_t len)
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
 * srnic_nonce_oracle_key - a name for a key
 * @raw: the key
 * @len: its length
 *
 * Return: the same for the same key; not 0.
 */
u64 srnic_nonce_oracle_key(const u8 *raw, unsigned int len)
{
	return hash(raw, len) ?: 1;
}

static u64 hash_input(const struct srnic_sth_scratch *s, unsigned int input_len,
		      struct scatterlist *payload, unsigned int len)
{
	u64 h = hash(s->input, input_len);

	if (s->mode == SRNIC_STH_HEADER)
		return h;
	for (; len && payload; payload = sg_next(payload)) {
		const u8 *p = sg_virt(payload);
		unsigned int n = min(len, payload->length);

		/* byte by byte: another split of the same bytes is the same input */
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

/* whether the nonce has been used for another input; notes its use */
static bool note(const struct use *now)
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
 * srnic_nonce_oracle - a nonce is about to be used
 * @cipher: of the nonce family
 * @s: scratch: @s->iv, @s->input
 * @input_len: bytes in @s->input
 * @payload: what the tag covers besides; text not yet encrypted
 * @len: bytes of @payload
 */
void srnic_nonce_oracle(const struct srnic_cipher *cipher, const struct srnic_sth_scratch *s,
			unsigned int input_len, struct scatterlist *payload, unsigned int len)
{
	struct use now = { .key = cipher->oracle };

	if (!now.key)
		return;
	memcpy(now.nonce, s->iv, SRNIC_STH_IV_LEN);
	now.input = hash_input(s, input_len, payload, len);
	WARN(note(&now) && !READ_ONCE(quiet), "srnic: nonce %*phN used for two inputs\n",
	     SRNIC_STH_IV_LEN, s->iv);
}

/**
 * srnic_nonce_oracle_reused - how many nonces were used for two inputs
 * @hush: do not warn from now on; for the test of this file
 */
unsigned long srnic_nonce_oracle_reused(bool hush)
{
	WRITE_ONCE(quiet, hush);
	return READ_ONCE(reused);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_nonce_oracle_reused);

/** srnic_nonce_oracle_fell - how many counters were not above the last of their key */
unsigned long srnic_nonce_oracle_fell(void)
{
	return READ_ONCE(nonces_fell);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_nonce_oracle_fell);

/** srnic_nonce_oracle_forget - the last counters of all keys; for the test of this file */
void srnic_nonce_oracle_forget(void)
{
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	memset(rises, 0, sizeof(rises));
	spin_unlock_irqrestore(&lock, flags);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_nonce_oracle_forget);
