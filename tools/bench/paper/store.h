/* SPDX-License-Identifier: GPL-2.0 */
/*
 * store - the key-value store of MICA that HERD uses, in its lossy mode: buckets
 * of an index point into a circular log. A get looks up two places in memory, its
 * bucket and its item; a put one, its bucket, and appends to the log.
 */
#ifndef STORE_H
#define STORE_H

#include <stdbool.h>
#include <stdint.h>

#define VALUE		32

struct key {
	uint64_t low, high;
};

/* Fill the store with @keys keys, key_of(0) and following. On failure print the reason and exit. */
void store_open(uint64_t keys);
/* Return the key of that number */
struct key key_of(uint64_t number);
/* Return the value, or NULL */
const uint8_t *store_get(const struct key *key);
void store_put(const struct key *key, const uint8_t value[VALUE]);

#endif /* STORE_H */
