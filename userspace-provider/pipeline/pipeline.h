/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * pipeline - structures that the files of the library share.
 *
 * One lock, that of the pipeline, protects all of them. Calls of librdmacm and libibverbs are
 * made without it, by the worker of a stage, while the connection is marked as busy: nobody
 * else then touches its identifier, and an event waits until it is not.
 */
#ifndef PIPELINE_H
#define PIPELINE_H

#include <pthread.h>
#include <stdbool.h>
#include <rdma/rdma_pipeline.h>
#include "illegal.h"
#include "list.h"
#include "replay.h"
#include "request.h"
#include "window.h"

#define CHANNELS_MAX	64
/*
 * Threads of a stage: destruction may sleep for a grace period of RCU, acceptance and
 * establishment for a key
 */
#define SLEEPERS	4
#define NEVER		UINT64_MAX

/* Those of the paper have the numbers of enum rdma_pipeline_stage. */
enum stage_number {
	STAGE_CREATE_ID,
	STAGE_RESOLVE_ADDR,
	STAGE_RESOLVE_ROUTE,
	STAGE_CREATE_QP,
	STAGE_CONNECT,
	STAGE_ESTABLISH,	/* after the peer's answer; counts as STAGE_CONNECT */
	STAGE_VERIFY,		/* of a request that has arrived */
	STAGE_ACCEPT,
	STAGE_CLOSE,
	STAGES
};

/* Results of a stage's work besides negative errno values */
enum work {
	WORK_WAIT,		/* an event ends the stage */
	WORK_DONE,
	WORK_UP,		/* the connection is established */
	WORK_REFUSED,		/* the request is not authentic */
};

struct stage {
	struct rdma_pipeline *pipe;
	enum stage_number number;
	struct list queue;
	pthread_cond_t wake;
	pthread_t threads[SLEEPERS];
	unsigned int running;
};

struct channel {
	struct rdma_pipeline *pipe;
	struct rdma_event_channel *cm;
	int poke;		/* eventfd */
	pthread_t thread;
	bool running;
	bool joinable;		/* it has run, and was not joined */
	unsigned int ids;	/* identifiers that report here */
};

/* Resources that connections of a device share */
struct shared {
	struct shared *next;
	struct ibv_context *verbs;
	struct rdma_cm_id *anchor;	/* keeps librdmacm from closing @verbs */
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
};

/* A copy of struct rdma_pipeline_param with its defaults */
struct settings {
	struct sockaddr_storage src;	/* family 0: none */
	struct sockaddr_storage dst;
	struct ibv_qp_init_attr qp;
	struct ibv_pd *pd;
	struct rdma_pipeline_keys *keys;
	void *context;
	uint32_t timeout_ms;
	uint32_t resolve_ms;
	struct rdma_conn_param conn;	/* without private data */
	uint8_t version;
	uint8_t private_len;
	uint8_t private_data[REQUEST_LEN];
};

/* The kind of an identifier's context, its first member */
enum owner {
	OWNER_CONN,
	OWNER_LISTENER,
};

enum conn_state {
	CONN_NEW,
	CONN_QUEUED,
	CONN_WORKING,
	CONN_WAITING,	/* for an event */
	CONN_RETRY,	/* the identifier is used up, and must be destroyed */
	CONN_BACKOFF,
	CONN_UP,
	CONN_FAILED,
	CONN_QUIET,	/* not authentic, and left without an answer */
	CONN_CLOSED,	/* by the peer */
	CONN_PARTING,	/* waits for the peer's answer to the disconnection */
	CONN_PARTED,
};

struct rdma_pipeline_conn {
	enum owner owner;
	enum conn_state state;
	enum stage_number stage;	/* reached; not STAGE_CLOSE */
	bool busy;			/* a worker works on it */
	bool in_window;
	bool release;			/* free it when it has ended */
	bool counted;			/* in pipe->releasing */
	bool farewell;			/* the worker's task: disconnect, do not yet destroy */
	bool answered;			/* that was done */
	bool parted;			/* it failed, so no answer will come */
	enum hint hint;			/* for the requester, if it is rejected */
	unsigned int refs;
	unsigned int told;		/* bits of events in the queue */
	unsigned int attempts;
	unsigned int generation;	/* of the identifier */
	struct rdma_pipeline *pipe;
	struct rdma_pipeline_listener *listener;	/* NULL: this side connects */
	struct list node;		/* pipe->timed, or pipe->rest */
	struct list queued;		/* in a stage's queue */
	struct list events;		/* in pipe->events */
	struct rdma_cm_id *id;
	struct ibv_qp *qp;		/* of @id, which has it when the connection is up */
	struct channel *channel;
	const struct settings *settings;
	struct settings *own_settings;	/* NULL if they are the listener's */
	struct rdma_pipeline_error error;
	uint64_t deadline;		/* times are in ms */
	uint64_t lost_at;
	uint64_t retry_at;
	uint64_t number;		/* of its request in the window */
	uint32_t peer_qpn;
	uint8_t peer_len;
	uint8_t peer_data[REQUEST_LEN];
};

