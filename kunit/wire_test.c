// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of wire: opcode table, headers, PSN arithmetic, CRC, ICRC, LIDs.
 *
 * Runs as a module in a kernel with CONFIG_KUNIT, and in user space under ASan
 * and UBSan (make -C kunit/host check). The name of a case states what must
 * hold.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "wire/wire.h"
#include "vectors/icrc.h"

#define STH_CODES	8
#define OPCODES		256

/* Return the same pseudo-random numbers in every run: xorshift32. */
static u32 xorshift32(u32 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void xorshift32_fill(u32 *state, u8 *p, size_t len)
{
	while (len--)
		*p++ = xorshift32(state);
}

/* ------------------------------------------------------------ opcode table */

/*
 * IBA table 38, independently of wire/opcode.c: opcode numbers, and the
 * extension headers in wire order, one letter each.
 */
static const struct opcode_row {
	u8 opcode;
	/* Reth Atomic aEth(E) aTomicack(T) Imm Key(ieth) Deth Hs Cnp Feth Xrceth */
	const char *ext;
	const char *kind; /* position: F M L O, or B for no payload */
} opcode_rows[] = {
	{ 0x00, "", "F" }, { 0x01, "", "M" }, { 0x02, "", "L" }, { 0x03, "I", "L" },
	{ 0x04, "", "O" }, { 0x05, "I", "O" },
	{ 0x06, "R", "F" }, { 0x07, "", "M" }, { 0x08, "", "L" }, { 0x09, "I", "L" },
	{ 0x0a, "R", "O" }, { 0x0b, "RI", "O" }, { 0x0c, "R", "B" },
	{ 0x0d, "E", "F" }, { 0x0e, "", "M" }, { 0x0f, "E", "L" }, { 0x10, "E", "O" },
	{ 0x11, "E", "B" }, { 0x12, "ET", "B" }, { 0x13, "A", "B" }, { 0x14, "A", "B" },
	{ 0x16, "K", "L" }, { 0x17, "K", "O" },
	{ 0x1c, "FR", "B" }, { 0x1d, "R", "O" },	/* IBA A19 */
	{ 0x20, "", "F" }, { 0x21, "", "M" }, { 0x22, "", "L" }, { 0x23, "I", "L" },
	{ 0x24, "", "O" }, { 0x25, "I", "O" },
	{ 0x26, "R", "F" }, { 0x27, "", "M" }, { 0x28, "", "L" }, { 0x29, "I", "L" },
	{ 0x2a, "R", "O" }, { 0x2b, "RI", "O" },
	{ 0x64, "D", "O" }, { 0x65, "DI", "O" },
	{ 0x81, "C", "" },	/* IBA A17.9.3 */
	/* IBA A14 */
	{ 0xa0, "X", "F" }, { 0xa1, "X", "M" }, { 0xa2, "X", "L" }, { 0xa3, "XI", "L" },
	{ 0xa4, "X", "O" }, { 0xa5, "XI", "O" },
	{ 0xa6, "XR", "F" }, { 0xa7, "X", "M" }, { 0xa8, "X", "L" }, { 0xa9, "XI", "L" },
	{ 0xaa, "XR", "O" }, { 0xab, "XRI", "O" }, { 0xac, "XR", "B" },
	{ 0xad, "E", "F" }, { 0xae, "", "M" }, { 0xaf, "E", "L" }, { 0xb0, "E", "O" },
	{ 0xb1, "E", "B" }, { 0xb2, "ET", "B" }, { 0xb3, "XA", "B" }, { 0xb4, "XA", "B" },
	{ 0xb6, "XK", "L" }, { 0xb7, "XK", "O" },
	{ 0xc0, "H", "" }, { 0xc1, "H", "" }, { 0xc2, "H", "" }, { 0xc3, "H", "" },
};

static const struct ext_row {
	char letter;
	u8 len;
	u32 flag;
	size_t off;	/* offsetof() the header's offset in struct srnic_opcode */
} ext_rows[] = {
	{ 'R', 16, SRNIC_OPF_RETH, offsetof(struct srnic_opcode, reth) },
	{ 'A', 28, SRNIC_OPF_ATOMIC_ETH, offsetof(struct srnic_opcode, atomic) },
	{ 'E', 4, SRNIC_OPF_AETH, offsetof(struct srnic_opcode, aeth) },
	{ 'T', 8, SRNIC_OPF_ATOMIC_ACK, offsetof(struct srnic_opcode, atomic_ack) },
	{ 'I', 4, SRNIC_OPF_IMM, offsetof(struct srnic_opcode, imm) },
	{ 'K', 4, SRNIC_OPF_IETH, offsetof(struct srnic_opcode, ieth) },
	{ 'D', 8, SRNIC_OPF_DETH, offsetof(struct srnic_opcode, deth) },
	{ 'H', 72, SRNIC_OPF_HS, offsetof(struct srnic_opcode, hs) },
	{ 'C', 16, SRNIC_OPF_CNP, offsetof(struct srnic_opcode, cnp) },
	{ 'F', 4, SRNIC_OPF_FETH, offsetof(struct srnic_opcode, feth) },
	{ 'X', 4, SRNIC_OPF_XRCETH, offsetof(struct srnic_opcode, xrceth) },
};

static const struct opcode_row *opcode_row(u8 opcode)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(opcode_rows); i++)
		if (opcode_rows[i].opcode == opcode)
			return &opcode_rows[i];
	return NULL;
}

/* IBA 9.2, table 38; protocol.md, frames */
static void only_opcodes_of_the_specification_are_valid(struct kunit *test)
{
	int i;

	for (i = 0; i < OPCODES; i++) {
		const struct srnic_opcode *opc = &srnic_opcode_table[i];

		KUNIT_EXPECT_EQ_MSG(test, !!(opc->flags & SRNIC_OPF_VALID),
				    !!opcode_row(i), "opcode %#x", i);
		KUNIT_EXPECT_EQ_MSG(test, !!opc->name, !!opcode_row(i),
				    "opcode %#x", i);
		if (!opcode_row(i))
			KUNIT_EXPECT_EQ_MSG(test, opc->flags, 0U, "opcode %#x", i);
	}
}

/* IBA 9.2, table 38, and 9.3 */
static void extension_headers_follow_the_bth_in_order_without_gaps(struct kunit *test)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(opcode_rows); i++) {
		const struct opcode_row *row = &opcode_rows[i];
		const u8 *opc = (const u8 *)&srnic_opcode_table[row->opcode];
		u32 flags = srnic_opcode_table[row->opcode].flags;
		unsigned int at[ARRAY_SIZE(ext_rows)] = { 0 };
		unsigned int end = 12;
		const char *c;

		for (c = row->ext; *c; c++)
			for (j = 0; j < ARRAY_SIZE(ext_rows); j++)
				if (ext_rows[j].letter == *c) {
					at[j] = end;
					end += ext_rows[j].len;
				}
		for (j = 0; j < ARRAY_SIZE(ext_rows); j++) {
			KUNIT_EXPECT_EQ_MSG(test, opc[ext_rows[j].off], at[j],
					    "opcode %#x, header %c", row->opcode,
					    ext_rows[j].letter);
			KUNIT_EXPECT_EQ_MSG(test, !!(flags & ext_rows[j].flag),
					    !!at[j], "opcode %#x, flag of %c",
					    row->opcode, ext_rows[j].letter);
		}
		KUNIT_EXPECT_EQ_MSG(test, srnic_opcode_table[row->opcode].hdr_len, end,
				    "opcode %#x", row->opcode);
		KUNIT_EXPECT_LE(test, end, SRNIC_EXT_MAX);
	}
}

#define PLACE_FLAGS	(SRNIC_OPF_FIRST | SRNIC_OPF_LAST | SRNIC_OPF_PAYLOAD | \
			 SRNIC_OPF_FULL)

