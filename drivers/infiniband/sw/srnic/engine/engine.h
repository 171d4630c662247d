/* SPDX-License-Identifier: GPL-2.0 */
/*
 * engine - the transport: requester, responder, completer and timers for RC, XRC, UC and UD. State
 * machines over packets (IBA volume 1, chapter 9).
 *
 * One spinlock per QP protects all transport state. The engine appends packets to qp->out under
 * the lock. After the unlock, one context at a time hands them to the network stack, in order.
 * Completion handlers and events also wait for the unlock (unlock.c).
 *
 * Lifetime: the receive path looks up a QP under RCU and uses it without a reference;
 * srnic_qp_engine_exit() waits for a grace period. A reference would cost two contended atomic
 * operations per burst to save one expedited grace period per QP, and ib_core frees the memory
 * at a time that the driver cannot choose.
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
#include "mem/mem.h"
#include "net/net.h"
#include "queue/queue.h"
#include "sth/sth.h"

struct mem_cgroup;
struct srnic_dev;
struct srnic_srq;
struct srnic_xrc;

/**
 * struct srnic_sq - A send queue
 * @ring: user QP: ring of posted work requests; kernel QP: no memory
 * @wqes: the kernel's private copies (struct srnic_swqe, @stride bytes each); for user QPs
 *	allocated at first use
 * @entries: number of copies, a power of two, the same as in @ring
 * @stride: bytes per copy; set by the engine
 * @limit: most work requests that the consumer may have outstanding
 * @prod: index past the newest copy; post_send (kernel QP) writes it under @post_lock, with
 *	release for the requester; the fetch (user QP) writes it under the QP's lock
 * @next: index of the first work request with packets left to send
 * @cons: index of the oldest work request that is not completed; written with release for
 *	post_send
 * @max_sge: most SGEs per work request
 * @max_inline: most bytes of inline data per work request
 * @sig_all: every work request is signalled
 * @lso: the consumer may post large sends
 * @lso_at: offset of the headers of a large send in a copy, behind the SGEs
 * @post_lock: irqsave; serialises kernel consumers
 * @memcg: user QPs: memory cgroup charged for @wqes
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
	bool lso;
	u32 lso_at;
	spinlock_t post_lock;	/* irqsave: kernel consumers' post_send */
	struct mem_cgroup *memcg;
};

struct srnic_rq {
	struct srnic_ring ring;
	u32 max_sge;
	spinlock_t post_lock;	/* irqsave: kernel consumers' post_recv */
};

/**
 * struct srnic_rres - An accepted READ, atomic, FLUSH or ATOMIC WRITE, kept for duplicates (IBA
 *	9.7.5.1.3, 9.7.5.1.4, A19)
 * @opcode: opcode of the request
 * @todo: responses remain to be sent
 * @repeat: these responses are for a duplicate; the request itself has been answered
 * @proved: the request has proved that it knows the memory key
 * @first_psn: PSN of the original request and of its first response
 * @last_psn: PSN of the last response
 * @from: PSN of the first response of the present answer; later than @first_psn if a retried
 *	READ asks for the rest only
 * @next: PSN of the response to send next
 * @unsent: PSN of the first response that has never been sent
 * @to: PSN of the last response of the present answer
 * @end: bytes from @va to the end of the present answer
 * @feth: FLUSH: its FETH
 * @unfinished: FLUSH: some bytes have not been written back
 * @gap: the requester lacks some responses; they are repeated after @to has been sent
 * @gap_from: PSN of the first of these responses
 * @gap_end: bytes from @va to the end of the last of these responses
 * @rkey: rkey of the request
 * @length: length of the request, in bytes
 * @srqn: XRC: SRQ that the request named, whose protection domain it accesses
 * @va: virtual address of the request
 * @orig: atomic: the value before the operation
 * @flushed: FLUSH: how many bytes have been written back
 */
struct srnic_rres {
	u8 opcode;
	bool todo;
	bool repeat;
	bool proved;
	u32 first_psn;
	u32 last_psn;
	u32 from;
	u32 next;
	u32 unsent;
	u32 to;
	u32 end;
	u8 feth;
	bool unfinished;
	bool gap;
	u32 gap_from;
	u32 gap_end;
	u32 rkey;
	u32 length;
	u32 srqn;
	u64 va;
	union {
		u64 orig;
		u64 flushed;
	};
};

