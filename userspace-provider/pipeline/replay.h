/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * replay - requests of version 2 that a listener has accepted, until they are too old to be
 * accepted again. Not thread-safe.
 */
#ifndef REPLAY_H
#define REPLAY_H

#include <stdint.h>
#include "request.h"

/* Authentic requests that can be remembered at once */
#define REPLAY_MAX	65536

struct replay;

enum verdict {
	VERDICT_FRESH,
	VERDICT_STALE,		/* too old, too new, or older than the listener */
	VERDICT_REPLAY,
	VERDICT_FULL,		/* no more can be remembered: accept none */
};

/* @start: time at which the listener starts, in seconds; NULL: out of memory */
struct replay *replay_create(uint32_t start, uint32_t skew);
void replay_free(struct replay *replay);

/* Judge an authentic request, and remember it if it is fresh. @now: in seconds */
enum verdict replay_judge(struct replay *replay, const struct request *request, uint32_t now);

#endif /* REPLAY_H */
