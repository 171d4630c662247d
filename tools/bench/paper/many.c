// SPDX-License-Identifier: GPL-2.0
/*
 * Many idle connections in one protection domain at each end (sRDMA, table 3):
 * the program says when they are ready, keeps them until its input ends, and
 * sends nothing. Its caller measures the kernel's memory meanwhile.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ends.h"

#define REGION	4096
#define MOST	2000
#define DEPTH	16	/* as in the bench's qp_memory */

static uint8_t region[REGION] __attribute__((aligned(4096)));
static struct end clients[MOST], servers[MOST];

static void open_all(const struct way *way, unsigned int count)
{
	struct ibv_mr *mr = NULL;

	for (unsigned int i = 0; i < count; i++) {
		if (i) {
			share_domain(&clients[i], &clients[0]);
			share_domain(&servers[i], &servers[0]);
		}
		connect_ends(&clients[i], &servers[i], way);
		if (!way->ext_mem)
			continue;
		if (i) {
			allow(&clients[i], mr, SRNIC_RIGHT_WRITE);
			continue;
		}
		mr = register_memory(&servers[0], region, sizeof(region), IBV_ACCESS_REMOTE_WRITE);
		protect(&clients[0], mr, SRNIC_RIGHT_WRITE, 0, sizeof(region));
	}
}

/* Wait for the handshakes: the answer to a request shows that its flow has keys. */
static void exchange(struct end *from)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_wc wc;

	post(from, &wr);
	while (!poll_one(from->scq, &wc))
		;
}

static void usage(void)
{
	printf("usage: many [--way WAY] [--seal MODE:SUITE] [--connections COUNT]\n"
	       "Makes COUNT connections, at most %d (1), between srnic0 and srnic1, prints 'ready' when\n"
	       "they have their keys, and keeps them until the input ends. --seal replaces the way's seal.\n"
	       "Ways:", MOST);
	list_ways();
	printf("\nExample: many --way pd-prot --connections 100 <&-\n");
	exit(0);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "way", required_argument, NULL, 'w' }, { "seal", required_argument, NULL, 's' },
		{ "connections", required_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' }, {}
	};
	const char *name = "none", *seal = NULL;
	unsigned int count = 1;
	struct way way;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'w')
			name = optarg;
		else if (c == 's')
			seal = optarg;
		else if (c == 'n')
			count = atoi(optarg);
		else if (c == 'h')
			usage();
		else
			return 2;
	}
	if (!choose_way(&way, name, seal) || !count || count > MOST)
		die("no such way, seal or number: many --help");
	queue_depth = DEPTH;
	open_all(&way, count);
	for (unsigned int i = 0; i < count; i++) {
		exchange(&clients[i]);
		exchange(&servers[i]);
	}
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
