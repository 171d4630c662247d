// SPDX-License-Identifier: GPL-2.0
/*
 * A key-value store in the manner of HERD, as in sRDMA's evaluation (6.4). The
 * client WRITEs requests into the server's memory, which the server polls; the
 * server answers by SENDs. Values of 2 KiB, 96 requests outstanding.
 *
 * Every value begins with its key, and the client checks the key of each value
 * that it gets.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ends.h"

#define VALUE		2048
#define KEYS		2048
#define SIGNAL_EACH	32

/*
 * Follows the value, if there is one. A request is complete when its last word
 * has arrived.
 */
struct request {
	uint64_t key;
	uint32_t put;
	uint32_t serial;	/* never 0 */
};

/* A request ends at the end of its slot. */
struct slot {
	uint8_t value[VALUE];
	struct request request;
	uint8_t rest[4096 - VALUE - sizeof(struct request)];
};

struct value {
	uint64_t key;
	uint8_t rest[VALUE - sizeof(uint64_t)];
};

static struct slot slots[OUTSTANDING] __attribute__((aligned(4096)));	/* at the server */
static struct value store[KEYS] __attribute__((aligned(4096)));
static struct slot requests[OUTSTANDING] __attribute__((aligned(4096)));	/* at the client */
static struct value answers[OUTSTANDING] __attribute__((aligned(4096)));

static struct end client, server;
static struct ibv_mr *slots_mr, *store_mr, *requests_mr, *answers_mr;
static unsigned int puts_percent, depth;
static uint64_t issued, answered, served;
static uint64_t wanted[OUTSTANDING];	/* keys of gets; KEYS for a put */

/* Always the same sequence: every way does the same work */
static uint32_t draw(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 33;
}

static void await_answer(unsigned int at)
{
	struct ibv_sge sge = { (uintptr_t)&answers[at], VALUE, answers_mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = at, .sg_list = &sge, .num_sge = 1 }, *bad;

	if (ibv_post_recv(client.qp, &wr, &bad))
		die("a receive was not taken");
}

static void ask(void)
{
	unsigned int at = issued % OUTSTANDING;
	struct slot *slot = &requests[at];
	bool put = draw() % 100 < puts_percent;
	uint64_t key = draw() % KEYS;
	size_t from = put ? 0 : VALUE;
	struct ibv_sge sge = {
		.addr = (uintptr_t)slot + from,
		.length = VALUE + sizeof(struct request) - from,
		.lkey = requests_mr->lkey,
	};
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = issued % SIGNAL_EACH == SIGNAL_EACH - 1 ? IBV_SEND_SIGNALED : 0,
		.wr.rdma.remote_addr = (uintptr_t)&slots[at] + from,
		.wr.rdma.rkey = slots_mr->rkey,
	};

	slot->request = (struct request){ key, put, issued + 1 };
	if (put)
		memcpy(slot->value, &key, sizeof(key));
	wanted[at] = put ? KEYS : key;
	post(&client, &wr);
	issued++;
}

static void serve(void)
{
	struct slot *slot = &slots[served % OUTSTANDING];
	const volatile struct request *there = &slot->request;
	struct request request;
	struct ibv_sge sge = { .lkey = store_mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND };

	if (there->serial != (uint32_t)(served + 1))
		return;
	request = slot->request;
	if (request.put)
		memcpy(&store[request.key], slot->value, VALUE);
	sge.addr = (uintptr_t)&store[request.key];
	sge.length = request.put ? sizeof(uint64_t) : VALUE;
	if (served % SIGNAL_EACH == SIGNAL_EACH - 1)
		wr.send_flags = IBV_SEND_SIGNALED;
	post(&server, &wr);
	served++;
}

static void take_answers(void)
{
	struct ibv_wc wc;

	while (poll_one(client.rcq, &wc)) {
		unsigned int at = wc.wr_id;

		if (at != answered % OUTSTANDING)
			die("answers are out of order");
		if (wanted[at] < KEYS &&
		    (wc.byte_len != VALUE || answers[at].key != wanted[at]))
			die("a get of key %llu brought key %llu",
			    (unsigned long long)wanted[at], (unsigned long long)answers[at].key);
		await_answer(at);
		answered++;
	}
	while (poll_one(client.scq, &wc))
		;
	while (poll_one(server.scq, &wc))
		;
}

/* Return operations per second */
static double run(uint64_t count)
{
	double start = seconds();
	uint64_t end = answered + count;

	while (answered < end) {
		while (issued < end && issued - answered < OUTSTANDING)
			ask();
		serve();
		take_answers();
	}
	return count / (seconds() - start);
}

static void set_up(const struct way *way)
{
	connect_ends(&client, &server, way);
	slots_mr = register_memory(&server, slots, sizeof(slots), IBV_ACCESS_REMOTE_WRITE);
	store_mr = register_memory(&server, store, sizeof(store), 0);
	requests_mr = register_memory(&client, requests, sizeof(requests), 0);
	answers_mr = register_memory(&client, answers, sizeof(answers), 0);
	if (way->ext_mem)
		protect(&client, slots_mr, SRNIC_RIGHT_WRITE, depth, sizeof(struct slot));
	for (unsigned int i = 0; i < KEYS; i++)
		store[i].key = i;
	for (unsigned int i = 0; i < OUTSTANDING; i++)
		await_answer(i);
}

static void usage(void)
{
	printf("usage: herd [--way WAY] [--puts PERCENT] [--depth STEPS] [--ops COUNT]\n"
	       "A key-value store between srnic0 and srnic1: operations a second, as JSON.\n"
	       "--depth: of the blocks whose keys are derived for ext-mem, at most 7 (0). Ways:");
	list_ways();
	printf("\nExample: herd --way ext-mem --puts 5 --ops 20000\n");
	exit(0);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "way", required_argument, NULL, 'w' }, { "puts", required_argument, NULL, 'p' },
		{ "ops", required_argument, NULL, 'o' }, { "depth", required_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' }, {}
	};
	const struct way *way = find_way("none");
	uint64_t ops = 10000;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'w')
			way = find_way(optarg);
		else if (c == 'p')
			puts_percent = atoi(optarg);
		else if (c == 'o')
			ops = strtoull(optarg, NULL, 0);
		else if (c == 'd')
			depth = atoi(optarg);
		else if (c == 'h')
			usage();
		else
			return 2;
	}
	if (!way || puts_percent > 100 || !ops)
		die("no such way, or no such number: herd --help");
	set_up(way);
	run(4 * OUTSTANDING);		/* warm-up: handshake, caches */
	printf("{\"way\": \"%s\", \"puts\": %u, \"per_second\": %.1f}\n", way->name, puts_percent,
	       run(ops));
	return 0;
}
