/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mem - memory regions and windows: pin or page on demand, look up, check,
 * gather, place. The only room that touches user pages.
 *
 * A key consists of 24 bits of random index and 8 bits of variant, the
 * consumer's part in keys of fast-register regions and windows. Lookup is by
 * rhashtable under RCU. Each key has a valid bit and a count of active
 * references. An access takes a reference, checks, copies and drops the
 * reference, all with BHs off; invalidation clears the valid bit and waits
 * until the count is zero (RFC 5042 6.2.2).
 */
#ifndef SRNIC_MEM_H
#define SRNIC_MEM_H

#include <linux/mutex.h>
#include <linux/rhashtable-types.h>
#include <linux/refcount.h>
#include <linux/sizes.h>
#include <rdma/ib_verbs.h>
#include <rdma/ib_umem.h>
#include <rdma/srnic-abi.h>
#include "compat_verbs.h"

struct srnic_dev;
struct srnic_dmabuf;
struct srnic_mkey;
struct srnic_odp;
struct srnic_piece;

#define SRNIC_PD_KEY_MAX	32

/* Local DMA key of kernel consumers (device->local_dma_lkey). Index 0 is never issued. */
#define SRNIC_DMA_LKEY		0

/*
 * Added to the IB_ACCESS_* of a peer's request after the peer has proved that
 * it knows the memory key (protocol.md, section 12). No region grants this bit.
 */
#define SRNIC_ACCESS_PROVED	BIT(31)

/*
 * Added by a caller that does not touch the bytes before it has checked the access again: they
 * need not be resident.
 */
#define SRNIC_ACCESS_LATER	BIT(30)

/*
 * Most bytes that a caller touches after an access has been checked: a packet's, or, if it reads
 * on behalf of a peer, those of a turn's packets. More need not be resident.
 */
#define SRNIC_MEM_PACKET	SZ_4K
#define SRNIC_MEM_TURN		SZ_256K

#define SRNIC_ACCESS_REMOTE	(IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | \
				 IB_ACCESS_REMOTE_ATOMIC)

/* IBA A19: to make a peer's writes visible, or durable */
#define SRNIC_ACCESS_FLUSH	(SRNIC_OFFERS_FLUSH ?				\
				 IB_ACCESS_FLUSH_GLOBAL | IB_ACCESS_FLUSH_PERSISTENT : 0)

/**
 * struct srnic_pd - A protection domain
 * @ib: core part
 * @user: user charged for objects of the domain; NULL: the kernel or the
 *	administrator
 * @lock: BH; protects the STags of the domain's streams
 * @dgram_waiters: number of QPs of the domain that wait for the key of a datagram
 * @protects: a region of the domain is or was protected by memory keys
 * @key_lock: process context; protects @key, @key_len and @key_drawn
 * @key: K_PD, secret; wiped when the domain is deallocated
 * @key_len: bytes; 0: no key
 * @key_drawn: @key was drawn at random, so no peer has it
 */
struct srnic_pd {
	struct ib_pd ib;
	struct srnic_user *user;
	spinlock_t lock;	/* BH; srnic_mem_stream.stags */
	atomic_t dgram_waiters;
	bool protects;
	struct mutex key_lock;	/* key, key_len, key_drawn */
	u8 key[SRNIC_PD_KEY_MAX];
	u8 key_len;
	bool key_drawn;
};

static inline struct srnic_pd *to_srnic_pd(struct ib_pd *ib)
{
	return container_of(ib, struct srnic_pd, ib);
}

/**
 * struct srnic_mem_stream - A stream (RFC 5042): mem's part of a queue pair
 * @pd: protection domain
 * @stags: windows and regions that serve this stream only, under @pd's lock
 * @qpn: QPN
 * @user: a user process owns the queue pair
 * @unpaged: accesses cannot wait for pages: none of a region that is paged on demand is allowed
 *
 * Memory is accessed on behalf of a stream. Only @stags changes after creation; of an XRC target,
 * @pd as well.
 */
struct srnic_mem_stream {
	struct srnic_pd *pd;
	struct list_head stags;
	u32 qpn;
	bool user;
	bool unpaged;
};

enum srnic_stag_kind {
	SRNIC_STAG_USER,	/* pinned by ib_umem */
	SRNIC_STAG_ON_DEMAND,	/* a process's memory, paged on demand */
	SRNIC_STAG_DMA,		/* all of memory; kernel only */
	SRNIC_STAG_FAST,	/* fast-register */
	SRNIC_STAG_DEVICE,	/* device memory */
	SRNIC_STAG_DMABUF,	/* a buffer of another driver */
	SRNIC_STAG_MW1,
	SRNIC_STAG_MW2,
};

