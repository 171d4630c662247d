// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of sth's byte layouts: nonces, MAC input, handshake frames, key
 * derivation contexts (protocol.md, sections 4, 6, 7). Also runs in user space.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "sth/pure.h"

static const u8 gid_a[16] = { [10] = 0xff, 0xff, 10, 77, 0, 1 };
static const u8 gid_b[16] = { [10] = 0xff, 0xff, 10, 77, 0, 2 };

static void direction_is_the_top_bit_of_nonce64(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, srnic_sth_nonce64(false, 0x123456789aULL), 0x123456789aULL);
	KUNIT_EXPECT_EQ(test, srnic_sth_nonce64(true, 0x123456789aULL), 0x800000123456789aULL);
}

static void nonce96_is_nonce64_and_counter(struct kunit *test)
{
	static const u8 want[] = { 0x80, 0, 0, 1, 2, 3, 4, 5, 0xde, 0xad, 0xbe, 0xef };
	u8 iv[SRNIC_STH_IV_LEN];

	srnic_sth_nonce96(iv, srnic_sth_nonce64(true, 0x102030405ULL), 0xdeadbeef);
	KUNIT_EXPECT_MEMEQ(test, iv, want, sizeof(want));
}

/* an ACK: BTH and AETH, with FECN and BECN set in transit */
static const u8 ack[] = {
	0x11, 0x40, 0xff, 0xff, 0xc0, 0x00, 0x00, 0x12, 0x20, 0x00, 0x00, 0x05,
	0x1f, 0x00, 0x00, 0x07,
};

static void check_input(struct kunit *test, u8 counter_len)
{
	const struct srnic_sth_input in = {
		.nonce64 = srnic_sth_nonce64(true, 0x1000005),
		.counter = 0x01020304,
		.counter_len = counter_len,
		.udp_len = 0x30,
		.sgid = gid_b,
		.dgid = gid_a,
		.hdr = ack,
		.hdr_len = sizeof(ack),
	};
	static const u8 narrow[] = { 0x80, 0, 0, 0, 1, 0, 0, 5, 1, 2, 3, 4 };
	static const u8 wide[] = { 0x80, 0, 0, 0, 1, 0, 0, 5, 0, 0, 0, 0, 1, 2, 3, 4 };
	unsigned int head = 8 + counter_len;
	u8 buf[SRNIC_STH_INPUT_MAX];
	const u8 *p = buf + head;

	KUNIT_ASSERT_EQ(test, srnic_sth_mac_input(&in, buf), head + 34 + sizeof(ack));
	KUNIT_EXPECT_MEMEQ(test, buf, counter_len == 8 ? wide : narrow, head);
	KUNIT_EXPECT_MEMEQ(test, p, gid_b, 16);
	KUNIT_EXPECT_MEMEQ(test, p + 16, gid_a, 16);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(p + 32), 0x30);
	KUNIT_EXPECT_MEMEQ(test, p + 34, ack, 4);
	KUNIT_EXPECT_EQ(test, p[38], 0xff);
	KUNIT_EXPECT_MEMEQ(test, p + 39, ack + 5, sizeof(ack) - 5);
}

static void mac_input_has_the_order_of_the_specification(struct kunit *test)
{
	check_input(test, 0);
	check_input(test, 4);
	check_input(test, 8);
}

static void longest_mac_input_fits(struct kunit *test)
{
	static const u8 hdr[SRNIC_EXT_MAX];
	const struct srnic_sth_input in = {
		.counter_len = 8,
		.sgid = gid_a,
		.dgid = gid_b,
		.hdr = hdr,
		.hdr_len = sizeof(hdr),
	};
	u8 buf[SRNIC_STH_INPUT_MAX];

	KUNIT_EXPECT_EQ(test, srnic_sth_mac_input(&in, buf), SRNIC_STH_INPUT_MAX);
}

static void hello_frame(struct srnic_hs_frame *hs)
{
	memset(hs, 0, sizeof(*hs));
	hs->opcode = SRNIC_OPC_HELLO;
	hs->pkey = 0x8001;
	hs->dqpn = 0x123456;
	hs->psn = 0xfffffe;
	hs->key_id = 0x89abcdef;
	memset(hs->nq, 0x11, sizeof(hs->nq));
	memset(hs->share, 0x33, sizeof(hs->share));
}

