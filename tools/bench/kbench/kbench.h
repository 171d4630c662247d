/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kbench - declarations shared by the files of the kernel consumer.
 */
#ifndef SRNIC_KBENCH_H
#define SRNIC_KBENCH_H

#include <linux/completion.h>
#include <linux/in.h>
#include <linux/string.h>
#include <linux/scatterlist.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

/*
 * Limit for a step of the connection, and for the end of a run after its time
 * is over
 */
#define KBENCH_PATIENCE	(20 * HZ)

/* Messages of a ping-pong in flight: SQ and RQ entries */
#define KBENCH_PINGS	64

#define KBENCH_SAMPLES	100000

/**
 * struct kbench_job - parameters of a run
 * @verb: "write", "read", "send", "write_lat", "send_lat", "tcp", "tcp_lat"
 * @size: bytes of a message
 * @depth: messages of a stream in flight
 * @batch: number of messages posted at once, as one list
 * @ms: duration of the run, in milliseconds
 * @poll: context in which completions are polled
 * @client: address of the end that sends or reads
 * @server: address of the other end
 */
struct kbench_job {
	const char *verb;
	u32 size;
	u32 depth;
	u32 batch;
	u32 ms;
	enum ib_poll_context poll;
	struct sockaddr_in client;
	struct sockaddr_in server;
};

/**
 * struct kbench_result - results of a run
 * @messages: messages of a stream
 * @ns: time from the first post to the last completion
 * @samples: round trips of a ping-pong
 * @min: shortest half round trip, in nanoseconds
 * @median: median half round trip, in nanoseconds
 * @p99: 99th percentile of half round trips, in nanoseconds
 */
struct kbench_result {
	u64 messages;
	u64 ns;
	u32 samples;
	u32 min;
	u32 median;
	u32 p99;
};

/**
 * struct kbench_end - one end of a connection, and its buffer
 * @job: parameters of the run
 * @id: rdma_cm id; the server has none before the client connects
 * @pd: protection domain of all objects
 * @cq: completion queue of both work queues
 * @qp: RC queue pair
 * @mr: the buffer's region, registered for local and remote access
 * @reg: completion of the registration
 * @buf: the buffer
 * @len: length of @buf in bytes
 * @sg: scatterlist entry of @buf
 * @mapped: whether @sg is mapped for DMA
 * @addr: address of the buffer in @mr, locally and remotely
 * @step: completed by each step of the connection and by the registration
 * @err: result of the step
 */
struct kbench_end {
	const struct kbench_job *job;
	struct rdma_cm_id *id;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct ib_mr *mr;
	struct ib_cqe reg;
	void *buf;
	size_t len;
	struct scatterlist sg;
	bool mapped;
	u64 addr;
	struct completion step;
	int err;
};

/**
 * struct kbench_pair - a connection between two devices of this kernel
 * @client: the end that sends, writes or reads
 * @server: the other end
 * @listener: the server's id until the client connects
 */
struct kbench_pair {
	struct kbench_end client;
	struct kbench_end server;
	struct rdma_cm_id *listener;
};

static inline bool kbench_is_latency(const struct kbench_job *job)
{
	return strstr(job->verb, "_lat");
}

/* end.c */
int kbench_end_open(struct kbench_end *end, struct rdma_cm_id *id);
int kbench_end_register(struct kbench_end *end);
void kbench_end_close(struct kbench_end *end);
int kbench_wait(struct kbench_end *end);
void kbench_sge(const struct kbench_end *end, size_t at, u32 len, struct ib_sge *sge);
int kbench_completed(const struct ib_wc *wc, enum ib_wc_opcode opcode);

/* connect.c */
int kbench_connect(struct kbench_pair *pair, const struct kbench_job *job);
void kbench_disconnect(struct kbench_pair *pair);

/* stream.c */
int kbench_stream(struct kbench_pair *pair, struct kbench_result *result);

/* pingpong.c */
int kbench_pingpong(struct kbench_pair *pair, struct kbench_result *result);
void kbench_summarize(u32 *samples, u32 n, struct kbench_result *result);

/* tcp.c */
int kbench_tcp(const struct kbench_job *job, struct kbench_result *result);

#endif /* SRNIC_KBENCH_H */
