/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rings of SQ, RQ, SRQ and CQ.
 *
 * A ring is one run of page-refcounted pages (GFP_KERNEL_ACCOUNT, vmap). A user
 * object's ring is mapped into its process without vm_operations of srnic, and
 * all its contents are hostile: each entry is copied out once and the copy is
 * checked, and the kernel's own indices are stored elsewhere. A kernel
 * consumer's ring has the same layout, but is not mapped.
 */
#ifndef SRNIC_QUEUE_H
#define SRNIC_QUEUE_H

#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/srnic-abi.h>

struct srnic_cq_moderation;
struct srnic_mr;
struct srnic_mw;
struct srnic_ah;
struct srnic_mmap;

/**
 * struct srnic_pages - Pages of the kernel that a process may map
 * @page: the pages
 * @count: number of pages; 0: none
 */
struct srnic_pages {
	struct page **page;
	u32 count;
};

/* pages.c: process context */
int srnic_pages_alloc(struct srnic_pages *pages, u32 count);
void srnic_pages_free(struct srnic_pages *pages);
int srnic_pages_map(const struct srnic_pages *pages, struct vm_area_struct *vma);

/**
 * struct srnic_ring - memory of a ring, and the kernel's own index
 * @hdr: shared header, at the beginning of the first page
 * @slots: the entries, SRNIC_RING_SLOTS bytes behind @hdr
 * @pages: pages of header and entries
 * @entries: number of slots, a power of two
 * @stride: bytes of a slot
 * @limit: entries granted to the consumer (<= @entries)
 * @head: the kernel's own index: next to take (SQ, RQ, SRQ) or to fill (CQ)
 * @user: mapped into a process, so hostile
 * @asleep: send queues: empty since need_wakeup was set; the producer rings the
 *	doorbell for the next entry
 * @mmap: a user's ring: its entry in the mmap space of verbs; goes with the
 *	memory when rings are exchanged
 */
struct srnic_ring {
	struct srnic_ring_hdr *hdr;
	void *slots;
	struct srnic_pages pages;
	u32 entries;
	u32 stride;
	u32 limit;
	u32 head;
	bool user;
	bool asleep;
	struct srnic_mmap *mmap;
};

/* ring.c: memory of a ring; process context */
unsigned int srnic_ring_pages(u32 limit, u32 stride);
int srnic_ring_alloc(struct srnic_ring *ring, u32 limit, u32 stride, bool user);
void srnic_ring_free(struct srnic_ring *ring);

/* Limit of entries copied under a lock with interrupts off */
#define SRNIC_RING_MOVE_BATCH	64

/**
 * struct srnic_ring_move - progress of moving entries to a ring of another size
 * @begun: the members below are set
 * @first: index in the old ring that becomes index 0
 * @done: index up to which entries have been copied
 * @left: number of entries left to copy
 */
struct srnic_ring_move {
	bool begun;
	u32 first;
	u32 done;
	u32 left;
};

/* index.c: any context */
bool srnic_ring_move_plan(struct srnic_ring_move *move, u32 head, u32 end);
void srnic_ring_move_some(struct srnic_ring_move *move, struct srnic_ring *to,
			  const struct srnic_ring *from);

static inline void *srnic_ring_slot(const struct srnic_ring *ring, u32 index)
{
	return ring->slots + (size_t)(index & (ring->entries - 1)) * ring->stride;
}

/*
 * Copy bytes out of a ring. All reads of entries use this. The caller then uses
 * @dst only: the barrier keeps the compiler from reading @src again instead
 * (R1).
 */
static inline void srnic_ring_read(void *dst, const void *src, size_t len)
{
	memcpy(dst, src, len);
	barrier_data(dst);
}

/*
 * Return the number of entries that wait, or -EINVAL if a user's producer index
 * exceeds the ring's size.
 */
int srnic_ring_pending(const struct srnic_ring *ring);

/*
 * sq.c: the requester's private copy of a send work request. Kernel consumers'
 * post_send fills it in directly; for user QPs it is copied out of the ring,
 * once.
 */
