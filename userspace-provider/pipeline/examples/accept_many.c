// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Accept connections until as many as were asked for have come and gone.
 *
 *	cc accept_many.c -o accept_many $(pkg-config --cflags --libs librdma_pipeline)
 *	accept_many PORT [COUNT [KEY]]
 *
 * With KEY, of at least 16 characters, only authenticated requests are accepted; others are
 * logged to the standard error.
 */
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/rdma_pipeline.h>

static int stop(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, rdma_pipeline_message());
	return 1;
}

/* Return after @count connections were closed by their peers. */
static void serve(struct rdma_pipeline *pipe, unsigned int count)
{
	struct rdma_pipeline_event event;
	unsigned int up = 0, closed = 0;
	struct pollfd fd;

	fd.fd = rdma_pipeline_fd(pipe);
	fd.events = POLLIN;
	while (closed < count && poll(&fd, 1, -1) >= 0) {
		if (rdma_pipeline_next(pipe, &event))
			continue;
		if (event.type == RDMA_PIPELINE_EVENT_UP) {
			/* Here a program would use rdma_pipeline_id(event.conn)->qp */
			up++;
		} else {
			rdma_pipeline_disconnect(pipe, event.conn);
			closed++;
		}
	}
	printf("%u connections were up, %u were closed\n", up, closed);
}

int main(int argc, char **argv)
{
	struct rdma_pipeline_listener *listener = NULL;
	struct rdma_pipeline_listen_param param;
	struct rdma_pipeline *pipe = NULL;
	struct sockaddr_in addr;
	int err;

	if (argc < 2) {
		fprintf(stderr, "usage: %s PORT [COUNT [KEY]]\n", argv[0]);
		return 2;
	}
	memset(&addr, 0, sizeof(addr));
	addr.sin_family = AF_INET;
	addr.sin_port = htons(atoi(argv[1]));
	memset(&param, 0, sizeof(param));
	param.conn.dst = (struct sockaddr *)&addr;
	param.illegal_fd = 2;
	err = rdma_pipeline_create(&pipe, NULL);
	if (!err && argc > 3)
		err = rdma_pipeline_keys_create(&param.conn.keys);
	if (!err && argc > 3)
		err = rdma_pipeline_key_add(param.conn.keys, 1, RDMA_PIPELINE_HMAC_SHA256,
					    argv[3], strlen(argv[3]));
	if (!err)
		err = rdma_pipeline_listen(pipe, &param, &listener);
	if (err)
		err = stop("set-up");
	else
		serve(pipe, argc > 2 ? atoi(argv[2]) : 1000);
	rdma_pipeline_destroy(pipe);
	rdma_pipeline_keys_free(param.conn.keys);
	return err;
}
