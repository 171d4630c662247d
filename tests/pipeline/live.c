// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Connections over a device, for tests/e2e/pipeline.sh.
 *
 *	pipeline-live serve PORT [OPTION...]		until the standard input ends
 *	pipeline-live connect ADDRESS PORT COUNT [OPTION...]
 *
 *	--key ID:md5|sha1|sha256:SECRET		may be repeated; the first one signs
 *	--version 1|2
 *	--nobody ADDRESS:PORT:COUNT		connections to there as well, which must fail
 *	--refused				all must be refused
 *	--rounds N	--timeout MS	--window N	--backlog N	--silence	--log FILE
 *	--hold					connect: keep the connections until the input ends
 *
 * Prints a line of JSON. `connect` fails unless each connection ends as it must, and unless it
 * has as many open files after the last round as after the first one.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <rdma/rdma_pipeline.h>

struct options {
	struct sockaddr_in addr, nobody;
	struct rdma_pipeline_keys *keys;
	unsigned int count, lost, rounds, timeout, window, backlog, version;
	bool refused, silence, hold;
	int log;
};

static int stop(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, rdma_pipeline_message());
	exit(1);
}

static void usage(void)
{
	fprintf(stderr, "usage: pipeline-live serve PORT | connect ADDRESS PORT COUNT [OPTION...]\n");
	exit(2);
}

static struct sockaddr_in addr_of(const char *address, unsigned int port)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons(port) };

	if (inet_pton(AF_INET, address, &addr.sin_addr) != 1)
		usage();
	return addr;
}

static void add_key(struct options *options, char *text)
{
	static const char * const names[] = { "", "md5", "sha1", "sha256" };
	char *id = strtok(text, ":"), *algorithm = strtok(NULL, ":"), *secret = strtok(NULL, "");
	unsigned int i;

	if (!secret || (!options->keys && rdma_pipeline_keys_create(&options->keys)))
		usage();
	for (i = 1; i < 4 && strcmp(names[i], algorithm); i++)
		;
	if (rdma_pipeline_key_add(options->keys, strtoul(id, NULL, 0), i, secret, strlen(secret)))
		stop("key");
}

static void set_nobody(struct options *options, char *text)
{
	char *address = strtok(text, ":"), *port = strtok(NULL, ":"), *count = strtok(NULL, "");

	if (!count)
		usage();
	options->nobody = addr_of(address, atoi(port));
	options->lost = atoi(count);
}

static const struct option longs[] = {
	{ "key", 1, NULL, 'k' }, { "version", 1, NULL, 'v' }, { "nobody", 1, NULL, 'n' },
	{ "refused", 0, NULL, 'r' }, { "rounds", 1, NULL, 'R' }, { "timeout", 1, NULL, 't' },
	{ "window", 1, NULL, 'w' }, { "backlog", 1, NULL, 'b' }, { "silence", 0, NULL, 's' },
	{ "log", 1, NULL, 'l' }, { "hold", 0, NULL, 'h' }, {}
};

