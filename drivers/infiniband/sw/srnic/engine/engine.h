/* SPDX-License-Identifier: GPL-2.0 */
/*
 * engine - the transport: requester, responder, completer and timers for RC, UC
 * and UD. State machines over packets (IBA volume 1, chapter 9).
 *
 * One spinlock a QP guards all transport state. Packets are appended to qp->out
 * under it and handed to the stack after it has been dropped, in order, by one
 * context at a time; completion handlers and events likewise wait for the unlock
 * (unlock.c).
 *
 * Life: receipt looks a QP up under RCU and uses it without a reference;
 * srnic_qp_engine_exit() waits a grace period. A reference would cost two
 * contended atomics a burst to save one expedited grace period a QP, and the
 * memory is freed by ib_core, at a time that is not ours to choose.
 */
#ifndef SRNIC_ENGINE_H
#define SRNIC_ENGINE_H

#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/skbuff.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include "guard/peer.h"
#include "net/net.h"
#include "queue/queue.h"
#include "sth/sth.h"

struct mem_cgroup;
struct srnic_dev;
struct srnic_pd;
struct srnic_srq;

/**
 * struct srnic_sq - a send queue
 * @ring: the user's ring, in front of the private copies; kernel QPs: no memory
 * @wqes: the kernel's private copies (struct srnic_swqe, @stride bytes each),
 *	allocated at first use for user QPs
 * @entries: how many, a power of two, as many as @ring has
 * @stride: set by engine
 * @limit: how many the consumer may have outstanding
 * @prod: past the newest copy. Written by post_send under @post_lock (kernel) or by
 *	the fetch under the QP's lock (user); release, paired with the requester
 * @next: first with packets left to send
 * @cons: oldest not completed; release, paired with post_send
 * @max_sge: of the QP
 * @max_inline: of the QP
 * @sig_all: every work request is signalled
 * @post_lock: irqsave; serialises kernel consumers
 * @memcg: which pays for @wqes; user QPs
 * @mmap: of @ring
 */
struct srnic_sq {
	struct srnic_ring ring;
	void *wqes;
	u32 entries;
	u32 stride;
	u32 limit;
	u32 prod;
	u32 next;
	u32 cons;
	u32 max_sge;
	u32 max_inline;
	bool sig_all;
	spinlock_t post_lock;	/* irqsave: kernel consumers' post_send */
	struct mem_cgroup *memcg;
	struct srnic_mmap *mmap;
};

struct srnic_rq {
	struct srnic_ring ring;
	u32 max_sge;
	spinlock_t post_lock;	/* irqsave: kernel consumers' post_recv */
	struct srnic_mmap *mmap;
};

/**
 * struct srnic_rres - a READ or atomic that the responder has accepted, kept for
 *	duplicates (IBA 9.7.5.1.3, 9.7.5.1.4)
 * @opcode: of the request
 * @todo: responses remain to be sent
 * @again: they are for a duplicate; the request itself has been answered
 * @proved: the request has proved that it knows the memory's key
 * @first_psn: of the original request, and of its first response
 * @last_psn: of the last response
 * @from: first response of the request being answered (later than @first_psn if
 *	a retried READ asks for the rest only)
 * @next: response to be sent next
 * @unsent: first response that has never been sent
 * @to: last response of the request being answered
 * @end: bytes from @va to the end of that request
 * @gap: the requester lacks some responses; they are repeated once @to has been sent
 * @gap_from: the first of them
 * @gap_end: bytes from @va to the end of the last
 * @rkey: as requested
 * @length: as requested, bytes
 * @va: as requested
 * @orig: atomic: the value before
 */
struct srnic_rres {
	u8 opcode;
	bool todo;
	bool again;
	bool proved;
	u32 first_psn;
	u32 last_psn;
	u32 from;
	u32 next;
	u32 unsent;
	u32 to;
	u32 end;
	bool gap;
	u32 gap_from;
	u32 gap_end;
	u32 rkey;
	u32 length;
	u64 va;
	u64 orig;
};

/* How many packets are timed at once: bursts in flight, of which each asks for an answer */
#define SRNIC_STAMPS	8

