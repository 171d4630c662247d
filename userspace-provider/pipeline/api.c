// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The functions of a pipeline's connections.
 */
#include <errno.h>
#include <stdlib.h>
#include "cancel.h"
#include "error.h"
#include "pipeline.h"

static struct rdma_pipeline_conn *make(struct rdma_pipeline *pipe,
				       const struct rdma_pipeline_param *param, int *err)
{
	struct rdma_pipeline_conn *conn = conn_new(pipe);

	if (conn)
		conn->own_settings = malloc(sizeof(*conn->own_settings));
	if (!conn || !conn->own_settings) {
		*err = fail(ENOMEM, "out of memory");
		goto free;
	}
	*err = settings_copy(conn->own_settings, param, false);
	if (*err)
		goto free;
	conn->settings = conn->own_settings;
	return conn;
free:
	if (conn)
		conn_put(conn);
	return NULL;
}

int rdma_pipeline_params(struct rdma_pipeline *pipe, const struct rdma_pipeline_param *params,
			 unsigned int count, struct rdma_pipeline_conn **conns)
{
	struct rdma_pipeline_conn **made;
	unsigned int i;
	int err = 0;

	made = calloc(count ?: 1, sizeof(*made));
	if (!made)
		return fail(ENOMEM, "out of memory");
	for (i = 0; i < count && !err; i++)
		made[i] = make(pipe, &params[i], &err);
	pthread_mutex_lock(&pipe->lock);
	for (i = 0; i < count && made[i]; i++) {
		if (err)
			conn_put(made[i]);
		else
			list_add_tail(&pipe->rest, &made[i]->node);
		if (!err && conns)
			conns[i] = made[i];
	}
	pthread_mutex_unlock(&pipe->lock);
	free(made);
	return err;
}

int rdma_pipeline_connect(struct rdma_pipeline *pipe)
{
	struct rdma_pipeline_conn *conn;
	struct list *node, *next;

	pthread_mutex_lock(&pipe->lock);
	for (node = pipe->rest.next; node != &pipe->rest; node = next) {
		next = node->next;
		conn = list_of(node, struct rdma_pipeline_conn, node);
		if (conn->state == CONN_NEW)
			conn_start(conn, STAGE_CREATE_ID);
	}
	pthread_mutex_unlock(&pipe->lock);
	return 0;
}

static void unlock(void *pipe)
{
	pthread_mutex_unlock(&((struct rdma_pipeline *)pipe)->lock);
}

/* The calling thread may be canceled while it waits. */
int rdma_pipeline_wait(struct rdma_pipeline *pipe, int timeout_ms)
{
	uint64_t until = timeout_ms < 0 ? NEVER : clock_ms() + timeout_ms;
	int result;

	if (in_callback)
		return fail(EDEADLK, "a callback cannot wait");
	pthread_mutex_lock(&pipe->lock);
	pthread_cleanup_push(unlock, pipe);
	while (pipe->setting_up && cond_wait_until(&pipe->settled, pipe, until))
		;
	result = pipe->setting_up ? -ETIMEDOUT : (int)pipe->failed;
	pthread_cleanup_pop(1);
	return result < 0 ? fail(ETIMEDOUT, "connections are still being set up") : result;
}

static void cancel(struct rdma_pipeline_conn *conn)
{
	if (conn_is_active(conn) && !conn->listener)
		conn_fail(conn, RDMA_PIPELINE_CANCELED, 0, 0);
}

void rdma_pipeline_cancel(struct rdma_pipeline *pipe, struct rdma_pipeline_conn *conn)
{
	struct list *node, *next;

	pthread_mutex_lock(&pipe->lock);
	for (node = pipe->timed.next; !conn && node != &pipe->timed; node = next) {
		next = node->next;
		cancel(list_of(node, struct rdma_pipeline_conn, node));
	}
	if (conn)
		cancel(conn);
	pthread_mutex_unlock(&pipe->lock);
}

