// SPDX-License-Identifier: GPL-2.0
/*
 * The nonce family of suites: GMAC, GCM and ChaCha20-Poly1305, with an emission
 * counter and a tag in the STH (protocol.md, section 3).
 *
 * Linux 6.12 registers its SIMD GCM for x86 and arm64 under an internal name,
 * behind a wrapper that turns asynchronous where SIMD may not be used. A
 * request for a synchronous gcm(aes) yields a generic implementation, many
 * times slower. So each sub-key has two transforms: the internal one for
 * contexts that may use SIMD, which are nearly all, and the synchronous one for
 * a softirq that has interrupted another user of the FPU.
 *
 * Where the internal name does not exist (other architectures, and kernels from
 * 6.15 on, which have no wrapper), the synchronous transform is the fastest
 * available. ChaCha20 and Poly1305 need no internal one: their SIMD drivers are
 * synchronous and fall back by themselves.
 */
#include "sth/crypto.h"

static struct crypto_aead *aead_alloc(const char *name, u32 type, u32 mask,
				      const struct srnic_sth_suite *suite)
{
	struct crypto_aead *tfm = crypto_alloc_aead(name, type, mask);
	int err;

	if (IS_ERR(tfm))
		return tfm;
	err = WARN_ON_ONCE(crypto_aead_ivsize(tfm) != SRNIC_STH_IV_LEN) ? -EINVAL : 0;
	if (!err)
		err = crypto_aead_setauthsize(tfm, suite->tag_len);
	if (err) {
		crypto_free_aead(tfm);
		return ERR_PTR(err);
	}
	return tfm;
}

static int aead_set(struct srnic_cipher *cipher, const struct srnic_sth_suite *suite,
		    const u8 *raw)
{
	int err = crypto_aead_setkey(cipher->sync, raw, suite->key_len);

	if (err || !cipher->fast)
		return err;
	return crypto_aead_setkey(cipher->fast, raw, suite->key_len);
}

static int aead_init(struct srnic_cipher *cipher, const struct srnic_sth_suite *suite,
		     const u8 *raw)
{
	unsigned int reqsize;
	struct crypto_aead *tfm;

	tfm = aead_alloc(suite->alg, 0, CRYPTO_ALG_ASYNC, suite);
	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	cipher->sync = tfm;
	reqsize = crypto_aead_reqsize(tfm);

	if (suite->fast) {
		tfm = aead_alloc(suite->fast, SRNIC_STH_FAST_TYPE, SRNIC_STH_FAST_MASK,
				 suite);
		if (!IS_ERR(tfm)) {
			cipher->fast = tfm;
			reqsize = max(reqsize, crypto_aead_reqsize(tfm));
		} else if (PTR_ERR(tfm) != -ENOENT) {
			return PTR_ERR(tfm);
		}
	}

	cipher->req = kzalloc(sizeof(*cipher->req) + reqsize, GFP_KERNEL);
	if (!cipher->req)
		return -ENOMEM;
	aead_request_set_callback(cipher->req, 0, NULL, NULL);
	return aead_set(cipher, suite, raw);
}

static void aead_free(struct srnic_cipher *cipher)
{
	kfree_sensitive(cipher->req);
	crypto_free_aead(cipher->fast);
	crypto_free_aead(cipher->sync);
}

static const char *aead_driver(const struct srnic_cipher *cipher)
{
	return crypto_aead_driver_name(cipher->fast ?: cipher->sync);
}

static struct crypto_aead *aead_tfm(const struct srnic_sth_scratch *s,
				    const struct srnic_cipher *cipher)
{
	return cipher->fast && srnic_sth_simd(s) ? cipher->fast : cipher->sync;
}

/* Chain MAC input, payload with pad, and tag into one list. */
static int aead_list(struct srnic_sth_scratch *s, struct scatterlist *list,
		     struct scatterlist *payload, unsigned int len)
{
	bool one = !len || len <= payload->length;
	unsigned int n = 0;

	/*
	 * Payload is nearly always one piece or absent. Clearing a list costs
	 * as much as filling it.
	 */
	sg_init_table(list, one ? 3 : SRNIC_STH_SG);
	if (s->input_len)	/* empty in KUnit only */
		sg_set_buf(&list[n++], s->input, s->input_len);
	for (; len && payload; payload = sg_next(payload)) {
		unsigned int part = min(len, payload->length);

		if (WARN_ON_ONCE(n == SRNIC_STH_SG - 1))
			return -EINVAL;
		sg_set_page(&list[n++], sg_page(payload), part, payload->offset);
		len -= part;
	}
	if (WARN_ON_ONCE(len))
		return -EINVAL;
	sg_set_buf(&list[n++], s->tag, s->tag_len);
	sg_mark_end(&list[n - 1]);
	return 0;
}

static bool same_memory(struct scatterlist *a, struct scatterlist *b, unsigned int len)
{
	return a == b || (len <= a->length && len <= b->length && sg_virt(a) == sg_virt(b));
}

/*
 * Header mode ignores the payload. Packet mode passes it as associated data,
 * aead mode as text: in both it lies between the MAC input and the tag.
 */
static int aead_prepare(struct srnic_sth_scratch *s, struct srnic_cipher *cipher,
			const struct srnic_text *text, unsigned int in_tag)
{
	unsigned int len = s->mode == SRNIC_STH_HEADER ? 0 : text->len;
	bool encrypts = s->mode == SRNIC_STH_AEAD;
	struct scatterlist *to = s->src;
	int err;

	err = aead_list(s, s->src, text->src, len);
	if (err)
		return err;
	if (encrypts && len && !same_memory(text->src, text->dst, len)) {
		to = s->dst;
		err = aead_list(s, to, text->dst, len);
		if (err)
			return err;
	}
	aead_request_set_tfm(cipher->req, aead_tfm(s, cipher));
	aead_request_set_ad(cipher->req, s->input_len + (encrypts ? 0 : len));
	aead_request_set_crypt(cipher->req, s->src, to, (encrypts ? len : 0) + in_tag, s->iv);
	return 0;
}

static int aead_seal(struct srnic_sth_scratch *s, struct srnic_cipher *cipher,
		     const struct srnic_text *text)
{
	int err;

	srnic_nonce_oracle(cipher, s, text);
	err = aead_prepare(s, cipher, text, 0);
	return err ?: crypto_aead_encrypt(cipher->req);
}

static int aead_open(struct srnic_sth_scratch *s, struct srnic_cipher *cipher,
		     const struct srnic_text *text)
{
	int err;

	err = aead_prepare(s, cipher, text, s->tag_len);
	/* The crypto API compares the tag in constant time. */
	return err ?: crypto_aead_decrypt(cipher->req);
}

const struct srnic_sth_family srnic_sth_nonce = {
	.has_counter	= true,
	.init		= aead_init,
	.set		= aead_set,
	/* The SIMD drivers accept a key without SIMD. */
	.set_no_simd	= aead_set,
	.free		= aead_free,
	.driver		= aead_driver,
	.apply = {
		[SRNIC_TO_SEAL]	= aead_seal,
		[SRNIC_TO_OPEN]	= aead_open,
	},
};