/**
 * struct srnic_congestion - congestion control of RC; see congestion.c
 * @window: packets that may be unacknowledged
 * @floor: @window does not yield below this
 * @slow_start: @window doubles each RTT
 * @limited: in this epoch @window was all that held us back
 * @losing: something was lost in this epoch or the one before
 * @draining: an epoch with a small window, to see the least RTT
 * @marked: @window has shrunk in this epoch because of a mark (ECN)
 * @first: the oldest stamp
 * @stamps: how many there are
 * @stamp: when packets were sent, a ring
 * @now: ns; the time, once it has been asked for under the QP's lock
 * @base: least RTT of this period, ns
 * @base_before: and of the one before
 * @base_until: jiffies: the period's end
 * @last_rtt: ns
 * @srtt: smoothed RTT, ns; 0: not known
 * @rttvar: its variation
 * @epoch_psn: first packet of this epoch
 * @epoch_end: with the acknowledgment of that the epoch ends
 * @epoch_rtt: its least RTT, ns; U32_MAX: none yet
 * @samples: of how many
 * @clear_epochs: without a queue, in a row
 * @since_loss: packets acknowledged since the last loss
 * @loss_apart: packets between losses, smoothed, fixed point
 * @alpha: share of the last epochs that had a mark, fixed point
 */
struct srnic_congestion {
	u16 window;
	u16 floor;
	bool slow_start;
	bool limited;
	bool losing;
	bool draining;
	bool marked;
	u8 first;
	u8 stamps;
	struct srnic_stamp {
		u32 psn;
		u64 sent;
	} stamp[SRNIC_STAMPS];
	u64 now;
	u32 base;
	u32 base_before;
	unsigned long base_until;
	u32 last_rtt;
	u32 srtt;
	u32 rttvar;
	u32 epoch_psn;
	u32 epoch_end;
	u32 epoch_rtt;
	u32 samples;
	u32 clear_epochs;
	u32 since_loss;
	u32 loss_apart;
	u32 alpha;
};

/**
 * struct srnic_cutting - see cutting.c; of our requests, or of our responses
 * @second: PSN of the second packet of this flight's first super-packet
 * @from: where the flight began
 * @watched: there is a super-packet in it
 * @flights: in a row that lost all from @second on
 */
struct srnic_cutting {
	u32 second;
	u32 from;
	bool watched;
	u8 flights;
};

/**
 * struct srnic_probe - see probe.c
 * @timer: fires when an answer is overdue
 * @since: ns: since when an answer is waited for; the timer may fire early and sleep on
 * @runs: @timer does
 * @soon: an answer has left a gap: an RTT is waited for what may fill it
 * @count: how often the answer has been asked for since something arrived
 * @waits: asked, and no answer yet
 * @sent: one past the highest PSN that had been sent when it was asked
 * @suspect: the answer did not cover all before @sent
 * @una: the oldest unacknowledged PSN then
 */
struct srnic_probe {
	struct hrtimer timer;
	u64 since;
	bool runs;
	bool soon;
	u8 count;
	bool waits;
	bool suspect;
	u32 sent;
	u32 una;
};

struct srnic_early;

/**
 * struct srnic_reorder - packets that came before others that were sent earlier; see reorder.c
 * @first: the one with the lowest PSN
 * @last: the one with the highest
 * @count: how many there are
 * @filling: the gap before @first has been asked for, up to @gap_end
 * @gap_end: one past the highest PSN that was asked for
 */
struct srnic_reorder {
	struct srnic_early *first;
	struct srnic_early *last;
	u32 count;
	bool filling;
	u32 gap_end;
};

/**
 * struct srnic_requester - our requests
 * @psn: of the next packet, be it new or sent again
 * @una: oldest unacknowledged; inside a READ, the next response expected
 * @max_sent: one past the highest PSN ever sent
 * @early: responses that came too early
 * @cc: congestion control
 * @cutting: whether super-packets arrive
 * @since_ackreq: packets sent since the last that asked for an acknowledgment
 * @ack_every: so many may be, by the window
 * @rd_atomic: READ and atomic requests outstanding
 * @interval: of the retry timer, jiffies
 * @deadline: jiffies; the retry timer looks at it when it fires
 * @hs_pace: jiffies until a handshake frame is repeated, if less than @interval; doubles
 * @retry_left: retries before RETRY_EXC (IBA 9.7.5.1.2)
 * @rnr_left: retries before RNR_RETRY_EXC
 * @rnr_row: RNR NAKs in a row, for the same packet
 * @hs_left: handshake frames before it is given up
 * @hs_due: a handshake frame is to be sent
 * @wait_rnr: the RNR timer runs
 * @wait_keys: the handshake of our flow is not confirmed
 * @stalled: nothing could be sent for want of memory, route or keys
 * @went_back: this flight is on account of a NAK, implied or not (IBA 9.7.5.2.4, 9.7.6.1.1);
 *	another says nothing new until @una moves
 * @drained: SQ_DRAINED was reported
 * @retransmits: packets sent again
 */
