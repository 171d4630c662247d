// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of all suites, modes and opcodes: a packet of each is sealed and
 * opened, none of its bits may change, and the independent codec opens it, too.
 */
#include <linux/module.h>

#include "sth_fixture.h"

KUNIT_ARRAY_PARAM(connection, sth_connection_vectors, sth_connection_desc);

/* of RC, and of XRC */
#define OPCODES		48

static bool is_connected(u32 opcode)
{
	u8 transport = opcode & SRNIC_TP_MASK;

	return srnic_opcode_table[opcode].flags & SRNIC_OPF_VALID &&
	       (transport == SRNIC_TP_RC || transport == SRNIC_TP_XRC);
}

/**
 * struct packet - a packet of any opcode, not yet sealed
 * @opcode: BTH opcode
 * @owner: owner of its flow, X or Y
 * @sender: X or Y; a response travels against its flow
 * @response: it is a response
 * @psn64: next PSN64 of the flow
 * @box: the packet; fields that do not matter are random
 * @plain: payload and pad, in opaque mode behind the extension headers
 */
struct packet {
	u8 opcode;
	int owner;
	int sender;
	bool response;
	u64 psn64;
	struct sth_box *box;
	u8 *plain;
};

static struct packet packet_of(struct kunit *test, const struct sth_pair *p, u8 opcode,
			       int owner, unsigned int payload)
{
	const struct srnic_opcode *opc = &srnic_opcode_table[opcode];
	struct packet pkt = { .opcode = opcode, .owner = owner };
	unsigned int pad, head;
	struct srnic_sth *sth;
	u8 *body;

	if (!(opc->flags & SRNIC_OPF_PAYLOAD))
		payload = 0;
	pkt.response = opc->flags & SRNIC_OPF_RESP;
	pkt.sender = pkt.response ? !owner : owner;
	sth = p->end[pkt.sender];
	pkt.psn64 = sth->flow[sth_flow_at(pkt.sender, owner)].expected;
	pad = -payload & 3;
	head = opc->hdr_len + srnic_sth_len(sth);

	body = kunit_kzalloc(test, head + payload + pad, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, body);
	get_random_bytes(body, head + payload);
	body[0] = opcode;
	body[1] = (body[1] & 0xc0) | pad << 4;
	body[5] = 0;
	body[8] = (body[8] & 0x80) | srnic_sth_code(sth) << 4;
	body[9] = pkt.psn64 >> 16;
	put_unaligned_be16(pkt.psn64, body + 10);
	pkt.box = sth_box_of(test, p, pkt.sender, body, head + payload + pad, opc->hdr_len);
	pkt.plain = body + head + payload + pad - sth_box_payload_len(pkt.box);
	return pkt;
}

static int seal_packet(const struct sth_pair *p, struct packet *pkt)
{
	return sth_box_seal(p->end[pkt->sender], sth_flow_at(pkt->sender, pkt->owner), pkt->box);
}

typedef void (*packet_check)(struct kunit *test, struct sth_pair *p, struct packet *pkt);

/* Check a packet of every opcode, alternating between the flows. */
static void with_all_opcodes(struct kunit *test, unsigned int payload, packet_check check)
{
	struct sth_pair p = sth_ready_pair(test, test->param_value, false);
	unsigned int opcode, n = 0;

	for (opcode = 0; opcode < ARRAY_SIZE(srnic_opcode_table); opcode++) {
		struct packet pkt;

		if (!is_connected(opcode))
			continue;
		pkt = packet_of(test, &p, opcode, n++ % 2 ? Y : X, payload);
		check(test, &p, &pkt);
	}
	KUNIT_EXPECT_EQ(test, n, OPCODES);
}

static void expect_plain(struct kunit *test, struct sth_pair *p, const struct packet *pkt)
{
	struct sth_box *box = pkt->box;
	unsigned int len = sth_box_payload_len(box);
	int to = !pkt->sender;

	KUNIT_ASSERT_EQ_MSG(test, sth_box_open(p->end[to], sth_flow_at(to, pkt->owner), box), 0,
			    "opcode 0x%02x", pkt->opcode);
	KUNIT_EXPECT_MEMEQ_MSG(test, box->body + box->len - len, pkt->plain, len,
			       "opcode 0x%02x", pkt->opcode);
}

static void check_trip(struct kunit *test, struct sth_pair *p, struct packet *pkt)
{
	struct sth_box *box = pkt->box;
	unsigned int len = sth_box_payload_len(box);
	bool hidden = srnic_sth_encrypts(p->end[X]->params.mode);

	KUNIT_ASSERT_EQ(test, seal_packet(p, pkt), 0);
	if (len)
		KUNIT_EXPECT_EQ_MSG(test, !memcmp(box->body + box->len - len, pkt->plain, len),
				    !hidden, "opcode 0x%02x", pkt->opcode);
	expect_plain(test, p, pkt);
}

static void every_opcode_makes_the_trip(struct kunit *test)
{
	with_all_opcodes(test, 1021, check_trip);
}

