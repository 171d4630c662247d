// SPDX-License-Identifier: GPL-2.0
/*
 * Life cycle of a secured connection: creation, start of its flows, progress,
 * destruction.
 */
#define pr_fmt(fmt) "srnic: " fmt

#include <linux/random.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>
#include "export.h"
#include "sth/crypto.h"

/*
 * @pair must be zeroed: a K_AB shorter than 32 bytes is padded with zeros, as
 * HMAC pads its key.
 */
static int pair_from_key(const u8 *key, unsigned int len, bool is_pair, const u8 *ab,
			 u8 pair[SRNIC_STH_KDF_KEY_LEN])
{
	if (!is_pair)
		return srnic_kdf_pair(key, len, ab, pair);
	memcpy(pair, key, len);
	return 0;
}

/* Derive K_AB from the policy's key alone. */
static int pair_from_policy(const struct srnic_sth *sth, const struct srnic_sth_params *params,
			    enum srnic_secret_of_key secret, u8 pair[SRNIC_STH_KDF_KEY_LEN])
{
	if (secret == SRNIC_SECRET_OTHER)
		return pair_from_key(params->other_key, params->other_key_len, params->pair_key,
				     sth->ab, pair);
	return pair_from_key(params->key, params->key_len, params->pair_key, sth->ab, pair);
}

/*
 * Derive K_AB from a secret of the policy's key, the application's key, or both
 * (section 6).
 */
static int derive_pair_key(struct srnic_sth *sth, const struct srnic_sth_params *params,
			   enum srnic_secret_of_key secret)
{
	u8 own[SRNIC_STH_KDF_KEY_LEN] = {}, policy[SRNIC_STH_KDF_KEY_LEN];
	const struct srnic_kdf_purpose both = { SRNIC_LABEL_BOTH, own, sizeof(own) };
	u8 *pair = sth->pair[secret].key;
	int err;

	if (!params->app_key_len)
		return pair_from_policy(sth, params, secret, pair);
	err = pair_from_key(params->app_key, params->app_key_len, params->app_pair_key, sth->ab,
			    own);
	if (err)
		goto wipe;
	if (!params->key_len) {
		memcpy(pair, own, sizeof(own));
		goto wipe;
	}
	memset(policy, 0, sizeof(policy));
	err = pair_from_policy(sth, params, secret, policy);
	if (!err)
		err = srnic_kdf(policy, sizeof(policy), &both, pair, SRNIC_STH_KDF_KEY_LEN);
	memzero_explicit(policy, sizeof(policy));
wipe:
	memzero_explicit(own, sizeof(own));
	return err;
}

/* An identifier of K_AB, so that the peer can tell which key a frame is under */
static int derive_key_id(const struct srnic_sth *sth, struct srnic_pair *pair)
{
	const struct srnic_kdf_purpose purpose = {
		SRNIC_LABEL_KEY_ID, sth->ab, sizeof(sth->ab),
	};
	u8 id[sizeof(pair->id)];
	int err;

	err = srnic_kdf(pair->key, sizeof(pair->key), &purpose, id, sizeof(id));
	if (!err)
		pair->id = get_unaligned_be32(id);
	return err;
}

static int derive_handshake_key(const struct srnic_sth *sth, struct srnic_pair *pair)
{
	u8 ctx[SRNIC_CTX_HS_LEN];
	const struct srnic_kdf_purpose purpose = { SRNIC_LABEL_HS, ctx, sizeof(ctx) };
	u8 key[SRNIC_STH_KDF_KEY_LEN];
	int err;

	srnic_ctx_hs(ctx, &sth->form, sth->ab);
	err = srnic_kdf(pair->key, sizeof(pair->key), &purpose, key, sizeof(key));
	if (err)
		return err;
	pair->hs = srnic_hmac_alloc(key, sizeof(key));
	memzero_explicit(key, sizeof(key));
	return PTR_ERR_OR_ZERO(pair->hs);
}

static int derive_connection_keys(struct srnic_sth *sth, const struct srnic_sth_params *params)
{
	unsigned int i;
	int err = 0;

	sth->pairs = params->other_key_len ? SRNIC_SECRETS : 1;
	for (i = 0; !err && i < sth->pairs; i++)
		err = derive_pair_key(sth, params, i) ?:
		      derive_key_id(sth, &sth->pair[i]) ?:
		      derive_handshake_key(sth, &sth->pair[i]);
	return err;
}

static bool key_len_ok(unsigned int len)
{
	return !len || (len >= SRNIC_STH_KEY_MIN && len <= SRNIC_STH_KEY_MAX);
}

