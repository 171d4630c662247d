// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Two generations of open-addressed hash tables. A request is accepted for at most 2 * skew
 * seconds, so what the older generation has learned more than that ago can be forgotten.
 */
#include <stdlib.h>
#include <string.h>
#include "replay.h"

#define SLOTS		(REPLAY_MAX)		/* of a generation, half of which are used */
#define FINGERPRINT	16

struct generation {
	uint32_t since;
	unsigned int used;
	uint8_t seen[SLOTS][FINGERPRINT];	/* MACs; an empty slot is all zeros */
};

struct replay {
	uint32_t start;
	uint32_t skew;
	struct generation *young;
	struct generation *old;
};

struct replay *replay_create(uint32_t start, uint32_t skew)
{
	struct replay *replay = calloc(1, sizeof(*replay));

	if (!replay)
		return NULL;
	replay->start = start;
	replay->skew = skew;
	replay->young = calloc(1, sizeof(*replay->young));
	replay->old = calloc(1, sizeof(*replay->old));
	if (!replay->young || !replay->old) {
		replay_free(replay);
		return NULL;
	}
	replay->young->since = start;
	replay->old->since = start;
	return replay;
}

void replay_free(struct replay *replay)
{
	if (!replay)
		return;
	free(replay->young);
	free(replay->old);
	free(replay);
}

/* MACs are distributed evenly, unless a holder of the key selects them. */
static uint8_t *slot_of(struct generation *generation, const uint8_t *mac)
{
	static const uint8_t empty[FINGERPRINT];
	uint32_t at;

	memcpy(&at, mac, sizeof(at));
	for (;; at++) {
		uint8_t *slot = generation->seen[at % SLOTS];

		if (!memcmp(slot, mac, FINGERPRINT) || !memcmp(slot, empty, FINGERPRINT))
			return slot;
	}
}

static bool has(struct generation *generation, const uint8_t *mac)
{
	return !memcmp(slot_of(generation, mac), mac, FINGERPRINT);
}

static void renew(struct replay *replay, uint32_t now)
{
	struct generation *forgotten = replay->old;

	replay->old = replay->young;
	replay->young = forgotten;
	if (forgotten->used)
		memset(forgotten->seen, 0, sizeof(forgotten->seen));
	forgotten->used = 0;
	forgotten->since = now;
}

/* Times are modulo 2^32. */
static int32_t difference(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b);
}

static bool is_stale(const struct replay *replay, uint32_t time, uint32_t now)
{
	return difference(time, now) > (int32_t)replay->skew ||
	       difference(now, time) > (int32_t)replay->skew ||
	       difference(time, replay->start) < 0;
}

enum verdict replay_judge(struct replay *replay, const struct request *request, uint32_t now)
{
	/* A clock that was set back must not make old requests fresh again */
	if (difference(now, replay->young->since) < 0)
		now = replay->young->since;
	if (difference(now, replay->young->since) > (int32_t)(2 * replay->skew))
		renew(replay, now);
	if (is_stale(replay, request->time, now))
		return VERDICT_STALE;
	if (has(replay->young, request->mac) || has(replay->old, request->mac))
		return VERDICT_REPLAY;
	if (replay->young->used >= SLOTS / 2)
		return VERDICT_FULL;
	memcpy(slot_of(replay->young, request->mac), request->mac, FINGERPRINT);
	replay->young->used++;
	return VERDICT_FRESH;
}
