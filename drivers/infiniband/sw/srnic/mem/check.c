// SPDX-License-Identifier: GPL-2.0
/*
 * Access checks: whether a stream may access a range of bytes under a key. Every
 * access of every packet is checked here (RFC 5042 6.2.1 and 6.3.1, IBA 9.4.3
 * and 10.6.3).
 */
#include <linux/rcupdate.h>
#include "export.h"
#include "mem/odp.h"

static bool stag_is_window(const struct srnic_stag *stag)
{
	return stag->kind == SRNIC_STAG_MW1 || stag->kind == SRNIC_STAG_MW2;
}

/* Is [va, va + len) inside [iova, iova + length)? No sum here can wrap. */
static bool stag_contains(const struct srnic_stag *stag, u64 va, u64 len)
{
	return va >= stag->iova && len <= stag->length &&
	       va - stag->iova <= stag->length - len;
}

/* Check the demands that few regions make. The access has passed all other checks. */
static noinline enum srnic_mem_status stag_check_more(const struct srnic_mem_stream *stream,
						      const struct srnic_stag *stag,
						      const struct srnic_access *access)
{
	u8 checks = READ_ONCE(stag->checks);

	/* sRDMA 4.6: the region demands the proof, the requester has no choice */
	if (checks & SRNIC_CHECK_PROOF && !access->local && !(access->rights & SRNIC_ACCESS_PROVED))
		return SRNIC_MEM_ACCESS;
	if (!(checks & SRNIC_CHECK_RESIDENT))
		return SRNIC_MEM_OK;
	if (stream->unpaged)
		return SRNIC_MEM_ACCESS;
	/* a FLUSH touches no bytes: these regions are never persistent */
	if (!access->len || access->rights & (SRNIC_ACCESS_LATER | SRNIC_ACCESS_FLUSH))
		return SRNIC_MEM_OK;
	return srnic_odp_resident(stag, access) ? SRNIC_MEM_OK : SRNIC_MEM_ABSENT;
}

/* The caller holds an active reference to @stag. */
static enum srnic_mem_status stag_check(const struct srnic_mem_stream *stream,
					const struct srnic_stag *stag,
					const struct srnic_access *access)
{
	if (stag->key != access->key)
		return SRNIC_MEM_INVALID;
	/* a window has an R_Key and no L_Key (IBA 10.6.7.1) */
	if (access->local && stag_is_window(stag))
		return SRNIC_MEM_INVALID;
	if (stag->pd != stream->pd)
		return SRNIC_MEM_PD;	/* R7 */
	/* pairs with srnic_region_bind() */
	if (smp_load_acquire(&stag->one_stream) && READ_ONCE(stag->stream) != stream)
		return SRNIC_MEM_PD;	/* R8 */
	if (!stag_contains(stag, access->va, access->len))
		return SRNIC_MEM_BOUNDS;	/* R10 */
	if (access->rights & ~(stag->access | SRNIC_ACCESS_PROVED | SRNIC_ACCESS_LATER))
		return SRNIC_MEM_ACCESS;	/* R16 */
	if (unlikely(READ_ONCE(stag->checks)))
		return stag_check_more(stream, stag, access);

	return SRNIC_MEM_OK;
}

/*
 * The local DMA key covers all of the kernel's memory and must never serve a
 * user's QP (RFC 5042 6.5, R28).
 */
static enum srnic_mem_status mem_get_dma(const struct srnic_mem_stream *stream,
					 struct srnic_mem_ref *ref)
{
	if (stream->user)
		return SRNIC_MEM_INVALID;

	*ref = (struct srnic_mem_ref){};
	return SRNIC_MEM_OK;
}

/**
 * srnic_mem_get() - Look up a key, check an access and keep the bytes in place
 * @stream: stream on whose behalf the access is made
 * @access: the access
 * @ref: filled in, for gather, place, atomic and put
 *
 * Context: process or softirq, BHs off until srnic_mem_put().
 * Return: SRNIC_MEM_OK with a reference in @ref, or the reason for the refusal
 * without one; SRNIC_MEM_ABSENT if srnic_mem_page_in() must be called first.
 */