/* Most packets that are timed at once: one per burst in flight, which asks for an acknowledgment */
#define SRNIC_STAMPS	8

/**
 * struct srnic_congestion - Congestion control of RC, see congestion.c
 * @window: most packets that may be unacknowledged
 * @floor: least @window, in packets, to which queueing delay shrinks it
 * @slow_start: @window doubles each RTT
 * @limited: @window limited the requester in this epoch
 * @losing: a packet was lost in this epoch or in the one before
 * @shrunk: this epoch began when a loss shrank @window
 * @draining: this epoch has a small window, to measure the least RTT
 * @marked: @window has shrunk in this epoch because of a mark (ECN)
 * @first: index of the oldest stamp
 * @stamps: number of stamps
 * @stamp: ring of PSNs with the time (ns) when each packet was sent
 * @now: time in ns, read once while the QP is locked; 0: not read yet
 * @min_rtt: least RTT of this period, in ns
 * @prev_min_rtt: least RTT of the previous period, in ns
 * @min_rtt_until: jiffies: end of this period
 * @last_rtt: last RTT, in ns
 * @recent_rtt: lesser of the last two RTTs: one alone may be a busy processor's; U32_MAX: none
 *	since the last loss that shrank @window
 * @srtt: smoothed RTT, in ns; 0: not known
 * @rttvar: RTT variation, in ns
 * @epoch_psn: PSN of the first packet of this epoch
 * @epoch_end: the epoch may end when all packets before this PSN are acknowledged
 * @epoch_rtt: least RTT of this epoch, in ns; U32_MAX: none yet
 * @samples: number of RTTs measured in this epoch
 * @clear_epochs: number of consecutive epochs without a queue
 * @loss_psn: PSN of the last loss; at most LOSS_FAR before the oldest unacknowledged one
 * @loss_apart: packets between losses, smoothed, fixed point
 * @credit: packets of later gaps that may be sent again
 * @credit_psn: oldest unacknowledged PSN when @credit was last replenished
 * @alpha: share of recent epochs that had a mark, smoothed, fixed point
 */
struct srnic_congestion {
	u16 window;
	u16 floor;
	bool slow_start;
	bool limited;
	bool losing;
	bool shrunk;
	bool draining;
	bool marked;
	u8 first;
	u8 stamps;
	struct srnic_stamp {
		u32 psn;
		u64 sent;
	} stamp[SRNIC_STAMPS];
	u64 now;
	u32 min_rtt;
	u32 prev_min_rtt;
	unsigned long min_rtt_until;
	u32 last_rtt;
	u32 recent_rtt;
	u32 srtt;
	u32 rttvar;
	u32 epoch_psn;
	u32 epoch_end;
	u32 epoch_rtt;
	u32 samples;
	u32 clear_epochs;
	u32 loss_psn;
	u32 loss_apart;
	u32 credit;
	u32 credit_psn;
	u32 alpha;
};

/**
 * struct srnic_gso_watch - Detection of wrong segmentation of requests, or of responses, see
 *	gso_watch.c
 * @second: PSN of the second packet of the flight's first super-packet
 * @from: PSN where the flight began
 * @watched: the flight contains a super-packet
 * @flights: number of consecutive flights that lost all packets from @second on
 */
struct srnic_gso_watch {
	u32 second;
	u32 from;
	bool watched;
	u8 flights;
};

/**
 * struct srnic_probe - Tail loss probes, see probe.c
 * @timer: fires when an answer is overdue
 * @since: ns: start of the wait for an answer; a timer that fires early is set again
 * @runs: @timer is running
 * @short_wait: an answer has left a gap; wait only one RTT for another answer that fills it
 * @count: number of probes since the last progress
 * @waits: a probe has been sent, and no answer has arrived yet
 * @sent: one past the highest PSN that had been sent at the time of the probe
 * @suspect: the answer to the probe did not cover all packets before @sent
 * @una: oldest unacknowledged PSN at the time of that answer
 */
