// SPDX-License-Identifier: GPL-2.0
/*
 * The opcode table: contents of each BTH opcode's packets, and their offsets.
 *
 * IBA 9.2 (table 38), A14 and A19 define the opcodes and their extension headers, IBA
 * 9.3 and A19 the sizes of the headers. Offsets are sums of sizes, so that no row can
 * contradict itself; kunit/wire_test.c compares the rows with each other.
 * Opcodes without a row are not supported: RD is obsolete.
 */
#include "export.h"
#include "wire/wire.h"

/* Requests and responses of an operation */
#define RQ(op)		(SRNIC_OPF_VALID | SRNIC_OPF_REQ | SRNIC_OPF_##op)
#define RS(op)		(SRNIC_OPF_VALID | SRNIC_OPF_RESP | SRNIC_OPF_##op)

/*
 * Position in the message. FIRST and MIDDLE fill the path MTU exactly (IBA
 * C9-92): a responder finds each packet's offset by counting.
 */
#define P_FIRST		(SRNIC_OPF_PAYLOAD | SRNIC_OPF_FIRST | SRNIC_OPF_FULL)
#define P_MIDDLE	(SRNIC_OPF_PAYLOAD | SRNIC_OPF_FULL)
#define P_LAST		(SRNIC_OPF_PAYLOAD | SRNIC_OPF_LAST)
#define P_ONLY		(SRNIC_OPF_PAYLOAD | SRNIC_OPF_FIRST | SRNIC_OPF_LAST)
#define P_BARE		(SRNIC_OPF_FIRST | SRNIC_OPF_LAST)	/* no payload */
#define P_LAST_RWR	(P_LAST | SRNIC_OPF_RWR)
#define P_ONLY_RWR	(P_ONLY | SRNIC_OPF_RWR)

/* Extension headers behind the BTH, and their flags */
#define H_NONE(f) \
	.flags = (f), \
	.hdr_len = SRNIC_BTH_LEN

#define H_IMM(f) \
	.flags = (f) | SRNIC_OPF_IMM, \
	.imm = SRNIC_BTH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_IMM_LEN

#define H_IETH(f) \
	.flags = (f) | SRNIC_OPF_IETH, \
	.ieth = SRNIC_BTH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_IETH_LEN

#define H_RETH(f) \
	.flags = (f) | SRNIC_OPF_RETH, \
	.reth = SRNIC_BTH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_RETH_LEN

#define H_RETH_IMM(f) \
	.flags = (f) | SRNIC_OPF_RETH | SRNIC_OPF_IMM, \
	.reth = SRNIC_BTH_LEN, \
	.imm = SRNIC_BTH_LEN + SRNIC_RETH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_RETH_LEN + SRNIC_IMM_LEN

#define H_ATOMIC(f) \
	.flags = (f) | SRNIC_OPF_ATOMIC_ETH, \
	.atomic = SRNIC_BTH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_ATOMIC_ETH_LEN

/* Those of requests of XRC, which all have an XRCETH in front (IBA A14) */
#define XRCETH_END	(SRNIC_BTH_LEN + SRNIC_XRCETH_LEN)

#define X_NONE(f) \
	.flags = (f) | SRNIC_OPF_XRCETH, \
	.xrceth = SRNIC_BTH_LEN, \
	.hdr_len = XRCETH_END

#define X_IMM(f) \
	.flags = (f) | SRNIC_OPF_XRCETH | SRNIC_OPF_IMM, \
	.xrceth = SRNIC_BTH_LEN, \
	.imm = XRCETH_END, \
	.hdr_len = XRCETH_END + SRNIC_IMM_LEN

#define X_IETH(f) \
	.flags = (f) | SRNIC_OPF_XRCETH | SRNIC_OPF_IETH, \
	.xrceth = SRNIC_BTH_LEN, \
	.ieth = XRCETH_END, \
	.hdr_len = XRCETH_END + SRNIC_IETH_LEN

