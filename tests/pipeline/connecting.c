// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Time the set-up of connections in three ways: one after the other, a thread for each, and in
 * a pipeline (SECM, 5.1). For tools/bench.
 *
 *	pipeline-connecting serve PORT COUNT			until so many have come and gone
 *	pipeline-connecting serial|threads|pipeline ADDRESS PORT COUNT
 *
 * Prints a line of JSON when all are up: the time that it took, the process's CPU time, its
 * memory, and the kernel's memory that was added meanwhile, the server's part included.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <rdma/rdma_pipeline.h>

#define RESOLVE_MS	10000
#define STACK		65536

struct client {
	struct sockaddr_in addr;
	struct ibv_cq *cq;
	unsigned int count;
	struct rdma_cm_id **ids;
};

/* Used so far */
struct usage {
	double seconds;
	double cpu;
	long kernel_kib;
};

static struct client client;

static int stop(const char *what)
{
	perror(what);
	exit(1);
}

/* Sum up the lines of a file of /proc that begin with one of these names, in KiB. */
static long kib_of(const char *path, const char *const names[])
{
	FILE *file = fopen(path, "r");
	char line[256];
	long sum = 0;
	int i;

	if (!file)
		stop(path);
	while (fgets(line, sizeof(line), file))
		for (i = 0; names[i]; i++)
			if (!strncmp(line, names[i], strlen(names[i])))
				sum += atol(line + strlen(names[i]));
	fclose(file);
	return sum;
}

static long own_kib(void)
{
	static const char *const names[] = { "Pss:", NULL };

	return kib_of("/proc/self/smaps_rollup", names);
}

static long kernel_kib(void)
{
	static const char *const names[] = {
		"Slab:", "KernelStack:", "PageTables:", "Percpu:", "VmallocUsed:", NULL
	};

	return kib_of("/proc/meminfo", names);
}

static struct usage now(void)
{
	struct timespec clock;
	struct rusage used;

	clock_gettime(CLOCK_MONOTONIC, &clock);
	getrusage(RUSAGE_SELF, &used);
	return (struct usage) {
		.seconds = clock.tv_sec + clock.tv_nsec / 1e9,
		.cpu = used.ru_utime.tv_sec + used.ru_stime.tv_sec +
			(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6,
		.kernel_kib = kernel_kib(),
	};
}

/* An identifier without a channel waits in each call. */
static struct rdma_cm_id *connect_one(void)
{
	struct ibv_qp_init_attr attr = {
		.cap = { 16, 16, 1, 1, 0 },
		.qp_type = IBV_QPT_RC,
		.send_cq = client.cq,
		.recv_cq = client.cq,
	};
	struct rdma_conn_param param = { .retry_count = 7, .rnr_retry_count = 7 };
	struct rdma_cm_id *id;

	if (rdma_create_id(NULL, &id, NULL, RDMA_PS_TCP) ||
	    rdma_resolve_addr(id, NULL, (struct sockaddr *)&client.addr, RESOLVE_MS) ||
	    rdma_resolve_route(id, RESOLVE_MS) || rdma_create_qp(id, NULL, &attr) ||
	    rdma_connect(id, &param))
		stop("connect");
	return id;
}

/*
 * Open the device before the time begins, as cmtime does, and give it the completion queue that
 * all share as in the pipeline.
 */
static struct rdma_cm_id *find_device(void)
{
	struct rdma_cm_id *id;

