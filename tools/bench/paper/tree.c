// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of a proof by the depth of the accessed block (sRDMA 4.7): READs of
 * eight bytes, one after the other, each from another place, so that no derived
 * key can be reused.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include "ends.h"

#define REGION	(16 << 20)	/* the paper's example: 1 MiB of 16 MiB takes four steps */
#define LENGTH	8
#define STRIDE	1048573		/* in units of LENGTH; odd, so that no place repeats */

static uint8_t region[REGION] __attribute__((aligned(4096)));
static uint8_t landing[LENGTH];
static struct end client, server;

static void read_from(struct ibv_mr *theirs, struct ibv_mr *ours, uint64_t offset)
{
	struct ibv_sge sge = { (uintptr_t)landing, LENGTH, ours->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_READ,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma.remote_addr = (uintptr_t)region + offset,
		.wr.rdma.rkey = theirs->rkey,
	};
	struct ibv_wc wc;

	post(&client, &wr);
	while (!poll_one(client.scq, &wc))
		;
}

/* Return nanoseconds a READ; @fixed: always read the same place */
static double run(struct ibv_mr *theirs, struct ibv_mr *ours, unsigned int count, bool fixed)
{
	double start = seconds();
	unsigned int i;

	for (i = 0; i < count; i++)
		read_from(theirs, ours, fixed ? 0 : (uint64_t)i * STRIDE * LENGTH % REGION);
	return (seconds() - start) / count * 1e9;
}

static void usage(void)
{
	printf("usage: tree [--way WAY] [--depth STEPS] [--reads COUNT]\n"
	       "READs between srnic0 and srnic1 from a region of 16 MiB: nanoseconds for each,\n"
	       "as JSON. Without --depth nothing has to be proved. Ways:");
	list_ways();
	printf("\nExample: tree --way ext-mem --depth 4\n");
	exit(0);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "way", required_argument, NULL, 'w' }, { "depth", required_argument, NULL, 'd' },
		{ "reads", required_argument, NULL, 'r' }, { "help", no_argument, NULL, 'h' }, {}
	};
	const struct way *way = find_way("basic");
	struct ibv_mr *ours, *theirs;
	unsigned int reads = 1000;
	int c, depth = -1;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'w')
			way = find_way(optarg);
		else if (c == 'd')
			depth = atoi(optarg);
		else if (c == 'r')
			reads = atoi(optarg);
		else if (c == 'h')
			usage();
		else
			return 2;
	}
	if (!way || !way->suite || depth > 21 || !reads)
		die("no such way, or no such number: tree --help");
	connect_ends(&client, &server, way);
	theirs = register_memory(&server, region, sizeof(region), IBV_ACCESS_REMOTE_READ);
	ours = register_memory(&client, landing, sizeof(landing), 0);
	if (depth >= 0)
		protect(&client, theirs, SRNIC_RIGHT_READ, depth, LENGTH);
	run(theirs, ours, 20, false);
	printf("{\"depth\": %d, \"ns\": %.0f, \"again_ns\": %.0f}\n", depth,
	       run(theirs, ours, reads, false), run(theirs, ours, reads, true));
	return 0;
}
