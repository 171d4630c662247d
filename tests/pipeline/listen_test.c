// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of listeners and of the authentication, on the stand-in for librdmacm: client and
 * server are two pipelines of this process.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include "checks.h"
#include "fake_cm.h"
#include "request.h"

#define PORT		7000
#define KEY		"0123456789abcdef0123456789abcdef"
#define OTHER_KEY	"another key, of thirty-two bytes"

struct bed {
	struct rdma_pipeline *client, *server;
	struct rdma_pipeline_listener *listener;
	struct rdma_pipeline_keys *keys, *client_keys;
	struct rdma_pipeline_listen_param param;
	uint32_t timeout_ms;	/* of requests; 0: the library's default */
	pthread_mutex_t lock;
	unsigned int reported;
	char reason[16];
	uint32_t key_id, qpn, psn;
};

static unsigned int rounds;

/* It runs in a thread of the server. */
static void report(const struct rdma_pipeline_illegal *access, void *context)
{
	struct bed *bed = context;

	pthread_mutex_lock(&bed->lock);
	bed->reported++;
	snprintf(bed->reason, sizeof(bed->reason), "%s", access->reason);
	bed->key_id = access->key_id;
	bed->qpn = access->qpn;
	bed->psn = access->psn;
	pthread_mutex_unlock(&bed->lock);
}

static void start_bed(struct bed *bed)
{
	fake_reset();
	memset(bed, 0, sizeof(*bed));
	pthread_mutex_init(&bed->lock, NULL);
	must_work(rdma_pipeline_create(&bed->client, NULL));
	must_work(rdma_pipeline_create(&bed->server, NULL));
	must_work(rdma_pipeline_keys_create(&bed->keys));
	must_work(rdma_pipeline_keys_create(&bed->client_keys));
	bed->param.illegal = report;
	bed->param.illegal_context = bed;
}

static void listen_at(struct bed *bed, struct rdma_pipeline_keys *keys, uint8_t version)
{
	struct sockaddr_in addr = fake_addr(PORT);

	bed->param.conn.dst = (struct sockaddr *)&addr;
	bed->param.conn.keys = keys;
	bed->param.conn.version = version;
	must_work(rdma_pipeline_listen(bed->server, &bed->param, &bed->listener));
}

/* Both sides have a key of that identifier, and requests are of that version. */
static void share_key(struct bed *bed, enum rdma_pipeline_algorithm algorithm, uint8_t version)
{
	must_work(rdma_pipeline_key_add(bed->keys, 5, algorithm, KEY, 32));
	must_work(rdma_pipeline_key_add(bed->client_keys, 5, algorithm, KEY, 32));
	listen_at(bed, bed->keys, version);
}

static void end_bed(struct bed *bed, const char *name)
{
	rdma_pipeline_destroy(bed->client);
	rdma_pipeline_destroy(bed->server);
	rdma_pipeline_keys_free(bed->keys);
	rdma_pipeline_keys_free(bed->client_keys);
	pthread_mutex_destroy(&bed->lock);
	check(fake_is_clean(), name);
}

static struct rdma_pipeline_conn *request(struct bed *bed, struct rdma_pipeline_keys *keys,
					  uint8_t version)
{
	struct sockaddr_in dst = fake_addr(PORT);
	struct rdma_pipeline_param param = {
		.dst = (struct sockaddr *)&dst,
		.keys = keys,
		.version = version,
		.timeout_ms = bed->timeout_ms,
	};
	struct rdma_pipeline_conn *conn;

	must_work(rdma_pipeline_params(bed->client, &param, 1, &conn));
	rdma_pipeline_connect(bed->client);
	return conn;
}

static int outcome(struct bed *bed, struct rdma_pipeline_keys *keys, uint8_t version)
{
	struct rdma_pipeline_conn *conn = request(bed, keys, version);

	rdma_pipeline_wait(bed->client, -1);
	return rdma_pipeline_error(conn, NULL);
}

