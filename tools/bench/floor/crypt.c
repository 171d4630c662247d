// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's AEAD and MAC over the bytes of a packet.
 */
#include <crypto/aead.h>
#include <crypto/hash.h>
#include <linux/scatterlist.h>

#include "floor.h"

static int crypt(struct floor_bench *b, struct aead_request *req, u32 len, bool encrypt)
{
	static u8 iv[12];
	DECLARE_CRYPTO_WAIT(wait);
	struct scatterlist sg;

	sg_init_one(&sg, b->wire, FLOOR_ASSOC + len + FLOOR_TAG);
	aead_request_set_callback(req, CRYPTO_TFM_REQ_MAY_SLEEP, crypto_req_done, &wait);
	aead_request_set_ad(req, FLOOR_ASSOC);
	aead_request_set_crypt(req, &sg, &sg, encrypt ? len : len + FLOOR_TAG, iv);
	return crypto_wait_req(encrypt ? crypto_aead_encrypt(req) :
			       crypto_aead_decrypt(req), &wait);
}

int floor_encrypt(struct floor_bench *b, u32 len)
{
	return crypt(b, b->req, len, true);
}

int floor_decrypt(struct floor_bench *b, u32 len)
{
	return crypt(b, b->req, len, false);
}

/* Time the pair: each decryption needs an encryption before it */
int floor_aead_pair(struct floor_bench *b, u32 len)
{
	return floor_encrypt(b, len) ?: floor_decrypt(b, len);
}

/* The AEAD that is fast on CPUs without AES instructions */
int floor_chacha_pair(struct floor_bench *b, u32 len)
{
	return crypt(b, b->chacha_req, len, true) ?: crypt(b, b->chacha_req, len, false);
}

int floor_cmac(struct floor_bench *b, u32 len)
{
	return crypto_shash_tfm_digest(b->cmac, b->user, len, b->place);
}

/*
 * Derive a sub-key from the flow's key (protocol.md, section 6) and set it in a
 * cipher
 */
int floor_derive(struct floor_bench *b, u32 len)
{
	static const u8 flow[32] = "this is not a secret key, either";

	return crypto_shash_setkey(b->kdf, flow, sizeof(flow)) ?:
	       crypto_shash_tfm_digest(b->kdf, b->user, len, b->place) ?:
	       crypto_shash_setkey(b->cmac, b->place, 16);
}

static int open_chacha(struct floor_bench *b)
{
	static const u8 key[32] = "this is no secret key, as well";

	b->chacha = crypto_alloc_aead("rfc7539(chacha20,poly1305)", 0, 0);
	if (IS_ERR(b->chacha))
		return PTR_ERR(b->chacha);
	b->chacha_req = aead_request_alloc(b->chacha, GFP_KERNEL);
	if (!b->chacha_req)
		return -ENOMEM;
	return crypto_aead_setkey(b->chacha, key, sizeof(key)) ?:
	       crypto_aead_setauthsize(b->chacha, FLOOR_TAG);
}

int floor_crypt_open(struct floor_bench *b)
{
	static const u8 key[16] = "not a secret key";

	b->aead = crypto_alloc_aead("gcm(aes)", 0, 0);
	if (IS_ERR(b->aead))
		return PTR_ERR(b->aead);
	b->cmac = crypto_alloc_shash("cmac(aes)", 0, 0);
	if (IS_ERR(b->cmac))
		return PTR_ERR(b->cmac);
	b->kdf = crypto_alloc_shash("hmac(sha256)", 0, 0);
	if (IS_ERR(b->kdf))
		return PTR_ERR(b->kdf);
	b->req = aead_request_alloc(b->aead, GFP_KERNEL);
	if (!b->req)
		return -ENOMEM;
	return crypto_aead_setkey(b->aead, key, sizeof(key)) ?:
	       crypto_aead_setauthsize(b->aead, FLOOR_TAG) ?:
	       crypto_shash_setkey(b->cmac, key, sizeof(key)) ?:
	       open_chacha(b);
}

void floor_crypt_close(struct floor_bench *b)
{
	aead_request_free(b->req);
	aead_request_free(b->chacha_req);
	if (!IS_ERR_OR_NULL(b->chacha))
		crypto_free_aead(b->chacha);
	if (!IS_ERR_OR_NULL(b->aead))
		crypto_free_aead(b->aead);
	if (!IS_ERR_OR_NULL(b->cmac))
		crypto_free_shash(b->cmac);
	if (!IS_ERR_OR_NULL(b->kdf))
		crypto_free_shash(b->kdf);
}
