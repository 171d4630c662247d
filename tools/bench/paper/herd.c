// SPDX-License-Identifier: GPL-2.0
/*
 * HERD's key-value store, as in sRDMA's evaluation (6.6): one worker, and eight
 * clients with a connection each. Clients WRITE their requests into a region of
 * 16 MiB at the worker, which polls it; the worker answers by SENDs. Keys have 16
 * bytes, values 32. Each value begins with its key, and clients check the keys of
 * the values that they get.
 *
 * Worker and clients are one process: on one processor, processes would count
 * each other's polling.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ends.h"
#include "store.h"

#define CLIENTS		8
#define WINDOW		4	/* outstanding requests of a client */
#define SLOT		64
#define REGION		(16 << 20)
#define SIGNAL_EACH	32
#define WARM_UP		2000

enum opcode { FREE, GET, PUT };

/* A get has no value. The opcode arrives last. */
struct request {
	uint8_t value[VALUE];
	struct key key;
	uint8_t opcode;
} __attribute__((packed));

/* A request ends at the end of its slot */
struct slot {
	uint8_t rest[SLOT - sizeof(struct request)];
	struct request request;
};

struct client {
	struct end end, worker;
	struct ibv_mr *answers_mr;
	uint8_t answers[WINDOW][VALUE];
	uint64_t wanted[WINDOW];	/* numbers of keys; NO_KEY for a put */
	uint64_t issued, answered, served;
};

#define NO_KEY		UINT64_MAX

static struct client clients[CLIENTS];
static struct slot slots[REGION / SLOT] __attribute__((aligned(4096)));	/* at the worker */
static struct ibv_mr *slots_mr;
static uint64_t keys = 8 << 20, misses;
static unsigned int puts_percent, depth;

/* Always the same sequence: every way does the same work */
static uint32_t draw(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 33;
}

static struct slot *slot_of(const struct client *client, uint64_t number)
{
	return &slots[(client - clients) * WINDOW + number % WINDOW];
}

static int flags_of(uint64_t number)
{
	return IBV_SEND_INLINE | (number % SIGNAL_EACH ? 0 : IBV_SEND_SIGNALED);
}

static void await_answer(struct client *client, unsigned int at)
{
	struct ibv_sge sge = { (uintptr_t)client->answers[at], VALUE, client->answers_mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = at, .sg_list = &sge, .num_sge = 1 }, *bad;

	if (ibv_post_recv(client->end.qp, &wr, &bad))
		die("a receive was not taken");
}

static void ask(struct client *client)
{
	bool put = draw() % 100 < puts_percent;
	uint64_t number = draw() % keys;
	struct request request = { .key = key_of(number), .opcode = put ? PUT : GET };
	size_t from = put ? 0 : VALUE;
	struct ibv_sge sge = { (uintptr_t)&request + from, sizeof(request) - from, 0 };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = flags_of(client->issued),
		.wr.rdma.remote_addr = (uintptr_t)&slot_of(client, client->issued)->request + from,
		.wr.rdma.rkey = slots_mr->rkey,
	};

	if (put)
		memcpy(request.value, &request.key, sizeof(request.key));
	client->wanted[client->issued % WINDOW] = put ? NO_KEY : number;
	post(&client->end, &wr);
	client->issued++;
}

/* Answer a get by the value, all else by one byte */
static void answer(struct client *client, const uint8_t *value)
{
	static const uint8_t done;
	struct ibv_sge sge = { (uintptr_t)(value ?: &done), value ? VALUE : sizeof(done), 0 };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = flags_of(client->served),
	};

	post(&client->worker, &wr);
	client->served++;
}

static void serve(struct client *client)
{
	struct request *request = &slot_of(client, client->served)->request;
	uint8_t opcode = *(volatile uint8_t *)&request->opcode;
	struct key key;

	if (opcode == FREE)
		return;
	request->opcode = FREE;
	key = request->key;
	if (opcode == PUT)
		store_put(&key, request->value);
	answer(client, opcode == PUT ? NULL : store_get(&key));
}

static void check(const struct client *client, unsigned int at, unsigned int len)
{
	struct key key;

	if (client->wanted[at] == NO_KEY)
		return;
	if (len != VALUE) {
		misses++;
		return;
	}
	key = key_of(client->wanted[at]);
	if (memcmp(client->answers[at], &key, sizeof(key)))
		die("a get of key %llu brought another's value",
		    (unsigned long long)client->wanted[at]);
}