/* IBA C9-92: FIRST and MIDDLE have a payload of the path MTU */
static void first_and_middle_fill_the_mtu_and_only_they(struct kunit *test)
{
	static const struct {
		char kind;
		u32 flags;
	} place[] = {
		{ 'F', SRNIC_OPF_FIRST | SRNIC_OPF_PAYLOAD | SRNIC_OPF_FULL },
		{ 'M', SRNIC_OPF_PAYLOAD | SRNIC_OPF_FULL },
		{ 'L', SRNIC_OPF_LAST | SRNIC_OPF_PAYLOAD },
		{ 'O', SRNIC_OPF_FIRST | SRNIC_OPF_LAST | SRNIC_OPF_PAYLOAD },
		{ 'B', SRNIC_OPF_FIRST | SRNIC_OPF_LAST },
		{ '\0', 0 },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(opcode_rows); i++) {
		const struct opcode_row *row = &opcode_rows[i];
		u32 flags = srnic_opcode_table[row->opcode].flags & PLACE_FLAGS;

		for (j = 0; j < ARRAY_SIZE(place); j++)
			if (place[j].kind == row->kind[0])
				KUNIT_EXPECT_EQ_MSG(test, flags, place[j].flags,
						    "opcode %#x", row->opcode);
	}
}

static void every_opcode_but_that_of_a_cnp_is_either_request_or_response(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(opcode_rows); i++) {
		u8 opcode = opcode_rows[i].opcode;
		u32 flags = srnic_opcode_table[opcode].flags;
		/* IBA table 38: READ responses, ACK, ATOMIC ACK; protocol.md */
		bool resp = (opcode >= 0x0d && opcode <= 0x12) ||
			    (opcode >= 0xad && opcode <= 0xb2) || opcode == 0xc1 || opcode == 0xc3;

		KUNIT_EXPECT_EQ_MSG(test, !!(flags & SRNIC_OPF_RESP), resp,
				    "opcode %#x", opcode);
		KUNIT_EXPECT_EQ_MSG(test, !!(flags & SRNIC_OPF_REQ), !resp && opcode != 0x81,
				    "opcode %#x", opcode);
	}
}

#define KIND_FLAGS	(SRNIC_OPF_SEND | SRNIC_OPF_WRITE | SRNIC_OPF_READ | \
			 SRNIC_OPF_ATOMIC | SRNIC_OPF_ACK | SRNIC_OPF_HS | SRNIC_OPF_CNP | \
			 SRNIC_OPF_FLUSH | SRNIC_OPF_ATOMIC_WRITE)

/* IBA table 38: the ranges of the operations */
static void every_opcode_belongs_to_one_operation(struct kunit *test)
{
	static const struct {
		u8 first, last;
		u32 flag;
	} range[] = {
		{ 0x00, 0x05, SRNIC_OPF_SEND }, { 0x06, 0x0b, SRNIC_OPF_WRITE },
		{ 0x0c, 0x10, SRNIC_OPF_READ }, { 0x11, 0x11, SRNIC_OPF_ACK },
		{ 0x12, 0x14, SRNIC_OPF_ATOMIC }, { 0x16, 0x17, SRNIC_OPF_SEND },
		{ 0x1c, 0x1c, SRNIC_OPF_FLUSH }, { 0x1d, 0x1d, SRNIC_OPF_ATOMIC_WRITE },
		{ 0x20, 0x25, SRNIC_OPF_SEND }, { 0x26, 0x2b, SRNIC_OPF_WRITE },
		{ 0x64, 0x65, SRNIC_OPF_SEND }, { 0x81, 0x81, SRNIC_OPF_CNP },
		{ 0xa0, 0xa5, SRNIC_OPF_SEND }, { 0xa6, 0xab, SRNIC_OPF_WRITE },
		{ 0xac, 0xb0, SRNIC_OPF_READ }, { 0xb1, 0xb1, SRNIC_OPF_ACK },
		{ 0xb2, 0xb4, SRNIC_OPF_ATOMIC }, { 0xb6, 0xb7, SRNIC_OPF_SEND },
		{ 0xc0, 0xc3, SRNIC_OPF_HS },
	};
	unsigned int i;
	int opcode;

	for (i = 0; i < ARRAY_SIZE(range); i++)
		for (opcode = range[i].first; opcode <= range[i].last; opcode++)
			KUNIT_EXPECT_EQ_MSG(test, range[i].flag, KIND_FLAGS &
					    srnic_opcode_table[opcode].flags,
					    "opcode %#x", opcode);
}

/* IBA 9.4.1, 9.4.3: the end of a SEND, and of a WRITE with immediate data */
static void a_receive_is_consumed_by_the_end_of_send_and_write_with_imm(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(opcode_rows); i++) {
		u32 flags = srnic_opcode_table[opcode_rows[i].opcode].flags;
		bool consumes = (flags & SRNIC_OPF_LAST) &&
				((flags & SRNIC_OPF_SEND) ||
				 (flags & (SRNIC_OPF_WRITE | SRNIC_OPF_IMM)) ==
				 (SRNIC_OPF_WRITE | SRNIC_OPF_IMM));

		KUNIT_EXPECT_EQ_MSG(test, !!(flags & SRNIC_OPF_RWR), consumes,
				    "opcode %#x", opcode_rows[i].opcode);
	}
}

static void uc_rows_equal_their_rc_rows(struct kunit *test)
{
	int i;

	for (i = SRNIC_TP_UC; i < SRNIC_TP_UC + 0x20; i++) {
		const struct srnic_opcode *uc = &srnic_opcode_table[i];
		const struct srnic_opcode *rc = &srnic_opcode_table[i - SRNIC_TP_UC];

		if (!(uc->flags & SRNIC_OPF_VALID))
			continue;
		KUNIT_EXPECT_EQ(test, uc->flags, rc->flags);
		KUNIT_EXPECT_EQ(test, uc->hdr_len, rc->hdr_len);
		KUNIT_EXPECT_STREQ(test, uc->name + 3, rc->name + 3);
	}
}

/* IBA A14: responses of XRC are those of RC, and requests have an XRCETH before the rest */
static void xrc_rows_are_their_rc_rows_with_an_xrceth_in_requests(struct kunit *test)
{
	int i;

	for (i = SRNIC_TP_XRC; i < SRNIC_TP_XRC + 0x20; i++) {
		const struct srnic_opcode *xrc = &srnic_opcode_table[i];
		const struct srnic_opcode *rc = &srnic_opcode_table[i - SRNIC_TP_XRC];
		u32 more = rc->flags & SRNIC_OPF_REQ ? SRNIC_XRCETH_LEN : 0;

		if (!(xrc->flags & SRNIC_OPF_VALID)) {
			/* IBA A19 defines no such requests of XRC */
			KUNIT_EXPECT_FALSE(test, rc->flags & ~(SRNIC_OPF_FLUSH |
					   SRNIC_OPF_ATOMIC_WRITE) & KIND_FLAGS);
			continue;
		}
		KUNIT_EXPECT_EQ(test, xrc->flags, rc->flags | (more ? SRNIC_OPF_XRCETH : 0));
		KUNIT_EXPECT_EQ(test, xrc->hdr_len, rc->hdr_len + more);
		KUNIT_EXPECT_STREQ(test, xrc->name + 4, rc->name + 3);
	}
}

/* ----------------------------------------------------------------- headers */

/* sRDMA 4.1, table 2 */
static void sth_code_gives_the_length_of_the_paper(struct kunit *test)
{
	static const u16 bits[STH_CODES] = { 0, 96, 128, 160, 224, 256, 384, 512 };
	int i;

	for (i = 0; i < STH_CODES; i++)
		KUNIT_EXPECT_EQ(test, srnic_sth_code_len(i) * 8, bits[i]);
	KUNIT_EXPECT_EQ(test, srnic_sth_code_len(7), SRNIC_STH_MAX);
}

/* Make a packet of @opcode: random fields, reserved bits zero. Return its length. */
static u32 make_packet(u32 *state, u8 *buf, u8 opcode, u8 sth_code, u32 payload)
{
	const struct srnic_opcode *opc = &srnic_opcode_table[opcode];
	u8 pad = -payload & 3;

	xorshift32_fill(state, buf, SRNIC_HDR_MAX);
	buf[0] = opcode;
	buf[1] = (buf[1] & 0xc0) | pad << 4;
	buf[4] &= 0xc0;
	buf[8] = (buf[8] & 0x88) | sth_code << 4;
	if (opc->deth)
		buf[opc->deth + 4] = 0;
	if (opc->xrceth)
		buf[opc->xrceth] = 0;
	if (opc->cnp)
		memset(buf + opc->cnp, 0, SRNIC_CNP_LEN);
	return opc->hdr_len + srnic_sth_code_len(sth_code) + payload + pad +
	       SRNIC_ICRC_LEN;
}

