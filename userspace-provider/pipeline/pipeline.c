// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A pipeline: its threads, from creation to destruction.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include "cancel.h"
#include "error.h"
#include "pipeline.h"

#define EVENT_THREADS	8
#define WINDOW		256

__thread bool in_callback;

bool cond_wait_until(pthread_cond_t *cond, struct rdma_pipeline *pipe, uint64_t until)
{
	struct timespec at = { until / 1000, until % 1000 * 1000000 };

	if (until == NEVER)
		return !pthread_cond_wait(cond, &pipe->lock);
	return pthread_cond_timedwait(cond, &pipe->lock, &at) != ETIMEDOUT;
}

/* Take the next connection of a stage; none if the window is closed. */
static struct rdma_pipeline_conn *take(struct stage *stage)
{
	struct rdma_pipeline_conn *conn;

	if (list_empty(&stage->queue))
		return NULL;
	if (stage->number == STAGE_CONNECT && !window_has_room(&stage->pipe->window))
		return NULL;
	conn = list_of(stage->queue.next, struct rdma_pipeline_conn, queued);
	conn_take(conn, stage->number);
	return conn;
}

/* Sleep until the stage has a connection to work on; NULL: the pipeline ends. */
static struct rdma_pipeline_conn *wait_for_conn(struct stage *stage)
{
	struct rdma_pipeline_conn *conn;

	while (!(conn = take(stage))) {
		if (stage->pipe->stopping)
			return NULL;
		pthread_cond_wait(&stage->wake, &stage->pipe->lock);
	}
	return conn;
}

static void *work(void *arg)
{
	struct stage *stage = arg;
	struct rdma_pipeline *pipe = stage->pipe;
	struct rdma_pipeline_conn *conn;
	int result;

	pthread_mutex_lock(&pipe->lock);
	while ((conn = wait_for_conn(stage))) {
		pthread_mutex_unlock(&pipe->lock);
		result = work_of(stage->number, conn);
		pthread_mutex_lock(&pipe->lock);
		conn_settle(conn, stage->number, result);
	}
	pthread_mutex_unlock(&pipe->lock);
	return NULL;
}

/* Threads block all signals, SIGPIPE included: they are meant for the program's own. */
int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

int stage_start(struct stage *stage, unsigned int threads)
{
	int err;

	for (; stage->running < threads; stage->running++) {
		err = thread_start(&stage->threads[stage->running], work, stage);
		if (err)
			return err;
	}
	return 0;
}

static void init_cond(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

static void init_stages(struct rdma_pipeline *pipe)
{
	unsigned int i;

	for (i = 0; i < STAGES; i++) {
		pipe->stages[i].pipe = pipe;
		pipe->stages[i].number = i;
		list_init(&pipe->stages[i].queue);
		init_cond(&pipe->stages[i].wake);
	}
	for (i = 0; i < CHANNELS_MAX; i++)
		pipe->channels[i].pipe = pipe;
}

static uint32_t event_threads_of(const struct rdma_pipeline_attr *attr)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (attr->event_threads)
		return attr->event_threads;
	if (processors < 1)
		return 1;
	return processors < EVENT_THREADS ? processors : EVENT_THREADS;
}

static struct rdma_pipeline *allocate(const struct rdma_pipeline_attr *attr)
{
	struct rdma_pipeline *pipe = calloc(1, sizeof(*pipe));

	if (!pipe)
		return NULL;
	if (attr)
		pipe->attr = *attr;
	pipe->attr.event_threads = event_threads_of(&pipe->attr);
	window_init(&pipe->window, pipe->attr.window ?: WINDOW);
	pipe->jitter = clock_ms() ^ (uintptr_t)pipe;
	pipe->timer_at = NEVER;
	pipe->event_fd = -1;
	pthread_mutex_init(&pipe->lock, NULL);
	init_cond(&pipe->settled);
	init_cond(&pipe->calm);
	init_cond(&pipe->tick);
	init_cond(&pipe->news);
	list_init(&pipe->timed);
	list_init(&pipe->rest);
	list_init(&pipe->listeners);
	list_init(&pipe->events);
	init_stages(pipe);
	return pipe;
}

