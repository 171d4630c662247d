// SPDX-License-Identifier: GPL-2.0
/*
 * srnic_floor - what the kernel's own primitives cost here: the floor under the
 * bench's figures.
 *
 * Loading it runs each primitive for a fixed time over the same bytes as a packet has
 * and leaves nanoseconds an operation in debugfs (srnic_floor/results, JSON).
 */
#include <crypto/aead.h>
#include <crypto/hash.h>
#include <linux/crc32.h>
#include <linux/debugfs.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#define FLOOR_NS	(200 * NSEC_PER_MSEC)	/* how long each one runs */
#define ASSOC		64			/* what a sealed packet authenticates beside its payload */
#define TAG		16
#define BIG		4096
#define SMALL		64

struct floor_bench {
	struct crypto_aead *aead;
	struct crypto_shash *cmac;
	struct crypto_shash *crc;
	struct aead_request *req;
	u8 *src;
	u8 *dst;
	u8 iv[12];
	u32 sink;
};

struct floor_row {
	const char *name;
	u32 len;
	int (*run)(struct floor_bench *b, u32 len);
	u64 ns;
};

static struct dentry *floor_dir;

static int floor_crypt(struct floor_bench *b, u32 len, bool encrypt)
{
	DECLARE_CRYPTO_WAIT(wait);
	struct scatterlist sg;

	sg_init_one(&sg, b->src, ASSOC + len + TAG);
	aead_request_set_callback(b->req, CRYPTO_TFM_REQ_MAY_SLEEP, crypto_req_done, &wait);
	aead_request_set_ad(b->req, ASSOC);
	aead_request_set_crypt(b->req, &sg, &sg, encrypt ? len : len + TAG, b->iv);
	return crypto_wait_req(encrypt ? crypto_aead_encrypt(b->req) :
			       crypto_aead_decrypt(b->req), &wait);
}

/* seal and open: a decryption needs the encryption before it, so the pair is timed */
static int floor_aead_pair(struct floor_bench *b, u32 len)
{
	int err = floor_crypt(b, len, true);

	return err ?: floor_crypt(b, len, false);
}

static int floor_cmac(struct floor_bench *b, u32 len)
{
	return crypto_shash_tfm_digest(b->cmac, b->src, len, b->dst);
}

static int floor_crc(struct floor_bench *b, u32 len)
{
	return crypto_shash_tfm_digest(b->crc, b->src, len, (u8 *)&b->sink);
}

static int floor_crc_le(struct floor_bench *b, u32 len)
{
	b->sink += crc32_le(~0, b->src, len);
	return 0;
}

static int floor_copy(struct floor_bench *b, u32 len)
{
	memcpy(b->dst, b->src, len);
	barrier_data(b->dst);
	return 0;
}

static struct floor_row floor_rows[] = {
	{ "aead_pair", BIG, floor_aead_pair },
	{ "aead_pair", SMALL, floor_aead_pair },
	{ "cmac", 128, floor_cmac },
	{ "cmac", BIG, floor_cmac },
	{ "crc_shash", BIG, floor_crc },
	{ "crc_shash", SMALL, floor_crc },
	{ "crc_le", BIG, floor_crc_le },
	{ "crc_le", SMALL, floor_crc_le },
	{ "copy", BIG, floor_copy },
};

static int floor_time(struct floor_bench *b, struct floor_row *row)
{
	u64 begin = ktime_get_ns(), end = begin, n = 0;
	int err = 0;

	while (!err && end - begin < FLOOR_NS) {
		for (int i = 0; i < 50 && !err; i++, n++)
			err = row->run(b, row->len);
		cond_resched();
		end = ktime_get_ns();
	}
	row->ns = div64_u64(end - begin, n ?: 1);
	return err;
}

static void floor_close(struct floor_bench *b)
{
	aead_request_free(b->req);
	if (!IS_ERR_OR_NULL(b->aead))
		crypto_free_aead(b->aead);
	if (!IS_ERR_OR_NULL(b->cmac))
		crypto_free_shash(b->cmac);
	if (!IS_ERR_OR_NULL(b->crc))
		crypto_free_shash(b->crc);
	kfree(b->src);
	kfree(b->dst);
}

static int floor_open(struct floor_bench *b)
{
	static const u8 key[16] = "not a secret key";

	b->aead = crypto_alloc_aead("gcm(aes)", 0, 0);
	if (IS_ERR(b->aead))
		return PTR_ERR(b->aead);
	b->cmac = crypto_alloc_shash("cmac(aes)", 0, 0);
	if (IS_ERR(b->cmac))
		return PTR_ERR(b->cmac);
	b->crc = crypto_alloc_shash("crc32", 0, 0);
	if (IS_ERR(b->crc))
		return PTR_ERR(b->crc);
	b->req = aead_request_alloc(b->aead, GFP_KERNEL);
	b->src = kzalloc(ASSOC + BIG + TAG, GFP_KERNEL);
	b->dst = kzalloc(ASSOC + BIG + TAG, GFP_KERNEL);
	if (!b->req || !b->src || !b->dst)
		return -ENOMEM;
	return crypto_aead_setkey(b->aead, key, sizeof(key)) ?:
	       crypto_aead_setauthsize(b->aead, TAG) ?:
	       crypto_shash_setkey(b->cmac, key, sizeof(key));
}

static int results_show(struct seq_file *m, void *unused)
{
	seq_puts(m, "{\n");
	for (int i = 0; i < ARRAY_SIZE(floor_rows); i++)
		seq_printf(m, " \"%s_%u\": %llu%s\n", floor_rows[i].name, floor_rows[i].len,
			   floor_rows[i].ns, i + 1 < ARRAY_SIZE(floor_rows) ? "," : "");
	seq_puts(m, "}\n");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(results);

static int __init floor_init(void)
{
	struct floor_bench b = { };
	int err = floor_open(&b);

	for (int i = 0; i < ARRAY_SIZE(floor_rows) && !err; i++)
		err = floor_time(&b, &floor_rows[i]);
	floor_close(&b);
	if (err)
		return err;
	floor_dir = debugfs_create_dir("srnic_floor", NULL);
	debugfs_create_file("results", 0444, floor_dir, NULL, &results_fops);
	return 0;
}

static void __exit floor_exit(void)
{
	debugfs_remove(floor_dir);
}

module_init(floor_init);
module_exit(floor_exit);

MODULE_DESCRIPTION("srnic bench: the cost of the kernel's own primitives");
MODULE_LICENSE("GPL");
