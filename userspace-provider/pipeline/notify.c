// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Events for the user: a queue that rdma_pipeline_next() reads, or a thread that passes them to
 * the callback. The queue links connections, so that no event needs memory.
 */
#include <errno.h>
#include "error.h"
#include "pipeline.h"
#include "wake.h"

void notify_tell(struct rdma_pipeline_conn *conn, enum rdma_pipeline_event_type type)
{
	struct rdma_pipeline *pipe = conn->pipe;

	if (conn->release)
		return;
	if (!conn->told)
		list_add_tail(&pipe->events, &conn->events);
	conn->told |= 1u << type;
	if (pipe->attr.notify)
		pthread_cond_signal(&pipe->news);
	else
		wake_set(pipe->event_fd);
}

void notify_forget(struct rdma_pipeline_conn *conn)
{
	conn->told = 0;
	list_del(&conn->events);
	if (!conn->pipe->attr.notify && list_empty(&conn->pipe->events))
		wake_clear(conn->pipe->event_fd);
}

/* Take the earliest event: the types are in the order in which a connection's events happen. */
static bool take(struct rdma_pipeline *pipe, struct rdma_pipeline_event *event)
{
	struct rdma_pipeline_conn *conn;

	if (list_empty(&pipe->events))
		return false;
	conn = list_of(pipe->events.next, struct rdma_pipeline_conn, events);
	event->type = __builtin_ctz(conn->told);
	event->conn = conn;
	event->listener = conn->listener;
	conn->told &= conn->told - 1;
	if (!conn->told)
		list_del(&conn->events);
	return true;
}

int rdma_pipeline_fd(struct rdma_pipeline *pipe)
{
	if (pipe->attr.notify)
		return fail(EINVAL, "the pipeline has a callback: events are not queued");
	return pipe->event_fd;
}

int rdma_pipeline_next(struct rdma_pipeline *pipe, struct rdma_pipeline_event *event)
{
	bool taken;

	if (pipe->attr.notify)
		return fail(EINVAL, "the pipeline has a callback: events are not queued");
	pthread_mutex_lock(&pipe->lock);
	taken = take(pipe, event);
	if (list_empty(&pipe->events))
		wake_clear(pipe->event_fd);
	pthread_mutex_unlock(&pipe->lock);
	return taken ? 0 : fail(EAGAIN, "no event is queued");
}

/* Return false if there will be no more events. */
static bool wait_for_event(struct rdma_pipeline *pipe, struct rdma_pipeline_event *event)
{
	while (!take(pipe, event)) {
		if (pipe->stopping)
			return false;
		pthread_cond_wait(&pipe->news, &pipe->lock);
	}
	return true;
}

void *notify_run(void *arg)
{
	struct rdma_pipeline *pipe = arg;
	struct rdma_pipeline_event event;

	in_callback = true;
	pthread_mutex_lock(&pipe->lock);
	while (wait_for_event(pipe, &event)) {
		pipe->notifying = event.conn;
		pthread_mutex_unlock(&pipe->lock);
		pipe->attr.notify(&event, pipe->attr.context);
		pthread_mutex_lock(&pipe->lock);
		pipe->notifying = NULL;
		pthread_cond_broadcast(&pipe->settled);
	}
	pthread_mutex_unlock(&pipe->lock);
	return NULL;
}
