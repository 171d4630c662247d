// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the library on a stand-in for librdmacm: each is a statement of its behaviour.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include "checks.h"
#include "fake_cm.h"
#include "request.h"

#define MANY		1000
#define PORT		7000

static unsigned int rounds;	/* of tests with random orders */

static struct rdma_pipeline *pipeline(const struct rdma_pipeline_attr *attr)
{
	struct rdma_pipeline *pipe;

	must_work(rdma_pipeline_create(&pipe, attr));
	return pipe;
}

/* Add @count connections to a port. */
static void add(struct rdma_pipeline *pipe, uint16_t port, unsigned int count,
		struct rdma_pipeline_conn **conns)
{
	struct sockaddr_in dst = fake_addr(port);
	struct rdma_pipeline_param param = { .dst = (struct sockaddr *)&dst };

	for (; count; count--)
		must_work(rdma_pipeline_params(pipe, &param, 1, conns ? conns++ : NULL));
}

static struct rdma_pipeline_conn *add_one(struct rdma_pipeline *pipe, uint16_t port,
					  uint32_t timeout_ms)
{
	struct sockaddr_in dst = fake_addr(port);
	struct rdma_pipeline_param param = {
		.dst = (struct sockaddr *)&dst,
		.timeout_ms = timeout_ms,
	};
	struct rdma_pipeline_conn *conn;

	must_work(rdma_pipeline_params(pipe, &param, 1, &conn));
	return conn;
}

static unsigned int up(struct rdma_pipeline_conn **conns, unsigned int count)
{
	unsigned int n = 0;

	while (count--)
		n += !rdma_pipeline_error(conns[count], NULL);
	return n;
}

static bool ended_with(struct rdma_pipeline_conn *conn, enum rdma_pipeline_stage stage,
		       enum rdma_pipeline_reason reason)
{
	struct rdma_pipeline_error error;

	rdma_pipeline_error(conn, &error);
	if (error.stage == stage && error.reason == reason)
		return true;
	printf("# stage %s, reason %s, error %d, status %d\n",
	       rdma_pipeline_stage_name(error.stage), rdma_pipeline_reason_name(error.reason),
	       error.error, error.status);
	return false;
}

static struct rdma_pipeline_stats stats_of(struct rdma_pipeline *pipe)
{
	struct rdma_pipeline_stats stats;

	rdma_pipeline_stats(pipe, &stats);
	return stats;
}

static void test_many(void)
{
	static struct rdma_pipeline_conn *conns[MANY];
	struct rdma_pipeline *pipe;

	fake_reset();
	pipe = pipeline(NULL);
	add(pipe, FATE_FINE, MANY, conns);
	check(rdma_pipeline_error(conns[0], NULL) == -EINPROGRESS && !rdma_pipeline_id(conns[0]),
	      "a connection that was not started is in progress");
	must_work(rdma_pipeline_connect(pipe));
	check(rdma_pipeline_wait(pipe, -1) == 0, "a thousand connections can be waited for");
	check(up(conns, MANY) == MANY && stats_of(pipe).established == MANY, "all of them are up");
	check(rdma_pipeline_id(conns[0])->qp && rdma_pipeline_id(conns[0])->qp !=
	      rdma_pipeline_id(conns[1])->qp, "each has its queue pair");
	check(fake_read(&fake.pds) == 1 && fake_read(&fake.cqs) == 1,
	      "they share a protection domain and a completion queue");
	check(fake_read(&fake.most_unanswered) <= 256, "at most 256 requests are unanswered");
	rdma_pipeline_disconnect(pipe, conns[0]);
	check(fake_read(&fake.qps) == MANY - 1, "one of them can be disconnected");
	rdma_pipeline_disconnect(pipe, NULL);
	check(!fake_read(&fake.qps) && fake_read(&fake.disconnects) >= MANY,
	      "all can be disconnected");
	add(pipe, FATE_FINE, 2, NULL);
	rdma_pipeline_connect(pipe);
	check(rdma_pipeline_wait(pipe, -1) == 0, "the pipeline can be used again");
	rdma_pipeline_destroy(pipe);
	check(fake_is_clean(), "destroying it destroys all that it has created");
}

