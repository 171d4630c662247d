// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A key-value store modelled on HERD (Kalia et al., SIGCOMM 2014): the client WRITEs a request
 * into its own slot at the server, and the server SENDs the answer.
 *
 *	client					server
 *	connects		------------->
 *				<-------------	a grant of one slot, to write
 *	WRITEs a request, with immediate
 *	data: request complete -------------->
 *				<-------------	SENDs the answer
 *
 * All slots are in one region. Its grant lets a client write to its own slot only, although
 * all clients know the region's rkey. HERD polls the slots. Here a completion tells that a
 * request is complete, which the IBA guarantees; it does not guarantee the order of bytes
 * in memory.
 *
 *	cc kv_store.c $(pkg-config --cflags --libs libsrnic librdmacm libibverbs)
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>
#include "sealed.h"

#define CLIENTS		8
#define SLOT		4096	/* bytes; a block of the region's tree */
#define STEPS		3	/* levels from the region to a slot: 8 is 2^3 */
#define KEY_BYTES	32
#define VALUE_BYTES	1024
#define ENTRIES		(1 << 14)
#define MOST_KEYS	(ENTRIES / 2)

enum what {
	GET = 1,
	PUT,
	BYE,
};

enum outcome {
	FOUND = 1,
	STORED,
	NONE,		/* no such key */
	FULL,
	NONSENSE,
};

/* All numbers are in network order. */
struct request {
	uint32_t what;
	uint32_t len;		/* of the value, in bytes */
	unsigned char key[KEY_BYTES];
	unsigned char value[VALUE_BYTES];
};

struct answer {
	uint32_t outcome;
	uint32_t len;
	unsigned char value[VALUE_BYTES];
};

struct entry {
	unsigned char key[KEY_BYTES];
	unsigned char value[VALUE_BYTES];
	uint32_t len;
	bool used;
};

struct client {
	struct rdma_cm_id *id;
	struct room answer;
	bool gone;
	bool lost;
};

struct server {
	struct seal seal;
	struct rdma_cm_id *listener;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct room slots;
	struct client clients[CLIENTS];
	unsigned int number;
	struct entry *entries;
};

static void usage(FILE *to)
{
	fputs("usage: kv_store -k FILE [-p PORT] [-c CLIENTS]            server\n"
	      "       kv_store -k FILE [-p PORT] [-n KEYS] ADDRESS       client\n"
	      "\n"
	      "The server ends with its last client. A client puts keys and gets them again.\n"
	      "\n"
	      "  -k FILE     the key of the connections: 16 to 32 bytes that all have\n"
	      "  -c CLIENTS  how many to wait for, 1 to 8 (default 1)\n"
	      "  -n KEYS     how many to put and get, 1 to 8192 (default 1000)\n"
	      "  -p PORT     (default 7479)\n", to);
}

/* FNV-1a: authenticated clients are trusted not to look for collisions */
static uint32_t hash(const unsigned char *key)
{
	uint32_t value = 2166136261u;
	int i;

	for (i = 0; i < KEY_BYTES; i++)
		value = (value ^ key[i]) * 16777619u;
	return value;
}

/* Return the entry of the key, or a free one for it; NULL if the table is full */
static struct entry *find(struct server *server, const unsigned char *key)
{
	uint32_t first = hash(key), i;
	struct entry *entry;

	for (i = 0; i < ENTRIES; i++) {
		entry = &server->entries[(first + i) % ENTRIES];
		if (!entry->used || !memcmp(entry->key, key, KEY_BYTES))
			return entry;
	}
	return NULL;
}

static enum outcome put(struct server *server, const struct request *request)
{
	struct entry *entry = find(server, request->key);

	if (!entry)
		return FULL;
	memcpy(entry->key, request->key, KEY_BYTES);
	memcpy(entry->value, request->value, request->len);
	entry->len = request->len;
	entry->used = true;
	return STORED;
}

static enum outcome get(struct server *server, const struct request *request,
			struct answer *answer)
{
	struct entry *entry = find(server, request->key);

	if (!entry || !entry->used)
		return NONE;
	memcpy(answer->value, entry->value, entry->len);
	answer->len = htonl(entry->len);
	return FOUND;
}

/* Work on a copy of the request, because the client can still write to the slot. */
static void do_request(struct server *server, struct client *client, unsigned int slot)
{
	struct answer *answer = (void *)client->answer.at;
	enum outcome outcome = NONSENSE;
	struct request request;

	memcpy(&request, server->slots.at + slot * SLOT, sizeof(request));
	request.len = ntohl(request.len);
	answer->len = 0;
	if (request.len <= VALUE_BYTES && ntohl(request.what) == PUT)
		outcome = put(server, &request);
	else if (ntohl(request.what) == GET)
		outcome = get(server, &request, answer);
	else if (ntohl(request.what) == BYE)
		client->gone = true;
	answer->outcome = htonl(outcome);
}