static int errno_of(const struct rdma_pipeline_error *error)
{
	static const int errors[] = {
		[RDMA_PIPELINE_NO_REASON] = EINPROGRESS,
		[RDMA_PIPELINE_CALL] = EIO,
		[RDMA_PIPELINE_NO_ADDRESS] = EHOSTUNREACH,
		[RDMA_PIPELINE_NO_ROUTE] = EHOSTUNREACH,
		[RDMA_PIPELINE_UNREACHABLE] = EHOSTUNREACH,
		[RDMA_PIPELINE_NO_LISTENER] = ECONNREFUSED,
		[RDMA_PIPELINE_REJECTED] = ECONNREFUSED,
		[RDMA_PIPELINE_REFUSED] = EACCES,
		[RDMA_PIPELINE_STALE] = EACCES,
		[RDMA_PIPELINE_BUSY] = ECONNREFUSED,
		[RDMA_PIPELINE_PROTOCOL] = EPROTO,
		[RDMA_PIPELINE_RESET] = ECONNRESET,
		[RDMA_PIPELINE_TIMEOUT] = ETIMEDOUT,
		[RDMA_PIPELINE_CANCELED] = ECANCELED,
		[RDMA_PIPELINE_REMOVED] = ENODEV,
	};

	if (error->reason == RDMA_PIPELINE_CALL && error->error)
		return error->error;
	return errors[error->reason];
}

static enum rdma_pipeline_stage stage_now(const struct rdma_pipeline_conn *conn)
{
	return conn->stage < STAGE_CONNECT ? (enum rdma_pipeline_stage)conn->stage :
		RDMA_PIPELINE_CONNECT;
}

int rdma_pipeline_error(const struct rdma_pipeline_conn *conn, struct rdma_pipeline_error *error)
{
	struct rdma_pipeline_error now;

	pthread_mutex_lock(&conn->pipe->lock);
	now = conn->error;
	if (now.stage != RDMA_PIPELINE_ESTABLISHED && !now.reason)
		now.stage = stage_now(conn);
	pthread_mutex_unlock(&conn->pipe->lock);
	if (error)
		*error = now;
	return now.stage == RDMA_PIPELINE_ESTABLISHED ? 0 : -errno_of(&now);
}

static void release_all(struct list *list)
{
	struct list *node, *next;

	for (node = list->next; node != list; node = next) {
		next = node->next;
		conn_release(list_of(node, struct rdma_pipeline_conn, node));
	}
}

/* Listeners may accept new ones meanwhile, which are left alone. */
static void disconnect_all(struct rdma_pipeline *pipe)
{
	release_all(&pipe->timed);
	release_all(&pipe->rest);
	while (pipe->releasing || pipe->notifying)
		pthread_cond_wait(&pipe->settled, &pipe->lock);
}

static void disconnect(struct rdma_pipeline *pipe, struct rdma_pipeline_conn *conn)
{
	conn_get(conn);
	conn_release(conn);
	while (!list_empty(&conn->node) || pipe->notifying == conn)
		pthread_cond_wait(&pipe->settled, &pipe->lock);
	conn_put(conn);
}

int rdma_pipeline_disconnect(struct rdma_pipeline *pipe, struct rdma_pipeline_conn *conn)
{
	int state;

	if (in_callback)
		return fail(EDEADLK, "a callback cannot wait until connections are gone");
	state = cancel_put_off();
	pthread_mutex_lock(&pipe->lock);
	if (conn)
		disconnect(pipe, conn);
	else
		disconnect_all(pipe);
	pthread_mutex_unlock(&pipe->lock);
	cancel_restore(state);
	return 0;
}

struct rdma_cm_id *rdma_pipeline_id(const struct rdma_pipeline_conn *conn)
{
	struct rdma_cm_id *id;

	pthread_mutex_lock(&conn->pipe->lock);
	id = conn->error.stage == RDMA_PIPELINE_ESTABLISHED ? conn->id : NULL;
	pthread_mutex_unlock(&conn->pipe->lock);
	return id;
}

void *rdma_pipeline_context(const struct rdma_pipeline_conn *conn)
{
	return conn->settings->context;
}

const void *rdma_pipeline_private_data(const struct rdma_pipeline_conn *conn, size_t *len)
{
	pthread_mutex_lock(&conn->pipe->lock);
	*len = conn->peer_len;
	pthread_mutex_unlock(&conn->pipe->lock);
	return *len ? conn->peer_data : NULL;
}

void rdma_pipeline_stats(struct rdma_pipeline *pipe, struct rdma_pipeline_stats *stats)
{
	pthread_mutex_lock(&pipe->lock);
	*stats = pipe->stats;
	stats->window = pipe->window.size;
	pthread_mutex_unlock(&pipe->lock);
}