static const struct {
	enum fate fate;
	enum rdma_pipeline_stage stage;
	enum rdma_pipeline_reason reason;
	int err;
	const char *name;
} fates[] = {
	{ FATE_ADDR_FAILS, RDMA_PIPELINE_RESOLVE_ADDR, RDMA_PIPELINE_CALL, ENETUNREACH,
	  "rdma_resolve_addr() fails" },
	{ FATE_ADDR_ERROR, RDMA_PIPELINE_RESOLVE_ADDR, RDMA_PIPELINE_NO_ADDRESS, EHOSTUNREACH,
	  "the address cannot be resolved" },
	{ FATE_ROUTE_FAILS, RDMA_PIPELINE_RESOLVE_ROUTE, RDMA_PIPELINE_CALL, EINVAL,
	  "rdma_resolve_route() fails" },
	{ FATE_ROUTE_ERROR, RDMA_PIPELINE_RESOLVE_ROUTE, RDMA_PIPELINE_NO_ROUTE, EHOSTUNREACH,
	  "the route cannot be resolved" },
	{ FATE_QP_FAILS, RDMA_PIPELINE_CREATE_QP, RDMA_PIPELINE_CALL, ENOMEM,
	  "no queue pair can be created" },
	{ FATE_CONNECT_FAILS, RDMA_PIPELINE_CONNECT, RDMA_PIPELINE_CALL, EADDRNOTAVAIL,
	  "rdma_connect() fails" },
	{ FATE_CONNECT_ERROR, RDMA_PIPELINE_CONNECT, RDMA_PIPELINE_PROTOCOL, EPROTO,
	  "the answer cannot be used" },
	{ FATE_UNREACHABLE, RDMA_PIPELINE_CONNECT, RDMA_PIPELINE_UNREACHABLE, EHOSTUNREACH,
	  "the peer does not answer the CM" },
	{ FATE_REJECT, RDMA_PIPELINE_CONNECT, RDMA_PIPELINE_REJECTED, ECONNREFUSED,
	  "the peer rejects" },
	{ FATE_NO_LISTENER, RDMA_PIPELINE_CONNECT, RDMA_PIPELINE_NO_LISTENER, ECONNREFUSED,
	  "nothing listens" },
	{ FATE_REFUSE, RDMA_PIPELINE_CONNECT, RDMA_PIPELINE_REFUSED, EACCES,
	  "the peer finds the request not authentic" },
	{ FATE_STALE, RDMA_PIPELINE_CONNECT, RDMA_PIPELINE_STALE, EACCES,
	  "the peer finds the request too old" },
	{ FATE_KEY_FAILS, RDMA_PIPELINE_CONNECT, RDMA_PIPELINE_CALL, EACCES,
	  "the queue pair may not be moved" },
	{ FATE_RESET, RDMA_PIPELINE_CONNECT, RDMA_PIPELINE_RESET, ECONNRESET,
	  "the peer disconnects at once" },
	{ FATE_REMOVED, RDMA_PIPELINE_CONNECT, RDMA_PIPELINE_REMOVED, ENODEV,
	  "the device is removed" },
};

#define FATES	(sizeof(fates) / sizeof(fates[0]))

static void test_fates(void)
{
	struct rdma_pipeline_conn *conns[FATES], *fine[FATES];
	struct rdma_pipeline *pipe;
	unsigned int i;
	char name[120];

	fake_reset();
	pipe = pipeline(NULL);
	for (i = 0; i < FATES; i++) {
		add(pipe, fates[i].fate, 1, &conns[i]);
		add(pipe, FATE_FINE, 1, &fine[i]);
	}
	rdma_pipeline_connect(pipe);
	check(rdma_pipeline_wait(pipe, -1) == FATES, "the number of failed connections is returned");
	for (i = 0; i < FATES; i++) {
		snprintf(name, sizeof(name), "stage and reason are reported: %s", fates[i].name);
		check(ended_with(conns[i], fates[i].stage, fates[i].reason) &&
		      rdma_pipeline_error(conns[i], NULL) == -fates[i].err, name);
	}
	check(up(fine, FATES) == FATES, "connections beside those that fail are up");
	check(soon(fake_read(&fake.ids) == FATES + 1),
	      "a failed connection gives its identifier back at once");
	rdma_pipeline_disconnect(pipe, conns[0]);
	check(rdma_pipeline_wait(pipe, -1) == FATES - 1, "a failed connection can be released");
	rdma_pipeline_destroy(pipe);
	check(fake_is_clean(), "nothing is left of failed connections");
}

