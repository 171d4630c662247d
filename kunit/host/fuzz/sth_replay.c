// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz the replay window against a model that forgets nothing: a counter is taken
 * once, and refused without having been seen only behind the window.
 *
 * Input: steps of two bytes, a signed distance from the newest counter.
 */
#include "sth/pure.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define CHECK(cond) do { if (!(cond)) __builtin_trap(); } while (0)
#define SPACE	BIT(20)

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static u8 seen[SPACE];
	struct srnic_replay replay = {};
	u64 next = 0;

	memset(seen, 0, sizeof(seen));
	for (; size >= 2; data += 2, size -= 2) {
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
		next = max_t(u64, next, counter + 1);
	}
	return 0;
}