static void frame_bytes_are_those_of_the_specification(struct kunit *test)
{
	static const u8 bth[] = {
		0xc0, 0x00, 0x80, 0x01, 0x00, 0x12, 0x34, 0x56, 0x20, 0xff, 0xff, 0xfe,
		2, 0, 0, 0, 0x89, 0xab, 0xcd, 0xef,
	};
	u8 frame[SRNIC_HS_FRAME_LEN] = {};
	struct srnic_hs_frame hs, back;

	hello_frame(&hs);
	srnic_hs_build(&hs, frame);
	KUNIT_EXPECT_MEMEQ(test, frame, bth, sizeof(bth));
	KUNIT_EXPECT_MEMEQ(test, frame + 20, hs.nq, 16);
	KUNIT_EXPECT_MEMEQ(test, frame + 36, hs.nr, 16);
	KUNIT_EXPECT_MEMEQ(test, frame + 52, hs.share, 32);
	KUNIT_ASSERT_EQ(test, srnic_hs_parse(&back, frame, sizeof(frame)), 0);
	KUNIT_EXPECT_EQ(test, back.opcode, hs.opcode);
	KUNIT_EXPECT_EQ(test, back.pkey, hs.pkey);
	KUNIT_EXPECT_EQ(test, back.dqpn, hs.dqpn);
	KUNIT_EXPECT_EQ(test, back.psn, hs.psn);
	KUNIT_EXPECT_MEMEQ(test, back.nq, hs.nq, 16);
	KUNIT_EXPECT_EQ(test, back.key_id, hs.key_id);
	KUNIT_EXPECT_MEMEQ(test, back.nr, hs.nr, 16);
	KUNIT_EXPECT_MEMEQ(test, back.share, hs.share, 32);
}

static void what_is_no_frame_is_refused(struct kunit *test)
{
	static const struct {
		const char *what;
		u8 offset;
		u8 value;
	} changes[] = {
		{ "opcode below", 0, 0xbf }, { "opcode above", 0, 0xc4 },
		{ "pad", 1, 0x10 }, { "transport version", 1, 0x01 },
		{ "AckReq", 8, 0xa0 }, { "STH code", 8, 0x30 }, { "no STH", 8, 0x00 },
		{ "behind the version", 15, 1 },
		{ "n_r in HELLO", 51, 1 },
		{ "no n_r in HELLO-ACK", 0, 0xc1 }, { "in CONFIRM", 0, 0xc2 },
		{ "in CONFIRM-ACK", 0, 0xc3 },
	};
	u8 frame[SRNIC_HS_FRAME_LEN + 1] = {};
	struct srnic_hs_frame hs, back;
	unsigned int i;

	hello_frame(&hs);
	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		srnic_hs_build(&hs, frame);
		frame[changes[i].offset] = changes[i].value;
		KUNIT_EXPECT_EQ_MSG(test, srnic_hs_parse(&back, frame, SRNIC_HS_FRAME_LEN), -EPROTO,
				    "%s", changes[i].what);
	}
	for (i = 1; i <= 3; i += 2) {
		srnic_hs_build(&hs, frame);
		frame[12] = i;
		KUNIT_EXPECT_EQ(test, srnic_hs_parse(&back, frame, SRNIC_HS_FRAME_LEN),
				-EPROTONOSUPPORT);
		KUNIT_EXPECT_EQ(test, srnic_hs_parse(&back, frame, 16), -EPROTONOSUPPORT);
	}
	srnic_hs_build(&hs, frame);
	for (i = 0; i <= sizeof(frame); i++)
		KUNIT_EXPECT_EQ(test, srnic_hs_parse(&back, frame, i),
				i == SRNIC_HS_FRAME_LEN ? 0 : -EPROTO);
	memset(hs.nq, 0, sizeof(hs.nq));
	srnic_hs_build(&hs, frame);
	KUNIT_EXPECT_EQ(test, srnic_hs_parse(&back, frame, SRNIC_HS_FRAME_LEN), -EPROTO);
}

