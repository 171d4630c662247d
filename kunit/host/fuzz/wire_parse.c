// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz srnic_wire_parse(): it must not read outside the packet, and
 * srnic_wire_build() must write back accepted packets bit by bit.
 *
 * Input: two bytes that extend the packet beyond the bytes present (payload
 * that is not contiguous), then the packet.
 */
#include "fuzz/fuzz.h"
#include "wire/wire.h"

/* Reserved bits are not kept. */
static void clear_reserved(const struct srnic_opcode *opc, u8 *hdr)
{
	hdr[4] &= 0xc0;
	if (opc->deth)
		hdr[opc->deth + 4] = 0;
	if (opc->xrceth)
		hdr[opc->xrceth] = 0;
	if (opc->cnp)
		memset(hdr + opc->cnp, 0, SRNIC_CNP_LEN);
}

static void check_packet(const struct srnic_pkt *pkt, u8 *hdr, u32 len)
{
	u8 again[SRNIC_EXT_MAX];

	CHECK(pkt->len == len);
	CHECK(pkt->pad < 4 && (pkt->payload_len + pkt->pad) % 4 == 0);
	CHECK(pkt->payload_len || !pkt->pad);
	CHECK(pkt->sth_len == srnic_sth_code_len(pkt->sth_code));
	CHECK(len == pkt->hdr_len + pkt->sth_len + pkt->payload_len + pkt->pad +
		     SRNIC_ICRC_LEN);
	CHECK(pkt->psn <= SRNIC_PSN_MASK && pkt->dqpn <= 0xffffff);

	memcpy(again, hdr, pkt->hdr_len);	/* for the nonces of a handshake */
	CHECK(srnic_wire_build(pkt, again) == pkt->hdr_len);
	clear_reserved(pkt->opc, hdr);
	CHECK(!memcmp(hdr, again, pkt->hdr_len));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct srnic_pkt pkt;
	u32 len, have;
	u8 *hdr;

	if (size < 2)
		return 0;
	len = size - 2;
	if (len >= SRNIC_HDR_MAX)
		len += get_unaligned_be16(data);
	have = min_t(u32, len, SRNIC_HDR_MAX);

	hdr = malloc(have);	/* exact size, so that ASan detects reads past its end */
	memcpy(hdr, data + 2, have);
	memset(&pkt, 0xa5, sizeof(pkt));
	if (srnic_wire_parse(&pkt, hdr, len) == SRNIC_WIRE_OK)
		check_packet(&pkt, hdr, len);
	free(hdr);
	return 0;
}

/*
 * Choose a valid opcode, version 0, and a length that fits its headers: the
 * checks that reject other packets first are soon explored.
 */
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max_size, unsigned int seed)
{
	const struct srnic_opcode *opc;
	size_t least, want;
	u8 *hdr = data + 2;

	size = LLVMFuzzerMutate(data, size, max_size);
	if (seed % 4 == 0 || size < 2 + SRNIC_BTH_LEN)
		return size;
	while (!(srnic_opcode_table[hdr[0]].flags & SRNIC_OPF_VALID))
		hdr[0]++;
	hdr[1] &= 0xf0;
	opc = &srnic_opcode_table[hdr[0]];
	least = opc->hdr_len + srnic_sth_code_len(hdr[8] >> 4) + SRNIC_ICRC_LEN;
	want = least;
	if (opc->flags & SRNIC_OPF_PAYLOAD && size > 2 + least)
		want = round_down(size - 2, 4);
	if (want == least)
		hdr[1] &= 0xcf;
	if (2 + want > max_size)
		return size;
	if (size < 2 + want)
		memset(data + size, seed, 2 + want - size);
	return 2 + want;
}