static void take_answers(struct client *client)
{
	struct ibv_wc wc;

	while (poll_one(client->end.rcq, &wc)) {
		unsigned int at = wc.wr_id;

		if (at != client->answered % WINDOW)
			die("answers are out of order");
		check(client, at, wc.byte_len);
		await_answer(client, at);
		client->answered++;
	}
	while (poll_one(client->end.scq, &wc))
		;
	while (poll_one(client->worker.scq, &wc))
		;
}

/* Return operations per second */
static double run(uint64_t each)
{
	double start = seconds();
	unsigned int busy = CLIENTS;
	uint64_t end[CLIENTS];

	for (unsigned int i = 0; i < CLIENTS; i++)
		end[i] = clients[i].answered + each;
	while (busy) {
		busy = 0;
		for (unsigned int i = 0; i < CLIENTS; i++) {
			struct client *client = &clients[i];

			while (client->issued < end[i] &&
			       client->issued - client->answered < WINDOW)
				ask(client);
			serve(client);
			take_answers(client);
			busy += client->answered < end[i];
		}
	}
	return each * CLIENTS / (seconds() - start);
}

static void set_up(const struct way *way)
{
	for (unsigned int i = 0; i < CLIENTS; i++) {
		struct client *client = &clients[i];

		if (i)
			share_domain(&client->worker, &clients[0].worker);
		connect_ends(&client->end, &client->worker, way);
		client->answers_mr = register_memory(&client->end, client->answers,
						     sizeof(client->answers), 0);
		for (unsigned int at = 0; at < WINDOW; at++)
			await_answer(client, at);
	}
	slots_mr = register_memory(&clients[0].worker, slots, sizeof(slots),
				   IBV_ACCESS_REMOTE_WRITE);
	if (way->ext_mem) {
		protect(&clients[0].end, slots_mr, SRNIC_RIGHT_WRITE, depth, SLOT / 2);
		for (unsigned int i = 1; i < CLIENTS; i++)
			allow(&clients[i].end, slots_mr, SRNIC_RIGHT_WRITE);
	}
	store_open(keys);
}

static void usage(void)
{
	printf("usage: herd [--way WAY] [--seal MODE:SUITE] [--puts LIST] [--keys COUNT]\n"
	       "            [--depth STEPS] [--ops COUNT]\n"
	       "HERD's key-value store with %d clients on srnic0 and a worker on srnic1: operations a\n"
	       "second, by percent of puts, as JSON. --keys: %llu, 80 bytes of memory each.\n"
	       "--depth: of the blocks whose keys are derived for ext-mem, at most 19 (0). Ways:",
	       CLIENTS, (unsigned long long)keys);
	list_ways();
	printf("\nExample: herd --way ext-mem --puts 0,100 --ops 20000\n");
	exit(0);
}

/* Measure every share of puts in the list */
static void measure(const struct way *way, char *list, uint64_t each)
{
	const char *comma = "";

	set_up(way);
	printf("{\"way\": \"%s\", \"keys\": %llu, \"per_second\": {", way->name,
	       (unsigned long long)keys);
	for (char *word = strtok(list, ","); word; word = strtok(NULL, ",")) {
		puts_percent = atoi(word);
		run(WARM_UP / CLIENTS);
		printf("%s\"%u\": %.1f", comma, puts_percent, run(each));
		comma = ", ";
	}
	printf("}, \"misses\": %llu}\n", (unsigned long long)misses);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "way", required_argument, NULL, 'w' }, { "seal", required_argument, NULL, 's' },
		{ "puts", required_argument, NULL, 'p' }, { "keys", required_argument, NULL, 'k' },
		{ "ops", required_argument, NULL, 'o' }, { "depth", required_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' }, {}
	};
	char gets_only[] = "0", *puts = gets_only;
	const char *name = "none", *seal = NULL;
	uint64_t ops = 10000;
	struct way way;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'w')
			name = optarg;
		else if (c == 's')
			seal = optarg;
		else if (c == 'p')
			puts = optarg;
		else if (c == 'k')
			keys = strtoull(optarg, NULL, 0);
		else if (c == 'o')
			ops = strtoull(optarg, NULL, 0);
		else if (c == 'd')
			depth = atoi(optarg);
		else if (c == 'h')
			usage();
		else
			return 2;
	}
	if (!choose_way(&way, name, seal) || !keys || !ops)
		die("no such way, seal or number: herd --help");
	measure(&way, puts, (ops + CLIENTS - 1) / CLIENTS);
	return 0;
}
