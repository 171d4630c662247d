// SPDX-License-Identifier: GPL-2.0
/*
 * Key derivation (Documentation/protocol.md, section 6): SP 800-108r1, section
 * 4.1, counter mode with HMAC-SHA-256. Process context, except
 * srnic_kdf_fixed() and srnic_kdf_keyed().
 */
#include "export.h"
#include "sth/crypto.h"

#define PRF_LEN		32	/* SHA-256 */

/**
 * srnic_hmac_alloc() - Allocate HMAC-SHA-256 under a key
 * @key: key of any length
 * @key_len: bytes in @key
 *
 * Return: a transform, to be freed with crypto_free_shash(), or an ERR_PTR.
 */
struct crypto_shash *srnic_hmac_alloc(const u8 *key, unsigned int key_len)
{
	struct crypto_shash *tfm = crypto_alloc_shash(SRNIC_STH_KDF_ALG, 0, 0);
	int err;

	if (IS_ERR(tfm))
		return tfm;
	err = crypto_shash_setkey(tfm, key, key_len);
	if (err) {
		crypto_free_shash(tfm);
		return ERR_PTR(err);
	}
	return tfm;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_hmac_alloc);

static int kdf_block(struct shash_desc *desc, u32 i, const u8 *fixed, unsigned int fixed_len,
		     u8 t[PRF_LEN])
{
	__be32 counter = cpu_to_be32(i);
	int err;

	err = crypto_shash_init(desc);
	if (!err)
		err = crypto_shash_update(desc, (const u8 *)&counter, sizeof(counter));
	return err ?: crypto_shash_finup(desc, fixed, fixed_len, t);
}

/**
 * srnic_kdf_fixed() - Run SP 800-108 counter mode over a fixed input
 * @tfm: from srnic_hmac_alloc(), with the key to derive from; not used
 *	concurrently
 * @fixed: input that follows the block counter
 * @fixed_len: bytes in @fixed
 * @out: result; zeroed on failure
 * @out_len: bytes in @out
 *
 * Context: any up to softirq.
 * Return: 0 or a negative errno.
 */
int srnic_kdf_fixed(struct crypto_shash *tfm, const u8 *fixed, unsigned int fixed_len,
		    u8 *out, unsigned int out_len)
{
	unsigned int done = 0;
	u8 t[PRF_LEN];
	u32 i;
	int err = 0;

	for (i = 1; done < out_len; i++) {
		SHASH_DESC_ON_STACK(desc, tfm);
		unsigned int n = min_t(unsigned int, out_len - done, PRF_LEN);

		desc->tfm = tfm;
		err = kdf_block(desc, i, fixed, fixed_len, t);
		shash_desc_zero(desc);
		if (err)
			break;
		memcpy(out + done, t, n);
		done += n;
	}
	memzero_explicit(t, sizeof(t));
	if (err)
		memzero_explicit(out, out_len);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_kdf_fixed);

/**
 * srnic_kdf_keyed() - Derive a key from the key of a transform
 * @tfm: from srnic_hmac_alloc(); not used concurrently
 * @purpose: label and context of the derived key
 * @out: result; zeroed on failure
 * @out_len: bytes in @out
 *
 * Context: any up to softirq.
 * Return: 0 or a negative errno.
 */
int srnic_kdf_keyed(struct crypto_shash *tfm, const struct srnic_kdf_purpose *purpose,
		    u8 *out, unsigned int out_len)
{
	u8 fixed[SRNIC_KDF_FIXED_MAX];
	int err;

	err = srnic_kdf_fixed(tfm, fixed, srnic_kdf_fixed_input(fixed, purpose, out_len),
			      out, out_len);
	/* the context may be a secret: that of a handshake, or an application's key */
	memzero_explicit(fixed, sizeof(fixed));
	return err;
}

/**
 * srnic_kdf() - Derive a key
 * @key: key to derive from
 * @key_len: bytes in @key
 * @purpose: label and context of the derived key
 * @out: result; zeroed on failure
 * @out_len: bytes in @out
 *
 * Return: 0 or a negative errno.
 */
int srnic_kdf(const u8 *key, unsigned int key_len, const struct srnic_kdf_purpose *purpose,
	      u8 *out, unsigned int out_len)
{
	struct crypto_shash *tfm = srnic_hmac_alloc(key, key_len);
	int err;

	if (IS_ERR(tfm)) {
		memzero_explicit(out, out_len);
		return PTR_ERR(tfm);
	}
	err = srnic_kdf_keyed(tfm, purpose, out, out_len);
	crypto_free_shash(tfm);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_kdf);

/**
 * srnic_kdf_pair() - Derive K_AB of two ends from a shared K_PD
 * @kpd: K_PD
 * @kpd_len: bytes in @kpd
 * @ab: A and B, SRNIC_CTX_PAIR_LEN bytes
 * @pair: result
 *
 * Derives the connection branch first, so that K_AB cannot equal a memory key.
 *
 * Return: 0 or a negative errno.
 */
int srnic_kdf_pair(const u8 *kpd, unsigned int kpd_len, const u8 *ab,
		   u8 pair[SRNIC_STH_KDF_KEY_LEN])
{
	const struct srnic_kdf_purpose connection = { .label = SRNIC_LABEL_CONNECTION };
	const struct srnic_kdf_purpose of_two = { SRNIC_LABEL_PAIR, ab, SRNIC_CTX_PAIR_LEN };
	u8 branch[SRNIC_STH_KDF_KEY_LEN];
	int err;

	err = srnic_kdf(kpd, kpd_len, &connection, branch, sizeof(branch));
	if (!err)
		err = srnic_kdf(branch, sizeof(branch), &of_two, pair, SRNIC_STH_KDF_KEY_LEN);
	memzero_explicit(branch, sizeof(branch));
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_kdf_pair);

/**
 * srnic_kdf_pair_paper() - Derive K_AB as in the paper (sRDMA 4.5)
 * @kpd: K_PD
 * @ab: A and B, SRNIC_CTX_PAIR_LEN bytes
 * @pair: result
 *
 * Uses PRF = AES-CMAC-128. For test vectors only; not used on the wire.
 *
 * Return: 0 or a negative errno.
 */
int srnic_kdf_pair_paper(const u8 kpd[16], const u8 *ab, u8 pair[16])
{
	struct crypto_shash *tfm = crypto_alloc_shash("cmac(aes)", 0, 0);
	int err;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	err = crypto_shash_setkey(tfm, kpd, 16);
	if (!err)
		err = crypto_shash_tfm_digest(tfm, ab, SRNIC_CTX_PAIR_LEN, pair);
	crypto_free_shash(tfm);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_kdf_pair_paper);