	if (rdma_create_id(NULL, &id, NULL, RDMA_PS_TCP) ||
	    rdma_resolve_addr(id, NULL, (struct sockaddr *)&client.addr, RESOLVE_MS))
		stop("device");
	client.cq = ibv_create_cq(id->verbs, 4096, NULL, NULL, 0);
	if (!client.cq)
		stop("completion queue");
	return id;
}

static void *thread(void *place)
{
	*(struct rdma_cm_id **)place = connect_one();
	return NULL;
}

static void in_threads(void)
{
	pthread_t *threads = calloc(client.count, sizeof(*threads));
	pthread_attr_t attr;
	unsigned int i;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	for (i = 0; i < client.count; i++)
		if (!threads || pthread_create(&threads[i], &attr, thread, &client.ids[i]))
			stop("thread");
	for (i = 0; i < client.count; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static void serially(void)
{
	unsigned int i;

	for (i = 0; i < client.count; i++)
		client.ids[i] = connect_one();
}

static void report(const struct usage *begin)
{
	struct usage end = now();
	double took = end.seconds - begin->seconds;

	printf("{\"ms\":%.3f,\"cpu_ms\":%.3f,\"per_second\":%.1f,\"kib\":%ld,\"kernel_kib\":%ld}\n",
	       took * 1e3, (end.cpu - begin->cpu) * 1e3, client.count / took, own_kib(),
	       end.kernel_kib - begin->kernel_kib);
	fflush(stdout);
}

static int by_hand(bool with_threads)
{
	struct rdma_cm_id *first = find_device();
	struct usage begin;
	unsigned int i;

	client.ids = calloc(client.count, sizeof(*client.ids));
	if (!client.ids)
		stop("memory");
	begin = now();
	if (with_threads)
		in_threads();
	else
		serially();
	report(&begin);
	for (i = 0; i < client.count; i++)
		rdma_disconnect(client.ids[i]);
	for (i = 0; i < client.count; i++) {
		rdma_destroy_qp(client.ids[i]);
		rdma_destroy_id(client.ids[i]);
	}
	free(client.ids);
	ibv_destroy_cq(client.cq);
	rdma_destroy_id(first);
	return 0;
}

static int in_pipeline(void)
{
	struct rdma_pipeline_param param = {
		.dst = (struct sockaddr *)&client.addr,
		.resolve_ms = RESOLVE_MS,
		.timeout_ms = 600000,
	};
	struct rdma_cm_id *first = find_device();
	struct usage begin = now();
	struct rdma_pipeline *pipe;
	unsigned int i;
	int failed;

	if (rdma_pipeline_create(&pipe, NULL))
		goto fail;
	for (i = 0; i < client.count; i++)
		if (rdma_pipeline_params(pipe, &param, 1, NULL))
			goto fail;
	rdma_pipeline_connect(pipe);
	failed = rdma_pipeline_wait(pipe, -1);
	report(&begin);
	rdma_pipeline_destroy(pipe);
	ibv_destroy_cq(client.cq);
	rdma_destroy_id(first);
	return failed != 0;
fail:
	fprintf(stderr, "%s\n", rdma_pipeline_message());
	return 1;
}

static int serve(unsigned int count)
{
	struct sockaddr_in addr = client.addr;
	struct rdma_pipeline_listen_param param = {
		.conn = { .dst = (struct sockaddr *)&addr, .timeout_ms = 600000 },
		.backlog = 1024,
	};
	struct rdma_pipeline_listener *listener;
	struct rdma_pipeline_event event;
	struct rdma_pipeline *pipe;
	struct pollfd fd = { .events = POLLIN };

	if (rdma_pipeline_create(&pipe, NULL) || rdma_pipeline_listen(pipe, &param, &listener)) {
		fprintf(stderr, "%s\n", rdma_pipeline_message());
		return 1;
	}
	fd.fd = rdma_pipeline_fd(pipe);
	while (count && poll(&fd, 1, -1) >= 0)
		if (!rdma_pipeline_next(pipe, &event) && event.type == RDMA_PIPELINE_EVENT_CLOSED)
			count--;
	rdma_pipeline_destroy(pipe);
	return 0;
}

static void set_addr(const char *address, const char *port)
{
	client.addr.sin_family = AF_INET;
	client.addr.sin_port = htons(atoi(port));
	inet_pton(AF_INET, address, &client.addr.sin_addr);
}

int main(int argc, char **argv)
{
	struct rlimit files = { 65536, 65536 };

	setrlimit(RLIMIT_NOFILE, &files);	/* a thread's identifier has a file */
	if (argc == 4 && !strcmp(argv[1], "serve")) {
		set_addr("0.0.0.0", argv[2]);
		return serve(atoi(argv[3]));
	}
	if (argc != 5) {
		fprintf(stderr, "usage: pipeline-connecting serve PORT COUNT | serial|threads|pipeline ADDRESS PORT COUNT\n");
		return 2;
	}
	set_addr(argv[2], argv[3]);
	client.count = atoi(argv[4]);
	if (!strcmp(argv[1], "pipeline"))
		return in_pipeline();
	return by_hand(!strcmp(argv[1], "threads"));
}
