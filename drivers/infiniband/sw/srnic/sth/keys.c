// SPDX-License-Identifier: GPL-2.0
/*
 * Sub-keys of flows: derived ahead of use in process context, published to the
 * packet path by RCU (Documentation/protocol.md, sections 6 and 10).
 */
#include <linux/slab.h>
#include "sth/crypto.h"

static atomic64_t last_serial = ATOMIC64_INIT(0);

static int probe_kdf(void)
{
	static const u8 any[SRNIC_STH_KDF_KEY_LEN];
	struct crypto_shash *tfm = srnic_hmac_alloc(any, sizeof(any));

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	crypto_free_shash(tfm);
	return 0;
}

/**
 * srnic_suite_probe() - Probe whether the kernel supports a suite
 * @suite: a row of the suite table
 * @driver: result: name of the crypto driver
 * @missing: with -ENOENT: name of the missing algorithm of the crypto API
 *
 * Loads the crypto modules that the suite and the key derivation need, so that
 * the handshake need not load them.
 *
 * Context: process; sleeps.
 * Return: 0 or a negative errno.
 */
int srnic_suite_probe(const struct srnic_sth_suite *suite, char driver[CRYPTO_MAX_ALG_NAME],
		      const char **missing)
{
	static const u8 any[SRNIC_STH_RAW_KEY_MAX];
	struct srnic_cipher *cipher;
	int err;

	*missing = SRNIC_STH_KDF_ALG;
	err = probe_kdf();
	if (err)
		return err;

	*missing = suite->alg;
	cipher = kzalloc(sizeof(*cipher), GFP_KERNEL);
	if (!cipher)
		return -ENOMEM;
	err = suite->family->init(cipher, suite, any);
	if (!err)
		strscpy(driver, suite->family->driver(cipher), CRYPTO_MAX_ALG_NAME);
	suite->family->free(cipher);
	kfree(cipher);
	return err;
}

/**
 * srnic_subkey_ctx() - Write the derivation context of a sub-key
 * @ctx: result
 * @sth: the connection
 * @of: the sub-key
 */
void srnic_subkey_ctx(u8 ctx[SRNIC_CTX_PACKET_LEN], const struct srnic_sth *sth,
		      const struct srnic_subkey_use *of)
{
	const struct srnic_subkey_id id = {
		.from_b = srnic_sth_from_b(sth, of->use),
		/* A flow's owner sends its requests; responses travel the other way. */
		.response = (of->use == SRNIC_TO_SEAL) != (of->flow == SRNIC_FLOW_OURS),
		.phase = of->key->phase,
		.epoch = of->keys->epoch,
	};

	srnic_ctx_packet(ctx, &sth->form, &id);
}

/* Derive the sub-key into its cipher. */
static int subkey_init(struct srnic_sth *sth, const struct srnic_subkey_use *of)
{
	const struct srnic_sth_suite *suite = sth->params.suite;
	struct srnic_cipher *cipher = &of->key->cipher;
	u8 ctx[SRNIC_CTX_PACKET_LEN];
	const struct srnic_kdf_purpose purpose = { SRNIC_LABEL_PACKET, ctx, sizeof(ctx) };
	u8 raw[SRNIC_STH_RAW_KEY_MAX];
	int err;

	srnic_subkey_ctx(ctx, sth, of);
	err = srnic_kdf(of->keys->flow_key, SRNIC_STH_KDF_KEY_LEN, &purpose, raw, suite->key_len);
	if (!err)
		err = suite->family->init(cipher, suite, raw);
	srnic_nonce_oracle_watch(cipher, raw, suite->key_len);
	memzero_explicit(raw, sizeof(raw));
	return err;
}

/**
 * srnic_subkey_make() - Create a sub-key
 * @sth: the connection
 * @flow: flow of the sub-key
 * @keys: keys of its epoch, with K_F
 * @use: to seal, or to open
 * @phase: its number within the epoch
 *
 * Context: process; sleeps.
 * Return: the sub-key or an ERR_PTR.
 */
struct srnic_subkey *srnic_subkey_make(struct srnic_sth *sth, enum srnic_sth_flow flow,
				       const struct srnic_epoch_keys *keys,
				       enum srnic_sth_use use, u16 phase)
{
	struct srnic_subkey *key = kzalloc(sizeof(*key), GFP_KERNEL);
	const struct srnic_subkey_use of = { .flow = flow, .keys = keys, .key = key, .use = use };
	int err;

	if (!key)
		return ERR_PTR(-ENOMEM);
	key->serial = atomic64_inc_return(&last_serial);
	key->phase = phase;
	if (sth->pool)
		return key;
	err = subkey_init(sth, &of);
	if (!err)
		return key;
	srnic_subkey_free(sth, key, use);
	return ERR_PTR(err);
}

