/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RoCEv2 headers, opcodes, PSN arithmetic and CRC.
 *
 * Pure C, without ib_core, sk_buffs, locks, or calls into the rest of srnic. It
 * also builds in user space (kunit/host), where it is fuzzed and verified.
 */
#ifndef SRNIC_WIRE_H
#define SRNIC_WIRE_H

#ifdef __KERNEL__
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/unaligned.h>
#include <asm/byteorder.h>
#else
#include "shim.h"
#endif

/* UDP destination ports: of RoCEv2 (IBA annex A17.4.4), and of InfiniBand ports (protocol.md) */
#define SRNIC_ROCE_PORT		4791
#define SRNIC_IB_PORT		4792
/* Bit of the source port of packets to the latter: they have a GRH (protocol.md) */
#define SRNIC_IB_SPORT_GRH	0x4000

/* Header lengths in bytes, IBA 9.2-9.3 */
#define SRNIC_BTH_LEN		12
#define SRNIC_DETH_LEN		8
#define SRNIC_RETH_LEN		16
#define SRNIC_ATOMIC_ETH_LEN	28
#define SRNIC_AETH_LEN		4
#define SRNIC_ATOMIC_ACK_LEN	8
#define SRNIC_IMM_LEN		4
#define SRNIC_IETH_LEN		4
#define SRNIC_FETH_LEN		4	/* IBA A19 */
#define SRNIC_XRCETH_LEN	4	/* IBA A14 */
#define SRNIC_ICRC_LEN		4
#define SRNIC_STH_MAX		64	/* 512 bits, sRDMA 4.1 */
/* longest extension headers with a payload: WRITE ONLY with immediate; XRC's have an XRCETH, too */
#define SRNIC_PAYLOAD_EXT_MAX	(SRNIC_RETH_LEN + SRNIC_IMM_LEN)
#define SRNIC_HS_LEN		72	/* handshake body: sth/pure.h */
#define SRNIC_CNP_LEN		16	/* reserved bytes of a CNP, IBA A17.9.3 */
/* longest BTH and extension headers: those of a handshake, longer than BTH + AtomicETH */
#define SRNIC_EXT_MAX		(SRNIC_BTH_LEN + SRNIC_HS_LEN)
#define SRNIC_HDR_MAX		(SRNIC_EXT_MAX + SRNIC_STH_MAX)
#define SRNIC_GRH_LEN		40

/* Opcodes, IBA table 38 (the top three bits are the transport) */
#define SRNIC_TP_RC		0x00
#define SRNIC_TP_UC		0x20
#define SRNIC_TP_UD		0x60
#define SRNIC_TP_XRC		0xa0
#define SRNIC_TP_MASK		0xe0
#define SRNIC_OPC_MASK		0x1f

enum srnic_base_opcode {
	SRNIC_OPC_SEND_FIRST		= 0x00,
	SRNIC_OPC_SEND_MIDDLE		= 0x01,
	SRNIC_OPC_SEND_LAST		= 0x02,
	SRNIC_OPC_SEND_LAST_IMM		= 0x03,
	SRNIC_OPC_SEND_ONLY		= 0x04,
	SRNIC_OPC_SEND_ONLY_IMM		= 0x05,
	SRNIC_OPC_WRITE_FIRST		= 0x06,
	SRNIC_OPC_WRITE_MIDDLE		= 0x07,
	SRNIC_OPC_WRITE_LAST		= 0x08,
	SRNIC_OPC_WRITE_LAST_IMM	= 0x09,
	SRNIC_OPC_WRITE_ONLY		= 0x0a,
	SRNIC_OPC_WRITE_ONLY_IMM	= 0x0b,
	SRNIC_OPC_READ_REQ		= 0x0c,
	SRNIC_OPC_READ_RESP_FIRST	= 0x0d,
	SRNIC_OPC_READ_RESP_MIDDLE	= 0x0e,
	SRNIC_OPC_READ_RESP_LAST	= 0x0f,
	SRNIC_OPC_READ_RESP_ONLY	= 0x10,
	SRNIC_OPC_ACK			= 0x11,
	SRNIC_OPC_ATOMIC_ACK		= 0x12,
	SRNIC_OPC_CMP_SWAP		= 0x13,
	SRNIC_OPC_FETCH_ADD		= 0x14,
	SRNIC_OPC_SEND_LAST_INV		= 0x16,
	SRNIC_OPC_SEND_ONLY_INV		= 0x17,
	/* IBA A19 */
	SRNIC_OPC_FLUSH			= 0x1c,
	SRNIC_OPC_ATOMIC_WRITE		= 0x1d,
	/* UD: SRNIC_TP_UD | SEND_ONLY(_IMM); XRC: SRNIC_TP_XRC |, without those of A19 */
	/* congestion notification, IBA A17.9.3: neither request nor response */
	SRNIC_OPC_CNP			= 0x81,
	/* manufacturer opcodes, IBA 9.2.1: STH's freshness handshake */
	SRNIC_OPC_HELLO			= 0xc0,
	SRNIC_OPC_HELLO_ACK		= 0xc1,
	SRNIC_OPC_CONFIRM		= 0xc2,
	SRNIC_OPC_CONFIRM_ACK		= 0xc3,
};