static int start_threads(struct rdma_pipeline *pipe)
{
	unsigned int i;
	int err;

	for (i = STAGE_CREATE_ID; i <= STAGE_CONNECT; i++) {
		err = stage_start(&pipe->stages[i], 1);
		if (err)
			return err;
	}
	err = stage_start(&pipe->stages[STAGE_ESTABLISH], SLEEPERS) ?:
		stage_start(&pipe->stages[STAGE_CLOSE], SLEEPERS);
	if (!err)
		err = thread_start(&pipe->timer, timer_run, pipe);
	if (err)
		return err;
	pipe->has_timer = true;
	if (!pipe->attr.notify)
		return 0;
	err = thread_start(&pipe->notifier, notify_run, pipe);
	pipe->has_notifier = !err;
	return err;
}

static void stop_workers(struct rdma_pipeline *pipe)
{
	unsigned int i, j;

	pthread_mutex_lock(&pipe->lock);
	pipe->stopping = true;
	for (i = 0; i < STAGES; i++)
		pthread_cond_broadcast(&pipe->stages[i].wake);
	pthread_cond_broadcast(&pipe->tick);
	pthread_cond_broadcast(&pipe->news);
	pthread_mutex_unlock(&pipe->lock);
	for (i = 0; i < STAGES; i++)
		for (j = 0; j < pipe->stages[i].running; j++)
			pthread_join(pipe->stages[i].threads[j], NULL);
	if (pipe->has_timer)
		pthread_join(pipe->timer, NULL);
	if (pipe->has_notifier)
		pthread_join(pipe->notifier, NULL);
}

/* Stop all threads. No connection and no listener is left. */
static void stop(struct rdma_pipeline *pipe)
{
	unsigned int i;

	stop_workers(pipe);
	shared_free(pipe);
	channels_stop(pipe);
	if (pipe->event_fd >= 0)
		close(pipe->event_fd);
	for (i = 0; i < STAGES; i++)
		pthread_cond_destroy(&pipe->stages[i].wake);
	pthread_cond_destroy(&pipe->settled);
	pthread_cond_destroy(&pipe->calm);
	pthread_cond_destroy(&pipe->tick);
	pthread_cond_destroy(&pipe->news);
	pthread_mutex_destroy(&pipe->lock);
	free(pipe);
}

static int check_attr(const struct rdma_pipeline_attr *attr)
{
	static const uint32_t zeros[sizeof(attr->reserved) / sizeof(attr->reserved[0])];

	if (!attr)
		return 0;
	if (attr->event_threads > CHANNELS_MAX)
		return fail(EINVAL, "%u event threads: at most %d are possible",
			    attr->event_threads, CHANNELS_MAX);
	if (attr->cqe > INT32_MAX)
		return fail(EINVAL, "a completion queue cannot have %u entries", attr->cqe);
	if (memcmp(attr->reserved, zeros, sizeof(zeros)))
		return fail(EINVAL, "reserved members of the attributes are not 0");
	return 0;
}

static int open_and_start(struct rdma_pipeline *pipe)
{
	int err = channel_open(&pipe->channels[0]);

	if (err)
		return fail(-err, "no channel for events of the CM: %s: load rdma_ucm",
			    strerror(-err));
	pipe->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = pipe->event_fd < 0 ? -errno : start_threads(pipe);
	return err ? fail(-err, "cannot start the threads: %s", strerror(-err)) : 0;
}

int rdma_pipeline_create(struct rdma_pipeline **pipe, const struct rdma_pipeline_attr *attr)
{
	struct rdma_pipeline *new;
	int err, state;

	*pipe = NULL;
	err = check_attr(attr);
	if (err)
		return err;
	new = allocate(attr);
	if (!new)
		return fail(ENOMEM, "out of memory");
	state = cancel_put_off();
	err = open_and_start(new);
	if (err)
		stop(new);
	else
		*pipe = new;
	cancel_restore(state);
	return err;
}

int rdma_pipeline_destroy(struct rdma_pipeline *pipe)
{
	int state;

	if (!pipe)
		return 0;
	if (in_callback)
		return fail(EDEADLK, "a callback cannot destroy the pipeline");
	state = cancel_put_off();
	while (!list_empty(&pipe->listeners))
		rdma_pipeline_unlisten(list_of(pipe->listeners.next,
					       struct rdma_pipeline_listener, node));
	rdma_pipeline_disconnect(pipe, NULL);
	pthread_mutex_lock(&pipe->lock);
	/* Those that have failed on their own */
	while (!list_empty(&pipe->timed) || !list_empty(&pipe->rest))
		pthread_cond_wait(&pipe->settled, &pipe->lock);
	pthread_mutex_unlock(&pipe->lock);
	stop(pipe);
	cancel_restore(state);
	return 0;
}