#define SRNIC_STAG_VALID	INT_MIN	/* in srnic_stag.active */

/* srnic_stag.checks: demands of few regions on an access */
#define SRNIC_CHECK_PROOF	BIT(0)	/* a proof, if a peer makes it */
#define SRNIC_CHECK_RESIDENT	BIT(1)	/* that its pages are mapped */

/**
 * struct srnic_stag - A steering tag: the object that a key names
 * @node: entry in dev->stags
 * @index: upper 24 bits of the key; hash key
 * @key: current full key
 * @kind: kind of object; never changes
 * @active: count of active references, and SRNIC_STAG_VALID. Holders of a
 *	reference may read everything below; it does not change while there are
 *	holders, except @stream, @one_stream, @mkeys and @checks
 * @lock: BH; serialises bind, invalidate, register and deallocate
 * @pd: protection domain
 * @checks: SRNIC_CHECK_*: checks of accesses beyond those of all regions
 * @one_stream: serves @stream only: a type 2B window, or a region bound to a QP
 * @stream: the stream served, as long as it exists; else NULL
 * @reg_qpn: fast-register: QPN of the QP that the region was registered on, the
 *	only one whose peer may invalidate it
 * @mr: translation; of a window: its region, NULL if not bound
 * @access: IB_ACCESS_*
 * @iova: first byte, as the consumer names it
 * @length: bytes
 * @offset: offset of the byte at @iova from the start of the region's first
 *	block
 * @mkeys: region: memory keys that accesses must be proved by, one for each
 *	right; NULL: none
 * @stream_node: entry in @stream->stags, if @stream is set
 * @rcu: for freeing after a grace period
 */
struct srnic_stag {
	struct rhash_head node;
	u32 index;
	u32 key;
	enum srnic_stag_kind kind;
	atomic_t active;
	spinlock_t lock;	/* BH; serialises changes */
	struct srnic_pd *pd;
	u8 checks;
	bool one_stream;
	struct srnic_mem_stream *stream;
	struct srnic_mr *mr;
	u32 reg_qpn;
	u32 access;
	u64 iova;
	u64 length;
	u64 offset;
	struct srnic_mkey *mkeys;
	struct list_head stream_node;
	struct rcu_head rcu;
};

/**
 * struct srnic_map - Translation of a region to kernel addresses
 * @umem: pinned user pages; NULL: blocks of a kernel consumer, device memory, @dmabuf, or @odp
 * @odp: user pages that are paged on demand (odp.c)
 * @dmabuf: the buffer that the blocks are of (dmabuf.c)
 * @blocks: kernel addresses of blocks of equal size (virtual DMA implies no
 *	high memory: INFINIBAND_VIRT_DMA); NULL: iova is a kernel address, unless there is @odp or
 *	@pieces
 * @pieces: instead of @blocks: contiguous bytes of any length (pieces.c)
 * @count: blocks or pieces in use
 * @shift: log2 of the block size
 */
struct srnic_map {
	struct ib_umem *umem;
	struct srnic_odp *odp;
	struct srnic_dmabuf *dmabuf;
	void **blocks;
	struct srnic_piece *pieces;
	u32 count;
	u8 shift;
};

/**
 * struct srnic_mr - A memory region
 * @ib: core part
 * @stag: key and rights
 * @map: current translation; readers hold an active reference to @stag
 * @next_map: fast-register: translation prepared by map_mr_sg, effective from
 *	REG_MR on
 * @has_next_map: @next_map has been filled since the last REG_MR
 * @max_blocks: fast-register: capacity of @map and @next_map
 * @pinned: user pages, or pages of device memory or of a dma-buf, charged to the user's quota
 * @windows: number of bound windows; dereg and rereg are refused while it is
 *	not 0
 */
struct srnic_mr {
	struct ib_mr ib;
	struct srnic_stag stag;
	struct srnic_map map;
	struct srnic_map next_map;
	bool has_next_map;
	u32 max_blocks;
	u32 pinned;
	atomic_t windows;
};

static inline struct srnic_mr *to_srnic_mr(struct ib_mr *ib)
{
	return container_of(ib, struct srnic_mr, ib);
}

/* The core frees an ib_mw at once, so the part that RCU readers use is separate. */
struct srnic_mw {
	struct ib_mw ib;
	struct srnic_stag *stag;
};

static inline struct srnic_mw *to_srnic_mw(struct ib_mw *ib)
{
	return container_of(ib, struct srnic_mw, ib);
}

