/* SPDX-License-Identifier: GPL-2.0 */
/*
 * files: sth/handshake.c sth/ephemeral.c sth/format.c sth/nonce.c
 * loops: hs_find_key.0:3 derive_roots.0:3 derive_roots.1:3
 * every-size: wire/wire.h: `SRNIC_HS_LEN		72` => `SRNIC_HS_LEN		14`
 * every-size: sth/pure.h: `SRNIC_GID_LEN		16` => `SRNIC_GID_LEN		2`
 * every-size: sth/pure.h: `SRNIC_STH_NONCE_LEN	16` => `SRNIC_STH_NONCE_LEN	2`
 * every-size: sth/pure.h: `SRNIC_STH_SHARE_LEN	32` => `SRNIC_STH_SHARE_LEN	2`
 * every-size: sth/pure.h: `SRNIC_STH_KDF_KEY_LEN	32` => `SRNIC_STH_KDF_KEY_LEN	2`
 * every-size: sth/pure.h: `SRNIC_HS_TAG_LEN	16` => `SRNIC_HS_TAG_LEN	2`
 * every-size: sth/sth.h: `u8 local_gid[16]` => `u8 local_gid[2]`
 * every-size: sth/sth.h: `u8 remote_gid[16]` => `u8 remote_gid[2]`
 * every-size: sth/sth.h: `SRNIC_STH_KEY_MAX	32` => `SRNIC_STH_KEY_MAX	1`
 * every-size: sth/sth.h: `SRNIC_MKEY_LEN		16` => `SRNIC_MKEY_LEN		1`
 * every-size: sth/crypto.h: `SRNIC_STH_LINEAR	256U` => `SRNIC_STH_LINEAR	1U`
 * every-size: sth/crypto.h: `SRNIC_STH_TAG_LEN_MAX	64` => `SRNIC_STH_TAG_LEN_MAX	1`
 * every-size: sth/crypto.h: `(1 + SRNIC_STH_PAYLOAD_SG + 1)` => `1`
 *
 * The ends of a connection, for proofs about sth/handshake.c and sth/ephemeral.c as they are.
 * Nonces, shares, keys and addresses are shorter than in use, as is memory that a handshake does
 * not touch: cbmc copies the state for each byte that is written.
 *
 * Ideal functions stand for cryptography, because CBMC cannot reason about hashes and curves:
 *
 *  - KDF: a derived key is named by all that enters its derivation, which is recorded beside the
 *    connection (struct flow_key). Two ends have the same K_F if they have recorded the same.
 *  - X25519: a share is its own scalar, and Z is a commutative function of both: their XOR. That
 *    different shares have different Z is not needed, as both shares enter the derivation, too.
 *  - Installation of sub-keys: takes K_F.
 *
 * K_AB and K_HS of one secret have the same number. Memory of keys begins with a mark, so that a
 * proof fails if a key is used before it is derived, or after it is wiped. Any function may fail
 * for want of memory.
 *
 * The MAC is ideal as well; each proof has its own, because each has another intruder.
 */
#ifndef SRNIC_HANDSHAKE_ENDS_H
#define SRNIC_HANDSHAKE_ENDS_H

#include "proof.h"
#include <crypto/utils.h>
#include "sth/crypto.h"

#define HMAC_LEN	32

/* The MAC input of a handshake frame: section 4 */
#define INPUT_LEN	(8 + 2 * SRNIC_GID_LEN + 2 + SRNIC_HS_HDR_LEN)

/* Marks of keys. That of K_AB is its number, not 0. */
#define ROOT		1
#define FLOW_KEY	2

/* HMAC under a K_HS */
struct crypto_shash {
	u8 number;
};

/**
 * struct flow_key - all that has entered K_F
 * @number: that of K_AB
 * @owner_b: half of the root
 * @shared: context of the root: Z and both shares
 * @ctx: context of K_F
 */
struct flow_key {
	u8 number;
	bool owner_b;
	u8 shared[SRNIC_CTX_SHARED_LEN];
	u8 ctx[SRNIC_CTX_FLOW_LEN];
};

/**
 * struct end - an end of a connection
 * @sth: its state
 * @hs: its K_HS
 * @shared: contexts that the roots of its keys were derived from
 * @key: K_F that it has derived last
 * @asked: under which keys its CONFIRM has had the n_r that the peer has now
 */
struct end {
	struct srnic_sth sth;
	struct crypto_shash hs[SRNIC_SECRETS];
	u8 shared[SRNIC_SECRETS][SRNIC_CTX_SHARED_LEN];
	struct flow_key key[SRNIC_FLOWS];
	bool asked[SRNIC_SECRETS];
};

/* The end whose code runs */
static struct end *acting;
/* Whether functions may fail */
static bool may_fail = true;

unsigned int srnic_sth_present_life;