struct srnic_requester {
	u32 psn;
	u32 una;
	u32 max_sent;
	struct srnic_reorder early;
	struct srnic_congestion cc;
	struct srnic_cutting cutting;
	u16 since_ackreq;
	u16 ack_every;
	u16 rd_atomic;
	unsigned long interval;
	unsigned long deadline;
	unsigned long hs_pace;
	u8 retry_left;
	u8 rnr_left;
	u8 rnr_row;
	u8 hs_left;
	bool hs_due;
	bool wait_rnr;
	bool wait_keys;
	bool stalled;
	bool went_back;
	bool drained;
	u64 retransmits;
};

/**
 * struct srnic_refusal - an acknowledgment other than ACK that waits its turn
 * @due: to be sent when all earlier READs and atomics have been answered
 * @sent: reported; silence until the expected packet arrives (IBA 9.7.5.2.8)
 * @fatal: the QP goes to ERR once it has been sent
 * @syndrome: for the AETH
 * @gap: packets that are missing, if later ones are kept; else 0
 * @psn: of the refused request
 * @event: enum ib_event_type that goes with @fatal, or -1
 */
struct srnic_refusal {
	bool due;
	bool sent;
	bool fatal;
	u8 syndrome;
	u32 gap;
	u32 psn;
	int event;
};

/**
 * struct srnic_responder - the peer's requests
 * @psn: expected
 * @early: requests that came too early
 * @msn: messages completed, 24 bits
 * @message: SRNIC_OPF_SEND or SRNIC_OPF_WRITE of the message in progress, or 0
 * @ack_due: an ACK is to be sent at the end of the burst
 * @congested: requests have arrived with CE, and the peer has not been told; sealed
 * @established: a first packet has come (COMM_EST)
 * @nak: what waits to be sent
 * @va: WRITE in progress: where its next byte goes
 * @rkey: its key
 * @left: bytes to come
 * @dmalen: bytes in all
 * @proved: the WRITE in progress has proved that it knows the memory's key
 * @rwqe: receive work request in use
 * @rres: READs and atomics, a ring
 * @rres_max: its size
 * @rres_most: how many may be outstanding: max_dest_rd_atomic
 * @rres_next: entry to fill next
 * @rres_todo: entries with responses to be sent
 * @replay: a READ among them was answered before; that is the worker's
 * @answering: some of what was due in the last turn remains
 * @fresh: request packets and READ responses that were new; wraps
 * @again: answers to what was answered before that may be sent now (duplicate.c)
 * @again_fresh: @fresh when that was last reckoned up
 * @again_at: and when that was, jiffies
 * @cutting: whether super-packets of READ responses arrive
 */
struct srnic_responder {
	u32 psn;
	struct srnic_reorder early;
	u32 msn;
	u32 message;
	bool ack_due;
	bool congested;
	bool established;
	struct srnic_refusal nak;
	u64 va;
	u32 rkey;
	u32 left;
	u32 dmalen;
	bool proved;
	struct srnic_rwqe rwqe;
	struct srnic_rres *rres;
	u16 rres_max;
	u16 rres_most;
	u16 rres_next;
	u16 rres_todo;
	bool replay;
	bool answering;
	u32 fresh;
	u32 again;
	u32 again_fresh;
	unsigned long again_at;
	struct srnic_cutting cutting;
};

/* How many marks: more make completions of UC and UD finer, not faster. */
#define SRNIC_DEPARTURES	8

/**
 * struct srnic_departures - UC and UD: packets in the stack, and what completes with them
 * @mark: a ring
 * @first: the oldest
 * @count: how many there are
 *
 * When as many bytes as @charged says have left the stack, so have all packets before @psn.
 */
struct srnic_departures {
	struct srnic_departure {
		u32 psn;
		u32 charged;
	} mark[SRNIC_DEPARTURES];
	u8 first;
	u8 count;
};

/* A received handshake frame waits here for the worker; one at a time of each flow. */
struct srnic_hs_box {
	bool full;
	u16 len;
	u8 frame[SRNIC_HS_FRAME_MAX];
};

/**
 * struct srnic_grant - a memory key that a queue pair was given
 * @node: in its list
 * @mkey: the key
 */
