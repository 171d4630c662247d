/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * illegal - the log of illegal accesses: at most a burst of them, and ten a second after it.
 */
#ifndef ILLEGAL_H
#define ILLEGAL_H

#include <pthread.h>
#include <rdma/rdma_pipeline.h>

#define ILLEGAL_BURST		50
#define ILLEGAL_EVERY_MS	100

struct illegal_log {
	pthread_mutex_t lock;
	int fd;			/* 0: none */
	void (*tell)(const struct rdma_pipeline_illegal *access, void *context);
	void *context;
	unsigned int tokens;
	uint64_t filled_ms;	/* when @tokens was last raised */
	uint64_t suppressed;
};

void illegal_init(struct illegal_log *log, const struct rdma_pipeline_listen_param *param,
		  uint64_t now_ms);
void illegal_exit(struct illegal_log *log);
/* Sets @when and @suppressed of @access. */
void illegal_report(struct illegal_log *log, struct rdma_pipeline_illegal *access,
		    uint64_t now_ms);

#endif /* ILLEGAL_H */