static void check_round_trip(struct kunit *test, u8 *buf, u32 len, u8 sth_code, u32 payload)
{
	const struct srnic_opcode *opc = &srnic_opcode_table[buf[0]];
	u8 again[SRNIC_HDR_MAX];
	struct srnic_pkt pkt;

	memset(&pkt, 0xa5, sizeof(pkt));
	KUNIT_ASSERT_EQ_MSG(test, srnic_wire_parse(&pkt, buf, len), SRNIC_WIRE_OK,
			    "opcode %#x, STH %u, payload %u", buf[0], sth_code, payload);
	KUNIT_EXPECT_TRUE(test, pkt.hdr == buf && pkt.opc == opc);
	KUNIT_EXPECT_EQ(test, pkt.len, len);
	KUNIT_EXPECT_EQ(test, pkt.hdr_len, opc->hdr_len);
	KUNIT_EXPECT_EQ(test, pkt.sth_code, sth_code);
	KUNIT_EXPECT_EQ(test, pkt.sth_len, srnic_sth_code_len(sth_code));
	KUNIT_EXPECT_EQ(test, pkt.payload_len, payload);

	memset(again, 0x5a, sizeof(again));
	if (opc->hs)
		memcpy(again + opc->hs, buf + opc->hs, SRNIC_HS_LEN);
	KUNIT_EXPECT_EQ(test, srnic_wire_build(&pkt, again), opc->hdr_len);
	KUNIT_EXPECT_MEMEQ_MSG(test, again, buf, opc->hdr_len, "opcode %#x", buf[0]);
	KUNIT_EXPECT_EQ_MSG(test, again[opc->hdr_len], 0x5a,
			    "opcode %#x writes behind its headers", buf[0]);
}

static void what_parse_reads_build_writes_back(struct kunit *test)
{
	static const u16 sizes[] = { 0, 1, 2, 3, 4, 255, 256, 4096 };
	u8 buf[SRNIC_HDR_MAX];
	unsigned int i, j;
	u32 state = 1;
	u8 sth;

	for (i = 0; i < ARRAY_SIZE(opcode_rows); i++)
		for (sth = 0; sth < STH_CODES; sth++)
			for (j = 0; j < ARRAY_SIZE(sizes); j++) {
				u8 opcode = opcode_rows[i].opcode;
				u32 len;

				if (sizes[j] && !(srnic_opcode_table[opcode].flags &
						  SRNIC_OPF_PAYLOAD))
					break;
				len = make_packet(&state, buf, opcode, sth, sizes[j]);
				check_round_trip(test, buf, len, sth, sizes[j]);
			}
}

static void parse_filled(struct kunit *test, struct srnic_pkt *pkt, u8 *buf, u32 len)
{
	memset(pkt, 0xa5, sizeof(*pkt));
	KUNIT_ASSERT_EQ_MSG(test, srnic_wire_parse(pkt, buf, len), SRNIC_WIRE_OK, "opcode %#x",
			    buf[0]);
}

/* As in opaque mode: first other bytes are in their place, then the plaintext is elsewhere. */
static void check_apart(struct kunit *test, u8 *buf, u32 len)
{
	const struct srnic_opcode *opc = &srnic_opcode_table[buf[0]];
	u8 want[SRNIC_EXT_MAX], bth[SRNIC_BTH_LEN], ext[SRNIC_EXT_MAX - SRNIC_BTH_LEN];
	unsigned int ext_len = opc->hdr_len - SRNIC_BTH_LEN;
	struct srnic_pkt pkt;

	memcpy(want, buf, sizeof(want));
	parse_filled(test, &pkt, buf, len);
	memset(ext, 0x5a, sizeof(ext));
	if (opc->hs)	/* srnic_pkt does not hold a handshake's nonces */
		memcpy(ext, buf + SRNIC_BTH_LEN, ext_len);
	KUNIT_EXPECT_EQ(test, srnic_wire_build_apart(&pkt, bth, ext), opc->hdr_len);
	KUNIT_EXPECT_MEMEQ(test, bth, want, SRNIC_BTH_LEN);
	KUNIT_EXPECT_MEMEQ_MSG(test, ext, want + SRNIC_BTH_LEN, ext_len, "opcode %#x", want[0]);

	memset(buf + SRNIC_BTH_LEN, 0x77, ext_len);
	parse_filled(test, &pkt, buf, len);
	srnic_wire_parse_ext(&pkt, ext);
	if (opc->hs)
		memcpy(buf + SRNIC_BTH_LEN, ext, ext_len);
	KUNIT_EXPECT_EQ(test, srnic_wire_build(&pkt, buf), opc->hdr_len);
	KUNIT_EXPECT_MEMEQ_MSG(test, buf, want, opc->hdr_len, "opcode %#x", want[0]);
}

static void extension_headers_may_lie_apart(struct kunit *test)
{
	u8 buf[SRNIC_HDR_MAX];
	unsigned int i;
	u32 state = 1;

	for (i = 0; i < ARRAY_SIZE(opcode_rows); i++) {
		u32 len = make_packet(&state, buf, opcode_rows[i].opcode, 3, 0);

		check_apart(test, buf, len);
	}
}

/*
 * The buffer ends exactly with the packet, so KASAN and ASan detect reads
 * beyond it.
 */
static void every_truncation_is_refused_without_a_look_beyond(struct kunit *test)
{
	u8 buf[SRNIC_HDR_MAX];
	struct srnic_pkt pkt;
	u32 state = 2, len, n;
	unsigned int i;
	u8 sth;

	for (i = 0; i < ARRAY_SIZE(opcode_rows); i++)
		for (sth = 0; sth < STH_CODES; sth++) {
			u8 opcode = opcode_rows[i].opcode;
			u32 body = srnic_opcode_table[opcode].hdr_len + SRNIC_ICRC_LEN;

			len = make_packet(&state, buf, opcode, sth, 0);
			for (n = 0; n < len; n++) {
				u32 have = min_t(u32, n, SRNIC_HDR_MAX);
				u8 *p = kmalloc(have, GFP_KERNEL);

				KUNIT_ASSERT_NOT_NULL(test, p);
				memcpy(p, buf, have);
				KUNIT_EXPECT_EQ_MSG(test, srnic_wire_parse(&pkt, p, n),
						    n < body ? SRNIC_WIRE_SHORT :
						    SRNIC_WIRE_STH,
						    "opcode %#x, STH %u, %u bytes",
						    opcode, sth, n);
				kfree(p);
			}
		}
}

static void no_byte_beyond_hdr_max_is_read(struct kunit *test)
{
	u8 *p = kunit_kzalloc(test, SRNIC_HDR_MAX, GFP_KERNEL);
	struct srnic_pkt pkt;
	u32 state = 3, len;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, p);
	for (i = 0; i < ARRAY_SIZE(opcode_rows); i++) {
		u8 opcode = opcode_rows[i].opcode;
		bool payload = srnic_opcode_table[opcode].flags & SRNIC_OPF_PAYLOAD;

		len = make_packet(&state, p, opcode, 7, payload ? 4096 : 0);
		KUNIT_EXPECT_EQ(test, srnic_wire_parse(&pkt, p, len), SRNIC_WIRE_OK);
	}
}

