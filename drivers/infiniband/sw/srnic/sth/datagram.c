// SPDX-License-Identifier: GPL-2.0
/*
 * Seals of datagrams (Documentation/protocol.md, section 11).
 *
 * Datagrams have no connection, so the sender numbers its packets, and each
 * salt of a sender has a sub-key of its own.
 */
#define pr_fmt(fmt) "srnic: " fmt

#include <linux/ratelimit.h>
#include <linux/slab.h>
#include "export.h"
#include "sth/crypto.h"

#define QPN_MASK	0xffffff

/**
 * struct srnic_dgram - the sub-key of one sender and one destination
 * @suite: row of the suite table
 * @id: sender, destination and salt
 * @key: the sub-key; on receipt with the counters seen
 * @key_use: number of the use of the secret that it was derived from
 * @unreported: bytes sealed since the last report to key_use.c
 * @scratch: working memory for the current packet
 */
struct srnic_dgram {
	const struct srnic_sth_suite *suite;
	struct srnic_dgram_id id;
	struct srnic_subkey key;
	u32 key_use;
	u32 unreported;
	struct srnic_sth_scratch scratch;
};

/**
 * srnic_sth_suite_has_datagrams() - Tell whether a suite can seal datagrams
 * @suite: a row of the suite table
 */
bool srnic_sth_suite_has_datagrams(const struct srnic_sth_suite *suite)
{
	return suite->tag_len == SRNIC_DGRAM_TAG_LEN;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_suite_has_datagrams);

/**
 * srnic_dgram_pair_key() - Derive K_UD of two hosts
 * @kpd: K_PD, the key that the rule names
 * @len: bytes in @kpd
 * @a: GID of one host
 * @b: GID of the other
 * @kud: result; the caller wipes it
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int srnic_dgram_pair_key(const u8 *kpd, unsigned int len, const u8 a[SRNIC_GID_LEN],
			 const u8 b[SRNIC_GID_LEN], u8 kud[SRNIC_STH_KDF_KEY_LEN])
{
	bool in_order = memcmp(a, b, SRNIC_GID_LEN) <= 0;
	u8 gids[2 * SRNIC_GID_LEN];
	const struct srnic_kdf_purpose connection = { .label = SRNIC_LABEL_CONNECTION };
	const struct srnic_kdf_purpose pair = { SRNIC_LABEL_DGRAM_PAIR, gids, sizeof(gids) };
	u8 branch[SRNIC_STH_KDF_KEY_LEN];
	int err;

	memcpy(gids, in_order ? a : b, SRNIC_GID_LEN);
	memcpy(gids + SRNIC_GID_LEN, in_order ? b : a, SRNIC_GID_LEN);
	err = srnic_kdf(kpd, len, &connection, branch, sizeof(branch));
	if (!err)
		err = srnic_kdf(branch, sizeof(branch), &pair, kud, SRNIC_STH_KDF_KEY_LEN);
	memzero_explicit(branch, sizeof(branch));
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dgram_pair_key);

/**
 * srnic_dgram_group_key() - Write K_UD of a multicast group
 * @key: key that the rule names
 * @len: bytes in @key, at most SRNIC_STH_KEY_MAX
 * @kud: result; the caller wipes it
 */
void srnic_dgram_group_key(const u8 *key, unsigned int len, u8 kud[SRNIC_STH_KDF_KEY_LEN])
{
	memset(kud, 0, SRNIC_STH_KDF_KEY_LEN);
	memcpy(kud, key, len);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dgram_group_key);

static int reject_suite(const u8 gid[SRNIC_GID_LEN], const struct srnic_sth_suite *suite)
{
	pr_warn_ratelimited("no datagrams with %pI6c: policy requires %s, which cannot seal datagrams; choose a suite with a tag of 128 bits\n",
			    gid, suite->name);
	return -EACCES;
}

