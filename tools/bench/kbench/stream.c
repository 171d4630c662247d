// SPDX-License-Identifier: GPL-2.0
/*
 * A stream of WRITEs, READs or SENDs with a depth. The completion handler posts
 * the next list of work requests when earlier ones have completed, as kernel
 * consumers do.
 */
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "kbench.h"

static const struct {
	const char *verb;
	enum ib_wr_opcode post;
	enum ib_wc_opcode completed;
} verbs[] = {
	{ "write", IB_WR_RDMA_WRITE, IB_WC_RDMA_WRITE },
	{ "read", IB_WR_RDMA_READ, IB_WC_RDMA_READ },
	{ "send", IB_WR_SEND, IB_WC_SEND },
};

/**
 * struct stream - state of a stream
 * @pair: the connection
 * @verb: index into verbs
 * @lock: protects the members from @deadline to @over
 * @deadline: time after which nothing is posted
 * @end: time of the last completion; 0 before
 * @posted: messages posted so far
 * @completed: messages completed so far
 * @received: SENDs received so far
 * @err: the first failure; nothing is posted after it
 * @stopped: set when nothing more is posted
 * @over: completed when all posted requests have completed
 * @send_cqe: completion of sends
 * @recv_cqe: completion of receives
 * @sends: a list of @batch work requests, posted repeatedly
 * @recvs: the same for receives
 * @sge: shared by all @sends
 * @recv_sge: shared by all receives
 */
struct stream {
	struct kbench_pair *pair;
	int verb;
	spinlock_t lock;	/* two completion queues, on two processors */
	u64 deadline;
	u64 end;
	u64 posted;
	u64 completed;
	u64 received;
	int err;
	bool stopped;
	struct completion over;
	struct ib_cqe send_cqe;
	struct ib_cqe recv_cqe;
	struct ib_rdma_wr *sends;
	struct ib_recv_wr *recvs;
	struct ib_sge sge;
	struct ib_sge recv_sge;
};

static const struct kbench_job *job_of(const struct stream *s)
{
	return s->pair->client.job;
}

static bool is_send(const struct stream *s)
{
	return verbs[s->verb].post == IB_WR_SEND;
}

/* Called under the lock */
static void fail(struct stream *s, int err)
{
	s->err = s->err ?: err;
	s->stopped = true;
}

/*
 * Under the lock: end the run if all posted requests have completed and no more
 * follow
 */
static void conclude(struct stream *s)
{
	if (s->end || !s->stopped || s->completed != s->posted)
		return;
	if (is_send(s) && !s->err && s->received != s->posted)
		return;
	s->end = ktime_get_ns();
	complete(&s->over);
}

/* Reserve a list if one may be posted now */
static bool take(struct stream *s)
{
	const struct kbench_job *job = job_of(s);
	bool room;

	spin_lock_bh(&s->lock);
	room = !s->stopped && s->posted - s->completed + job->batch <= job->depth;
	if (room && ktime_get_ns() >= s->deadline) {
		s->stopped = true;
		room = false;
		conclude(s);
	}
	if (room)
		s->posted += job->batch;
	spin_unlock_bh(&s->lock);
	return room;
}

static void go_on(struct stream *s)
{
	while (take(s)) {
		int err = ib_post_send(s->pair->client.qp, &s->sends->wr, NULL);

		if (!err)
			continue;
		spin_lock_bh(&s->lock);
		s->posted -= job_of(s)->batch;
		fail(s, err);
		conclude(s);
		spin_unlock_bh(&s->lock);
	}
}

static void sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct stream *s = container_of(wc->wr_cqe, struct stream, send_cqe);
	int err = kbench_completed(wc, verbs[s->verb].completed);

	spin_lock_bh(&s->lock);
	s->completed++;
	if (err)
		fail(s, err);
	conclude(s);
	spin_unlock_bh(&s->lock);
	go_on(s);
}

static void received(struct ib_cq *cq, struct ib_wc *wc)
{
	struct stream *s = container_of(wc->wr_cqe, struct stream, recv_cqe);
	int err = kbench_completed(wc, IB_WC_RECV);
	bool post;

	if (!err && wc->byte_len != job_of(s)->size)
		err = -EMSGSIZE;
	spin_lock_bh(&s->lock);
	s->received++;
	post = !err && s->received % job_of(s)->batch == 0;
	if (err)
		fail(s, err);
	conclude(s);
	spin_unlock_bh(&s->lock);
	if (post && ib_post_recv(s->pair->server.qp, s->recvs, NULL)) {
		spin_lock_bh(&s->lock);
		fail(s, -ENOBUFS);
		spin_unlock_bh(&s->lock);
	}
}

