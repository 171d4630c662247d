/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB) */
/*
 * Rings and command data shared by srnic's kernel module and its rdma-core
 * provider. Documentation/abi.md describes them.
 *
 * Indices run freely modulo 2^32; a slot is index & (entries - 1). The kernel
 * does not trust anything that user space can write: it copies each entry out
 * once, checks the copy, and keeps its own indices.
 */
#ifndef SRNIC_ABI_H
#define SRNIC_ABI_H

#include <linux/types.h>

#define SRNIC_ABI_VERSION	16	/* differs from those of rxe (1, 2) and siw (1) */
#define SRNIC_DRIVER_ID		0x73726e63	/* "srnc": the core only compares it */

#define SRNIC_MAX_SGE		32
#define SRNIC_MAX_INLINE	512

/* Header in the first page of every ring's mapping; slots begin at SRNIC_RING_SLOTS. */
#define SRNIC_RING_SLOTS	256

struct srnic_ring_hdr {
	/* written by user space (SQ, RQ, SRQ), by the kernel (CQ); release/acquire */
	__u32 prod;
	__u32 pad0[15];
	/* written by the kernel (SQ, RQ, SRQ), by user space (CQ); release/acquire */
	__u32 cons;
	__u32 pad1[15];
	/*
	 * SQ: the kernel sets this to 1 before it sleeps, and then reads prod
	 * once more. User space stores prod, issues a full fence, and rings the
	 * doorbell only if this is 1. RQ: 1 in ERR, where receives are not
	 * processed without a doorbell.
	 */
	__u32 need_wakeup;
	__u32 pad2[15];
	/*
	 * CQ: user space stores SRNIC_ARM_*. The kernel stores prod, issues a
	 * full fence, exchanges this for 0, and raises an event if it was armed
	 * (SRNIC_ARM_SOLICITED: only for a solicited or failed completion).
	 */
	__u32 arm;
	__u32 pad3[15];
};

#define SRNIC_ARM_NONE		0
#define SRNIC_ARM_SOLICITED	1
#define SRNIC_ARM_NEXT		2

struct srnic_abi_sge {
	__aligned_u64 addr;
	__u32 length;
	__u32 lkey;
};

enum srnic_wqe_opcode {
	SRNIC_WQE_SEND,
	SRNIC_WQE_SEND_IMM,
	SRNIC_WQE_SEND_INV,
	SRNIC_WQE_WRITE,
	SRNIC_WQE_WRITE_IMM,
	SRNIC_WQE_READ,
	SRNIC_WQE_CMP_SWAP,
	SRNIC_WQE_FETCH_ADD,
	SRNIC_WQE_LOCAL_INV,
	SRNIC_WQE_BIND_MW,
	SRNIC_WQE_REG_MR,	/* kernel only: rejected in a user ring */
	SRNIC_WQE_FLUSH,
	SRNIC_WQE_ATOMIC_WRITE,
	SRNIC_WQE_LSO,		/* kernel only */
	SRNIC_WQE_FRAME,	/* raw packets: the SEND of an Ethernet frame */
	SRNIC_WQE_OPCODES,
};

#define SRNIC_WQE_SIGNALED	(1 << 0)
#define SRNIC_WQE_SOLICITED	(1 << 1)
#define SRNIC_WQE_FENCE		(1 << 2)
#define SRNIC_WQE_INLINE	(1 << 3)
#define SRNIC_WQE_FLAGS		0xf

/* Parameters of BIND_MW */
struct srnic_abi_bind {
	__aligned_u64 addr;
	__aligned_u64 length;
	__u32 mr_lkey;
	__u32 mw_rkey;	/* current key of the window */
	__u32 new_rkey;	/* key of the window after the bind */
	__u32 access;	/* IB_ACCESS_* */
};

/* A send work request: 64 bytes, then num_sge SGEs or inline_len bytes. */
struct srnic_sq_wqe {
	__aligned_u64 wr_id;
	__u8 opcode;		/* enum srnic_wqe_opcode */
	__u8 num_sge;
	__u16 flags;		/* SRNIC_WQE_* */
	__u32 inline_len;
	__u32 imm;		/* immediate (as on the wire) or rkey to invalidate */
	__u32 rkey;
	__aligned_u64 remote_addr;
	union {
		struct {
			__aligned_u64 compare_add;
			__aligned_u64 swap;
		} atomic;
		struct {
			__u32 ah;	/* the number that create_ah returned */
			__u32 qpn;
			__u32 qkey;
			__u32 reserved;
		} ud;
		struct srnic_abi_bind bind;
		struct {
			__u32 length;
			__u32 types;	/* bits: 1 global visibility, 2 persistence */
			__u32 level;	/* 0: the range, 1: the whole region */
			__u32 reserved;
		} flush;
		struct {
			__aligned_u64 value;	/* as in memory, if SRNIC_WQE_INLINE */
		} atomic_write;
		struct {
			__u32 others[7];
			__u32 srqn;	/* number of the peer's SRQ; the low 24 bits count */
		} xrc;	/* in the operations of an XRC initiator, but BIND_MW */
		__u32 reserved[8];
	};
};

