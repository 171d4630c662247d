/* SPDX-License-Identifier: GPL-2.0 */
/*
 * frame - a RoCEv2 packet over IPv4 as who is on the wire sees it: from its Ethernet header
 * on, and no key.
 */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_MAX	4400
#define FRAME_IP	14			/* where what begins: IP, */
#define FRAME_UDP	(FRAME_IP + 20)		/* UDP, */
#define FRAME_BTH	(FRAME_UDP + 8)		/* and BTH */
#define BTH_LEN		12
#define ICRC_LEN	4
#define OPCODE_ACK	0x11
#define OPCODE_HELLO	0xc0			/* the first of the handshake's four */
#define OPCODE_LAST_HS	0xc3

/* bytes of the STH, by its code (Documentation/protocol.md, section 2) */
extern const uint8_t frame_sth_len[8];

struct frame {
	uint8_t bytes[FRAME_MAX];
	size_t len;
	int to;		/* the side that it is sent to, 0 or 1 */
};

/* whether it is RoCEv2 over IPv4 and as long as it says; else it is none of our business */
bool frame_is_roce(const struct frame *frame);
/* bytes of BTH and extension headers; 0 if the opcode is not known, or there is no room */
size_t frame_headers(const struct frame *frame);
/* bytes of the STH, as the BTH has it */
size_t frame_seal(const struct frame *frame);
/* bytes from BTH to pad; there is no more room than for FRAME_BODY_MAX */
size_t frame_body(const struct frame *frame);
void frame_set_body(struct frame *frame, size_t len);
bool frame_is_handshake(const struct frame *frame);
/* BTH's fields */
uint32_t frame_qpn(const struct frame *frame);
uint32_t frame_psn(const struct frame *frame);
void frame_set_qpn(struct frame *frame, uint32_t qpn);
void frame_set_psn(struct frame *frame, uint32_t psn);
/* back to its sender, as if from who it was sent to */
void frame_turn(struct frame *frame);
/* makes lengths, sums and ICRC right, whatever has been done to the rest */
void frame_finish(struct frame *frame);
/*
 * Whether a receiver that looks at seals cannot tell the two apart, nor need: what no seal
 * covers may differ (protocol.md, section 4), and so may the payload if it is open.
 */
bool frame_alike(const struct frame *one, const struct frame *other, bool payload_open);

#define FRAME_BODY_MAX	(FRAME_MAX - FRAME_BTH - ICRC_LEN)

#endif /* FRAME_H */
