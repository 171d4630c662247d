/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * RC connections of a process with itself, for the tools in this folder. On
 * failure the functions print the reason and exit.
 */
#ifndef SRNIC_VERIFY_CONNECTION_H
#define SRNIC_VERIFY_CONNECTION_H

#include <infiniband/verbs.h>
#include <stdint.h>

#define RC_DEPTH	256	/* work requests in a queue */
#define RC_READS	16	/* outstanding READs and atomics */

/**
 * struct device - an opened device
 * @gid: GID of its first IPv4 address
 * @gid_index: index of @gid
 */
struct device {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	union ibv_gid gid;
	int gid_index;
};

/* struct end - a QP, with one CQ for both of its queues */
struct end {
	const struct device *dev;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

/**
 * struct qp_peer - the peer of a QP, and how to reach it
 * @gid: the peer's
 * @gid_index: index of the QP's own
 * @qpn: the peer's number
 */
struct qp_peer {
	union ibv_gid gid;
	int gid_index;
	uint32_t qpn;
	enum ibv_mtu mtu;
};

void die(const char *what) __attribute__((noreturn));
void run_on(int cpu);		/* bind the calling thread and its future children */
uint64_t now_ns(void);

void device_open(struct device *dev, const char *name);
struct ibv_mr *device_reg(const struct device *dev, void *memory, size_t length, int access);
void qp_to_init(struct ibv_qp *qp);	/* with all rights */
void qp_to_rts(struct ibv_qp *qp, const struct qp_peer *peer);
void end_create(struct end *end, const struct device *dev);
void end_connect(const struct end *end, const struct end *other);
void end_destroy(struct end *end);
/*
 * Wait for the next completion, good or bad; spin, or sleep @pause microseconds
 * at a time
 */
void end_wait(const struct end *end, struct ibv_wc *wc, unsigned int pause);
/* Wait for the next completion, which must be successful */
void end_expect(const struct end *end, unsigned int pause);

#endif
