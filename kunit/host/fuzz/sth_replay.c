// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz the replay window against a model with unlimited memory: each counter
 * must be accepted once, and an unseen counter may be rejected only if it is
 * older than the window.
 *
 * Input: steps of two bytes, a signed distance from the newest counter.
 */
#include "fuzz/fuzz.h"
#include "sth/pure.h"

#define SPACE	BIT(20)
#define STEPS	2048

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static u32 marked[STEPS];
	static u8 seen[SPACE];
	struct srnic_replay replay = {};
	unsigned int count = 0;
	u64 next = 0;

	for (; size >= 2 && count < STEPS; data += 2, size -= 2) {
		s64 counter = (s64)next + (s16)get_unaligned_be16(data) / 8;
		bool old, fresh;

		if (counter < 0 || (u64)counter >= SPACE)
			continue;
		old = (u64)counter < next && next - counter > SRNIC_REPLAY_WINDOW;
		fresh = srnic_replay_fresh(&replay, counter);
		CHECK(fresh == (!seen[counter] && !old));
		if (!fresh)
			continue;
		srnic_replay_mark(&replay, counter);
		seen[counter] = 1;
		marked[count++] = counter;
		next = max_t(u64, next, counter + 1);
	}
	/* faster than clearing the whole array */
	while (count)
		seen[marked[--count]] = 0;
	return 0;
}