#define SRNIC_SWQE_SIGNALED	SRNIC_WQE_SIGNALED
#define SRNIC_SWQE_SOLICITED	SRNIC_WQE_SOLICITED
#define SRNIC_SWQE_FENCE	SRNIC_WQE_FENCE
#define SRNIC_SWQE_INLINE	SRNIC_WQE_INLINE
/* Kernel consumers only: write the checksums of IP over InfiniBand */
#define SRNIC_SWQE_IP_CSUM	BIT(4)
#define SRNIC_SWQE_FLAGS	(SRNIC_WQE_FLAGS | SRNIC_SWQE_IP_CSUM)

struct srnic_swqe {
	u64 wr_id;
	u8 opcode;		/* enum srnic_wqe_opcode */
	u8 num_sge;
	u16 flags;
	u32 length;		/* bytes of payload of the whole message; atomics: 8, FLUSH: 0 */
	union {
		__be32 imm;
		u32 inv_rkey;
	};
	u32 srqn;		/* XRC: the peer's SRQ, 24 bits of it */
	u64 raddr;
	u32 rkey;

	/* set by the engine */
	u8 state;
	u8 status;		/* enum ib_wc_status */
	u32 first_psn;
	u32 last_psn;

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
			u16 mss;	/* SRNIC_WQE_LSO: see struct srnic_lso */
			u8 hlen;
		} ud;
		struct srnic_abi_bind bind;
		struct {
			u32 length;
			u8 types;
			u8 level;
		} flush;
		u64 word;	/* of ATOMIC WRITE, if SRNIC_SWQE_INLINE */
		struct {
			struct ib_mr *mr;
			u32 key;
			u32 access;
		} reg;
	};

	/* num_sge SGEs, or, in SENDs and WRITEs, length inline bytes if SRNIC_SWQE_INLINE */
	union {
		DECLARE_FLEX_ARRAY(struct srnic_abi_sge, sge);
		DECLARE_FLEX_ARRAY(u8, inline_data);
	};
};

/* Copy the entry at ring->head into @swqe, and advance head. 0, or -EINVAL (bad entry). */
int srnic_sq_fetch(struct srnic_ring *ring, struct srnic_swqe *swqe, u32 max_sge, u32 max_inline);
/* Set need_wakeup = 1, full fence, check again. True if entries wait after all. */
bool srnic_sq_sleep(struct srnic_ring *ring);
void srnic_sq_awake(struct srnic_ring *ring);
/* Tell user space up to which index WQEs have been retired. */
void srnic_ring_publish_cons(struct srnic_ring *ring, u32 cons);

/* rq.c: private copy of a receive work request, made once */
struct srnic_rwqe {
	u64 wr_id;
	u32 num_sge;
	u32 length;		/* sum of the SGEs */
	u32 done;		/* bytes placed */
	bool valid;
	struct srnic_abi_sge sge[SRNIC_MAX_SGE];
};

/* Fill in @rwqe, advance head, free the slot. 1; 0 if empty; -EINVAL for a bad entry. */
int srnic_rq_fetch(struct srnic_ring *ring, struct srnic_rwqe *rwqe, u32 max_sge);
/* Post for a kernel consumer, under the caller's irqsave lock. 0, -ENOMEM, -EINVAL. */
int srnic_rq_post(struct srnic_ring *ring, const struct ib_recv_wr *wr, u32 max_sge);
/*
 * Resize: move waiting entries to the memory of @new, which returns the old
 * memory. -EAGAIN if too many entries wait to be moved under the locks of both
 * ends: call srnic_ring_move_some() without the locks first.
 */
int srnic_rq_exchange(struct srnic_ring *ring, struct srnic_ring *new,
		      struct srnic_ring_move *move);