static void reply(struct client *client)
{
	const struct ibv_send_wr send = { .opcode = IBV_WR_SEND };

	post_receive(client->id->qp, &client->answer, 0);
	post(client->id->qp, send, &client->answer, sizeof(struct answer));
}

/* A client without the key, or one that has died, must not stop the others. */
static void lose(struct client *client, const char *why)
{
	fprintf(stderr, "a client is lost: %s\n", why);
	client->gone = true;
	client->lost = true;
}

static void find_lost(struct server *server)
{
	unsigned int i;

	for (i = 0; i < server->number; i++)
		if (!server->clients[i].gone && has_ended(server->clients[i].id))
			lose(&server->clients[i], "it has ended the connection");
}

/* Handle one completion. Each client has at most one request outstanding. */
static void take(struct server *server, const struct ibv_wc *wc)
{
	struct client *client;
	unsigned int i = 0;

	while (server->clients[i].id->qp->qp_num != wc->qp_num)
		i++;
	client = &server->clients[i];
	if (client->gone)
		return;
	if (wc->status != IBV_WC_SUCCESS) {
		lose(client, ibv_wc_status_str(wc->status));
	} else if (wc->opcode != IBV_WC_SEND) {
		do_request(server, client, i);
		reply(client);
	}
}

static bool is_wanted(const struct server *server)
{
	unsigned int i;

	for (i = 0; i < server->number; i++)
		if (!server->clients[i].gone)
			return true;
	return false;
}

static void serve(struct server *server)
{
	unsigned int spins = 0, i;
	struct ibv_wc wc;

	while (is_wanted(server)) {
		if (ibv_poll_cq(server->cq, 1, &wc) > 0)
			take(server, &wc);
		else if (!(++spins % 1024))
			find_lost(server);
	}
	for (i = 0; i < server->number; i++)
		if (!server->clients[i].lost)
			wait_for_end(server->clients[i].id);
}

static void set_up(struct server *server, struct ibv_context *context)
{
	const struct srnic_tree tree = { .depth = STEPS, .block = SLOT };

	server->pd = ibv_alloc_pd(context);
	must(!server->pd, "cannot allocate a domain");
	server->cq = ibv_create_cq(context, 2 * SEALED_DEPTH * CLIENTS, NULL, NULL, 0);
	must(!server->cq, "cannot create a completion queue");
	server->slots = make_room(server->pd, CLIENTS * SLOT, IBV_ACCESS_REMOTE_WRITE);
	must_srnic(srnic_protect_mr(server->slots.mr, &tree, NULL));
	server->entries = calloc(ENTRIES, sizeof(*server->entries));
	must(!server->entries, "memory");
}

/* The grant is sent from the answer buffer, which the first answer then overwrites. */
static void invite(struct server *server, struct client *client, unsigned int slot)
{
	uint64_t addr = (uintptr_t)server->slots.at + slot * SLOT;
	const struct ibv_send_wr send = { .opcode = IBV_WR_SEND };
	struct srnic_grant *all, *own;

	must_srnic(srnic_grant_mr(server->slots.mr, SRNIC_RIGHT_WRITE, &all));
	must_srnic(srnic_grant_narrow(all, addr, SLOT, &own));
	must_srnic(srnic_grant_pack(own, client->answer.at));
	srnic_grant_free(own);
	srnic_grant_free(all);
	post(client->id->qp, send, &client->answer, SRNIC_GRANT_LEN);
}

static void let_in(struct server *server, unsigned int slot)
{
	struct client *client = &server->clients[slot];
	struct rdma_conn_param param = conn_param(NULL, 0);

	must(rdma_get_request(server->listener, &client->id), "nobody connects");
	if (!server->pd)
		set_up(server, client->id->verbs);
	add_qp(client->id, server->pd, server->cq, &server->seal);
	client->answer = make_room(server->pd, sizeof(struct answer), 0);
	post_receive(client->id->qp, &client->answer, 0);
	must(rdma_accept(client->id, &param), "cannot accept");
	invite(server, client, slot);
}

static void run_server(struct server *server, const char *port)
{
	unsigned int i;

	server->listener = endpoint(NULL, port);
	must(rdma_listen(server->listener, CLIENTS), "cannot listen");
	for (i = 0; i < server->number; i++)
		let_in(server, i);
	wipe(server->seal.key, sizeof(server->seal.key));
	serve(server);

	for (i = 0; i < server->number; i++) {
		rdma_destroy_qp(server->clients[i].id);
		free_room(&server->clients[i].answer);
		rdma_destroy_ep(server->clients[i].id);
	}
	free_room(&server->slots);
	ibv_destroy_cq(server->cq);
	ibv_dealloc_pd(server->pd);
	rdma_destroy_ep(server->listener);
	free(server->entries);
}

struct caller {
	struct seal seal;
	struct rdma_cm_id *id;
	struct ibv_cq *cq;
	struct room request;
	struct room answer;
	struct srnic_grant *slot;
	unsigned long keys;
};