struct srnic_probe {
	struct hrtimer timer;
	u64 since;
	bool runs;
	bool short_wait;
	u8 count;
	bool waits;
	bool suspect;
	u32 sent;
	u32 una;
};

struct srnic_early;

/**
 * struct srnic_reorder - Packets that arrived before others that were sent earlier, see
 *	reorder.c
 * @first: packet with the lowest PSN
 * @last: packet with the highest PSN
 * @count: number of packets
 */
struct srnic_reorder {
	struct srnic_early *first;
	struct srnic_early *last;
	u32 count;
};

/**
 * struct srnic_gap - Consecutive missing packets
 * @psn: the first
 * @packets: how many, at most SRNIC_GAP_MAX; 0: none
 */
struct srnic_gap {
	u32 psn;
	u32 packets;
};

/* Gaps behind the first one that are reported at a time */
#define SRNIC_LATER_GAPS	8

/**
 * struct srnic_requester - State of the requester
 * @psn: PSN of the next packet to send, new or retransmitted
 * @una: oldest unacknowledged PSN; inside a READ, PSN of the next expected response
 * @max_sent: one past the highest PSN ever sent
 * @early: responses that arrived too early
 * @cc: congestion control
 * @gso_watch: detection of wrong segmentation of requests
 * @since_ackreq: packets sent since the last one that asked for an acknowledgment; if that may not
 *	have left, all that are unacknowledged, in PSNs
 * @ack_every: one packet in this many asks for an acknowledgment; depends on the window
 * @rd_atomic: number of outstanding requests that have answers of their own (wqe.h)
 * @interval: jiffies: interval of the retry timer
 * @deadline: jiffies: end of the present interval, compared when the timer fires
 * @retry_mark: packets of this machine that the retry timer waits for (expire.c): @charged is how
 *	much must have left, while @una is the oldest PSN and @set
 * @hs_backoff: jiffies until a handshake frame is repeated, if less than @interval; doubles
 * @retry_left: retries before RETRY_EXC (IBA 9.7.5.1.2)
 * @rnr_left: retries before RNR_RETRY_EXC
 * @rnr_naks: number of consecutive RNR NAKs for the same packet
 * @hs_left: handshake frames before the handshake is given up
 * @hs_due: a handshake frame must be sent
 * @wait_rnr: the RNR timer is running
 * @wait_keys: the handshake of our flow is not confirmed
 * @stalled: a packet could not be sent for lack of memory, a route or keys
 * @repaired: one past the highest PSN that was sent again to fill a gap
 * @tells_gaps: the peer keeps packets behind gaps: ask it to report all gaps (protocol.md)
 * @nak_handled: a NAK of this flight has been handled, explicit or implied (IBA 9.7.5.2.4,
 *	9.7.6.1.1); further ones tell nothing new until @una moves
 * @drained: SQ_DRAINED has been reported
 * @retransmits: number of retransmitted packets
 */
struct srnic_requester {
	u32 psn;
	u32 una;
	u32 max_sent;
	u32 repaired;
	struct srnic_reorder early;
	struct srnic_congestion cc;
	struct srnic_gso_watch gso_watch;
	u32 since_ackreq;
	u16 ack_every;
	u16 rd_atomic;
	unsigned long interval;
	unsigned long deadline;
	struct srnic_retry_mark {
		u32 una;
		u32 charged;
		bool set;
	} retry_mark;
	unsigned long hs_backoff;
	u8 retry_left;
	u8 rnr_left;
	u8 rnr_naks;
	u8 hs_left;
	bool hs_due;
	bool wait_rnr;
	bool wait_keys;
	bool stalled;
	bool nak_handled;
	bool tells_gaps;
	bool drained;
	u64 retransmits;
};

