// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The states of a connection. All functions need the pipeline's lock.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "pipeline.h"

#define LOSS_MS		1000	/* an answer that is later counts as lost */
#define PARTING_MS	1000
#define QUIET_MS	70000	/* 16 requests, 4.3 s apart */
#define QUIET_MAX	256
#define BACKOFF_MS	10
#define BACKOFF_SHIFT	6

/* Reasons of rejections, IBA 12.6.7.2 */
enum {
	REJ_NO_QP = 1,
	REJ_NO_RESOURCES = 3,
	REJ_INVALID_SERVICE_ID = 8,
	REJ_STALE_CONN = 10,
};

struct rdma_pipeline_conn *conn_new(struct rdma_pipeline *pipe)
{
	struct rdma_pipeline_conn *conn = calloc(1, sizeof(*conn));

	if (!conn)
		return NULL;
	conn->owner = OWNER_CONN;
	conn->pipe = pipe;
	conn->refs = 1;
	conn->deadline = NEVER;
	list_init(&conn->node);
	list_init(&conn->queued);
	list_init(&conn->events);
	return conn;
}

void conn_get(struct rdma_pipeline_conn *conn)
{
	conn->refs++;
}

void conn_put(struct rdma_pipeline_conn *conn)
{
	if (--conn->refs)
		return;
	free(conn->own_settings);
	free(conn);
}

bool conn_is_active(const struct rdma_pipeline_conn *conn)
{
	return conn->state >= CONN_QUEUED && conn->state <= CONN_BACKOFF;
}

static void move_to(struct list *list, struct rdma_pipeline_conn *conn)
{
	list_del(&conn->node);
	list_add_tail(list, &conn->node);
}

static void enqueue(struct rdma_pipeline_conn *conn, enum stage_number number)
{
	struct stage *stage = &conn->pipe->stages[number];

	if (number != STAGE_CLOSE) {
		conn->state = CONN_QUEUED;
		conn->stage = number;
	}
	list_add_tail(&stage->queue, &conn->queued);
	pthread_cond_signal(&stage->wake);
}

static void leave_window(struct rdma_pipeline_conn *conn)
{
	if (!conn->in_window)
		return;
	conn->in_window = false;
	window_leave(&conn->pipe->window);
	pthread_cond_signal(&conn->pipe->stages[STAGE_CONNECT].wake);
}

/* Note an answer to the request. A request whose answer comes too late has been counted as lost. */
static void answered(struct rdma_pipeline_conn *conn)
{
	if (conn->in_window)
		window_grow(&conn->pipe->window);
	leave_window(conn);
}

static void lost(struct rdma_pipeline_conn *conn)
{
	if (conn->in_window)
		window_shrink(&conn->pipe->window, conn->number);
	leave_window(conn);
}

/* Remove the connection from all lists and counts: only holders of references can still use it. */
static void forget(struct rdma_pipeline_conn *conn)
{
	struct rdma_pipeline_listener *listener = conn->listener;
	struct rdma_pipeline *pipe = conn->pipe;

	if (conn->state == CONN_FAILED && !listener)
		pipe->failed--;
	if (listener && conn->error.stage != RDMA_PIPELINE_ESTABLISHED)
		listener->unsettled--;
	if (conn->counted)
		pipe->releasing--;
	list_del(&conn->node);
	notify_forget(conn);
	conn->state = CONN_PARTED;
	pthread_cond_broadcast(&pipe->settled);
	conn_put(conn);
	if (listener)
		listener_put(listener);
}

static void back_off(struct rdma_pipeline_conn *conn)
{
	unsigned int shift = conn->attempts < BACKOFF_SHIFT ? conn->attempts : BACKOFF_SHIFT;
	unsigned int wait = BACKOFF_MS << shift;

	conn->state = CONN_BACKOFF;
	conn->retry_at = clock_ms() + wait / 2 + rand_r(&conn->pipe->jitter) % wait;
	timer_need(conn->pipe, conn->retry_at);
}

static bool wants_farewell(const struct rdma_pipeline_conn *conn)
{
	return (conn->state == CONN_CLOSED || conn->state == CONN_PARTING) && !conn->answered;
}

