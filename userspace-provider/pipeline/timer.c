// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Deadlines. The thread sleeps until the earliest time that was requested, and then checks all
 * connections that wait for an event.
 */
#include <time.h>
#include "pipeline.h"

uint64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}

void timer_need(struct rdma_pipeline *pipe, uint64_t at)
{
	if (at >= pipe->timer_at)
		return;
	pipe->timer_at = at;
	pthread_cond_signal(&pipe->tick);
}

/* Connections move to other lists, or back to the end of this one, when they expire. */
static void expire(struct rdma_pipeline *pipe, uint64_t now)
{
	struct rdma_pipeline_conn *conn;
	struct list *node, *next;

	for (node = pipe->timed.next; node != &pipe->timed; node = next) {
		next = node->next;
		conn = list_of(node, struct rdma_pipeline_conn, node);
		if (conn_due(conn) <= now)
			conn_expire(conn, now);
	}
}

static uint64_t earliest(struct rdma_pipeline *pipe)
{
	uint64_t found = NEVER, due;
	struct list *node;

	for (node = pipe->timed.next; node != &pipe->timed; node = node->next) {
		due = conn_due(list_of(node, struct rdma_pipeline_conn, node));
		if (due < found)
			found = due;
	}
	return found;
}

void *timer_run(void *arg)
{
	struct rdma_pipeline *pipe = arg;
	uint64_t now;

	pthread_mutex_lock(&pipe->lock);
	while (!pipe->stopping) {
		now = clock_ms();
		if (now < pipe->timer_at) {
			cond_wait_until(&pipe->tick, pipe, pipe->timer_at);
			continue;
		}
		expire(pipe, now);
		pipe->timer_at = earliest(pipe);
	}
	pthread_mutex_unlock(&pipe->lock);
	return NULL;
}
