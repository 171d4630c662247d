// SPDX-License-Identifier: GPL-2.0
/*
 * Half of a round trip: each end answers a message with one of the same kind.
 * "send_lat" sends the bytes. "write_lat" writes them and posts an empty SEND
 * after them, in one list, as storage protocols do: kernel consumers do not
 * poll memory, and iWARP has no WRITE with immediate data before RFC 7306.
 */
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "kbench.h"

#define WARM_UP		64	/* round trips that do not count */
#define RECVS		4	/* receives posted from the start */

struct game;

/**
 * struct player - one end of a ping-pong
 * @game: the ping-pong
 * @end: its end of the connection
 * @sent: completion of requests in the SQ
 * @got: completion of receives
 * @write: the WRITE with the bytes, followed by an empty SEND
 * @send: the last or only request of the list
 * @first: head of the list
 * @recv: a receive request
 * @sge: source of the bytes
 * @recv_sge: destination of the bytes of a SEND
 * @posted: work requests in the SQ
 */
struct player {
	struct game *game;
	struct kbench_end *end;
	struct ib_cqe sent;
	struct ib_cqe got;
	struct ib_rdma_wr write;
	struct ib_send_wr send;
	struct ib_send_wr *first;
	struct ib_recv_wr recv;
	struct ib_sge sge;
	struct ib_sge recv_sge;
	atomic_t posted;
};

/**
 * struct game - a ping-pong
 * @job: parameters of the run
 * @client: the end that starts
 * @server: the end that answers
 * @deadline: time at which it ends
 * @begin: start of the current round trip
 * @trips: round trips so far
 * @samples: round trip times, in nanoseconds
 * @n: number of samples
 * @err: the first failure
 * @over: set when no more requests are posted
 */
struct game {
	const struct kbench_job *job;
	struct player client;
	struct player server;
	u64 deadline;
	u64 begin;
	u64 trips;
	u32 *samples;
	u32 n;
	int err;
	struct completion over;
};

static void finish(struct game *game, int err)
{
	if (err)
		cmpxchg(&game->err, 0, err);
	complete(&game->over);
}

static bool writes(const struct game *game)
{
	return !strcmp(game->job->verb, "write_lat");
}

static int serve(struct player *p)
{
	int n = writes(p->game) ? 2 : 1;

	/*
	 * An answer may arrive before the acknowledgment of its message, but
	 * not many of them
	 */
	if (atomic_add_return(n, &p->posted) > KBENCH_PINGS)
		return -ENOBUFS;
	return ib_post_send(p->end->qp, p->first, NULL);
}

static void sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct player *p = container_of(wc->wr_cqe, struct player, sent);
	int err;

	atomic_dec(&p->posted);
	if (wc->opcode == IB_WC_RDMA_WRITE)
		err = kbench_completed(wc, IB_WC_RDMA_WRITE);
	else
		err = kbench_completed(wc, IB_WC_SEND);
	if (err)
		finish(p->game, err);
}

/* Record a round trip at the client; return whether there is another one */
static bool note(struct game *game)
{
	u64 now = ktime_get_ns();

	if (game->trips++ >= WARM_UP && game->n < KBENCH_SAMPLES)
		game->samples[game->n++] = now - game->begin;
	if (now >= game->deadline) {
		finish(game, 0);
		return false;
	}
	game->begin = now;
	return true;
}

static void got(struct ib_cq *cq, struct ib_wc *wc)
{
	struct player *p = container_of(wc->wr_cqe, struct player, got);
	struct game *game = p->game;
	int err = kbench_completed(wc, IB_WC_RECV);

	if (!err && wc->byte_len != p->recv.num_sge * game->job->size)
		err = -EMSGSIZE;
	if (!err && p == &game->client && !note(game))
		return;
	if (!err)
		err = ib_post_recv(p->end->qp, &p->recv, NULL) ?: serve(p);
	if (err)
		finish(game, err);
}

