// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of random packets that the independent codec
 * (tools/codec/random_packets.py) has sealed: the kernel must seal to the same
 * bytes, and open what the codec sealed. Covers every suite, mode and opcode of
 * connections (sth_datagram_test.c covers datagrams). The default is 2000
 * packets; for another number:
 *
 *	SRNIC_RANDOM_PACKETS=100000 make check T=kunit/
 */
#include <linux/kernel_read_file.h>
#include <linux/module.h>
#include <linux/unaligned.h>
#include <linux/vmalloc.h>

#include "sth_fixture.h"

static char *packets;
module_param(packets, charp, 0400);
MODULE_PARM_DESC(packets, "file that tools/codec/random_packets.py has written");

static void *file;
static size_t file_size;

KUNIT_ARRAY_PARAM(connection, sth_connection_vectors, sth_connection_desc);

/*
 * Layout of a record, big endian: connection, owner, response, header length,
 * pad (1 byte each), payload length, length (2), counter (4), PSN64 (8),
 * extension headers (32), and the packet.
 */
#define RECORD_EXT	21
#define RECORD_LEN	(RECORD_EXT + 32)

/* Read the record at *@at and advance *@at; false at the end. */
static bool next_record(struct kunit *test, size_t *at, struct sth_packet_vector *v)
{
	const u8 *p = file + *at;

	if (*at == file_size)
		return false;
	KUNIT_ASSERT_LE(test, RECORD_LEN, file_size - *at);
	*v = (struct sth_packet_vector){
		.name = "random",
		.connection = p[0],
		.owner = p[1],
		.response = p[2],
		.hdr_len = p[3],
		.pad = p[4],
		.payload_len = get_unaligned_be16(p + 5),
		.len = get_unaligned_be16(p + 7),
		.counter = get_unaligned_be32(p + 9),
		.psn64 = get_unaligned_be64(p + 13),
		.sealed = p + RECORD_LEN,
		.ext = p + RECORD_EXT,
	};
	*at += RECORD_LEN + v->len;
	KUNIT_ASSERT_LE(test, *at, file_size);
	return true;
}

static void drop_box(struct kunit *test, struct sth_box *box)
{
	kunit_kfree(test, box->body);
	kunit_kfree(test, box);
}

static void check_sealing(struct kunit *test, struct sth_pair *p,
			  const struct sth_packet_vector *v)
{
	struct sth_box *box = sth_clear_box(test, p, v);

	KUNIT_ASSERT_EQ(test, sth_seal_vector(p, v, box), 0);
	KUNIT_ASSERT_MEMEQ(test, box->body, v->sealed, v->len);
	drop_box(test, box);
}

static void check_opening(struct kunit *test, struct sth_pair *p,
			  const struct sth_packet_vector *v)
{
	struct sth_box *clear = sth_clear_box(test, p, v), *box = sth_sealed_box(test, p, v);
	unsigned int len = sth_box_payload_len(box);

	KUNIT_ASSERT_EQ(test, sth_open_vector(p, v, box), 0);
	KUNIT_ASSERT_MEMEQ(test, box->body + v->len - len, clear->body + v->len - len, len);
	drop_box(test, box);
	drop_box(test, clear);
}

static void the_codec_and_the_kernel_agree_on_packets_drawn_at_random(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_ready_pair(test, v, true);
	struct sth_packet_vector packet;
	unsigned int n = 0;
	size_t at = 0;

	while (next_record(test, &at, &packet)) {
		if (&sth_connection_vectors[packet.connection] != v)
			continue;
		sth_go_to(test, &p, &packet);
		check_sealing(test, &p, &packet);
		check_opening(test, &p, &packet);
		n++;
		cond_resched();
	}
	KUNIT_EXPECT_GT(test, n, 0);
	kunit_info(test, "%u packets\n", n);
}

static int sth_random_suite_init(struct kunit_suite *suite)
{
	ssize_t len;

	if (!packets)
		return -ENOENT;
	len = kernel_read_file_from_path(packets, 0, &file, INT_MAX, &file_size, READING_UNKNOWN);
	return len < 0 ? len : 0;
}

static void sth_random_suite_exit(struct kunit_suite *suite)
{
	vfree(file);
	file = NULL;
}

static struct kunit_case sth_random_cases[] = {
	KUNIT_CASE_PARAM(the_codec_and_the_kernel_agree_on_packets_drawn_at_random,
			 connection_gen_params),
	{}
};

static struct kunit_suite sth_random_suite = {
	.name = "srnic-sth-random",
	.suite_init = sth_random_suite_init,
	.suite_exit = sth_random_suite_exit,
	.test_cases = sth_random_cases,
};

kunit_test_suite(sth_random_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's seal, on packets drawn at random");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
