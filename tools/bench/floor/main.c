// SPDX-License-Identifier: GPL-2.0
/*
 * srnic_floor - measure the kernel's own primitives, as a lower bound for the
 * bench's figures.
 *
 * Loading the module runs each primitive for a fixed time over the bytes of a
 * packet. The results are in debugfs (srnic_floor/results, JSON): nanoseconds a
 * call, the CRC chosen for the packets because it is the fastest here, and the
 * crypto drivers. If wire_ms is set, the module instead measures packets across
 * a wire (wire.c).
 */
#include <crypto/aead.h>
#include <crypto/hash.h>
#include <linux/debugfs.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

#include "floor.h"
#include "mem/memcpy.h"

#define CALLS	20	/* between two readings of the clock */

static unsigned int ms = 50;
module_param(ms, uint, 0444);
MODULE_PARM_DESC(ms, "milliseconds that each primitive runs");

struct row {
	const char *name;
	u32 len;
	floor_fn run;
	u64 ns;
};

/* First, because the packets use the fastest of these */
static struct row crcs[] = {
	{ "crc_tables", FLOOR_BIG, floor_crc_tables },
	{ "crc_tables", FLOOR_SMALL, floor_crc_tables },
	{ "crc_shash", FLOOR_BIG, floor_crc_shash },
	{ "crc_shash", FLOOR_SMALL, floor_crc_shash },
	{ "crc_sparse", FLOOR_BIG, floor_crc_sparse },
	{ "crc_clmul", FLOOR_BIG, floor_crc_clmul },
};

static struct row rows[] = {
	{ "packet", FLOOR_BIG, floor_packet },
	{ "packet", FLOOR_SMALL, floor_packet },
	{ "sealed", FLOOR_BIG, floor_sealed },
	{ "sealed", FLOOR_SMALL, floor_sealed },
	{ "aead_pair", FLOOR_BIG, floor_aead_pair },
	{ "aead_pair", FLOOR_SMALL, floor_aead_pair },
	{ "chacha_pair", FLOOR_BIG, floor_chacha_pair },
	{ "chacha_pair", FLOOR_SMALL, floor_chacha_pair },
	{ "cmac", 16, floor_cmac },
	{ "cmac", 58, floor_cmac },	/* header mode: the MAC input of an ACK; of a WRITE */
	{ "cmac", 70, floor_cmac },
	{ "cmac", FLOOR_SMALL, floor_cmac },
	{ "cmac", 96, floor_cmac },
	{ "cmac", 128, floor_cmac },
	{ "cmac", 192, floor_cmac },
	{ "cmac", FLOOR_BIG, floor_cmac },
	{ "derive", 36, floor_derive },
	{ "copy", FLOOR_BIG, floor_copy },
};

static char gcm_driver[CRYPTO_MAX_ALG_NAME];
static char cmac_driver[CRYPTO_MAX_ALG_NAME];
static char crc_driver[CRYPTO_MAX_ALG_NAME];
static const struct row *crc_big, *crc_small;
static struct dentry *folder;

static int time_row(struct floor_bench *b, struct row *row)
{
	u64 begin = ktime_get_ns(), end = begin, n = 0;
	int err = 0;

	while (!err && end - begin < (u64)ms * NSEC_PER_MSEC) {
		for (int i = 0; i < CALLS && !err; i++, n++)
			err = row->run(b, row->len);
		cond_resched();
		end = ktime_get_ns();
	}
	row->ns = div64_u64(end - begin, n ?: 1);
	return err;
}

static int time_crcs(struct floor_bench *b)
{
	int err = 0;

	for (int i = 0; i < ARRAY_SIZE(crcs) && !err; i++) {
		const struct row **best = crcs[i].len == FLOOR_BIG ? &crc_big : &crc_small;

		err = time_row(b, &crcs[i]);
		if (!*best || crcs[i].ns < (*best)->ns)
			*best = &crcs[i];
	}
	b->crc_big = crc_big->run;
	b->crc_small = crc_small->run;
	return err;
}

static int time_rows(struct floor_bench *b)
{
	int err = 0;

	for (int i = 0; i < ARRAY_SIZE(rows) && !err; i++)
		err = time_row(b, &rows[i]);
	return err;
}

static void note_drivers(struct floor_bench *b)
{
	strscpy(gcm_driver, crypto_tfm_alg_driver_name(crypto_aead_tfm(b->aead)));
	strscpy(cmac_driver, crypto_shash_driver_name(b->cmac));
	strscpy(crc_driver, crypto_shash_driver_name(b->crc));
}

static void show_rows(struct seq_file *m, const struct row *row, int n)
{
	for (; n--; row++)
		seq_printf(m, "  \"%s_%u\": %llu,\n", row->name, row->len, row->ns);
}

static int results_show(struct seq_file *m, void *unused)
{
	if (floor_wire_wanted()) {
		floor_wire_show(m);
		return 0;
	}
	seq_puts(m, "{\n \"ns\": {\n");
	show_rows(m, crcs, ARRAY_SIZE(crcs));
	show_rows(m, rows, ARRAY_SIZE(rows) - 1);
	seq_printf(m, "  \"%s_%u\": %llu\n },\n", rows[ARRAY_SIZE(rows) - 1].name,
		   rows[ARRAY_SIZE(rows) - 1].len, rows[ARRAY_SIZE(rows) - 1].ns);
	seq_printf(m, " \"crc\": {\"%u\": \"%s\", \"%u\": \"%s\"},\n", FLOOR_BIG, crc_big->name,
		   FLOOR_SMALL, crc_small->name);
	seq_printf(m, " \"drivers\": {\"gcm(aes)\": \"%s\", \"cmac(aes)\": \"%s\", \"crc32\": \"%s\"}\n",
		   gcm_driver, cmac_driver, crc_driver);
	seq_puts(m, "}\n");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(results);

static int __init floor_init(void)
{
	struct floor_bench b = { };
	int err = floor_packet_open(&b) ?: floor_crypt_open(&b);

	if (!err) {
		srnic_memcpy_init();
		note_drivers(&b);
		err = time_crcs(&b);
	}
	if (!err)
		err = floor_wire_wanted() ? floor_wire_run(&b) : time_rows(&b);
	floor_crypt_close(&b);
	floor_packet_close(&b);
	if (err)
		return err;
	folder = debugfs_create_dir("srnic_floor", NULL);
	debugfs_create_file("results", 0444, folder, NULL, &results_fops);
	return 0;
}

static void __exit floor_exit(void)
{
	debugfs_remove(folder);
	floor_wire_close();
}

module_init(floor_init);
module_exit(floor_exit);

MODULE_DESCRIPTION("srnic bench: the cost of the kernel's own primitives");
MODULE_LICENSE("GPL");
