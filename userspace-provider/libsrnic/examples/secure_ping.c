// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Measure the RTT on a connection that both programs have sealed with a key of their own. It
 * needs neither an administrator's rule nor a privilege.
 *
 *	cc secure_ping.c $(pkg-config --cflags --libs libsrnic librdmacm libibverbs)
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <time.h>
#include <unistd.h>
#include "sealed.h"

#define MOST_BYTES	(1 << 20)
#define MOST_PINGS	1000000

/* Private data of the client's connection request */
struct plan {
	uint32_t count;		/* both in network order */
	uint32_t bytes;
};

struct ping {
	struct seal seal;
	const char *address;
	const char *port;
	uint32_t count;
	uint32_t bytes;
	struct rdma_cm_id *id;
	struct ibv_cq *cq;
	struct room rooms[2];
	uint32_t sent;
	uint32_t received;
};

static void usage(FILE *to)
{
	fputs("usage: secure_ping -k FILE [-p PORT] [-m MODE] [-s SUITE]\n"
	      "       secure_ping -k FILE [-p PORT] [-m MODE] [-s SUITE] [-n COUNT] [-b BYTES] ADDRESS\n"
	      "\n"
	      "The first answers one client, the second is the client.\n"
	      "\n"
	      "  -k FILE   the key: 16 to 32 bytes that both ends have\n"
	      "  -m MODE   header, packet, aead (default) or opaque; the same on both ends\n"
	      "  -s SUITE  see 'srnic suite' (default aes-gcm-128); the same on both ends\n"
	      "  -n COUNT  how often (default 1000)\n"
	      "  -b BYTES  of a message (default 64)\n"
	      "  -p PORT   (default 7477)\n", to);
}

static void set_up(struct ping *ping)
{
	struct ibv_context *context = ping->id->verbs;
	int i;

	ping->cq = ibv_create_cq(context, 2 * SEALED_DEPTH, NULL, NULL, 0);
	must(!ping->cq, "cannot create a completion queue");
	add_qp(ping->id, ping->id->pd, ping->cq, &ping->seal);
	wipe(ping->seal.key, sizeof(ping->seal.key));
	for (i = 0; i < 2; i++)
		ping->rooms[i] = make_room(ping->id->qp->pd, ping->bytes, 0);
	post_receive(ping->id->qp, &ping->rooms[0], ping->bytes);
}

static void tear_down(struct ping *ping)
{
	int i;

	rdma_destroy_qp(ping->id);
	ibv_destroy_cq(ping->cq);
	for (i = 0; i < 2; i++)
		free_room(&ping->rooms[i]);
	rdma_destroy_ep(ping->id);
}

static void wait_for(struct ping *ping, uint32_t sent, uint32_t received)
{
	while (ping->sent < sent || ping->received < received) {
		struct ibv_wc wc = completion(ping->id, ping->cq,
					      "no message; has the peer the same key");

		if (wc.opcode == IBV_WC_SEND)
			ping->sent++;
		else
			ping->received++;
	}
}

static void send_room(struct ping *ping, const struct room *room)
{
	const struct ibv_send_wr send = { .opcode = IBV_WR_SEND };

	post(ping->id->qp, send, room, ping->bytes);
}

/* Return the message just received; the next may arrive meanwhile in the other buffer. */
static void answer(struct ping *ping)
{
	uint32_t i;

	for (i = 0; i < ping->count; i++) {
		wait_for(ping, i, i + 1);
		if (i + 1 < ping->count)
			post_receive(ping->id->qp, &ping->rooms[(i + 1) % 2], ping->bytes);
		send_room(ping, &ping->rooms[i % 2]);
	}
	wait_for(ping, ping->count, ping->count);
}

static void serve(struct ping *ping)
{
	struct rdma_cm_id *listener = endpoint(NULL, ping->port);
	struct rdma_conn_param param = conn_param(NULL, 0);
	struct plan plan;

	must(rdma_listen(listener, 1), "cannot listen");
	must(rdma_get_request(listener, &ping->id), "nobody connects");
	if (ping->id->event->param.conn.private_data_len < sizeof(plan))
		die("the client does not say what it wants");
	memcpy(&plan, ping->id->event->param.conn.private_data, sizeof(plan));
	ping->count = ntohl(plan.count);
	ping->bytes = ntohl(plan.bytes);
	if (!ping->count || ping->count > MOST_PINGS || !ping->bytes || ping->bytes > MOST_BYTES)
		die("the client wants %u messages of %u bytes", ping->count, ping->bytes);

	set_up(ping);
	must(rdma_accept(ping->id, &param), "cannot accept");
	answer(ping);
	wait_for_end(ping->id);
	tear_down(ping);
	rdma_destroy_ep(listener);
}

static double microseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

/* Send a message and check that it returns unchanged. */
static double one_ping(struct ping *ping, uint32_t i)
{
	struct room *out = &ping->rooms[1], *in = &ping->rooms[0];
	double begin, end;

	memset(out->at, (int)(i % 255) + 1, ping->bytes);
	begin = microseconds();
	send_room(ping, out);
	wait_for(ping, i + 1, i + 1);
	end = microseconds();
	if (memcmp(out->at, in->at, ping->bytes))
		die("message %u came back changed", i);
	memset(in->at, 0, ping->bytes);
	if (i + 1 < ping->count)
		post_receive(ping->id->qp, in, ping->bytes);
	return end - begin;
}

static void measure(struct ping *ping)
{
	double least = 1e12, most = 0, sum = 0, took;
	uint32_t i;

	for (i = 0; i < ping->count; i++) {
		took = one_ping(ping, i);
		sum += took;
		if (took < least)
			least = took;
		if (took > most)
			most = took;
	}
	printf("%u messages of %u bytes, %s by %s: %.1f us there and back (%.1f to %.1f)\n",
	       ping->count, ping->bytes, srnic_mode_name(ping->seal.mode), ping->seal.suite,
	       sum / ping->count, least, most);
}

static void run_client(struct ping *ping)
{
	struct plan plan = { htonl(ping->count), htonl(ping->bytes) };
	struct rdma_conn_param param = conn_param(&plan, sizeof(plan));

	ping->id = endpoint(ping->address, ping->port);
	set_up(ping);
	must(rdma_connect(ping->id, &param), ping->address);
	measure(ping);
	rdma_disconnect(ping->id);
	tear_down(ping);
}

static void parse(struct ping *ping, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "k:m:s:n:b:p:")) != -1) {
		switch (option) {
		case 'k':
			read_key(&ping->seal, optarg);
			break;
		case 'm':
			must_srnic(srnic_mode_parse(&ping->seal.mode, optarg));
			break;
		case 's':
			ping->seal.suite = optarg;
			break;
		case 'n':
			ping->count = number(optarg, MOST_PINGS, "count");
			break;
		case 'b':
			ping->bytes = number(optarg, MOST_BYTES, "length");
			break;
		case 'p':
			ping->port = optarg;
			break;
		default:
			usage(stderr);
			exit(2);
		}
	}
	ping->address = argv[optind];
	if (!ping->seal.len)
		die("a key is needed: -k FILE, or --help");
}

int main(int argc, char **argv)
{
	struct ping ping = {
		.seal = { .mode = SRNIC_MODE_AEAD, .suite = "aes-gcm-128" },
		.port = "7477",
		.count = 1000,
		.bytes = 64,
	};

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		usage(stdout);
		return 0;
	}
	parse(&ping, argc, argv);
	if (ping.address)
		run_client(&ping);
	else
		serve(&ping);
	return 0;
}
