/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * librdma_pipeline - many authenticated RDMA connections, set up in a pipeline on librdmacm.
 * Works on any RDMA device. rdma_pipeline(7) is the manual.
 *
 * Functions that can fail return 0 or a negative errno value. rdma_pipeline_message() then
 * returns one line that describes the error and how to correct it.
 *
 * All functions may be called from any thread, unless their description says otherwise.
 * Structures that a program passes must be zeroed before they are filled in: members that
 * are 0 have the default that their description states.
 */
#ifndef RDMA_PIPELINE_H
#define RDMA_PIPELINE_H

#include <stddef.h>
#include <stdint.h>
#include <rdma/rdma_cma.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rdma_pipeline;			/* workers, queues, channels, shared resources */
struct rdma_pipeline_conn;		/* one connection */
struct rdma_pipeline_listener;		/* a port that connections are accepted at */
struct rdma_pipeline_keys;		/* a ring of keys that authenticate requests */

/* Bytes of private data in a request that belong to the user of RDMA-CM */
#define RDMA_PIPELINE_PRIVATE_MAX	56

/** enum rdma_pipeline_stage - Stages of a connection, in their order */
enum rdma_pipeline_stage {
	RDMA_PIPELINE_CREATE_ID,
	RDMA_PIPELINE_RESOLVE_ADDR,
	RDMA_PIPELINE_RESOLVE_ROUTE,
	RDMA_PIPELINE_CREATE_QP,
	RDMA_PIPELINE_CONNECT,
	RDMA_PIPELINE_ESTABLISHED,
};

/** enum rdma_pipeline_reason - Reasons why a connection has failed */
enum rdma_pipeline_reason {
	RDMA_PIPELINE_NO_REASON,	/* it has not failed */
	RDMA_PIPELINE_CALL,		/* a call of librdmacm or libibverbs failed */
	RDMA_PIPELINE_NO_ADDRESS,	/* the address was not resolved */
	RDMA_PIPELINE_NO_ROUTE,		/* the route was not resolved */
	RDMA_PIPELINE_UNREACHABLE,	/* the peer did not answer the request */
	RDMA_PIPELINE_NO_LISTENER,	/* the peer is there, but nothing listens */
	RDMA_PIPELINE_REJECTED,		/* the peer rejected the request */
	RDMA_PIPELINE_REFUSED,		/* the peer found the request not authentic */
	RDMA_PIPELINE_STALE,		/* the peer found the request too old: compare clocks */
	RDMA_PIPELINE_BUSY,		/* the peer was busy until the deadline */
	RDMA_PIPELINE_PROTOCOL,		/* the peer's answer could not be used */
	RDMA_PIPELINE_RESET,		/* the peer disconnected during the set-up */
	RDMA_PIPELINE_TIMEOUT,		/* the deadline has passed */
	RDMA_PIPELINE_CANCELED,		/* by rdma_pipeline_cancel(), disconnect() or destroy() */
	RDMA_PIPELINE_REMOVED,		/* the device was removed */
};

/**
 * struct rdma_pipeline_error - Description of how a connection has failed
 * @stage: stage that it had reached
 * @reason: why it failed
 * @error: errno value of the call, or of the event; 0 if there is none
 * @status: status of the CM's event: for a rejection the reason of the CM's message, as in
 *	IBA 12.6.7.2
 */
struct rdma_pipeline_error {
	enum rdma_pipeline_stage stage;
	enum rdma_pipeline_reason reason;
	int error;
	int status;
};

/** enum rdma_pipeline_event_type - Things that happen to a connection */
enum rdma_pipeline_event_type {
	RDMA_PIPELINE_EVENT_UP,		/* established; of a listener: a new connection */
	RDMA_PIPELINE_EVENT_FAILED,	/* never of a listener's connections */
	RDMA_PIPELINE_EVENT_CLOSED,	/* the peer disconnected, or the device was removed */
};

/**
 * struct rdma_pipeline_event - An event of a connection
 * @type: its type
 * @conn: the connection; valid until it is disconnected
 * @listener: the listener that accepted it, or NULL
 */
