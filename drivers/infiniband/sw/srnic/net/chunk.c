// SPDX-License-Identifier: GPL-2.0
/*
 * Room for outgoing packets, in recycled pages.
 *
 * Each CPU cuts its bursts off a chunk of pages, one behind the other, and goes on to the next
 * chunk of its ring when that one is full. By then the bursts of a lap ago have mostly been
 * received or sent, so only the ring refers to the next chunk, and it is used again. The
 * allocator, which may clear every page (init_on_alloc), is called only if packets of the next
 * chunk are still in flight.
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
#include "compat.h"
#include "export.h"
#include "net/internal.h"

/*
 * A CPU keeps as many chunks as were in flight at once. If it receives its own packets before
 * it sends more, these are one or two, which stay in its cache. If another CPU receives, they
 * are as many as the windows of several QPs take.
 */
#define CHUNK_RING_MAX	64
#define CHUNK_SIZE	SZ_64K
#define CHUNK_ORDER	get_order(CHUNK_SIZE)

/* After two idle periods a CPU keeps one chunk. */
#define TRIM_PERIOD	(20 * HZ)

/**
 * struct chunk_ring - chunks that one CPU cuts bursts off
 * @lock: BH; taken by that CPU, the delayed work and srnic_chunk_bytes()
 * @pages: compound pages, least recently used first, from index @at + 1 on
 * @count: number of chunks
 * @at: index of the chunk that is being cut
 * @used: bytes of that chunk that have been cut off
 * @advanced: the ring went on to another chunk since the delayed work last ran
 */
struct chunk_ring {
	spinlock_t lock;	/* BH: all of it */
	struct page *pages[CHUNK_RING_MAX];
	unsigned int count;
	unsigned int at;
	u32 used;
	bool advanced;
};

static DEFINE_PER_CPU(struct chunk_ring, chunk_ring);

static void trim_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(chunk_trim, trim_work);

/* Return where the next cut begins if the last one ended at @end. */
static u32 chunk_align(u32 end)
{
	return ALIGN(end, SMP_CACHE_BYTES);
}

/* Allocate a large chunk if that needs no retry, else one just large enough. */
static struct page *chunk_alloc_pages(u32 min_len)
{
	const gfp_t gfp = GFP_ATOMIC | __GFP_COMP | __GFP_NOWARN;
	struct page *page;

	page = alloc_pages(gfp | __GFP_NORETRY, max_t(int, CHUNK_ORDER, get_order(min_len)));
	return page ?: alloc_pages(gfp, get_order(min_len));
}

/*
 * Return true if the page is large enough and no packet refers to it any more. The acquire
 * orders its reuse after the accesses of its last user.
 */
static bool chunk_reusable(const struct page *page, u32 min_len)
{
	if (!page || page_size((struct page *)page) < min_len || page_ref_count(page) != 1)
		return false;
	smp_acquire__after_ctrl_dep();
	return true;
}

/* Insert a chunk behind the one cut last; in a full ring, replace the least recently used. */
static void chunk_ring_insert(struct chunk_ring *ring, struct page *page)
{
	unsigned int next = ring->count ? ring->at + 1 : 0;

	if (ring->count < CHUNK_RING_MAX) {
		memmove(&ring->pages[next + 1], &ring->pages[next],
			(ring->count - next) * sizeof(ring->pages[0]));
		ring->count++;
	} else {
		next %= CHUNK_RING_MAX;
		put_page(ring->pages[next]);
	}
	ring->pages[next] = page;
	ring->at = next;
	queue_delayed_work(system_percpu_wq, &chunk_trim, TRIM_PERIOD);
}

/*
 * Return the least recently used chunk if no packet uses it any more, else a new one. Pages
 * of the emergency reserves are not kept.
 */
static struct page *chunk_ring_next(struct chunk_ring *ring, u32 min_len)
{
	unsigned int next = ring->count ? (ring->at + 1) % ring->count : 0;
	struct page *page = ring->pages[next];

	ring->advanced = true;
	if (chunk_reusable(page, min_len)) {
		ring->at = next;
	} else {
		page = chunk_alloc_pages(min_len);
		if (!page || page_is_pfmemalloc(page))
			return page;
		chunk_ring_insert(ring, page);
	}
	ring->used = 0;
	return page;
}