struct srnic_grant {
	struct list_head node;
	struct srnic_mkey mkey;
};

/**
 * struct srnic_qp - a queue pair
 * @ib: the RDMA core's part
 * @dev: device
 * @pd: protection domain; NULL for GSI's own
 * @scq: send completions
 * @rcq: receive completions
 * @srq: NULL if the QP has a receive queue of its own
 * @stream: what it takes from @srq, under its lock
 * @lock: BH; guards all transport state: @state, @sq but for posting, @req, @resp,
 *	@out, @due
 * @state: of the QP; see state.c
 * @attr: as modify_qp set it
 * @mtu: payload bytes a packet
 * @path: to the peer (RC, UC)
 * @path_valid: @path has been set
 * @sth: NULL in the clear; changed under @hs_mutex and @lock
 * @hs_mutex: handshake, rekeying, and who replaces @sth
 * @hs_box: received handshake frames, for the worker; by flow
 * @sq: send queue
 * @rq: receive queue
 * @req: our requests
 * @resp: the peer's requests
 * @probe: whether an answer is overdue
 * @retry_timer: see timer.c
 * @rnr_timer: likewise
 * @work: what cannot be done where it was noticed
 * @work_bits: SRNIC_QP_WORK_*: why
 * @heard: jiffies: when the peer last said something (RC, UC); see idle.c
 * @faults: by kind, of those who have sent to it; see fault.h
 * @out: packets for the stack
 * @txq: what of the packets in @out and in the stack has not left yet
 * @departures: see above
 * @refused: a queue was full; nothing is built until packets have left
 * @out_work: drains @out on @out_cpu, and goes on after backpressure
 * @out_cpu: where packets whose order matters were last handed to the stack
 * @out_until: jiffies: up to then others must follow them there
 * @out_ordered: there are such packets in @out
 * @out_follows: they follow packets that may still be on their way
 * @out_timed: among them are some that nobody acknowledges
 * @flushing: one context drains @out
 * @due: what the unlock sets off: SRNIC_DUE_*, and events by 1 << IB_EVENT_*
 * @cnp_at: ns: when the last CNP was sent
 * @flushed: user rings have been emptied into flush completions once (ERR)
 * @stags: windows and regions that serve this QP alone, under @pd's lock (mem/stream.c)
 * @grants: memory keys that requests are proved by: struct srnic_grant, under @lock
 * @grant_count: how many
 * @dgram_out: what datagrams are sealed with (UD, GSI), under @lock
 * @seal_request: seal that the application asks for, or NULL; under @modify_mutex, until RTR
 * @scq_node: in scq->send_qps
 * @rcq_node: in rcq->recv_qps
 * @modify_mutex: verbs: one modify_qp at a time
 */
struct srnic_qp {
	struct ib_qp ib;
	struct srnic_dev *dev;
	struct srnic_pd *pd;
	struct srnic_cq *scq;
	struct srnic_cq *rcq;
	struct srnic_srq *srq;
	struct srnic_stream stream;

	spinlock_t lock;			/* transport state */
	enum ib_qp_state state;
	struct ib_qp_attr attr;
	u32 mtu;
	struct srnic_path path;
	bool path_valid;
	struct srnic_sth *sth;
	struct mutex hs_mutex;			/* who replaces @sth */
	struct srnic_hs_box hs_box[SRNIC_FLOWS];

	struct srnic_sq sq;
	struct srnic_rq rq;
	struct srnic_requester req;
	struct srnic_responder resp;

	struct srnic_probe probe;
	struct timer_list retry_timer;
	struct hrtimer rnr_timer;
	struct work_struct work;
	unsigned long work_bits;
	unsigned long heard;
	u32 faults[SRNIC_FAULTS];

	struct sk_buff_head out;
	struct srnic_txq txq;
	struct srnic_departures departures;
	bool refused;
	struct work_struct out_work;
	unsigned long out_until;
	int out_cpu;
	bool out_ordered;
	bool out_follows;
	bool out_timed;
	bool flushing;
	bool flushed;
	u64 cnp_at;
	u32 due;

	struct list_head stags;
	struct list_head grants;
	u32 grant_count;
	struct srnic_dgram_out *dgram_out;
	struct srnic_seal_request *seal_request;

	struct list_head scq_node;
	struct list_head rcq_node;
	struct mutex modify_mutex;		/* one modify_qp at a time */
};