static void prepare_write(struct player *p, const struct kbench_end *peer)
{
	p->write.wr = p->send;
	p->write.wr.opcode = IB_WR_RDMA_WRITE;
	p->write.wr.next = &p->send;
	p->write.remote_addr = peer->addr + p->game->job->size;
	p->write.rkey = peer->mr->rkey;
	p->first = &p->write.wr;
	p->send.num_sge = 0;
	p->recv.num_sge = 0;
}

/* The first half of the buffer is sent, the second half receives */
static int prepare(struct game *game, struct player *p, struct kbench_end *end,
		   const struct kbench_end *peer)
{
	u32 size = game->job->size;
	int err = 0;

	p->game = game;
	p->end = end;
	p->sent.done = sent;
	p->got.done = got;
	get_random_bytes(end->buf, size);
	kbench_sge(end, 0, size, &p->sge);
	kbench_sge(end, size, size, &p->recv_sge);
	p->send = (struct ib_send_wr) {
		.wr_cqe = &p->sent, .sg_list = &p->sge, .num_sge = 1, .opcode = IB_WR_SEND,
	};
	p->recv = (struct ib_recv_wr) {
		.wr_cqe = &p->got, .sg_list = &p->recv_sge, .num_sge = 1,
	};
	p->first = &p->send;
	if (writes(game))
		prepare_write(p, peer);
	for (int i = 0; !err && i < RECVS; i++)
		err = ib_post_recv(end->qp, &p->recv, NULL);
	return err;
}

static int run(struct game *game)
{
	int err;

	game->begin = ktime_get_ns();
	game->deadline = game->begin + (u64)game->job->ms * NSEC_PER_MSEC;
	err = serve(&game->client);
	if (err)
		return err;
	if (!wait_for_completion_timeout(&game->over,
					 msecs_to_jiffies(game->job->ms) + KBENCH_PATIENCE))
		return -ETIMEDOUT;
	return game->err;
}

static bool arrived(const struct player *from, const struct player *to)
{
	u32 size = from->game->job->size;

	return !memcmp(from->end->buf, to->end->buf + size, size);
}

static int smaller(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/**
 * kbench_summarize() - Compute the latencies from round trips
 * @samples: round trip times in nanoseconds; sorted in place
 * @n: number of samples
 * @result: filled in with halves of the round trips
 */
void kbench_summarize(u32 *samples, u32 n, struct kbench_result *result)
{
	result->samples = n;
	if (!n)
		return;
	sort(samples, n, sizeof(*samples), smaller, NULL);
	result->min = samples[0] / 2;
	result->median = samples[n / 2] / 2;
	result->p99 = samples[n - 1 - n / 100] / 2;
}

static int play(struct game *game, struct kbench_pair *pair)
{
	int err = prepare(game, &game->client, &pair->client, &pair->server) ?:
		  prepare(game, &game->server, &pair->server, &pair->client) ?:
		  run(game);

	if (!err && !(arrived(&game->client, &game->server) &&
		      arrived(&game->server, &game->client)))
		err = -EBADMSG;
	/* After the drain nothing refers to the game */
	ib_drain_qp(pair->client.qp);
	ib_drain_qp(pair->server.qp);
	return err ?: (game->n ? 0 : -ENODATA);
}

/**
 * kbench_pingpong() - Run a ping-pong
 * @pair: the connection
 * @result: samples, filled in
 *
 * Context: process.
 * Return: 0 if all requests completed successfully and all bytes arrived, or a negative errno.
 */
int kbench_pingpong(struct kbench_pair *pair, struct kbench_result *result)
{
	struct game *game = kzalloc(sizeof(*game), GFP_KERNEL);
	int err = -ENOMEM;

	if (!game)
		return err;
	game->job = pair->client.job;
	init_completion(&game->over);
	game->samples = vmalloc_array(KBENCH_SAMPLES, sizeof(*game->samples));
	if (game->samples)
		err = play(game, pair);
	if (!err)
		kbench_summarize(game->samples, game->n, result);
	vfree(game->samples);
	kfree(game);
	return err;
}
