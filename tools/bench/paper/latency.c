// SPDX-License-Identifier: GPL-2.0
/*
 * Latency of a message by its size (sRDMA 6.3): WRITEs back and forth, each
 * answered when it has arrived, where a WRITE is half of a round trip; and
 * READs, one after the other. They go to several places in turn, because a queue
 * pair caches the key of its last access (K_SR): with one place, as with
 * --places 1, that key is never derived again.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ends.h"

#define LONGEST		4096
#define MOST_PLACES	64	/* fewer than the serials of arriving bytes */
#define SERIALS		255
#define SIGNAL_EACH	32
#define WARM_UP		50

/*
 * Memory of one end: source of WRITEs, destination of WRITEs, source of READs
 */
struct place {
	uint8_t from[LONGEST];
	uint8_t into[MOST_PLACES][LONGEST];
	uint8_t source[MOST_PLACES][LONGEST];
} __attribute__((aligned(4096)));

struct side {
	struct end end;
	struct place *place;
	struct ibv_mr *from, *into, *source;
	unsigned long posted;
};

static struct place places[2];
static unsigned int places_used = 16;
static struct side client = { .place = &places[0] }, server = { .place = &places[1] };

static void prepare(struct side *side)
{
	struct place *at = side->place;

	side->from = register_memory(&side->end, at->from, LONGEST, 0);
	side->into = register_memory(&side->end, at->into, sizeof(at->into),
				     IBV_ACCESS_REMOTE_WRITE);
	side->source = register_memory(&side->end, at->source, sizeof(at->source),
				       IBV_ACCESS_REMOTE_READ);
}

static void take(struct side *side)
{
	struct ibv_wc wc;

	while (poll_one(side->end.scq, &wc))
		;
}

/*
 * Write and wait for the last byte, which arrives last. It is never 0, nor what
 * the same place had before.
 */
static void write_to(struct side *to, struct side *by, size_t size)
{
	uint8_t *into = to->place->into[by->posted % places_used];
	volatile uint8_t *arrives = &into[size - 1];
	uint8_t serial = by->posted % SERIALS + 1;
	struct ibv_sge sge = { (uintptr_t)by->place->from, size, by->from->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = by->posted++ % SIGNAL_EACH ? 0 : IBV_SEND_SIGNALED,
		.wr.rdma.remote_addr = (uintptr_t)into,
		.wr.rdma.rkey = to->into->rkey,
	};

	by->place->from[size - 1] = serial;
	post(&by->end, &wr);
	while (*arrives != serial)
		;
	take(by);
}

static void write_both_ways(size_t size, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		write_to(&server, &client, size);
		write_to(&client, &server, size);
	}
}

static void read_each(size_t size, unsigned int count)
{
	struct ibv_sge sge = { (uintptr_t)client.place->from, size, client.from->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_READ,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma.rkey = server.source->rkey,
	};
	struct ibv_wc wc;

	for (unsigned int i = 0; i < count; i++) {
		wr.wr.rdma.remote_addr = (uintptr_t)server.place->source[i % places_used];
		post(&client.end, &wr);
		while (!poll_one(client.end.scq, &wc))
			;
	}
}

static double measure(bool reads, size_t size, unsigned int count)
{
	double start = seconds();

	if (reads)
		read_each(size, count);
	else
		write_both_ways(size, count);
	return (seconds() - start) / count * 1e9 / (reads ? 1 : 2);
}

static void set_up(const struct way *way)
{
	connect_ends(&client.end, &server.end, way);
	prepare(&client);
	prepare(&server);
	if (!way->ext_mem)
		return;
	protect(&client.end, server.into, SRNIC_RIGHT_WRITE, 0, LONGEST);
	protect(&client.end, server.source, SRNIC_RIGHT_READ, 0, LONGEST);
	protect(&server.end, client.into, SRNIC_RIGHT_WRITE, 0, LONGEST);
}

static void usage(void)
{
	printf("usage: latency [--way WAY] [--seal MODE:SUITE] [--reads] [--sizes LIST]\n"
	       "               [--places COUNT] [--count COUNT]\n"
	       "WRITEs there and back between srnic0 and srnic1, or READs: nanoseconds for each, by\n"
	       "size, as JSON. --seal replaces the way's seal. --places: addresses used in turn\n"
	       "(%u, at most %u). Ways:", places_used, MOST_PLACES);
	list_ways();
	printf("\nExample: latency --way ext-mem --seal packet:hmac-sha256 --sizes 32,2048\n");
	exit(0);
}

static void measure_sizes(bool reads, char *sizes, unsigned int count)
{
	const char *comma = "{";

	for (char *word = strtok(sizes, ","); word; word = strtok(NULL, ",")) {
		size_t size = strtoul(word, NULL, 10);

		if (!size || size > LONGEST)
			die("sizes are from 1 to %d", LONGEST);
		measure(reads, size, WARM_UP);
		printf("%s\"%zu\": %.1f", comma, size, measure(reads, size, count));
		comma = ", ";
	}
	printf("}\n");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "way", required_argument, NULL, 'w' }, { "seal", required_argument, NULL, 's' },
		{ "reads", no_argument, NULL, 'r' }, { "sizes", required_argument, NULL, 'z' },
		{ "places", required_argument, NULL, 'p' },
		{ "count", required_argument, NULL, 'c' }, { "help", no_argument, NULL, 'h' }, {}
	};
	char short_only[] = "32", *sizes = short_only;
	const char *name = "none", *seal = NULL;
	unsigned int count = 200;
	bool reads = false;
	struct way way;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'w')
			name = optarg;
		else if (c == 's')
			seal = optarg;
		else if (c == 'r')
			reads = true;
		else if (c == 'z')
			sizes = optarg;
		else if (c == 'p')
			places_used = atoi(optarg);
		else if (c == 'c')
			count = atoi(optarg);
		else if (c == 'h')
			usage();
		else
			return 2;
	}
	if (!choose_way(&way, name, seal) || !count || !places_used || places_used > MOST_PLACES)
		die("no such way, seal or number: latency --help");
	set_up(&way);
	measure_sizes(reads, sizes, count);
	return 0;
}