/**
 * srnic_chunk_alloc_frag() - Cut a piece off a chunk, aligned to a cache line
 * @frag: filled in; the caller gets a reference to its page
 * @min_len: bytes that are needed
 * @max_len: bytes that could be used, at least @min_len
 *
 * Context: BHs off.
 * Return: true; false if memory is short.
 */
bool srnic_chunk_alloc_frag(struct srnic_chunk_frag *frag, u32 min_len, u32 max_len)
{
	struct chunk_ring *ring;
	struct page *page;
	bool kept;

	ring = this_cpu_ptr(&chunk_ring);
	spin_lock(&ring->lock);
	page = ring->pages[ring->at];
	if (!page || page_size(page) < ring->used + min_len)
		page = chunk_ring_next(ring, min_len);
	if (!page)
		goto out;

	/* A page of the emergency reserves is the caller's alone */
	kept = page == ring->pages[ring->at];
	frag->page = page;
	frag->off = kept ? ring->used : 0;
	frag->len = min_t(u32, max_len, page_size(page) - frag->off);
	if (kept) {
		ring->used = chunk_align(frag->off + frag->len);
		get_page(page);
	}
out:
	spin_unlock(&ring->lock);
	return page;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_chunk_alloc_frag);

/**
 * srnic_chunk_return_tail() - Return the unused end of a piece to its chunk
 * @page: the chunk
 * @end: offset in the chunk at which the used part of the piece ends, in bytes
 * @left: unused bytes behind @end
 *
 * The next burst begins there, so that consecutive bursts lie close together. If another piece
 * was cut off meanwhile, the unused bytes are lost until the chunk is used again.
 *
 * Context: BHs off.
 */
void srnic_chunk_return_tail(const struct page *page, u32 end, u32 left)
{
	struct chunk_ring *ring;

	ring = this_cpu_ptr(&chunk_ring);
	spin_lock(&ring->lock);
	if (ring->pages[ring->at] == page && ring->used == chunk_align(end + left))
		ring->used = chunk_align(end);
	spin_unlock(&ring->lock);
}

/*
 * Return true if the ring can do without its chunk @i. While the ring is in use, every second
 * idle chunk goes, so that it shrinks over a few calls. @idle counts those.
 */
static bool chunk_is_surplus(const struct chunk_ring *ring, unsigned int i, unsigned int *idle)
{
	struct page *page = ring->pages[i];

	if (i == ring->at)
		return !ring->advanced && page_size(page) > CHUNK_SIZE;
	if (!ring->advanced)
		return true;
	if (page_ref_count(page) > 1)
		return false;
	++*idle;
	return *idle % 2;
}

/* Return true if the ring needs another look later. */
static bool chunk_ring_trim(struct chunk_ring *ring)
	__must_hold(&ring->lock)
{
	unsigned int idle = 0, kept = 0, at = 0;
	bool advanced = ring->advanced;

	for (unsigned int i = 0; i < ring->count; i++) {
		if (chunk_is_surplus(ring, i, &idle)) {
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
	ring->advanced = false;
	return advanced || kept > 1;
}

/**
 * srnic_chunk_trim() - Free chunks that no CPU needs
 *
 * Context: process or softirq.
 * Return: true if it should be called again later.
 */
bool srnic_chunk_trim(void)
{
	bool more = false;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct chunk_ring *ring = per_cpu_ptr(&chunk_ring, cpu);

		spin_lock_bh(&ring->lock);
		more |= chunk_ring_trim(ring);
		spin_unlock_bh(&ring->lock);
	}
	return more;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_chunk_trim);

static void trim_work(struct work_struct *work)
{
	if (srnic_chunk_trim())
		queue_delayed_work(system_percpu_wq, &chunk_trim, TRIM_PERIOD);
}

/**
 * srnic_chunk_bytes() - Sum up the memory of all rings
 *
 * Context: process or softirq.
 * Return: bytes, including chunks with packets in flight.
 */
u64 srnic_chunk_bytes(void)
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

SRNIC_EXPORT_FOR_KUNIT(srnic_chunk_bytes);

/*
 * The loader of modules does not relocate initial values of per-CPU data (apply_relocations()),
 * and lockdep's are pointers.
 */
void __init srnic_chunk_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		spin_lock_init(&per_cpu_ptr(&chunk_ring, cpu)->lock);
}

/* At module unload. Packets in flight hold references to their chunks. */
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
