// SPDX-License-Identifier: GPL-2.0
/*
 * Forward secrecy (Documentation/protocol.md, section 7): each end of a connection draws an
 * ephemeral X25519 key (RFC 7748). An attacker that learns K_AB later, and has recorded all
 * packets, cannot derive their common secret.
 *
 * Context: process, under the handshake mutex.
 */
#include <crypto/curve25519.h>
#include <crypto/utils.h>
#include "export.h"
#include "sth/crypto.h"

static_assert(CURVE25519_KEY_SIZE == SRNIC_STH_SHARE_LEN);

/**
 * srnic_ephemeral_draw() - Generate our ephemeral key, and compute our share
 * @ephemeral: the result
 *
 * Return: 0, or -EKEYREJECTED if the point is one that no secret must have.
 */
int srnic_ephemeral_draw(struct srnic_ephemeral *ephemeral)
{
	curve25519_generate_secret(ephemeral->secret);
	return curve25519_generate_public(ephemeral->ours, ephemeral->secret) ? 0 : -EKEYREJECTED;
}

/**
 * srnic_ephemeral_fits() - Tell whether a share may be the peer's
 * @ephemeral: keys of the connection
 * @theirs: share of the peer
 *
 * Return: false if the roots have been derived from another share of the peer.
 */
bool srnic_ephemeral_fits(const struct srnic_ephemeral *ephemeral, const u8 *theirs)
{
	return !ephemeral->agreed ||
	       !crypto_memneq(theirs, ephemeral->theirs, sizeof(ephemeral->theirs));
}

/* Z ‖ share of A ‖ share of B */
static bool shared_context(const struct srnic_sth *sth, const u8 *theirs,
			   u8 ctx[SRNIC_CTX_SHARED_LEN])
{
	const u8 *ours = sth->ephemeral.ours;

	memcpy(ctx + SRNIC_STH_SHARE_LEN, sth->local_b ? theirs : ours, SRNIC_STH_SHARE_LEN);
	memcpy(ctx + 2 * SRNIC_STH_SHARE_LEN, sth->local_b ? ours : theirs, SRNIC_STH_SHARE_LEN);
	return curve25519(ctx, sth->ephemeral.secret, theirs);
}

/*
 * Derive the roots of both flows, and wipe all that they can be derived from. The flows may be
 * confirmed under different keys, so there are roots of each key.
 */
static int derive_roots(struct srnic_sth *sth, const u8 *theirs)
{
	struct srnic_ephemeral *ephemeral = &sth->ephemeral;
	u8 ctx[SRNIC_CTX_SHARED_LEN];
	const struct srnic_kdf_purpose purpose = { SRNIC_LABEL_SHARED, ctx, sizeof(ctx) };
	unsigned int i;
	int err = 0;

	if (!shared_context(sth, theirs, ctx))
		err = -EKEYREJECTED;	/* a point of small order: Z would be no secret */
	for (i = 0; !err && i < sth->pairs; i++)
		err = srnic_kdf(sth->pair[i].key, sizeof(sth->pair[i].key), &purpose,
				ephemeral->root[i][0], sizeof(ephemeral->root[i]));
	memzero_explicit(ctx, sizeof(ctx));
	if (err)
		return err;
	memcpy(ephemeral->theirs, theirs, sizeof(ephemeral->theirs));
	ephemeral->agreed = true;
	memzero_explicit(ephemeral->secret, sizeof(ephemeral->secret));
	for (i = 0; i < sth->pairs; i++)
		memzero_explicit(sth->pair[i].key, sizeof(sth->pair[i].key));
	return 0;
}

/**
 * srnic_ephemeral_agree() - Return the root of a flow's keys
 * @sth: the connection
 * @secret: key of the frame that confirms the flow
 * @owner_b: requester of the flow is B
 * @theirs: share of the peer, which srnic_ephemeral_fits(), from a frame whose tag is right
 *
 * The caller wipes the root with srnic_ephemeral_forget() after it has derived K_F from it.
 *
 * Return: the root, or an ERR_PTR: -EKEYREJECTED if the peer's share is no public key.
 */
const u8 *srnic_ephemeral_agree(struct srnic_sth *sth, enum srnic_secret_of_key secret,
				bool owner_b, const u8 *theirs)
{
	struct srnic_ephemeral *ephemeral = &sth->ephemeral;
	int err;

	if (!ephemeral->agreed) {
		err = derive_roots(sth, theirs);
		if (err)
			return ERR_PTR(err);
	}
	return ephemeral->root[secret][owner_b];
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ephemeral_agree);

/**
 * srnic_ephemeral_forget() - Wipe the roots of a flow's keys
 * @sth: the connection
 * @owner_b: requester of the flow is B
 */
void srnic_ephemeral_forget(struct srnic_sth *sth, bool owner_b)
{
	u8 (*root)[SRNIC_FLOWS][SRNIC_STH_KDF_KEY_LEN] = sth->ephemeral.root;
	unsigned int i;

	for (i = 0; i < SRNIC_SECRETS; i++)
		memzero_explicit(root[i][owner_b], sizeof(root[i][owner_b]));
}