static void a_length_that_udp_cannot_have_is_refused(struct kunit *test)
{
	u8 buf[SRNIC_HDR_MAX];
	struct srnic_pkt pkt;
	u32 state = 4;

	make_packet(&state, buf, SRNIC_OPC_SEND_ONLY, 0, 0);
	KUNIT_EXPECT_EQ(test, srnic_wire_parse(&pkt, buf, 0xfffc), SRNIC_WIRE_OK);
	KUNIT_EXPECT_EQ(test, pkt.payload_len, 0xfffc - 16);
	KUNIT_EXPECT_EQ(test, srnic_wire_parse(&pkt, buf, 0x10000), SRNIC_WIRE_SHORT);
	/* If truncated to 16 bits, this would be 16, a valid length. */
	KUNIT_EXPECT_EQ(test, srnic_wire_parse(&pkt, buf, 0x10010), SRNIC_WIRE_SHORT);
	KUNIT_EXPECT_EQ(test, srnic_wire_parse(&pkt, buf, 0xfffffffc), SRNIC_WIRE_SHORT);
}

static void unknown_opcodes_are_refused(struct kunit *test)
{
	u8 buf[SRNIC_HDR_MAX];
	struct srnic_pkt pkt;
	u32 state = 5;
	int opcode;

	for (opcode = 0; opcode < OPCODES; opcode++) {
		if (opcode_row(opcode))
			continue;
		make_packet(&state, buf, opcode, 0, 0);
		KUNIT_EXPECT_EQ_MSG(test, srnic_wire_parse(&pkt, buf, 256),
				    SRNIC_WIRE_OPCODE, "opcode %#x", opcode);
		pkt.opcode = opcode;
		buf[0] = 0x5a;
		KUNIT_EXPECT_EQ(test, srnic_wire_build(&pkt, buf), 0U);
		KUNIT_EXPECT_EQ(test, buf[0], 0x5a);
	}
}

/* IBA 9.2: TVer is 0 */
static void another_transport_version_is_refused(struct kunit *test)
{
	u8 buf[SRNIC_HDR_MAX];
	struct srnic_pkt pkt;
	u32 state = 6, len;
	u8 tver;

	len = make_packet(&state, buf, SRNIC_OPC_SEND_ONLY, 0, 64);
	for (tver = 1; tver < 16; tver++) {
		buf[1] = (buf[1] & 0xf0) | tver;
		KUNIT_EXPECT_EQ(test, srnic_wire_parse(&pkt, buf, len),
				SRNIC_WIRE_VERSION);
	}
}

static void an_opcode_without_payload_has_neither_payload_nor_pad(struct kunit *test)
{
	u8 buf[SRNIC_HDR_MAX];
	struct srnic_pkt pkt;
	u32 state = 7, len, n;
	unsigned int i;
	u8 pad;

	for (i = 0; i < ARRAY_SIZE(opcode_rows); i++) {
		u8 opcode = opcode_rows[i].opcode;

		if (srnic_opcode_table[opcode].flags & SRNIC_OPF_PAYLOAD)
			continue;
		len = make_packet(&state, buf, opcode, 0, 0);
		for (pad = 0; pad < 4; pad++)
			for (n = 0; n < 9; n++) {
				buf[1] = (buf[1] & 0xc0) | pad << 4;
				KUNIT_EXPECT_EQ_MSG(test, srnic_wire_parse(&pkt, buf, len + n),
						    pad || n ? SRNIC_WIRE_PAD :
						    SRNIC_WIRE_OK,
						    "opcode %#x, pad %u, %u bytes",
						    opcode, pad, n);
			}
	}
}

/* IBA 9.2, PadCnt: payload and pad are a multiple of four bytes */
static void payload_and_pad_fill_whole_words(struct kunit *test)
{
	u8 buf[SRNIC_HDR_MAX];
	struct srnic_pkt pkt;
	u32 state = 8, len, n;
	u8 pad;

	len = make_packet(&state, buf, SRNIC_OPC_SEND_ONLY, 0, 0);
	for (pad = 0; pad < 4; pad++)
		for (n = 0; n < 13; n++) {
			bool good = n % 4 == 0 && n >= pad;

			buf[1] = (buf[1] & 0xc0) | pad << 4;
			KUNIT_EXPECT_EQ_MSG(test, srnic_wire_parse(&pkt, buf, len + n),
					    good ? SRNIC_WIRE_OK : SRNIC_WIRE_PAD,
					    "pad %u, %u bytes", pad, n);
			if (good)
				KUNIT_EXPECT_EQ(test, pkt.payload_len, n - pad);
		}
}

/* IBA 9.2: reserved fields are ignored on receipt, and sent as zero */
static void reserved_bits_are_ignored_and_sent_as_zero(struct kunit *test)
{
	u8 buf[SRNIC_HDR_MAX], again[SRNIC_HDR_MAX];
	struct srnic_pkt pkt;
	u32 state = 9, len;

	len = make_packet(&state, buf, SRNIC_TP_UD | SRNIC_OPC_SEND_ONLY, 3, 0);
	memcpy(again, buf, sizeof(buf));
	buf[4] |= 0x3f;
	buf[16] = 0xff;
	KUNIT_ASSERT_EQ(test, srnic_wire_parse(&pkt, buf, len), SRNIC_WIRE_OK);
	KUNIT_EXPECT_LE(test, pkt.dqpn, 0xffffffU);
	KUNIT_EXPECT_LE(test, pkt.sqpn, 0xffffffU);
	KUNIT_EXPECT_LE(test, pkt.psn, 0xffffffU);
	KUNIT_EXPECT_EQ(test, pkt.sth_code, 3);
	KUNIT_EXPECT_EQ(test, srnic_wire_build(&pkt, buf), 20U);
	KUNIT_EXPECT_MEMEQ(test, buf, again, 20);

	len = make_packet(&state, buf, SRNIC_TP_XRC | SRNIC_OPC_SEND_ONLY, 0, 0);
	memcpy(again, buf, sizeof(buf));
	buf[12] = 0xff;
	KUNIT_ASSERT_EQ(test, srnic_wire_parse(&pkt, buf, len), SRNIC_WIRE_OK);
	KUNIT_EXPECT_LE(test, pkt.srqn, 0xffffffU);
	KUNIT_EXPECT_EQ(test, srnic_wire_build(&pkt, buf), 16U);
	KUNIT_EXPECT_MEMEQ(test, buf, again, 16);
}

/* protocol.md: bits; IBA 9.2 */
static void bits_of_the_bth_are_where_the_specification_has_them(struct kunit *test)
{
	u8 buf[20] = { 0x04, 0x00, 0x12, 0x34, 0x00, 0xab, 0xcd, 0xef,
		       0x00, 0x01, 0x02, 0x03 };
	struct srnic_pkt pkt;

	KUNIT_ASSERT_EQ(test, srnic_wire_parse(&pkt, buf, 16), SRNIC_WIRE_OK);
	KUNIT_EXPECT_FALSE(test, pkt.se || pkt.mig || pkt.fecn || pkt.becn || pkt.ackreq ||
			   pkt.echo || pkt.gap);
	KUNIT_EXPECT_EQ(test, pkt.pkey, 0x1234);
	KUNIT_EXPECT_EQ(test, pkt.dqpn, 0xabcdefU);
	KUNIT_EXPECT_EQ(test, pkt.psn, 0x010203U);

	buf[1] = 0x80;
	buf[4] = 0x80;
	buf[8] = 0x80;
	KUNIT_ASSERT_EQ(test, srnic_wire_parse(&pkt, buf, 16), SRNIC_WIRE_OK);
	KUNIT_EXPECT_TRUE(test, pkt.se && !pkt.mig && pkt.fecn && !pkt.becn && pkt.ackreq);
	KUNIT_EXPECT_EQ(test, pkt.sth_code, 0);

	buf[8] = 0x05;
	KUNIT_ASSERT_EQ(test, srnic_wire_parse(&pkt, buf, 16), SRNIC_WIRE_OK);
	KUNIT_EXPECT_TRUE(test, !pkt.ackreq && !pkt.echo && !pkt.sth_code);
	KUNIT_EXPECT_EQ(test, pkt.gap, 5);
	KUNIT_EXPECT_EQ(test, pkt.psn, 0x010203U);

	buf[1] = 0x40 | 1 << 4;
	buf[4] = 0x40;
	buf[8] = 0x08;
	KUNIT_ASSERT_EQ(test, srnic_wire_parse(&pkt, buf, 20), SRNIC_WIRE_OK);
	KUNIT_EXPECT_TRUE(test, pkt.echo);
	KUNIT_EXPECT_EQ(test, pkt.psn, 0x010203U);
	KUNIT_EXPECT_TRUE(test, !pkt.se && pkt.mig && !pkt.fecn && pkt.becn && !pkt.ackreq);
	KUNIT_EXPECT_EQ(test, pkt.pad, 1);
	KUNIT_EXPECT_EQ(test, pkt.payload_len, 3);
}