/**
 * struct srnic_refusal - A NAK or RNR NAK, and its state
 * @due: must be sent when all earlier READs and atomics have been answered
 * @sent: has been reported; no other is sent until the expected packet arrives (IBA 9.7.5.2.8)
 * @fatal: the QP enters ERR when the NAK has been sent
 * @syndrome: AETH syndrome
 * @gap: number of missing packets if later ones are kept; else 0
 * @psn: PSN of the refused request
 * @event: enum ib_event_type to raise with @fatal, or -1
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
 * struct srnic_responder - State of the responder
 * @psn: expected PSN
 * @early: requests that arrived too early
 * @later: gaps behind the first one that are to be reported
 * @later_gaps: number of entries in @later
 * @msn: number of completed messages, 24 bits
 * @message: SRNIC_OPF_SEND, _WRITE or _FLUSH of the message in progress, or 0
 * @flushing: SRNIC_OPF_FLUSH while a FLUSH is unfinished; else 0
 * @ack_due: an ACK must be sent at the end of the burst
 * @congested: sealed: requests have arrived with CE, and the peer has not been told
 * @established: a first packet has arrived (COMM_EST)
 * @nak: NAK to be sent
 * @va: WRITE in progress: address of its next byte
 * @rkey: rkey of the WRITE
 * @left: bytes of the WRITE that have not arrived
 * @dmalen: bytes of the whole WRITE
 * @proved: the WRITE has proved that it knows the memory key
 * @rwqe: receive work request in use
 * @rres: ring of accepted READs, atomics, FLUSHes and ATOMIC WRITEs
 * @rres_size: number of entries in @rres
 * @rres_limit: most READs and atomics that may be outstanding: max_dest_rd_atomic
 * @rres_next: index of the entry to fill next
 * @rres_todo: number of entries with responses to be sent
 * @replay: one of these entries is a READ that was answered before, or an unfinished FLUSH; the
 *	worker sends the responses
 * @answering: some responses that were due in the last turn remain
 * @fresh: number of new request packets and new READ responses; wraps
 * @dup_credit: number of packets that may now be sent to repeat answers (duplicate.c)
 * @dup_fresh: value of @fresh at @dup_time
 * @dup_time: jiffies: when the credit was last replenished
 * @gso_watch: detection of wrong segmentation of READ responses
 */
struct srnic_responder {
	u32 psn;
	struct srnic_reorder early;
	struct srnic_gap later[SRNIC_LATER_GAPS];
	u8 later_gaps;
	u32 msn;
	u32 message;
	u32 flushing;
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
	u16 rres_size;
	u16 rres_limit;
	u16 rres_next;
	u16 rres_todo;
	bool replay;
	bool answering;
	u32 fresh;
	u32 dup_credit;
	u32 dup_fresh;
	unsigned long dup_time;
	struct srnic_gso_watch gso_watch;
};

/* Most marks at a time; more would make completions of UC and UD finer, not faster. */
#define SRNIC_DEPARTURES	8

/**
 * struct srnic_departures - UC and UD: marks on packets in the stack, whose departure completes
 *	work requests
 * @mark: ring of marks
 * @first: index of the oldest mark
 * @count: number of marks
 * @held: packets are being handed to the stack: one that a queue drops looks as if it had left
 * @late: marks were not compared with what has left, because of @held
 *
 * When as many bytes as a mark's @charged says have left the stack, all packets before its @psn
 * have left, too.
 */
struct srnic_departures {
	struct srnic_departure {
		u32 psn;
		u32 charged;
	} mark[SRNIC_DEPARTURES];
	u8 first;
	u8 count;
	bool held;
	bool late;
};

/**
 * struct srnic_refused - A burst that a queue has refused, maybe several times
 * @since: jiffies of the first time; 0: none
 * @psn: PSN of its first packet
 * @kind: enum srnic_out_kind
 * @for_good: not a full queue has refused it, but a filter
 */
struct srnic_refused {
	unsigned long since;
	u32 psn;
	u8 kind;
	bool for_good;
};

/* A received handshake frame that waits for the worker, one at a time per flow */
struct srnic_hs_box {
	bool full;
	u16 len;
	u8 frame[SRNIC_HS_FRAME_LEN];
};

enum srnic_page_in_state {
	SRNIC_PAGE_IN_IDLE,
	SRNIC_PAGE_IN_DUE,	/* the worker has something to do */
	SRNIC_PAGE_IN_FAILED,	/* the process cannot access these bytes itself */
};

