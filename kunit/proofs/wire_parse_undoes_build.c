// SPDX-License-Identifier: GPL-2.0
/*
 * proves: parse(build(packet)) equals the packet, for every opcode
 * cites: IBA 9.2, 9.3, 9.6
 * files: wire/header.c wire/opcode.c
 * soak-unwind: 13
 * broken: wire/header.c: `put_unaligned_be64(pkt->compare, p + 20);`
 *	=> `put_unaligned_be64(pkt->compare, p + 12);`
 * broken: wire/header.c: `flags |= BTH_MIG;` => `flags |= BTH_SE;`
 * broken: wire/header.c: `pkt->imm = 0;` => `;`
 * broken: wire/header.c: `#define BTH_STH_SHIFT	28` => `#define BTH_STH_SHIFT	27`
 */
#include "proof.h"
#include "wire/wire.h"

#define FITS_24(x)	((x) <= 0xffffff)
#define RETH		SRNIC_OPF_RETH
#define ATOMIC		SRNIC_OPF_ATOMIC_ETH

int main(void)
{
	struct srnic_pkt pkt, back;
	u8 buf[SRNIC_HDR_MAX];
	unsigned int hdr_len;
	u32 flags, len;

	ANY_BYTES(&pkt);
	pkt.se = nondet_bool();
	pkt.mig = nondet_bool();
	pkt.ackreq = nondet_bool();
	pkt.echo = nondet_bool();
	pkt.fecn = nondet_bool();
	pkt.becn = nondet_bool();
	ANY_BYTES(&back);
	ANY_BYTES(buf);
	flags = srnic_opcode_table[pkt.opcode].flags;
	GIVEN(flags & SRNIC_OPF_VALID);
	GIVEN(pkt.pad < 4 && pkt.sth_code < 8 && pkt.gap < 8);
	GIVEN(FITS_24(pkt.dqpn) && FITS_24(pkt.psn) && FITS_24(pkt.sqpn) && FITS_24(pkt.msn));
	GIVEN(pkt.payload_len <= 4096 && (pkt.payload_len + pkt.pad) % 4 == 0);
	GIVEN(flags & SRNIC_OPF_PAYLOAD ? pkt.payload_len || !pkt.pad :
	      !pkt.payload_len && !pkt.pad);

	hdr_len = srnic_wire_build(&pkt, buf);
	PROVE(hdr_len >= SRNIC_BTH_LEN && hdr_len <= SRNIC_EXT_MAX);
	len = hdr_len + srnic_sth_code_len(pkt.sth_code) + pkt.payload_len + pkt.pad +
	      SRNIC_ICRC_LEN;
	PROVE(srnic_wire_parse(&back, buf, len) == SRNIC_WIRE_OK);

	PROVE(back.opcode == pkt.opcode && back.hdr_len == hdr_len);
	PROVE(back.payload_len == pkt.payload_len && back.pad == pkt.pad);
	PROVE(back.sth_code == pkt.sth_code && back.pkey == pkt.pkey);
	PROVE(back.dqpn == pkt.dqpn && back.psn == pkt.psn);
	PROVE(back.se == pkt.se && back.mig == pkt.mig && back.ackreq == pkt.ackreq);
	PROVE(back.fecn == pkt.fecn && back.becn == pkt.becn && back.echo == pkt.echo);
	PROVE(back.gap == pkt.gap);

	/* Fields that an opcode does not have read as zero. */
	PROVE(back.va == (flags & (RETH | ATOMIC) ? pkt.va : 0));
	PROVE(back.rkey == (flags & (RETH | ATOMIC | SRNIC_OPF_IETH) ? pkt.rkey : 0));
	PROVE(back.dmalen == (flags & RETH ? pkt.dmalen : 0));
	PROVE(back.feth == (flags & SRNIC_OPF_FETH ? pkt.feth : 0));
	PROVE(back.swap_add == (flags & ATOMIC ? pkt.swap_add : 0));
	PROVE(back.compare == (flags & ATOMIC ? pkt.compare : 0));
	PROVE(back.syndrome == (flags & SRNIC_OPF_AETH ? pkt.syndrome : 0));
	PROVE(back.msn == (flags & SRNIC_OPF_AETH ? pkt.msn : 0));
	PROVE(back.orig == (flags & SRNIC_OPF_ATOMIC_ACK ? pkt.orig : 0));
	PROVE(back.imm == (flags & SRNIC_OPF_IMM ? pkt.imm : 0));
	PROVE(back.qkey == (flags & SRNIC_OPF_DETH ? pkt.qkey : 0));
	PROVE(back.sqpn == (flags & (SRNIC_OPF_DETH | SRNIC_OPF_XRCETH) ? pkt.sqpn : 0));
	POSSIBLE();
	return 0;
}
