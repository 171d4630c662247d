// SPDX-License-Identifier: GPL-2.0
/*
 * The PRF family of suites: CMAC and HMAC, with the tag alone in the STH
 * (protocol.md, section 3).
 */
#include <crypto/utils.h>
#include "sth/crypto.h"

static int prf_set(struct srnic_cipher *cipher, const struct srnic_sth_suite *suite,
		   const u8 *raw)
{
	int err = crypto_shash_setkey(cipher->mac, raw, suite->key_len);

	return err || !cipher->cmac ? err : srnic_cmac_set(cipher->cmac, raw, suite->key_len);
}

static int prf_set_no_simd(struct srnic_cipher *cipher, const struct srnic_sth_suite *suite,
			   const u8 *raw)
{
	int err = crypto_shash_setkey(cipher->mac, raw, suite->key_len);

	return err || !cipher->cmac ? err : srnic_cmac_wipe(cipher->cmac, suite->key_len);
}

static int prf_init(struct srnic_cipher *cipher, const struct srnic_sth_suite *suite,
		    const u8 *raw)
{
	struct crypto_shash *mac = crypto_alloc_shash(suite->alg, 0, 0);
	struct srnic_cmac *cmac;

	if (IS_ERR(mac))
		return PTR_ERR(mac);
	cipher->mac = mac;
	if (WARN_ON_ONCE(crypto_shash_digestsize(mac) < suite->tag_len ||
			 crypto_shash_digestsize(mac) > SRNIC_STH_TAG_LEN_MAX))
		return -EINVAL;
	cipher->desc = kzalloc(sizeof(*cipher->desc) + crypto_shash_descsize(mac), GFP_KERNEL);
	if (!cipher->desc)
		return -ENOMEM;
	cipher->desc->tfm = mac;

	cmac = suite->fast ? srnic_cmac_alloc(suite->fast) : ERR_PTR(-ENOENT);
	if (!IS_ERR(cmac))
		cipher->cmac = cmac;
	else if (PTR_ERR(cmac) != -ENOENT)
		return PTR_ERR(cmac);
	return prf_set(cipher, suite, raw);
}

static void prf_free(struct srnic_cipher *cipher)
{
	srnic_cmac_free(cipher->cmac);
	kfree_sensitive(cipher->desc);
	crypto_free_shash(cipher->mac);
}

static const char *prf_driver(const struct srnic_cipher *cipher)
{
	return cipher->cmac ? srnic_cmac_driver(cipher->cmac) :
			      crypto_shash_driver_name(cipher->mac);
}

static int mac_pieces(struct srnic_sth_scratch *s, struct srnic_cipher *cipher,
		      struct scatterlist *payload, unsigned int len, u8 *tag)
{
	int err;

	err = crypto_shash_init(cipher->desc);
	if (!err)
		err = crypto_shash_update(cipher->desc, s->input, s->input_len);
	for (; !err && len && payload; payload = sg_next(payload)) {
		unsigned int n = min(len, payload->length);

		err = crypto_shash_update(cipher->desc, sg_virt(payload), n);
		len -= n;
	}
	if (!err && WARN_ON_ONCE(len))
		err = -EINVAL;
	return err ?: crypto_shash_final(cipher->desc, tag);
}

/* MAC s->input and, in packet mode, payload and pad. */
static int prf_mac(struct srnic_sth_scratch *s, struct srnic_cipher *cipher,
		   const struct srnic_sth_payload *payload, u8 *tag)
{
	unsigned int len = s->mode == SRNIC_STH_HEADER ? 0 : payload->len;

	if (cipher->cmac && (!len || len <= payload->src->length) && srnic_sth_simd(s))
		return srnic_cmac_mac(s, cipher->cmac, len ? sg_virt(payload->src) : NULL, len,
				      tag);
	return mac_pieces(s, cipher, payload->src, len, tag);
}

static int prf_seal(struct srnic_sth_scratch *s, struct srnic_cipher *cipher,
		    const struct srnic_sth_payload *payload)
{
	return prf_mac(s, cipher, payload, s->tag);
}

static int prf_open(struct srnic_sth_scratch *s, struct srnic_cipher *cipher,
		    const struct srnic_sth_payload *payload)
{
	u8 tag[SRNIC_STH_TAG_LEN_MAX];
	int err;

	err = prf_mac(s, cipher, payload, tag);
	if (!err && crypto_memneq(tag, s->tag, s->tag_len))
		err = -EBADMSG;
	/* Wipe the correct tag: it would authenticate a forged packet. */
	memzero_explicit(tag, sizeof(tag));
	return err;
}

const struct srnic_sth_family srnic_sth_prf = {
	.init		= prf_init,
	.set		= prf_set,
	.set_no_simd	= prf_set_no_simd,
	.free		= prf_free,
	.driver		= prf_driver,
	.apply = {
		[SRNIC_TO_SEAL]	= prf_seal,
		[SRNIC_TO_OPEN]	= prf_open,
	},
};