static bool reported(struct bed *bed, unsigned int count, const char *reason)
{
	unsigned int found;
	bool same;

	pthread_mutex_lock(&bed->lock);
	found = bed->reported;
	same = !strcmp(bed->reason, reason);
	pthread_mutex_unlock(&bed->lock);
	return found == count && same;
}

static struct rdma_pipeline_stats stats_of(struct rdma_pipeline *pipe)
{
	struct rdma_pipeline_stats stats;

	rdma_pipeline_stats(pipe, &stats);
	return stats;
}

static unsigned int drain(struct bed *bed, enum rdma_pipeline_event_type type)
{
	struct rdma_pipeline_event event;
	unsigned int count = 0;

	while (!rdma_pipeline_next(bed->server, &event))
		count += event.type == type && event.listener == bed->listener;
	return count;
}

static void test_accept(void)
{
	unsigned int i, up = 0, closed = 0;
	struct bed bed;

	start_bed(&bed);
	listen_at(&bed, NULL, 0);
	check(rdma_pipeline_port(bed.listener) == PORT, "a listener knows its port");
	for (i = 0; i < 500; i++)
		request(&bed, NULL, 0);
	check(rdma_pipeline_wait(bed.client, -1) == 0, "500 connections are accepted");
	check(soon((up += drain(&bed, RDMA_PIPELINE_EVENT_UP)) == 500) &&
	      stats_of(bed.server).accepted == 500, "each is an event of the listener");
	must_work(rdma_pipeline_unlisten(bed.listener));
	check(stats_of(bed.server).accepted == 500 && fake_read(&fake.qps) == 1000,
	      "accepted connections stay when the listener goes");
	check(outcome(&bed, NULL, 0) == 0, "the port is free then");
	rdma_pipeline_disconnect(bed.client, NULL);
	check(soon((closed += drain(&bed, RDMA_PIPELINE_EVENT_CLOSED)) == 500),
	      "the server sees that they are closed");
	rdma_pipeline_disconnect(bed.server, NULL);
	check(!fake_read(&fake.qps), "and can release them");
	end_bed(&bed, "nothing is left of accepted connections");
}

static void test_data(void)
{
	struct sockaddr_in dst = fake_addr(PORT);
	struct rdma_pipeline_param param = {
		.dst = (struct sockaddr *)&dst,
		.private_data = "question",
		.private_data_len = 8,
		.context = &dst,
	};
	struct rdma_pipeline_event event;
	struct rdma_pipeline_conn *conn;
	struct bed bed;
	size_t len;

	start_bed(&bed);
	bed.param.conn.private_data = "answer";
	bed.param.conn.private_data_len = 6;
	bed.param.conn.context = &bed;
	listen_at(&bed, NULL, 0);
	must_work(rdma_pipeline_params(bed.client, &param, 1, &conn));
	rdma_pipeline_connect(bed.client);
	rdma_pipeline_wait(bed.client, -1);
	check(!memcmp(rdma_pipeline_private_data(conn, &len), "answer", 7) && len == 56 &&
	      rdma_pipeline_context(conn) == &dst, "the client has the server's private data");
	while (rdma_pipeline_next(bed.server, &event))
		usleep(100);
	check(!memcmp(rdma_pipeline_private_data(event.conn, &len), "question", 9) && len == 56 &&
	      rdma_pipeline_context(event.conn) == &bed, "the server has the client's");
	end_bed(&bed, "nothing is left of it");
}

