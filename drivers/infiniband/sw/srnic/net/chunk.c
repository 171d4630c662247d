// SPDX-License-Identifier: GPL-2.0
/*
 * Room for packets on their way out: pages that come back.
 *
 * Each CPU cuts its bursts off a chunk of pages, one behind the other, and goes on to
 * the next chunk of its ring when that one is full. By then what was cut off it a lap
 * ago has mostly been received or sent, nobody but the ring refers to it, and it is
 * used again: the allocator, which may clear every page that it gives out
 * (init_on_alloc), is asked only for what is still under way.
 */
#include <linux/gfp.h>
#include <linux/local_lock.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sizes.h>
#include "net/internal.h"

/*
 * A CPU keeps as many as were under way at once: one or two where what it sends is received
 * before it sends on, so that they stay in its cache, and where another CPU receives, what
 * several queue pairs' windows take.
 */
#define CHUNKS		64
#define CHUNK_ORDER	get_order(SZ_64K)

/**
 * struct chunk_ring - what one CPU cuts bursts off
 * @lock: this CPU's, BHs off
 * @pages: compound pages, in the order of their use from the one behind @at on
 * @count: how many there are
 * @at: the one that is being cut
 * @used: how many bytes of it have been
 */
struct chunk_ring {
	local_lock_t lock;	/* see above */
	struct page *pages[CHUNKS];
	unsigned int count;
	unsigned int at;
	u32 used;
};

static DEFINE_PER_CPU(struct chunk_ring, chunk_ring) = {
	.lock = INIT_LOCAL_LOCK(lock),
};

/* What can be cut next if the last cut ended at @end */
static u32 chunk_skip(u32 end)
{
	return ALIGN(end, SMP_CACHE_BYTES);
}

/* As large as can be had without effort; else just large enough. */
static struct page *chunk_alloc(u32 least)
{
	const gfp_t gfp = GFP_ATOMIC | __GFP_COMP | __GFP_NOWARN;
	struct page *page;

	page = alloc_pages(gfp | __GFP_NORETRY, max_t(int, CHUNK_ORDER, get_order(least)));
	return page ?: alloc_pages(gfp, get_order(least));
}

/* Nobody reads it any more: whoever was last has dropped its reference since. */
static bool chunk_is_ours(const struct page *page, u32 least)
{
	if (!page || page_size((struct page *)page) < least || page_ref_count(page) != 1)
		return false;
	smp_acquire__after_ctrl_dep();
	return true;
}

/* Between the one that was cut last and the one that was so longest ago, if there is room */
static void chunk_keep(struct chunk_ring *ring, struct page *page)
{
	unsigned int next = ring->count ? ring->at + 1 : 0;

	if (ring->count < CHUNKS) {
		memmove(&ring->pages[next + 1], &ring->pages[next],
			(ring->count - next) * sizeof(ring->pages[0]));
		ring->count++;
	} else {
		next %= CHUNKS;
		put_page(ring->pages[next]);
	}
	ring->pages[next] = page;
	ring->at = next;
}

/*
 * The one that was used longest ago if it has come back, or else a new one. The emergency
 * reserves are not for keeping.
 */
static struct page *chunk_next(struct chunk_ring *ring, u32 least)
{
	unsigned int next = ring->count ? (ring->at + 1) % ring->count : 0;
	struct page *page = ring->pages[next];

	if (chunk_is_ours(page, least)) {
		ring->at = next;
	} else {
		page = chunk_alloc(least);
		if (!page || page_is_pfmemalloc(page))
			return page;
		chunk_keep(ring, page);
	}
	ring->used = 0;
	return page;
}

/**
 * srnic_chunk_cut - room in pages, from the beginning of a cache line on
 * @cut: what to fill in; the page's reference is the caller's
 * @least: bytes that are needed
 * @want: bytes that could be used, no less than that
 *
 * Context: BHs off.
 * Return: false if memory is short.
 */
bool srnic_chunk_cut(struct srnic_cut *cut, u32 least, u32 want)
{
	struct chunk_ring *ring;
	struct page *page;
	bool kept;

	local_lock_nested_bh(&chunk_ring.lock);
	ring = this_cpu_ptr(&chunk_ring);
	page = ring->pages[ring->at];
	if (!page || page_size(page) < ring->used + least)
		page = chunk_next(ring, least);
	if (!page)
		goto out;

	kept = page == ring->pages[ring->at];
	cut->page = page;
	cut->off = kept ? ring->used : 0;
	cut->len = min_t(u32, want, page_size(page) - cut->off);
	if (kept) {
		ring->used = chunk_skip(cut->off + cut->len);
		get_page(page);
	}
out:
	local_unlock_nested_bh(&chunk_ring.lock);
	return page;
}

/**
 * srnic_chunk_return - give back the end of a cut
 * @page: off which it was
 * @end: where what was used of it ends
 * @left: how many bytes behind that were not
 *
 * Bursts that follow one another lie close together. Where something else was cut
 * off meanwhile, the rest is lost until the chunk comes back.
 *
 * Context: BHs off.
 */
void srnic_chunk_return(const struct page *page, u32 end, u32 left)
{
	struct chunk_ring *ring;

	local_lock_nested_bh(&chunk_ring.lock);
	ring = this_cpu_ptr(&chunk_ring);
	if (ring->pages[ring->at] == page && ring->used == chunk_skip(end + left))
		ring->used = chunk_skip(end);
	local_unlock_nested_bh(&chunk_ring.lock);
}

/* At module unload: what is still under way goes when it has arrived. */
void srnic_chunk_exit(void)
{
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct chunk_ring *ring = per_cpu_ptr(&chunk_ring, cpu);

		for (i = 0; i < ring->count; i++) {
			put_page(ring->pages[i]);
			ring->pages[i] = NULL;
		}
		ring->count = 0;
	}
}