/* Contents and effects of an opcode: flags of a row of srnic_opcode_table */
#define SRNIC_OPF_VALID		BIT(0)
#define SRNIC_OPF_REQ		BIT(1)	/* requester to responder */
#define SRNIC_OPF_RESP		BIT(2)	/* responder to requester */
#define SRNIC_OPF_FIRST		BIT(3)	/* starts a message (FIRST or ONLY) */
#define SRNIC_OPF_LAST		BIT(4)	/* ends a message (LAST or ONLY) */
#define SRNIC_OPF_PAYLOAD	BIT(5)	/* may carry payload */
#define SRNIC_OPF_FULL		BIT(6)	/* payload must be exactly the path MTU */
#define SRNIC_OPF_SEND		BIT(7)
#define SRNIC_OPF_WRITE		BIT(8)
#define SRNIC_OPF_READ		BIT(9)	/* READ request or response */
#define SRNIC_OPF_ATOMIC	BIT(10)
#define SRNIC_OPF_ACK		BIT(11)	/* ACK, NAK, RNR NAK */
#define SRNIC_OPF_RETH		BIT(12)
#define SRNIC_OPF_ATOMIC_ETH	BIT(13)
#define SRNIC_OPF_AETH		BIT(14)
#define SRNIC_OPF_ATOMIC_ACK	BIT(15)
#define SRNIC_OPF_IMM		BIT(16)
#define SRNIC_OPF_IETH		BIT(17)
#define SRNIC_OPF_DETH		BIT(18)
#define SRNIC_OPF_HS		BIT(19)	/* handshake: the body is two nonces */
#define SRNIC_OPF_RWR		BIT(20)	/* consumes a receive WQE (at its last packet) */
#define SRNIC_OPF_CNP		BIT(21)
#define SRNIC_OPF_FLUSH		BIT(22)
#define SRNIC_OPF_ATOMIC_WRITE	BIT(23)
#define SRNIC_OPF_FETH		BIT(24)	/* never without a RETH, which follows it */
#define SRNIC_OPF_XRCETH	BIT(25)	/* never with a DETH */

struct srnic_opcode {
	const char *name;
	u32 flags;
	u8 hdr_len;		/* BTH and all extension headers, bytes */
	/* offsets of headers; 0: absent */
	u8 reth, atomic, aeth, atomic_ack, imm, ieth, deth, hs, cnp, feth, xrceth;
};

extern const struct srnic_opcode srnic_opcode_table[256];

/* FETH, IBA A19: placement types, then selectivity; the other bits are reserved */
#define SRNIC_FETH_GLOBAL	BIT(0)
#define SRNIC_FETH_PERSISTENT	BIT(1)
#define SRNIC_FETH_TYPES	(SRNIC_FETH_GLOBAL | SRNIC_FETH_PERSISTENT)
#define SRNIC_FETH_REGION	BIT(4)	/* the whole region, not the range of the RETH */
#define SRNIC_FETH_BITS		(SRNIC_FETH_TYPES | SRNIC_FETH_REGION)