/* Parse a packet whose bytes behind the BTH are 0x10, 0x11, ... */
static void parse_counting(struct kunit *test, struct srnic_pkt *pkt, u8 opcode)
{
	u8 buf[SRNIC_HDR_MAX] = { opcode };
	int i;

	for (i = SRNIC_BTH_LEN; i < SRNIC_EXT_MAX; i++)
		buf[i] = 0x10 + i - SRNIC_BTH_LEN;
	memset(pkt, 0xa5, sizeof(*pkt));
	KUNIT_ASSERT_EQ(test, srnic_wire_parse(pkt, buf, srnic_opcode_table[opcode].hdr_len +
					       SRNIC_ICRC_LEN), SRNIC_WIRE_OK);
	pkt->hdr = NULL;
}

/* IBA 9.3 */
static void fields_of_extension_headers_are_where_the_specification_has_them(struct kunit *test)
{
	struct srnic_pkt pkt;

	parse_counting(test, &pkt, 0x0b);	/* RETH, ImmDt */
	KUNIT_EXPECT_EQ(test, pkt.va, 0x1011121314151617ULL);
	KUNIT_EXPECT_EQ(test, pkt.rkey, 0x18191a1bU);
	KUNIT_EXPECT_EQ(test, pkt.dmalen, 0x1c1d1e1fU);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(pkt.imm), 0x20212223U);

	parse_counting(test, &pkt, 0x13);	/* AtomicETH */
	KUNIT_EXPECT_EQ(test, pkt.va, 0x1011121314151617ULL);
	KUNIT_EXPECT_EQ(test, pkt.rkey, 0x18191a1bU);
	KUNIT_EXPECT_EQ(test, pkt.swap_add, 0x1c1d1e1f20212223ULL);
	KUNIT_EXPECT_EQ(test, pkt.compare, 0x2425262728292a2bULL);

	parse_counting(test, &pkt, 0x12);	/* AETH, AtomicAckETH */
	KUNIT_EXPECT_EQ(test, pkt.syndrome, 0x10);
	KUNIT_EXPECT_EQ(test, pkt.msn, 0x111213U);
	KUNIT_EXPECT_EQ(test, pkt.orig, 0x1415161718191a1bULL);

	parse_counting(test, &pkt, 0x17);	/* IETH */
	KUNIT_EXPECT_EQ(test, pkt.rkey, 0x10111213U);

	parse_counting(test, &pkt, 0x1c);	/* FETH, RETH */
	KUNIT_EXPECT_EQ(test, pkt.feth, 0x10111213U);
	KUNIT_EXPECT_EQ(test, pkt.va, 0x1415161718191a1bULL);
	KUNIT_EXPECT_EQ(test, pkt.rkey, 0x1c1d1e1fU);
	KUNIT_EXPECT_EQ(test, pkt.dmalen, 0x20212223U);

	parse_counting(test, &pkt, 0x65);	/* DETH, ImmDt */
	KUNIT_EXPECT_EQ(test, pkt.qkey, 0x10111213U);
	KUNIT_EXPECT_EQ(test, pkt.sqpn, 0x151617U);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(pkt.imm), 0x18191a1bU);

	parse_counting(test, &pkt, 0xab);	/* XRCETH, RETH, ImmDt */
	KUNIT_EXPECT_EQ(test, pkt.srqn, 0x111213U);
	KUNIT_EXPECT_EQ(test, pkt.va, 0x1415161718191a1bULL);
	KUNIT_EXPECT_EQ(test, pkt.rkey, 0x1c1d1e1fU);
	KUNIT_EXPECT_EQ(test, pkt.dmalen, 0x20212223U);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(pkt.imm), 0x24252627U);
	KUNIT_EXPECT_FALSE(test, pkt.qkey);
}

static void fields_that_an_opcode_does_not_have_read_as_zero(struct kunit *test)
{
	struct srnic_pkt pkt;

	parse_counting(test, &pkt, SRNIC_OPC_SEND_ONLY);
	KUNIT_EXPECT_FALSE(test, pkt.va || pkt.swap_add || pkt.compare || pkt.orig);
	KUNIT_EXPECT_FALSE(test, pkt.rkey || pkt.dmalen || pkt.feth || pkt.imm || pkt.qkey);
	KUNIT_EXPECT_FALSE(test, pkt.sqpn || pkt.srqn || pkt.msn || pkt.syndrome);
	parse_counting(test, &pkt, SRNIC_OPC_SEND_ONLY_INV);
	KUNIT_EXPECT_FALSE(test, pkt.va || pkt.dmalen || pkt.imm);
}

static void fields_wider_than_the_wire_do_not_spill(struct kunit *test)
{
	struct srnic_pkt pkt = {
		.opcode = SRNIC_OPC_ACK, .dqpn = 0xff123456, .psn = 0xffabcdef,
		.msn = 0xff010203, .syndrome = 0x1f, .sth_code = 0xfa, .pad = 0xff,
	};
	static const u8 want[] = { 0x11, 0x30, 0, 0, 0, 0x12, 0x34, 0x56,
				   0x20, 0xab, 0xcd, 0xef, 0x1f, 1, 2, 3 };
	u8 buf[SRNIC_EXT_MAX];

	KUNIT_ASSERT_EQ(test, srnic_wire_build(&pkt, buf), sizeof(want));
	KUNIT_EXPECT_MEMEQ(test, buf, want, sizeof(want));
}

/* --------------------------------------------------------------------- PSN */

/* IBA 9.7.2 */
static void psn_addition_wraps_at_24_bits(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, srnic_psn_add(0, 1), 1U);
	KUNIT_EXPECT_EQ(test, srnic_psn_add(0xffffff, 1), 0U);
	KUNIT_EXPECT_EQ(test, srnic_psn_add(0xfffff0, 0x20), 0x10U);
	KUNIT_EXPECT_EQ(test, srnic_psn_add(5, (u32)-6), 0xffffffU);
	KUNIT_EXPECT_EQ(test, srnic_psn_add(7, 0x1000000), 7U);
}

static void psn_distance_is_signed_across_the_wrap(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, srnic_psn_diff(0, 0xffffff), 1);
	KUNIT_EXPECT_EQ(test, srnic_psn_diff(0xffffff, 0), -1);
	KUNIT_EXPECT_EQ(test, srnic_psn_diff(0x10, 0xfffff0), 0x20);
	KUNIT_EXPECT_EQ(test, srnic_psn_diff(0xfffff0, 0x10), -0x20);
	KUNIT_EXPECT_EQ(test, srnic_psn_diff(0x123456, 0x123456), 0);
	KUNIT_EXPECT_EQ(test, srnic_psn_since(0, 0xffffff), 1);
	KUNIT_EXPECT_EQ(test, srnic_psn_since(0xffffff, 0), 0xffffff);
	KUNIT_EXPECT_EQ(test, srnic_psn_since(0x10, 0xfffff0), 0x20);
}

/* IBA 9.7.2: half of the space is ahead, half behind */
static void psn_distance_has_its_edges_at_half_the_space(struct kunit *test)
{
	static const u32 base[] = { 0, 1, 0x7fffff, 0x800000, 0x800001, 0xffffff };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(base); i++) {
		u32 b = base[i];

		KUNIT_EXPECT_EQ(test, srnic_psn_diff(srnic_psn_add(b, 0x7fffff), b),
				0x7fffff);
		KUNIT_EXPECT_EQ(test, srnic_psn_diff(srnic_psn_add(b, 0x800000), b),
				-0x800000);
		KUNIT_EXPECT_EQ(test, srnic_psn_diff(srnic_psn_add(b, 0x800001), b),
				-0x7fffff);
	}
}

