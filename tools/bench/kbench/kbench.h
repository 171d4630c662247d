/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kbench - what the files of the kernel consumer share.
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

/* A step of the connection, or the end of a run after its time is over, has so long */
#define KBENCH_PATIENCE	(20 * HZ)

/* Messages of a ping-pong that may be under way: SQ and RQ entries */
#define KBENCH_PINGS	64

#define KBENCH_SAMPLES	100000

/**
 * struct kbench_job - what is asked for
 * @verb: "write", "read", "send", "write_lat", "send_lat", "tcp", "tcp_lat"
 * @size: bytes of a message
 * @depth: messages that a stream has under way
 * @batch: how many of them are posted at once, as one list
 * @ms: how long the run lasts
 * @poll: where completions are polled
 * @client: address of the end that sends or reads
 * @server: address of the other
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
 * struct kbench_result - what came out
 * @messages: of a stream
 * @ns: from the first post to the last completion
 * @samples: round trips of a ping-pong
 * @min: nanoseconds, of half a round trip
 * @median: likewise
 * @p99: likewise
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
 * @job: what it is for
 * @id: rdma_cm's; of the server: once somebody has called
 * @pd: all of them belong to it
 * @cq: of both queues
 * @qp: RC
 * @mr: the buffer, registered for local and remote access
 * @reg: the registration's completion
 * @buf: the buffer
 * @len: its bytes
 * @sg: the same for the DMA
 * @mapped: whether it is mapped
 * @addr: the address that stands for it, locally and remotely
 * @step: completed by each step of the connection and by the registration
 * @err: how the step went
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
 * struct kbench_pair - a connection of two devices of this kernel
 * @client: sends, writes, reads
 * @server: the other
 * @listener: the server's, until somebody has called
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
