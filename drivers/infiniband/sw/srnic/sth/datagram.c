// SPDX-License-Identifier: GPL-2.0
/*
 * Seals of datagrams (Documentation/protocol.md, section 11): there is no connection, so
 * the sender numbers what it sends, and every sender's salt has a sub-key of its own.
 */
#define pr_fmt(fmt) "srnic: " fmt

#include <linux/ratelimit.h>
#include <linux/slab.h>
#include "export.h"
#include "sth/crypto.h"

/**
 * struct srnic_dgram - one sender's sub-key towards one destination
 * @suite: row of the suite table
 * @id: whose
 * @key: the sub-key; on receipt with the counters seen
 * @scratch: of the packet at hand
 */
struct srnic_dgram {
	const struct srnic_sth_suite *suite;
	struct srnic_dgram_id id;
	struct srnic_subkey key;
	struct srnic_sth_scratch scratch;
};

/**
 * srnic_sth_suite_has_datagrams - can a suite seal datagrams?
 * @suite: a row
 */
bool srnic_sth_suite_has_datagrams(const struct srnic_sth_suite *suite)
{
	return suite->tag_len == SRNIC_DGRAM_TAG_LEN;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_suite_has_datagrams);

/* K_UD of two hosts */
static int pair_of_hosts(const u8 *kpd, unsigned int len, const u8 a[SRNIC_GID_LEN],
			 const u8 b[SRNIC_GID_LEN], u8 kud[SRNIC_STH_KDF_KEY_LEN])
{
	bool in_order = memcmp(a, b, SRNIC_GID_LEN) <= 0;
	u8 branch[SRNIC_STH_KDF_KEY_LEN];
	u8 gids[2 * SRNIC_GID_LEN];
	int err;

	memcpy(gids, in_order ? a : b, SRNIC_GID_LEN);
	memcpy(gids + SRNIC_GID_LEN, in_order ? b : a, SRNIC_GID_LEN);
	err = srnic_kdf(kpd, len, SRNIC_LABEL_CONNECTION, NULL, 0, branch, sizeof(branch));
	if (!err)
		err = srnic_kdf(branch, sizeof(branch), SRNIC_LABEL_DGRAM_PAIR, gids, sizeof(gids),
				kud, SRNIC_STH_KDF_KEY_LEN);
	memzero_explicit(branch, sizeof(branch));
	return err;
}

/**
 * srnic_dgram_kud - the key that two hosts, or the members of a group, share for datagrams
 * @key: as the rule names it: K_PD, or the group's own key
 * @len: its length, at most SRNIC_STH_KEY_MAX
 * @sgid: the sender
 * @dgid: the destination
 * @group: that is a multicast group
 * @kud: result
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int srnic_dgram_kud(const u8 *key, unsigned int len, const u8 sgid[SRNIC_GID_LEN],
		    const u8 dgid[SRNIC_GID_LEN], bool group, u8 kud[SRNIC_STH_KDF_KEY_LEN])
{
	if (!group)
		return pair_of_hosts(key, len, sgid, dgid, kud);
	memset(kud, 0, SRNIC_STH_KDF_KEY_LEN);
	memcpy(kud, key, len);
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dgram_kud);

static int no_form(const u8 gid[SRNIC_GID_LEN], const struct srnic_sth_suite *suite)
{
	pr_warn_ratelimited("no datagrams with %pI6c: policy requires %s, which has no seal for them; choose a suite with a tag of 128 bits\n",
			    gid, suite->name);
	return -EACCES;
}

/**
 * srnic_dgram_resolve - how datagrams are to be sealed
 * @net: namespace of the local GID's netdev
 * @sgid: the sender
 * @dgid: the destination
 * @sending: we are the sender
 * @seal: result; the caller wipes it
 *
 * The rule for the peer says so, or, for a group, the one for the group: its members share
 * that key.
 *
 * Context: process.
 * Return: 0; -EACCES: 'require' without a usable key, or with a suite that has no seal for
 * datagrams ('prefer' lets them go in the clear, then); -ENOMEM.
 */