#define X_RETH(f) \
	.flags = (f) | SRNIC_OPF_XRCETH | SRNIC_OPF_RETH, \
	.xrceth = SRNIC_BTH_LEN, \
	.reth = XRCETH_END, \
	.hdr_len = XRCETH_END + SRNIC_RETH_LEN

#define X_RETH_IMM(f) \
	.flags = (f) | SRNIC_OPF_XRCETH | SRNIC_OPF_RETH | SRNIC_OPF_IMM, \
	.xrceth = SRNIC_BTH_LEN, \
	.reth = XRCETH_END, \
	.imm = XRCETH_END + SRNIC_RETH_LEN, \
	.hdr_len = XRCETH_END + SRNIC_RETH_LEN + SRNIC_IMM_LEN

#define X_ATOMIC(f) \
	.flags = (f) | SRNIC_OPF_XRCETH | SRNIC_OPF_ATOMIC_ETH, \
	.xrceth = SRNIC_BTH_LEN, \
	.atomic = XRCETH_END, \
	.hdr_len = XRCETH_END + SRNIC_ATOMIC_ETH_LEN

#define H_FETH_RETH(f) \
	.flags = (f) | SRNIC_OPF_FETH | SRNIC_OPF_RETH, \
	.feth = SRNIC_BTH_LEN, \
	.reth = SRNIC_BTH_LEN + SRNIC_FETH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_FETH_LEN + SRNIC_RETH_LEN

#define H_AETH(f) \
	.flags = (f) | SRNIC_OPF_AETH, \
	.aeth = SRNIC_BTH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_AETH_LEN

#define H_ATOMIC_ACK(f) \
	.flags = (f) | SRNIC_OPF_AETH | SRNIC_OPF_ATOMIC_ACK, \
	.aeth = SRNIC_BTH_LEN, \
	.atomic_ack = SRNIC_BTH_LEN + SRNIC_AETH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_AETH_LEN + SRNIC_ATOMIC_ACK_LEN

#define H_DETH(f) \
	.flags = (f) | SRNIC_OPF_DETH, \
	.deth = SRNIC_BTH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_DETH_LEN

#define H_DETH_IMM(f) \
	.flags = (f) | SRNIC_OPF_DETH | SRNIC_OPF_IMM, \
	.deth = SRNIC_BTH_LEN, \
	.imm = SRNIC_BTH_LEN + SRNIC_DETH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_DETH_LEN + SRNIC_IMM_LEN

#define H_NONCES(f) \
	.flags = (f), \
	.hs = SRNIC_BTH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_HS_LEN

#define H_RESERVED(f) \
	.flags = (f), \
	.cnp = SRNIC_BTH_LEN, \
	.hdr_len = SRNIC_BTH_LEN + SRNIC_CNP_LEN

static_assert(XRCETH_END + SRNIC_RETH_LEN + SRNIC_IMM_LEN <= SRNIC_EXT_MAX);
static_assert(XRCETH_END + SRNIC_ATOMIC_ETH_LEN <= SRNIC_EXT_MAX);
static_assert(SRNIC_BTH_LEN + SRNIC_HS_LEN <= SRNIC_EXT_MAX);