/**
 * struct srnic_page_in - Pages that must be faulted in before a flow continues, see page_in.c
 * @work: faults them in
 * @flow: the flow that waits
 * @state: of @access
 * @response: a response was dropped because of them
 * @rnr_code: RNR NAKs: code of the time after which the peer tries again
 * @ahead: bytes from the first one on that will probably be accessed
 * @access: the access that found them absent
 * @stream: on whose behalf
 */
struct srnic_page_in {
	struct delayed_work work;
	enum srnic_sth_flow flow;
	enum srnic_page_in_state state;
	bool response;
	u8 rnr_code;
	u64 ahead;
	struct srnic_access access;
	const struct srnic_mem_stream *stream;
};

struct srnic_held;
struct srnic_ud_netdev;

/**
 * struct srnic_grant - A memory key granted to a QP
 * @node: entry in qp->grants
 * @mkey: the key
 */
struct srnic_grant {
	struct list_head node;
	struct srnic_mkey mkey;
};

/**
 * enum srnic_drain - Whether a context passes a QP's packets to the stack
 * @SRNIC_DRAIN_NONE: none does
 * @SRNIC_DRAIN: one does; it may stop without the QP's lock
 * @SRNIC_DRAIN_MORE: one does, and packets have been added that it must pass, too
 */
enum srnic_drain {
	SRNIC_DRAIN_NONE,
	SRNIC_DRAIN,
	SRNIC_DRAIN_MORE,
};

/**
 * struct srnic_qp - A queue pair
 * @ib: core part
 * @dev: device
 * @stats: counters for the QP: the device's, or a set of its own (verbs/counter.c)
 * @mem: stream on whose behalf memory is accessed; has the protection domain
 * @recv_mem: stream on whose behalf messages are placed: @mem, or that of @srq
 * @transport: top three bits of the opcodes of its packets
 * @scq: CQ for send completions; XRC target: NULL
 * @rcq: CQ for receive completions; XRC initiator: NULL; target: that of @srq
 * @srq: shared receive queue; NULL: the QP has its own receive queue. XRC target: the one that
 *	the last request named, or NULL
 * @xrc: XRC target: see xrc.h
 * @rss: raw packet QP: how it spreads frames over receive queues (raw/rss.c); NULL: it has its own
 * @stream: account of entries that the QP takes from @srq, under the SRQ's lock
 * @lock: BH; protects all transport state: @state, @sq except posting, @req, @resp, @out, @due
 * @state: state of the QP, see state.c
 * @attr: attributes as set by modify_qp
 * @mtu: payload bytes per packet
 * @path: path to the peer (RC, UC)
 * @path_valid: @path has been set
 * @sth: seal of the connection; NULL: packets go in the clear; changed under @hs_mutex and
 *	@lock
 * @hs_mutex: serialises the handshake, rekeying and changes of @sth
 * @hs_box: received handshake frames for the worker, by flow
 * @sq: send queue
 * @rq: receive queue
 * @req: requester
 * @resp: responder
 * @probe: tail loss probes
 * @retry_timer: see timer.c
 * @rnr_timer: see timer.c
 * @work: the worker, for tasks that the context that finds them cannot do (worker.c)
 * @work_bits: tasks of the worker: SRNIC_QP_WORK_*
 * @last_rx: jiffies: when the last packet of the peer passed all checks (RC, UC), see idle.c
 * @faults: faults of all senders to this QP, by kind, see fault.h
 * @out: packets for the stack
 * @txq: account of packets in @out and in the stack that have not left yet
 * @departures: completion of UC and UD, see above
 * @tx_stopped: a queue was full; nothing is built until packets have left
 * @tx_ticks: nothing is built until the next tick: no packets of the QP are left in the stack
 * @refused: burst that a queue has refused last; used by the context that drains @out
 * @out_work: drains @out on @out_cpu, and resumes after backpressure
 * @out_cpu: CPU that last handed packets whose order matters to the stack
 * @out_until: jiffies: until then, other packets must follow them on the same CPU
 * @out_ordered: @out has packets whose order matters
 * @out_follows: they follow packets that may still be in flight
 * @out_timed: some of them will not be acknowledged
 * @drain: whether a context is draining @out: enum srnic_drain
 * @due: actions for the unlock: SRNIC_DUE_*, and events as 1 << IB_EVENT_*
 * @cnp_at: ns: when the last CNP was sent
 * @flushed: all posted work requests have been flushed once (ERR)
 * @grants: memory keys that prove requests: struct srnic_grant, under @lock
 * @grant_count: number of entries in @grants
 * @dgram_out: seals of sent datagrams (UD, GSI), under @lock
 * @seal_request: seal that the application asks for, or NULL; under @modify_mutex, until RTR
 * @page_in: absent pages, by the flow that waits for them
 * @netdev: ib_ipoib's netdev, which receives the datagrams; NULL: they complete receives
 * @held: UD: datagrams that wait for pages, oldest first
 * @held_count: number of entries in @held
 * @scq_node: entry in scq->send_qps
 * @rcq_node: entry in rcq->recv_qps
 * @modify_mutex: verbs: serialises modify_qp
 */
