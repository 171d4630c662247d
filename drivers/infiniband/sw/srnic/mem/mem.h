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

#include <linux/rhashtable-types.h>
#include <linux/refcount.h>
#include <rdma/ib_verbs.h>
#include <rdma/ib_umem.h>
#include "../wire/wire.h"
#include "../queue/queue.h"

struct srnic_dev;
struct srnic_pd;
struct srnic_qp;

enum srnic_stag_kind {
	SRNIC_STAG_USER,	/* ib_umem */
	SRNIC_STAG_DMA,		/* all of memory, kernel only */
	SRNIC_STAG_FAST,	/* fast-register */
	SRNIC_STAG_MW1,
	SRNIC_STAG_MW2,
};

/* What a key names: embedded in srnic_mr and srnic_mw. */
struct srnic_stag {
	struct rhash_head node;
	u32 index;		/* upper 24 bits of the key: hash key */
	u32 key;		/* current full key */
	enum srnic_stag_kind kind;
	atomic_t active;	/* bursts in progress; SRNIC_STAG_VALID is its top bit */
	struct srnic_pd *pd;
	struct srnic_qp *qp;	/* stream scope: type-2B windows; else NULL */
	struct srnic_mr *mr;	/* translation; a window's region */
	u32 access;		/* IB_ACCESS_* */
	u64 iova;		/* first byte, as the consumer names it */
	u64 length;
	struct rcu_head rcu;
};

struct srnic_mr {
	struct ib_mr ib;
	struct srnic_stag stag;
	struct ib_umem *umem;
	struct page **pages;
	u32 npages;
	u32 max_pages;		/* fast-register */
	u8 page_shift;
	u32 page_off;		/* offset of iova in the first page */
	atomic_t windows;	/* bound windows: dereg refused while > 0 */
};

struct srnic_mw {
	struct ib_mw ib;
	struct srnic_stag stag;
};

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
	struct srnic_stag *stag;
	struct srnic_mr *mr;
};

enum srnic_mem_status srnic_mem_get(struct srnic_qp *qp, u32 key, u64 va, u64 len,
				    u32 access, bool local, struct srnic_mem_ref *ref);
void srnic_mem_put(struct srnic_mem_ref *ref);

/* copy.c: @va lies in what get has checked. gather takes the CRC while copying. */
void srnic_mem_gather(const struct srnic_mem_ref *ref, u64 va, void *dst, u32 len, u32 *crc);
void srnic_mem_place(const struct srnic_mem_ref *ref, u64 va, const void *src, u32 len);
/* 8-byte atomics, @va aligned; compare-and-swap if @cas else fetch-and-add */
u64 srnic_mem_atomic(const struct srnic_mem_ref *ref, u64 va, bool cas, u64 swap_add, u64 compare);

/*
 * sge.c: the same over a list of SGEs, @off bytes into the message; the checks
 * are made here (lkey, PD, bounds, rights) for the bytes touched.
 */
enum srnic_mem_status srnic_sge_gather(struct srnic_qp *qp, const struct srnic_abi_sge *sge,
				       u32 num, u32 off, void *dst, u32 len, u32 *crc);
enum srnic_mem_status srnic_sge_place(struct srnic_qp *qp, const struct srnic_abi_sge *sge,
				      u32 num, u32 off, const void *src, u32 len);

/*
 * stag.c, invalidate.c: engine's side of LOCAL_INV, REG_MR, BIND_MW and SEND with
 * invalidate. Under the QP's lock, BHs off. 0 or a negative errno.
 */
int srnic_mem_invalidate(struct srnic_qp *qp, u32 key, bool remote);
int srnic_mem_reg(struct srnic_qp *qp, struct srnic_mr *mr, u32 key, u32 access);
int srnic_mem_bind(struct srnic_qp *qp, const struct srnic_swqe *swqe);

/* verbs' side: process context */
int srnic_stag_insert(struct srnic_dev *dev, struct srnic_stag *stag);
void srnic_stag_remove(struct srnic_dev *dev, struct srnic_stag *stag);
void srnic_stag_quiesce(struct srnic_stag *stag);	/* invalid, then wait for bursts */
int srnic_stag_table_init(struct srnic_dev *dev);
void srnic_stag_table_exit(struct srnic_dev *dev);

#endif /* SRNIC_MEM_H */