static void contexts_are_those_of_the_specification(struct kunit *test)
{
	static const struct srnic_sth_form s = { .suite_id = 0x0401, .mode = 3, .tag_len = 16 };
	static const u8 packet[] = {
		4, 1, 3, 16, 1, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5,
	};
	static const u8 flow[] = { 4, 1, 3, 16, 1, 0, 0, 0, 0, 0xff, 0xff, 0xfe };
	static const struct srnic_subkey_id request = { .from_b = true, .epoch = 0x102030405ULL };
	static const struct srnic_subkey_id response = { .response = true };
	u8 ctx[SRNIC_CTX_MAX], ab[SRNIC_CTX_PAIR_LEN], nq[16], nr[16];
	const struct srnic_flow_id id = { .owner_b = true, .start = 0xfffffe, .nq = nq, .nr = nr };

	srnic_ctx_end(ab, gid_a, 0x11);
	srnic_ctx_end(ab + 20, gid_b, 0x123456);
	KUNIT_EXPECT_MEMEQ(test, ab, gid_a, 16);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(ab + 16), 0x11);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(ab + 36), 0x123456);

	srnic_ctx_packet(ctx, &s, &request);
	KUNIT_EXPECT_MEMEQ(test, ctx, packet, sizeof(packet));
	srnic_ctx_packet(ctx, &s, &response);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(ctx + 4), 0x00010000);

	memset(nq, 1, 16);
	memset(nr, 2, 16);
	srnic_ctx_flow(ctx, &s, &id, ab);
	KUNIT_EXPECT_MEMEQ(test, ctx, flow, sizeof(flow));
	KUNIT_EXPECT_MEMEQ(test, ctx + 12, nq, 16);
	KUNIT_EXPECT_MEMEQ(test, ctx + 28, nr, 16);
	KUNIT_EXPECT_MEMEQ(test, ctx + 44, ab, 40);

	srnic_ctx_hs(ctx, &s, ab);
	KUNIT_EXPECT_MEMEQ(test, ctx, flow, 4);
	KUNIT_EXPECT_MEMEQ(test, ctx + 4, ab, 40);
}

static void kdf_input_is_label_zero_context_length(struct kunit *test)
{
	static const u8 want[] = {
		'S', 'T', 'H', '1', ' ', 'p', 'a', 'i', 'r', 0, 7, 8, 9, 0, 0, 2, 0,
	};
	static const u8 ctx[] = { 7, 8, 9 };
	static const struct srnic_kdf_purpose pair = { SRNIC_LABEL_PAIR, ctx, sizeof(ctx) };
	static const struct srnic_kdf_purpose connection = { .label = SRNIC_LABEL_CONNECTION };
	u8 buf[SRNIC_KDF_FIXED_MAX];

	KUNIT_ASSERT_EQ(test, srnic_kdf_fixed_input(buf, &pair, 64), sizeof(want));
	KUNIT_EXPECT_MEMEQ(test, buf, want, sizeof(want));
	KUNIT_EXPECT_EQ(test, srnic_kdf_fixed_input(buf, &connection, 32), 20);
}

static struct kunit_case sth_nonce_cases[] = {
	KUNIT_CASE(direction_is_the_top_bit_of_nonce64),
	KUNIT_CASE(nonce96_is_nonce64_and_counter),
	KUNIT_CASE(mac_input_has_the_order_of_the_specification),
	KUNIT_CASE(longest_mac_input_fits),
	KUNIT_CASE(frame_bytes_are_those_of_the_specification),
	KUNIT_CASE(what_is_no_frame_is_refused),
	KUNIT_CASE(contexts_are_those_of_the_specification),
	KUNIT_CASE(kdf_input_is_label_zero_context_length),
	{}
};

static struct kunit_suite sth_nonce_suite = {
	.name = "srnic-sth-nonce",
	.test_cases = sth_nonce_cases,
};

kunit_test_suite(sth_nonce_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's byte layouts of the secure transport");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