/* AETH syndrome, IBA 9.7.5.2.1 */
#define SRNIC_AETH_TYPE		0x60
#define SRNIC_AETH_ACK		0x00
#define SRNIC_AETH_RNR		0x20
#define SRNIC_AETH_NAK		0x60
#define SRNIC_AETH_VALUE	0x1f
#define SRNIC_CREDIT_NONE	0x1f	/* "no credits": end-to-end flow control off */

enum srnic_nak {
	SRNIC_NAK_PSN_SEQ	= 0,
	SRNIC_NAK_INVALID_REQ	= 1,
	SRNIC_NAK_REM_ACCESS	= 2,
	SRNIC_NAK_REM_OP	= 3,
	SRNIC_NAK_INV_RD	= 4,
};

/* Compare two GIDs inline, as words: the kernel's memcmp() is a call and a loop. */
static inline bool srnic_gid_equal(const u8 a[16], const u8 b[16])
{
	return get_unaligned_le64(a) == get_unaligned_le64(b) &&
	       get_unaligned_le64(a + 8) == get_unaligned_le64(b + 8);
}

/* Tell whether a GID is in 224.0.0.0/4 in mapped form, or in ff00::/8. */
static inline bool srnic_gid_is_multicast(const u8 gid[16])
{
	if (!get_unaligned_be64(gid) && get_unaligned_be32(gid + 8) == 0xffff)
		return (gid[12] & 0xf0) == 0xe0;
	return gid[0] == 0xff;
}

/**
 * struct srnic_ends - the IP and UDP fields that a burst's packets share
 * @sgid: source address, IPv4 in mapped form (::ffff:a.b.c.d)
 * @dgid: destination address, in the same form
 * @sport: UDP source port
 * @dport: UDP destination port
 * @v4: IPv4 underlay
 * @iph: IP header of the first packet as on the wire, 20 or 40 bytes (for IPv4
 *	with options the first 20), for the ICRC
 * @ifindex: receiving netdev, 0 on sending
 */
struct srnic_ends {
	u8 sgid[16];
	u8 dgid[16];
	__be16 sport;
	__be16 dport;
	bool v4;
	u8 iph[40];
	int ifindex;
};

/*
 * Return the kind of port, as a seal's contexts have it before a QPN (protocol.md, section 1):
 * a host's RoCE device and its InfiniBand port on one netdev may have equal GIDs and QPNs.
 */
static inline u32 srnic_ends_kind(const struct srnic_ends *ends)
{
	return ends->dport == cpu_to_be16(SRNIC_IB_PORT) ? 1 << 24 : 0;
}

#define SRNIC_PKEY_FULL	0x8000	/* of a P_Key: full member, IBA 10.9.1.1 */
#define SRNIC_PKEY_BASE	0x7fff	/* the partition */

/*
 * Tell whether members with these P_Keys may communicate (IBA 10.9.3): they are members of one
 * partition, and at least one is a full member. Partition 0 is invalid.
 */
static inline bool srnic_pkey_match(u16 a, u16 b)
{
	return a & SRNIC_PKEY_BASE && !((a ^ b) & SRNIC_PKEY_BASE) && (a | b) & SRNIC_PKEY_FULL;
}

struct srnic_mkey;

