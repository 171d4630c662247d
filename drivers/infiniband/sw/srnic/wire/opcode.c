// SPDX-License-Identifier: GPL-2.0
/*
 * The opcode table: what each BTH opcode carries, and where.
 *
 * IBA 9.2.1 (table 38) gives the opcodes and their extension headers, IBA 9.3 the
 * headers' sizes. Every offset below is a sum of sizes, so that a row cannot
 * contradict itself; kunit/wire_test.c checks the rows against each other.
 */
#include "export.h"
#include "wire/wire.h"

#define RQ	(SRNIC_OPF_VALID | SRNIC_OPF_REQ)
#define RS	(SRNIC_OPF_VALID | SRNIC_OPF_RESP)

/*
 * A packet's place in its message. FIRST and MIDDLE fill the path MTU exactly
 * (IBA 9.7.5.1.2 for requests, 9.7.5.1.4 for responses): the message's length
 * follows from the number of packets and the last one's size.
 */
#define FIRST	(SRNIC_OPF_PAYLOAD | SRNIC_OPF_FIRST | SRNIC_OPF_FULL)
#define MIDDLE	(SRNIC_OPF_PAYLOAD | SRNIC_OPF_FULL)
#define LAST	(SRNIC_OPF_PAYLOAD | SRNIC_OPF_LAST)
#define ONLY	(SRNIC_OPF_PAYLOAD | SRNIC_OPF_FIRST | SRNIC_OPF_LAST)
#define BARE	(SRNIC_OPF_FIRST | SRNIC_OPF_LAST)	/* no payload at all */

#define SEND	SRNIC_OPF_SEND
#define WRITE	SRNIC_OPF_WRITE
#define READ	SRNIC_OPF_READ
#define ATOMIC	SRNIC_OPF_ATOMIC
#define RWR	SRNIC_OPF_RWR

/* The extension headers that follow the BTH, with the flags that announce them. */
#define NONE(f) \
	.flags = (f), \
	.hdr_len = SRNIC_BTH_LEN

#define IMM(f) \
	.flags = (f) | SRNIC_OPF_IMM, \
	.imm = SRNIC_BTH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_IMM_LEN

#define IETH(f) \
	.flags = (f) | SRNIC_OPF_IETH, \
	.ieth = SRNIC_BTH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_IETH_LEN

#define RETH(f) \
	.flags = (f) | SRNIC_OPF_RETH, \
	.reth = SRNIC_BTH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_RETH_LEN

#define RETH_IMM(f) \
	.flags = (f) | SRNIC_OPF_RETH | SRNIC_OPF_IMM, \
	.reth = SRNIC_BTH_LEN, \
	.imm = SRNIC_BTH_LEN + SRNIC_RETH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_RETH_LEN + SRNIC_IMM_LEN

#define ATOMIC_ETH(f) \
	.flags = (f) | SRNIC_OPF_ATOMIC_ETH, \
	.atomic = SRNIC_BTH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_ATOMIC_ETH_LEN

#define AETH(f) \
	.flags = (f) | SRNIC_OPF_AETH, \
	.aeth = SRNIC_BTH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_AETH_LEN

#define AETH_ATOMIC(f) \
	.flags = (f) | SRNIC_OPF_AETH | SRNIC_OPF_ATOMIC_ACK, \
	.aeth = SRNIC_BTH_LEN, \
	.atomic_ack = SRNIC_BTH_LEN + SRNIC_AETH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_AETH_LEN + SRNIC_ATOMIC_ACK_LEN

#define DETH(f) \
	.flags = (f) | SRNIC_OPF_DETH, \
	.deth = SRNIC_BTH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_DETH_LEN

#define DETH_IMM(f) \
	.flags = (f) | SRNIC_OPF_DETH | SRNIC_OPF_IMM, \
	.deth = SRNIC_BTH_LEN, \
	.imm = SRNIC_BTH_LEN + SRNIC_DETH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_DETH_LEN + SRNIC_IMM_LEN

#define NONCES(f) \
	.flags = (f) | SRNIC_OPF_HS, \
	.hs = SRNIC_BTH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_HS_LEN

#define ROW(transport, opcode) \
	[SRNIC_TP_##transport | SRNIC_OPC_##opcode] = { .name = #transport "_" #opcode,

/* SEND and RDMA WRITE are the same over both connected transports. */
#define SEND_ROWS(tp) \
	ROW(tp, SEND_FIRST)	NONE(RQ | SEND | FIRST) }, \
	ROW(tp, SEND_MIDDLE)	NONE(RQ | SEND | MIDDLE) }, \
	ROW(tp, SEND_LAST)	NONE(RQ | SEND | LAST | RWR) }, \
	ROW(tp, SEND_LAST_IMM)	IMM(RQ | SEND | LAST | RWR) }, \
	ROW(tp, SEND_ONLY)	NONE(RQ | SEND | ONLY | RWR) }, \
	ROW(tp, SEND_ONLY_IMM)	IMM(RQ | SEND | ONLY | RWR) }