static int check_params(const struct srnic_sth_params *params)
{
	if (!params->suite || !srnic_sth_suite_allows(params->suite, params->mode))
		return -EOPNOTSUPP;
	if (!params->key_len && !params->app_key_len)
		return -EKEYREJECTED;
	if (!key_len_ok(params->key_len) || !key_len_ok(params->app_key_len) ||
	    !key_len_ok(params->other_key_len) || (params->other_key_len && !params->key_len))
		return -EKEYREJECTED;
	return params->uncached && !params->suite->uncached ? -EOPNOTSUPP : 0;
}

/*
 * The policy accepts only suites that the kernel has, but crypto modules can be
 * unloaded later.
 */
static int probe_driver(struct srnic_sth *sth)
{
	const struct srnic_sth_params *params = &sth->params;
	const char *missing;
	int err;

	err = srnic_suite_probe(params->suite, sth->driver, &missing);
	if (err != -ENOENT)
		return err;
	pr_warn_ratelimited("no connection with %pI6c: suite %s needs %s, which this kernel lacks\n",
			    params->remote_gid, params->suite->name, missing);
	return -EOPNOTSUPP;
}

static int get_cipher_pool(struct srnic_sth *sth)
{
	struct srnic_cipher_pool *pool;

	if (!sth->params.uncached)
		return 0;
	pool = srnic_cipher_pool_get(sth->params.suite);
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	sth->pool = pool;
	return 0;
}

/* Order the ends: A is the smaller one (section 1). Equal ends are -EINVAL. */
static int order_ends(struct srnic_sth *sth)
{
	const struct srnic_sth_params *params = &sth->params;
	u8 local[SRNIC_STH_END_LEN], remote[SRNIC_STH_END_LEN];
	int order;

	srnic_ctx_end(local, params->local_gid, params->kind | params->local_qpn);
	srnic_ctx_end(remote, params->remote_gid, params->kind | params->remote_qpn);
	order = memcmp(local, remote, sizeof(local));
	if (!order)
		return -EINVAL;
	sth->local_b = order > 0;
	memcpy(sth->ab, sth->local_b ? remote : local, SRNIC_STH_END_LEN);
	memcpy(sth->ab + SRNIC_STH_END_LEN, sth->local_b ? local : remote, SRNIC_STH_END_LEN);
	return 0;
}

/**
 * srnic_sth_create() - Create the secured connection of a queue pair
 * @params: parameters; copied without the keys, which the caller wipes
 *
 * Called at INIT→RTR.
 *
 * Context: process; sleeps.
 * Return: the connection or an ERR_PTR: -EOPNOTSUPP if the suite does not have
 * the mode or cannot be @uncached, or the kernel does not have the suite;
 * -EKEYREJECTED if there is no key, or only the other one, or its length is
 * invalid; -EINVAL if both ends are the same.
 */
struct srnic_sth *srnic_sth_create(const struct srnic_sth_params *params)
{
	struct srnic_sth *sth;
	int err;

	err = check_params(params);
	if (err)
		return ERR_PTR(err);
	sth = kzalloc(sizeof(*sth), GFP_KERNEL);
	if (!sth)
		return ERR_PTR(-ENOMEM);

	sth->life = srnic_sth_life();	/* first: no share or nonce is from an earlier one */
	sth->params = *params;
	memzero_explicit(sth->params.key, sizeof(sth->params.key));
	memzero_explicit(sth->params.other_key, sizeof(sth->params.other_key));
	memzero_explicit(sth->params.app_key, sizeof(sth->params.app_key));
	if (!sth->params.pkey)
		sth->params.pkey = 0xffff;
	sth->form.suite_id = params->suite->id;
	sth->form.mode = params->mode;
	sth->form.tag_len = params->suite->tag_len;
	sth->scratch.mode = params->mode;
	sth->scratch.tag_len = params->suite->tag_len;

	if (params->mode == SRNIC_STH_PACKET) {
		sth->scratch.sink = kmalloc(SRNIC_STH_SINK, GFP_KERNEL);
		if (!sth->scratch.sink) {
			err = -ENOMEM;
			goto destroy;
		}
	}
	err = order_ends(sth);
	if (!err)
		err = probe_driver(sth);
	if (!err)
		err = get_cipher_pool(sth);
	if (!err)
		err = derive_connection_keys(sth, params);
	if (!err)
		err = srnic_ephemeral_draw(&sth->ephemeral);
	if (!err)
		return sth;
destroy:
	srnic_sth_destroy(sth);
	return ERR_PTR(err);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_create);

static void free_hs(struct srnic_sth *sth)
{
	unsigned int i;

	for (i = 0; i < SRNIC_SECRETS; i++) {
		if (!IS_ERR(sth->pair[i].hs))
			crypto_free_shash(sth->pair[i].hs);
		sth->pair[i].hs = NULL;
	}
}