/* Derive K_UD of both secrets of a key. */
static int derive_kud(const struct srnic_sth_params *rule, const u8 sgid[SRNIC_GID_LEN],
		      const u8 dgid[SRNIC_GID_LEN], struct srnic_dgram_params *params)
{
	int err;

	params->has_other = rule->other_key_len;
	if (srnic_gid_is_multicast(dgid)) {
		srnic_dgram_group_key(rule->key, rule->key_len, params->kud);
		srnic_dgram_group_key(rule->other_key, rule->other_key_len, params->other_kud);
		return 0;
	}
	err = srnic_dgram_pair_key(rule->key, rule->key_len, sgid, dgid, params->kud);
	if (!err && params->has_other)
		err = srnic_dgram_pair_key(rule->other_key, rule->other_key_len, sgid, dgid,
					   params->other_kud);
	return err;
}

/**
 * srnic_dgram_resolve() - Resolve the policy for datagrams between two GIDs
 * @net: namespace of the local GID's netdev
 * @sgid: source GID
 * @dgid: destination GID
 * @use: to seal datagrams of ours, or to open those of others
 * @params: result; @params->suite is NULL if the datagrams go in the clear; the
 *	caller wipes it
 *
 * Applies the rule for the peer or, if @dgid is a multicast group, the rule for
 * the group, whose members share its key.
 *
 * Context: process.
 * Return: 0; -EACCES if the rule is 'require' and there is no usable key, or
 * the suite cannot seal datagrams (with 'prefer' they then go in the clear);
 * -ENOMEM.
 */
int srnic_dgram_resolve(struct net *net, const u8 sgid[SRNIC_GID_LEN],
			const u8 dgid[SRNIC_GID_LEN], enum srnic_sth_use use,
			struct srnic_dgram_params *params)
{
	bool group = srnic_gid_is_multicast(dgid);
	const u8 *gid = group || use == SRNIC_TO_SEAL ? dgid : sgid;
	struct srnic_sth_params rule = {};
	int err;

	memset(params, 0, sizeof(*params));
	/* a sender's missing key is reported; the datagram does not wait for it */
	err = use == SRNIC_TO_SEAL ? srnic_policy_obtain(net, gid, 0, &rule) :
				     srnic_policy_resolve(net, gid, &rule);
	if (err || !rule.suite)
		goto wipe;
	if (!srnic_sth_suite_has_datagrams(rule.suite)) {
		if (srnic_policy_brief(net, gid).rule == SRNIC_POLICY_REQUIRE)
			err = reject_suite(gid, rule.suite);
		goto wipe;
	}
	err = derive_kud(&rule, sgid, dgid, params);
	if (err)
		goto wipe;
	params->suite = rule.suite;
	params->mode = rule.mode;
	params->key_use = rule.key_use[SRNIC_SECRET_CURRENT];
wipe:
	memzero_explicit(&rule, sizeof(rule));
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dgram_resolve);

static int derive_dgram_key(struct srnic_dgram *dgram, const struct srnic_dgram_params *params)
{
	const struct srnic_sth_suite *suite = params->suite;
	const struct srnic_sth_form form = {
		.suite_id = suite->id,
		.mode = params->mode,
		.tag_len = suite->tag_len,
	};
	u8 ctx[SRNIC_CTX_DGRAM_LEN];
	const struct srnic_kdf_purpose purpose = { SRNIC_LABEL_DGRAM, ctx, sizeof(ctx) };
	u8 raw[SRNIC_STH_RAW_KEY_MAX];
	int err;

	srnic_ctx_datagram(ctx, &form, dgram->id.sgid, dgram->id.sqpn, dgram->id.salt);
	err = srnic_kdf(params->kud, sizeof(params->kud), &purpose, raw, suite->key_len);
	if (!err)
		err = suite->family->init(&dgram->key.cipher, suite, raw);
	srnic_nonce_oracle_watch(&dgram->key.cipher, raw, suite->key_len);
	memzero_explicit(raw, sizeof(raw));
	return err;
}

