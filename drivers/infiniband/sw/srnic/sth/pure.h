/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pure files of sth: byte layouts and arithmetic of Documentation/protocol.md.
 * They use neither the crypto API nor ib_core nor locks, so they also build in
 * user space.
 */
#ifndef SRNIC_STH_PURE_H
#define SRNIC_STH_PURE_H

#include "wire/wire.h"

#ifdef __KERNEL__
#include <linux/errno.h>
#else
#include <errno.h>
#endif

#define SRNIC_GID_LEN		16
#define SRNIC_STH_END_LEN	(SRNIC_GID_LEN + 4)	/* GID, QPN */
#define SRNIC_STH_NONCE_LEN	16			/* n_q, n_r */
#define SRNIC_STH_COUNTER_LEN	4
#define SRNIC_STH_KDF_KEY_LEN	32	/* keys from which other keys are derived */
#define SRNIC_STH_SHARE_LEN	32	/* X25519: scalar, point, shared secret */

/*
 * nonce.c: protocol.md, section 4
 */
#define SRNIC_STH_IV_LEN	12
#define SRNIC_STH_INPUT_MAX	(8 + 8 + 2 * SRNIC_GID_LEN + 2 + SRNIC_EXT_MAX)
#define SRNIC_STH_PROOF_LEN	16	/* memory proof, added to the tag: section 12 */

/**
 * struct srnic_sth_input - parts of the MAC input, up to the headers
 * @nonce64: direction and PSN64, from srnic_sth_nonce64(); for a datagram the
 *	salt
 * @counter: emission counter, as in the STH
 * @counter_len: bytes of the counter in the STH: 0, 4, or 8 for a datagram
 * @udp_len: UDP length of this packet
 * @sgid: source GID
 * @dgid: destination GID
 * @hdr: BTH and extension headers as on the wire; in opaque mode the BTH
 * @hdr_len: bytes in @hdr, at most SRNIC_EXT_MAX
 */
struct srnic_sth_input {
	u64 nonce64;
	u64 counter;
	u8 counter_len;
	u16 udp_len;
	const u8 *sgid;
	const u8 *dgid;
	const u8 *hdr;
	unsigned int hdr_len;
};

u64 srnic_sth_nonce64(bool from_b, u64 psn64);
void srnic_sth_nonce96(u8 iv[SRNIC_STH_IV_LEN], u64 nonce64, u32 counter);
unsigned int srnic_sth_mac_input(const struct srnic_sth_input *in, u8 buf[SRNIC_STH_INPUT_MAX]);

/*
 * datagrams: protocol.md, section 11
 */
#define SRNIC_DGRAM_CODE	5
#define SRNIC_DGRAM_EMISSIONS	BIT_ULL(26)	/* limit of a salt: section 10 */
#define SRNIC_DGRAM_TAG_LEN	16
#define SRNIC_DGRAM_COUNTER_LEN	8
#define SRNIC_DGRAM_STH_LEN	(8 + SRNIC_DGRAM_COUNTER_LEN + SRNIC_DGRAM_TAG_LEN)

/*
 * replay.c: RFC 6479. One word of the ring is always being refilled, so the
 * window is one word shorter than the ring.
 */
#define SRNIC_REPLAY_WORDS	32
#define SRNIC_REPLAY_WINDOW	((SRNIC_REPLAY_WORDS - 1) * 64)

/**
 * struct srnic_replay - counters seen under one sub-key
 * @next: one past the greatest counter marked; 0 if none was
 * @seen: one bit for each counter; bits of counters below @next -
 *	SRNIC_REPLAY_WINDOW are stale
 */
struct srnic_replay {
	u64 next;
	u64 seen[SRNIC_REPLAY_WORDS];
};

bool srnic_replay_fresh(const struct srnic_replay *replay, u64 counter);
void srnic_replay_mark(struct srnic_replay *replay, u64 counter);

/*
 * epoch.c: protocol.md, sections 5 and 10
 */
#define SRNIC_EPOCH_SHIFT	24
#define SRNIC_EPOCH_HALF	BIT(SRNIC_EPOCH_SHIFT - 1)

static inline u64 srnic_epoch(u64 psn64)
{
	return psn64 >> SRNIC_EPOCH_SHIFT;
}

/*
 * Phases of a sub-key: protocol.md, section 10. The BTH names a phase by its lowest bits,
 * beside FECN and BECN: neither the ICRC nor the MAC input covers them.
 */
