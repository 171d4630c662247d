// SPDX-License-Identifier: GPL-2.0
/*
 * proves: parsing stays inside any packet, and the lengths of its parts add up to its own
 * cites: IBA 9.2, 9.3; R1
 * files: wire/header.c wire/opcode.c
 * unwind: 13
 * broken: wire/header.c: `if (len < opc->hdr_len + SRNIC_ICRC_LEN)`
 *	=> `if (len < SRNIC_BTH_LEN)`
 * broken: wire/header.c: `len < SRNIC_BTH_LEN + SRNIC_ICRC_LEN ||` => `len < SRNIC_ICRC_LEN ||`
 * broken: wire/header.c: `|| len > U16_MAX` => ` `
 * broken: wire/header.c: `(!rest && pkt->pad)` => `0`
 * broken: wire/opcode.c: `.imm = SRNIC_BTH_LEN + SRNIC_DETH_LEN` => `.imm = SRNIC_EXT_MAX`
 */
#include "proof.h"
#include "wire/wire.h"

int main(void)
{
	u32 len = nondet_u32();
	/* exactly the bytes that srnic_wire_parse() requires */
	u8 *hdr = any_memory(min_t(u32, len, SRNIC_HDR_MAX));
	struct srnic_pkt pkt;

	ANY_BYTES(&pkt);
	if (srnic_wire_parse(&pkt, hdr, len) != SRNIC_WIRE_OK) {
		POSSIBLE();
		return 0;
	}
	PROVE(pkt.opc == &srnic_opcode_table[hdr[0]] && pkt.opc->flags & SRNIC_OPF_VALID);
	PROVE(pkt.hdr == hdr && pkt.len == len);
	PROVE(pkt.hdr_len == pkt.opc->hdr_len && pkt.hdr_len <= SRNIC_EXT_MAX);
	PROVE(pkt.sth_len == srnic_sth_code_len(pkt.sth_code));
	PROVE((u32)pkt.hdr_len + pkt.sth_len + pkt.payload_len + pkt.pad + SRNIC_ICRC_LEN ==
	      len);
	PROVE(pkt.pad < 4 && (pkt.payload_len + pkt.pad) % 4 == 0);
	PROVE(pkt.payload_len || !pkt.pad);
	PROVE(!pkt.payload_len || pkt.opc->flags & SRNIC_OPF_PAYLOAD);
	PROVE(pkt.psn <= SRNIC_PSN_MASK && pkt.dqpn <= 0xffffff);
	PROVE(pkt.sqpn <= 0xffffff && pkt.msn <= 0xffffff);
	POSSIBLE();
	return 0;
}