/* A receive work request: 16 bytes, then SGEs. */
struct srnic_rq_wqe {
	__aligned_u64 wr_id;
	__u32 num_sge;
	__u32 reserved;
};

/* srnic_cqe.wc_flags: the kernel's IB_WC_* numbers. User space's IBV_WC_WITH_INV differs. */
#define SRNIC_WC_GRH		(1 << 0)
#define SRNIC_WC_WITH_IMM	(1 << 1)
#define SRNIC_WC_WITH_INV	(1 << 2)
#define SRNIC_WC_IP_CSUM_OK	(1 << 3)	/* kernel only: of IP over InfiniBand */
#define SRNIC_WC_WITH_VLAN	(1 << 5)	/* kernel only: vlan_id is valid */
#define SRNIC_WC_WITH_NETWORK_HDR	(1 << 6)	/* kernel only: network_hdr_type is valid */

/* A completion: 64 bytes. */
struct srnic_cqe {
	__aligned_u64 wr_id;
	__aligned_u64 timestamp;	/* CLOCK_MONOTONIC, ns */
	__u32 status;		/* enum ib_wc_status */
	__u32 opcode;		/* enum ib_uverbs_wc_opcode; IB_WC_RECV and up: receives */
	__u32 vendor_err;
	__u32 byte_len;
	__u32 qp_num;
	__u32 src_qp;
	__u32 imm;		/* immediate (as on the wire) or invalidated rkey */
	__u32 wc_flags;		/* SRNIC_WC_* */
	__u16 pkey_index;
	__u16 slid;		/* of datagrams to an InfiniBand port: label of the sender */
	__u16 vlan_id;		/* kernel only: of the GID that the datagram was for */
	__u16 network_hdr_type;	/* kernel only: enum rdma_network_type */
	__aligned_u64 reserved;
};

/* Location and geometry of a ring's mapping */
struct srnic_abi_ring {
	__aligned_u64 offset;	/* offset for mmap() */
	__u32 size;		/* bytes of the mapping, whole pages */
	__u32 entries;		/* number of slots, a power of two */
	__u32 stride;		/* bytes of a slot */
	__u32 limit;		/* entries that may be outstanding, as granted */
};

/* features: the kernel's core knows no rights to flush, so FLUSH is refused */
#define SRNIC_FEATURE_NO_FLUSH	(1ULL << 0)

struct srnic_alloc_ucontext_resp {
	__u32 max_sge;
	__u32 max_inline;
	__aligned_u64 features;
};

struct srnic_create_cq_resp {
	struct srnic_abi_ring ring;
};

struct srnic_resize_cq_resp {
	struct srnic_abi_ring ring;
};

struct srnic_create_qp_resp {
	struct srnic_abi_ring sq;
	struct srnic_abi_ring rq;	/* all zero if the QP has an SRQ, or an indirection table */
	__u32 sq_sig_all;
	__u32 reserved;
};

/* srnic_create_qp_cmd.rx_hash_fields; as IBV_RX_HASH_* */
#define SRNIC_RX_HASH_SRC_IPV4		(1 << 0)
#define SRNIC_RX_HASH_DST_IPV4		(1 << 1)
#define SRNIC_RX_HASH_SRC_IPV6		(1 << 2)
#define SRNIC_RX_HASH_DST_IPV6		(1 << 3)
#define SRNIC_RX_HASH_SRC_PORT_TCP	(1 << 4)
#define SRNIC_RX_HASH_DST_PORT_TCP	(1 << 5)
#define SRNIC_RX_HASH_SRC_PORT_UDP	(1 << 6)
#define SRNIC_RX_HASH_DST_PORT_UDP	(1 << 7)

#define SRNIC_RX_HASH_FIELDS		0xff	/* all of these */

#define SRNIC_RX_HASH_TOEPLITZ		(1 << 0)	/* as IBV_RX_HASH_FUNC_TOEPLITZ */
#define SRNIC_RX_HASH_KEY_LEN		40

/* Only for a QP with an indirection table */
struct srnic_create_qp_cmd {
	__u32 rx_hash_fields;
	__u8 rx_hash_function;
	__u8 rx_hash_key_len;
	__u16 reserved;		/* 0 */
	__u8 rx_hash_key[SRNIC_RX_HASH_KEY_LEN];
};

struct srnic_create_wq_resp {
	struct srnic_abi_ring ring;
};

struct srnic_create_srq_resp {
	struct srnic_abi_ring ring;
	__u32 srq_num;
	__u32 reserved;
};

/* modify_srq has no driver response: the kernel writes one to resp_addr. */
struct srnic_modify_srq_cmd {
	__aligned_u64 resp_addr;	/* address of a struct srnic_modify_srq_resp */
};

struct srnic_modify_srq_resp {
	struct srnic_abi_ring ring;	/* the new ring after IBV_SRQ_MAX_WR, otherwise zero */
};

struct srnic_create_ah_resp {
	__u32 ah;
	__u32 reserved;
};

#endif /* SRNIC_ABI_H */
