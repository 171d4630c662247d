// SPDX-License-Identifier: GPL-2.0
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <string.h>
#include "../sums.h"
#include "frame.h"

#define ROCE_PORT	4791
#define RESERVED	4	/* the BTH's byte that counts as ones: FECN, BECN */

const uint8_t frame_sth_len[8] = { 0, 12, 16, 20, 28, 32, 48, 64 };

/* Size of extension headers by the opcode's low five bits, for RC and UC (IBA 9.2.1, A19) */
enum {
	RETH = 16, ATOMIC = 28, AETH = 4, ATOMIC_ACK = 8, IMM = 4, IETH = 4, FETH = 4, NONE = 0x80
};

static const uint8_t extension[32] = {
	[0x00] = 0, [0x01] = 0, [0x02] = 0, [0x03] = IMM, [0x04] = 0, [0x05] = IMM,
	[0x06] = RETH, [0x07] = 0, [0x08] = 0, [0x09] = IMM, [0x0a] = RETH, [0x0b] = RETH + IMM,
	[0x0c] = RETH, [0x0d] = AETH, [0x0e] = 0, [0x0f] = AETH, [0x10] = AETH, [0x11] = AETH,
	[0x12] = AETH + ATOMIC_ACK, [0x13] = ATOMIC, [0x14] = ATOMIC, [0x15] = NONE,
	[0x16] = IETH, [0x17] = IETH, [0x18 ... 0x1b] = NONE, [0x1c] = FETH + RETH,
	[0x1d] = RETH, [0x1e ... 0x1f] = NONE,
};

#define HANDSHAKE	72	/* from version to share (Documentation/protocol.md, section 7) */

static uint32_t get(const uint8_t *p, int bytes)
{
	uint32_t value = 0;

	while (bytes--)
		value = value << 8 | *p++;
	return value;
}

static void put(uint8_t *p, uint32_t value, int bytes)
{
	while (bytes--)
		*p++ = value >> (8 * bytes);
}

bool frame_is_roce(const struct frame *frame)
{
	const uint8_t *ip = frame->bytes + FRAME_IP, *udp = frame->bytes + FRAME_UDP;

	if (frame->len < FRAME_BTH + BTH_LEN + ICRC_LEN || frame->len > FRAME_MAX ||
	    get(frame->bytes + 12, 2) != ETH_P_IP || ip[0] != 0x45 || ip[9] != IPPROTO_UDP)
		return false;
	return get(udp + 2, 2) == ROCE_PORT && get(ip + 2, 2) == frame->len - FRAME_IP &&
	       get(udp + 4, 2) == frame->len - FRAME_UDP;
}

bool frame_is_handshake(const struct frame *frame)
{
	uint8_t opcode = frame->bytes[FRAME_BTH];

	return opcode >= OPCODE_HELLO && opcode <= OPCODE_LAST_HS;
}

size_t frame_headers(const struct frame *frame)
{
	uint8_t opcode = frame->bytes[FRAME_BTH];
	size_t more = opcode < 0x40 ? extension[opcode & 0x1f] : NONE;

	if (frame_is_handshake(frame))
		more = HANDSHAKE;
	if (more == NONE || frame_body(frame) < BTH_LEN + more)
		return 0;
	return BTH_LEN + more;
}

size_t frame_seal(const struct frame *frame)
{
	return frame_sth_len[frame->bytes[FRAME_BTH + 8] >> 4 & 7];
}

size_t frame_body(const struct frame *frame)
{
	return frame->len - FRAME_BTH - ICRC_LEN;
}

void frame_set_body(struct frame *frame, size_t len)
{
	frame->len = FRAME_BTH + len + ICRC_LEN;
}

uint32_t frame_qpn(const struct frame *frame)
{
	return get(frame->bytes + FRAME_BTH + 5, 3);
}

uint32_t frame_psn(const struct frame *frame)
{
	return get(frame->bytes + FRAME_BTH + 9, 3);
}

void frame_set_qpn(struct frame *frame, uint32_t qpn)
{
	put(frame->bytes + FRAME_BTH + 5, qpn, 3);
}

void frame_set_psn(struct frame *frame, uint32_t psn)
{
	put(frame->bytes + FRAME_BTH + 9, psn, 3);
}

static void swap(uint8_t *a, uint8_t *b, size_t len)
{
	uint8_t kept[8];

	memcpy(kept, a, len);
	memcpy(a, b, len);
	memcpy(b, kept, len);
}

void frame_turn(struct frame *frame)
{
	swap(frame->bytes, frame->bytes + 6, 6);
	swap(frame->bytes + FRAME_IP + 12, frame->bytes + FRAME_IP + 16, 4);
	frame->to = !frame->to;
}

void frame_finish(struct frame *frame)
{
	uint8_t *ip = frame->bytes + FRAME_IP;

	put(ip + 2, frame->len - FRAME_IP, 2);
	put(frame->bytes + FRAME_UDP + 4, frame->len - FRAME_UDP, 2);
	repair_icrc(ip, FRAME_UDP - FRAME_IP, frame->len - FRAME_IP);
	repair_sums(ip, FRAME_UDP - FRAME_IP, frame->len - FRAME_IP);
}

bool frame_alike(const struct frame *one, const struct frame *other, bool payload_open)
{
	const uint8_t *a = one->bytes + FRAME_BTH, *b = other->bytes + FRAME_BTH;
	size_t compared = frame_body(one), headers = frame_headers(one);

	if (one->to != other->to || one->len != other->len ||
	    memcmp(one->bytes + FRAME_IP + 12, other->bytes + FRAME_IP + 12, 8))
		return false;
	if (compared < BTH_LEN)
		return true;
	if (payload_open && headers && headers + frame_seal(one) < compared)
		compared = headers + frame_seal(one);
	return !memcmp(a, b, RESERVED) &&
	       !memcmp(a + RESERVED + 1, b + RESERVED + 1, compared - RESERVED - 1);
}