static int prepare_sends(struct stream *s)
{
	const struct kbench_job *job = job_of(s);
	const struct kbench_end *server = &s->pair->server;

	s->sends = kcalloc(job->batch, sizeof(*s->sends), GFP_KERNEL);
	if (!s->sends)
		return -ENOMEM;
	s->send_cqe.done = sent;
	kbench_sge(&s->pair->client, 0, job->size, &s->sge);
	for (u32 i = 0; i < job->batch; i++) {
		s->sends[i] = (struct ib_rdma_wr) {
			.wr = {
				.next = i + 1 < job->batch ? &s->sends[i + 1].wr : NULL,
				.wr_cqe = &s->send_cqe,
				.sg_list = &s->sge,
				.num_sge = 1,
				.opcode = verbs[s->verb].post,
			},
			.remote_addr = server->addr,
			.rkey = server->mr->rkey,
		};
	}
	return 0;
}

/*
 * Twice the receives that can be in flight: the other half waits to be posted
 * again
 */
static int prepare_recvs(struct stream *s)
{
	const struct kbench_job *job = job_of(s);
	int err = 0;

	s->recvs = kcalloc(job->batch, sizeof(*s->recvs), GFP_KERNEL);
	if (!s->recvs)
		return -ENOMEM;
	s->recv_cqe.done = received;
	kbench_sge(&s->pair->server, 0, job->size, &s->recv_sge);
	for (u32 i = 0; i < job->batch; i++) {
		s->recvs[i] = (struct ib_recv_wr) {
			.next = i + 1 < job->batch ? &s->recvs[i + 1] : NULL,
			.wr_cqe = &s->recv_cqe,
			.sg_list = &s->recv_sge,
			.num_sge = 1,
		};
	}
	for (u32 n = 0; !err && n < 2 * job->depth; n += job->batch)
		err = ib_post_recv(s->pair->server.qp, s->recvs, NULL);
	return err;
}

static int run(struct stream *s, struct kbench_result *result)
{
	const struct kbench_job *job = job_of(s);
	u64 begin = ktime_get_ns();

	s->deadline = begin + (u64)job->ms * NSEC_PER_MSEC;
	go_on(s);
	if (!wait_for_completion_timeout(&s->over, msecs_to_jiffies(job->ms) + KBENCH_PATIENCE))
		return -ETIMEDOUT;
	result->messages = s->completed;
	result->ns = s->end - begin;
	return s->err;
}

/*
 * Check that the bytes have arrived. The buffer is the same for all messages.
 */
static int verify(const struct stream *s)
{
	if (!s->completed)
		return -ENODATA;
	return memcmp(s->pair->client.buf, s->pair->server.buf, job_of(s)->size) ? -EBADMSG : 0;
}

/* Fill the source with random bytes; the destination stays zero */
static void fill(const struct stream *s)
{
	const struct kbench_pair *pair = s->pair;
	bool read = verbs[s->verb].post == IB_WR_RDMA_READ;

	get_random_bytes(read ? pair->server.buf : pair->client.buf, job_of(s)->size);
}

static int find_verb(struct stream *s)
{
	for (s->verb = 0; s->verb < ARRAY_SIZE(verbs); s->verb++) {
		if (!strcmp(verbs[s->verb].verb, job_of(s)->verb))
			return 0;
	}
	return -EINVAL;
}

/**
 * kbench_stream() - Run a stream
 * @pair: the connection
 * @result: messages and time, filled in
 *
 * Context: process.
 * Return: 0 if all requests completed successfully and all bytes arrived, or a negative errno.
 */
int kbench_stream(struct kbench_pair *pair, struct kbench_result *result)
{
	struct stream *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int err;

	if (!s)
		return -ENOMEM;
	s->pair = pair;
	spin_lock_init(&s->lock);
	init_completion(&s->over);
	err = find_verb(s) ?: prepare_sends(s);
	if (!err && is_send(s))
		err = prepare_recvs(s);
	if (!err) {
		fill(s);
		err = run(s, result) ?: verify(s);
	}
	/* After the drain nothing refers to the stream */
	ib_drain_qp(pair->client.qp);
	ib_drain_qp(pair->server.qp);
	kfree(s->sends);
	kfree(s->recvs);
	kfree(s);
	return err;
}
