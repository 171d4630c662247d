/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mem - regions and windows: pin, look up, check, gather, place. The only room
 * that touches user pages.
 *
 * A key is 24 bits of random index and 8 bits of variant (the consumer's part of
 * fast-register keys and windows). Look-up is by rhashtable under RCU. A region is
 * a valid bit plus a count of active bursts: an access takes the count, checks,
 * copies, drops it, all with BHs off; whoever invalidates clears the bit and then
 * waits until the count is zero (RFC 5042 6.2.2).
 */
#ifndef SRNIC_MEM_H
#define SRNIC_MEM_H

#include <linux/mutex.h>
#include <linux/rhashtable-types.h>
#include <linux/refcount.h>
#include <rdma/ib_verbs.h>
#include <rdma/ib_umem.h>
#include "../wire/wire.h"
#include "../queue/queue.h"

struct srnic_dev;
struct srnic_mkey;
struct srnic_qp;

#define SRNIC_PD_KEY_MAX	32

/* The local DMA key of kernel consumers (device->local_dma_lkey): index 0 is never given out. */
#define SRNIC_DMA_LKEY		0

/*
 * With the IB_ACCESS_* that a peer asks for: it has proved that it knows the key of the
 * memory (protocol.md, section 12). No right that a region could have.
 */
#define SRNIC_ACCESS_PROVED	BIT(31)

#define SRNIC_ACCESS_REMOTE	(IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | \
				 IB_ACCESS_REMOTE_ATOMIC)

/**
 * struct srnic_pd - a protection domain
 * @ib: the core's part
 * @user: whose is what is made in it, for guard; NULL: the kernel, or the administrator
 * @lock: BH: srnic_qp.stags of this domain's QPs
 * @dgrams_wait: queue pairs of it that wait for a datagram's key
 * @protects: a region of it has been protected
 * @key_lock: process context: @key
 * @key: K_PD, secret; wiped when the domain goes
 * @key_len: bytes; 0: there is none
 * @key_drawn: by us, so that no peer has it
 */
struct srnic_pd {
	struct ib_pd ib;
	struct srnic_user *user;
	spinlock_t lock;	/* BH: srnic_qp.stags */
	atomic_t dgrams_wait;
	bool protects;
	struct mutex key_lock;	/* key */
	u8 key[SRNIC_PD_KEY_MAX];
	u8 key_len;
	bool key_drawn;
};

static inline struct srnic_pd *to_srnic_pd(struct ib_pd *ib)
{
	return container_of(ib, struct srnic_pd, ib);
}

enum srnic_stag_kind {
	SRNIC_STAG_USER,	/* ib_umem */
	SRNIC_STAG_DMA,		/* all of memory, kernel only */
	SRNIC_STAG_FAST,	/* fast-register */
	SRNIC_STAG_MW1,
	SRNIC_STAG_MW2,
};

#define SRNIC_STAG_VALID	INT_MIN	/* in srnic_stag.active */

/**
 * struct srnic_stag - what a key names
 * @node: in dev->stags
 * @index: upper 24 bits of the key: hash key
 * @key: current full key
 * @kind: what it is a key of; never changes
 * @active: bursts in progress, and SRNIC_STAG_VALID; everything below may be read
 *	by whoever holds a count, and changed by nobody as long as someone does; but for
 *	@qp, @one_stream and @mkeys
 * @lock: BH: bind, invalidate, register, deallocate: one at a time
 * @pd: protection domain
 * @one_stream: it serves @qp alone: a window of type 2B, or a region that was bound to it
 * @qp: that stream, as long as there is one; else NULL
 * @maker: fast-register: number of the QP that the region was registered on: its peer
 *	alone may invalidate it
 * @mr: translation; a window's region, NULL if not bound
 * @access: IB_ACCESS_*
 * @iova: first byte, as the consumer names it
 * @length: bytes
 * @offset: of the byte at @iova, from the beginning of the region's first block
 * @mkeys: region: keys that accesses have to be proved by, one for each right; NULL: none
 * @stream: its place in @qp->stags, if it has a @qp
 * @rcu: for freeing
 */
