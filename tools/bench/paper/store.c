// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include <sys/mman.h>
#include "ends.h"
#include "store.h"

#define WAYS		8	/* items of a bucket */
#define KEYS_A_BUCKET	4	/* on average */
#define TAG_SHIFT	48	/* an entry: tag ‖ number of the item + 1; 0: none */
#define NUMBER		((1ULL << TAG_SHIFT) - 1)

struct item {
	struct key key;
	uint8_t value[VALUE];
	uint8_t rest[64 - sizeof(struct key) - VALUE];
};

struct bucket {
	uint64_t entry[WAYS];
};

static struct bucket *buckets;
static struct item *items;
static uint64_t buckets_mask, items_mask;
static uint64_t head;	/* number of the next item */

static uint64_t mix(uint64_t x)		/* splitmix64's last step */
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

struct key key_of(uint64_t number)
{
	return (struct key){ mix(2 * number + 1), mix(2 * number + 2) };
}

static bool is_same(const struct key *a, const struct key *b)
{
	return a->low == b->low && a->high == b->high;
}

/* Return the item of an entry, or NULL if the log has overwritten it */
static struct item *item_of(uint64_t entry)
{
	uint64_t number = (entry & NUMBER) - 1;

	return head - number > items_mask ? NULL : &items[number & items_mask];
}

/* Return the key's entry, or NULL */
static uint64_t *find(const struct key *key)
{
	struct bucket *bucket = &buckets[key->low & buckets_mask];

	for (unsigned int i = 0; i < WAYS; i++) {
		uint64_t entry = bucket->entry[i];
		const struct item *item;

		if (!entry || entry >> TAG_SHIFT != key->high >> TAG_SHIFT)
			continue;
		item = item_of(entry);
		if (item && is_same(&item->key, key))
			return &bucket->entry[i];
	}
	return NULL;
}

/* Return an entry for a new key. A full bucket loses a key. */
static uint64_t *claim(const struct key *key)
{
	struct bucket *bucket = &buckets[key->low & buckets_mask];

	for (unsigned int i = 0; i < WAYS; i++)
		if (!bucket->entry[i])
			return &bucket->entry[i];
	return &bucket->entry[head % WAYS];
}

const uint8_t *store_get(const struct key *key)
{
	const uint64_t *entry = find(key);

	return entry ? item_of(*entry)->value : NULL;
}

void store_put(const struct key *key, const uint8_t value[VALUE])
{
	uint64_t *entry = find(key);
	struct item *item = &items[head & items_mask];

	if (!entry)
		entry = claim(key);
	item->key = *key;
	memcpy(item->value, value, VALUE);
	*entry = (key->high >> TAG_SHIFT) << TAG_SHIFT | ++head;
}

static void *memory(uint64_t count, size_t size)
{
	void *p = mmap(NULL, count * size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("no memory for %llu keys", (unsigned long long)count);
	return p;
}

void store_open(uint64_t keys)
{
	uint64_t size = 1;
	uint8_t value[VALUE] = {};

	while (size < keys)
		size *= 2;
	/* room to put each key again before the log overwrites one */
	items_mask = 2 * size - 1;
	buckets_mask = (size + KEYS_A_BUCKET - 1) / KEYS_A_BUCKET - 1;
	items = memory(items_mask + 1, sizeof(*items));
	buckets = memory(buckets_mask + 1, sizeof(*buckets));
	for (uint64_t i = 0; i < keys; i++) {
		struct key key = key_of(i);

		memcpy(value, &key, sizeof(key));
		store_put(&key, value);
	}
}