static void test_backlog(void)
{
	unsigned int i;
	struct bed bed;

	start_bed(&bed);
	bed.timeout_ms = 600000;	/* the machine may be busy */
	bed.param.conn.timeout_ms = bed.timeout_ms;
	bed.param.backlog = 1;
	listen_at(&bed, NULL, 0);
	for (i = 0; i < 200; i++)
		request(&bed, NULL, 0);
	check(rdma_pipeline_wait(bed.client, -1) == 0,
	      "a full backlog delays requests, but all are accepted");
	check(stats_of(bed.server).busy == stats_of(bed.client).retries,
	      "each request beyond the backlog was told so");
	rdma_pipeline_unlisten(bed.listener);
	fake.mute = true;
	bed.param.backlog = 2;
	listen_at(&bed, NULL, 0);
	for (i = 0; i < 5; i++)
		fake_request(PORT, NULL, 0, i, i);
	check(soon(fake_read(&fake.rejects) == stats_of(bed.client).retries + 3),
	      "no more connections are set up at once than the backlog says");
	end_bed(&bed, "nothing is left of a full backlog");
}

static void test_listen_params(void)
{
	struct sockaddr_in addr = fake_addr(PORT);
	struct rdma_pipeline_listen_param param = { .conn.dst = (struct sockaddr *)&addr };
	struct rdma_pipeline_listener *listener = (void *)1;
	struct bed bed;

	start_bed(&bed);
#define refused(member, value, says, name) do {						\
	struct rdma_pipeline_listen_param bad = param;					\
											\
	bad.member = (value);								\
	check(failed(rdma_pipeline_listen(bed.server, &bad, &listener), EINVAL, says) &&	\
	      !listener, "parameters of a listener are checked: " name);		\
} while (0)
	refused(backlog, 1025, "1024", "backlog");
	refused(skew_s, 90000, "86400", "clocks");
	refused(refusal, 2, "refusal", "refusal");
	refused(illegal_fd, -1, "illegal_fd", "descriptor of the log");
	refused(reserved[0], 1, "reserved", "reserved members");
	refused(conn.dst, NULL, "dst", "address");
#undef refused
	fake.listen_fails = true;
	check(failed(rdma_pipeline_listen(bed.server, &param, &listener), EADDRINUSE, "listen") &&
	      !listener, "a port may be in use");
	check(!rdma_pipeline_unlisten(NULL), "no listener can stop to listen");
	end_bed(&bed, "nothing is left of refused listeners");
}

/* The server, or the client, is destroyed in the middle. */
static void test_destroy_in_the_middle(void)
{
	unsigned int i, j, clean = 0;
	struct bed bed;

	for (i = 0; i < rounds; i++) {
		start_bed(&bed);
		bed.param.refusal = i % 2 ? RDMA_PIPELINE_SILENCE : RDMA_PIPELINE_REJECT;
		must_work(rdma_pipeline_key_add(bed.keys, 5, 3, KEY, 32));
		must_work(rdma_pipeline_key_add(bed.client_keys, 5, 3, KEY, 32));
		listen_at(&bed, bed.keys, 0);
		for (j = 0; j < 20; j++)
			request(&bed, j % 4 ? bed.client_keys : NULL, 2);
		usleep(i % 50 * 20);
		if (i % 3 == 0)
			rdma_pipeline_unlisten(bed.listener);
		if (i % 3 == 1)
			rdma_pipeline_destroy(bed.server);
		if (i % 3 == 2)
			rdma_pipeline_disconnect(bed.client, NULL);
		rdma_pipeline_destroy(bed.client);
		if (i % 3 != 1)
			rdma_pipeline_destroy(bed.server);
		rdma_pipeline_keys_free(bed.keys);
		rdma_pipeline_keys_free(bed.client_keys);
		clean += fake_is_clean();
	}
	check(clean == rounds, "listener, server or client can be destroyed in the middle");
}

static void test_versions(void)
{
	static const struct {
		enum rdma_pipeline_algorithm algorithm;
		uint8_t version;
		const char *name;
	} ways[] = {
		{ RDMA_PIPELINE_HMAC_MD5, 1, "version 1 by MD5" },
		{ RDMA_PIPELINE_HMAC_SHA1, 1, "version 1 by SHA1" },
		{ RDMA_PIPELINE_HMAC_SHA256, 1, "version 1 by SHA256" },
		{ RDMA_PIPELINE_HMAC_SHA256, 2, "version 2" },
	};
	unsigned int i;
	char name[80];
	struct bed bed;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		start_bed(&bed);
		share_key(&bed, ways[i].algorithm, ways[i].version);
		snprintf(name, sizeof(name), "authentic requests are accepted: %s", ways[i].name);
		check(outcome(&bed, bed.client_keys, ways[i].version) == 0, name);
		end_bed(&bed, "nothing is left of it");
	}
}