struct rdma_pipeline_event {
	enum rdma_pipeline_event_type type;
	struct rdma_pipeline_conn *conn;
	struct rdma_pipeline_listener *listener;
};

/**
 * struct rdma_pipeline_illegal - An illegal access: a request that a listener has refused
 * @when: seconds since the Epoch
 * @reason: one word: "missing", "malformed", "version", "key", "algorithm", "mac", "stale",
 *	"replay", "full"
 * @peer: address that the request claims as its source
 * @service: service id that was asked for
 * @key_id: identifier of the key that the request names; 0 if none could be read
 * @qpn: QP number of the requester
 * @psn: its starting PSN
 * @version: version of the private data; 0 if none could be read
 * @suppressed: accesses since the last report that were not reported, to limit the rate
 */
struct rdma_pipeline_illegal {
	uint64_t when;
	const char *reason;
	const struct sockaddr *peer;
	uint64_t service;
	uint32_t key_id;
	uint32_t qpn;
	uint32_t psn;
	uint32_t version;
	uint64_t suppressed;
};

/**
 * struct rdma_pipeline_attr - Attributes of a pipeline
 * @notify: called for each event, by a thread of the library, one event at a time. It may
 *	call all functions but wait, disconnect, unlisten and destroy, which return -EDEADLK
 *	there. NULL: events are queued for rdma_pipeline_next().
 * @context: second argument of @notify
 * @window: most connection requests that may be unanswered at once; the library lowers it
 *	while requests are lost or peers are busy. 0: 256
 * @event_threads: most threads that handle events of the CM. 0: the number of processors,
 *	at most 8
 * @cqe: entries of the completion queue that connections of a device share. 0: 4096
 * @srq_wr: entries of the shared receive queue of each device. 0: there is none
 * @srq_sge: scatter elements of its entries. 0: 1
 */
struct rdma_pipeline_attr {
	void (*notify)(const struct rdma_pipeline_event *event, void *context);
	void *context;
	uint32_t window;
	uint32_t event_threads;
	uint32_t cqe;
	uint32_t srq_wr;
	uint32_t srq_sge;
	uint32_t reserved[7];
};

/**
 * struct rdma_pipeline_param - Parameters of a connection, or of a listener's connections
 * @src: local address, or NULL; ignored for a listener
 * @dst: the peer's address and port; for a listener the address and port to listen at
 * @qp: attributes of the queue pair: reliable connection (qp_type RC, or 0). Queues and SRQ
 *	that are NULL are the ones that the connections of a device share.
 * @pd: protection domain; NULL: the shared one
 * @private_data: sent with the request, or with the answer of a listener; must be NULL for
 *	connections with @keys, whose requests carry the authentication
 * @private_data_len: its length, in bytes; at most RDMA_PIPELINE_PRIVATE_MAX
 * @responder_resources: RDMA READs and atomics that the peer may have outstanding;
 *	RDMA_MAX_RESP_RES: as many as the device allows
 * @initiator_depth: those that this side may have; RDMA_MAX_INIT_DEPTH: likewise
 * @retry_count: retries of the transport. 0: 7, the most
 * @rnr_retry_count: retries while the receiver is not ready. 0: 7, without end
 * @version: of the authentication: 1, or 2; for a listener: the least to accept. 0: 2
 * @keys: ring of keys; NULL: requests are not authenticated. It must live as long as the
 *	pipeline.
 * @timeout_ms: time from rdma_pipeline_connect(), or from the arrival of the request, until
 *	the connection must be up. 0: 30000
 * @resolve_ms: time to resolve the address, and the route. 0: 2000
 * @context: see rdma_pipeline_context()
 */
struct rdma_pipeline_param {
	const struct sockaddr *src;
	const struct sockaddr *dst;
	struct ibv_qp_init_attr qp;
	struct ibv_pd *pd;
	const void *private_data;
	uint8_t private_data_len;
	uint8_t responder_resources;
	uint8_t initiator_depth;
	uint8_t retry_count;
	uint8_t rnr_retry_count;
	uint8_t version;
	struct rdma_pipeline_keys *keys;
	uint32_t timeout_ms;
	uint32_t resolve_ms;
	void *context;
	uint64_t reserved[4];
};