/**
 * struct srnic_cq - a completion queue
 * @ib: part of ib_core
 * @user: owner, for quotas; NULL: the kernel, or the administrator
 * @lock: irqsave; protects the producer's side, resize, and a kernel consumer's
 *	poll
 * @ring: the completions; @ring.head is the producer's index
 * @tail: index of a kernel consumer; a user's is in the header, and hostile
 * @armed: SRNIC_ARM_* of a kernel consumer; a user's is in the header
 * @timestamps: completions carry the time at which they were written
 * @overflow: a completion was lost; no more are accepted (IBA 10.2.10.4)
 * @state: SRNIC_CQ_* bits
 * @pushed: total number of completions
 * @cpu: processor that raises events, or SRNIC_CQ_ANY_CPU; never changes
 * @moderation: how events are delayed; set once; NULL: they never were
 * @notify_work: calls comp_handler if a direct call is not allowed
 * @error_work: work of verbs after an overflow: raises the event and moves the
 *	QPs to ERR
 * @mutex: protects resize and the lists below; taken before any QP's lock
 * @send_qps: QPs whose sends complete here
 * @recv_qps: QPs whose receives complete here
 *
 * The producer writes the completion, then prod (release). The ring's arm word
 * (user) or srnic_cq_arm() (kernel) requests an event. comp_handler is never
 * called under a lock: push marks the CQ, and srnic_cq_notify() calls it after
 * all locks have been released.
 */
struct srnic_cq {
	struct ib_cq ib;
	struct srnic_user *user;
	spinlock_t lock;	/* irqsave */
	struct srnic_ring ring;
	u32 tail;
	u8 armed;
	bool timestamps;
	bool overflow;
	unsigned long state;
	u64 pushed;
	int cpu;
	struct srnic_cq_moderation *moderation;
	struct work_struct notify_work;
	struct work_struct error_work;
	struct mutex mutex;	/* resize, and the lists below */
	struct list_head send_qps;
	struct list_head recv_qps;
};

#define SRNIC_CQ_FIRE		0	/* an event is due */
#define SRNIC_CQ_BUSY		1	/* comp_handler is running */
#define SRNIC_CQ_ANY_CPU	(-1)	/* events are raised where completions are written */

static inline struct srnic_cq *to_srnic_cq(struct ib_cq *ib)
{
	return container_of(ib, struct srnic_cq, ib);
}

/* cq.c */
void srnic_cq_init(struct srnic_cq *cq, work_func_t on_error);
/* 0, or -EOVERFLOW: no completion was written; the caller moves its QP to ERR. */
int srnic_cq_push(struct srnic_cq *cq, const struct srnic_cqe *cqe, bool solicited);
/*
 * Call comp_handler if an event is due; no locks held, BHs may be disabled.
 * Inside post_send's call chain, let a worker call it.
 */
void srnic_cq_notify(struct srnic_cq *cq);
void srnic_cq_notify_later(struct srnic_cq *cq);
/* Consumer's side: of kernel CQs, and of user CQs when uverbs asks. */
bool srnic_cq_pop(struct srnic_cq *cq, struct srnic_cqe *cqe);
u32 srnic_cq_waiting(struct srnic_cq *cq);
bool srnic_cq_arm(struct srnic_cq *cq, u8 arm);
/* Resize: @ring replaces the CQ's ring, and returns the old memory. */
int srnic_cq_exchange(struct srnic_cq *cq, struct srnic_ring *ring);
/* Destroy: no QP completes here any more. */
void srnic_cq_stop(struct srnic_cq *cq);
/* The CQ's lock is held */
void srnic_cq_release(struct srnic_cq *cq);

/* moderation.c: process context */
int srnic_cq_moderate(struct srnic_cq *cq, u32 count, u32 period);
void srnic_cq_moderation_end(struct srnic_cq *cq);
/* the CQ's lock is held, and moderation has been asked for */
bool srnic_cq_moderates(struct srnic_cq_moderation *moderation, const struct srnic_cqe *cqe);

/* Return whether the event of a completion is delayed. The CQ's lock is held. */
static inline bool srnic_cq_holds_back(struct srnic_cq *cq, const struct srnic_cqe *cqe)
{
	return unlikely(cq->moderation) && srnic_cq_moderates(cq->moderation, cqe);
}

#endif /* SRNIC_QUEUE_H */