static void test_refused(void)
{
	struct rdma_pipeline_keys *wrong, *unknown;
	struct bed bed;

	start_bed(&bed);
	share_key(&bed, RDMA_PIPELINE_HMAC_SHA256, 2);
	must_work(rdma_pipeline_keys_create(&wrong));
	must_work(rdma_pipeline_key_add(wrong, 5, RDMA_PIPELINE_HMAC_SHA256, OTHER_KEY, 32));
	must_work(rdma_pipeline_keys_create(&unknown));
	must_work(rdma_pipeline_key_add(unknown, 6, RDMA_PIPELINE_HMAC_SHA256, KEY, 32));
	check(outcome(&bed, NULL, 0) == -EACCES && reported(&bed, 1, "missing"),
	      "requests without authentication are refused and logged");
	check(outcome(&bed, wrong, 2) == -EACCES && reported(&bed, 2, "mac"),
	      "requests with another key are refused and logged");
	check(bed.key_id == 5 && bed.qpn == fake.last_qpn && bed.psn == fake.last_psn,
	      "the log has key, QP number and PSN");
	check(outcome(&bed, unknown, 2) == -EACCES && reported(&bed, 3, "key"),
	      "requests that name an unknown key are refused and logged");
	check(outcome(&bed, bed.client_keys, 1) == -EACCES && reported(&bed, 4, "version"),
	      "requests of a lower version are refused and logged");
	check(soon(!fake_read(&fake.qps)) && stats_of(bed.server).refused == 4,
	      "no queue pair is made for them");
	check(outcome(&bed, bed.client_keys, 2) == 0, "authentic ones are accepted beside them");
	rdma_pipeline_destroy(bed.client);
	bed.client = NULL;
	rdma_pipeline_keys_free(wrong);
	rdma_pipeline_keys_free(unknown);
	end_bed(&bed, "nothing is left of refused requests");
}

static void test_algorithms_do_not_mix(void)
{
	struct bed bed;

	start_bed(&bed);
	must_work(rdma_pipeline_key_add(bed.keys, 5, RDMA_PIPELINE_HMAC_SHA256, KEY, 32));
	must_work(rdma_pipeline_key_add(bed.client_keys, 5, RDMA_PIPELINE_HMAC_MD5, KEY, 32));
	listen_at(&bed, bed.keys, 1);
	check(outcome(&bed, bed.client_keys, 1) == -EACCES && reported(&bed, 1, "algorithm"),
	      "a key is used with its algorithm only");
	end_bed(&bed, "nothing is left of it");
}

/* Requests that a wire has seen: again, for another QP, and changed in each byte */
static void test_replay(void)
{
	unsigned int i, before;
	uint8_t data[REQUEST_LEN];
	struct bed bed;

	start_bed(&bed);
	share_key(&bed, RDMA_PIPELINE_HMAC_SHA256, 2);
	must_work(outcome(&bed, bed.client_keys, 2));
	memcpy(data, fake.last_data, sizeof(data));
	fake_request(PORT, data, sizeof(data), fake.last_qpn, fake.last_psn);
	check(soon(reported(&bed, 1, "replay")), "a replayed request is refused and logged");
	fake_request(PORT, data, sizeof(data), fake.last_qpn ^ 1, fake.last_psn);
	check(soon(reported(&bed, 2, "mac")), "a replay for another queue pair is refused");
	fake_request(PORT, data, sizeof(data), fake.last_qpn, fake.last_psn ^ 1);
	check(soon(reported(&bed, 3, "mac")), "a replay with another PSN is refused");
	for (i = 0; i < REQUEST_LEN; i++) {
		data[i] ^= 0x40;
		fake_request(PORT, data, sizeof(data), fake.last_qpn, fake.last_psn);
		data[i] ^= 0x40;
	}
	before = stats_of(bed.server).accepted;
	check(soon(stats_of(bed.server).refused == 3 + REQUEST_LEN) && before == 1 &&
	      stats_of(bed.server).accepted == 1, "a change of any byte is noticed");
	end_bed(&bed, "nothing is left of replays");
}