/* Take the next step to the end of a connection, unless a worker is at work on it. */
static void go_on_ending(struct rdma_pipeline_conn *conn)
{
	if (conn->busy || !list_empty(&conn->queued))
		return;
	if (wants_farewell(conn)) {
		enqueue(conn, STAGE_CLOSE);
		return;
	}
	if (conn->state == CONN_CLOSED && conn->release)
		conn->state = CONN_PARTED;
	if (conn->state != CONN_FAILED && conn->state != CONN_RETRY && conn->state != CONN_PARTED)
		return;
	if (conn->id)
		enqueue(conn, STAGE_CLOSE);
	else if (conn->state == CONN_RETRY)
		back_off(conn);
	else if (conn->release)
		forget(conn);
}

void conn_start(struct rdma_pipeline_conn *conn, enum stage_number first)
{
	conn->deadline = clock_ms() + conn->settings->timeout_ms;
	timer_need(conn->pipe, conn->deadline);
	move_to(&conn->pipe->timed, conn);
	if (!conn->listener)
		conn->pipe->setting_up++;
	enqueue(conn, first);
}

static enum rdma_pipeline_stage stage_of(const struct rdma_pipeline_conn *conn)
{
	return conn->stage <= STAGE_CONNECT ? (enum rdma_pipeline_stage)conn->stage :
		RDMA_PIPELINE_CONNECT;
}

/* End the set-up, which has succeeded or failed. */
static void end_set_up(struct rdma_pipeline_conn *conn)
{
	struct rdma_pipeline *pipe = conn->pipe;

	leave_window(conn);
	list_del(&conn->queued);
	move_to(&pipe->rest, conn);
	conn->deadline = NEVER;
	if (conn->listener)
		conn->listener->pending--;
	else if (!--pipe->setting_up)
		pthread_cond_broadcast(&pipe->settled);
}

void conn_fail(struct rdma_pipeline_conn *conn, enum rdma_pipeline_reason reason, int error,
	       int status)
{
	struct rdma_pipeline *pipe = conn->pipe;

	end_set_up(conn);
	conn->error = (struct rdma_pipeline_error){
		.stage = stage_of(conn),
		.reason = reason,
		.error = error,
		.status = status,
	};
	conn->state = CONN_FAILED;
	if (conn->listener) {
		conn->release = true;
	} else {
		pipe->failed++;
		pipe->stats.failed++;
		notify_tell(conn, RDMA_PIPELINE_EVENT_FAILED);
	}
	go_on_ending(conn);
}

static void keep_data(struct rdma_pipeline_conn *conn, const struct happening *what)
{
	conn->peer_len = what->len;
	memcpy(conn->peer_data, what->data, what->len);
}

static void up(struct rdma_pipeline_conn *conn)
{
	struct rdma_pipeline *pipe = conn->pipe;

	answered(conn);
	end_set_up(conn);
	conn->id->qp = conn->qp;
	conn->state = CONN_UP;
	conn->error.stage = RDMA_PIPELINE_ESTABLISHED;
	if (conn->listener) {
		conn->listener->unsettled--;
		pipe->stats.accepted++;
		pthread_cond_broadcast(&pipe->settled);
	} else {
		pipe->stats.established++;
	}
	notify_tell(conn, RDMA_PIPELINE_EVENT_UP);
}

/* Give the requester no answer, until it has given up. */
static void keep_quiet(struct rdma_pipeline_conn *conn)
{
	struct rdma_pipeline *pipe = conn->pipe;

	conn->hint = HINT_NONE;
	if (pipe->quiet >= QUIET_MAX) {
		conn_fail(conn, RDMA_PIPELINE_REFUSED, 0, 0);
		return;
	}
	pipe->quiet++;
	end_set_up(conn);
	move_to(&pipe->timed, conn);
	conn->state = CONN_QUIET;
	conn->deadline = clock_ms() + QUIET_MS;
	timer_need(pipe, conn->deadline);
}

static void end_quiet(struct rdma_pipeline_conn *conn)
{
	conn->pipe->quiet--;
	move_to(&conn->pipe->rest, conn);
	conn->state = CONN_PARTED;
	conn->deadline = NEVER;
	conn->release = true;
	go_on_ending(conn);
}

static void refuse(struct rdma_pipeline_conn *conn)
{
	conn->pipe->stats.refused++;
	if (conn->listener->refusal == RDMA_PIPELINE_SILENCE && !conn->listener->closed)
		keep_quiet(conn);
	else
		conn_fail(conn, RDMA_PIPELINE_REFUSED, 0, 0);
}

