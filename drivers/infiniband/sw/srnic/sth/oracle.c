// SPDX-License-Identifier: GPL-2.0
/*
 * The nonce oracle of test kernels (CONFIG_KUNIT): remembers which nonce was used for
 * what, and warns of one that is used for two inputs. Nothing else in srnic would
 * notice: such packets open, and their keys are gone.
 *
 * It knows keys by their bytes, not by their connection: a queue pair that is reset
 * and derives the same key again is just what it is to find. What it keeps is a keyed
 * hash, in a table where the new displaces the old.
 */
#include <linux/once.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>
#include "export.h"
#include "sth/crypto.h"

#define ENTRIES	BIT(16)

struct use {
	u64 key;	/* 0: empty */
	u64 nonce[2];
	u64 input;
};

static struct use uses[ENTRIES];
static DEFINE_SPINLOCK(lock);
static siphash_key_t secret __read_mostly;
static unsigned long reused;
static bool quiet;

static u64 hash(const void *p, size_t len)
{
	get_random_once(&secret, sizeof(secret));
	return siphash(p, len, &secret);
}

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

/* whether the nonce has been used for another input; notes its use */
static bool note(const struct use *now)
{
	struct use *use = &uses[siphash_3u64(now->key, now->nonce[0], now->nonce[1], &secret) %
				ENTRIES];
	unsigned long flags;
	bool twice;

	spin_lock_irqsave(&lock, flags);
	twice = use->key == now->key && !memcmp(use->nonce, now->nonce, sizeof(use->nonce)) &&
		use->input != now->input;
	*use = *now;
	reused += twice;
	spin_unlock_irqrestore(&lock, flags);
	return twice;
}

/**
 * srnic_nonce_oracle - a nonce is about to be used
 * @key: sub-key of the nonce family
 * @s: scratch: @s->iv, @s->input
 * @input_len: bytes in @s->input
 * @payload: what the tag covers besides; text not yet encrypted
 * @len: bytes of @payload
 */
void srnic_nonce_oracle(const struct srnic_subkey *key, const struct srnic_sth_scratch *s,
			unsigned int input_len, struct scatterlist *payload, unsigned int len)
{
	struct use now = { .key = key->oracle };

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