struct srnic_qp {
	struct ib_qp ib;
	struct srnic_dev *dev;
	struct srnic_stats __percpu *stats;
	struct srnic_mem_stream mem;
	const struct srnic_mem_stream *recv_mem;
	u8 transport;
	struct srnic_cq *scq;
	struct srnic_cq *rcq;
	struct srnic_srq *srq;
	struct srnic_xrc *xrc;
	struct srnic_rss *rss;
	struct srnic_stream stream;

	spinlock_t lock;			/* transport state */
	enum ib_qp_state state;
	struct ib_qp_attr attr;
	u32 mtu;
	struct srnic_path path;
	bool path_valid;
	struct srnic_sth *sth;
	struct mutex hs_mutex;			/* changes of @sth */
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
	unsigned long last_rx;
	u32 faults[SRNIC_FAULTS];

	struct sk_buff_head out;
	struct srnic_txq txq;
	struct srnic_departures departures;
	bool tx_stopped;
	bool tx_ticks;
	struct srnic_refused refused;
	struct work_struct out_work;
	unsigned long out_until;
	int out_cpu;
	bool out_ordered;
	bool out_follows;
	bool out_timed;
	atomic_t drain;
	bool flushed;
	u64 cnp_at;
	u32 due;

	struct list_head grants;
	u32 grant_count;
	struct srnic_dgram_out *dgram_out;
	struct srnic_seal_request *seal_request;

	struct srnic_page_in page_in[SRNIC_FLOWS];
	struct srnic_ud_netdev *netdev;
	struct list_head held;
	u32 held_count;

	struct list_head scq_node;
	struct list_head rcq_node;
	struct mutex modify_mutex;		/* one modify_qp at a time */
};

/* qp->work_bits: tasks of the worker */
#define SRNIC_QP_WORK_SEND	0	/* continue the requester */
#define SRNIC_QP_WORK_REPLY	1	/* responder: send responses */
#define SRNIC_QP_WORK_HS	2	/* handshake: handle a received frame, or send one */
#define SRNIC_QP_WORK_REKEY	3	/* derive the next epoch's keys */
#define SRNIC_QP_WORK_FLUSH	4	/* ERR, SQE: flush the queues */
#define SRNIC_QP_WORK_UNLOCK	5	/* lock and unlock: raise deferred events, drain qp->out */
#define SRNIC_QP_WORK_ALLOC	6	/* allocate private copies, then continue */
#define SRNIC_QP_WORK_DGRAM	7	/* derive a datagram's key, then continue */
#define SRNIC_QP_WORK_WIPE	8	/* wipe the keys of a connection that has ended */

static inline struct srnic_qp *to_srnic_qp(struct ib_qp *ib)
{
	return container_of(ib, struct srnic_qp, ib);
}

static inline struct srnic_swqe *srnic_sq_wqe(const struct srnic_sq *sq, u32 index)
{
	return sq->wqes + (size_t)(index & (sq->entries - 1)) * sq->stride;
}

/* IBA table 91: states that accept requests */
static inline bool srnic_qp_receives(const struct srnic_qp *qp)
{
	const u32 states = BIT(IB_QPS_RTR) | BIT(IB_QPS_RTS) | BIT(IB_QPS_SQD) | BIT(IB_QPS_SQE);

	return states & BIT(qp->state);
}