/** enum rdma_pipeline_refusal - Answers to requests that are not authentic */
enum rdma_pipeline_refusal {
	RDMA_PIPELINE_REJECT,		/* reject, with a reason for the requester */
	RDMA_PIPELINE_SILENCE,		/* do not answer; the kernel's CM may send an MRA */
};

/**
 * struct rdma_pipeline_listen_param - Parameters of a listener
 * @conn: of the connections that it accepts
 * @backlog: most connections that are being set up at once; others are told that the
 *	listener is busy. 0: 256
 * @refusal: answer to requests that are not authentic. At most 256 are left unanswered at
 *	once; others are rejected without a reason.
 * @skew_s: most seconds that the clocks of both sides may differ. 0: 30
 * @illegal_fd: file descriptor that illegal accesses are logged to, a line of JSON each, at
 *	most ten a second on average; 0: no log. It must be open as long as the listener is,
 *	and should not block.
 * @illegal: called for each that is logged, or NULL; it must not call functions of the
 *	pipeline
 * @illegal_context: second argument of @illegal
 */
struct rdma_pipeline_listen_param {
	struct rdma_pipeline_param conn;
	uint32_t backlog;
	enum rdma_pipeline_refusal refusal;
	uint32_t skew_s;
	int illegal_fd;
	void (*illegal)(const struct rdma_pipeline_illegal *access, void *context);
	void *illegal_context;
	uint64_t reserved[4];
};

/**
 * struct rdma_pipeline_stats - Counters of a pipeline
 * @established: connections that were established
 * @failed: connections that failed
 * @accepted: connections that listeners have accepted
 * @refused: requests that were not authentic
 * @busy: requests that were rejected because the backlog was full
 * @retries: requests that were sent again because the peer was busy
 * @lost: requests that were not answered within a second
 * @window: requests that may be unanswered now
 * @event_threads: threads that handle events now
 */
struct rdma_pipeline_stats {
	uint64_t established;
	uint64_t failed;
	uint64_t accepted;
	uint64_t refused;
	uint64_t busy;
	uint64_t retries;
	uint64_t lost;
	uint32_t window;
	uint32_t event_threads;
	uint64_t reserved[4];
};

/**
 * rdma_pipeline_create() - Create a pipeline: its workers, their queues, a channel
 * @pipe: returns the pipeline, for rdma_pipeline_destroy(); NULL on failure
 * @attr: attributes; NULL: all defaults
 *
 * Return: 0; -EINVAL: an attribute is out of range; -ENODEV: librdmacm finds no RDMA device;
 * -ENOMEM, -EAGAIN, or an error of rdma_create_event_channel(3).
 */
int rdma_pipeline_create(struct rdma_pipeline **pipe, const struct rdma_pipeline_attr *attr);

/**
 * rdma_pipeline_params() - Add connections with their parameters
 * @pipe: pipeline
 * @params: of each connection; copied, with the addresses and the private data
 * @count: number of connections
 * @conns: returns the connections; NULL if they are not needed
 *
 * All are added, or none. They start with rdma_pipeline_connect().
 *
 * Return: 0; -EINVAL: a parameter is out of range; -ENOKEY: the ring has no key to sign with;
 * -ENOMEM.
 */
int rdma_pipeline_params(struct rdma_pipeline *pipe, const struct rdma_pipeline_param *params,
			 unsigned int count, struct rdma_pipeline_conn **conns);

/**
 * rdma_pipeline_connect() - Start all connections that were added, and do not wait
 * @pipe: pipeline
 *
 * Return: 0.
 */
int rdma_pipeline_connect(struct rdma_pipeline *pipe);

/**
 * rdma_pipeline_wait() - Wait until no connection is being set up
 * @pipe: pipeline
 * @timeout_ms: time to wait; negative: without end
 *
 * Connections of listeners do not count.
 *
 * Return: the number of connections that have failed and are not yet released; -ETIMEDOUT;
 * -EDEADLK in a callback.
 */