static void take(struct options *options, int c)
{
	switch (c) {
	case 'k': add_key(options, optarg); break;
	case 'v': options->version = atoi(optarg); break;
	case 'n': set_nobody(options, optarg); break;
	case 'r': options->refused = true; break;
	case 'R': options->rounds = atoi(optarg); break;
	case 't': options->timeout = atoi(optarg); break;
	case 'w': options->window = atoi(optarg); break;
	case 'b': options->backlog = atoi(optarg); break;
	case 's': options->silence = true; break;
	case 'h': options->hold = true; break;
	case 'l':
		options->log = open(optarg, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
		if (options->log >= 0)
			break;
		usage();
		break;
	default:
		usage();
	}
}

static void print_stats(struct rdma_pipeline *pipe)
{
	struct rdma_pipeline_stats stats;

	rdma_pipeline_stats(pipe, &stats);
	printf("{\"established\":%llu,\"failed\":%llu,\"accepted\":%llu,\"refused\":%llu,"
	       "\"busy\":%llu,\"retries\":%llu,\"lost\":%llu,\"window\":%u,\"threads\":%u}\n",
	       (unsigned long long)stats.established, (unsigned long long)stats.failed,
	       (unsigned long long)stats.accepted, (unsigned long long)stats.refused,
	       (unsigned long long)stats.busy, (unsigned long long)stats.retries,
	       (unsigned long long)stats.lost, stats.window, stats.event_threads);
	fflush(stdout);
}

static void wait_for_input(void)
{
	char byte;

	while (read(0, &byte, 1) > 0)
		;
}

static int serve(struct options *options)
{
	struct rdma_pipeline_listen_param param = {
		.conn = {
			.dst = (struct sockaddr *)&options->addr,
			.keys = options->keys,
			.version = options->version,
			.timeout_ms = options->timeout,
		},
		.backlog = options->backlog,
		.refusal = options->silence ? RDMA_PIPELINE_SILENCE : RDMA_PIPELINE_REJECT,
		.illegal_fd = options->log,
	};
	struct rdma_pipeline_listener *listener;
	struct rdma_pipeline *pipe;

	if (rdma_pipeline_create(&pipe, NULL) || rdma_pipeline_listen(pipe, &param, &listener))
		stop("listen");
	wait_for_input();
	print_stats(pipe);
	rdma_pipeline_destroy(pipe);
	return 0;
}

static unsigned int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

static struct rdma_pipeline_conn **add(struct rdma_pipeline *pipe, struct options *options)
{
	struct rdma_pipeline_param param = {
		.keys = options->keys,
		.version = options->version,
		.timeout_ms = options->timeout,
	};
	unsigned int i, n = options->count + options->lost;
	struct rdma_pipeline_conn **conns = calloc(n, sizeof(*conns));

	for (i = 0; conns && i < n; i++) {
		/* Mixed, so that one kind could delay the other */
		param.dst = (struct sockaddr *)(i < 2 * options->lost && i % 2 ?
						&options->nobody : &options->addr);
		if (rdma_pipeline_params(pipe, &param, 1, &conns[i]))
			stop("parameters");
	}
	return conns;
}

static unsigned int misjudged(struct options *options, struct rdma_pipeline_conn *conn,
			      bool nobody)
{
	struct rdma_pipeline_error error;
	bool fine;

	rdma_pipeline_error(conn, &error);
	if (nobody)
		fine = error.reason != RDMA_PIPELINE_NO_REASON;
	else if (options->refused)
		fine = error.reason == RDMA_PIPELINE_REFUSED ||
			(options->silence && error.reason == RDMA_PIPELINE_TIMEOUT);
	else
		fine = error.stage == RDMA_PIPELINE_ESTABLISHED;
	if (!fine || nobody)
		fprintf(stderr, "%s: %s in stage %s, error %d, status %d\n",
			nobody ? "nobody" : "somebody", rdma_pipeline_reason_name(error.reason),
			rdma_pipeline_stage_name(error.stage), error.error, error.status);
	return !fine;
}

static unsigned int one_round(struct options *options)
{
	struct rdma_pipeline_attr attr = { .window = options->window };
	unsigned int i, wrong = 0;
	struct rdma_pipeline_conn **conns;
	struct rdma_pipeline *pipe;

	if (rdma_pipeline_create(&pipe, &attr))
		stop("create");
	conns = add(pipe, options);
	rdma_pipeline_connect(pipe);
	rdma_pipeline_wait(pipe, -1);
	for (i = 0; i < options->count + options->lost; i++)
		wrong += misjudged(options, conns[i], i < 2 * options->lost && i % 2);
	print_stats(pipe);
	if (options->hold)
		wait_for_input();
	rdma_pipeline_destroy(pipe);
	free(conns);
	return wrong;
}

static int connect_all(struct options *options)
{
	unsigned int i, files = 0, wrong = 0;

	for (i = 0; i < options->rounds; i++) {
		wrong += one_round(options);
		if (!i)		/* librdmacm keeps the devices open */
			files = open_files();
	}
	if (wrong)
		fprintf(stderr, "%u connections did not end as they must\n", wrong);
	if (open_files() != files)
		fprintf(stderr, "%u files are open, after the first round %u\n", open_files(),
			files);
	return wrong || open_files() != files;
}

int main(int argc, char **argv)
{
	struct options options = { .rounds = 1 };
	int c, status;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1)
		take(&options, c);
	argv += optind;
	argc -= optind;
	if (argc == 2 && !strcmp(argv[0], "serve")) {
		options.addr = addr_of("0.0.0.0", atoi(argv[1]));
		status = serve(&options);
	} else if (argc == 4 && !strcmp(argv[0], "connect")) {
		options.addr = addr_of(argv[1], atoi(argv[2]));
		options.count = atoi(argv[3]);
		status = connect_all(&options);
	} else {
		usage();
	}
	rdma_pipeline_keys_free(options.keys);
	return status;
}
