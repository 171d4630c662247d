/* SPDX-License-Identifier: GPL-2.0 */
/*
 * queue - rings of SQ, RQ, SRQ and CQ. Calls nobody.
 *
 * A ring is one run of page-refcounted pages (GFP_KERNEL_ACCOUNT, vmap). A user
 * object's ring is mapped into its process without vm_operations of ours;
 * everything in it is hostile: an entry is copied out once, the copy is checked,
 * and the kernel's own indices never live there. A kernel consumer's ring has the
 * same form and is simply not mapped.
 */
#ifndef SRNIC_QUEUE_H
#define SRNIC_QUEUE_H

#include <linux/mm_types.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>
#include <rdma/srnic-abi.h>

struct srnic_mr;
struct srnic_mw;
struct srnic_ah;

/* ring.c: memory of a ring */
struct srnic_ring {
	struct srnic_ring_hdr *hdr;
	void *slots;
	struct page **pages;
	u32 npages;
	u32 entries;	/* power of two */
	u32 stride;
	u32 limit;	/* entries granted to the consumer (<= entries) */
	u32 head;	/* the kernel's own: next to take (SQ, RQ, SRQ) or to fill (CQ) */
	bool user;
};

int srnic_ring_alloc(struct srnic_ring *ring, u32 limit, u32 stride, bool user);
void srnic_ring_free(struct srnic_ring *ring);
int srnic_ring_map(struct srnic_ring *ring, struct vm_area_struct *vma);

static inline void *srnic_ring_slot(const struct srnic_ring *ring, u32 index)
{
	return ring->slots + (size_t)(index & (ring->entries - 1)) * ring->stride;
}

/*
 * Entries that wait; what a user ring claims beyond its size is an error.
 * Returns 0..entries, or -EINVAL if the producer index is nonsense.
 */
int srnic_ring_pending(const struct srnic_ring *ring);

/*
 * sq.c: the requester's private copy of a send work request. Kernel consumers'
 * post_send fills it directly; for user QPs it is copied out of the ring once.
 */
#define SRNIC_SWQE_SIGNALED	SRNIC_WQE_SIGNALED
#define SRNIC_SWQE_SOLICITED	SRNIC_WQE_SOLICITED
#define SRNIC_SWQE_FENCE	SRNIC_WQE_FENCE
#define SRNIC_SWQE_INLINE	SRNIC_WQE_INLINE

struct srnic_swqe {
	u64 wr_id;
	u8 opcode;		/* enum srnic_wqe_opcode */
	u8 num_sge;
	u16 flags;
	u32 length;		/* payload of the whole message */
	__be32 imm;
	u32 inv_rkey;
	u64 raddr;
	u32 rkey;

	/* engine's */
	u8 state;
	u8 status;		/* enum ib_wc_status */
	bool posted_err;	/* posted to a QP in ERR: flush */
	u32 first_psn;
	u32 last_psn;
	u32 sent;		/* bytes gathered so far */

	union {
		struct {
			u64 compare_add;
			u64 swap;
		} atomic;
		struct {
			u32 ah;		/* number (user QPs) */
			struct srnic_ah *kah;	/* pointer (kernel QPs) */
			u32 qpn;
			u32 qkey;
			u16 pkey_index;
		} ud;
		struct {
			u64 addr;
			u64 length;
			u32 mr_lkey;
			u32 mw_rkey;
			u32 new_rkey;
			u32 access;
		} bind;
		struct {
			struct ib_mr *mr;
			u32 key;
			u32 access;
		} reg;
	};

	/* num_sge SGEs, or length inline bytes if SRNIC_SWQE_INLINE */
	union {
		DECLARE_FLEX_ARRAY(struct srnic_abi_sge, sge);
		DECLARE_FLEX_ARRAY(u8, inline_data);
	};
};

/* Copies ring->head's entry into @swqe and advances head. 0, or -EINVAL (bad entry). */
int srnic_sq_fetch(struct srnic_ring *ring, struct srnic_swqe *swqe, u32 max_sge, u32 max_inline);
/* need_wakeup = 1, full fence, looks again: true if entries wait after all */
bool srnic_sq_sleep(struct srnic_ring *ring);
void srnic_sq_awake(struct srnic_ring *ring);
/* tells user space how far WQEs have been retired */
void srnic_ring_publish_cons(struct srnic_ring *ring, u32 cons);

/* rq.c: a receive work request, copied out once */
struct srnic_rwqe {
	u64 wr_id;
	u32 num_sge;
	u32 length;		/* sum of the SGEs */
	u32 done;		/* bytes placed */
	bool valid;
	struct srnic_abi_sge sge[SRNIC_MAX_SGE];
};

/* 1: @rwqe filled, head advanced; 0: empty; -EINVAL: bad entry */
int srnic_rq_fetch(struct srnic_ring *ring, struct srnic_rwqe *rwqe, u32 max_sge);
/* kernel consumers' post_recv, under the caller's irqsave lock */
int srnic_rq_post(struct srnic_ring *ring, const struct ib_recv_wr *wr, u32 max_sge);

/*
 * cq.c. The completion is written, then prod (release); arming is by the ring's
 * arm word (user) or srnic_cq_arm (kernel). comp_handler is never called under
 * a lock: push marks the CQ, srnic_cq_notify, after all locks, calls.
 */
struct srnic_cq {
	struct ib_cq ib;
	struct srnic_ring ring;
	spinlock_t lock;	/* irqsave: producer side, resize; kernel poll */
	u32 tail;		/* kernel consumers: next to poll */
	u8 armed;		/* kernel consumers: SRNIC_ARM_* */
	bool overflow;
	bool dying;
	unsigned long state;	/* SRNIC_CQ_* bits */
	struct list_head qps;	/* QPs that complete here, for overflow (guard) */
	struct srnic_mmap *mmap;
	struct work_struct notify_work;
	u64 pushed;		/* statistics */
};

#define SRNIC_CQ_FIRE		0	/* an event is due */
#define SRNIC_CQ_BUSY		1	/* comp_handler is running */

/* 0, or -EOVERFLOW: nothing written, the caller moves its QP to ERR */
int srnic_cq_push(struct srnic_cq *cq, const struct srnic_cqe *cqe, bool solicited);
/* calls comp_handler if one is due; no locks held, BHs may be off. @direct false:
 * leave it to a worker (inside post_send's call chain) */
void srnic_cq_notify(struct srnic_cq *cq, bool direct);

#endif /* SRNIC_QUEUE_H */
