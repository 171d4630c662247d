// SPDX-License-Identifier: GPL-2.0
/*
 * Mutations of a packet, as a table. Each gets a copy of a genuine packet and another genuine
 * one, and returns whether it has changed the copy; mutate() then checks that the result
 * differs in what a seal covers.
 */
#include <stdio.h>
#include <string.h>
#include "mutate.h"

#define TRIES		8
#define COUNTER_LEN	4
#define QPN_LEAST	2	/* QPNs 0 and 1 are not sealed: QP1 is exempt (threat-model.md) */

static uint8_t *body_of(struct frame *frame)
{
	return frame->bytes + FRAME_BTH;
}

static void fill(struct chance *chance, uint8_t *p, size_t len)
{
	while (len--)
		*p++ = chance_any(chance) >> 56;
}

/* Number of bytes from the BTH on that a seal covers */
static size_t covered(const struct mutator *by, const struct frame *frame)
{
	return by->payload_open ? frame_headers(frame) + frame_seal(frame) : frame_body(frame);
}

static bool bits(struct mutator *by, struct frame *frame, const struct frame *other)
{
	size_t reach = covered(by, frame);

	(void)other;
	for (int n = 1 + chance_below(&by->chance, 4); n; n--)
		body_of(frame)[chance_below(&by->chance, reach)] ^=
			1 << chance_below(&by->chance, 8);
	return true;
}

/* Offset of the seal from the BTH: behind all headers, or, as in opaque mode, the BTH alone */
static size_t seal_at(struct mutator *by, const struct frame *frame)
{
	return chance_one_in(&by->chance, 4) ? BTH_LEN : frame_headers(frame);
}

static uint32_t other_value(struct chance *chance, uint32_t was)
{
	switch (chance_below(chance, 6)) {
	case 0: return was + 1;
	case 1: return was - 1;
	case 2: return 0;
	case 3: return ~0U;
	case 4: return was ^ 1U << chance_below(chance, 32);
	default: return chance_any(chance);
	}
}

/* Change a field of the BTH, or a word of the extension headers */
static bool field(struct mutator *by, struct frame *frame, const struct frame *other)
{
	static const struct { uint8_t at, len; } bth[] = {
		{ 0, 1 }, { 1, 1 }, { 2, 2 }, { 5, 3 }, { 8, 1 }, { 9, 3 }
	};
	const unsigned int in_bth = sizeof(bth) / sizeof(bth[0]);
	unsigned int words = (frame_headers(frame) - BTH_LEN) / 4;
	unsigned int which = chance_below(&by->chance, in_bth + words);
	size_t at = which < in_bth ? bth[which].at : BTH_LEN + 4 * (which - in_bth);
	size_t len = which < in_bth ? bth[which].len : 4;
	uint32_t value = 0;

	(void)other;
	for (size_t i = 0; i < len; i++)
		value = value << 8 | body_of(frame)[at + i];
	value = other_value(&by->chance, value);
	for (size_t i = 0; i < len; i++)
		body_of(frame)[at + i] = value >> (8 * (len - 1 - i));
	return true;
}

/* Change the PSN: slightly or far, in both directions */
static bool psn(struct mutator *by, struct frame *frame, const struct frame *other)
{
	uint32_t by_how_much = chance_one_in(&by->chance, 4) ? chance_any(&by->chance) :
			       chance_below(&by->chance, 33) - 16;

	(void)other;
	frame_set_psn(frame, frame_psn(frame) + by_how_much);
	return true;
}

static bool opcode(struct mutator *by, struct frame *frame, const struct frame *other)
{
	uint8_t *at = body_of(frame);

	(void)other;
	*at = (*at & 0xe0) | chance_below(&by->chance, 0x1e);
	return true;
}

/* Change the seal's size code, or remove the seal: stripping or downgrade */
static bool size_code(struct mutator *by, struct frame *frame, const struct frame *other)
{
	size_t headers = frame_headers(frame), was = frame_seal(frame), is, rest;
	uint8_t code = chance_below(&by->chance, 8);
	uint8_t *at = body_of(frame) + headers;

	(void)other;
	rest = frame_body(frame) - headers - was;
	is = frame_sth_len[code];
	if (headers + is + rest > FRAME_BODY_MAX)
		return false;
	memmove(at + is, at + was, rest);
	if (is > was)
		fill(&by->chance, at + was, is - was);
	body_of(frame)[8] = (body_of(frame)[8] & 0x8f) | code << 4;
	frame_set_body(frame, headers + is + rest);
	return true;
}

/* Use a fresh counter, so that the replay check passes */
static bool counter(struct mutator *by, struct frame *frame, const struct frame *other)
{
	uint8_t *at = body_of(frame) + seal_at(by, frame);
	uint32_t value = 0;

	(void)other;
	for (int i = 0; i < COUNTER_LEN; i++)
		value = value << 8 | at[i];
	value += 1 + chance_below(&by->chance, 4096);
	for (int i = 0; i < COUNTER_LEN; i++)
		at[i] = value >> (8 * (COUNTER_LEN - 1 - i));
	return true;
}