static void test_create_fails(void)
{
	struct rdma_pipeline_conn *conns[3];
	struct rdma_pipeline *pipe;

	fake_reset();
	fake.create_fails = 1;
	pipe = pipeline(NULL);
	add(pipe, FATE_FINE, 3, conns);
	rdma_pipeline_connect(pipe);
	check(rdma_pipeline_wait(pipe, -1) == 1 &&
	      ended_with(conns[0], RDMA_PIPELINE_CREATE_ID, RDMA_PIPELINE_CALL) &&
	      rdma_pipeline_error(conns[0], NULL) == -EMFILE, "rdma_create_id() may fail");
	rdma_pipeline_destroy(pipe);
	check(fake_is_clean(), "nothing is left after that");
}

/* Return whether a connection that gets no further than @stage is ended there. */
static bool deadline_ends(struct rdma_pipeline *pipe, enum fate fate,
			  enum rdma_pipeline_stage stage, uint32_t ms)
{
	struct rdma_pipeline_conn *conn = add_one(pipe, fate, ms);

	rdma_pipeline_connect(pipe);
	rdma_pipeline_wait(pipe, -1);
	return ended_with(conn, stage, RDMA_PIPELINE_TIMEOUT) &&
	       rdma_pipeline_error(conn, NULL) == -ETIMEDOUT;
}

static void test_deadlines(void)
{
	static const struct {
		enum fate fate;
		enum rdma_pipeline_stage stage;
	} silent[] = {
		{ FATE_ADDR_SILENT, RDMA_PIPELINE_RESOLVE_ADDR },
		{ FATE_ROUTE_SILENT, RDMA_PIPELINE_RESOLVE_ROUTE },
		{ FATE_SILENT, RDMA_PIPELINE_CONNECT },
	};
	unsigned int i, ms, fine = 0;
	struct rdma_pipeline *pipe;

	fake_reset();
	pipe = pipeline(NULL);
	for (i = 0; i < 3; i++)
		add_one(pipe, silent[i].fate, 20 + i);
	rdma_pipeline_connect(pipe);
	check(rdma_pipeline_wait(pipe, -1) == 3, "a deadline ends each stage");
	/* On a busy machine a short deadline may end an earlier stage */
	for (i = 0; i < 3; i++)
		for (ms = 20; ms < 20000; ms *= 2)
			if (deadline_ends(pipe, silent[i].fate, silent[i].stage, ms)) {
				fine++;
				break;
			}
	check(fine == 3, "the stage that the deadline ended is reported");
	add_one(pipe, FATE_SILENT, 60000);
	rdma_pipeline_connect(pipe);
	check(rdma_pipeline_wait(pipe, 5) == -ETIMEDOUT, "waiting has a limit of its own");
	rdma_pipeline_destroy(pipe);
	check(fake_is_clean(), "connections that wait are destroyed");
}

static void test_cancel(void)
{
	struct rdma_pipeline_conn *conns[20], *fine;
	struct rdma_pipeline *pipe;

	fake_reset();
	pipe = pipeline(NULL);
	add(pipe, FATE_SILENT, 10, conns);
	add(pipe, FATE_ADDR_SILENT, 10, conns + 10);
	fine = add_one(pipe, FATE_FINE, 0);
	rdma_pipeline_connect(pipe);
	check(soon(!rdma_pipeline_error(fine, NULL)) && soon(fake_read(&fake.requests) == 11),
	      "silent peers do not keep others from connecting");
	rdma_pipeline_cancel(pipe, conns[0]);
	check(ended_with(conns[0], RDMA_PIPELINE_CONNECT, RDMA_PIPELINE_CANCELED) &&
	      rdma_pipeline_error(conns[1], NULL) == -EINPROGRESS, "one can be canceled");
	rdma_pipeline_cancel(pipe, fine);
	rdma_pipeline_cancel(pipe, NULL);
	check(rdma_pipeline_wait(pipe, -1) == 20 &&
	      ended_with(conns[19], RDMA_PIPELINE_RESOLVE_ADDR, RDMA_PIPELINE_CANCELED),
	      "all can be canceled");
	check(!rdma_pipeline_error(fine, NULL), "connections that are up stay up");
	rdma_pipeline_destroy(pipe);
	check(fake_is_clean(), "nothing is left of canceled connections");
}