static enum stage_number after(const struct rdma_pipeline_conn *conn)
{
	if (conn->stage == STAGE_VERIFY)
		return STAGE_CREATE_QP;
	if (conn->stage == STAGE_CREATE_QP && conn->listener)
		return STAGE_ACCEPT;
	return conn->stage + 1;
}

static void settle_close(struct rdma_pipeline_conn *conn)
{
	if (conn->state == CONN_PARTING && conn->parted) {
		conn->state = CONN_PARTED;
	} else if (conn->state == CONN_PARTING && conn->answered) {
		conn->deadline = clock_ms() + PARTING_MS;
		timer_need(conn->pipe, conn->deadline);
		move_to(&conn->pipe->timed, conn);
	}
	go_on_ending(conn);
}

static void enter_window(struct rdma_pipeline_conn *conn)
{
	conn->number = window_send(&conn->pipe->window);
	conn->in_window = true;
	conn->lost_at = clock_ms() + LOSS_MS;
	timer_need(conn->pipe, conn->lost_at);
}

void conn_take(struct rdma_pipeline_conn *conn, enum stage_number stage)
{
	list_del(&conn->queued);
	conn->busy = true;
	if (stage == STAGE_CLOSE) {
		conn->farewell = wants_farewell(conn);
		conn->answered |= conn->farewell;
		return;
	}
	conn->state = CONN_WORKING;
	if (stage == STAGE_CONNECT)
		enter_window(conn);
}

/* Take a connection back from a worker; it may have failed meanwhile. */
void conn_settle(struct rdma_pipeline_conn *conn, enum stage_number stage, int result)
{
	conn->busy = false;
	pthread_cond_broadcast(&conn->pipe->calm);
	if (stage == STAGE_CLOSE)
		settle_close(conn);
	else if (conn->state != CONN_WORKING)
		go_on_ending(conn);
	else if (result < 0)
		conn_fail(conn, RDMA_PIPELINE_CALL, -result, 0);
	else if (result == WORK_REFUSED)
		refuse(conn);
	else if (result == WORK_UP)
		up(conn);
	else if (result == WORK_DONE)
		enqueue(conn, after(conn));
	else
		conn->state = CONN_WAITING;
}

static void retry(struct rdma_pipeline_conn *conn)
{
	lost(conn);
	conn->pipe->stats.retries++;
	conn->attempts++;
	conn->state = CONN_RETRY;
	go_on_ending(conn);
}

/* Return the errno of iWARP's status; IB has positive reasons instead. */
static int errno_of(const struct happening *what)
{
	return what->status < 0 ? -what->status : 0;
}

static void rejected(struct rdma_pipeline_conn *conn, const struct happening *what)
{
	static const enum rdma_pipeline_reason reasons[] = {
		[HINT_NONE] = RDMA_PIPELINE_REJECTED,
		[HINT_BUSY] = RDMA_PIPELINE_BUSY,
		[HINT_REFUSED] = RDMA_PIPELINE_REFUSED,
		[HINT_STALE] = RDMA_PIPELINE_STALE,
	};
	enum rdma_pipeline_reason reason = reasons[what->hint];

	if (!conn->listener &&
	    (what->hint == HINT_BUSY || what->status == REJ_NO_QP ||
	     what->status == REJ_NO_RESOURCES || what->status == REJ_STALE_CONN)) {
		retry(conn);
		return;
	}
	answered(conn);
	if (what->status == REJ_INVALID_SERVICE_ID)
		reason = RDMA_PIPELINE_NO_LISTENER;
	conn_fail(conn, reason, errno_of(what), what->status);
}

/* The peer has answered: this side's QP can be moved. */
static void accepted(struct rdma_pipeline_conn *conn, const struct happening *what)
{
	if (conn->state != CONN_WAITING)
		return;
	answered(conn);
	keep_data(conn, what);
	enqueue(conn, STAGE_ESTABLISH);
}

static void happen_connecting(struct rdma_pipeline_conn *conn, const struct happening *what)
{
	switch (what->type) {
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
		accepted(conn, what);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		if (!conn->listener)	/* iWARP has no other event */
			keep_data(conn, what);
		up(conn);
		break;
	case RDMA_CM_EVENT_REJECTED:
		rejected(conn, what);
		break;
	case RDMA_CM_EVENT_UNREACHABLE:
		lost(conn);
		conn_fail(conn, RDMA_PIPELINE_UNREACHABLE, errno_of(what), what->status);
		break;
	case RDMA_CM_EVENT_CONNECT_ERROR:
		conn_fail(conn, RDMA_PIPELINE_PROTOCOL, errno_of(what), what->status);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		conn_fail(conn, RDMA_PIPELINE_RESET, 0, what->status);
		break;
	default:
		break;
	}
}

