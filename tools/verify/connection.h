/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the tools beside this bring up connections of one process with itself with.
 * Whatever fails ends the program and says what it was.
 */
#ifndef SRNIC_VERIFY_CONNECTION_H
#define SRNIC_VERIFY_CONNECTION_H

#include <infiniband/verbs.h>
#include <stdint.h>

#define RC_DEPTH	256	/* work requests that a queue holds */
#define RC_READS	16	/* READs and atomics under way */

/**
 * struct device - an opened device
 * @gid: of its first IPv4 address
 * @gid_index: of @gid
 */
struct device {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	union ibv_gid gid;
	int gid_index;
};

/* struct end - a queue pair and the CQ of both its queues */
struct end {
	const struct device *dev;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

void die(const char *what) __attribute__((noreturn));
void run_on(int cpu);		/* the calling thread, and those that it makes */
uint64_t now_ns(void);

void device_open(struct device *dev, const char *name);
void end_create(struct end *end, const struct device *dev);
void end_connect(const struct end *end, const struct end *other);
void end_destroy(struct end *end);
/* the next completion, good or bad; spins, or sleeps @pause microseconds at a time */
void end_wait(const struct end *end, struct ibv_wc *wc, unsigned int pause);
/* the same, and it has to be a good one */
void end_expect(const struct end *end, unsigned int pause);

#endif