/* The pipeline is destroyed after a number of events, which come in random orders. */
static void test_destroy_in_the_middle(void)
{
	struct rdma_pipeline *pipe;
	unsigned int i, clean = 0;

	for (i = 0; i < rounds; i++) {
		fake_reset();
		fake.hold = true;
		pipe = pipeline(NULL);
		add(pipe, FATE_FINE, 20, NULL);
		add(pipe, FATE_STRANGE, 5, NULL);
		add(pipe, FATE_SILENT, 5, NULL);
		rdma_pipeline_connect(pipe);
		if (i % 2)
			usleep(i % 7 * 100);
		fake_deliver(i, i);
		if (i % 3)
			usleep(i % 5 * 100);
		fake_deliver(i, i);
		rdma_pipeline_destroy(pipe);
		clean += fake_is_clean();
	}
	check(clean == rounds, "a pipeline can be destroyed in the middle");
}

static void test_any_order(void)
{
	struct rdma_pipeline_conn *conns[60];
	struct rdma_pipeline *pipe;
	unsigned int i, fine = 0;

	for (i = 0; i < rounds; i++) {
		fake_reset();
		fake.hold = true;
		pipe = pipeline(NULL);
		add(pipe, FATE_FINE, 20, conns);
		add(pipe, FATE_TWICE, 20, conns + 20);
		add(pipe, FATE_STRANGE, 20, conns + 40);
		rdma_pipeline_connect(pipe);
		while (rdma_pipeline_wait(pipe, 0) == -ETIMEDOUT) {
			fake_deliver(1 + i % 9, i);
			usleep(10);
		}
		fine += up(conns, 60) == 60;
		rdma_pipeline_destroy(pipe);
	}
	check(fine == rounds, "events come in any order, twice, and beside strange ones");
	check(fake_is_clean(), "nothing is left of them");
}

/* Return whether a connection to a peer that stays busy is reported as busy at its deadline. */
static bool ends_busy(struct rdma_pipeline *pipe, uint32_t ms)
{
	struct rdma_pipeline_conn *conn = add_one(pipe, FATE_BUSY, ms);
	bool busy;

	rdma_pipeline_connect(pipe);
	busy = rdma_pipeline_wait(pipe, -1) == 1 &&
	       ended_with(conn, RDMA_PIPELINE_CREATE_ID, RDMA_PIPELINE_BUSY) |
	       ended_with(conn, RDMA_PIPELINE_CONNECT, RDMA_PIPELINE_BUSY);
	rdma_pipeline_disconnect(pipe, conn);
	return busy;
}

static void test_busy(void)
{
	struct rdma_pipeline_conn *conns[40];
	struct rdma_pipeline *pipe;
	bool busy = false;
	uint32_t ms;

	fake_reset();
	fake.busy = 100;
	pipe = pipeline(NULL);
	add(pipe, FATE_BUSY, 40, conns);
	rdma_pipeline_connect(pipe);
	check(rdma_pipeline_wait(pipe, -1) == 0 && up(conns, 40) == 40,
	      "connections to busy peers are tried again until they are up");
	check(stats_of(pipe).retries == 100, "these retries are counted");
	check(stats_of(pipe).window < 64, "the window shrinks while peers are busy");
	fake.busy = UINT32_MAX;
	/* On a busy machine a short deadline may come before the first answer */
	for (ms = 60; ms < 20000 && !busy; ms *= 2)
		busy = ends_busy(pipe, ms);
	check(busy, "a peer that stays busy until the deadline is reported as busy");
	rdma_pipeline_destroy(pipe);
	check(fake_is_clean(), "nothing is left of retries");
}

/* Requests that stay unanswered are lost after a second, and no longer fill the window. */
static void test_loss(void)
{
	struct rdma_pipeline_attr attr = { .window = 8 };
	struct rdma_pipeline_conn *conns[30];
	struct rdma_pipeline *pipe;

	fake_reset();
	pipe = pipeline(&attr);
	add(pipe, FATE_SILENT, 8, NULL);
	rdma_pipeline_connect(pipe);
	check(soon(stats_of(pipe).lost == 8) && stats_of(pipe).window == 4,
	      "unanswered requests are counted as lost, and shrink the window");
	add(pipe, FATE_SILENT, 4, NULL);
	add(pipe, FATE_FINE, 30, conns);
	rdma_pipeline_connect(pipe);
	check(soon(up(conns, 30) == 30), "silent peers do not fill the window for ever");
	rdma_pipeline_destroy(pipe);
	check(fake_is_clean(), "nothing is left of lost requests");
}

/*
 * Set up 50 connections with a window of 5 to a peer that answers every @us microseconds. Return
 * how many requests were unanswered at a time, without those that counted as lost.
 */