#define SRNIC_PHASES		4
#define SRNIC_PHASE_AT		4	/* offset in the BTH */
#define SRNIC_PHASE_LAST	U16_MAX

static inline unsigned int srnic_phase_index(u16 phase)
{
	return phase % SRNIC_PHASES;
}

/* Name a phase in a BTH; a packet that is retransmitted may have named another one. */
static inline void srnic_phase_name(u8 *bth, u16 phase)
{
	bth[SRNIC_PHASE_AT] = (bth[SRNIC_PHASE_AT] & ~(SRNIC_PHASES - 1)) |
			      srnic_phase_index(phase);
}

/* Return the index of the phase that a packet names. */
static inline unsigned int srnic_phase_named(const u8 *bth)
{
	return srnic_phase_index(bth[SRNIC_PHASE_AT]);
}

int srnic_psn64(u64 expected, u64 start, u32 psn, u64 *psn64);
void srnic_epoch_live(u64 expected, u64 *first, u64 *last);

/*
 * tree.c: protocol.md, section 12
 */
#define SRNIC_TREE_MAX		63	/* log2 of the longest region in bytes */

/**
 * struct srnic_tree - a region as a binary tree of blocks
 * @length: bytes of the region; the root's length is the next power of two
 * @depth: greatest number of steps from the root to a block
 * @block_shift: log2 of the shortest block
 */
struct srnic_tree {
	u64 length;
	u8 depth;
	u8 block_shift;
};

/**
 * struct srnic_tree_node - a block of a region
 * @start: offset of its first byte in the region
 * @shift: log2 of its length
 */
struct srnic_tree_node {
	u64 start;
	u8 shift;
};

int srnic_tree_init(struct srnic_tree *tree, u64 length, u8 depth, u8 block_shift);
u8 srnic_tree_root(const struct srnic_tree *tree);
bool srnic_tree_is_node(const struct srnic_tree *tree, const struct srnic_tree_node *node);
bool srnic_tree_contains(const struct srnic_tree *tree, const struct srnic_tree_node *node,
			 u64 start, u64 end);
bool srnic_tree_step(const struct srnic_tree *tree, struct srnic_tree_node *node,
		     u64 start, u64 end);

/*
 * format.c: handshake frames (section 7) and key derivation contexts (section 6)
 */
#define SRNIC_HS_VERSION	2
#define SRNIC_HS_CODE		2	/* STH code of handshake frames */
#define SRNIC_HS_TAG_LEN	16
#define SRNIC_HS_HDR_LEN	(SRNIC_BTH_LEN + SRNIC_HS_LEN)
#define SRNIC_HS_FRAME_LEN	(SRNIC_HS_HDR_LEN + SRNIC_HS_TAG_LEN)

/**
 * struct srnic_hs_frame - a handshake frame without its tag
 * @opcode: SRNIC_OPC_HELLO to SRNIC_OPC_CONFIRM_ACK
 * @pkey: partition key
 * @dqpn: destination QPN
 * @psn: starting PSN of the flow
 * @key_id: identifies K_AB
 * @nq: nonce of the requester
 * @nr: nonce of the responder; zeros in HELLO
 * @share: the sender's X25519 share
 */
struct srnic_hs_frame {
	u8 opcode;
	u16 pkey;
	u32 dqpn;
	u32 psn;
	u32 key_id;
	u8 nq[SRNIC_STH_NONCE_LEN];
	u8 nr[SRNIC_STH_NONCE_LEN];
	u8 share[SRNIC_STH_SHARE_LEN];
};

void srnic_hs_build(const struct srnic_hs_frame *hs, u8 buf[SRNIC_HS_HDR_LEN]);
int srnic_hs_parse(struct srnic_hs_frame *hs, const u8 *frame, unsigned int len);

/**
 * struct srnic_sth_form - form of a seal, S of section 6: the properties on
 *	which both ends must agree
 * @suite_id: number of the suite
 * @mode: 1 header, 2 packet, 3 aead, 4 opaque
 * @tag_len: bytes of the tag
 */
struct srnic_sth_form {
	u16 suite_id;
	u8 mode;
	u8 tag_len;
};