static bool tag(struct mutator *by, struct frame *frame, const struct frame *other)
{
	uint8_t *at = body_of(frame) + seal_at(by, frame);
	/* half of them keep the counter; a seen one would fail the replay check only */
	size_t from = chance_one_in(&by->chance, 2) ? COUNTER_LEN : 0;

	(void)other;
	fill(&by->chance, at + from, frame_seal(frame) - from);
	return true;
}

static bool shorter(struct mutator *by, struct frame *frame, const struct frame *other)
{
	size_t body = frame_body(frame);
	size_t most = chance_one_in(&by->chance, 2) && body > 64 ? 64 : body;

	(void)other;
	frame_set_body(frame, body - 1 - chance_below(&by->chance, most));
	return true;
}

static bool longer(struct mutator *by, struct frame *frame, const struct frame *other)
{
	size_t body = frame_body(frame), more = 1 + chance_below(&by->chance, 64);

	(void)other;
	if (body + more > FRAME_BODY_MAX)
		return false;
	fill(&by->chance, body_of(frame) + body, more);
	frame_set_body(frame, body + more);
	return true;
}

/* Join the first bytes of a frame with the rest of another */
static bool join(struct frame *frame, size_t head, const struct frame *other, size_t from)
{
	size_t rest = frame_body(other) - from;

	if (head + rest > FRAME_BODY_MAX)
		return false;
	memcpy(body_of(frame) + head, other->bytes + FRAME_BTH + from, rest);
	frame_set_body(frame, head + rest);
	return true;
}

/* Combine the headers of one packet with the seal and payload of another */
static bool splice(struct mutator *by, struct frame *frame, const struct frame *other)
{
	if (chance_one_in(&by->chance, 4))
		return join(frame, BTH_LEN, other, BTH_LEN);
	return join(frame, frame_headers(frame), other, frame_headers(other));
}

/* Join two packets at any byte */
static bool patchwork(struct mutator *by, struct frame *frame, const struct frame *other)
{
	size_t at = frame_body(frame) < frame_body(other) ? frame_body(frame) : frame_body(other);

	at = chance_below(&by->chance, at + 1);
	return join(frame, at, other, at);
}

/* Redirect to another queue pair, possibly with the PSN that it expects */
static bool moved(struct mutator *by, struct frame *frame, const struct frame *other)
{
	frame_set_qpn(frame, frame_qpn(other));
	if (chance_one_in(&by->chance, 2))
		frame_set_psn(frame, frame_psn(other));
	return true;
}

/* Reflect to the sender, whose receive keys differ from its send keys */
static bool reflected(struct mutator *by, struct frame *frame, const struct frame *other)
{
	const struct frame *back = kept_to(!frame->to, &by->chance);

	(void)other;
	frame_turn(frame);
	if (back && back->to == frame->to)
		frame_set_qpn(frame, frame_qpn(back));
	return true;
}

/* Change the source address, within the network so that the packet arrives */
static bool stranger(struct mutator *by, struct frame *frame, const struct frame *other)
{
	(void)other;
	frame->bytes[FRAME_IP + 15] = 3 + chance_below(&by->chance, 250);
	return true;
}

static struct {
	const char *name;
	bool (*does)(struct mutator *by, struct frame *frame, const struct frame *other);
	unsigned long made;
} ways[] = {
	{ "bits", bits, 0 }, { "field", field, 0 }, { "psn", psn, 0 }, { "opcode", opcode, 0 },
	{ "size_code", size_code, 0 }, { "counter", counter, 0 }, { "tag", tag, 0 },
	{ "shorter", shorter, 0 }, { "longer", longer, 0 }, { "splice", splice, 0 },
	{ "patchwork", patchwork, 0 }, { "moved", moved, 0 }, { "reflected", reflected, 0 },
	{ "stranger", stranger, 0 },
};

#define WAYS	(sizeof(ways) / sizeof(ways[0]))

bool mutate(struct mutator *by, const struct frame *genuine, struct frame *mutant)
{
	for (int tries = 0; tries < TRIES; tries++) {
		const struct frame *other = kept_to(genuine->to, &by->chance);
		unsigned int way = chance_below(&by->chance, WAYS);

		*mutant = *genuine;
		if (!other || !ways[way].does(by, mutant, other))
			continue;
		if (frame_alike(mutant, genuine, by->payload_open) ||
		    frame_alike(mutant, other, by->payload_open) ||
		    (frame_body(mutant) >= BTH_LEN && frame_qpn(mutant) < QPN_LEAST))
			continue;
		frame_finish(mutant);
		ways[way].made++;
		return true;
	}
	return false;
}

void mutate_account(void)
{
	for (size_t i = 0; i < WAYS; i++)
		printf("%s=%lu\n", ways[i].name, ways[i].made);
}