int srnic_dgram_resolve(struct net *net, const u8 sgid[SRNIC_GID_LEN],
			const u8 dgid[SRNIC_GID_LEN], bool sending,
			struct srnic_dgram_seal *seal)
{
	bool group = srnic_gid_is_multicast(dgid);
	const u8 *gid = group || sending ? dgid : sgid;
	struct srnic_sth_params params = {};
	int err;

	memset(seal, 0, sizeof(*seal));
	err = srnic_policy_resolve(net, gid, &params);
	if (err || !params.suite)
		goto wipe;
	if (!srnic_sth_suite_has_datagrams(params.suite)) {
		if (srnic_policy_brief(net, gid).rule == SRNIC_POLICY_REQUIRE)
			err = no_form(gid, params.suite);
		goto wipe;
	}
	err = srnic_dgram_kud(params.key, params.key_len, sgid, dgid, group, seal->kud);
	if (err)
		goto wipe;
	seal->suite = params.suite;
	seal->mode = params.mode;
wipe:
	memzero_explicit(&params, sizeof(params));
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dgram_resolve);

static int make_key(struct srnic_dgram *dgram, const struct srnic_dgram_seal *seal)
{
	const struct srnic_sth_suite *suite = seal->suite;
	const struct srnic_sth_seals s = {
		.suite_id = suite->id,
		.mode = seal->mode,
		.tag_len = suite->tag_len,
	};
	u8 ctx[SRNIC_CTX_DGRAM_LEN];
	u8 raw[SRNIC_STH_RAW_KEY_MAX];
	int err;

	srnic_ctx_datagram(ctx, &s, dgram->id.sgid, dgram->id.sqpn, dgram->id.salt);
	err = srnic_kdf(seal->kud, sizeof(seal->kud), SRNIC_LABEL_DGRAM, ctx, sizeof(ctx), raw,
			suite->key_len);
	if (!err)
		err = suite->family->init(&dgram->key.cipher, suite, raw);
	srnic_nonce_oracle_watch(&dgram->key.cipher, raw, suite->key_len);
	memzero_explicit(raw, sizeof(raw));
	return err;
}

/**
 * srnic_dgram_create - derive a sender's sub-key
 * @seal: what its datagrams are sealed by; its suite has datagrams
 * @id: whose
 *
 * Context: process.
 * Return: the sub-key, or an ERR_PTR.
 */
struct srnic_dgram *srnic_dgram_create(const struct srnic_dgram_seal *seal,
				       const struct srnic_dgram_id *id)
{
	struct srnic_dgram *dgram = kzalloc(sizeof(*dgram), GFP_KERNEL);
	int err;

	if (!dgram)
		return ERR_PTR(-ENOMEM);
	dgram->suite = seal->suite;
	dgram->id = *id;
	dgram->scratch.mode = seal->mode;
	dgram->scratch.tag_len = seal->suite->tag_len;
	if (seal->mode == SRNIC_STH_PACKET)
		dgram->scratch.sink = kmalloc(SRNIC_STH_SINK, GFP_KERNEL);
	err = seal->mode == SRNIC_STH_PACKET && !dgram->scratch.sink ? -ENOMEM : 0;
	if (!err)
		err = make_key(dgram, seal);
	if (!err)
		return dgram;
	srnic_dgram_destroy(dgram);
	return ERR_PTR(err);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dgram_create);

/**
 * srnic_dgram_destroy - wipe and free a sub-key
 * @dgram: nobody seals or opens with it any more; may be NULL
 */
void srnic_dgram_destroy(struct srnic_dgram *dgram)
{
	if (!dgram)
		return;
	dgram->suite->family->free(&dgram->key.cipher);
	kfree_sensitive(dgram->scratch.sink);
	kfree_sensitive(dgram);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dgram_destroy);

bool srnic_dgram_encrypts(const struct srnic_dgram *dgram)
{
	return dgram->scratch.mode == SRNIC_STH_AEAD;
}