struct srnic_stag {
	struct rhash_head node;
	u32 index;
	u32 key;
	enum srnic_stag_kind kind;
	atomic_t active;
	spinlock_t lock;	/* BH: changes */
	struct srnic_pd *pd;
	bool one_stream;
	struct srnic_qp *qp;
	struct srnic_mr *mr;
	u32 maker;
	u32 access;
	u64 iova;
	u64 length;
	u64 offset;
	struct srnic_mkey *mkeys;
	struct list_head stream;
	struct rcu_head rcu;
};

/**
 * struct srnic_map - where a region's bytes are
 * @umem: pinned user pages, or NULL
 * @blocks: kernel addresses of equal blocks (virtual DMA means that there is no
 *	high memory: INFINIBAND_VIRT_DMA). NULL: iova is a kernel address
 * @count: blocks in use
 * @shift: log2 of a block's size
 */
struct srnic_map {
	struct ib_umem *umem;
	void **blocks;
	u32 count;
	u8 shift;
};

/**
 * struct srnic_mr - a memory region
 * @ib: the core's part
 * @stag: its key
 * @map: present translation; readers hold a count of @stag
 * @next: fast-register: what map_mr_sg has prepared, effective with REG_MR
 * @fresh: @next has been filled since the last REG_MR
 * @max_blocks: fast-register: room in @map and @next
 * @pinned: pages of the user's, as they count against his quota
 * @windows: bound windows: dereg and rereg are refused while > 0
 */
struct srnic_mr {
	struct ib_mr ib;
	struct srnic_stag stag;
	struct srnic_map map;
	struct srnic_map next;
	bool fresh;
	u32 max_blocks;
	u32 pinned;
	atomic_t windows;
};

static inline struct srnic_mr *to_srnic_mr(struct ib_mr *ib)
{
	return container_of(ib, struct srnic_mr, ib);
}

/* The core frees an ib_mw at once, so what RCU readers look at lies apart. */
struct srnic_mw {
	struct ib_mw ib;
	struct srnic_stag *stag;
};

static inline struct srnic_mw *to_srnic_mw(struct ib_mw *ib)
{
	return container_of(ib, struct srnic_mw, ib);
}

/* Why an access was refused; order and names match the counters. */
enum srnic_mem_status {
	SRNIC_MEM_OK = 0,
	SRNIC_MEM_INVALID,	/* no such key, or not valid */
	SRNIC_MEM_PD,		/* another protection domain, or another stream */
	SRNIC_MEM_BOUNDS,
	SRNIC_MEM_ACCESS,
};

/* check.c. BHs off from get to put. @local: lkey rules (no remote right needed). */
struct srnic_mem_ref {
	struct srnic_stag *stag;	/* NULL: the local DMA key */
	struct srnic_mr *mr;
};

enum srnic_mem_status srnic_mem_get(struct srnic_qp *qp, u32 key, u64 va, u64 len,
				    u32 access, bool local, struct srnic_mem_ref *ref);
void srnic_mem_put(struct srnic_mem_ref *ref);
const struct srnic_mkey *srnic_mem_mkeys(struct srnic_qp *qp, u32 key, u64 va, u64 len,
					 u32 access, struct srnic_mem_ref *ref);

/**
 * struct srnic_hold - the region that a burst reads or writes; zeroed to begin with
 * @ref: of the last access
 * @held: it is counted, until srnic_hold_drop()
 *
 * Packets that come or go together mostly touch one region: it is looked up and counted
 * once. Each access is checked as if it were alone.
 */
struct srnic_hold {
	struct srnic_mem_ref ref;
	bool held;
};

enum srnic_mem_status srnic_mem_hold(struct srnic_qp *qp, u32 key, u64 va, u64 len,
				     u32 access, bool local, struct srnic_hold *hold);
static inline void srnic_hold_drop(struct srnic_hold *hold)
{
	if (hold->held)
		srnic_mem_put(&hold->ref);
	hold->held = false;
}