static void psn_distance_undoes_addition(struct kunit *test)
{
	u32 state = 10;
	int i;

	for (i = 0; i < 10000; i++) {
		u32 a = xorshift32(&state) & SRNIC_PSN_MASK;
		u32 b = xorshift32(&state) & SRNIC_PSN_MASK;

		KUNIT_EXPECT_EQ(test, srnic_psn_add(b, srnic_psn_diff(a, b)), a);
		KUNIT_EXPECT_EQ(test, srnic_psn_add(b, srnic_psn_since(a, b)), a);
	}
}

/* --------------------------------------------------------------------- CRC */

#define CRC_TEST_MAX	10000

/*
 * zlib.crc32(bytes((i * 7 + 3) & 255 for i in range(LEN))); lengths on both
 * sides of every change of method: tables, carry-less multiplication, blocks
 */
static const struct {
	u32 len;
	u32 crc;
} crc_vectors[] = {
	{ 0, 0x00000000 }, { 1, 0x4b0bbe37 }, { 3, 0x6d58af33 },
	{ 4, 0x7ed34e62 }, { 15, 0x7c619edc }, { 16, 0x191f3d9f },
	{ 63, 0xb7350c2a }, { 64, 0xcbd9ecf0 }, { 78, 0xd06ab5de },
	{ 79, 0xf8bdaeac }, { 80, 0x3f42d103 }, { 255, 0x8af1eb92 },
	{ 256, 0x78825239 }, { 257, 0x1476b46d }, { 511, 0x46184a93 },
	{ 1023, 0x5a999f20 }, { 1024, 0x5d3de8ed }, { 2047, 0xbde618ac },
	{ 2048, 0xb9d45861 }, { 2049, 0x71073ba1 }, { 4095, 0x9f8aeba2 },
	{ 4096, 0x5e4e1995 }, { 4097, 0xcb3097e5 }, { 4352, 0x2b269e9c },
	{ 8192, 0xb65ef7bf }, { 8193, 0x10634edd }, { 9000, 0x3182588b },
	{ 10000, 0xd5e50a16 },
};

static u8 *crc_pattern(struct kunit *test, unsigned int shift)
{
	u8 *p = kunit_kmalloc(test, CRC_TEST_MAX + shift, GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, p);
	for (i = 0; i < CRC_TEST_MAX; i++)
		p[shift + i] = i * 7 + 3;
	return p + shift;
}

static void crc_is_that_of_ieee_802_3(struct kunit *test)
{
	/* the check value of the CRC catalogues */
	KUNIT_EXPECT_EQ(test, ~srnic_crc_update(~0U, "123456789", 9), 0xcbf43926U);
	KUNIT_EXPECT_EQ(test, ~srnic_crc_update(~0U, "", 0), 0U);
	KUNIT_EXPECT_EQ(test, ~srnic_crc_update(~0U, "a", 1), 0xe8b7be43U);
}

static void crc_agrees_with_zlib_at_every_length_and_alignment(struct kunit *test)
{
	unsigned int i, shift;

	for (shift = 0; shift < 17; shift++) {
		u8 *p = crc_pattern(test, shift);

		for (i = 0; i < ARRAY_SIZE(crc_vectors); i++)
			KUNIT_EXPECT_EQ_MSG(test,
					    ~srnic_crc_update(~0U, p, crc_vectors[i].len),
					    crc_vectors[i].crc, "%u bytes, offset %u",
					    crc_vectors[i].len, shift);
	}
}

static void crc_of_pieces_is_that_of_the_whole(struct kunit *test)
{
	u8 *p = crc_pattern(test, 0);
	u32 whole = srnic_crc_update(~0U, p, 5000);
	unsigned int cut;

	for (cut = 0; cut <= 5000; cut += cut < 600 ? 1 : 97)
		KUNIT_EXPECT_EQ(test, whole,
				srnic_crc_update(srnic_crc_update(~0U, p, cut),
						 p + cut, 5000 - cut));
}

static void crc_of_a_shortened_run_is_that_of_the_run(struct kunit *test)
{
	unsigned int len;

	for (len = SRNIC_CRC_SHORTEN_MIN; len <= 4200; len += len < 400 || len > 4080 ? 1 : 61) {
		u8 *p = crc_pattern(test, len % 8);
		u8 rest[SRNIC_CRC_REST];
		size_t done;
		u32 crc;

		done = srnic_crc_shorten(0x12345678, p, len, rest);
		KUNIT_EXPECT_EQ(test, done, (size_t)round_down(len, 8));
		crc = srnic_crc_update(0, rest, sizeof(rest));
		KUNIT_EXPECT_EQ_MSG(test, srnic_crc_update(crc, p + done, len - done),
				    srnic_crc_update(0x12345678, p, len), "%u bytes", len);
	}
}

#ifdef SRNIC_CRC_CLMUL
/* Use pieces that are too short for any method but the tables. */
static u32 crc_by_tables(u32 crc, const u8 *p, size_t len)
{
	while (len) {
		size_t n = min_t(size_t, len, SRNIC_CRC_SHORTEN_MIN - 1);

		crc = srnic_crc_update(crc, p, n);
		p += n;
		len -= n;
	}
	return crc;
}

static void crc_of_a_folded_run_is_that_of_the_run(struct kunit *test)
{
	unsigned int len;

	if (!srnic_crc_can_fold())
		kunit_skip(test, "this processor does not multiply without carries");

	for (len = SRNIC_CRC_FOLD_MIN; len <= 4300; len += SRNIC_CRC_LANE) {
		u8 *p = crc_pattern(test, len / SRNIC_CRC_LANE % SRNIC_CRC_LANE);
		u32 crc = 0x12345678;

		KUNIT_ASSERT_TRUE(test, srnic_crc_fold(&crc, p, len));
		KUNIT_EXPECT_EQ_MSG(test, crc, crc_by_tables(0x12345678, p, len), "%u bytes", len);
	}
}
#endif

/* -------------------------------------------------------------------- ICRC */

static void ends_of(struct srnic_ends *ends, const u8 *ip)
{
	memset(ends, 0, sizeof(*ends));
	ends->v4 = ip[0] >> 4 == 4;
	memcpy(ends->iph, ip, ends->v4 ? 20 : 40);
	memcpy(&ends->sport, ip + (ends->v4 ? 20 : 40), 2);
	memcpy(&ends->dport, ip + (ends->v4 ? 22 : 42), 2);
}

static u32 l3_len(const u8 *ip)
{
	return ip[0] >> 4 == 4 ? 20 : 40;
}

/* Compute the ICRC of the packet @ip of @len bytes with srnic's functions for @ends. */
static u32 icrc_of(const struct srnic_ends *ends, u16 id, const u8 *ip, u32 len)
{
	const u8 *bth = ip + l3_len(ip) + 8;
	u32 covered = len - l3_len(ip) - 8 - SRNIC_ICRC_LEN;
	struct srnic_icrc_base base = { };
	u32 crc = srnic_icrc_begin(&base, ends, id, len - l3_len(ip), bth);

	return le32_to_cpu(srnic_icrc_end(srnic_crc_update(crc, bth, covered)));
}

KUNIT_ARRAY_PARAM_DESC(icrc, icrc_vectors, name);

/* Compute the CRC over an IPv4 packet's headers up to its BTH, as the annex describes it. */
static u32 icrc_headers_plainly(const struct srnic_ends *ends, u16 id, u16 udp_len, const u8 *bth)
{
	u8 buf[8 + 20 + 8 + SRNIC_BTH_LEN];
	u8 *iph = buf + 8, *udp = iph + 20;

	memset(buf, 0xff, sizeof(buf));
	memcpy(iph, ends->iph, 20);
	iph[1] = 0xff;
	put_unaligned_be16(20 + udp_len, iph + 2);
	put_unaligned_be16(id, iph + 4);
	iph[8] = 0xff;
	put_unaligned_be16(0xffff, iph + 10);
	memcpy(udp, &ends->sport, 2);
	memcpy(udp + 2, &ends->dport, 2);
	put_unaligned_be16(udp_len, udp + 4);
	memcpy(udp + 8, bth, SRNIC_BTH_LEN);
	udp[8 + 4] = 0xff;
	return srnic_crc_update(~0U, buf, sizeof(buf));
}