int rdma_pipeline_wait(struct rdma_pipeline *pipe, int timeout_ms);

/**
 * rdma_pipeline_cancel() - End the set-up of connections
 * @pipe: pipeline
 * @conn: the connection; NULL: all that are being set up
 *
 * They fail with the reason RDMA_PIPELINE_CANCELED. Connections that are up, or have failed,
 * do not change.
 */
void rdma_pipeline_cancel(struct rdma_pipeline *pipe, struct rdma_pipeline_conn *conn);

/**
 * rdma_pipeline_error() - Tell whether a connection is up, and otherwise why not
 * @conn: connection
 * @error: returns stage and reason; NULL if only the result is needed
 *
 * Return: 0: it is up, or was until its peer disconnected; -EINPROGRESS: it is being set up,
 * or not yet started; otherwise it has failed: -ETIMEDOUT, -ECANCELED, -ECONNREFUSED
 * (rejected, no listener, busy), -EACCES (refused, stale), -EHOSTUNREACH, -ECONNRESET,
 * -EPROTO, -ENODEV, or the error of a call.
 */
int rdma_pipeline_error(const struct rdma_pipeline_conn *conn, struct rdma_pipeline_error *error);

/**
 * rdma_pipeline_disconnect() - Disconnect and free connections
 * @pipe: pipeline
 * @conn: the connection; NULL: all, those being set up as well, but no listener
 *
 * Returns when they are gone with their queue pairs and identifiers, which takes at most a
 * second for peers that do not answer. The handles are invalid afterwards.
 *
 * Return: 0; -EDEADLK in a callback.
 */
int rdma_pipeline_disconnect(struct rdma_pipeline *pipe, struct rdma_pipeline_conn *conn);

/**
 * rdma_pipeline_destroy() - Disconnect everything, stop the threads, free the pipeline
 * @pipe: pipeline; may be NULL. No other thread may use it any more.
 *
 * Return: 0; -EDEADLK in a callback.
 */
int rdma_pipeline_destroy(struct rdma_pipeline *pipe);

/**
 * rdma_pipeline_fd() - Return a file descriptor that is readable while events are queued
 * @pipe: pipeline without a @notify
 *
 * The descriptor belongs to the pipeline: poll it, but do not read it.
 *
 * Return: the descriptor; -EINVAL: the pipeline has a @notify.
 */
int rdma_pipeline_fd(struct rdma_pipeline *pipe);

/**
 * rdma_pipeline_next() - Return the next event
 * @pipe: pipeline without a @notify
 * @event: returns the event
 *
 * Return: 0; -EAGAIN: none is queued.
 */
int rdma_pipeline_next(struct rdma_pipeline *pipe, struct rdma_pipeline_event *event);

/**
 * rdma_pipeline_listen() - Accept connections at a port, in parallel
 * @pipe: pipeline
 * @param: parameters
 * @listener: returns the listener, for rdma_pipeline_unlisten(); NULL on failure
 *
 * Each connection that is established is an event RDMA_PIPELINE_EVENT_UP. Those that fail
 * before are freed and only counted.
 *
 * Return: 0; -EINVAL: a parameter is out of range; -EADDRINUSE, or another error of
 * rdma_bind_addr(3) and rdma_listen(3); -ENOMEM.
 */
int rdma_pipeline_listen(struct rdma_pipeline *pipe, const struct rdma_pipeline_listen_param *param,
			 struct rdma_pipeline_listener **listener);

/**
 * rdma_pipeline_unlisten() - Stop to listen; accepted connections stay
 * @listener: may be NULL
 *
 * Return: 0; -EDEADLK in a callback.
 */
int rdma_pipeline_unlisten(struct rdma_pipeline_listener *listener);

/** rdma_pipeline_port() - Return the port that a listener listens at, in host order */
uint16_t rdma_pipeline_port(const struct rdma_pipeline_listener *listener);

/**
 * rdma_pipeline_id() - Return the identifier of a connection, with its queue pair
 * @conn: connection
 *
 * It belongs to the library, which handles its events and destroys it.
 *
 * Return: the identifier; NULL if the connection is not up, or was never.
 */
