/* SPDX-License-Identifier: GPL-2.0 */
/*
 * frame - a RoCEv2 packet over IPv4 as seen on the wire: from its Ethernet header on, without
 * a key.
 */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_MAX	4400
#define FRAME_IP	14			/* offset of the IP header, */
#define FRAME_UDP	(FRAME_IP + 20)		/* the UDP header, */
#define FRAME_BTH	(FRAME_UDP + 8)		/* and the BTH */
#define BTH_LEN		12
#define ICRC_LEN	4
#define OPCODE_ACK	0x11
#define OPCODE_HELLO	0xc0			/* first of the handshake's four opcodes */
#define OPCODE_LAST_HS	0xc3

/* Size of the STH by code, in bytes (Documentation/protocol.md, section 2) */
extern const uint8_t frame_sth_len[8];

struct frame {
	uint8_t bytes[FRAME_MAX];
	size_t len;
	int to;		/* destination side, 0 or 1 */
};

/* Test for RoCEv2 over IPv4 with consistent lengths; other frames are forwarded unchanged */
bool frame_is_roce(const struct frame *frame);
/* Size of BTH and extension headers; 0 if the opcode is unknown or the frame too short */
size_t frame_headers(const struct frame *frame);
/* Size of the STH according to the BTH */
size_t frame_seal(const struct frame *frame);
/* Size from BTH to pad; at most FRAME_BODY_MAX */
size_t frame_body(const struct frame *frame);
void frame_set_body(struct frame *frame, size_t len);
bool frame_is_handshake(const struct frame *frame);
/* Fields of the BTH */
uint32_t frame_qpn(const struct frame *frame);
uint32_t frame_psn(const struct frame *frame);
void frame_set_qpn(struct frame *frame, uint32_t qpn);
void frame_set_psn(struct frame *frame, uint32_t psn);
/* Reflect the packet: swap source and destination */
void frame_turn(struct frame *frame);
/* Repair lengths, checksums and ICRC after changes */
void frame_finish(struct frame *frame);
/*
 * Test whether a receiver that verifies seals cannot distinguish two packets and need not:
 * they differ at most in what no seal covers (protocol.md, section 4) and, if @payload_open,
 * in the payload.
 */
bool frame_alike(const struct frame *one, const struct frame *other, bool payload_open);

#define FRAME_BODY_MAX	(FRAME_MAX - FRAME_BTH - ICRC_LEN)

#endif /* FRAME_H */