struct rdma_pipeline_listener {
	enum owner owner;
	struct rdma_pipeline *pipe;
	struct list node;
	struct rdma_cm_id *id;
	struct settings settings;
	struct illegal_log log;
	struct replay *replay;		/* used by the worker of STAGE_VERIFY */
	enum rdma_pipeline_refusal refusal;
	uint32_t backlog;
	uint32_t pending;		/* connections that are being set up */
	uint32_t unsettled;		/* those, and the ones that end */
	uint32_t refs;			/* connections, and the user */
	bool closed;
};

/* A CM event, after it was acknowledged */
struct happening {
	enum rdma_cm_event_type type;
	int status;
	enum hint hint;
	uint8_t len;
	uint8_t data[REQUEST_LEN];
};

struct rdma_pipeline {
	pthread_mutex_t lock;
	pthread_cond_t settled;		/* connections have ended, or are gone */
	pthread_cond_t calm;		/* a connection is no longer busy */
	pthread_cond_t tick;		/* of the timer */
	pthread_cond_t news;		/* of the notifier */
	struct rdma_pipeline_attr attr;
	struct rdma_pipeline_stats stats;
	struct window window;
	struct stage stages[STAGES];
	struct channel channels[CHANNELS_MAX];
	struct shared *shared;		/* used by the worker of STAGE_CREATE_QP */
	struct list timed;		/* connections that wait for something */
	struct list rest;
	struct list listeners;
	struct list events;
	struct rdma_pipeline_conn *notifying;
	unsigned int setting_up;	/* connections that this side makes */
	unsigned int failed;		/* those that have failed and are there */
	unsigned int releasing;		/* those that the user has released */
	unsigned int quiet;
	unsigned int jitter;
	uint64_t timer_at;
	pthread_t timer;
	pthread_t notifier;
	bool has_timer;
	bool has_notifier;
	bool stopping;
	int event_fd;
};

uint64_t clock_ms(void);

/* pipeline.c: the library's lock and threads */
/* This thread runs a callback */
extern __thread bool in_callback;

int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);
int stage_start(struct stage *stage, unsigned int threads);
/* Wait until a time, or for ever if it is NEVER. Return false if the time has come. */
bool cond_wait_until(pthread_cond_t *cond, struct rdma_pipeline *pipe, uint64_t until);

/* conn.c: a connection's states. All with the lock held */
struct rdma_pipeline_conn *conn_new(struct rdma_pipeline *pipe);
void conn_get(struct rdma_pipeline_conn *conn);
void conn_put(struct rdma_pipeline_conn *conn);
bool conn_is_active(const struct rdma_pipeline_conn *conn);
void conn_start(struct rdma_pipeline_conn *conn, enum stage_number first);
void conn_fail(struct rdma_pipeline_conn *conn, enum rdma_pipeline_reason reason, int error,
	       int status);
/* A worker takes the connection from its queue, and gives it back */
void conn_take(struct rdma_pipeline_conn *conn, enum stage_number stage);
void conn_settle(struct rdma_pipeline_conn *conn, enum stage_number stage, int result);
void conn_happen(struct rdma_pipeline_conn *conn, const struct happening *what);
void conn_release(struct rdma_pipeline_conn *conn);
uint64_t conn_due(const struct rdma_pipeline_conn *conn);
void conn_expire(struct rdma_pipeline_conn *conn, uint64_t now);

/* work.c: the work of a stage, without the lock */
int work_of(enum stage_number stage, struct rdma_pipeline_conn *conn);

/* events.c: event channels and their threads */
int channel_open(struct channel *channel);
/* Choose a channel for a new identifier, with the lock held; NULL: no channel can be opened */
struct channel *channel_choose(struct rdma_pipeline *pipe);
void channel_leave(struct channel *channel);	/* with the lock held */
void channels_stop(struct rdma_pipeline *pipe);	/* when no identifier is left */

/* timer.c */
void *timer_run(void *pipe);
void timer_need(struct rdma_pipeline *pipe, uint64_t at);	/* with the lock held */

/* notify.c: events for the user */
void notify_tell(struct rdma_pipeline_conn *conn, enum rdma_pipeline_event_type type);
void notify_forget(struct rdma_pipeline_conn *conn);
void *notify_run(void *pipe);

/* shared.c */
int shared_get(struct rdma_pipeline *pipe, struct rdma_cm_id *id, struct shared **shared);
void shared_free(struct rdma_pipeline *pipe);

/* settings.c: 0, or a negative errno value with the message set */
int settings_copy(struct settings *settings, const struct rdma_pipeline_param *param,
		  bool listener);

/* listen.c */
void listen_request(struct rdma_pipeline *pipe, struct rdma_cm_event *event);
int listen_verify(struct rdma_pipeline_conn *conn);
void listener_put(struct rdma_pipeline_listener *listener);	/* with the lock held */
/* Fill in the facts of a connection, which its request's MAC covers. */
int facts_of(struct rdma_cm_id *id, uint32_t peer_qpn, bool passive, struct facts *facts);

#endif /* PIPELINE_H */
