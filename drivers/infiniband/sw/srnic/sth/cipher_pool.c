// SPDX-License-Identifier: GPL-2.0
/*
 * Sub-keys derived for each packet (sRDMA 4.5, "on-the-fly";
 * Documentation/protocol.md, section 6). A connection whose rule says
 * 'uncached' keeps K_F only and has no cipher. All such connections of a suite
 * share two ciphers on each CPU, one to seal and one to open.
 *
 * A shared cipher keeps its key until another sub-key is needed, so a burst
 * derives it once. The paper's NIC does the same when it caches "after the
 * first packet of a message arrives". Suites whose setkey sleeps cannot use
 * this: the kernel's gcm(aes) is one of them.
 */
#include <linux/mutex.h>
#include <linux/percpu.h>
#include "sth/crypto.h"

static const u8 zero_key[SRNIC_STH_RAW_KEY_MAX];

static DEFINE_MUTEX(pools_lock);	/* the list, and the numbers of users */
static LIST_HEAD(pools);

static struct srnic_pool_slot *slot_at(const struct srnic_cipher_pool *pool, int cpu,
				       enum srnic_sth_use use)
{
	return &per_cpu_ptr(pool->slots, cpu)->of[use];
}

static void free_slot(struct srnic_pool_slot *slot, const struct srnic_sth_suite *suite)
{
	suite->family->free(&slot->cipher);
	crypto_free_shash(slot->kdf);
}

static void free_slots(struct srnic_cipher_pool *pool)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		free_slot(slot_at(pool, cpu, SRNIC_TO_SEAL), pool->suite);
		free_slot(slot_at(pool, cpu, SRNIC_TO_OPEN), pool->suite);
	}
	free_percpu(pool->slots);
}

static int init_slot(struct srnic_pool_slot *slot, const struct srnic_sth_suite *suite)
{
	struct crypto_shash *kdf;
	int err;

	spin_lock_init(&slot->lock);
	err = suite->family->init(&slot->cipher, suite, zero_key);
	if (err)
		return err;
	kdf = srnic_hmac_alloc(zero_key, SRNIC_STH_KDF_KEY_LEN);
	if (IS_ERR(kdf))
		return PTR_ERR(kdf);
	slot->kdf = kdf;
	return 0;
}

static int alloc_slots(struct srnic_cipher_pool *pool)
{
	int cpu, err;

	/* Zeroed memory, so that slots not reached by init_slot() can be freed, too. */
	pool->slots = alloc_percpu(struct srnic_pool_slots);
	if (!pool->slots)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		err = init_slot(slot_at(pool, cpu, SRNIC_TO_SEAL), pool->suite) ?:
		      init_slot(slot_at(pool, cpu, SRNIC_TO_OPEN), pool->suite);
		if (err) {
			free_slots(pool);
			return err;
		}
	}
	return 0;
}

static struct srnic_cipher_pool *find_pool(const struct srnic_sth_suite *suite)
{
	struct srnic_cipher_pool *pool;

	lockdep_assert_held(&pools_lock);
	list_for_each_entry(pool, &pools, node)
		if (pool->suite == suite)
			return pool;
	return NULL;
}

static struct srnic_cipher_pool *make_pool(const struct srnic_sth_suite *suite)
{
	struct srnic_cipher_pool *pool = kzalloc(sizeof(*pool), GFP_KERNEL);
	int err;

	if (!pool)
		return ERR_PTR(-ENOMEM);
	pool->suite = suite;
	err = alloc_slots(pool);
	if (err) {
		kfree(pool);
		return ERR_PTR(err);
	}
	list_add(&pool->node, &pools);
	return pool;
}

/**
 * srnic_cipher_pool_get() - Take a reference to a suite's pool of ciphers
 * @suite: a row of the suite table with @uncached set
 *
 * Context: process; sleeps.
 * Return: the pool, to be released by srnic_cipher_pool_put(), or an ERR_PTR.
 */
struct srnic_cipher_pool *srnic_cipher_pool_get(const struct srnic_sth_suite *suite)
{
	struct srnic_cipher_pool *pool;

	mutex_lock(&pools_lock);
	pool = find_pool(suite) ?: make_pool(suite);
	if (!IS_ERR(pool))
		pool->users++;
	mutex_unlock(&pools_lock);
	return pool;
}

/**
 * srnic_cipher_pool_put() - Release a reference to a pool of ciphers
 * @pool: from srnic_cipher_pool_get(), or NULL
 *
 * Context: process; sleeps.
 */
