// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "nonces.h"

#define KEYS		1024
#define COUNTERS	(1U << 26)	/* what a sub-key may emit (protocol.md, section 10) */
#define FIRST_RESPONSE	0x0d		/* READ RESPONSE FIRST to ATOMIC ACK (IBA 9.2.1) */
#define LAST_RESPONSE	0x12

/* What a sub-key is for, and which counters have been seen under it */
struct key {
	uint64_t what;		/* 0: nobody's */
	uint32_t room;		/* bits */
	uint8_t *seen;
};

static struct key keys[KEYS];
static unsigned int keys_used;
static unsigned long seen, twice;

/*
 * Fewer than 2^23 PSNs of a flow pass in a test, so that the top bit tells the epoch in which
 * it starts, near the end of PSNs, from the next.
 */
static uint64_t name_of(const struct frame *frame)
{
	uint8_t opcode = frame->bytes[FRAME_BTH];
	bool response = opcode >= FIRST_RESPONSE && opcode <= LAST_RESPONSE;

	return 1 | (uint64_t)(frame_psn(frame) >> 23) << 1 | (uint64_t)response << 2 |
	       (uint64_t)frame->to << 3 | (uint64_t)frame_qpn(frame) << 8;
}

static struct key *find(uint64_t what)
{
	for (unsigned int i = 0; i < keys_used; i++)
		if (keys[i].what == what)
			return &keys[i];
	if (keys_used == KEYS) {
		fprintf(stderr, "srnic-mutate: more than %d keys\n", KEYS);
		exit(1);
	}
	keys[keys_used].what = what;
	return &keys[keys_used++];
}

static void grow(struct key *key, uint32_t counter)
{
	uint32_t room = key->room ? key->room : 4096;

	while (room <= counter)
		room *= 2;
	key->seen = realloc(key->seen, room / 8);
	if (!key->seen) {
		fputs("srnic-mutate: no memory\n", stderr);
		exit(1);
	}
	memset(key->seen + key->room / 8, 0, (room - key->room) / 8);
	key->room = room;
}

void nonces_note(const struct frame *frame)
{
	const uint8_t *at = frame->bytes + FRAME_BTH + frame_headers(frame);
	uint32_t counter = (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
	struct key *key = find(name_of(frame));

	seen++;
	if (counter >= COUNTERS) {
		twice++;	/* none that may be */
		return;
	}
	if (counter >= key->room)
		grow(key, counter);
	twice += key->seen[counter / 8] >> counter % 8 & 1;
	key->seen[counter / 8] |= 1 << counter % 8;
}

unsigned long nonces_seen(void)
{
	return seen;
}

unsigned long nonces_twice(void)
{
	return twice;
}

unsigned int nonces_keys(void)
{
	return keys_used;
}