/**
 * srnic_sth_destroy() - Wipe and free a connection
 * @sth: the connection, no longer used by any context; may be NULL
 */
void srnic_sth_destroy(struct srnic_sth *sth)
{
	unsigned int i, j;

	if (!sth)
		return;
	for (i = 0; i < SRNIC_FLOWS; i++) {
		struct srnic_flow *f = &sth->flow[i];

		for (j = 0; j < ARRAY_SIZE(f->keys); j++)
			srnic_epoch_keys_free(sth, rcu_dereference_protected(f->keys[j], true));
		srnic_key_use_report(srnic_flow_key_use(sth, f), &f->unreported);
	}
	srnic_cipher_pool_put(sth->pool);
	free_hs(sth);
	kfree_sensitive(sth->scratch.sink);
	kfree_sensitive(sth);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_destroy);

/**
 * srnic_sth_end() - End a connection if it began in a former life
 * @sth: the connection
 *
 * Context: under the QP's lock.
 * Return: true if the connection has ended by this call: the caller arranges for
 * srnic_sth_wipe().
 */
bool srnic_sth_end(struct srnic_sth *sth)
{
	if (sth->ended || srnic_sth_lives(sth))
		return false;
	WRITE_ONCE(sth->ended, true);
	return true;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_end);

/**
 * srnic_sth_wipe() - Wipe the keys of a connection that has ended
 * @sth: the connection; if it has not ended, nothing is done
 *
 * Context: process, under the handshake mutex, without the QP's lock; sleeps.
 */
void srnic_sth_wipe(struct srnic_sth *sth)
{
	struct srnic_epoch_keys *keys[SRNIC_FLOWS][2];
	unsigned int i, j;

	if (!READ_ONCE(sth->ended))
		return;
	for (i = 0; i < SRNIC_FLOWS; i++)
		for (j = 0; j < ARRAY_SIZE(keys[i]); j++)
			keys[i][j] = rcu_replace_pointer(sth->flow[i].keys[j], NULL, true);
	/* packets that were being sealed or opened when the life ended */
	synchronize_rcu();
	for (i = 0; i < SRNIC_FLOWS; i++) {
		for (j = 0; j < ARRAY_SIZE(keys[i]); j++)
			srnic_epoch_keys_free(sth, keys[i][j]);
		memzero_explicit(sth->flow[i].key, sizeof(sth->flow[i].key));
	}
	memzero_explicit(sth->ksr, sizeof(sth->ksr));
	for (i = 0; i < SRNIC_SECRETS; i++)
		memzero_explicit(sth->pair[i].key, sizeof(sth->pair[i].key));
	memzero_explicit(&sth->ephemeral, sizeof(sth->ephemeral));
	free_hs(sth);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_wipe);

/**
 * srnic_sth_params() - Return the parameters of a connection
 * @sth: the connection
 *
 * Return: the parameters, with the keys zeroed.
 */
const struct srnic_sth_params *srnic_sth_params(const struct srnic_sth *sth)
{
	return &sth->params;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_params);

/**
 * srnic_sth_driver_name() - Return the name of the crypto driver in use
 * @sth: the connection
 */
const char *srnic_sth_driver_name(const struct srnic_sth *sth)
{
	return sth->driver;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_driver_name);

/**
 * srnic_sth_len() - Return the length of the STH
 * @sth: the connection
 *
 * Return: bytes in each packet.
 */
unsigned int srnic_sth_len(const struct srnic_sth *sth)
{
	return srnic_sth_suite_sth_len(sth->params.suite);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_len);

/**
 * srnic_sth_code() - Return the STH code of all packets except handshake frames
 * @sth: the connection
 */
u8 srnic_sth_code(const struct srnic_sth *sth)
{
	return sth->params.suite->code;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_code);

/* All zeros stands for no nonce in frames (section 7). */
static void draw_nonce(u8 nonce[SRNIC_STH_NONCE_LEN])
{
	do {
		get_random_bytes(nonce, SRNIC_STH_NONCE_LEN);
	} while (!memchr_inv(nonce, 0, SRNIC_STH_NONCE_LEN));
}

/**
 * srnic_sth_flow_start() - Start a flow at its starting PSN
 * @sth: the connection
 * @flow: ours at RTR→RTS, theirs at INIT→RTR
 * @start_psn: 24 bits
 *
 * Draws this end's nonce. To be called once for each flow of a connection: when
 * the queue pair is reset and reused, it gets a new connection.
 */