static unsigned int mac_input(struct srnic_dgram *dgram, const struct srnic_pkt *pkt, u64 counter)
{
	const struct srnic_sth_input in = {
		.nonce64 = dgram->id.salt,
		.counter = counter,
		.counter_len = SRNIC_DGRAM_COUNTER_LEN,
		.udp_len = pkt->len + 8,
		.sgid = dgram->id.sgid,
		.dgid = dgram->id.dgid,
		.hdr = pkt->hdr,
		.hdr_len = pkt->hdr_len,
	};

	/* N = 0^4 ‖ counter; the salt is in the key */
	srnic_sth_nonce96(dgram->scratch.iv, counter >> 32, counter);
	return srnic_sth_mac_input(&in, dgram->scratch.input);
}

/**
 * srnic_dgram_seal - fill in a datagram's STH
 * @dgram: our sub-key towards @pkt's destination
 * @counter: used for nothing else under its salt, below SRNIC_DGRAM_EMISSIONS
 * @pkt: as srnic_sth_seal() has it
 * @payload: likewise
 * @len: bytes of payload and pad
 *
 * Context: any up to softirq; one call at a time for one @dgram.
 * Return: 0 or the crypto driver's errno.
 */
int srnic_dgram_seal(struct srnic_dgram *dgram, u64 counter, struct srnic_pkt *pkt,
		     struct scatterlist *payload, unsigned int len)
{
	u8 *out = pkt->hdr + pkt->hdr_len;
	int err;

	if (WARN_ON_ONCE(pkt->sth_len != SRNIC_DGRAM_STH_LEN || pkt->hdr_len > SRNIC_EXT_MAX))
		return -EINVAL;
	err = dgram->suite->family->seal(&dgram->scratch, &dgram->key.cipher,
					 mac_input(dgram, pkt, counter), payload, len);
	if (err)
		return err;
	put_unaligned_be64(dgram->id.salt, out);
	put_unaligned_be64(counter, out + 8);
	memcpy(out + 8 + SRNIC_DGRAM_COUNTER_LEN, dgram->scratch.tag, SRNIC_DGRAM_TAG_LEN);
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dgram_seal);

/**
 * srnic_dgram_id_of - who claims to have sealed a datagram
 * @pkt: as parsed, with @pkt->ends, and STH code SRNIC_DGRAM_CODE
 * @id: result; no byte of it is left as it was
 */
void srnic_dgram_id_of(const struct srnic_pkt *pkt, struct srnic_dgram_id *id)
{
	memset(id, 0, sizeof(*id));
	memcpy(id->sgid, pkt->ends->sgid, sizeof(id->sgid));
	memcpy(id->dgid, pkt->ends->dgid, sizeof(id->dgid));
	id->salt = get_unaligned_be64(pkt->hdr + pkt->hdr_len);
	id->sqpn = pkt->sqpn;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dgram_id_of);

/**
 * srnic_dgram_open - verify a datagram, and decrypt it in aead mode
 * @dgram: its sender's sub-key: srnic_dgram_id_of() is its id
 * @pkt: as srnic_sth_open() has it
 * @src: likewise
 * @dst: likewise
 * @len: bytes of payload and pad
 *
 * Nothing changes but the count of failures unless the tag is right.
 *
 * Context: any up to softirq; one call at a time for one @dgram.
 * Return: 0, -EBADMSG (tag or pad wrong), -EALREADY (counter seen, or too old to
 * say), -EKEYEXPIRED (too many wrong tags), or the crypto driver's errno.
 */
int srnic_dgram_open(struct srnic_dgram *dgram, struct srnic_pkt *pkt, struct scatterlist *src,
		     struct scatterlist *dst, unsigned int len)
{
	const u8 *seal = pkt->hdr + pkt->hdr_len + 8;
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
	err = dgram->suite->family->open(&dgram->scratch, &key->cipher,
					 mac_input(dgram, pkt, counter), src, dst, len);
	if (err == -EBADMSG)
		key->failed++;
	if (err)
		return err;
	srnic_replay_mark(&key->replay, counter);
	return srnic_sth_pad_ok(dgram->scratch.mode, pkt, src, dst, len) ? 0 : -EBADMSG;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dgram_open);
