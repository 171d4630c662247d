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
 * @flow: flow of the sub-key
 * @epoch: epoch of the sub-key
 * @use: use of the sub-key
 */
void srnic_subkey_ctx(u8 ctx[SRNIC_CTX_PACKET_LEN], const struct srnic_sth *sth,
		      enum srnic_sth_flow flow, u64 epoch, enum srnic_sth_use use)
{
	const struct srnic_subkey_id id = {
		.from_b = srnic_sth_from_b(sth, use),
		/* A flow's owner sends its requests; responses travel the other way. */
		.response = (use == SRNIC_TO_SEAL) != (flow == SRNIC_FLOW_OURS),
		.epoch = epoch,
	};

	srnic_ctx_packet(ctx, &sth->form, &id);
}

static int subkey_init(const struct srnic_sth *sth, enum srnic_sth_flow flow,
		       struct srnic_epoch_keys *keys, enum srnic_sth_use use)
{
	struct srnic_subkey *key = &keys->subkey[use];
	const struct srnic_sth_suite *suite = sth->params.suite;
	u8 ctx[SRNIC_CTX_PACKET_LEN];
	const struct srnic_kdf_purpose purpose = { SRNIC_LABEL_PACKET, ctx, sizeof(ctx) };
	u8 raw[SRNIC_STH_RAW_KEY_MAX];
	int err;

	key->serial = atomic64_inc_return(&last_serial);
	if (sth->pool)
		return 0;
	srnic_subkey_ctx(ctx, sth, flow, keys->epoch, use);
	err = srnic_kdf(sth->flow[flow].key, SRNIC_STH_KDF_KEY_LEN, &purpose, raw,
			suite->key_len);
	if (!err)
		err = suite->family->init(&key->cipher, suite, raw);
	srnic_nonce_oracle_watch(&key->cipher, raw, suite->key_len);
	memzero_explicit(raw, sizeof(raw));
	return err;
}

static void subkey_free(const struct srnic_sth *sth, struct srnic_epoch_keys *keys,
			enum srnic_sth_use use)
{
	if (sth->pool)
		srnic_cipher_pool_forget(sth->pool, &keys->subkey[use], use);
	else
		sth->params.suite->family->free(&keys->subkey[use].cipher);
}

/**
 * srnic_epoch_keys_free() - Wipe and free the sub-keys of an epoch
 * @sth: the connection
 * @keys: the keys, no longer used by any reader; may be NULL
 */
void srnic_epoch_keys_free(const struct srnic_sth *sth, struct srnic_epoch_keys *keys)
{
	if (!keys)
		return;
	subkey_free(sth, keys, SRNIC_TO_SEAL);
	subkey_free(sth, keys, SRNIC_TO_OPEN);
	kfree(keys);
}

/**
 * srnic_epoch_keys_make() - Derive a flow's sub-keys for one epoch
 * @sth: the connection
 * @flow: flow whose K_F is derived
 * @epoch: epoch of the keys
 *
 * Context: process; sleeps.
 * Return: the keys, not yet published, or an ERR_PTR.
 */
struct srnic_epoch_keys *srnic_epoch_keys_make(const struct srnic_sth *sth,
					       enum srnic_sth_flow flow, u64 epoch)
{
	struct srnic_epoch_keys *keys = kzalloc(sizeof(*keys), GFP_KERNEL);
	int err;

	if (!keys)
		return ERR_PTR(-ENOMEM);
	keys->epoch = epoch;
	err = subkey_init(sth, flow, keys, SRNIC_TO_SEAL);
	if (!err)
		err = subkey_init(sth, flow, keys, SRNIC_TO_OPEN);
	if (err) {
		srnic_epoch_keys_free(sth, keys);
		return ERR_PTR(err);
	}
	return keys;
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
	u64 epoch, last;

	srnic_epoch_live(READ_ONCE(f->expected), &epoch, &last);
	for (; epoch <= last; epoch++) {
		struct srnic_epoch_keys __rcu **place = &f->keys[epoch & 1];
		struct srnic_epoch_keys *keys, *old;

		/* The handshake mutex serialises writers. */
		old = rcu_dereference_protected(*place, true);
		if (old && old->epoch == epoch)
			continue;
		keys = srnic_epoch_keys_make(sth, flow, epoch);
		if (IS_ERR(keys))
			return PTR_ERR(keys);
		rcu_assign_pointer(*place, keys);
		if (old) {
			synchronize_rcu();
			srnic_epoch_keys_free(sth, old);
		}
	}
	return 0;
}