static void check_bits(struct kunit *test, struct sth_pair *p, struct packet *pkt)
{
	struct sth_trip t = {
		.to = p->end[!pkt->sender],
		.flow = sth_flow_at(!pkt->sender, pkt->owner),
		.psn64 = pkt->psn64,
		.box = pkt->box,
		.name = srnic_opcode_table[pkt->opcode].name,
	};

	KUNIT_ASSERT_EQ(test, seal_packet(p, pkt), 0);
	sth_keep_sealed(test, &t);
	sth_expect_no_change(test, &t);
	expect_plain(test, p, pkt);
}

static void no_bit_of_any_opcode_may_change(struct kunit *test)
{
	with_all_opcodes(test, 3, check_bits);
}

static char *hex_of(struct kunit *test, const u8 *p, unsigned int len)
{
	char *s = kunit_kzalloc(test, 2 * len + 2, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	if (len)
		bin2hex(s, p, len);
	else
		s[0] = '-';
	return s;
}

/* Print the lines that tools/codec/check.py reads from the log, one for each packet. */
static void print_connection(struct kunit *test, struct sth_pair *p, int id, u8 secret[2][32])
{
	const struct sth_connection_vector *v = p->v;
	int owner;

	kunit_info(test, "sth-conn: %d %s %s %d %*phN %*phN %u %*phN %u %s %s\n", id, v->suite,
		   strrchr(v->name, ' ') + 1, v->pair_key, v->key_len, v->key, 16, v->x_gid,
		   v->x_qpn, 16, v->y_gid, v->y_qpn, hex_of(test, secret[X], 32),
		   hex_of(test, secret[Y], 32));
	for (owner = X; owner <= Y; owner++) {
		struct srnic_flow *f = &p->end[owner]->flow[SRNIC_FLOW_OURS];

		kunit_info(test, "sth-flow: %d %c 0x%llx %*phN %*phN\n", id, "xy"[owner], f->start,
			   16, f->nq, 16, f->nr);
	}
}

static void print_packet(struct kunit *test, struct sth_pair *p, struct packet *pkt)
{
	const struct sth_connection_vector *v = p->v;
	struct sth_box *box = pkt->box;
	unsigned int len = sth_box_payload_len(box);

	KUNIT_ASSERT_EQ(test, seal_packet(p, pkt), 0);
	kunit_info(test, "sth-packet: %d %c %d 0x%llx %s %s\n",
		   (int)(v - sth_connection_vectors), "xy"[pkt->owner], pkt->response, pkt->psn64,
		   hex_of(test, pkt->plain, len), hex_of(test, box->body, box->len));
}

static void what_is_sealed_here_is_printed_for_the_codec(struct kunit *test)
{
	const struct sth_connection_vector *v = test->param_value;
	struct sth_pair p = sth_pair_of(test, v, false);
	u8 frame[SRNIC_HS_FRAME_LEN], secret[2][32];
	int id = v - sth_connection_vectors, owner;
	unsigned int opcode, n = 0;
	struct packet pkt;

	for (owner = X; owner <= Y; owner++)
		memcpy(secret[owner], p.end[owner]->ephemeral.secret, 32);
	KUNIT_ASSERT_GT(test, srnic_sth_hs_next(p.end[X], frame), 0);
	sth_shake(test, &p, X);
	sth_shake(test, &p, Y);
	print_connection(test, &p, id, secret);
	kunit_info(test, "sth-frame: %d x %s\n", id, hex_of(test, frame, SRNIC_HS_FRAME_LEN));

	for (opcode = 0; opcode < ARRAY_SIZE(srnic_opcode_table); opcode++) {
		if (!is_connected(opcode))
			continue;
		for (owner = X; owner <= Y; owner++, n++) {
			/* Printing is slow on the VM's console. */
			if (!v->thorough && owner != n / 2 % 2)
				continue;
			pkt = packet_of(test, &p, opcode, owner, n * 7 % (v->thorough ? 130 : 40));
			print_packet(test, &p, &pkt);
		}
	}
	/* and after the PSN has wrapped */
	for (owner = X; owner <= Y; owner++) {
		sth_expect(test, p.end[owner], SRNIC_FLOW_OURS, 0x3000001);
		pkt = packet_of(test, &p, SRNIC_OPC_SEND_ONLY, owner, 8);
		print_packet(test, &p, &pkt);
	}
}

static struct kunit_case sth_opcode_cases[] = {
	KUNIT_CASE_PARAM(every_opcode_makes_the_trip, connection_gen_params),
	KUNIT_CASE_PARAM(no_bit_of_any_opcode_may_change, connection_gen_params),
	KUNIT_CASE_PARAM(what_is_sealed_here_is_printed_for_the_codec, connection_gen_params),
	{}
};

static struct kunit_suite sth_opcode_suite = {
	.name = "srnic-sth-opcode",
	.test_cases = sth_opcode_cases,
};

kunit_test_suite(sth_opcode_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's seals, opcode by opcode");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