#define SRNIC_STH_S_LEN		4
#define SRNIC_CTX_PAIR_LEN	(2 * SRNIC_STH_END_LEN)
#define SRNIC_CTX_HS_LEN	(SRNIC_STH_S_LEN + SRNIC_CTX_PAIR_LEN)
#define SRNIC_CTX_SHARED_LEN	(3 * SRNIC_STH_SHARE_LEN)
#define SRNIC_CTX_FLOW_LEN	(SRNIC_STH_S_LEN + 8 + 2 * SRNIC_STH_NONCE_LEN + SRNIC_CTX_PAIR_LEN)
#define SRNIC_CTX_PACKET_LEN	(SRNIC_STH_S_LEN + 4 + 8)
#define SRNIC_CTX_DGRAM_LEN	(SRNIC_STH_S_LEN + SRNIC_STH_END_LEN + 8)
#define SRNIC_CTX_MAX		SRNIC_CTX_SHARED_LEN

/* KDF labels, section 6 */
#define SRNIC_LABEL_CONNECTION	"STH1 connection"
#define SRNIC_LABEL_MEMORY	"STH1 memory"
#define SRNIC_LABEL_PAIR	"STH1 pair"
#define SRNIC_LABEL_KEY_ID	"STH2 key id"
#define SRNIC_LABEL_HS		"STH2 handshake"
#define SRNIC_LABEL_SHARED	"STH2 shared"
#define SRNIC_LABEL_FLOW	"STH2 flow"
#define SRNIC_LABEL_RATCHET	"STH2 ratchet"
#define SRNIC_LABEL_PACKET	"STH2 packet"
#define SRNIC_LABEL_BOTH	"STH1 both"
#define SRNIC_LABEL_DGRAM_PAIR	"STH1 datagram pair"
#define SRNIC_LABEL_DGRAM	"STH1 datagram"
#define SRNIC_LABEL_MAX		18

/**
 * struct srnic_flow_id - identity of a flow within its connection
 * @owner_b: its requester is B
 * @start: starting PSN
 * @nq: nonce of the requester
 * @nr: nonce of the responder
 */
struct srnic_flow_id {
	bool owner_b;
	u32 start;
	const u8 *nq;
	const u8 *nr;
};

/**
 * struct srnic_subkey_id - identity of a sub-key within its flow
 * @from_b: B sends the packets
 * @response: they are responses, otherwise requests
 * @phase: number of sub-keys used up before it in this epoch: section 10
 * @epoch: PSN64 >> 24
 */
struct srnic_subkey_id {
	bool from_b;
	bool response;
	u16 phase;
	u64 epoch;
};

void srnic_ctx_end(u8 end[SRNIC_STH_END_LEN], const u8 gid[SRNIC_GID_LEN], u32 qpn);
void srnic_ctx_hs(u8 ctx[SRNIC_CTX_HS_LEN], const struct srnic_sth_form *s, const u8 *ab);
void srnic_ctx_flow(u8 ctx[SRNIC_CTX_FLOW_LEN], const struct srnic_sth_form *s,
		    const struct srnic_flow_id *id, const u8 *ab);
void srnic_ctx_packet(u8 ctx[SRNIC_CTX_PACKET_LEN], const struct srnic_sth_form *s,
		      const struct srnic_subkey_id *id);
void srnic_ctx_datagram(u8 ctx[SRNIC_CTX_DGRAM_LEN], const struct srnic_sth_form *s,
			const u8 gid[SRNIC_GID_LEN], u32 qpn, u64 salt);

/**
 * struct srnic_kdf_purpose - purpose of a derived key (SP 800-108r1, section 4)
 * @label: SRNIC_LABEL_*, at most SRNIC_LABEL_MAX characters
 * @ctx: context; may be NULL if @ctx_len is 0
 * @ctx_len: bytes in @ctx, at most SRNIC_CTX_MAX
 */
struct srnic_kdf_purpose {
	const char *label;
	const u8 *ctx;
	unsigned int ctx_len;
};

/* label ‖ 0x00 ‖ context ‖ 8L: the fixed input of SP 800-108 */
#define SRNIC_KDF_FIXED_MAX	(SRNIC_LABEL_MAX + 1 + SRNIC_CTX_MAX + 4)
unsigned int srnic_kdf_fixed_input(u8 buf[SRNIC_KDF_FIXED_MAX],
				   const struct srnic_kdf_purpose *purpose, unsigned int out_len);

#endif /* SRNIC_STH_PURE_H */
