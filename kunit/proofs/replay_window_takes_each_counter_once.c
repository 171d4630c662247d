// SPDX-License-Identifier: GPL-2.0
/*
 * proves: no counter is accepted twice, and every fresh one inside the window is accepted
 * cites: RFC 6479; protocol.md, section 9
 * files: sth/replay.c
 * unwind: 5
 * size: sth/pure.h: `SRNIC_REPLAY_WORDS	32` => `SRNIC_REPLAY_WORDS	4`
 * soak-unwind: 33
 * soak-solver: cadical
 * broken: sth/replay.c: `- counter > SRNIC_REPLAY_WINDOW`
 *	=> `- counter > SRNIC_REPLAY_WINDOW + 64`
 * broken: sth/replay.c: `counter / 64 - n + 1` => `counter / 64 - n`
 * broken: sth/replay.c: `min_t(u64, counter / 64 - newest, SRNIC_REPLAY_WORDS)`
 *	=> `counter / 64 - newest`
 * broken: sth/replay.c: `(replay->next - 1) / 64` => `replay->next / 64`
 * broken: sth/replay.c: `1ULL << (counter % 64)` => `1ULL << (counter % 32)`
 * broken: sth/pure.h: `(SRNIC_REPLAY_WORDS - 1) * 64` => `SRNIC_REPLAY_WORDS * 64`
 *
 * By induction over packets. The invariant, which holds for an empty window and after
 * every mark: in the word of the newest counter, the bits above it are clear. From any such
 * window, marking a counter makes it seen, and does not change the answer for any other
 * counter unless the window has moved past it. So a counter is fresh until it is marked or
 * left behind, and never again.
 *
 * Counters have all 64 bits. In 'make check' the ring, whose size only SRNIC_REPLAY_WORDS
 * defines, is smaller than in use: for the true size cadical needs minutes, and cbmc's own solver
 * far longer.
 */
#include "proof.h"
#include "sth/pure.h"

/* The bits of the newest word for counters not yet reached must be clear. */
static bool sound(const struct srnic_replay *replay)
{
	u64 newest;

	if (!replay->next)
		return !replay->seen[0];
	newest = replay->next - 1;
	return newest % 64 == 63 ||
	       !(replay->seen[newest / 64 % SRNIC_REPLAY_WORDS] >> (newest % 64 + 1));
}

static bool left_behind(const struct srnic_replay *replay, u64 counter)
{
	return counter < replay->next && replay->next - counter > SRNIC_REPLAY_WINDOW;
}

int main(void)
{
	struct srnic_replay replay, empty = {};
	u64 counter = nondet_u64(), other = nondet_u64();
	bool fresh;

	PROVE(sound(&empty) && srnic_replay_fresh(&empty, other));

	ANY_BYTES(&replay);
	GIVEN(sound(&replay));
	/* open() marks fresh counters only, and there are at most 2^26 (section 10). */
	GIVEN(counter < U64_MAX && srnic_replay_fresh(&replay, counter));
	GIVEN(other != counter);
	fresh = srnic_replay_fresh(&replay, other);

	srnic_replay_mark(&replay, counter);

	PROVE(sound(&replay));
	PROVE(!srnic_replay_fresh(&replay, counter));
	if (left_behind(&replay, other))
		PROVE(!srnic_replay_fresh(&replay, other));
	else
		PROVE(srnic_replay_fresh(&replay, other) == fresh);
	POSSIBLE();
	return 0;
}
