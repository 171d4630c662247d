// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of 2 KiB, 96 outstanding on each of several connections (sRDMA 6.4,
 * 6.5): WRITEs, READs, or a mix of both in percent. One processor runs both
 * ends, so the result is the cost of a message and does not depend on the
 * number of processors.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ends.h"

#define SIZE		2048
#define MOST		8	/* connections, as in the paper */

/* A connection, with memory of its own at both ends */
struct link {
	struct end client, server;
	uint8_t *ours, *written, *read;
	struct ibv_mr *ours_mr, *written_mr, *read_mr;
	unsigned long posted, done;
};

static struct link links[MOST];
static unsigned int reads_percent;

static uint8_t *room(void)
{
	uint8_t *p = aligned_alloc(4096, OUTSTANDING * SIZE);

	if (!p)
		die("no memory");
	memset(p, 0x5a, OUTSTANDING * SIZE);
	return p;
}

static void open_link(struct link *link, const struct way *way)
{
	const size_t len = OUTSTANDING * SIZE;

	connect_ends(&link->client, &link->server, way);
	link->ours = room();
	link->written = room();
	link->read = room();
	link->ours_mr = register_memory(&link->client, link->ours, len, 0);
	link->written_mr = register_memory(&link->server, link->written, len,
					   IBV_ACCESS_REMOTE_WRITE);
	link->read_mr = register_memory(&link->server, link->read, len, IBV_ACCESS_REMOTE_READ);
	if (way->ext_mem) {
		protect(&link->client, link->written_mr, SRNIC_RIGHT_WRITE, 0, SIZE);
		protect(&link->client, link->read_mr, SRNIC_RIGHT_READ, 0, SIZE);
	}
}

/*
 * Spread READs evenly and always in the same order: every way does the same
 * work
 */
static bool is_read(unsigned long n)
{
	return (n + 1) * reads_percent / 100 != n * reads_percent / 100;
}

static void post_next(struct link *link)
{
	bool reads = is_read(link->posted);
	size_t at = link->posted++ % OUTSTANDING * SIZE;
	struct ibv_sge sge = { (uintptr_t)link->ours + at, SIZE, link->ours_mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = reads ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma.remote_addr = (uintptr_t)(reads ? link->read : link->written) + at,
		.wr.rdma.rkey = reads ? link->read_mr->rkey : link->written_mr->rkey,
	};

	post(&link->client, &wr);
}

/*
 * Return nanoseconds a message; @each is the number of messages on each
 * connection
 */
static double run(unsigned int connections, unsigned long each)
{
	double start = seconds();
	unsigned int busy = connections;
	struct ibv_wc wc;

	for (unsigned int i = 0; i < connections; i++) {
		links[i].posted = 0;
		links[i].done = 0;
	}
	while (busy) {
		busy = 0;
		for (struct link *link = links; link < links + connections; link++) {
			while (link->posted < each && link->posted - link->done < OUTSTANDING)
				post_next(link);
			while (poll_one(link->client.scq, &wc))
				link->done++;
			busy += link->done < each;
		}
	}
	return (seconds() - start) / each / connections * 1e9;
}

static void usage(void)
{
	printf("usage: bandwidth [--way WAY] [--seal MODE:SUITE] [--reads LIST] [--count COUNT]\n"
	       "                 [--connections LIST]\n"
	       "Messages of 2 KiB between srnic0 and srnic1: nanoseconds for each, by connections\n"
	       "and percent of READs (0, 1), as JSON. --seal replaces the way's seal. Ways:");
	list_ways();
	printf("\nExample: bandwidth --way pd-prot --reads 0,50,100 --connections 8\n");
	exit(0);
}

/* Measure every combination of the two lists */
static void measure(char *connections, const char *reads, unsigned long count)
{
	const char *comma = "{";
	char *outer, *inner;

	for (char *n = strtok_r(connections, ",", &outer); n; n = strtok_r(NULL, ",", &outer)) {
		unsigned int links_used = atoi(n);
		char *list = strdup(reads);

		if (!links_used || links_used > MOST || !list)
			die("from 1 to %d connections", MOST);
		printf("%s\"%u\": ", comma, links_used);
		comma = "{";
		for (char *r = strtok_r(list, ",", &inner); r; r = strtok_r(NULL, ",", &inner)) {
			reads_percent = atoi(r);
			run(links_used, OUTSTANDING);
			printf("%s\"%u\": %.1f", comma, reads_percent,
			       run(links_used, (count + links_used - 1) / links_used));
			comma = ", ";
		}
		printf("}");
		free(list);
		comma = ", ";
	}
	printf("}\n");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "way", required_argument, NULL, 'w' }, { "seal", required_argument, NULL, 's' },
		{ "reads", required_argument, NULL, 'r' },
		{ "connections", required_argument, NULL, 'n' },
		{ "count", required_argument, NULL, 'c' }, { "help", no_argument, NULL, 'h' }, {}
	};
	char one_only[] = "1", *connections = one_only;
	const char *name = "none", *seal = NULL, *reads = "0";
	unsigned long count = 1000;
	struct way way;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'w')
			name = optarg;
		else if (c == 's')
			seal = optarg;
		else if (c == 'r')
			reads = optarg;
		else if (c == 'n')
			connections = optarg;
		else if (c == 'c')
			count = strtoul(optarg, NULL, 0);
		else if (c == 'h')
			usage();
		else
			return 2;
	}
	if (!choose_way(&way, name, seal) || !count)
		die("no such way, seal or number: bandwidth --help");
	for (int i = 0; i < MOST; i++)
		open_link(&links[i], &way);
	measure(connections, reads, count);
	return 0;
}