/**
 * srnic_dgram_create() - Derive a sender's sub-key
 * @params: suite, mode and K_UD, of which @params->kud is used; the suite can seal
 *	datagrams
 * @id: sender, destination and salt
 *
 * Context: process.
 * Return: the sub-key or an ERR_PTR.
 */
struct srnic_dgram *srnic_dgram_create(const struct srnic_dgram_params *params,
				       const struct srnic_dgram_id *id)
{
	struct srnic_dgram *dgram = kzalloc(sizeof(*dgram), GFP_KERNEL);
	int err;

	if (!dgram)
		return ERR_PTR(-ENOMEM);
	dgram->suite = params->suite;
	dgram->key_use = params->key_use;
	dgram->id = *id;
	/* A receiver learns the sender's QPN from the plaintext only. */
	if (params->mode == SRNIC_STH_OPAQUE)
		dgram->id.sqpn &= ~QPN_MASK;
	dgram->scratch.mode = params->mode;
	dgram->scratch.tag_len = params->suite->tag_len;
	if (params->mode == SRNIC_STH_PACKET)
		dgram->scratch.sink = kmalloc(SRNIC_STH_SINK, GFP_KERNEL);
	err = params->mode == SRNIC_STH_PACKET && !dgram->scratch.sink ? -ENOMEM : 0;
	if (!err)
		err = derive_dgram_key(dgram, params);
	if (!err)
		return dgram;
	srnic_dgram_destroy(dgram);
	return ERR_PTR(err);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dgram_create);

/**
 * srnic_dgram_destroy() - Wipe and free a sub-key
 * @dgram: the sub-key, no longer used by any context; may be NULL
 */
void srnic_dgram_destroy(struct srnic_dgram *dgram)
{
	if (!dgram)
		return;
	srnic_key_use_report(dgram->key_use, &dgram->unreported);
	dgram->suite->family->free(&dgram->key.cipher);
	kfree_sensitive(dgram->scratch.sink);
	kfree_sensitive(dgram);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dgram_destroy);

/**
 * srnic_dgram_mode() - Return the mode that the datagrams of a key are sealed in
 * @dgram: the key's state
 *
 * Context: any.
 */
enum srnic_sth_mode srnic_dgram_mode(const struct srnic_dgram *dgram)
{
	return dgram->scratch.mode;
}

/* Write the nonce and the MAC input into the scratch. */
static void fill_mac_input(struct srnic_dgram *dgram, const struct srnic_pkt *pkt, u64 counter)
{
	const struct srnic_sth_input in = {
		.nonce64 = dgram->id.salt,
		.counter = counter,
		.counter_len = SRNIC_DGRAM_COUNTER_LEN,
		.udp_len = pkt->len + 8,
		.sgid = dgram->id.sgid,
		.dgid = dgram->id.dgid,
		.hdr = pkt->hdr,
		.hdr_len = srnic_sth_offset(dgram->scratch.mode, pkt),
	};

	/* N = 0^4 ‖ counter; the sub-key depends on the salt. */
	srnic_sth_nonce96(dgram->scratch.iv, counter >> 32, counter);
	dgram->scratch.input_len = srnic_sth_mac_input(&in, dgram->scratch.input);
}

/**
 * srnic_dgram_seal() - Fill in a datagram's STH
 * @dgram: our sub-key for @pkt's destination
 * @counter: below SRNIC_DGRAM_EMISSIONS, never used before under this salt
 * @pkt: as for srnic_sth_seal()
 * @payload: as for srnic_sth_seal()
 *
 * Context: any up to softirq; the caller serialises calls for one @dgram.
 * Return: 0 or the crypto driver's errno.
 */
