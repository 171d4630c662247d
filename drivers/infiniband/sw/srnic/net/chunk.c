// SPDX-License-Identifier: GPL-2.0
/*
 * Room for packets on their way out: pages that come back.
 *
 * Each CPU cuts its bursts off a chunk of pages, one behind the other, and goes on to
 * the next chunk of its ring when that one is full. By then what was cut off it a lap
 * ago has mostly been received or sent, nobody but the ring refers to it, and it is
 * used again: the allocator, which may clear every page that it gives out
 * (init_on_alloc), is asked only for what is still under way.
 *
 * A delayed work shrinks the rings: it frees half of the unused chunks of a ring in use, and
 * all but one chunk of an idle ring.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "export.h"
#include "net/internal.h"

/*
 * A CPU keeps as many as were under way at once: one or two where what it sends is received
 * before it sends on, so that they stay in its cache, and where another CPU receives, what
 * several queue pairs' windows take.
 */
#define CHUNKS		64
#define CHUNK_SIZE	SZ_64K
#define CHUNK_ORDER	get_order(CHUNK_SIZE)

/* After two idle periods a CPU keeps one chunk. */
#define TRIM_PERIOD	(20 * HZ)

/**
 * struct chunk_ring - what one CPU cuts bursts off
 * @lock: BH; that CPU's, and the delayed work's
 * @pages: compound pages, in the order of their use from the one behind @at on
 * @count: how many there are
 * @at: the one that is being cut
 * @used: how many bytes of it have been
 * @turned: one was used up since the delayed work was here
 */
struct chunk_ring {
	spinlock_t lock;	/* BH: all of it */
	struct page *pages[CHUNKS];
	unsigned int count;
	unsigned int at;
	u32 used;
	bool turned;
};

static DEFINE_PER_CPU(struct chunk_ring, chunk_ring) = {
	.lock = __SPIN_LOCK_UNLOCKED(chunk_ring.lock),
};

static void trim_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(chunk_trim, trim_work);

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
	queue_delayed_work(system_wq, &chunk_trim, TRIM_PERIOD);
}

/*
 * The one that was used longest ago if it has come back, or else a new one. The emergency
 * reserves are not for keeping.
 */
static struct page *chunk_next(struct chunk_ring *ring, u32 least)
{
	unsigned int next = ring->count ? (ring->at + 1) % ring->count : 0;
	struct page *page = ring->pages[next];

	ring->turned = true;
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

	ring = this_cpu_ptr(&chunk_ring);
	spin_lock(&ring->lock);
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
	spin_unlock(&ring->lock);
	return page;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_chunk_cut);

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

	ring = this_cpu_ptr(&chunk_ring);
	spin_lock(&ring->lock);
	if (ring->pages[ring->at] == page && ring->used == chunk_skip(end + left))
		ring->used = chunk_skip(end);
	spin_unlock(&ring->lock);
}

/* Return true if the ring can do without its chunk @i. @back counts unused ones. */
static bool chunk_goes(const struct chunk_ring *ring, unsigned int i, unsigned int *back)
{
	struct page *page = ring->pages[i];

	if (!ring->turned)
		return i != ring->at || page_size(page) > CHUNK_SIZE;
	return i != ring->at && page_ref_count(page) == 1 && ++*back % 2;
}

/* Return true if the ring needs another look later. */
static bool ring_trim(struct chunk_ring *ring)
	__must_hold(&ring->lock)
{
	unsigned int back = 0, kept = 0, at = 0;
	bool turned = ring->turned;

	for (unsigned int i = 0; i < ring->count; i++) {
		if (chunk_goes(ring, i, &back)) {
			put_page(ring->pages[i]);
			continue;
		}
		if (i == ring->at)
			at = kept;
		ring->pages[kept++] = ring->pages[i];
	}
	for (unsigned int i = kept; i < ring->count; i++)
		ring->pages[i] = NULL;
	ring->count = kept;
	ring->at = at;
	if (!kept)
		ring->used = 0;
	ring->turned = false;
	return turned || kept > 1;
}

/**
 * srnic_chunk_trim - free chunks that no CPU needs
 *
 * Context: process or softirq.
 * Return: true if it should be called again later.
 */
bool srnic_chunk_trim(void)
{
	bool again = false;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct chunk_ring *ring = per_cpu_ptr(&chunk_ring, cpu);

		spin_lock_bh(&ring->lock);
		again |= ring_trim(ring);
		spin_unlock_bh(&ring->lock);
	}
	return again;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_chunk_trim);

static void trim_work(struct work_struct *work)
{
	if (srnic_chunk_trim())
		queue_delayed_work(system_wq, &chunk_trim, TRIM_PERIOD);
}

/**
 * srnic_chunk_kept - sum up the memory of all rings
 *
 * Context: process or softirq.
 * Return: bytes, including chunks with packets in flight.
 */
u64 srnic_chunk_kept(void)
{
	u64 kept = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct chunk_ring *ring = per_cpu_ptr(&chunk_ring, cpu);

		spin_lock_bh(&ring->lock);
		for (unsigned int i = 0; i < ring->count; i++)
			kept += page_size(ring->pages[i]);
		spin_unlock_bh(&ring->lock);
	}
	return kept;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_chunk_kept);

/* At module unload: what is still under way goes when it has arrived. */
void srnic_chunk_exit(void)
{
	int cpu;

	cancel_delayed_work_sync(&chunk_trim);
	for_each_possible_cpu(cpu) {
		struct chunk_ring *ring = per_cpu_ptr(&chunk_ring, cpu);

		for (unsigned int i = 0; i < ring->count; i++) {
			put_page(ring->pages[i]);
			ring->pages[i] = NULL;
		}
		ring->count = 0;
	}
}