void srnic_sth_flow_start(struct srnic_sth *sth, enum srnic_sth_flow flow, u32 start_psn)
{
	struct srnic_flow *f = &sth->flow[flow];
	bool ours = flow == SRNIC_FLOW_OURS;

	if (WARN_ON_ONCE(f->state != SRNIC_HS_IDLE))
		return;
	f->start = start_psn & SRNIC_PSN_MASK;
	f->expected = f->start;
	draw_nonce(ours ? f->nq : f->nr);
	/* Pairs with the handshake's acquire: publishes start and nonce. */
	smp_store_release(&f->state, ours ? SRNIC_HS_HELLO : SRNIC_HS_LISTEN);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_flow_start);

/**
 * srnic_sth_flow_ready() - Tell whether a flow is confirmed
 * @sth: the connection
 * @flow: flow to test
 */
bool srnic_sth_flow_ready(const struct srnic_sth *sth, enum srnic_sth_flow flow)
{
	/* Pairs with the handshake's release: the keys are visible if this is true. */
	return smp_load_acquire(&sth->flow[flow].ready);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_flow_ready);

/* Return true once until srnic_sth_rekey() has run. */
static bool request_rekey(struct srnic_flow *f)
{
	if (READ_ONCE(f->rekey_requested))
		return false;
	WRITE_ONCE(f->rekey_requested, true);
	return true;
}

/**
 * srnic_sth_advance() - Advance the expected PSN of a flow
 * @sth: the connection
 * @flow: flow to advance
 * @psn: for theirs, the expected PSN; for ours, the oldest unacknowledged PSN,
 *	or the next to be sent if there is none
 *
 * To be called only as a result of verified packets. A PSN behind the expected
 * one is ignored.
 *
 * Context: under the QP's lock.
 * Return: true if the caller must arrange for srnic_sth_rekey(). True is
 * returned once until srnic_sth_rekey() has run.
 */
bool srnic_sth_advance(struct srnic_sth *sth, enum srnic_sth_flow flow, u32 psn)
{
	struct srnic_flow *f = &sth->flow[flow];
	u64 psn64, first, last;

	if (srnic_psn64(f->expected, f->start, psn, &psn64) || psn64 <= f->expected)
		return false;
	WRITE_ONCE(f->expected, psn64);
	srnic_epoch_live(psn64, &first, &last);
	if (srnic_flow_has_keys(f, last) && !f->update_due)
		return false;
	return request_rekey(f);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_advance);

/**
 * srnic_sth_update_due() - Tell whether a packet could not be opened for want of a phase
 * @sth: the connection
 * @flow: flow of the packet
 *
 * Context: under the QP's lock.
 * Return: as srnic_sth_advance().
 */
bool srnic_sth_update_due(struct srnic_sth *sth, enum srnic_sth_flow flow)
{
	return sth->flow[flow].update_due && request_rekey(&sth->flow[flow]);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_update_due);

/**
 * srnic_sth_rekey() - Derive the keys of the next epoch and phases, wipe the retired ones
 * @sth: the connection
 *
 * Does nothing once the connection's life has ended: its K_F may have been wiped.
 *
 * Context: process, under the handshake mutex; sleeps.
 * Return: 0 or a negative errno. After an error srnic_sth_advance() requests
 * another call.
 */
int srnic_sth_rekey(struct srnic_sth *sth)
{
	enum srnic_sth_flow flow;
	int err, ret = 0;

	if (!srnic_sth_lives(sth))
		return 0;
	for (flow = 0; flow < SRNIC_FLOWS; flow++) {
		if (!srnic_sth_flow_ready(sth, flow))
			continue;
		err = srnic_flow_keys_install(sth, flow) ?: srnic_phases_update(sth, flow);
		ret = ret ?: err;
		WRITE_ONCE(sth->flow[flow].rekey_requested, false);
	}
	return ret;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_rekey);

/**
 * srnic_sth_info() - Take a snapshot of a connection for users
 * @sth: the connection
 * @info: result; contains no key
 *
 * Hold the QP's lock to get a consistent snapshot.
 */
void srnic_sth_info(const struct srnic_sth *sth, struct srnic_sth_info *info)
{
	enum srnic_sth_flow flow;

	info->suite = sth->params.suite->name;
	info->driver = sth->driver;
	info->mode = sth->params.mode;
	info->uncached = sth->params.uncached;
	for (flow = 0; flow < SRNIC_FLOWS; flow++) {
		const struct srnic_flow *f = &sth->flow[flow];

		info->flow[flow].ready = srnic_sth_flow_ready(sth, flow);
		info->flow[flow].psn64 = READ_ONCE(f->expected);
		info->flow[flow].epoch = srnic_epoch(info->flow[flow].psn64);
		info->flow[flow].sealed = READ_ONCE(f->sealed);
		info->flow[flow].opened = READ_ONCE(f->opened);
		info->flow[flow].failed = READ_ONCE(f->failed);
		info->flow[flow].replayed = READ_ONCE(f->replayed);
	}
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_info);