static unsigned int most_in_window(unsigned int us)
{
	struct rdma_pipeline_attr attr = { .window = 5 };
	struct rdma_pipeline *pipe;
	unsigned int most, lost;

	fake_reset();
	fake.hold = true;
	pipe = pipeline(&attr);
	add(pipe, FATE_FINE, 50, NULL);
	rdma_pipeline_connect(pipe);
	while (rdma_pipeline_wait(pipe, 0) == -ETIMEDOUT) {
		fake_deliver(3, 1);
		usleep(us);
	}
	most = fake_read(&fake.most_unanswered);
	lost = stats_of(pipe).lost;
	rdma_pipeline_destroy(pipe);
	return most > lost ? most - lost : 0;
}

static void test_window(void)
{
	unsigned int us, most = 0;

	/* On a busy machine the answers may be faster than the requests */
	for (us = 100; us < 100000 && most < 5; us *= 2)
		most = most_in_window(us);
	check(most == 5, "the window bounds the unanswered requests");
}

/* srnic waits for a key that is missing. */
static void test_keys(void)
{
	struct rdma_pipeline_conn *conns[103];
	struct rdma_pipeline *pipe;

	fake_reset();
	pipe = pipeline(NULL);
	add(pipe, FATE_KEY_MISSING, 3, conns);
	add(pipe, FATE_FINE, 100, conns + 3);
	rdma_pipeline_connect(pipe);
	check(soon(up(conns + 3, 100) == 100) &&
	      rdma_pipeline_error(conns[0], NULL) == -EINPROGRESS,
	      "connections that wait for keys keep no other from being established");
	fake_give_keys();
	check(rdma_pipeline_wait(pipe, -1) == 0 && up(conns, 103) == 103,
	      "they are established when the keys are there");
	check(fake_read(&fake.requests) == 103, "by one request each");
	rdma_pipeline_destroy(pipe);
	check(fake_is_clean(), "nothing is left of them");
}

static void test_closed_by_peer(void)
{
	struct rdma_pipeline_event event;
	struct rdma_pipeline_conn *conn;
	struct rdma_pipeline *pipe;
	struct pollfd fd;

	fake_reset();
	pipe = pipeline(NULL);
	fd = (struct pollfd){ .fd = rdma_pipeline_fd(pipe), .events = POLLIN };
	check(!poll(&fd, 1, 0) && failed(rdma_pipeline_next(pipe, &event), EAGAIN, "no event"),
	      "the descriptor is not readable without events");
	conn = add_one(pipe, FATE_CLOSE, 0);
	rdma_pipeline_connect(pipe);
	check(poll(&fd, 1, -1) == 1 && !rdma_pipeline_next(pipe, &event) &&
	      event.type == RDMA_PIPELINE_EVENT_UP && event.conn == conn && !event.listener,
	      "the descriptor is readable when a connection is up");
	check(poll(&fd, 1, -1) == 1 && !rdma_pipeline_next(pipe, &event) &&
	      event.type == RDMA_PIPELINE_EVENT_CLOSED && event.conn == conn,
	      "and when the peer has disconnected it");
	check(!poll(&fd, 1, 0), "it is not readable after that");
	check(!rdma_pipeline_error(conn, NULL), "such a connection has not failed");
	check(soon(fake_read(&fake.disconnects) == 1), "the peer's disconnection is answered");
	rdma_pipeline_destroy(pipe);
	check(fake_is_clean(), "nothing is left of it");
}

static void test_peer_never_parts(void)
{
	struct rdma_pipeline *pipe;

	fake_reset();
	pipe = pipeline(NULL);
	add(pipe, FATE_NEVER_PARTS, 3, NULL);
	rdma_pipeline_connect(pipe);
	rdma_pipeline_wait(pipe, -1);
	rdma_pipeline_destroy(pipe);
	check(fake_is_clean(), "a peer that does not answer a disconnection does not block");
}

struct seen {
	struct rdma_pipeline *pipe;
	pthread_mutex_t lock;
	unsigned int up, failed, closed, deadlocks;
};

