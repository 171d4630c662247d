// SPDX-License-Identifier: GPL-2.0
/*
 * A secured connection's life: create, start of its flows, progress, end.
 */
#define pr_fmt(fmt) "srnic: " fmt

#include <linux/random.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>
#include "export.h"
#include "sth/crypto.h"

/* @pair is zeroed: HMAC pads its key so, and a K_AB of less than 32 bytes may be, too */
static int make_pair(const u8 *key, unsigned int len, bool is_pair, const u8 *ab,
		     u8 pair[SRNIC_STH_KDF_KEY_LEN])
{
	if (!is_pair)
		return srnic_kdf_pair(key, len, ab, pair);
	memcpy(pair, key, len);
	return 0;
}

/* K_AB of the policy's key, of the application's, or of both (section 6) */
static int pair_key(struct srnic_sth *sth, const struct srnic_sth_params *params)
{
	u8 own[SRNIC_STH_KDF_KEY_LEN] = {}, policy[SRNIC_STH_KDF_KEY_LEN];
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
		err = srnic_kdf(policy, sizeof(policy), SRNIC_LABEL_BOTH, own, sizeof(own),
				sth->pair, sizeof(sth->pair));
	memzero_explicit(policy, sizeof(policy));
wipe:
	memzero_explicit(own, sizeof(own));
	return err;
}

static int connection_keys(struct srnic_sth *sth, const struct srnic_sth_params *params)
{
	u8 ctx[SRNIC_CTX_HS_LEN];
	u8 key[SRNIC_STH_KDF_KEY_LEN];
	int err;

	err = pair_key(sth, params);
	if (err)
		return err;

	srnic_ctx_hs(ctx, &sth->seals, sth->ab);
	err = srnic_kdf(sth->pair, sizeof(sth->pair), SRNIC_LABEL_HS, ctx, sizeof(ctx),
			key, sizeof(key));
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

/* Rules name no suite that the kernel lacks; but modules can be taken away again. */
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
	struct srnic_shared *shared;

	if (!sth->params.uncached)
		return 0;
	shared = srnic_shared_get(sth->params.suite);
	if (IS_ERR(shared))
		return PTR_ERR(shared);
	sth->shared = shared;
	return 0;
}

/* A is the smaller end (section 1); -EINVAL if there is none */
static int order_ends(struct srnic_sth *sth)
{
	const struct srnic_sth_params *params = &sth->params;
	u8 local[SRNIC_STH_END_LEN], remote[SRNIC_STH_END_LEN];
	int order;

	srnic_sth_end(local, params->local_gid, params->local_qpn);
	srnic_sth_end(remote, params->remote_gid, params->remote_qpn);
	order = memcmp(local, remote, sizeof(local));
	if (!order)
		return -EINVAL;
	sth->local_b = order > 0;
	memcpy(sth->ab, sth->local_b ? remote : local, SRNIC_STH_END_LEN);
	memcpy(sth->ab + SRNIC_STH_END_LEN, sth->local_b ? local : remote, SRNIC_STH_END_LEN);
	return 0;
}

/**
 * srnic_sth_create - secure a queue pair
 * @params: what it is made of; the caller wipes its key
 *
 * At INIT→RTR, process context; sleeps.
 *
 * Return: the connection, or an ERR_PTR: -EOPNOTSUPP if the suite does not have
 * the mode or cannot be @uncached, or the kernel does not have the suite; -EKEYREJECTED if the
 * key is too short; -EINVAL if both ends are the same.
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
	sth->seals.suite_id = params->suite->id;
	sth->seals.mode = params->mode;
	sth->seals.tag_len = params->suite->tag_len;
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
 * srnic_sth_destroy - wipe and free a connection
 * @sth: nobody seals, opens or shakes hands with it any more; may be NULL
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
	srnic_shared_put(sth->shared);
	if (!IS_ERR(sth->hs))
		crypto_free_shash(sth->hs);
	kfree_sensitive(sth->scratch.sink);
	kfree_sensitive(sth);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_destroy);

/**
 * srnic_sth_params - what a connection was made of
 * @sth: the connection
 *
 * Return: its parameters, without the key.
 */
const struct srnic_sth_params *srnic_sth_params(const struct srnic_sth *sth)
{
	return &sth->params;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_params);

/**
 * srnic_sth_driver_name - the crypto driver in use
 * @sth: the connection
 */
const char *srnic_sth_driver_name(const struct srnic_sth *sth)
{
	return sth->driver;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_driver_name);

/**
 * srnic_sth_len - length of the STH
 * @sth: the connection
 *
 * Return: bytes a packet.
 */
unsigned int srnic_sth_len(const struct srnic_sth *sth)
{
	return srnic_suite_sth_len(sth->params.suite);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_len);

/**
 * srnic_sth_code - STH code of every packet but handshake frames
 * @sth: the connection
 */
u8 srnic_sth_code(const struct srnic_sth *sth)
{
	return sth->params.suite->code;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_code);

/**
 * srnic_sth_flow_start - a flow's starting PSN is known
 * @sth: the connection
 * @flow: ours at RTR→RTS, theirs at INIT→RTR
 * @start_psn: 24 bits
 *
 * Draws this end's nonce. Once for each flow of a connection: the next incarnation
 * of a queue pair has a connection of its own.
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
	/* pairs with the handshake's acquire: start and nonce come first */
	smp_store_release(&f->state, ours ? SRNIC_HS_HELLO : SRNIC_HS_LISTEN);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_flow_start);

/**
 * srnic_sth_flow_ready - is a flow confirmed?
 * @sth: the connection
 * @flow: which
 */
bool srnic_sth_flow_ready(const struct srnic_sth *sth, enum srnic_sth_flow flow)
{
	/* pairs with the handshake's release: keys come first */
	return smp_load_acquire(&sth->flow[flow].ready);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_flow_ready);

/**
 * srnic_sth_advance - the expected PSN of a flow has moved
 * @sth: the connection
 * @flow: which
 * @psn: expected PSN of theirs; of ours, the oldest unacknowledged, or the next
 *	to be sent
 *
 * Only on account of verified packets, under the QP's lock. Going back is ignored.
 *
 * Return: true if srnic_sth_rekey() is due; once, until it has been called.
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
 * srnic_sth_rekey - derive the next epoch's keys, wipe the last one's
 * @sth: the connection
 *
 * Process context, under the handshake mutex; sleeps.
 *
 * Return: 0 or a negative errno; then srnic_sth_advance() asks again.
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
 * srnic_sth_info - a snapshot for users; never a key
 * @sth: the connection
 * @info: result
 *
 * Under the QP's lock for figures that belong together.
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