/* Reasons for refusing an access; order and names match the counters */
enum srnic_mem_status {
	SRNIC_MEM_OK = 0,
	SRNIC_MEM_INVALID,	/* no such key, or key not valid */
	SRNIC_MEM_PD,		/* other protection domain or other stream */
	SRNIC_MEM_BOUNDS,
	SRNIC_MEM_ACCESS,
	SRNIC_MEM_ABSENT,	/* no refusal: pages must be faulted in first */
};

/**
 * struct srnic_access - An access to memory that is to be checked
 * @key: L_Key or R_Key, all 32 bits
 * @rights: IB_ACCESS_* that it needs; 0: a local read; SRNIC_ACCESS_PROVED, SRNIC_ACCESS_LATER
 * @va: first byte, as the consumer of the key names it
 * @len: bytes; 0 only for a FLUSH: any other access to zero bytes needs no key
 *	(IBA 9.7.4.1.2, R16), and callers must not ask for one
 * @local: L_Key rules: windows are refused, the local DMA key is accepted
 */
struct srnic_access {
	u32 key;
	u32 rights;
	u64 va;
	u64 len;
	bool local;
};

/* check.c: BHs off from get to put */
struct srnic_mem_ref {
	struct srnic_stag *stag;	/* NULL: the local DMA key */
	struct srnic_mr *mr;
};

enum srnic_mem_status srnic_mem_get(const struct srnic_mem_stream *stream,
				    const struct srnic_access *access, struct srnic_mem_ref *ref);
void srnic_mem_put(struct srnic_mem_ref *ref);
void srnic_mem_whole(const struct srnic_mem_stream *stream, struct srnic_access *access);
const struct srnic_mkey *srnic_mem_mkeys(const struct srnic_mem_stream *stream,
					 const struct srnic_access *access,
					 struct srnic_mem_ref *ref);

/**
 * struct srnic_mem_cache - The region that a burst reads or writes; initially zeroed
 * @ref: reference of the last access
 * @valid: @ref is held until srnic_mem_cache_drop()
 *
 * Most packets of a burst access the same region: it is looked up and
 * referenced once. Each access is checked in full.
 */
struct srnic_mem_cache {
	struct srnic_mem_ref ref;
	bool valid;
};

enum srnic_mem_status srnic_mem_get_cached(const struct srnic_mem_stream *stream,
					   const struct srnic_access *access,
					   struct srnic_mem_cache *cache);
static inline void srnic_mem_cache_drop(struct srnic_mem_cache *cache)
{
	if (cache->valid)
		srnic_mem_put(&cache->ref);
	cache->valid = false;
}

/* copy.c: the range at @va has been checked by get */
void srnic_mem_gather(const struct srnic_mem_ref *ref, u64 va, void *dst, u32 len);
void srnic_mem_place(const struct srnic_mem_ref *ref, u64 va, const void *src, u32 len);
/* of 8 bytes, @va aligned */
u64 srnic_mem_cmp_swap(const struct srnic_mem_ref *ref, u64 va, u64 compare, u64 swap);
u64 srnic_mem_fetch_add(const struct srnic_mem_ref *ref, u64 va, u64 add);
bool srnic_mem_atomic_write(const struct srnic_mem_ref *ref, u64 va, const void *src);
void srnic_mem_write_back(const struct srnic_mem_ref *ref, u64 va, u64 len);

/**
 * struct srnic_sge_pos - A position in a message that is spread over SGEs
 * @sge: an SGE of the list
 * @left: number of SGEs from @sge on
 * @off: bytes from the start of @sge; may be inside a later SGE
 */
struct srnic_sge_pos {
	const struct srnic_abi_sge *sge;
	u32 left;
	u32 off;
};

/*
 * sge.c: gather and place for a list of SGEs. Checks lkey, PD, bounds and rights
 * for the bytes accessed. @cache may have a region afterwards.
 */
enum srnic_mem_status srnic_sge_gather(const struct srnic_mem_stream *stream,
				       struct srnic_mem_cache *cache,
				       const struct srnic_sge_pos *from, void *dst, u32 len);
enum srnic_mem_status srnic_sge_place(const struct srnic_mem_stream *stream,
				      struct srnic_mem_cache *cache,
				      const struct srnic_sge_pos *to, const void *src, u32 len);

enum srnic_mem_status srnic_sge_find_absent(const struct srnic_mem_stream *stream,
					    const struct srnic_sge_pos *from, u32 len,
					    struct srnic_access *access, u64 *ahead);

/* odp.c: process context */
enum srnic_prefetch {
	SRNIC_PREFETCH_FAULT,
	SRNIC_PREFETCH_PRESENT,		/* only pages that the process has already */
};

int srnic_region_page(struct srnic_mr *mr, u64 start);
int srnic_mem_page_in(const struct srnic_mem_stream *stream, const struct srnic_access *access,
		      u64 ahead);
