// SPDX-License-Identifier: GPL-2.0
/*
 * Sliding window of emission counters already seen (RFC 6479; protocol.md,
 * section 9).
 *
 * Counter c has bit c % 64 of word (c / 64) % WORDS. A window that moves
 * forward clears the words that it enters and never shifts. Callers serialise.
 */
#include "export.h"
#include "sth/pure.h"

static unsigned int word_of(u64 counter)
{
	return (counter / 64) % SRNIC_REPLAY_WORDS;
}

/**
 * srnic_replay_fresh() - Tell whether a counter has not been seen
 * @replay: the window
 * @counter: counter of a packet that need not be verified yet
 *
 * Changes no state, so it may precede verification, which is expensive.
 *
 * Return: false if the counter was marked, or is older than the window.
 */
bool srnic_replay_fresh(const struct srnic_replay *replay, u64 counter)
{
	if (counter >= replay->next)
		return true;
	if (replay->next - counter > SRNIC_REPLAY_WINDOW)
		return false;
	return !(replay->seen[word_of(counter)] >> (counter % 64) & 1);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_replay_fresh);

/**
 * srnic_replay_mark() - Mark a counter as seen
 * @replay: the window
 * @counter: fresh counter of a verified packet, below 2^64 - 1
 */
void srnic_replay_mark(struct srnic_replay *replay, u64 counter)
{
	if (counter >= replay->next) {
		/* Clear the words after that of the newest counter, up to that of @counter. */
		u64 newest = replay->next ? (replay->next - 1) / 64 : 0;
		u64 n = min_t(u64, counter / 64 - newest, SRNIC_REPLAY_WORDS);

		for (; n; n--)
			replay->seen[(counter / 64 - n + 1) % SRNIC_REPLAY_WORDS] = 0;
		replay->next = counter + 1;
	}
	replay->seen[word_of(counter)] |= 1ULL << (counter % 64);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_replay_mark);