static void happen_waiting(struct rdma_pipeline_conn *conn, const struct happening *what)
{
	if (conn->stage == STAGE_RESOLVE_ADDR) {
		if (what->type == RDMA_CM_EVENT_ADDR_RESOLVED)
			enqueue(conn, STAGE_RESOLVE_ROUTE);
		else if (what->type == RDMA_CM_EVENT_ADDR_ERROR)
			conn_fail(conn, RDMA_PIPELINE_NO_ADDRESS, errno_of(what), what->status);
	} else if (conn->stage == STAGE_RESOLVE_ROUTE) {
		if (what->type == RDMA_CM_EVENT_ROUTE_RESOLVED)
			enqueue(conn, STAGE_CREATE_QP);
		else if (what->type == RDMA_CM_EVENT_ROUTE_ERROR)
			conn_fail(conn, RDMA_PIPELINE_NO_ROUTE, errno_of(what), what->status);
	} else {
		happen_connecting(conn, what);
	}
}

static void closed_by_peer(struct rdma_pipeline_conn *conn)
{
	conn->state = CONN_CLOSED;
	notify_tell(conn, RDMA_PIPELINE_EVENT_CLOSED);
	go_on_ending(conn);
}

static void part(struct rdma_pipeline_conn *conn)
{
	move_to(&conn->pipe->rest, conn);
	conn->state = CONN_PARTED;
	conn->deadline = NEVER;
	go_on_ending(conn);
}

/* Whether the peer has answered, and no worker has taken the connection yet. */
static bool is_answered(const struct rdma_pipeline_conn *conn)
{
	return conn->state == CONN_QUEUED && conn->stage == STAGE_ESTABLISH;
}

/* Handle an event of the CM. Events that do not fit the state, such as late ones, are ignored. */
void conn_happen(struct rdma_pipeline_conn *conn, const struct happening *what)
{
	bool removal = what->type == RDMA_CM_EVENT_DEVICE_REMOVAL;
	bool gone = removal || what->type == RDMA_CM_EVENT_DISCONNECTED;

	if (removal && conn_is_active(conn))
		conn_fail(conn, RDMA_PIPELINE_REMOVED, 0, 0);
	else if (removal && conn->state == CONN_QUIET)
		end_quiet(conn);
	else if (conn->state == CONN_WAITING || is_answered(conn))
		happen_waiting(conn, what);
	else if (conn->state == CONN_UP && gone)
		closed_by_peer(conn);
	else if (conn->state == CONN_PARTING && gone)
		part(conn);
}

/* End a connection in any state, and free it then. */
void conn_release(struct rdma_pipeline_conn *conn)
{
	if (conn_is_active(conn))
		conn_fail(conn, RDMA_PIPELINE_CANCELED, 0, 0);
	if (conn->release)
		return;
	conn->release = true;
	conn->counted = true;
	conn->pipe->releasing++;
	notify_forget(conn);
	if (conn->state == CONN_NEW)
		conn->state = CONN_PARTED;
	else if (conn->state == CONN_UP)
		conn->state = CONN_PARTING;
	if (conn->state == CONN_QUIET)
		end_quiet(conn);
	else
		go_on_ending(conn);
}

uint64_t conn_due(const struct rdma_pipeline_conn *conn)
{
	uint64_t due = conn->deadline;

	if (conn->in_window && conn->lost_at < due)
		due = conn->lost_at;
	if (conn->state == CONN_BACKOFF && conn->retry_at < due)
		due = conn->retry_at;
	return due;
}

void conn_expire(struct rdma_pipeline_conn *conn, uint64_t now)
{
	if (conn->in_window && conn->lost_at <= now) {
		conn->pipe->stats.lost++;
		lost(conn);
	}
	if (conn->deadline <= now) {
		if (conn_is_active(conn))
			conn_fail(conn, conn->attempts ? RDMA_PIPELINE_BUSY : RDMA_PIPELINE_TIMEOUT,
				  0, 0);
		else if (conn->state == CONN_PARTING)
			part(conn);
		else if (conn->state == CONN_QUIET)
			end_quiet(conn);
	} else if (conn->state == CONN_BACKOFF && conn->retry_at <= now) {
		enqueue(conn, STAGE_CREATE_ID);
	}
}
