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

/* Lists of struct srnic_sth_scratch that lists_init() sets up beside src[3] and dst[3] */
#define BARE(s)		(&(s)->src[SRNIC_STH_SG - 2])	/* MAC input and tag */
#define BRIEF(s)	(&(s)->dst[SRNIC_STH_SG - 1])	/* both, and a brief text between them */

#define BRIEF_MAX	16U	/* bytes of text, see is_brief() */
#define BRIEF_TAG	16U	/* at least the tag of each suite that encrypts */

static_assert(SRNIC_STH_SG >= 3 + 2);
static_assert(SRNIC_STH_INPUT_MAX + BRIEF_MAX + BRIEF_TAG <= SRNIC_STH_LINEAR);
static_assert(BRIEF_TAG <= SRNIC_STH_TAG_LEN_MAX);

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

/*
 * Lists of one piece of text, or of none, which nearly all packets have, are set up once. The
 * lengths of their members and the text are set for each packet.
 */
static void lists_init(struct srnic_sth_scratch *s)
{
	struct scatterlist *const list[] = { s->src, s->dst };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(list); i++) {
		sg_init_table(list[i], 3);
		sg_set_buf(&list[i][0], s->input, sizeof(s->input));
		sg_set_buf(&list[i][2], s->tag, sizeof(s->tag));
	}
	sg_init_table(BARE(s), 2);
	sg_set_buf(&BARE(s)[0], s->input, sizeof(s->input));
	sg_set_buf(&BARE(s)[1], s->tag, sizeof(s->tag));
	sg_init_one(BRIEF(s), s->input, sizeof(s->input));
	s->listed = true;
}

static struct scatterlist *list_bare(struct srnic_sth_scratch *s)
{
	struct scatterlist *list = BARE(s);

	list[0].length = s->input_len;
	list[1].length = s->tag_len;
	return list;
}

static struct scatterlist *list_one(struct srnic_sth_scratch *s, struct scatterlist *list,
				    struct scatterlist *text, unsigned int len)
{
	list[0].length = s->input_len;
	sg_set_page(&list[1], sg_page(text), len, text->offset);
	list[2].length = s->tag_len;
	return list;
}

/* Chain MAC input, any number of pieces of text, and tag. NULL: they do not fit. */
static struct scatterlist *list_many(struct srnic_sth_scratch *s, struct scatterlist *list,
				     struct scatterlist *text, unsigned int len)
{
	unsigned int n = 0;

	s->listed = false;
	sg_init_table(list, SRNIC_STH_SG);
	if (s->input_len)	/* empty in KUnit only */
		sg_set_buf(&list[n++], s->input, s->input_len);
	for (; len && text; text = sg_next(text)) {
		unsigned int part = min(len, text->length);

		if (WARN_ON_ONCE(n == SRNIC_STH_SG - 1))
			return NULL;
		sg_set_page(&list[n++], sg_page(text), part, text->offset);
		len -= part;
	}
	if (WARN_ON_ONCE(len))
		return NULL;
	sg_set_buf(&list[n++], s->tag, s->tag_len);
	sg_mark_end(&list[n - 1]);
	return list;
}

/* Tell whether the lists that are set up once serve, and set them up. */
static bool is_listed(struct srnic_sth_scratch *s, const struct srnic_sth_payload *payload,
		      unsigned int len)
{
	if (unlikely(!s->input_len))
		return false;
	if (unlikely(len && (len > payload->src->length || len > payload->dst->length)))
		return false;
	if (unlikely(!s->listed))
		lists_init(s);
	return true;
}

static bool same_memory(struct scatterlist *a, struct scatterlist *b, unsigned int len)
{
	return a == b || (len <= a->length && len <= b->length && sg_virt(a) == sg_virt(b));
}

/*
 * Header mode ignores the payload. Packet mode passes it as associated data,
 * the others as plaintext: in all of them it lies between the MAC input and the
 * tag.
 */