/* Version 1 is as in the paper: it has no defence. */
static void test_replay_v1(void)
{
	struct bed bed;

	start_bed(&bed);
	share_key(&bed, RDMA_PIPELINE_HMAC_SHA256, 1);
	must_work(outcome(&bed, bed.client_keys, 1));
	fake_request(PORT, fake.last_data, REQUEST_LEN, fake.last_qpn, fake.last_psn);
	check(soon(stats_of(bed.server).accepted == 2), "version 1 accepts a replay");
	end_bed(&bed, "nothing is left of it");
}

static void test_silence(void)
{
	struct rdma_pipeline_conn *conn;
	struct bed bed;

	start_bed(&bed);
	bed.param.refusal = RDMA_PIPELINE_SILENCE;
	share_key(&bed, RDMA_PIPELINE_HMAC_SHA256, 2);
	conn = request(&bed, NULL, 0);
	check(soon(reported(&bed, 1, "missing")) && soon(stats_of(bed.server).refused == 1) &&
	      rdma_pipeline_error(conn, NULL) == -EINPROGRESS && !fake_read(&fake.rejects),
	      "in silence, a refused request gets no answer");
	request(&bed, bed.client_keys, 2);
	check(soon(stats_of(bed.server).accepted == 1), "authentic ones do");
	end_bed(&bed, "nothing is left of silence");
}

static void test_rotation(void)
{
	struct bed bed;

	start_bed(&bed);
	share_key(&bed, RDMA_PIPELINE_HMAC_SHA256, 2);
	must_work(rdma_pipeline_key_add(bed.keys, 6, RDMA_PIPELINE_HMAC_SHA256, OTHER_KEY, 32));
	check(outcome(&bed, bed.client_keys, 2) == 0, "a ring with a new key accepts the old one");
	must_work(rdma_pipeline_key_add(bed.client_keys, 6, RDMA_PIPELINE_HMAC_SHA256, OTHER_KEY,
					32));
	must_work(rdma_pipeline_key_use(bed.client_keys, 6));
	check(outcome(&bed, bed.client_keys, 2) == 0, "and the new one");
	must_work(rdma_pipeline_key_del(bed.keys, 5));
	check(outcome(&bed, bed.client_keys, 2) == 0, "the new one stays when the old one goes");
	must_work(rdma_pipeline_key_use(bed.client_keys, 5));
	check(outcome(&bed, bed.client_keys, 2) == -EACCES && reported(&bed, 1, "key"),
	      "a deleted key is refused");
	end_bed(&bed, "nothing is left of the rotation");
}

static void test_log(void)
{
	char path[] = "/tmp/pipeline-log-XXXXXX", text[16384] = "";
	unsigned int i;
	struct bed bed;
	ssize_t len;
	int fd = mkstemp(path);

	unlink(path);
	start_bed(&bed);
	bed.param.illegal_fd = fd;
	share_key(&bed, RDMA_PIPELINE_HMAC_SHA256, 2);
	for (i = 0; i < 1000; i++)
		fake_request(PORT, NULL, 0, 7, 9);
	check(soon(stats_of(bed.server).refused + stats_of(bed.server).busy == 1000),
	      "a thousand illegal requests are refused");
	rdma_pipeline_destroy(bed.server);
	bed.server = NULL;
	len = pread(fd, text, sizeof(text) - 1, 0);
	check(len > 0 && strstr(text, "\"reason\":\"missing\",\"peer\":\"10.77.0.1\","
			       "\"service\":17177432,\"version\":0,\"key\":0,\"qpn\":7,\"psn\":9,"
			       "\"suppressed\":0}\n"), "the log is lines of JSON");
	check(len < 200 * 150, "the rate of the log is limited");
	close(fd);
	end_bed(&bed, "nothing is left of the log");
}