/* qp->work_bits: why the worker was woken */
#define SRNIC_QP_WORK_SEND	0	/* requester: go on */
#define SRNIC_QP_WORK_REPLY	1	/* responder: responses wait */
#define SRNIC_QP_WORK_HS	2	/* handshake: a frame came, or is due */
#define SRNIC_QP_WORK_REKEY	3	/* derive the next epoch's keys */
#define SRNIC_QP_WORK_FLUSH	4	/* ERR, SQE: flush the queues */
#define SRNIC_QP_WORK_UNLOCK	5	/* raise what post_send must not */
#define SRNIC_QP_WORK_ALLOC	6	/* make room for private copies, then go on */
#define SRNIC_QP_WORK_DGRAM	7	/* derive a datagram's key, then go on */

static inline struct srnic_qp *to_srnic_qp(struct ib_qp *ib)
{
	return container_of(ib, struct srnic_qp, ib);
}

static inline struct srnic_swqe *srnic_sq_wqe(const struct srnic_sq *sq, u32 index)
{
	return sq->wqes + (size_t)(index & (sq->entries - 1)) * sq->stride;
}

/* IBA table 91: which states take requests */
static inline bool srnic_qp_receives(const struct srnic_qp *qp)
{
	const u32 states = BIT(IB_QPS_RTR) | BIT(IB_QPS_RTS) | BIT(IB_QPS_SQD) | BIT(IB_QPS_SQE);

	return states & BIT(qp->state);
}

/* and which send them, and take responses */
static inline bool srnic_qp_sends(const struct srnic_qp *qp)
{
	return qp->state == IB_QPS_RTS || qp->state == IB_QPS_SQD;
}

/* RC and UC: one peer, sealed or not */
static inline bool srnic_qp_connected(const struct srnic_qp *qp)
{
	return qp->ib.qp_type == IB_QPT_RC || qp->ib.qp_type == IB_QPT_UC;
}

/* engine.c: at module load and unload */
int srnic_engine_init(void);
void srnic_engine_exit(void);

/*
 * state.c: verbs' calls, process context, one at a time for one QP, unless said
 * otherwise. verbs has checked the attributes and stored them in qp->attr; the
 * state itself is set here.
 */
int __must_check srnic_qp_engine_init(struct srnic_qp *qp);	/* at creation, rings are there */
void srnic_qp_to_reset(struct srnic_qp *qp);
void srnic_qp_to_init(struct srnic_qp *qp);
int srnic_qp_to_rtr(struct srnic_qp *qp);	/* path set; resolves policy, makes sth */
int srnic_qp_to_rts(struct srnic_qp *qp);	/* from RTR, SQD, SQE */
void srnic_qp_to_sqd(struct srnic_qp *qp);
int srnic_rres_resize(struct srnic_qp *qp);	/* rres.c: attr.max_dest_rd_atomic has changed */
void srnic_qp_to_err(struct srnic_qp *qp);	/* any context up to softirq: flushes by worker */
void srnic_qp_engine_exit(struct srnic_qp *qp);	/* destroy: no longer in dev->qps */
/*
 * Fatal for this QP: state ERR, async event if @event >= 0. With qp->lock held, any
 * context up to softirq; flush completions follow from the worker.
 */
void srnic_qp_fatal(struct srnic_qp *qp, int event);
/* query_qp's sq_draining: SQD, and something is outstanding */
bool srnic_qp_draining(struct srnic_qp *qp);

/* proof.c */
int srnic_grant_add(struct srnic_qp *qp, const struct srnic_mkey *mkey);
int srnic_grant_drop(struct srnic_qp *qp, u32 rkey);
void srnic_grant_forget(struct srnic_qp *qp);

/* post.c */
int srnic_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		    const struct ib_send_wr **bad_wr);	/* doorbell too: user QP, wr NULL */
int srnic_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		    const struct ib_recv_wr **bad_wr);	/* user QP in ERR, wr NULL: flush */

/* dgram_out.c: process context */
void srnic_dgram_out_wait(struct srnic_pd *pd);

/* dgram_in.c: process context */
struct srnic_dgram_in *srnic_dgram_in_alloc(struct srnic_dev *dev);
void srnic_dgram_in_free(struct srnic_dgram_in *in);	/* nothing comes in any more; or NULL */

/* rx.c: net's call, in softirq: everything of one sk_buff; consumes it */
void srnic_engine_rx(struct srnic_rx *rx);

#endif /* SRNIC_ENGINE_H */
