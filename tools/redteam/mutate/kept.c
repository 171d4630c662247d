// SPDX-License-Identifier: GPL-2.0
/*
 * Kept packets by destination and kind: NAKs are rare, while most packets are ACKs or from the
 * middle of a message.
 */
#include <stdlib.h>
#include "kept.h"

#define EACH		32
#define KINDS		256
#define ACKS_BY_KIND	0xe0	/* unused opcodes, for ACK, RNR NAK and NAK */

struct kind {
	unsigned int used;
	struct frame *frames[EACH];
};

static struct kind kinds[2][KINDS];
static struct kind *known[2 * KINDS];
static unsigned int known_count;

static struct kind *kind_of(const struct frame *frame)
{
	uint8_t opcode = frame->bytes[FRAME_BTH];

	/* the top three bits of the syndrome, in the AETH, are its kind (IBA 9.7.5.2.1) */
	if (opcode == OPCODE_ACK)
		opcode = ACKS_BY_KIND | frame->bytes[FRAME_BTH + BTH_LEN] >> 5;
	return &kinds[frame->to][opcode];
}

void kept_add(const struct frame *frame, struct chance *chance)
{
	struct kind *kind = kind_of(frame);
	unsigned int at = kind->used;

	if (at == EACH) {
		at = chance_below(chance, EACH);
	} else {
		kind->frames[at] = malloc(sizeof(*frame));
		if (!kind->frames[at])
			return;
		if (!kind->used++)
			known[known_count++] = kind;
	}
	*kind->frames[at] = *frame;
}

const struct frame *kept_any(struct chance *chance)
{
	const struct kind *kind;

	if (!known_count)
		return NULL;
	kind = known[chance_below(chance, known_count)];
	return kind->frames[chance_below(chance, kind->used)];
}

const struct frame *kept_to(int side, struct chance *chance)
{
	const struct frame *frame = NULL;

	for (int tries = 0; tries < 8; tries++) {
		frame = kept_any(chance);
		if (!frame || frame->to == side)
			break;
	}
	return frame;
}

unsigned int kept_kinds(void)
{
	return known_count;
}
