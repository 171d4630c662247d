/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Seeded random numbers: the same seed yields the same choices.
 */
#ifndef CHANCE_H
#define CHANCE_H

#include <stdbool.h>
#include <stdint.h>

struct chance {
	uint64_t state;
};

/* splitmix64: decorrelates adjacent seeds */
static inline uint64_t chance_stir(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static inline void chance_seed(struct chance *chance, uint64_t seed)
{
	chance->state = chance_stir(seed) | 1;
}

/* xorshift64* */
static inline uint64_t chance_any(struct chance *chance)
{
	chance->state ^= chance->state >> 12;
	chance->state ^= chance->state << 25;
	chance->state ^= chance->state >> 27;
	return chance->state * 0x2545f4914f6cdd1dULL;
}

/* Return a number from 0 to n - 1 */
static inline uint32_t chance_below(struct chance *chance, uint32_t n)
{
	return (chance_any(chance) >> 32) * n >> 32;
}

static inline bool chance_one_in(struct chance *chance, uint32_t n)
{
	return !chance_below(chance, n);
}

#endif