static void notify(const struct rdma_pipeline_event *event, void *context)
{
	struct seen *seen = context;

	pthread_mutex_lock(&seen->lock);
	seen->up += event->type == RDMA_PIPELINE_EVENT_UP;
	seen->failed += event->type == RDMA_PIPELINE_EVENT_FAILED;
	seen->closed += event->type == RDMA_PIPELINE_EVENT_CLOSED;
	if (seen->pipe)
		seen->deadlocks += rdma_pipeline_destroy(seen->pipe) == -EDEADLK &&
			rdma_pipeline_disconnect(seen->pipe, event->conn) == -EDEADLK &&
			rdma_pipeline_wait(seen->pipe, -1) == -EDEADLK;
	pthread_mutex_unlock(&seen->lock);
}

static unsigned int read_seen(struct seen *seen, const unsigned int *member)
{
	unsigned int value;

	pthread_mutex_lock(&seen->lock);
	value = *member;
	pthread_mutex_unlock(&seen->lock);
	return value;
}

static void test_callback(void)
{
	struct seen seen = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct rdma_pipeline_attr attr = { .notify = notify, .context = &seen };
	struct rdma_pipeline_event event;
	struct rdma_pipeline *pipe;

	fake_reset();
	pipe = pipeline(&attr);
	seen.pipe = pipe;
	check(failed(rdma_pipeline_fd(pipe), EINVAL, "callback") &&
	      failed(rdma_pipeline_next(pipe, &event), EINVAL, "callback"),
	      "events go to the callback or to the queue");
	add(pipe, FATE_FINE, 50, NULL);
	add(pipe, FATE_CLOSE, 50, NULL);
	add(pipe, FATE_REJECT, 50, NULL);
	rdma_pipeline_connect(pipe);
	check(soon(read_seen(&seen, &seen.up) == 100) &&
	      soon(read_seen(&seen, &seen.closed) == 50) &&
	      soon(read_seen(&seen, &seen.failed) == 50), "each event is a call");
	check(read_seen(&seen, &seen.deadlocks) == 200,
	      "calls that would wait for the callback are refused in it");
	rdma_pipeline_destroy(pipe);
	check(fake_is_clean(), "nothing is left after callbacks");
}

static void test_threads_adapt(void)
{
	struct rdma_pipeline_attr attr = { .event_threads = 4 };
	struct rdma_pipeline *pipe;

	fake_reset();
	pipe = pipeline(&attr);
	add(pipe, FATE_ADDR_SILENT, 300, NULL);
	rdma_pipeline_connect(pipe);
	check(stats_of(pipe).event_threads >= 1, "there is a thread for events");
	check(soon(stats_of(pipe).event_threads == 4), "many connections get more of them");
	rdma_pipeline_disconnect(pipe, NULL);
	check(soon(stats_of(pipe).event_threads == 1), "they end when they are no longer needed");
	add(pipe, FATE_FINE, 300, NULL);
	rdma_pipeline_connect(pipe);
	check(rdma_pipeline_wait(pipe, -1) == 0, "and come again");
	rdma_pipeline_destroy(pipe);
	check(fake_is_clean(), "no channel is left");
}

static struct rdma_pipeline_param fine_param(void)
{
	static struct sockaddr_in dst;

	dst = fake_addr(FATE_FINE);
	return (struct rdma_pipeline_param){ .dst = (struct sockaddr *)&dst };
}

static int try_param(struct rdma_pipeline *pipe, struct rdma_pipeline_param param)
{
	return rdma_pipeline_params(pipe, &param, 1, NULL);
}

static void test_params(void)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	struct sockaddr odd = { .sa_family = AF_UNIX };
	struct rdma_pipeline_param param, two[2];
	struct rdma_pipeline_keys *keys;
	struct rdma_pipeline *pipe;

	fake_reset();
	pipe = pipeline(NULL);
	rdma_pipeline_keys_create(&keys);
#define refused(member, value, err, says, name)						\
	(param = fine_param(), param.member = (value),					\
	 check(failed(try_param(pipe, param), err, says), "parameters are checked: " name))
	refused(dst, NULL, EINVAL, "dst is NULL", "no destination");
	refused(dst, &odd, EINVAL, "family", "family of the destination");
	refused(src, &odd, EINVAL, "family", "family of the source");
	refused(src, (struct sockaddr *)&six, EINVAL, "different families", "one family");
	refused(qp.qp_type, IBV_QPT_UD, EINVAL, "IBV_QPT_RC", "type of the queue pair");
	refused(private_data_len, 57, EINVAL, "57", "length of the private data");
	refused(private_data_len, 5, EINVAL, "NULL", "private data without its bytes");
	refused(retry_count, 8, EINVAL, "7", "retries");
	refused(rnr_retry_count, 8, EINVAL, "7", "retries while the receiver is not ready");
	refused(version, 3, EINVAL, "version 3", "version of the authentication");
	refused(timeout_ms, UINT32_MAX, EINVAL, "2^31", "time");
	refused(reserved[3], 1, EINVAL, "reserved", "reserved members");
	refused(keys, keys, ENOKEY, "no key", "a ring without a key");
