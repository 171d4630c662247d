// SPDX-License-Identifier: GPL-2.0
#include "link.h"

uint64_t link_backoff(unsigned int failures, uint32_t random)
{
	uint64_t most = BACKOFF_MIN_MS;

	while (failures-- > 1 && most < BACKOFF_MAX_MS)
		most *= 2;
	if (most > BACKOFF_MAX_MS)
		most = BACKOFF_MAX_MS;
	return most / 2 + random % (most / 2 + 1);
}

bool link_prefers_new(bool smaller, bool new_dialed, bool old_dialed)
{
	/* whether the end with the smaller key has dialed */
	bool new_wins = new_dialed == smaller;
	bool old_wins = old_dialed == smaller;

	return new_wins || !old_wins;
}