struct rdma_cm_id *rdma_pipeline_id(const struct rdma_pipeline_conn *conn);

/** rdma_pipeline_context() - Return the @context of the connection's parameters */
void *rdma_pipeline_context(const struct rdma_pipeline_conn *conn);

/**
 * rdma_pipeline_private_data() - Return the peer's private data
 * @conn: connection that is up
 * @len: returns the number of bytes; the CM pads them with zeros
 *
 * Return: the private data of the request, or of the answer to it; NULL if there was none.
 */
const void *rdma_pipeline_private_data(const struct rdma_pipeline_conn *conn, size_t *len);

/** rdma_pipeline_stats() - Read the counters of a pipeline */
void rdma_pipeline_stats(struct rdma_pipeline *pipe, struct rdma_pipeline_stats *stats);

/** rdma_pipeline_stage_name() - Return the name of a stage, for example "resolve_addr" */
const char *rdma_pipeline_stage_name(enum rdma_pipeline_stage stage);

/** rdma_pipeline_reason_name() - Return a reason in a few words */
const char *rdma_pipeline_reason_name(enum rdma_pipeline_reason reason);

/**
 * rdma_pipeline_message() - Return a message for the last failed call
 *
 * Return: one line without a newline; "" if no call of this thread has failed. The string
 * belongs to the thread and is valid until its next failing call.
 */
const char *rdma_pipeline_message(void);

/** enum rdma_pipeline_algorithm - Algorithms of the authentication */
enum rdma_pipeline_algorithm {
	RDMA_PIPELINE_HMAC_MD5 = 1,	/* version 1 only */
	RDMA_PIPELINE_HMAC_SHA1 = 2,	/* version 1 only */
	RDMA_PIPELINE_HMAC_SHA256 = 3,
};

/* Length of a key, in bytes */
#define RDMA_PIPELINE_KEY_MIN	16
#define RDMA_PIPELINE_KEY_MAX	64

/**
 * rdma_pipeline_keys_create() - Create an empty ring of keys
 * @keys: returns the ring; NULL on failure
 *
 * Return: 0; -ENOMEM.
 */
int rdma_pipeline_keys_create(struct rdma_pipeline_keys **keys);

/**
 * rdma_pipeline_keys_free() - Wipe and free a ring of keys
 * @keys: may be NULL; no pipeline may use it any more
 */
void rdma_pipeline_keys_free(struct rdma_pipeline_keys *keys);

/**
 * rdma_pipeline_key_add() - Add a key to a ring
 * @keys: ring
 * @id: identifier of the key, the same on both sides; not 0
 * @algorithm: the only one that the key is used with
 * @secret: the key; the library copies it, and wipes its copies
 * @len: RDMA_PIPELINE_KEY_MIN to RDMA_PIPELINE_KEY_MAX, in bytes
 *
 * The first key of a ring signs requests; rdma_pipeline_key_use() selects another. All keys
 * of a ring are accepted.
 *
 * Return: 0; -EEXIST: the ring has a key of this identifier; -ENOSPC: it has 16 keys;
 * -EOPNOTSUPP: GnuTLS refuses the algorithm; -EINVAL.
 */
int rdma_pipeline_key_add(struct rdma_pipeline_keys *keys, uint32_t id,
			  enum rdma_pipeline_algorithm algorithm, const void *secret, size_t len);

/**
 * rdma_pipeline_key_use() - Select the key that signs requests from now on
 * @keys: ring
 * @id: identifier of the key
 *
 * Return: 0; -ENOENT: the ring has no such key.
 */
int rdma_pipeline_key_use(struct rdma_pipeline_keys *keys, uint32_t id);

/**
 * rdma_pipeline_key_del() - Wipe a key and remove it from its ring
 * @keys: ring
 * @id: identifier of the key
 *
 * Requests that name it are refused from now on. After the key that signs, select another.
 *
 * Return: 0; -ENOENT: the ring has no such key.
 */
int rdma_pipeline_key_del(struct rdma_pipeline_keys *keys, uint32_t id);

#ifdef __cplusplus
}
#endif

#endif /* RDMA_PIPELINE_H */
