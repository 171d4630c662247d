/* SPDX-License-Identifier: GPL-2.0 */
/*
 * engine - the transport: requester, responder, completer and timer for RC, UC and
 * UD. State machines over packets (IBA volume 1, chapter 9).
 *
 * One spinlock a QP guards all transport state. Packets are appended to qp->out
 * under it and handed to the stack after it has been dropped, in order, by one
 * context at a time (srnic_qp_flush).
 */
#ifndef SRNIC_ENGINE_H
#define SRNIC_ENGINE_H

#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/skbuff.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include "../net/net.h"
#include "../queue/queue.h"
#include "../sth/sth.h"

struct srnic_dev;
struct srnic_pd;
struct srnic_srq;

/*
 * The send queue: the user's (or no) ring in front, behind it the kernel's private
 * copies, from cons (oldest not completed) over next (first with packets left to
 * send) to prod.
 */
struct srnic_sq {
	struct srnic_ring ring;		/* user QPs; else no memory */
	void *wqes;			/* private copies; allocated at first use */
	u32 entries;			/* power of two */
	u32 stride;
	u32 limit;
	u32 prod;			/* release: kernel post_send, or fetch */
	u32 next;
	u32 cons;
	u32 max_sge;
	u32 max_inline;
	bool sig_all;
	spinlock_t post_lock;		/* irqsave: kernel consumers' post_send */
	struct srnic_mmap *mmap;
};

struct srnic_rq {
	struct srnic_ring ring;
	u32 max_sge;
	spinlock_t post_lock;		/* irqsave: kernel consumers' post_recv */
	struct srnic_mmap *mmap;
};

/* A READ or atomic that the responder has accepted, kept for duplicates (IBA 9.4.4, 9.7.5). */
struct srnic_rres {
	u8 opcode;
	u32 first_psn;
	u32 last_psn;
	u64 va;
	u32 rkey;
	u32 length;
	u32 done;		/* READ: bytes answered so far */
	u64 orig;		/* atomic: value before */
};

struct srnic_requester {
	u32 psn;		/* of the next new packet */
	u32 una;		/* oldest unacknowledged */
	u32 max_sent;		/* one past the highest PSN ever sent */
	u32 resend;		/* PSN to go on from, when retrying */
	bool retrying;
	bool wait_rnr;
	bool wait_fence;
	bool wait_keys;		/* handshake not confirmed */
	u8 retry_left;
	u8 rnr_left;
	u16 window;		/* packets that may be unacknowledged */
	u16 since_ackreq;
	u32 rd_atomic;		/* READs and atomics outstanding */
	u32 read_next;		/* completer: expected READ response PSN */
	bool draining;
	bool drained_event;
};

struct srnic_responder {
	u32 psn;		/* expected */
	u32 msn;
	u8 opcode;		/* of the last accepted packet: sequence check (IBA 9.8.3.1) */
	bool in_message;
	bool nak_sent;		/* PSN sequence error was reported once */
	bool ack_due;
	u32 since_ack;
	/* the RDMA WRITE in progress */
	u64 va;
	u32 rkey;
	u32 left;
	u32 dmalen;
	struct srnic_rwqe rwqe;
	/* READs and atomics, a ring of max_dest_rd_atomic */
	struct srnic_rres *rres;
	u32 rres_head;
	u32 rres_tail;
	u32 rres_max;
	bool reading;		/* responses of rres[] are being streamed (paced) */
};

/* A received handshake frame waits here for the worker; one at a time. */
struct srnic_hs_box {
	bool full;
	u16 len;
	u8 frame[SRNIC_HS_FRAME_MAX];
};

struct srnic_qp {
	struct ib_qp ib;
	struct srnic_dev *dev;
	struct srnic_pd *pd;
	struct srnic_cq *scq;
	struct srnic_cq *rcq;
	struct srnic_srq *srq;

	spinlock_t lock;	/* BH: all transport state below */
	enum ib_qp_state state;
	bool sq_error;		/* SQE */
	struct ib_qp_attr attr;	/* as modify_qp set it */
	u32 mtu;		/* bytes */
	struct srnic_path path;
	bool path_valid;
	struct srnic_sth *sth;	/* NULL: in the clear */
	struct mutex hs_mutex;	/* handshake, rekey, modify's changes of sth */
	struct srnic_hs_box hs_box;

	struct srnic_sq sq;
	struct srnic_rq rq;
	struct srnic_requester req;
	struct srnic_responder resp;

	struct timer_list retry_timer;
	struct hrtimer rnr_timer;
	struct work_struct work;
	unsigned long work_bits;	/* SRNIC_QP_WORK_* */

	struct sk_buff_head out;
	unsigned long flags;		/* SRNIC_QP_* */

	struct list_head scq_node;	/* in scq->qps, rcq->qps */
	struct list_head rcq_node;
	refcount_t refs;		/* RCU look-ups; destroy waits on gone */
	struct completion gone;
	struct rcu_head rcu;
};

/* qp->flags */
#define SRNIC_QP_FLUSHING	0	/* one context drains qp->out */
#define SRNIC_QP_DEAD		1	/* destroy has begun */

/* qp->work_bits: why the worker was woken */
#define SRNIC_QP_WORK_SEND	0
#define SRNIC_QP_WORK_RETRY	1
#define SRNIC_QP_WORK_HS	2
#define SRNIC_QP_WORK_REKEY	3
#define SRNIC_QP_WORK_FLUSH	4
#define SRNIC_QP_WORK_READ	5

static inline struct srnic_swqe *srnic_sq_wqe(const struct srnic_sq *sq, u32 index)
{
	return sq->wqes + (size_t)(index & (sq->entries - 1)) * sq->stride;
}

/* verbs' calls, process context unless said otherwise */
void srnic_qp_engine_init(struct srnic_qp *qp);	/* at creation */
/* transitions: called by modify_qp, attributes checked and stored in qp->attr */
void srnic_qp_to_reset(struct srnic_qp *qp);
int srnic_qp_to_rtr(struct srnic_qp *qp);	/* path set; resolves policy, makes sth */
int srnic_qp_to_rts(struct srnic_qp *qp);
void srnic_qp_to_sqd(struct srnic_qp *qp);
void srnic_qp_to_err(struct srnic_qp *qp);	/* any context up to softirq: flushes by worker */
void srnic_qp_engine_exit(struct srnic_qp *qp);	/* destroy: timers, work, lookups done */
/*
 * Fatal for this QP: state ERR, async event if @event >= 0. With qp->lock held, any
 * context up to softirq; flush completions follow from the worker.
 */
void srnic_qp_fatal(struct srnic_qp *qp, int event);

int srnic_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		    const struct ib_send_wr **bad_wr);	/* doorbell too: user QP, wr NULL */
int srnic_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		    const struct ib_recv_wr **bad_wr);

/* net's call, in softirq: everything of one sk_buff; consumes it */
void srnic_engine_rx(struct srnic_rx *rx);

#endif /* SRNIC_ENGINE_H */