static void connect_to(struct caller *caller, const char *address, const char *port)
{
	struct rdma_conn_param param = conn_param(NULL, 0);

	caller->id = endpoint(address, port);
	caller->cq = ibv_create_cq(caller->id->verbs, 2 * SEALED_DEPTH, NULL, NULL, 0);
	must(!caller->cq, "cannot create a completion queue");
	add_qp(caller->id, caller->id->pd, caller->cq, &caller->seal);
	wipe(caller->seal.key, sizeof(caller->seal.key));
	caller->request = make_room(caller->id->qp->pd, sizeof(struct request), 0);
	caller->answer = make_room(caller->id->qp->pd, sizeof(struct answer), 0);
	post_receive(caller->id->qp, &caller->answer, sizeof(struct answer));
	must(rdma_connect(caller->id, &param), address);

	completion(caller->id, caller->cq, "no grant; has the server the same key");
	must_srnic(srnic_grant_unpack(caller->answer.at, SRNIC_GRANT_LEN, &caller->slot));
	must_srnic(srnic_use_grant(caller->id->qp, caller->slot));
}

static enum outcome ask(struct caller *caller, enum what what, unsigned long key, uint32_t len)
{
	struct request *request = (void *)caller->request.at;
	const struct ibv_send_wr write = {
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.wr.rdma = {
			.remote_addr = srnic_grant_addr(caller->slot),
			.rkey = srnic_grant_rkey(caller->slot),
		},
	};

	request->what = htonl(what);
	request->len = htonl(len);
	memset(request->key, 0, KEY_BYTES);
	snprintf((char *)request->key, KEY_BYTES, "key %lu", key);
	post_receive(caller->id->qp, &caller->answer, sizeof(struct answer));
	post(caller->id->qp, write, &caller->request, offsetof(struct request, value) + len);
	/* the completions of the WRITE and of the answer, in any order */
	completion(caller->id, caller->cq, "no answer");
	completion(caller->id, caller->cq, "no answer");
	return ntohl(((struct answer *)caller->answer.at)->outcome);
}

static void make_value(unsigned char *value, unsigned long key)
{
	unsigned int i;

	for (i = 0; i < VALUE_BYTES; i++)
		value[i] = key * 31 + i;
}

static void put_all(struct caller *caller)
{
	struct request *request = (void *)caller->request.at;
	unsigned long key;

	for (key = 0; key < caller->keys; key++) {
		make_value(request->value, key);
		if (ask(caller, PUT, key, VALUE_BYTES) != STORED)
			die("key %lu was not stored", key);
	}
}

static void get_all(struct caller *caller)
{
	struct answer *answer = (void *)caller->answer.at;
	unsigned char value[VALUE_BYTES];
	unsigned long key;

	for (key = 0; key < caller->keys; key++) {
		if (ask(caller, GET, key, 0) != FOUND || ntohl(answer->len) != VALUE_BYTES)
			die("key %lu was not found", key);
		make_value(value, key);
		if (memcmp(value, answer->value, VALUE_BYTES))
			die("key %lu has another value than it was given", key);
	}
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static void report(const char *what, unsigned long count, double took)
{
	printf("%lu %s in %.2f s: %.0f a second\n", count, what, took, count / took);
}

static void run_client(struct caller *caller, const char *address, const char *port)
{
	double begin, middle, end;

	connect_to(caller, address, port);
	/* the server answers once all its clients have connected; start the clock then */
	if (ask(caller, GET, MOST_KEYS, 0) != NONE)
		die("a key was found that nobody has put");
	begin = seconds();
	put_all(caller);
	middle = seconds();
	get_all(caller);
	end = seconds();
	report("puts", caller->keys, middle - begin);
	report("gets", caller->keys, end - middle);

	ask(caller, BYE, 0, 0);
	rdma_disconnect(caller->id);
	srnic_grant_free(caller->slot);
	rdma_destroy_qp(caller->id);
	ibv_destroy_cq(caller->cq);
	free_room(&caller->request);
	free_room(&caller->answer);
	rdma_destroy_ep(caller->id);
}

int main(int argc, char **argv)
{
	struct seal seal = { .mode = SRNIC_MODE_AEAD, .suite = "aes-gcm-128" };
	struct server server = { .number = 1 };
	struct caller caller = { .keys = 1000 };
	const char *port = "7479";
	int option;

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		usage(stdout);
		return 0;
	}
	while ((option = getopt(argc, argv, "k:c:n:p:")) != -1) {
		switch (option) {
		case 'k':
			read_key(&seal, optarg);
			break;
		case 'c':
			server.number = number(optarg, CLIENTS, "number of clients");
			break;
		case 'n':
			caller.keys = number(optarg, MOST_KEYS, "number of keys");
			break;
		case 'p':
			port = optarg;
			break;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (!seal.len)
		die("a key is needed: -k FILE, or --help");
	server.seal = seal;
	caller.seal = seal;
	wipe(&seal, sizeof(seal));
	if (argv[optind])
		run_client(&caller, argv[optind], port);
	else
		run_server(&server, port);
	return 0;
}