/* IBA table 91: states that send requests and accept responses */
static inline bool srnic_qp_sends(const struct srnic_qp *qp)
{
	return qp->state == IB_QPS_RTS || qp->state == IB_QPS_SQD;
}

#define SRNIC_QPT_RELIABLE	(BIT(IB_QPT_RC) | BIT(IB_QPT_XRC_INI) | BIT(IB_QPT_XRC_TGT))

/* RC and XRC: requests are acknowledged */
static inline bool srnic_qp_reliable(const struct srnic_qp *qp)
{
	return SRNIC_QPT_RELIABLE & BIT(qp->ib.qp_type);
}

/* RC, XRC and UC have one peer, sealed or not */
static inline bool srnic_qp_connected(const struct srnic_qp *qp)
{
	return (SRNIC_QPT_RELIABLE | BIT(IB_QPT_UC)) & BIT(qp->ib.qp_type);
}

/* UD, QP0 and QP1: each work request names its peer */
static inline bool srnic_qp_datagrams(const struct srnic_qp *qp)
{
	return (BIT(IB_QPT_UD) | BIT(IB_QPT_GSI) | BIT(IB_QPT_SMI)) & BIT(qp->ib.qp_type);
}

/* Return how many PSNs have been used and not been acknowledged. */
static inline u32 srnic_qp_unacked(const struct srnic_qp *qp)
{
	return srnic_psn_diff(qp->req.psn, qp->req.una);
}

/* open.c: at module load and unload */
int srnic_engine_init(void);
void srnic_engine_exit(void);

/*
 * state.c: called by verbs in process context, one call at a time per QP, unless noted. verbs
 * has checked the attributes and stored them in qp->attr; the engine sets the state.
 */
int __must_check srnic_qp_engine_init(struct srnic_qp *qp);	/* at creation, after the rings */
void srnic_qp_to_reset(struct srnic_qp *qp);
void srnic_qp_to_init(struct srnic_qp *qp);
int srnic_qp_to_rtr(struct srnic_qp *qp);	/* path set; resolves policy, creates sth */
int srnic_qp_to_rts(struct srnic_qp *qp);	/* from RTR, SQD, SQE */
int srnic_qp_to_sqd(struct srnic_qp *qp);
int srnic_rres_resize(struct srnic_qp *qp);	/* rres.c: attr.max_dest_rd_atomic has changed */
void srnic_qp_to_err(struct srnic_qp *qp);	/* any context up to softirq; the worker flushes */
void srnic_qp_cq_failed(struct srnic_qp *qp);
void srnic_qp_engine_exit(struct srnic_qp *qp);	/* destroy: no longer in dev->qps */
/* query_qp's sq_draining: in SQD, and a request is outstanding */
bool srnic_qp_draining(struct srnic_qp *qp);

/* proof.c */
int srnic_grant_add(struct srnic_qp *qp, const struct srnic_mkey *mkey);
int srnic_grant_drop(struct srnic_qp *qp, u32 rkey);
void srnic_grant_forget(struct srnic_qp *qp);

/* post.c */
int srnic_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		    const struct ib_send_wr **bad_wr);	/* wr NULL: doorbell of a user QP */
int srnic_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		    const struct ib_recv_wr **bad_wr);	/* wr NULL: user QP; in ERR, flush */

/* ud_keys_work.c: process context */
void srnic_dgram_out_wait(struct srnic_pd *pd);

/* ud_keys_rx.c: process context */
struct srnic_dgram_in *srnic_dgram_in_alloc(struct srnic_dev *dev);
void srnic_dgram_in_free(struct srnic_dgram_in *in);	/* packets no longer arrive */

/* mtu.c */
enum ib_mtu srnic_active_mtu(const struct srnic_dev *dev);
enum ib_mtu srnic_ib_fitting_mtu(const struct srnic_dev *dev);
unsigned int srnic_netdev_mtu_for(const struct srnic_dev *dev, enum ib_mtu mtu);

/* rx.c: called by net in softirq or with BHs off, with all packets of one sk_buff; consumes it */
void srnic_engine_rx(struct srnic_rx *rx);

#endif /* SRNIC_ENGINE_H */
