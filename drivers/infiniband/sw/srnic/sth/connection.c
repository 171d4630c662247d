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
static int make_pair(const u8 *key, unsigned int len, bool is_pair, const u8 *ab,
		     u8 pair[SRNIC_STH_KDF_KEY_LEN])
{
	if (!is_pair)
		return srnic_kdf_pair(key, len, ab, pair);
	memcpy(pair, key, len);
	return 0;
}

/* Derive K_AB from the policy's key, the application's, or both (section 6). */
static int pair_key(struct srnic_sth *sth, const struct srnic_sth_params *params)
{
	u8 own[SRNIC_STH_KDF_KEY_LEN] = {}, policy[SRNIC_STH_KDF_KEY_LEN];
	const struct srnic_kdf_purpose both = { SRNIC_LABEL_BOTH, own, sizeof(own) };
	int err;

	if (!params->own_len)
		return make_pair(params->key, params->key_len, params->pair_key, sth->ab,
				 sth->pair);
	err = make_pair(params->own_key, params->own_len, params->own_pair, sth->ab, own);
	if (err)
		goto wipe;
	if (!params->key_len) {
		memcpy(sth->pair, own, sizeof(own));
		goto wipe;
	}
	memset(policy, 0, sizeof(policy));
	err = make_pair(params->key, params->key_len, params->pair_key, sth->ab, policy);
	if (!err)
		err = srnic_kdf(policy, sizeof(policy), &both, sth->pair, sizeof(sth->pair));
	memzero_explicit(policy, sizeof(policy));
wipe:
	memzero_explicit(own, sizeof(own));
	return err;
}

static int connection_keys(struct srnic_sth *sth, const struct srnic_sth_params *params)
{
	u8 ctx[SRNIC_CTX_HS_LEN];
	const struct srnic_kdf_purpose purpose = { SRNIC_LABEL_HS, ctx, sizeof(ctx) };
	u8 key[SRNIC_STH_KDF_KEY_LEN];
	int err;

	err = pair_key(sth, params);
	if (err)
		return err;

	srnic_ctx_hs(ctx, &sth->form, sth->ab);
	err = srnic_kdf(sth->pair, sizeof(sth->pair), &purpose, key, sizeof(key));
	if (err)
		return err;
	sth->hs = srnic_hmac_alloc(key, sizeof(key));
	memzero_explicit(key, sizeof(key));
	return PTR_ERR_OR_ZERO(sth->hs);
}

static bool key_len_ok(unsigned int len)
{
	return !len || (len >= SRNIC_STH_KEY_MIN && len <= SRNIC_STH_KEY_MAX);
}

static int check_params(const struct srnic_sth_params *params)
{
	if (!params->suite || !srnic_sth_suite_allows(params->suite, params->mode))
		return -EOPNOTSUPP;
	if (!params->key_len && !params->own_len)
		return -EKEYREJECTED;
	if (!key_len_ok(params->key_len) || !key_len_ok(params->own_len))
		return -EKEYREJECTED;
	return params->uncached && !params->suite->uncached ? -EOPNOTSUPP : 0;
}

/*
 * The policy accepts only suites that the kernel has, but crypto modules can be
 * unloaded later.
 */
static int find_driver(struct srnic_sth *sth)
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

static int share_ciphers(struct srnic_sth *sth)
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

	srnic_ctx_end(local, params->local_gid, params->local_qpn);
	srnic_ctx_end(remote, params->remote_gid, params->remote_qpn);
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
 * -EKEYREJECTED if there is no key or its length is invalid; -EINVAL if both
 * ends are the same.
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

	sth->params = *params;
	memzero_explicit(sth->params.key, sizeof(sth->params.key));
	memzero_explicit(sth->params.own_key, sizeof(sth->params.own_key));
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
		err = find_driver(sth);
	if (!err)
		err = share_ciphers(sth);
	if (!err)
		err = connection_keys(sth, params);
	if (!err)
		return sth;
destroy:
	srnic_sth_destroy(sth);
	return ERR_PTR(err);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_create);

/**
 * srnic_sth_destroy() - Wipe and free a connection
 * @sth: the connection, no longer used by any context; may be NULL
 */
void srnic_sth_destroy(struct srnic_sth *sth)
{
	unsigned int i, j;

	if (!sth)
		return;
	for (i = 0; i < SRNIC_FLOWS; i++)
		for (j = 0; j < ARRAY_SIZE(sth->flow[i].keys); j++)
			srnic_epoch_keys_free(sth, rcu_dereference_protected(sth->flow[i].keys[j],
									     true));
	srnic_cipher_pool_put(sth->pool);
	if (!IS_ERR(sth->hs))
		crypto_free_shash(sth->hs);
	kfree_sensitive(sth->scratch.sink);
	kfree_sensitive(sth);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_destroy);

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
	return srnic_suite_sth_len(sth->params.suite);
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
	get_random_bytes(ours ? f->nq : f->nr, SRNIC_STH_NONCE_LEN);
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
	if (READ_ONCE(f->rekey_asked) || srnic_flow_has_keys(f, last))
		return false;
	WRITE_ONCE(f->rekey_asked, true);
	return true;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_advance);

/**
 * srnic_sth_rekey() - Derive the next epoch's keys, wipe the retired ones
 * @sth: the connection
 *
 * Context: process, under the handshake mutex; sleeps.
 * Return: 0 or a negative errno. After an error srnic_sth_advance() requests
 * another call.
 */
int srnic_sth_rekey(struct srnic_sth *sth)
{
	enum srnic_sth_flow flow;
	int err, ret = 0;

	for (flow = 0; flow < SRNIC_FLOWS; flow++) {
		if (!srnic_sth_flow_ready(sth, flow))
			continue;
		err = srnic_flow_keys_install(sth, flow);
		ret = ret ?: err;
		WRITE_ONCE(sth->flow[flow].rekey_asked, false);
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