#undef refused
	two[0] = fine_param();
	two[1] = fine_param();
	two[1].dst = NULL;
	check(failed(rdma_pipeline_params(pipe, two, 2, NULL), EINVAL, "dst"),
	      "all connections are added or none");
	rdma_pipeline_connect(pipe);
	check(rdma_pipeline_wait(pipe, -1) == 0 && !stats_of(pipe).established, "none was added");
	rdma_pipeline_destroy(pipe);
	rdma_pipeline_keys_free(keys);
}

static void test_attributes(void)
{
	struct rdma_pipeline_attr attr = { .event_threads = 65 };
	struct rdma_pipeline *pipe = (void *)1;
	struct rdma_pipeline_conn *conn;

	fake_reset();
	check(failed(rdma_pipeline_create(&pipe, &attr), EINVAL, "65") && !pipe,
	      "attributes are checked");
	attr = (struct rdma_pipeline_attr){ .reserved[6] = 1 };
	check(failed(rdma_pipeline_create(&pipe, &attr), EINVAL, "reserved"),
	      "reserved attributes must be 0");
	fake.no_device = true;
	check(failed(rdma_pipeline_create(&pipe, NULL), ENODEV, "rdma_ucm") && !pipe,
	      "a pipeline needs the CM");
	check(!rdma_pipeline_destroy(NULL), "no pipeline can be destroyed");
	fake_reset();
	attr = (struct rdma_pipeline_attr){ .srq_wr = 10, .cqe = 5 };
	pipe = pipeline(&attr);
	conn = add_one(pipe, FATE_FINE, 0);
	rdma_pipeline_connect(pipe);
	rdma_pipeline_wait(pipe, -1);
	check(fake_read(&fake.srqs) == 1 && rdma_pipeline_id(conn)->qp->srq,
	      "connections share a receive queue, if it was asked for");
	rdma_pipeline_destroy(pipe);
	check(fake_is_clean(), "the shared resources are destroyed");
}

static void *use_pipeline(void *arg)
{
	struct rdma_pipeline *pipe = arg;
	struct rdma_pipeline_conn *conn;
	struct rdma_pipeline_error error;
	unsigned int i;

	for (i = 0; i < rounds; i++) {
		conn = add_one(pipe, i % 3 ? FATE_FINE : i % 2 ? FATE_SILENT : FATE_REJECT, 0);
		rdma_pipeline_connect(pipe);
		rdma_pipeline_wait(pipe, i % 2);
		rdma_pipeline_error(conn, &error);
		stats_of(pipe);
		if (i % 4)
			rdma_pipeline_cancel(pipe, conn);
		rdma_pipeline_disconnect(pipe, conn);
	}
	return NULL;
}

static void test_many_threads(void)
{
	struct rdma_pipeline *pipe;
	pthread_t threads[4];
	unsigned int i;

	fake_reset();
	pipe = pipeline(NULL);
	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, use_pipeline, pipe);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	rdma_pipeline_destroy(pipe);
	check(fake_is_clean(), "many threads use one pipeline");
}

/* The address sanitizer takes frames that a canceled thread has left for live ones. */
#ifdef __SANITIZE_ADDRESS__
#define CAN_UNWIND	false
#elif defined(__has_feature)
#define CAN_UNWIND	(!__has_feature(address_sanitizer))
#else
#define CAN_UNWIND	true
#endif

static void *wait_for_ever(void *pipe)
{
	rdma_pipeline_wait(pipe, -1);
	return NULL;
}

/* These are canceled before they call the library, and act on it when they are back. */
static void *take_event_canceled(void *pipe)
{
	struct rdma_pipeline_event event;

	pthread_cancel(pthread_self());
	rdma_pipeline_next(pipe, &event);
	pthread_testcancel();
	return NULL;
}

static void *cancel_canceled(void *pipe)
{
	pthread_cancel(pthread_self());
	rdma_pipeline_cancel(pipe, NULL);
	pthread_testcancel();
	return NULL;
}

