// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Event channels, each with a thread. An identifier stays with its channel, so that its events
 * are handled in their order. Channels are opened while many connections are being set up, and
 * closed when they have had no identifier for a second; the first is there all the time.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "pipeline.h"
#include "wake.h"

#define CONNS_A_THREAD	64
#define IDLE_MS		1000

static void copy_event(const struct rdma_cm_event *event, struct happening *what)
{
	const struct rdma_conn_param *conn = &event->param.conn;
	bool has_data = event->event == RDMA_CM_EVENT_CONNECT_RESPONSE ||
		event->event == RDMA_CM_EVENT_ESTABLISHED ||
		event->event == RDMA_CM_EVENT_REJECTED;

	*what = (struct happening){ .type = event->event, .status = event->status };
	if (!has_data || !conn->private_data)
		return;
	what->len = conn->private_data_len < REQUEST_LEN ? conn->private_data_len : REQUEST_LEN;
	memcpy(what->data, conn->private_data, what->len);
	if (event->event == RDMA_CM_EVENT_REJECTED)
		what->hint = hint_parse(what->data, what->len);
}

/*
 * Acknowledge the event before waiting: the worker may be destroying the identifier, which
 * waits for the acknowledgment. The event may be of an identifier that is gone by then.
 */
static void handle_conn(struct rdma_pipeline_conn *conn, struct rdma_cm_event *event)
{
	struct rdma_pipeline *pipe = conn->pipe;
	unsigned int generation;
	struct happening what;

	copy_event(event, &what);
	pthread_mutex_lock(&pipe->lock);
	conn_get(conn);
	generation = conn->generation;
	pthread_mutex_unlock(&pipe->lock);
	rdma_ack_cm_event(event);
	pthread_mutex_lock(&pipe->lock);
	while (conn->busy)
		pthread_cond_wait(&pipe->calm, &pipe->lock);
	if (conn->id && conn->generation == generation)
		conn_happen(conn, &what);
	conn_put(conn);
	pthread_mutex_unlock(&pipe->lock);
}

static void handle(struct rdma_pipeline *pipe, struct rdma_cm_event *event)
{
	const enum owner *owner = event->id->context;

	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		listen_request(pipe, event);
	else if (owner && *owner == OWNER_CONN)
		handle_conn(event->id->context, event);
	else	/* of a listener, or an anchor: it needs no reaction */
		rdma_ack_cm_event(event);
}

static void drain(struct channel *channel)
{
	struct rdma_cm_event *event;

	wake_clear(channel->poke);
	while (!rdma_get_cm_event(channel->cm, &event))
		handle(channel->pipe, event);
}

static void close_channel(struct channel *channel)
{
	rdma_destroy_event_channel(channel->cm);
	close(channel->poke);
	channel->cm = NULL;
}

/* Return whether the thread can end. The first channel is for listeners and anchors as well. */
static bool is_done(struct channel *channel, bool idle)
{
	struct rdma_pipeline *pipe = channel->pipe;

	if (pipe->stopping)
		return !channel->ids;
	return idle && !channel->ids && channel != &pipe->channels[0];
}

static void *run(void *arg)
{
	struct channel *channel = arg;
	struct rdma_pipeline *pipe = channel->pipe;
	struct pollfd fds[] = {
		{ .fd = channel->cm->fd, .events = POLLIN },
		{ .fd = channel->poke, .events = POLLIN },
	};
	bool idle = false;
	int wait;

	pthread_mutex_lock(&pipe->lock);
	while (!is_done(channel, idle)) {
		wait = channel->ids || channel == &pipe->channels[0] ? -1 : IDLE_MS;
		pthread_mutex_unlock(&pipe->lock);
		idle = !poll(fds, 2, wait);
		if (!idle)
			drain(channel);
		pthread_mutex_lock(&pipe->lock);
	}
	channel->running = false;
	pipe->stats.event_threads--;
	if (channel != &pipe->channels[0])
		close_channel(channel);
	pthread_mutex_unlock(&pipe->lock);
	return NULL;
}

static int open_fds(struct channel *channel)
{
	int err;

	channel->poke = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (channel->poke < 0)
		return -errno;
	errno = 0;
	channel->cm = rdma_create_event_channel();
	if (!channel->cm) {
		err = errno ?: ENODEV;
		goto close;
	}
	if (!fcntl(channel->cm->fd, F_SETFL, fcntl(channel->cm->fd, F_GETFL) | O_NONBLOCK))
		return 0;
	err = errno;
	rdma_destroy_event_channel(channel->cm);
	channel->cm = NULL;
close:
	close(channel->poke);
	return -err;
}

int channel_open(struct channel *channel)
{
	int err;

	if (channel->joinable)
		pthread_join(channel->thread, NULL);
	channel->joinable = false;
	err = open_fds(channel);
	if (err)
		return err;
	channel->running = true;
	err = thread_start(&channel->thread, run, channel);
	if (err) {
		channel->running = false;
		close_channel(channel);
		return err;
	}
	channel->joinable = true;
	channel->pipe->stats.event_threads++;
	return 0;
}

/* Return the number of threads for the present number of connections in set-up. */
static unsigned int wanted(const struct rdma_pipeline *pipe)
{
	unsigned int count = (pipe->setting_up + CONNS_A_THREAD - 1) / CONNS_A_THREAD;

	if (!count)
		return 1;
	return count < pipe->attr.event_threads ? count : pipe->attr.event_threads;
}

struct channel *channel_choose(struct rdma_pipeline *pipe)
{
	struct channel *best = &pipe->channels[0], *channel;
	unsigned int i, count = wanted(pipe);

	for (i = 1; i < count; i++) {
		channel = &pipe->channels[i];
		/* without a further channel, those that exist take the identifiers */
		if (!channel->running && channel_open(channel))
			break;
		if (channel->ids < best->ids)
			best = channel;
	}
	best->ids++;
	return best;
}

void channel_leave(struct channel *channel)
{
	if (!--channel->ids)
		wake_set(channel->poke);
}

void channels_stop(struct rdma_pipeline *pipe)
{
	struct channel *channel;
	unsigned int i;

	pthread_mutex_lock(&pipe->lock);
	for (i = 0; i < CHANNELS_MAX; i++)
		if (pipe->channels[i].running)
			wake_set(pipe->channels[i].poke);
	pthread_mutex_unlock(&pipe->lock);
	for (i = 0; i < CHANNELS_MAX; i++) {
		channel = &pipe->channels[i];
		if (channel->joinable)
			pthread_join(channel->thread, NULL);
		channel->joinable = false;
	}
	if (pipe->channels[0].cm)
		close_channel(&pipe->channels[0]);
}
