// SPDX-License-Identifier: GPL-2.0
/*
 * AES-CMAC (RFC 4493) on top of AES-CBC.
 *
 * Linux 6.12's cmac(aes) passes one block at a time through the cipher
 * interface, which claims the FPU for each: 208 instructions a block, of which
 * 40 encrypt. CMAC is the last block of a CBC encryption from a zero IV, with a
 * sub-key XORed into the last block of the message. So where SIMD may be used
 * and the kernel has a synchronous CBC for it, one request processes the whole
 * packet; the remaining ciphertext goes to a sink.
 */
#include <crypto/aes.h>
#include <crypto/skcipher.h>
#include <crypto/utils.h>
#include "sth/crypto.h"

#define BLOCK	AES_BLOCK_SIZE

/**
 * struct srnic_cmac - a CMAC key for use with CBC
 * @cbc: AES-CBC under the key
 * @req: the request for @cbc
 * @zero: scratch block: the sub-keys are derived from its encryption
 * @last: XORed into the last block of a message: K1 if the block is complete,
 *	K2 if it is padded
 */
struct srnic_cmac {
	struct crypto_skcipher *cbc;
	struct skcipher_request *req;
	u8 zero[BLOCK];
	u8 last[2][BLOCK];
};

/* Multiply by x in GF(2^128) (RFC 4493, section 2.3). */
static void gf128_double(u8 to[BLOCK], const u8 from[BLOCK])
{
	u64 high = get_unaligned_be64(from), low = get_unaligned_be64(from + 8);
	/* Do not branch on key material. */
	u64 reduce = -(high >> 63) & 0x87;

	put_unaligned_be64(high << 1 | low >> 63, to);
	put_unaligned_be64(low << 1 ^ reduce, to + 8);
}

static int cbc_encrypt(struct srnic_cmac *cmac, struct scatterlist *src, struct scatterlist *dst,
		       unsigned int len)
{
	u8 iv[BLOCK] = {};

	skcipher_request_set_crypt(cmac->req, src, dst, len, iv);
	return crypto_skcipher_encrypt(cmac->req);
}

static int cmac_derive_last(struct srnic_cmac *cmac)
{
	struct scatterlist sg;
	int err;

	memset(cmac->zero, 0, BLOCK);
	sg_init_one(&sg, cmac->zero, BLOCK);
	err = cbc_encrypt(cmac, &sg, &sg, BLOCK);
	gf128_double(cmac->last[0], cmac->zero);
	gf128_double(cmac->last[1], cmac->last[0]);
	memzero_explicit(cmac->zero, BLOCK);
	return err;
}

/**
 * srnic_cmac_free() - Wipe and free a CMAC key
 * @cmac: key, may be incomplete or NULL
 */
void srnic_cmac_free(struct srnic_cmac *cmac)
{
	if (!cmac)
		return;
	skcipher_request_free(cmac->req);
	crypto_free_skcipher(cmac->cbc);
	kfree_sensitive(cmac);
}

/**
 * srnic_cmac_set() - Set a CMAC key
 * @cmac: from srnic_cmac_alloc()
 * @raw: AES key
 * @len: bytes in @raw
 *
 * Context: any in which SIMD may be used.
 * Return: 0 or a negative errno.
 */
int srnic_cmac_set(struct srnic_cmac *cmac, const u8 *raw, unsigned int len)
{
	int err = crypto_skcipher_setkey(cmac->cbc, raw, len);

	return err ?: cmac_derive_last(cmac);
}

/**
 * srnic_cmac_wipe() - Overwrite a CMAC key
 * @cmac: from srnic_cmac_alloc(); unusable until srnic_cmac_set()
 * @len: length of its keys in bytes
 *
 * Context: any.
 * Return: 0 or a negative errno.
 */
int srnic_cmac_wipe(struct srnic_cmac *cmac, unsigned int len)
{
	static const u8 zero_key[AES_MAX_KEY_SIZE];

	memzero_explicit(cmac->last, sizeof(cmac->last));
	return crypto_skcipher_setkey(cmac->cbc, zero_key, len);
}

/**
 * srnic_cmac_alloc() - Allocate a CMAC without a key
 * @name: internal name of a synchronous AES-CBC
 *
 * Context: process.
 * Return: the CMAC or an ERR_PTR; -ENOENT if the kernel has no such CBC.
 */
struct srnic_cmac *srnic_cmac_alloc(const char *name)
{
	struct crypto_skcipher *tfm;
	struct srnic_cmac *cmac;