/* copy.c: @va lies in what get has checked */
void srnic_mem_gather(const struct srnic_mem_ref *ref, u64 va, void *dst, u32 len);
void srnic_mem_place(const struct srnic_mem_ref *ref, u64 va, const void *src, u32 len);
/* 8-byte atomics, @va aligned; compare-and-swap if @cas else fetch-and-add */
u64 srnic_mem_atomic(const struct srnic_mem_ref *ref, u64 va, bool cas, u64 swap_add, u64 compare);

/*
 * sge.c: the same over a list of SGEs, @off bytes into the message; the checks
 * are made here (lkey, PD, bounds, rights) for the bytes touched. A region is still
 * held afterwards.
 */
enum srnic_mem_status srnic_sge_gather(struct srnic_qp *qp, struct srnic_hold *hold,
				       const struct srnic_abi_sge *sge, u32 num, u32 off,
				       void *dst, u32 len);
enum srnic_mem_status srnic_sge_place(struct srnic_qp *qp, struct srnic_hold *hold,
				      const struct srnic_abi_sge *sge, u32 num, u32 off,
				      const void *src, u32 len);

/*
 * invalidate.c, window.c: engine's side of LOCAL_INV, REG_MR, BIND_MW and SEND
 * with invalidate. Under the QP's lock, BHs off, no region held. 0 or a
 * negative errno.
 */
int srnic_mem_invalidate(struct srnic_qp *qp, u32 key, bool remote);
int srnic_mem_reg(struct srnic_qp *qp, struct srnic_mr *mr, u32 key, u32 access);
int srnic_mem_bind(struct srnic_qp *qp, const struct srnic_swqe *swqe);

/* stag.c: process context unless said otherwise */
int srnic_stag_table_init(struct srnic_dev *dev);
void srnic_stag_table_exit(struct srnic_dev *dev);
void srnic_stag_init(struct srnic_stag *stag, enum srnic_stag_kind kind, struct srnic_pd *pd);
int srnic_stag_insert(struct srnic_dev *dev, struct srnic_stag *stag);
void srnic_stag_remove(struct srnic_dev *dev, struct srnic_stag *stag);
void srnic_stag_publish(struct srnic_stag *stag);	/* valid from now on; any context */
void srnic_stag_quiesce(struct srnic_stag *stag);	/* invalid, then wait for bursts */
void srnic_stag_quiesce_atomic(struct srnic_stag *stag); /* the same, softirq */
/* under RCU */
struct srnic_stag *srnic_stag_find(struct srnic_dev *dev, u32 key);
/* any context to softirq, BHs off until put */
bool srnic_stag_get(struct srnic_stag *stag);
void srnic_stag_put(struct srnic_stag *stag);

static inline bool srnic_stag_valid(const struct srnic_stag *stag)
{
	return atomic_read(&stag->active) < 0;
}

/* region.c: verbs' side of memory regions, process context */
int srnic_region_check_access(int access);
int srnic_map_pin(struct srnic_map *map, struct ib_device *ib, u64 start, u64 length, int access);
int srnic_map_alloc(struct srnic_map *map, u32 blocks);
void srnic_map_release(struct srnic_map *map);
int srnic_region_map_sg(struct srnic_mr *mr, struct scatterlist *sg, int nents,
			unsigned int *offset);
int srnic_region_retire(struct srnic_mr *mr);
int srnic_region_protect(struct srnic_mr *mr, struct srnic_mkey *mkeys);

/* window.c: for invalidate.c and stream.c */
void srnic_window_unbind(struct srnic_stag *window);	/* its lock is held */
int srnic_window_invalidate(struct srnic_qp *qp, struct srnic_stag *window, u32 key);
/* verbs' side of memory windows, process context */
void srnic_window_retire(struct srnic_stag *stag);

/* stream.c: the STag's lock is held */
void srnic_stream_join(struct srnic_stag *stag, struct srnic_qp *qp);
void srnic_stream_leave(struct srnic_stag *stag);
/* process context */
int srnic_region_bind(struct srnic_mr *mr, struct srnic_qp *qp);
void srnic_region_unbind(struct srnic_mr *mr);
/* no work of the QP in progress */
void srnic_stream_end(struct srnic_qp *qp);

#endif /* SRNIC_MEM_H */
