// SPDX-License-Identifier: GPL-2.0
/*
 * The PRF family: CMAC and HMAC, tag alone in the STH (protocol.md, section 3).
 */
#include <crypto/utils.h>
#include "sth/crypto.h"

static int prf_key_init(struct srnic_subkey *key, const struct srnic_sth_suite *suite,
			const u8 *raw)
{
	struct crypto_shash *mac = crypto_alloc_shash(suite->alg, 0, 0);
	struct srnic_cmac *cmac;
	int err;

	if (IS_ERR(mac))
		return PTR_ERR(mac);
	key->mac = mac;
	if (WARN_ON_ONCE(crypto_shash_digestsize(mac) < suite->tag_len ||
			 crypto_shash_digestsize(mac) > SRNIC_STH_TAG_LEN_MAX))
		return -EINVAL;
	err = crypto_shash_setkey(mac, raw, suite->key_len);
	if (err)
		return err;
	key->desc = kzalloc(sizeof(*key->desc) + crypto_shash_descsize(mac), GFP_KERNEL);
	if (!key->desc)
		return -ENOMEM;
	key->desc->tfm = mac;

	if (!suite->fast)
		return 0;
	cmac = srnic_cmac_alloc(suite->fast, raw, suite->key_len);
	if (!IS_ERR(cmac))
		key->cmac = cmac;
	else if (PTR_ERR(cmac) != -ENOENT)
		return PTR_ERR(cmac);
	return 0;
}

static void prf_key_free(struct srnic_subkey *key)
{
	srnic_cmac_free(key->cmac);
	kfree_sensitive(key->desc);
	crypto_free_shash(key->mac);
}

static const char *prf_driver(const struct srnic_subkey *key)
{
	return key->cmac ? srnic_cmac_driver(key->cmac) : crypto_shash_driver_name(key->mac);
}

static int mac_pieces(struct srnic_sth_scratch *s, struct srnic_subkey *key,
		      unsigned int input_len, struct scatterlist *payload, unsigned int len,
		      u8 *tag)
{
	int err;

	err = crypto_shash_init(key->desc);
	if (!err)
		err = crypto_shash_update(key->desc, s->input, input_len);
	for (; !err && len && payload; payload = sg_next(payload)) {
		unsigned int n = min(len, payload->length);

		err = crypto_shash_update(key->desc, sg_virt(payload), n);
		len -= n;
	}
	if (!err && WARN_ON_ONCE(len))
		err = -EINVAL;
	return err ?: crypto_shash_final(key->desc, tag);
}

/* the tag over s->input and, in packet mode, payload and pad */
static int prf_mac(struct srnic_sth_scratch *s, struct srnic_subkey *key,
		   unsigned int input_len, struct scatterlist *payload, unsigned int len, u8 *tag)
{
	if (s->mode == SRNIC_STH_HEADER)
		len = 0;
	if (key->cmac && (!len || len <= payload->length) && srnic_sth_simd(s))
		return srnic_cmac_mac(s, key->cmac, input_len, len ? sg_virt(payload) : NULL,
				      len, tag);
	return mac_pieces(s, key, input_len, payload, len, tag);
}

static int prf_seal(struct srnic_sth_scratch *s, struct srnic_subkey *key, unsigned int input_len,
		    struct scatterlist *payload, unsigned int len)
{
	return prf_mac(s, key, input_len, payload, len, s->tag);
}

static int prf_open(struct srnic_sth_scratch *s, struct srnic_subkey *key, unsigned int input_len,
		    struct scatterlist *src, struct scatterlist *dst, unsigned int len)
{
	u8 tag[SRNIC_STH_TAG_LEN_MAX];
	int err;

	err = prf_mac(s, key, input_len, src, len, tag);
	if (!err && crypto_memneq(tag, s->tag, s->tag_len))
		err = -EBADMSG;
	/* the right tag of a forged packet must not be left lying about */
	memzero_explicit(tag, sizeof(tag));
	return err;
}

const struct srnic_sth_family srnic_sth_prf = {
	.key_init	= prf_key_init,
	.key_free	= prf_key_free,
	.driver		= prf_driver,
	.seal		= prf_seal,
	.open		= prf_open,
};