	tfm = crypto_alloc_skcipher(name, SRNIC_STH_FAST_TYPE, SRNIC_STH_FAST_MASK);
	if (IS_ERR(tfm))
		return ERR_CAST(tfm);
	cmac = kzalloc(sizeof(*cmac), GFP_KERNEL);
	if (!cmac) {
		crypto_free_skcipher(tfm);
		return ERR_PTR(-ENOMEM);
	}
	cmac->cbc = tfm;
	cmac->req = skcipher_request_alloc(tfm, GFP_KERNEL);
	if (!cmac->req) {
		srnic_cmac_free(cmac);
		return ERR_PTR(-ENOMEM);
	}
	skcipher_request_set_callback(cmac->req, 0, NULL, NULL);
	return cmac;
}

/**
 * srnic_cmac_driver() - Return the name of the crypto driver in use
 * @cmac: a key
 */
const char *srnic_cmac_driver(const struct srnic_cmac *cmac)
{
	return crypto_skcipher_driver_name(cmac->cbc);
}

/* Pad the last block (10…0) if it is incomplete, and XOR in K1 or K2. */
static void cmac_finish_block(const struct srnic_cmac *cmac, u8 *block, unsigned int used)
{
	bool padded = used < BLOCK;

	if (padded) {
		block[used] = 0x80;
		memset(block + used + 1, 0, BLOCK - used - 1);
	}
	crypto_xor(block, cmac->last[padded], BLOCK);
}

/* MAC a message that lies in s->input, encrypting in place; the tag is the last block. */
static int cmac_mac_linear(struct srnic_sth_scratch *s, struct srnic_cmac *cmac, u8 *tag)
{
	unsigned int len = s->input_len, whole = len ? round_down(len - 1, BLOCK) : 0;
	int err;

	cmac_finish_block(cmac, s->input + whole, len - whole);
	sg_init_one(s->src, s->input, whole + BLOCK);
	err = cbc_encrypt(cmac, s->src, s->src, whole + BLOCK);
	memcpy(tag, s->input + whole, BLOCK);
	return err;
}

/* MAC s->input and @payload. The last 1 to 16 bytes go through s->block. */
static int cmac_mac_list(struct srnic_sth_scratch *s, struct srnic_cmac *cmac, const u8 *payload,
			 unsigned int len, u8 *tag)
{
	unsigned int mid = round_down(len - 1, BLOCK), rest = s->input_len + mid, n;
	int err;

	memcpy(s->block, payload + mid, len - mid);
	cmac_finish_block(cmac, s->block, len - mid);
	sg_init_table(s->src, 3);
	sg_set_buf(&s->src[0], s->input, s->input_len);
	sg_set_buf(&s->src[1], payload, mid);
	sg_set_buf(&s->src[2], s->block, BLOCK);

	n = DIV_ROUND_UP(rest, SRNIC_STH_SINK) + 1;
	if (WARN_ON_ONCE(n > SRNIC_STH_SG))
		return -EINVAL;
	sg_init_table(s->dst, n);
	for (n = 0; rest; n++) {
		unsigned int part = min(rest, SRNIC_STH_SINK);

		sg_set_buf(&s->dst[n], s->sink, part);
		rest -= part;
	}
	sg_set_buf(&s->dst[n], s->block, BLOCK);
	err = cbc_encrypt(cmac, s->src, s->dst, s->input_len + mid + BLOCK);
	memcpy(tag, s->block, BLOCK);
	return err;
}

/**
 * srnic_cmac_mac() - Compute the tag of a packet
 * @s: scratch; @s->input is overwritten
 * @cmac: a key
 * @payload: continuation of the message
 * @len: bytes in @payload
 * @tag: result, 16 bytes
 *
 * Context: any in which SIMD may be used.
 * Return: 0 or a negative errno.
 */
int srnic_cmac_mac(struct srnic_sth_scratch *s, struct srnic_cmac *cmac, const u8 *payload,
		   unsigned int len, u8 *tag)
{
	unsigned int fill;

	if (s->input_len + len <= SRNIC_STH_LINEAR - BLOCK) {
		memcpy(s->input + s->input_len, payload, len);
		s->input_len += len;
		return cmac_mac_linear(s, cmac, tag);
	}
	/*
	 * Give each piece whole blocks: otherwise the skcipher walk would
	 * allocate a bounce buffer.
	 */
	fill = round_up(s->input_len, BLOCK) - s->input_len;
	memcpy(s->input + s->input_len, payload, fill);
	s->input_len += fill;
	return cmac_mac_list(s, cmac, payload + fill, len - fill, tag);
}
