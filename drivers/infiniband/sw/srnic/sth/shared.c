// SPDX-License-Identifier: GPL-2.0
/*
 * Sub-keys derived when a packet comes (sRDMA 4.5, "on-the-fly"; Documentation/protocol.md,
 * section 6): a connection whose rule says 'uncached' keeps K_F, and no cipher. All such
 * connections of a suite share two ciphers a CPU, to seal and to open.
 *
 * They stay keyed until another sub-key is wanted, so a burst pays once: what the paper's NIC
 * does that caches "after the first packet of a message arrives". Only suites whose
 * cipher can be keyed where packets are sealed can have it: the kernel's gcm(aes) sleeps.
 */
#include <linux/mutex.h>
#include <linux/percpu.h>
#include "sth/crypto.h"

static const u8 nothing[SRNIC_STH_RAW_KEY_MAX];

static DEFINE_MUTEX(all_lock);	/* the list, and users of each */
static LIST_HEAD(all);

static struct srnic_slot *slot_at(const struct srnic_shared *shared, int cpu, bool seal)
{
	return &per_cpu_ptr(shared->slots, cpu)->of[seal];
}

static void free_slot(struct srnic_slot *slot, const struct srnic_sth_suite *suite)
{
	suite->family->free(&slot->cipher);
	crypto_free_shash(slot->kdf);
}

static void free_slots(struct srnic_shared *shared)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		free_slot(slot_at(shared, cpu, true), shared->suite);
		free_slot(slot_at(shared, cpu, false), shared->suite);
	}
	free_percpu(shared->slots);
}

static int init_slot(struct srnic_slot *slot, const struct srnic_sth_suite *suite)
{
	struct crypto_shash *kdf;
	int err;

	spin_lock_init(&slot->lock);
	err = suite->family->init(&slot->cipher, suite, nothing);
	if (err)
		return err;
	kdf = srnic_hmac_alloc(nothing, SRNIC_STH_KDF_KEY_LEN);
	if (IS_ERR(kdf))
		return PTR_ERR(kdf);
	slot->kdf = kdf;
	return 0;
}

static int alloc_slots(struct srnic_shared *shared)
{
	int cpu, err;

	/* zeroed: what init_slot() has not reached can be freed, too */
	shared->slots = alloc_percpu(struct srnic_slots);
	if (!shared->slots)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		err = init_slot(slot_at(shared, cpu, true), shared->suite) ?:
		      init_slot(slot_at(shared, cpu, false), shared->suite);
		if (err) {
			free_slots(shared);
			return err;
		}
	}
	return 0;
}

static struct srnic_shared *find_shared(const struct srnic_sth_suite *suite)
{
	struct srnic_shared *shared;

	lockdep_assert_held(&all_lock);
	list_for_each_entry(shared, &all, node)
		if (shared->suite == suite)
			return shared;
	return NULL;
}

static struct srnic_shared *make_shared(const struct srnic_sth_suite *suite)
{
	struct srnic_shared *shared = kzalloc(sizeof(*shared), GFP_KERNEL);
	int err;

	if (!shared)
		return ERR_PTR(-ENOMEM);
	shared->suite = suite;
	err = alloc_slots(shared);
	if (err) {
		kfree(shared);
		return ERR_PTR(err);
	}
	list_add(&shared->node, &all);
	return shared;
}

/**
 * srnic_shared_get - a connection is going to use a suite's shared ciphers
 * @suite: a row whose @uncached is set
 *
 * Context: process; sleeps.
 * Return: the ciphers, to be given back by srnic_shared_put(), or an ERR_PTR.
 */
struct srnic_shared *srnic_shared_get(const struct srnic_sth_suite *suite)
{
	struct srnic_shared *shared;

	mutex_lock(&all_lock);
	shared = find_shared(suite) ?: make_shared(suite);
	if (!IS_ERR(shared))
		shared->users++;
	mutex_unlock(&all_lock);
	return shared;
}

/**
 * srnic_shared_put - a connection has done with them
 * @shared: of srnic_shared_get(), or NULL
 *
 * Context: process; sleeps.
 */
void srnic_shared_put(struct srnic_shared *shared)
{
	if (!shared)
		return;
	mutex_lock(&all_lock);
	if (!--shared->users) {
		list_del(&shared->node);
		free_slots(shared);
		kfree(shared);
	}
	mutex_unlock(&all_lock);
}