static inline bool fails(void)
{
	return may_fail && nondet_bool();
}

bool curve25519(u8 *shared, const u8 *secret, const u8 *point)
{
	unsigned int i;

	for (i = 0; i < SRNIC_STH_SHARE_LEN; i++)
		shared[i] = secret[i] ^ point[i];
	return !fails();	/* else a point of small order */
}

static int derive_root(unsigned int secret, const struct srnic_kdf_purpose *purpose, u8 *out,
		       unsigned int out_len)
{
	struct srnic_sth *sth = &acting->sth;

	PROVE(purpose->label[5] == SRNIC_LABEL_SHARED[5]);
	PROVE(purpose->ctx_len == SRNIC_CTX_SHARED_LEN);
	PROVE(out == sth->ephemeral.root[secret][0] &&
	      out_len == sizeof(sth->ephemeral.root[secret]));
	PROVE(sth->pair[secret].key[0] == acting->hs[secret].number);
	memcpy(acting->shared[secret], purpose->ctx, SRNIC_CTX_SHARED_LEN);
	out[0] = ROOT;
	out[SRNIC_STH_KDF_KEY_LEN] = ROOT;
	return 0;
}

static int derive_flow_key(unsigned int secret, bool owner_b,
			   const struct srnic_kdf_purpose *purpose, u8 *out, unsigned int out_len)
{
	struct srnic_sth *sth = &acting->sth;
	bool theirs = out != sth->flow[SRNIC_FLOW_OURS].key;
	struct flow_key *key = &acting->key[theirs];

	PROVE(purpose->label[5] == SRNIC_LABEL_FLOW[5]);
	PROVE(purpose->ctx_len == SRNIC_CTX_FLOW_LEN);
	PROVE(out == sth->flow[theirs].key && out_len == SRNIC_STH_KDF_KEY_LEN);
	PROVE(sth->ephemeral.root[secret][owner_b][0] == ROOT);
	key->number = acting->hs[secret].number;
	key->owner_b = owner_b;
	memcpy(key->shared, acting->shared[secret], sizeof(key->shared));
	memcpy(key->ctx, purpose->ctx, sizeof(key->ctx));
	out[0] = FLOW_KEY;
	return 0;
}

int srnic_kdf(const u8 *key, unsigned int key_len, const struct srnic_kdf_purpose *purpose,
	      u8 *out, unsigned int out_len)
{
	struct srnic_sth *sth = &acting->sth;
	unsigned int i;

	PROVE(key_len == SRNIC_STH_KDF_KEY_LEN);
	if (fails())
		return -ENOMEM;
	for (i = 0; i < SRNIC_SECRETS; i++) {
		if (key == sth->pair[i].key)
			return derive_root(i, purpose, out, out_len);
		if (key == sth->ephemeral.root[i][false])
			return derive_flow_key(i, false, purpose, out, out_len);
		if (key == sth->ephemeral.root[i][true])
			return derive_flow_key(i, true, purpose, out, out_len);
	}
	PROVE(!"a key of this connection");
	return -EINVAL;
}

/* The real one replaces K_F by those of later epochs, also if it fails half-way. */
int srnic_flow_keys_install(struct srnic_sth *sth, enum srnic_sth_flow flow)
{
	struct srnic_flow *f = &sth->flow[flow];

	PROVE(f->state != SRNIC_HS_DONE && !f->ready);
	PROVE(f->key[0] == FLOW_KEY && !f->key_epoch);
	f->key[0] = nondet_u8();
	f->key_epoch = nondet_u64();
	return fails() ? -ENOMEM : 0;
}

static inline bool end_has_memory(const struct end *e)
{
	const struct srnic_sth *sth = &e->sth;
	unsigned int i;

	for (i = 0; i < SRNIC_SECRETS; i++) {
		if (sth->pair[i].hs != (sth->pair[0].hs && i < sth->pairs ? &e->hs[i] : NULL))
			return false;
		if (!e->hs[i].number)
			return false;
	}
	return sth->pairs && sth->pairs <= SRNIC_SECRETS;
}

/* Tell whether a flow is in a state that it can have. */
static inline bool flow_is_sound(const struct srnic_sth *sth, enum srnic_sth_flow flow)
{
	const struct srnic_flow *f = &sth->flow[flow];
	bool ours = flow == SRNIC_FLOW_OURS;

	if (f->secret >= sth->pairs || f->start > SRNIC_PSN_MASK)
		return false;
	switch (f->state) {
	case SRNIC_HS_IDLE:
		return !f->ready;
	case SRNIC_HS_DONE:
		return f->ready;
	case SRNIC_HS_LISTEN:
		return !ours && !f->ready;
	case SRNIC_HS_HELLO:
	case SRNIC_HS_CONFIRM:
		return ours && !f->ready;
	default:
		return false;
	}
}