/**
 * struct srnic_pkt - one packet, passed from net to mem and back
 *
 * On receipt srnic_wire_parse() fills it in, once. On sending the engine does,
 * and srnic_wire_build() writes the headers. Integers are in host order unless
 * __be.
 *
 * @skb: carrier; opaque to wire and sth
 * @ends: addresses, shared by the burst
 * @seg: index of this packet in a super-packet (IPv4 id = first's + seg)
 * @off: offset of the BTH in the carrier's data
 * @len: bytes from BTH to the end of the ICRC (UDP length - 8)
 * @opc: row of the opcode table
 * @hdr: BTH, extension headers and STH, contiguous; may be @hdrbuf. In opaque
 *	mode the STH precedes the extension headers
 * @hdr_len: bytes of BTH and extension headers
 * @sth_len: bytes of STH, may be 0
 * @payload: payload and pad, contiguous (carrier or per-CPU scratch)
 * @payload_len: bytes of payload, without pad
 *
 * BTH (IBA 9.2):
 * @opcode: BTH opcode
 * @sth_code: STH size code, three bits of byte 8 next to AckReq
 * @pad: pad bytes between payload and ICRC, 0 to 3
 * @se: solicited event
 * @mig: migration state
 * @ackreq: the requester asks for an ACK
 * @echo: sealed responses: requests have arrived with CE (protocol.md, section
 *	2)
 * @gap: acknowledgments: code of the number of missing packets; requests: the
 *	sender understands reports of later gaps (protocol.md, section 2)
 * @becn: backward congestion
 * @fecn: forward congestion
 * @pkey: partition key
 * @dqpn: destination QP
 * @psn: 24-bit PSN
 *
 * Extension headers (IBA 9.3); parsing zeroes those that the opcode does not
 * have:
 * @va: address, of RETH or AtomicETH
 * @swap_add: AtomicETH
 * @compare: AtomicETH
 * @orig: AtomicAckETH, previous contents of memory
 * @rkey: RETH or AtomicETH; IETH: the key to invalidate
 * @dmalen: RETH, bytes of the whole message
 * @feth: FETH, all bits
 * @imm: immediate data
 * @qkey: DETH
 * @sqpn: DETH, source QP
 * @srqn: XRCETH, shared receive queue, in the place of @sqpn
 * @msn: AETH, 24 bits
 * @syndrome: AETH
 *
 * Set by the engine:
 * @mkey: memory key of the proof that the request needs; %NULL: no proof is
 *	needed
 * @proved: on receipt: the request needed a proof, and it was correct
 *
 * @hdrbuf: memory for @hdr if the carrier has none
 */
struct srnic_pkt {
	struct sk_buff *skb;
	const struct srnic_ends *ends;
	const struct srnic_opcode *opc;
	u8 *hdr;
	u8 *payload;
	u32 off;
	u16 seg;
	u16 len;
	u16 hdr_len;
	u16 sth_len;
	u16 payload_len;

	/* BTH */
	u8 opcode;
	u8 sth_code;
	u8 pad;
	bool se;
	bool mig;
	bool ackreq;
	bool echo;
	u8 gap;
	bool becn;
	bool fecn;
	u16 pkey;
	u32 dqpn;
	u32 psn;

	/* extension headers */
	u64 va;
	u64 swap_add;
	u64 compare;
	u64 orig;
	u32 rkey;
	u32 dmalen;
	u32 feth;
	__be32 imm;
	u32 qkey;
	union {
		u32 sqpn;
		u32 srqn;
	};
	u32 msn;
	u8 syndrome;

	/* set by the engine */
	const struct srnic_mkey *mkey;
	bool proved;

	u8 hdrbuf[SRNIC_HDR_MAX];
};

/* Return the offset of the payload in the carrier. */
static inline u32 srnic_pkt_payload_off(const struct srnic_pkt *pkt)
{
	return pkt->off + pkt->hdr_len + pkt->sth_len;
}

/* Reasons for wire to drop a packet; each has a counter. */
enum srnic_wire_err {
	SRNIC_WIRE_OK = 0,
	SRNIC_WIRE_SHORT,	/* truncated: shorter than its headers */
	SRNIC_WIRE_OPCODE,	/* unknown opcode */
	SRNIC_WIRE_VERSION,	/* BTH transport version not 0 */
	SRNIC_WIRE_PAD,		/* pad or payload where the opcode has none */
	SRNIC_WIRE_STH,		/* STH does not fit */
};

/*
 * header.c
 *
 * srnic_wire_parse: @hdr points to at least min(@len, SRNIC_HDR_MAX) contiguous
 * bytes, from the BTH on; sets all fields but skb, ends, seg, off, payload and
 * hdrbuf. srnic_wire_build: writes BTH and extension headers of @pkt into @buf,
 * and returns their length in bytes. The caller adds STH and ICRC. In opaque
 * mode (protocol.md, section 2) the STH lies between the two, and the extension
 * headers are ciphertext: srnic_wire_build_apart() and srnic_wire_parse_ext().
 */