enum srnic_mem_status srnic_mem_get(const struct srnic_mem_stream *stream,
				    const struct srnic_access *access, struct srnic_mem_ref *ref)
{
	enum srnic_mem_status status;
	struct srnic_stag *stag;

	if (access->local && access->key == SRNIC_DMA_LKEY)
		return mem_get_dma(stream, ref);

	rcu_read_lock();
	stag = srnic_stag_find(stream, access->key);
	if (!stag || !srnic_stag_get(stag)) {
		status = stag && srnic_odp_paused(stag) ? SRNIC_MEM_ABSENT : SRNIC_MEM_INVALID;
		rcu_read_unlock();
		return status;
	}
	rcu_read_unlock();

	status = stag_check(stream, stag, access);
	if (unlikely(status)) {
		srnic_stag_put(stag);
		return status;
	}

	ref->stag = stag;
	ref->mr = stag->mr;
	return SRNIC_MEM_OK;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mem_get);

/**
 * srnic_mem_put() - End an access
 * @ref: reference filled in by srnic_mem_get()
 */
void srnic_mem_put(struct srnic_mem_ref *ref)
{
	if (ref->stag)
		srnic_stag_put(ref->stag);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mem_put);

/**
 * srnic_mem_whole() - Make an access one to all bytes that its key names
 * @stream: stream on whose behalf the access is made
 * @access: its va and len are replaced, if there is such a key
 *
 * Nothing is checked here: srnic_mem_get() does that, and refuses the access if the key names
 * other bytes by then.
 *
 * Context: any up to softirq.
 */
void srnic_mem_whole(const struct srnic_mem_stream *stream, struct srnic_access *access)
{
	struct srnic_stag *stag;

	rcu_read_lock();
	stag = srnic_stag_find(stream, access->key);
	if (stag) {
		access->va = READ_ONCE(stag->iova);
		access->len = READ_ONCE(stag->length);
	}
	rcu_read_unlock();
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mem_whole);

/**
 * srnic_mem_mkeys() - Return the memory keys of a region that demands proofs
 * @stream: stream on whose behalf the access is made
 * @access: the access, by R_Key; checked as if it had been proved
 * @ref: filled in, to be put by the caller, unless %NULL is returned
 *
 * Context: process or softirq, BHs off until srnic_mem_put().
 * Return: array of keys, one for each right; %NULL if the region has none or if
 * the access is refused anyway.
 */
const struct srnic_mkey *srnic_mem_mkeys(const struct srnic_mem_stream *stream,
					 const struct srnic_access *access,
					 struct srnic_mem_ref *ref)
{
	struct srnic_access proved = *access;
	const struct srnic_mkey *mkeys;

	proved.rights |= SRNIC_ACCESS_PROVED | SRNIC_ACCESS_LATER;
	if (srnic_mem_get(stream, &proved, ref))
		return NULL;
	mkeys = READ_ONCE(ref->stag->mkeys);
	if (mkeys)
		return mkeys;
	srnic_mem_put(ref);
	return NULL;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mem_mkeys);

/**
 * srnic_mem_get_cached() - Check an access, reusing the region of the last access
 * @stream: stream on whose behalf the access is made
 * @access: the access
 * @cache: region of the last access, by any stream; its ref is for gather, place and atomic
 *
 * If the region is the cached one, only the lookup and the reference are saved:
 * the access is checked as in srnic_mem_get().
 *
 * Context: process or softirq, BHs off until srnic_mem_cache_drop().
 * Return: SRNIC_MEM_OK, or the reason for the refusal; a region may be cached
 * in either case.
 */
enum srnic_mem_status srnic_mem_get_cached(const struct srnic_mem_stream *stream,
					   const struct srnic_access *access,
					   struct srnic_mem_cache *cache)
{
	enum srnic_mem_status status;

	if (cache->valid && cache->ref.stag->index == access->key >> 8)
		return stag_check(stream, cache->ref.stag, access);

	srnic_mem_cache_drop(cache);
	status = srnic_mem_get(stream, access, &cache->ref);
	cache->valid = !status && cache->ref.stag;
	return status;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mem_get_cached);