/* Compute the same with srnic's functions, including the BTH. */
static u32 icrc_headers(struct srnic_icrc_base *base, const struct srnic_ends *ends, u16 id,
			u16 udp_len, const u8 *bth)
{
	u32 crc = srnic_icrc_begin(base, ends, id, udp_len, bth);

	return srnic_crc_update(crc, bth, SRNIC_BTH_LEN);
}

static void icrc_takes_any_byte_that_may_change_for_ones(struct kunit *test)
{
	struct srnic_ends ends = { .v4 = true, .iph = { 0x45 } };
	u8 bth[SRNIC_BTH_LEN] = { 4, 0x40, 0xff, 0xff, 0, 1, 2, 3, 0x80, 4, 5, 6 };
	unsigned int byte;

	for (byte = 0; byte <= U8_MAX; byte++) {
		struct srnic_icrc_base base = { };

		bth[4] = byte;
		KUNIT_EXPECT_EQ_MSG(test, icrc_headers(&base, &ends, 1, 36, bth),
				    icrc_headers_plainly(&ends, 1, 36, bth), "byte %#x", byte);
	}
}

static void icrc_base_serves_packets_of_any_id_and_length(struct kunit *test)
{
	static const u8 bth[SRNIC_BTH_LEN] = { 4, 0x40, 0xff, 0xff, 0x40, 1, 2, 3, 0x80, 4, 5, 6 };
	struct srnic_ends ends = { .v4 = true, .sport = cpu_to_be16(0xd123) };
	struct srnic_icrc_base base = { };
	unsigned int id;

	for (id = 0; id < sizeof(ends.iph); id++)
		ends.iph[id] = id * 37 + 1;
	for (id = 0; id <= U16_MAX; id += id < 0x120 ? 1 : 0x77) {
		u16 udp_len = id & 0x100 ? 4132 : 36;

		KUNIT_EXPECT_EQ_MSG(test, icrc_headers(&base, &ends, id, udp_len, bth),
				    icrc_headers_plainly(&ends, id, udp_len, bth), "id %#x", id);
	}
}

static u32 icrc_of_headers(const struct srnic_ends *ends)
{
	static const u8 bth[SRNIC_BTH_LEN] = { 4, 0x40, 0xff, 0xff };
	struct srnic_icrc_base base = { };

	return srnic_icrc_begin(&base, ends, 1, 4132, bth);
}

/* If one bit of the IP header differs, either the ICRC changes or a base can be shared. */
static void icrc_base_is_shared_where_headers_make_no_difference(struct kunit *test)
{
	unsigned int v4, bit;

	for (v4 = 0; v4 < 2; v4++) {
		struct srnic_ends a = { .v4 = v4, .iph = { v4 ? 0x45 : 0x60 } };
		struct srnic_ends b = a;

		for (bit = 0; bit < (v4 ? 20 : 40) * 8; bit++) {
			b.iph[bit / 8] ^= 1 << bit % 8;
			KUNIT_EXPECT_EQ_MSG(test, srnic_icrc_alike(&a, &b),
					    icrc_of_headers(&a) == icrc_of_headers(&b),
					    "IPv%c, bit %u", v4 ? '4' : '6', bit);
			b.iph[bit / 8] ^= 1 << bit % 8;
		}
		b.sport = cpu_to_be16(1);
		KUNIT_EXPECT_FALSE(test, srnic_icrc_alike(&a, &b));
		b.sport = a.sport;
		b.dport = cpu_to_be16(1);
		KUNIT_EXPECT_FALSE(test, srnic_icrc_alike(&a, &b));
	}
}

/* IBA 7.8.1, RoCEv2 annex A17.3.3 */
static void icrc_is_that_of_the_wire(struct kunit *test)
{
	const struct icrc_vector *v = test->param_value;
	struct srnic_ends ends;

	ends_of(&ends, v->ip);
	KUNIT_EXPECT_EQ(test, icrc_of(&ends, get_unaligned_be16(v->ip + 4), v->ip, v->len),
			get_unaligned_le32(v->ip + v->len - SRNIC_ICRC_LEN));
}

static void packet_of_another_implementation_is_understood(struct kunit *test)
{
	const struct icrc_vector *v = test->param_value;
	u32 skip = l3_len(v->ip) + 8;
	u8 buf[SRNIC_HDR_MAX];
	struct srnic_pkt pkt;

	memcpy(buf, v->ip + skip, min_t(u32, v->len - skip, sizeof(buf)));
	if (!v->known) {
		KUNIT_EXPECT_NE(test, srnic_wire_parse(&pkt, buf, v->len - skip),
				SRNIC_WIRE_OK);
		return;
	}
	KUNIT_ASSERT_EQ(test, srnic_wire_parse(&pkt, buf, v->len - skip), SRNIC_WIRE_OK);
	KUNIT_EXPECT_EQ(test, pkt.opcode, v->opcode);
	KUNIT_EXPECT_EQ(test, pkt.psn, v->psn);
	KUNIT_EXPECT_EQ(test, pkt.dqpn, v->dqpn);
	KUNIT_EXPECT_EQ(test, pkt.pkey, v->pkey);
	KUNIT_EXPECT_EQ(test, pkt.pad, v->pad);
	KUNIT_EXPECT_EQ(test, pkt.sth_code, v->sth_code);
	KUNIT_EXPECT_EQ(test, pkt.payload_len, v->payload_len);
	KUNIT_EXPECT_TRUE(test, pkt.ackreq == v->ackreq && pkt.se == v->se &&
			  pkt.mig == v->mig && pkt.becn == v->becn && pkt.fecn == v->fecn);
}

/*
 * Super-packets: only the first segment's IP header is given, and each
 * segment's id and length.
 */
static void icrc_of_a_segment_follows_from_the_first_ones_header(struct kunit *test)
{
	struct srnic_ends ends;
	unsigned int i;
	u16 id = 0;

	for (i = 0; i < ARRAY_SIZE(icrc_segments); i++) {
		const struct icrc_vector *v = &icrc_segments[i];

		if (i % 3 == 0) {
			ends_of(&ends, v->ip);
			id = get_unaligned_be16(v->ip + 4);
		}
		KUNIT_EXPECT_EQ_MSG(test, icrc_of(&ends, id + i % 3, v->ip, v->len),
				    get_unaligned_le32(v->ip + v->len - 4), "%s", v->name);
	}
}

/* Tell whether routers and switches may change bit @bit of the packet. */
static bool is_variant(const u8 *ip, u32 bit)
{
	u32 l3 = l3_len(ip), byte = bit / 8;

	if (byte == l3 + 6 || byte == l3 + 7)	/* UDP checksum */
		return true;
	if (byte == l3 + 8 + 4)			/* FECN, BECN, reserved */
		return true;
	if (ip[0] >> 4 == 4)	/* TOS, TTL, checksum */
		return byte == 1 || byte == 8 || byte == 10 || byte == 11;
	/* traffic class, flow label, hop limit */
	return (bit >= 4 && bit < 32) || byte == 7;
}

/* Tell whether srnic does not take this byte from the header: lengths, version and port. */
static bool not_from_the_header(const u8 *ip, u32 byte)
{
	u32 l3 = l3_len(ip);

	if (byte == 0 || (byte >= l3 + 2 && byte < l3 + 6))
		return true;
	return l3 == 20 ? byte == 2 || byte == 3 : byte == 4 || byte == 5;
}

/* IBA 7.8.1: every changed invariant bit is detected, every changed variant bit is not. */
static void icrc_covers_every_invariant_bit_and_no_variant_one(struct kunit *test)
{
	const struct icrc_vector *v = test->param_value;
	u8 *ip = kunit_kmalloc(test, v->len, GFP_KERNEL);
	struct srnic_ends ends;
	u32 want, bit;

	KUNIT_ASSERT_NOT_NULL(test, ip);
	memcpy(ip, v->ip, v->len);
	want = get_unaligned_le32(v->ip + v->len - SRNIC_ICRC_LEN);
	for (bit = 0; bit < 8 * (v->len - SRNIC_ICRC_LEN); bit++) {
		bool same;

		if (not_from_the_header(ip, bit / 8) && !is_variant(ip, bit))
			continue;
		ip[bit / 8] ^= 0x80 >> bit % 8;
		ends_of(&ends, ip);
		same = icrc_of(&ends, get_unaligned_be16(ip + 4), ip, v->len) == want;
		KUNIT_EXPECT_EQ_MSG(test, same, is_variant(v->ip, bit), "bit %u", bit);
		ip[bit / 8] ^= 0x80 >> bit % 8;
	}
}