/* The keys that a later frame needs have not been wiped. */
static inline bool keys_are_there(const struct end *e)
{
	const struct srnic_sth *sth = &e->sth;
	bool a_done = sth->flow[sth->local_b].state == SRNIC_HS_DONE;
	bool b_done = sth->flow[!sth->local_b].state == SRNIC_HS_DONE;
	unsigned int i;

	if ((a_done || b_done) && !sth->ephemeral.agreed)
		return false;
	for (i = 0; i < SRNIC_SECRETS; i++) {
		if (i >= sth->pairs)
			continue;
		if (!sth->ephemeral.agreed && sth->pair[i].key[0] != e->hs[i].number)
			return false;
		if (sth->ephemeral.agreed && !a_done && sth->ephemeral.root[i][0][0] != ROOT)
			return false;
		if (sth->ephemeral.agreed && !b_done && sth->ephemeral.root[i][1][0] != ROOT)
			return false;
	}
	return true;
}

static inline bool end_is_sound(const struct end *e)
{
	return end_has_memory(e) && flow_is_sound(&e->sth, SRNIC_FLOW_OURS) &&
	       flow_is_sound(&e->sth, SRNIC_FLOW_THEIRS) && keys_are_there(e);
}

/*
 * Any state that a connection may be in; its keys are wiped only in another life. A bool in memory
 * is 0 or 1.
 */
static inline void given_end(struct end *e)
{
	struct end any;	/* uninitialized: any value, member by member */
	bool wiped = nondet_bool();
	unsigned int i;

	*e = any;
	e->sth.pairs = nondet_bool() ? 1 : SRNIC_SECRETS;	/* loops over them are short */
	e->sth.local_b = nondet_u8() & 1;
	e->sth.ephemeral.agreed = nondet_u8() & 1;
	for (i = 0; i < SRNIC_FLOWS; i++) {
		e->sth.flow[i].ready = e->sth.flow[i].state == SRNIC_HS_DONE;
		e->key[i].owner_b = nondet_u8() & 1;
	}
	for (i = 0; i < SRNIC_SECRETS; i++) {
		e->sth.pair[i].hs = !wiped && i < e->sth.pairs ? &e->hs[i] : NULL;
		e->asked[i] = nondet_u8() & 1;
	}
	GIVEN(end_is_sound(e));
	GIVEN(!wiped || !srnic_sth_lives(&e->sth));
}

static inline bool same(const u8 *a, const u8 *b, size_t len)
{
	return !crypto_memneq(a, b, len);
}

static inline bool same_nonce(const u8 *a, const u8 *b)
{
	return same(a, b, SRNIC_STH_NONCE_LEN);
}

static inline bool same_share(const u8 *a, const u8 *b)
{
	return same(a, b, SRNIC_STH_SHARE_LEN);
}

static inline bool connected(const struct end *x, const struct end *y)
{
	const struct srnic_sth_params *p = &x->sth.params, *q = &y->sth.params;

	return x->sth.local_b != y->sth.local_b &&
	       p->local_qpn == q->remote_qpn && p->remote_qpn == q->local_qpn &&
	       same(p->local_gid, q->remote_gid, SRNIC_GID_LEN) &&
	       same(p->remote_gid, q->local_gid, SRNIC_GID_LEN) &&
	       same(x->sth.ab, y->sth.ab, SRNIC_CTX_PAIR_LEN);
}

static inline bool same_form(const struct srnic_sth_form *a, const struct srnic_sth_form *b)
{
	return a->suite_id == b->suite_id && a->mode == b->mode && a->tag_len == b->tag_len;
}

/* K_AB and S enter K_HS; the key id is a function of K_AB. */
static inline bool keys_are_derived(const struct end *x, const struct end *y)
{
	unsigned int i, j;

	for (i = 0; i < SRNIC_SECRETS; i++) {
		for (j = 0; j < SRNIC_SECRETS; j++) {
			if (x->hs[i].number != y->hs[j].number)
				continue;
			if (x->sth.pair[i].id != y->sth.pair[j].id ||
			    !same_form(&x->sth.form, &y->sth.form))
				return false;
		}
	}
	return true;
}

static inline bool same_key(const struct flow_key *a, const struct flow_key *b)
{
	return a->number == b->number && a->owner_b == b->owner_b &&
	       same(a->shared, b->shared, sizeof(a->shared)) &&
	       same(a->ctx, b->ctx, sizeof(a->ctx));
}

/* Both ends have the same peers, and shares of their own. */
static inline bool ends_are_of_one_connection(const struct end *x, const struct end *y)
{
	return connected(x, y) && keys_are_derived(x, x) && keys_are_derived(y, y) &&
	       keys_are_derived(x, y) &&
	       !same_share(x->sth.ephemeral.ours, y->sth.ephemeral.ours);
}

#endif /* SRNIC_HANDSHAKE_ENDS_H */
