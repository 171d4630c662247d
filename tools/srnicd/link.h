/* SPDX-License-Identifier: GPL-2.0 */
/*
 * link - parts of the rules about connections of a peer that need no connection.
 */
#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <stdint.h>
#include "base64.h"

#define BACKOFF_MIN_MS	1000
#define BACKOFF_MAX_MS	60000

/* Return the milliseconds until the next attempt: half of them at random. */
uint64_t link_backoff(unsigned int failures, uint32_t random);
/*
 * Both ends may dial at once. Decide whether a new connection replaces the open one: that which
 * the end with the smaller key has dialed stays, and of two from one end the newer.
 */
bool link_prefers_new(bool smaller, bool new_dialed, bool old_dialed);

#endif /* LINK_H */
