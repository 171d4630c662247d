// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Open a thousand connections to one server, and say what became of them.
 *
 *	cc connect_many.c -o connect_many $(pkg-config --cflags --libs librdma_pipeline)
 *	connect_many ADDRESS PORT [COUNT [KEY]]
 *
 * KEY, of at least 16 characters, authenticates the requests; accept_many has the same.
 */
#define _POSIX_C_SOURCE 200809L
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/rdma_pipeline.h>

static int stop(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, rdma_pipeline_message());
	return 1;
}

/* Count the connections that are up; describe the others. */
static unsigned int report(struct rdma_pipeline_conn **conns, unsigned int count)
{
	struct rdma_pipeline_error error;
	unsigned int i, up = 0;

	for (i = 0; i < count; i++) {
		if (!rdma_pipeline_error(conns[i], &error))
			up++;
		else
			printf("connection %u: %s in stage %s\n", i,
			       rdma_pipeline_reason_name(error.reason),
			       rdma_pipeline_stage_name(error.stage));
	}
	return up;
}

static int connect_many(struct rdma_pipeline *pipe, struct rdma_pipeline_param *param,
			unsigned int count)
{
	struct rdma_pipeline_conn **conns = calloc(count, sizeof(*conns));
	unsigned int i, up;
	int failed;

	if (!conns)
		return 1;
	for (i = 0; i < count; i++)
		if (rdma_pipeline_params(pipe, param, 1, &conns[i])) {
			free(conns);
			return stop("parameters");
		}
	rdma_pipeline_connect(pipe);
	failed = rdma_pipeline_wait(pipe, -1);
	up = report(conns, count);
	printf("%u connections are up, %d have failed\n", up, failed);
	/* Here a program would use rdma_pipeline_id(conns[i])->qp */
	rdma_pipeline_disconnect(pipe, NULL);
	free(conns);
	return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct rdma_pipeline_param param;
	struct addrinfo *addr = NULL;
	struct rdma_pipeline *pipe = NULL;
	int err;

	memset(&param, 0, sizeof(param));
	if (argc < 3 || getaddrinfo(argv[1], argv[2], NULL, &addr)) {
		fprintf(stderr, "usage: %s ADDRESS PORT [COUNT [KEY]]\n", argv[0]);
		return 2;
	}
	param.dst = addr->ai_addr;
	err = rdma_pipeline_create(&pipe, NULL);
	if (!err && argc > 4)
		err = rdma_pipeline_keys_create(&param.keys);
	if (!err && argc > 4)
		err = rdma_pipeline_key_add(param.keys, 1, RDMA_PIPELINE_HMAC_SHA256, argv[4],
					    strlen(argv[4]));
	err = err ? stop("set-up") : connect_many(pipe, &param, argc > 3 ? atoi(argv[3]) : 1000);
	rdma_pipeline_destroy(pipe);
	rdma_pipeline_keys_free(param.keys);
	freeaddrinfo(addr);
	return err;
}