int srnic_mem_prefetch(const struct srnic_mem_stream *stream, const struct srnic_access *access,
		       enum srnic_prefetch how);

/* Origin of an invalidation; a peer may do less (R26) */
enum srnic_inv_by {
	SRNIC_INV_BY_OWNER,	/* LOCAL_INV */
	SRNIC_INV_BY_PEER,	/* SEND with Invalidate */
};

/*
 * invalidate.c, window.c: execution of LOCAL_INV, REG_MR, BIND_MW and SEND with
 * Invalidate for engine. Under the QP's lock, BHs off, no region held. Return 0
 * or a negative errno.
 */
int srnic_mem_invalidate(const struct srnic_mem_stream *stream, u32 key, enum srnic_inv_by by);
int srnic_mem_reg(const struct srnic_mem_stream *stream, struct srnic_mr *mr, u32 key, u32 access);
int srnic_mem_bind(struct srnic_mem_stream *stream, const struct srnic_abi_bind *bind);

/* stag.c: process context unless noted */
int srnic_stag_table_init(struct srnic_dev *dev);
void srnic_stag_table_exit(struct srnic_dev *dev);
void srnic_stag_init(struct srnic_stag *stag, enum srnic_stag_kind kind, struct srnic_pd *pd);
int srnic_stag_insert(struct srnic_dev *dev, struct srnic_stag *stag);
void srnic_stag_remove(struct srnic_dev *dev, struct srnic_stag *stag);
void srnic_stag_publish(struct srnic_stag *stag);	/* make valid; any context */
void srnic_stag_quiesce(struct srnic_stag *stag);	/* invalidate, then wait for bursts */
void srnic_stag_quiesce_atomic(struct srnic_stag *stag); /* the same, in softirq */
/* under RCU */
struct srnic_stag *srnic_stag_find(const struct srnic_mem_stream *stream, u32 key);
/* any context up to softirq, BHs off until put */
bool srnic_stag_get(struct srnic_stag *stag);
void srnic_stag_put(struct srnic_stag *stag);

/* A region that a process has registered */
static inline bool srnic_stag_is_users(const struct srnic_stag *stag)
{
	return stag->kind == SRNIC_STAG_USER || stag->kind == SRNIC_STAG_DEVICE ||
	       stag->kind == SRNIC_STAG_DMABUF || stag->kind == SRNIC_STAG_ON_DEMAND;
}

static inline bool srnic_stag_valid(const struct srnic_stag *stag)
{
	return atomic_read(&stag->active) < 0;
}

/* region.c: memory regions, for verbs; process context */
int srnic_region_check_access(int access);
int srnic_map_pin(struct srnic_map *map, struct ib_device *ib, u64 start, u64 length, int access);
bool srnic_map_persistent(const struct srnic_map *map);
int srnic_map_alloc(struct srnic_map *map, u32 blocks);
int srnic_map_pages(struct srnic_map *map, struct page *const *pages, u32 count);
void srnic_map_release(struct srnic_map *map);
int srnic_region_map_sg(struct srnic_mr *mr, struct scatterlist *sg, int nents,
			unsigned int *offset);
/* pieces.c: any context, except for allocation */
int srnic_map_alloc_pieces(struct srnic_map *map, u32 pieces);
u64 srnic_map_length(const struct srnic_map *map);
void *srnic_pieces_run(const struct srnic_map *map, u64 off, u32 *run);
int srnic_pieces_map_sg(struct srnic_mr *mr, struct scatterlist *sgl, int nents,
			unsigned int *offset);
/* region.c */
int srnic_region_retire(struct srnic_mr *mr);
int srnic_region_protect(struct srnic_mr *mr, struct srnic_mkey *mkeys);

/* window.c: for invalidate.c and stream.c */
void srnic_window_unbind(struct srnic_stag *window);	/* its lock is held */
int srnic_window_invalidate(const struct srnic_mem_stream *stream, struct srnic_stag *window,
			    u32 key);
/* verbs' side of memory windows, process context */
void srnic_window_retire(struct srnic_stag *stag);

/* stream.c: the STag's lock is held */
void srnic_stream_join(struct srnic_stag *stag, struct srnic_mem_stream *stream);
void srnic_stream_leave(struct srnic_stag *stag);
/* process context */
int srnic_region_bind(struct srnic_mr *mr, struct srnic_mem_stream *stream);
void srnic_region_unbind(struct srnic_mr *mr);
/* no work of the QP in progress */
void srnic_stream_end(struct srnic_mem_stream *stream);

#endif /* SRNIC_MEM_H */