enum srnic_wire_err srnic_wire_parse(struct srnic_pkt *pkt, u8 *hdr, u32 len);
void srnic_wire_parse_ext(struct srnic_pkt *pkt, const u8 *ext);
unsigned int srnic_wire_build(const struct srnic_pkt *pkt, u8 *buf);
unsigned int srnic_wire_build_apart(const struct srnic_pkt *pkt, u8 *bth, u8 *ext);
unsigned int srnic_sth_code_len(u8 code);	/* bytes: 0,12,16,20,28,32,48,64 */

/* inline: 24-bit serial arithmetic, IBA 9.7.2 */
#define SRNIC_PSN_MASK	0xffffffU

static inline u32 srnic_psn_add(u32 psn, u32 n)
{
	return (psn + n) & SRNIC_PSN_MASK;
}

/* Return how far @psn is after @first, in [0, 2^24). */
static inline u32 srnic_psn_since(u32 psn, u32 first)
{
	return (psn - first) & SRNIC_PSN_MASK;
}

/* Return the signed distance a - b in [-2^23, 2^23). */
static inline s32 srnic_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

/*
 * crc_kernel.c: CRC-32 (IEEE, reflected), as init/update/final over runs of
 * bytes; in user space kunit/host/crc.c. The state starts as ~0; the wire has
 * its complement, in little-endian order.
 *
 * The module calls srnic_crc_init() at load. It cannot fail; without it, the
 * CRC is correct but slower.
 */
#ifdef __KERNEL__
void srnic_crc_init(void);
#endif
u32 srnic_crc_update(u32 crc, const void *data, size_t len);

/* crc_sparse.c: for crc_kernel.c and tests */
#define SRNIC_CRC_REST		40
#define SRNIC_CRC_SHORTEN_MIN	(2 * SRNIC_CRC_REST)

size_t srnic_crc_shorten(u32 crc, const u8 *data, size_t len, u8 rest[SRNIC_CRC_REST]);

/*
 * crc_clmul.c: for crc_kernel.c and tests, on x86 only. User-mode Linux leaves
 * the CPU's extensions to user space: its own crypto code does not use them,
 * either.
 */
#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
#define SRNIC_CRC_CLMUL
#endif

#define SRNIC_CRC_LANE		16
#define SRNIC_CRC_FOLD_MIN	128

bool srnic_crc_can_fold(void);
bool srnic_crc_fold(u32 *crc, const u8 *data, size_t len);

/**
 * struct srnic_icrc_base - the part of the ICRC that the packets of a flow
 *	share
 * @crc: state behind the UDP header of a packet of length @udp_len, with IPv4
 *	id 0
 * @udp_len: UDP length, including the header; 0: @crc is not valid yet
 */
struct srnic_icrc_base {
	u32 crc;
	u16 udp_len;
};

/*
 * icrc.c: the invariant CRC (IBA 7.8.1, RoCEv2 annex A17.3.3) over eight bytes
 * of ones in place of the LRH, then IP, UDP and BTH with ones in their variant
 * fields. srnic_icrc_begin() covers the part before the BTH: IP header from
 * @ends with this packet's id and length, UDP length (including the header,
 * host order). Continue with srnic_crc_update() over the packet in place, from
 * the BTH to the ICRC, and finish with srnic_icrc_end().
 */
bool srnic_icrc_alike(const struct srnic_ends *a, const struct srnic_ends *b);
u32 srnic_icrc_begin(struct srnic_icrc_base *base, const struct srnic_ends *ends, u16 id,
		     u16 udp_len, const u8 *bth);

static inline __le32 srnic_icrc_end(u32 crc)
{
	return cpu_to_le32(~crc);
}

/* lid.c: labels of an InfiniBand port and of its groups, host order */
u16 srnic_gid_lid(const u8 gid[16]);
u16 srnic_mgid_lid(const u8 mgid[16]);

#endif /* SRNIC_WIRE_H */