#define ROW(tp, opc, headers) \
	[SRNIC_TP_##tp | SRNIC_OPC_##opc] = { .name = #tp "_" #opc, headers }

/* not specific to a transport */
#define OWN_ROW(opc, headers) \
	[SRNIC_OPC_##opc] = { .name = #opc, headers }

const struct srnic_opcode srnic_opcode_table[256] = {
	/* Reliable connection */
	ROW(RC, SEND_FIRST,		H_NONE(RQ(SEND) | P_FIRST)),
	ROW(RC, SEND_MIDDLE,		H_NONE(RQ(SEND) | P_MIDDLE)),
	ROW(RC, SEND_LAST,		H_NONE(RQ(SEND) | P_LAST_RWR)),
	ROW(RC, SEND_LAST_IMM,		H_IMM(RQ(SEND) | P_LAST_RWR)),
	ROW(RC, SEND_LAST_INV,		H_IETH(RQ(SEND) | P_LAST_RWR)),
	ROW(RC, SEND_ONLY,		H_NONE(RQ(SEND) | P_ONLY_RWR)),
	ROW(RC, SEND_ONLY_IMM,		H_IMM(RQ(SEND) | P_ONLY_RWR)),
	ROW(RC, SEND_ONLY_INV,		H_IETH(RQ(SEND) | P_ONLY_RWR)),
	ROW(RC, WRITE_FIRST,		H_RETH(RQ(WRITE) | P_FIRST)),
	ROW(RC, WRITE_MIDDLE,		H_NONE(RQ(WRITE) | P_MIDDLE)),
	ROW(RC, WRITE_LAST,		H_NONE(RQ(WRITE) | P_LAST)),
	ROW(RC, WRITE_LAST_IMM,		H_IMM(RQ(WRITE) | P_LAST_RWR)),
	ROW(RC, WRITE_ONLY,		H_RETH(RQ(WRITE) | P_ONLY)),
	ROW(RC, WRITE_ONLY_IMM,		H_RETH_IMM(RQ(WRITE) | P_ONLY_RWR)),
	ROW(RC, READ_REQ,		H_RETH(RQ(READ) | P_BARE)),
	ROW(RC, READ_RESP_FIRST,	H_AETH(RS(READ) | P_FIRST)),
	ROW(RC, READ_RESP_MIDDLE,	H_NONE(RS(READ) | P_MIDDLE)),
	ROW(RC, READ_RESP_LAST,		H_AETH(RS(READ) | P_LAST)),
	ROW(RC, READ_RESP_ONLY,		H_AETH(RS(READ) | P_ONLY)),
	ROW(RC, ACK,			H_AETH(RS(ACK) | P_BARE)),
	ROW(RC, ATOMIC_ACK,		H_ATOMIC_ACK(RS(ATOMIC) | P_BARE)),
	ROW(RC, CMP_SWAP,		H_ATOMIC(RQ(ATOMIC) | P_BARE)),
	ROW(RC, FETCH_ADD,		H_ATOMIC(RQ(ATOMIC) | P_BARE)),
	ROW(RC, FLUSH,			H_FETH_RETH(RQ(FLUSH) | P_BARE)),
	ROW(RC, ATOMIC_WRITE,		H_RETH(RQ(ATOMIC_WRITE) | P_ONLY)),

	/* Unreliable connection: no responses, and no operations that need one */
	ROW(UC, SEND_FIRST,		H_NONE(RQ(SEND) | P_FIRST)),
	ROW(UC, SEND_MIDDLE,		H_NONE(RQ(SEND) | P_MIDDLE)),
	ROW(UC, SEND_LAST,		H_NONE(RQ(SEND) | P_LAST_RWR)),
	ROW(UC, SEND_LAST_IMM,		H_IMM(RQ(SEND) | P_LAST_RWR)),
	ROW(UC, SEND_ONLY,		H_NONE(RQ(SEND) | P_ONLY_RWR)),
	ROW(UC, SEND_ONLY_IMM,		H_IMM(RQ(SEND) | P_ONLY_RWR)),
	ROW(UC, WRITE_FIRST,		H_RETH(RQ(WRITE) | P_FIRST)),
	ROW(UC, WRITE_MIDDLE,		H_NONE(RQ(WRITE) | P_MIDDLE)),
	ROW(UC, WRITE_LAST,		H_NONE(RQ(WRITE) | P_LAST)),
	ROW(UC, WRITE_LAST_IMM,		H_IMM(RQ(WRITE) | P_LAST_RWR)),
	ROW(UC, WRITE_ONLY,		H_RETH(RQ(WRITE) | P_ONLY)),
	ROW(UC, WRITE_ONLY_IMM,		H_RETH_IMM(RQ(WRITE) | P_ONLY_RWR)),

	/* Extended reliable connection (IBA A14): requests name a shared receive queue */
	ROW(XRC, SEND_FIRST,		X_NONE(RQ(SEND) | P_FIRST)),
	ROW(XRC, SEND_MIDDLE,		X_NONE(RQ(SEND) | P_MIDDLE)),
	ROW(XRC, SEND_LAST,		X_NONE(RQ(SEND) | P_LAST_RWR)),
	ROW(XRC, SEND_LAST_IMM,		X_IMM(RQ(SEND) | P_LAST_RWR)),
	ROW(XRC, SEND_LAST_INV,		X_IETH(RQ(SEND) | P_LAST_RWR)),
	ROW(XRC, SEND_ONLY,		X_NONE(RQ(SEND) | P_ONLY_RWR)),
	ROW(XRC, SEND_ONLY_IMM,		X_IMM(RQ(SEND) | P_ONLY_RWR)),
	ROW(XRC, SEND_ONLY_INV,		X_IETH(RQ(SEND) | P_ONLY_RWR)),
	ROW(XRC, WRITE_FIRST,		X_RETH(RQ(WRITE) | P_FIRST)),
	ROW(XRC, WRITE_MIDDLE,		X_NONE(RQ(WRITE) | P_MIDDLE)),
	ROW(XRC, WRITE_LAST,		X_NONE(RQ(WRITE) | P_LAST)),
	ROW(XRC, WRITE_LAST_IMM,	X_IMM(RQ(WRITE) | P_LAST_RWR)),
	ROW(XRC, WRITE_ONLY,		X_RETH(RQ(WRITE) | P_ONLY)),
	ROW(XRC, WRITE_ONLY_IMM,	X_RETH_IMM(RQ(WRITE) | P_ONLY_RWR)),
	ROW(XRC, READ_REQ,		X_RETH(RQ(READ) | P_BARE)),
	ROW(XRC, CMP_SWAP,		X_ATOMIC(RQ(ATOMIC) | P_BARE)),
	ROW(XRC, FETCH_ADD,		X_ATOMIC(RQ(ATOMIC) | P_BARE)),
	/* and responses are those of RC */
	ROW(XRC, READ_RESP_FIRST,	H_AETH(RS(READ) | P_FIRST)),
	ROW(XRC, READ_RESP_MIDDLE,	H_NONE(RS(READ) | P_MIDDLE)),
	ROW(XRC, READ_RESP_LAST,	H_AETH(RS(READ) | P_LAST)),
	ROW(XRC, READ_RESP_ONLY,	H_AETH(RS(READ) | P_ONLY)),
	ROW(XRC, ACK,			H_AETH(RS(ACK) | P_BARE)),
	ROW(XRC, ATOMIC_ACK,		H_ATOMIC_ACK(RS(ATOMIC) | P_BARE)),

	/* Unreliable datagram: each message is one packet */
	ROW(UD, SEND_ONLY,		H_DETH(RQ(SEND) | P_ONLY_RWR)),
	ROW(UD, SEND_ONLY_IMM,		H_DETH_IMM(RQ(SEND) | P_ONLY_RWR)),

	/* Congestion notification, for a QP of any transport */
	OWN_ROW(CNP,			H_RESERVED(SRNIC_OPF_VALID | SRNIC_OPF_CNP)),

	/* Freshness handshake of the STH (Documentation/protocol.md): no PSN, no message */
	OWN_ROW(HELLO,			H_NONCES(RQ(HS))),
	OWN_ROW(HELLO_ACK,		H_NONCES(RS(HS))),
	OWN_ROW(CONFIRM,			H_NONCES(RQ(HS))),
	OWN_ROW(CONFIRM_ACK,		H_NONCES(RS(HS))),
};

SRNIC_EXPORT_FOR_KUNIT(srnic_opcode_table);