/* the sub-key at hand into the slot's cipher, and nowhere else */
static int key_slot(struct srnic_slot *slot, const struct srnic_sth *sth, enum srnic_sth_flow flow,
		    u64 epoch, bool seal)
{
	const struct srnic_sth_suite *suite = sth->params.suite;
	u8 ctx[SRNIC_CTX_PACKET_LEN];
	u8 raw[SRNIC_STH_RAW_KEY_MAX];
	int err;

	srnic_subkey_ctx(ctx, sth, flow, epoch, seal);
	err = crypto_shash_setkey(slot->kdf, sth->flow[flow].key, SRNIC_STH_KDF_KEY_LEN);
	if (!err)
		err = srnic_kdf_keyed(slot->kdf, SRNIC_LABEL_PACKET, ctx, sizeof(ctx), raw,
				      suite->key_len);
	if (!err)
		err = suite->family->set(&slot->cipher, suite, raw, slot->simd);
	srnic_nonce_oracle_watch(&slot->cipher, raw, suite->key_len);
	memzero_explicit(raw, sizeof(raw));
	return err;
}

static void wipe_slot(struct srnic_slot *slot, const struct srnic_sth_suite *suite)
{
	lockdep_assert_held(&slot->lock);
	slot->serial = 0;
	/* neither can fail: the same lengths have been set before */
	WARN_ON_ONCE(suite->family->set(&slot->cipher, suite, nothing, false));
	WARN_ON_ONCE(crypto_shash_setkey(slot->kdf, nothing, SRNIC_STH_KDF_KEY_LEN));
}

/* the slot's cipher under a sub-key of the connection */
static int have_key(struct srnic_slot *slot, const struct srnic_sth *sth, enum srnic_sth_flow flow,
		    const struct srnic_epoch_keys *keys, bool seal)
{
	u64 serial = seal ? keys->seal.serial : keys->open.serial;
	bool simd = srnic_sth_simd(&sth->scratch);
	int err;

	lockdep_assert_held(&slot->lock);
	if (likely(slot->serial == serial && (slot->simd || !simd)))
		return 0;
	slot->serial = serial;
	slot->simd = simd;
	err = key_slot(slot, sth, flow, keys->epoch, seal);
	if (err)
		wipe_slot(slot, sth->params.suite);
	return err;
}

/**
 * srnic_shared_seal - the family's seal, by a sub-key derived now
 * @sth: has @sth->shared; in its scratch the packet's input and nonce
 * @flow: is confirmed
 * @keys: its epoch
 * @input_len: bytes of MAC input
 * @payload: payload and pad
 * @len: bytes of both
 *
 * Context: any up to softirq, under the QP's lock.
 * Return: 0 or the crypto driver's errno.
 */
int srnic_shared_seal(struct srnic_sth *sth, enum srnic_sth_flow flow,
		      const struct srnic_epoch_keys *keys, unsigned int input_len,
		      struct scatterlist *payload, unsigned int len)
{
	/* another CPU's, if we are moved meanwhile, does as well */
	struct srnic_slot *slot = slot_at(sth->shared, raw_smp_processor_id(), true);
	int err;

	spin_lock_bh(&slot->lock);
	err = have_key(slot, sth, flow, keys, true);
	if (!err)
		err = sth->params.suite->family->seal(&sth->scratch, &slot->cipher, input_len,
						      payload, len);
	spin_unlock_bh(&slot->lock);
	return err;
}

/**
 * srnic_shared_open - the family's open, by a sub-key derived now
 * @sth: has @sth->shared; in its scratch the packet's input, nonce and tag
 * @flow: is confirmed
 * @keys: its epoch
 * @input_len: bytes of MAC input
 * @src: payload and pad
 * @dst: where aead mode decrypts to
 * @len: bytes of payload and pad
 *
 * Context: any up to softirq, under the QP's lock.
 * Return: 0, -EBADMSG, or the crypto driver's errno.
 */
int srnic_shared_open(struct srnic_sth *sth, enum srnic_sth_flow flow,
		      const struct srnic_epoch_keys *keys, unsigned int input_len,
		      struct scatterlist *src, struct scatterlist *dst, unsigned int len)
{
	struct srnic_slot *slot = slot_at(sth->shared, raw_smp_processor_id(), false);
	int err;

	spin_lock_bh(&slot->lock);
	err = have_key(slot, sth, flow, keys, false);
	if (!err)
		err = sth->params.suite->family->open(&sth->scratch, &slot->cipher, input_len,
						      src, dst, len);
	spin_unlock_bh(&slot->lock);
	return err;
}

/**
 * srnic_shared_forget - no CPU's cipher has a sub-key any more
 * @shared: the ciphers
 * @key: nobody seals or opens by it
 * @seal: one to seal by, else one to open by
 *
 * Context: process.
 */
void srnic_shared_forget(struct srnic_shared *shared, const struct srnic_subkey *key, bool seal)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct srnic_slot *slot = slot_at(shared, cpu, seal);

		spin_lock_bh(&slot->lock);
		if (slot->serial == key->serial)
			wipe_slot(slot, shared->suite);
		spin_unlock_bh(&slot->lock);
	}
}