/* -------------------------------------------------------------------- LIDs */

/* computed by zlib.crc32 of Python; the last two of each kind are the ends of the range */
static const struct lid_row {
	u8 gid[16];
	u16 lid;
} lid_rows[] = {
	{ { 0xfe, 0x80, [15] = 1 }, 0x8832 },
	{ { 0xfe, 0x80, [8] = 0x50, 0x54, 0, 0xff, 0xfe, 0x12, 0x34, 0x56 }, 0x4996 },
	{ { 0xfe, 0x80, [14] = 0x1a, 0x2a }, 0x0001 },
	{ { 0xfe, 0x80, [14] = 0x4b, 0xad }, 0xbfff },
}, mlid_rows[] = {
	{ { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [12] = 0xff, 0xff, 0xff, 0xff }, 0xdf36 },
	{ { 0xff, 0x12, 0x60, 0x1b, 0xff, 0xff, [15] = 1 }, 0xe137 },
	{ { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [14] = 0xad, 0xed }, 0xc000 },
	{ { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [14] = 0x4b, 0x3b }, 0xfffd },
};

static void lids_are_the_crc_of_the_guid_in_the_unicast_range(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lid_rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, srnic_gid_lid(lid_rows[i].gid), lid_rows[i].lid,
				    "row %u", i);
}

static void mlids_are_the_crc_of_the_mgid_in_the_multicast_range(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mlid_rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, srnic_mgid_lid(mlid_rows[i].gid), mlid_rows[i].lid,
				    "row %u", i);
}

static void a_lid_does_not_depend_on_the_subnet_prefix(struct kunit *test)
{
	u8 gid[16];

	memcpy(gid, lid_rows[1].gid, sizeof(gid));
	gid[7] = 1;
	KUNIT_EXPECT_EQ(test, srnic_gid_lid(gid), lid_rows[1].lid);
}

/* protocol.md, section 1: the kind enters each key, whatever the source port is */
static void the_udp_port_tells_the_kind_of_port(struct kunit *test)
{
	struct srnic_ends ends = { .sport = cpu_to_be16(4792) };

	ends.dport = cpu_to_be16(4791);
	KUNIT_EXPECT_EQ(test, srnic_ends_kind(&ends), 0U);
	ends.dport = cpu_to_be16(4792);
	KUNIT_EXPECT_EQ(test, srnic_ends_kind(&ends), 0x01000000U);
	ends.sport = cpu_to_be16(4791);
	KUNIT_EXPECT_EQ(test, srnic_ends_kind(&ends), 0x01000000U);
	/* not the same port in the other byte order */
	ends.dport = cpu_to_be16(0xb812);
	KUNIT_EXPECT_EQ(test, srnic_ends_kind(&ends), 0U);
}

/* IBA 10.9.3 */
static void members_of_one_partition_match_unless_both_are_limited(struct kunit *test)
{
	static const struct {
		u16 a, b;
		bool match;
	} rows[] = {
		{ 0xffff, 0xffff, true },
		{ 0xffff, 0x7fff, true },
		{ 0x7fff, 0xffff, true },
		{ 0x7fff, 0x7fff, false },
		{ 0x8001, 0x8001, true },
		{ 0x8001, 0x0001, true },
		{ 0x0001, 0x0001, false },
		{ 0x8001, 0x8002, false },
		{ 0xffff, 0x8001, false },
		/* no partition, as in an empty entry */
		{ 0x0000, 0x0000, false },
		{ 0x8000, 0x8000, false },
		{ 0x0000, 0x8000, false },
		{ 0x0000, 0xffff, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, srnic_pkey_match(rows[i].a, rows[i].b), rows[i].match,
				    "row %u", i);
}

static struct kunit_case wire_cases[] = {
	KUNIT_CASE(only_opcodes_of_the_specification_are_valid),
	KUNIT_CASE(extension_headers_follow_the_bth_in_order_without_gaps),
	KUNIT_CASE(first_and_middle_fill_the_mtu_and_only_they),
	KUNIT_CASE(every_opcode_but_that_of_a_cnp_is_either_request_or_response),
	KUNIT_CASE(every_opcode_belongs_to_one_operation),
	KUNIT_CASE(a_receive_is_consumed_by_the_end_of_send_and_write_with_imm),
	KUNIT_CASE(uc_rows_equal_their_rc_rows),
	KUNIT_CASE(xrc_rows_are_their_rc_rows_with_an_xrceth_in_requests),
	KUNIT_CASE(sth_code_gives_the_length_of_the_paper),
	KUNIT_CASE(what_parse_reads_build_writes_back),
	KUNIT_CASE(extension_headers_may_lie_apart),
	KUNIT_CASE_SLOW(every_truncation_is_refused_without_a_look_beyond),
	KUNIT_CASE(no_byte_beyond_hdr_max_is_read),
	KUNIT_CASE(a_length_that_udp_cannot_have_is_refused),
	KUNIT_CASE(unknown_opcodes_are_refused),
	KUNIT_CASE(another_transport_version_is_refused),
	KUNIT_CASE(an_opcode_without_payload_has_neither_payload_nor_pad),
	KUNIT_CASE(payload_and_pad_fill_whole_words),
	KUNIT_CASE(reserved_bits_are_ignored_and_sent_as_zero),
	KUNIT_CASE(bits_of_the_bth_are_where_the_specification_has_them),
	KUNIT_CASE(fields_of_extension_headers_are_where_the_specification_has_them),
	KUNIT_CASE(fields_that_an_opcode_does_not_have_read_as_zero),
	KUNIT_CASE(fields_wider_than_the_wire_do_not_spill),
	KUNIT_CASE(psn_addition_wraps_at_24_bits),
	KUNIT_CASE(psn_distance_is_signed_across_the_wrap),
	KUNIT_CASE(psn_distance_has_its_edges_at_half_the_space),
	KUNIT_CASE(psn_distance_undoes_addition),
	KUNIT_CASE(crc_is_that_of_ieee_802_3),
	KUNIT_CASE(crc_agrees_with_zlib_at_every_length_and_alignment),
	KUNIT_CASE(crc_of_pieces_is_that_of_the_whole),
	KUNIT_CASE(crc_of_a_shortened_run_is_that_of_the_run),
#ifdef SRNIC_CRC_CLMUL
	KUNIT_CASE(crc_of_a_folded_run_is_that_of_the_run),
#endif
	KUNIT_CASE(icrc_takes_any_byte_that_may_change_for_ones),
	KUNIT_CASE(icrc_base_serves_packets_of_any_id_and_length),
	KUNIT_CASE(icrc_base_is_shared_where_headers_make_no_difference),
	KUNIT_CASE_PARAM(icrc_is_that_of_the_wire, icrc_gen_params),
	KUNIT_CASE_PARAM(packet_of_another_implementation_is_understood, icrc_gen_params),
	KUNIT_CASE(icrc_of_a_segment_follows_from_the_first_ones_header),
	KUNIT_CASE_PARAM(icrc_covers_every_invariant_bit_and_no_variant_one,
			 icrc_gen_params),
	KUNIT_CASE(lids_are_the_crc_of_the_guid_in_the_unicast_range),
	KUNIT_CASE(mlids_are_the_crc_of_the_mgid_in_the_multicast_range),
	KUNIT_CASE(a_lid_does_not_depend_on_the_subnet_prefix),
	KUNIT_CASE(the_udp_port_tells_the_kind_of_port),
	KUNIT_CASE(members_of_one_partition_match_unless_both_are_limited),
	{}
};

static struct kunit_suite wire_suite = {
	.name = "srnic-wire",
	.test_cases = wire_cases,
};

kunit_test_suite(wire_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's wire room");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