static int aead_prepare(struct srnic_sth_scratch *s, struct srnic_cipher *cipher,
			const struct srnic_sth_payload *payload, unsigned int in_tag)
{
	unsigned int len = s->mode == SRNIC_STH_HEADER ? 0 : payload->len;
	bool encrypts = srnic_sth_encrypts(s->mode);
	bool apart = encrypts && len && !same_memory(payload->src, payload->dst, len);
	struct scatterlist *from, *to;

	if (unlikely(!is_listed(s, payload, len))) {
		from = list_many(s, s->src, payload->src, len);
		to = apart ? list_many(s, s->dst, payload->dst, len) : from;
		if (!from || !to)
			return -EINVAL;
	} else {
		from = len ? list_one(s, s->src, payload->src, len) : list_bare(s);
		to = apart ? list_one(s, s->dst, payload->dst, len) : from;
	}
	aead_request_set_tfm(cipher->req, aead_tfm(s, cipher));
	aead_request_set_ad(cipher->req, s->input_len + (encrypts ? 0 : len));
	aead_request_set_crypt(cipher->req, from, to, (encrypts ? len : 0) + in_tag, s->iv);
	return 0;
}

/*
 * Tell whether to copy a text behind the MAC input: extension headers alone, as acknowledgments
 * have them in opaque mode. The crypto API walks one piece of memory with fewer instructions, by
 * more than the copy takes. Longer texts are not worth it.
 */
static bool is_brief(const struct srnic_sth_scratch *s, const struct srnic_sth_payload *payload)
{
	unsigned int len = payload->len;

	return len && len <= BRIEF_MAX && !(len % sizeof(u32)) && srnic_sth_encrypts(s->mode) &&
	       len <= payload->src->length && len <= payload->dst->length;
}

static void brief_copy(u8 *to, const u8 *from, unsigned int len)
{
	for (; len; len -= sizeof(u32), to += sizeof(u32), from += sizeof(u32))
		put_unaligned(get_unaligned((const u32 *)from), (u32 *)to);
}

/* Prepare for a brief text, which lies behind the MAC input; @in_tag as for aead_prepare(). */
static void brief_prepare(struct srnic_sth_scratch *s, struct srnic_cipher *cipher,
			  unsigned int len, unsigned int in_tag)
{
	if (unlikely(!s->listed))
		lists_init(s);
	BRIEF(s)->length = s->input_len + len + s->tag_len;
	aead_request_set_tfm(cipher->req, aead_tfm(s, cipher));
	aead_request_set_ad(cipher->req, s->input_len);
	aead_request_set_crypt(cipher->req, BRIEF(s), BRIEF(s), len + in_tag, s->iv);
}

static int brief_seal(struct srnic_sth_scratch *s, struct srnic_cipher *cipher,
		      const struct srnic_sth_payload *payload)
{
	u8 *text = s->input + s->input_len, *to = sg_virt(payload->dst);
	int err;

	brief_copy(text, to, payload->len);
	brief_prepare(s, cipher, payload->len, 0);
	err = crypto_aead_encrypt(cipher->req);
	brief_copy(to, text, payload->len);
	memcpy(s->tag, text + payload->len, BRIEF_TAG);
	return err;
}

static int brief_open(struct srnic_sth_scratch *s, struct srnic_cipher *cipher,
		      const struct srnic_sth_payload *payload)
{
	u8 *text = s->input + s->input_len;
	int err;

	brief_copy(text, sg_virt(payload->src), payload->len);
	memcpy(text + payload->len, s->tag, BRIEF_TAG);
	brief_prepare(s, cipher, payload->len, s->tag_len);
	err = crypto_aead_decrypt(cipher->req);
	if (!err)
		brief_copy(sg_virt(payload->dst), text, payload->len);
	return err;
}

static int aead_seal(struct srnic_sth_scratch *s, struct srnic_cipher *cipher,
		     const struct srnic_sth_payload *payload)
{
	int err;

	srnic_nonce_oracle(cipher, s, payload);
	if (is_brief(s, payload))
		return brief_seal(s, cipher, payload);
	err = aead_prepare(s, cipher, payload, 0);
	return err ?: crypto_aead_encrypt(cipher->req);
}

static int aead_open(struct srnic_sth_scratch *s, struct srnic_cipher *cipher,
		     const struct srnic_sth_payload *payload)
{
	int err;

	if (is_brief(s, payload))
		return brief_open(s, cipher, payload);
	err = aead_prepare(s, cipher, payload, s->tag_len);
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