void srnic_cipher_pool_put(struct srnic_cipher_pool *pool)
{
	if (!pool)
		return;
	mutex_lock(&pools_lock);
	if (!--pool->users) {
		list_del(&pool->node);
		free_slots(pool);
		kfree(pool);
	}
	mutex_unlock(&pools_lock);
}

/* Derive a sub-key into the slot's cipher. No other copy of it remains. */
static int slot_set_key(struct srnic_pool_slot *slot, const struct srnic_sth *sth,
			const struct srnic_subkey_use *with)
{
	const struct srnic_sth_suite *suite = sth->params.suite;
	const struct srnic_sth_family *family = suite->family;
	u8 ctx[SRNIC_CTX_PACKET_LEN];
	const struct srnic_kdf_purpose purpose = { SRNIC_LABEL_PACKET, ctx, sizeof(ctx) };
	u8 raw[SRNIC_STH_RAW_KEY_MAX];
	int err;

	srnic_subkey_ctx(ctx, sth, with);
	err = crypto_shash_setkey(slot->kdf, with->keys->flow_key, SRNIC_STH_KDF_KEY_LEN);
	if (!err)
		err = srnic_kdf_keyed(slot->kdf, &purpose, raw, suite->key_len);
	if (!err)
		err = slot->simd ? family->set(&slot->cipher, suite, raw) :
				   family->set_no_simd(&slot->cipher, suite, raw);
	srnic_nonce_oracle_watch(&slot->cipher, raw, suite->key_len);
	memzero_explicit(raw, sizeof(raw));
	return err;
}

static void wipe_slot(struct srnic_pool_slot *slot, const struct srnic_sth_suite *suite)
{
	lockdep_assert_held(&slot->lock);
	slot->serial = 0;
	/* Neither can fail: keys of these lengths were set before. */
	WARN_ON_ONCE(suite->family->set_no_simd(&slot->cipher, suite, zero_key));
	WARN_ON_ONCE(crypto_shash_setkey(slot->kdf, zero_key, SRNIC_STH_KDF_KEY_LEN));
}

/* Ensure that the slot's cipher has the connection's sub-key. */
static int slot_ensure_key(struct srnic_pool_slot *slot, const struct srnic_sth *sth,
			   const struct srnic_subkey_use *with)
{
	u64 serial = with->key->serial;
	bool simd = srnic_sth_simd(&sth->scratch);
	int err;

	lockdep_assert_held(&slot->lock);
	if (likely(slot->serial == serial && (slot->simd || !simd)))
		return 0;
	slot->serial = serial;
	slot->simd = simd;
	err = slot_set_key(slot, sth, with);
	if (err)
		wipe_slot(slot, sth->params.suite);
	return err;
}

/**
 * srnic_cipher_pool_apply() - Seal or open with a sub-key that is derived on demand
 * @sth: connection with @sth->pool; its scratch has the MAC input, the nonce
 *	and, to open, the tag
 * @with: the sub-key, of a confirmed flow
 * @payload: payload and pad
 *
 * Context: any up to softirq, under the QP's lock.
 * Return: 0, -EBADMSG, or the crypto driver's errno.
 */
int srnic_cipher_pool_apply(struct srnic_sth *sth, const struct srnic_subkey_use *with,
			    const struct srnic_sth_payload *payload)
{
	/* Any CPU's slot is correct; migration only costs locality. */
	struct srnic_pool_slot *slot = slot_at(sth->pool, raw_smp_processor_id(), with->use);
	int err;

	spin_lock_bh(&slot->lock);
	err = slot_ensure_key(slot, sth, with);
	if (!err)
		err = sth->params.suite->family->apply[with->use](&sth->scratch, &slot->cipher,
								  payload);
	spin_unlock_bh(&slot->lock);
	return err;
}

/**
 * srnic_cipher_pool_forget() - Wipe a sub-key from the ciphers of all CPUs
 * @pool: the pool
 * @key: the sub-key, no longer used by any context
 * @use: use of the sub-key
 *
 * Context: process.
 */
void srnic_cipher_pool_forget(struct srnic_cipher_pool *pool, const struct srnic_subkey *key,
			      enum srnic_sth_use use)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct srnic_pool_slot *slot = slot_at(pool, cpu, use);

		spin_lock_bh(&slot->lock);
		if (slot->serial == key->serial)
			wipe_slot(slot, pool->suite);
		spin_unlock_bh(&slot->lock);
	}
}