static void *disconnect_canceled(void *pipe)
{
	pthread_cancel(pthread_self());
	rdma_pipeline_disconnect(pipe, NULL);
	pthread_testcancel();
	return NULL;
}

static void *ask(void *pipe)
{
	stats_of(pipe);
	return pipe;
}

/* Return whether a thread ends in a minute. */
static bool ends(pthread_t thread, void **result)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	return !pthread_timedjoin_np(thread, result, &until);
}

static bool leaves_pipeline(void *(*run)(void *pipe))
{
	struct rdma_pipeline *pipe;
	pthread_t thread;
	void *result;
	bool fine;

	fake_reset();
	pipe = pipeline(NULL);
	add(pipe, FATE_SILENT, 1, NULL);
	rdma_pipeline_connect(pipe);
	soon(fake_read(&fake.requests) == 1);
	pthread_create(&thread, NULL, run, pipe);
	usleep(1000);
	pthread_cancel(thread);
	fine = ends(thread, &result) && result == PTHREAD_CANCELED;
	pthread_create(&thread, NULL, ask, pipe);
	fine = ends(thread, &result) && fine;
	/* else it could not be destroyed */
	if (fine)
		rdma_pipeline_destroy(pipe);
	return fine && fake_is_clean();
}

static void test_canceled_threads(void)
{
	if (!CAN_UNWIND)
		return;
	check(leaves_pipeline(wait_for_ever),
	      "a thread that waits can be canceled, and others go on");
	check(leaves_pipeline(take_event_canceled), "one that takes an event is canceled after that");
	check(leaves_pipeline(cancel_canceled), "so is one that cancels connections");
	check(leaves_pipeline(disconnect_canceled),
	      "so is one that disconnects, when that is done");
}

/* Tell whether a thread blocks the signals that programs care about most. */
static bool blocks_signals(const char *task)
{
	unsigned long long blocked = 0;
	char path[300], line[128];
	FILE *status;

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", task);
	status = fopen(path, "r");
	while (status && fgets(line, sizeof(line), status))
		sscanf(line, "SigBlk: %llx", &blocked);
	if (status)
		fclose(status);
	return blocked >> (SIGTERM - 1) & blocked >> (SIGINT - 1) & blocked >> (SIGPIPE - 1) & 1;
}

static void test_signals(void)
{
	struct seen seen = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct rdma_pipeline_attr attr = { .notify = notify, .context = &seen };
	struct rdma_pipeline *pipe;
	unsigned int threads = 0, blocking = 0;
	struct dirent *task;
	DIR *tasks;

	fake_reset();
	pipe = pipeline(&attr);
	add(pipe, FATE_FINE, 10, NULL);
	rdma_pipeline_connect(pipe);
	rdma_pipeline_wait(pipe, -1);
	tasks = opendir("/proc/self/task");
	while (tasks && (task = readdir(tasks))) {
		if (*task->d_name == '.' || atoi(task->d_name) == getpid())
			continue;
		threads++;
		blocking += blocks_signals(task->d_name);
	}
	if (tasks)
		closedir(tasks);
	check(threads > 5 && blocking == threads, "the library's threads take no signals");
	rdma_pipeline_destroy(pipe);
}

static void test_names(void)
{
	unsigned int i;
	bool fine = true;

	for (i = 0; i <= RDMA_PIPELINE_ESTABLISHED; i++)
		fine &= strcmp(rdma_pipeline_stage_name(i), "unknown") != 0;
	for (i = 0; i <= RDMA_PIPELINE_REMOVED; i++)
		fine &= strcmp(rdma_pipeline_reason_name(i), "unknown") != 0;
	check(fine, "all stages and reasons have names");
	check(!strcmp(rdma_pipeline_stage_name(99), "unknown") &&
	      !strcmp(rdma_pipeline_reason_name(99), "unknown"), "others are unknown");
}

int main(void)
{
	const char *given = getenv("PIPELINE_TEST_ROUNDS");

	rounds = given ? atoi(given) : 200;
	test_names();
	test_attributes();
	test_params();
	test_many();
	test_fates();
	test_create_fails();
	test_deadlines();
	test_cancel();
	test_window();
	test_busy();
	test_loss();
	test_keys();
	test_closed_by_peer();
	test_peer_never_parts();
	test_callback();
	test_threads_adapt();
	test_any_order();
	test_destroy_in_the_middle();
	test_many_threads();
	test_canceled_threads();
	test_signals();
	return summary();
}