static void test_iwarp(void)
{
	struct bed bed;

	start_bed(&bed);
	fake.iwarp = true;
	share_key(&bed, RDMA_PIPELINE_HMAC_SHA256, 2);
	check(outcome(&bed, bed.client_keys, 2) == -EOPNOTSUPP,
	      "iWARP has no PSN: its requests are not authenticated");
	check(outcome(&bed, NULL, 0) == -ECONNREFUSED, "nor accepted by a listener that has keys");
	end_bed(&bed, "nothing is left on iWARP");
}

static void test_keys(void)
{
	struct rdma_pipeline_keys *keys;
	struct bed bed;
	unsigned int i;

	start_bed(&bed);
	keys = bed.keys;
	check(failed(rdma_pipeline_key_add(keys, 0, 3, KEY, 32), EINVAL, "identifier"),
	      "a key's identifier is not 0");
	check(failed(rdma_pipeline_key_add(keys, 1, 4, KEY, 32), EINVAL, "algorithm 4"),
	      "a key's algorithm is known");
	check(failed(rdma_pipeline_key_add(keys, 1, 3, KEY, 15), EINVAL, "15 bytes") &&
	      failed(rdma_pipeline_key_add(keys, 1, 3, NULL, 32), EINVAL, "bytes"),
	      "a key has 16 bytes at least");
	for (i = 1; i <= 16; i++)
		must_work(rdma_pipeline_key_add(keys, i, 3, KEY, 32));
	check(failed(rdma_pipeline_key_add(keys, 16, 3, KEY, 32), EEXIST, "key 16"),
	      "identifiers are unique");
	check(failed(rdma_pipeline_key_add(keys, 17, 3, KEY, 32), ENOSPC, "16 keys"),
	      "a ring has 16 keys at most");
	check(failed(rdma_pipeline_key_use(keys, 17), ENOENT, "key 17") &&
	      failed(rdma_pipeline_key_del(keys, 0), ENOENT, "key 0"), "unknown keys are reported");
	must_work(rdma_pipeline_key_add(bed.client_keys, 1, RDMA_PIPELINE_HMAC_MD5, KEY, 32));
	check(outcome(&bed, NULL, 0) == 0, "a connection needs no key");
	rdma_pipeline_keys_free(NULL);
	end_bed(&bed, "nothing is left of rings");
}

static void test_version_needs_sha256(void)
{
	struct sockaddr_in dst = fake_addr(PORT);
	struct rdma_pipeline_param param = { .dst = (struct sockaddr *)&dst };
	struct bed bed;

	start_bed(&bed);
	must_work(rdma_pipeline_key_add(bed.client_keys, 1, RDMA_PIPELINE_HMAC_MD5, KEY, 32));
	param.keys = bed.client_keys;
	check(failed(rdma_pipeline_params(bed.client, &param, 1, NULL), EINVAL, "SHA256"),
	      "version 2 needs SHA256");
	param.private_data = "x";
	param.private_data_len = 1;
	check(failed(rdma_pipeline_params(bed.client, &param, 1, NULL), EINVAL, "private data"),
	      "private data and keys exclude each other");
	end_bed(&bed, "nothing is left of those");
}

int main(void)
{
	const char *given = getenv("PIPELINE_TEST_ROUNDS");

	rounds = given ? atoi(given) : 200;
	test_keys();
	test_version_needs_sha256();
	test_accept();
	test_data();
	test_backlog();
	test_listen_params();
	test_versions();
	test_refused();
	test_algorithms_do_not_mix();
	test_replay();
	test_replay_v1();
	test_silence();
	test_rotation();
	test_log();
	test_iwarp();
	test_destroy_in_the_middle();
	return summary();
}