int srnic_dgram_seal(struct srnic_dgram *dgram, u64 counter, struct srnic_pkt *pkt,
		     const struct srnic_sth_payload *payload)
{
	u8 *out = pkt->hdr + srnic_sth_offset(dgram->scratch.mode, pkt);
	int err;

	if (WARN_ON_ONCE(pkt->sth_len != SRNIC_DGRAM_STH_LEN || pkt->hdr_len > SRNIC_EXT_MAX))
		return -EINVAL;
	fill_mac_input(dgram, pkt, counter);
	err = dgram->suite->family->apply[SRNIC_TO_SEAL](&dgram->scratch, &dgram->key.cipher,
							 payload);
	if (err)
		return err;
	put_unaligned_be64(dgram->id.salt, out);
	put_unaligned_be64(counter, out + 8);
	memcpy(out + 8 + SRNIC_DGRAM_COUNTER_LEN, dgram->scratch.tag, SRNIC_DGRAM_TAG_LEN);
	srnic_key_use_count(dgram->key_use, &dgram->unreported, pkt->len);
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dgram_seal);

/**
 * srnic_dgram_id_of() - Read from a datagram which sub-key it claims
 * @pkt: as parsed, with @pkt->ends and STH code SRNIC_DGRAM_CODE
 * @mode: mode to read it in; all but %SRNIC_STH_OPAQUE are alike
 * @id: result; all bytes are written, so that it can be compared bytewise
 */
void srnic_dgram_id_of(const struct srnic_pkt *pkt, enum srnic_sth_mode mode,
		       struct srnic_dgram_id *id)
{
	bool opaque = mode == SRNIC_STH_OPAQUE;

	memcpy(id->sgid, pkt->ends->sgid, sizeof(id->sgid));
	memcpy(id->dgid, pkt->ends->dgid, sizeof(id->dgid));
	id->salt = get_unaligned_be64(pkt->hdr + srnic_sth_offset(mode, pkt));
	id->sqpn = srnic_ends_kind(pkt->ends) | (opaque ? 0 : pkt->sqpn);
	id->opaque = opaque;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dgram_id_of);

/**
 * srnic_dgram_open() - Verify a datagram, and decrypt it in modes that encrypt
 * @dgram: sub-key whose id srnic_dgram_id_of() returns for @pkt
 * @pkt: as for srnic_sth_open()
 * @payload: as for srnic_sth_open()
 *
 * If the tag is wrong, only the count of failures changes.
 *
 * Context: any up to softirq; the caller serialises calls for one @dgram.
 * Return: 0; -EBADMSG if the tag or the pad is wrong, or the counter is out of
 * range; -EALREADY if the counter was seen or is older than the window;
 * -EKEYEXPIRED after too many wrong tags; or the crypto driver's errno.
 */
int srnic_dgram_open(struct srnic_dgram *dgram, struct srnic_pkt *pkt,
		     const struct srnic_sth_payload *payload)
{
	const u8 *seal = pkt->hdr + srnic_sth_offset(dgram->scratch.mode, pkt) + 8;
	u64 counter = get_unaligned_be64(seal);
	struct srnic_subkey *key = &dgram->key;
	int err;

	if (pkt->sth_len != SRNIC_DGRAM_STH_LEN || pkt->hdr_len > SRNIC_EXT_MAX)
		return -EBADMSG;
	if (key->failed >= dgram->suite->max_failed)
		return -EKEYEXPIRED;
	if (counter >= SRNIC_DGRAM_EMISSIONS)
		return -EBADMSG;
	if (!srnic_replay_fresh(&key->replay, counter))
		return -EALREADY;

	memcpy(dgram->scratch.tag, seal + SRNIC_DGRAM_COUNTER_LEN, SRNIC_DGRAM_TAG_LEN);
	fill_mac_input(dgram, pkt, counter);
	err = dgram->suite->family->apply[SRNIC_TO_OPEN](&dgram->scratch, &key->cipher, payload);
	if (err == -EBADMSG)
		key->failed++;
	if (err)
		return err;
	srnic_replay_mark(&key->replay, counter);
	return srnic_sth_pad_ok(dgram->scratch.mode, pkt, payload) ? 0 : -EBADMSG;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dgram_open);