/**
 * srnic_subkey_free() - Wipe and free a sub-key
 * @sth: the connection
 * @key: the sub-key, no longer used by any reader; may be NULL
 * @use: to seal, or to open
 */
void srnic_subkey_free(const struct srnic_sth *sth, struct srnic_subkey *key,
		       enum srnic_sth_use use)
{
	if (!key)
		return;
	if (sth->pool)
		srnic_cipher_pool_forget(sth->pool, key, use);
	else
		sth->params.suite->family->free(&key->cipher);
	kfree_sensitive(key);
}

/**
 * srnic_epoch_keys_free() - Wipe and free the sub-keys of an epoch
 * @sth: the connection
 * @keys: the keys, no longer used by any reader; may be NULL
 */
void srnic_epoch_keys_free(const struct srnic_sth *sth, struct srnic_epoch_keys *keys)
{
	enum srnic_sth_use use;
	unsigned int i;

	if (!keys)
		return;
	for (use = 0; use < SRNIC_USES; use++)
		for (i = 0; i < SRNIC_PHASES; i++)
			srnic_subkey_free(sth, rcu_dereference_protected(keys->phases[use].at[i],
									 true), use);
	kfree_sensitive(keys);
}

/* Derive a flow's first sub-keys of the epoch of its K_F. */
static struct srnic_epoch_keys *epoch_keys_make(struct srnic_sth *sth, enum srnic_sth_flow flow)
{
	struct srnic_epoch_keys *keys = kzalloc(sizeof(*keys), GFP_KERNEL);
	const struct srnic_flow *f = &sth->flow[flow];
	enum srnic_sth_use use;

	if (!keys)
		return ERR_PTR(-ENOMEM);
	keys->epoch = f->key_epoch;
	memcpy(keys->flow_key, f->key, sizeof(keys->flow_key));
	for (use = 0; use < SRNIC_USES; use++) {
		struct srnic_subkey *key = srnic_subkey_make(sth, flow, keys, use, 0);

		if (IS_ERR(key)) {
			srnic_epoch_keys_free(sth, keys);
			return ERR_CAST(key);
		}
		RCU_INIT_POINTER(keys->phases[use].at[0], key);
	}
	return keys;
}

/* Replace K_F by that of the next epoch, from which nothing of the present one follows. */
static int ratchet_flow(struct srnic_flow *f)
{
	const struct srnic_kdf_purpose purpose = { .label = SRNIC_LABEL_RATCHET };
	u8 next[SRNIC_STH_KDF_KEY_LEN];
	int err;

	err = srnic_kdf(f->key, sizeof(f->key), &purpose, next, sizeof(next));
	if (!err) {
		memcpy(f->key, next, sizeof(f->key));
		f->key_epoch++;
	}
	memzero_explicit(next, sizeof(next));
	return err;
}

/* Derive and publish the keys of the epoch of K_F, and go on to the next K_F. */
static int install_next(struct srnic_sth *sth, enum srnic_sth_flow flow)
{
	struct srnic_flow *f = &sth->flow[flow];
	struct srnic_epoch_keys __rcu **place = &f->keys[f->key_epoch & 1];
	struct srnic_epoch_keys *keys, *old;
	int err;

	keys = epoch_keys_make(sth, flow);
	if (IS_ERR(keys))
		return PTR_ERR(keys);
	err = ratchet_flow(f);
	if (err) {
		srnic_epoch_keys_free(sth, keys);
		return err;
	}
	/* The handshake mutex serialises writers. */
	old = rcu_replace_pointer(*place, keys, true);
	if (old) {
		synchronize_rcu();
		srnic_epoch_keys_free(sth, old);
	}
	return 0;
}

/**
 * srnic_flow_keys_install() - Install the keys of all live epochs
 * @sth: the connection
 * @flow: flow whose K_F is derived
 *
 * The keys of epoch e replace those of e - 2, which is retired when e is
 * derived.
 *
 * Context: process, under the handshake mutex; sleeps.
 * Return: 0 or a negative errno; on error the present keys stay in place.
 */
int srnic_flow_keys_install(struct srnic_sth *sth, enum srnic_sth_flow flow)
{
	struct srnic_flow *f = &sth->flow[flow];
	u64 first, last;
	int err = 0;

	srnic_epoch_live(READ_ONCE(f->expected), &first, &last);
	while (!err && f->key_epoch < first)	/* KUnit only: an epoch lasts long enough */
		err = ratchet_flow(f);
	while (!err && f->key_epoch <= last)
		err = install_next(sth, flow);
	return err;
}
