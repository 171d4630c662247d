// SPDX-License-Identifier: GPL-2.0
/*
 * srnic-garbage - flood of packets that are all dropped, sent as fast as possible.
 *
 * `kinds` lists the reasons for which they are dropped. Two kinds go to a closed UDP port and
 * show the cost of the flood itself. The packets carry the addresses of a peer, which an
 * attacker can forge. Sends a given number of packets, or until SIGTERM, and prints the
 * number, and the nanoseconds of each: where the clock counts instructions, what sender and
 * receiver have spent on it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include "sums.h"

#define ROCE_PORT	4791
#define CLOSED_PORT	4792
#define BATCH		64
#define HEADERS		(ETH_HLEN + 20 + 8)
#define BTH		12
#define RETH		16
#define ICRC		4
#define STH_128		16		/* STH with a tag of 128 bits: size and code */
#define STH_128_CODE	2
#define WRITE_ONLY	0x0a
#define HELLO		0xc0
#define CONFIRM		0xc2
#define FRAME_BODY	72		/* of a handshake frame, without its tag of 128 bits */
#define FRAME_VERSION	2
#define FRAME_NONCE_R	24		/* offset in the body; it is zero in HELLO */
#define FRAME_SHARE	40
#define FRAME_PSN	0x1234		/* where the test has its connection start */
#define NO_QP		0xfffffe
#define FRAME_MAX	2048

struct kind {
	const char *name;
	uint16_t port;
	uint16_t payload;
	uint8_t version;	/* of the BTH; only 0 is valid */
	bool wrong_icrc;
	bool wrong_qp;
	bool sealed;
	uint8_t handshake;	/* opcode of a handshake frame */
	bool newer;		/* of the next version of the handshake */
};

static const struct kind kinds[] = {
	{ .name = "closed", .port = CLOSED_PORT, .payload = 64 },
	{ .name = "closed-1k", .port = CLOSED_PORT, .payload = 1024 },
	{ .name = "malformed", .port = ROCE_PORT, .payload = 64, .version = 7 },
	{ .name = "qp", .port = ROCE_PORT, .payload = 64, .wrong_qp = true },
	{ .name = "icrc", .port = ROCE_PORT, .payload = 1024, .wrong_icrc = true },
	{ .name = "old", .port = ROCE_PORT, .payload = 64 },
	{ .name = "seal", .port = ROCE_PORT, .payload = 1024, .sealed = true },
	{ .name = "frame-icrc", .port = ROCE_PORT, .handshake = HELLO, .wrong_icrc = true },
	{ .name = "hello", .port = ROCE_PORT, .handshake = HELLO },
	{ .name = "hello-newer", .port = ROCE_PORT, .handshake = HELLO, .newer = true },
	{ .name = "confirm", .port = ROCE_PORT, .handshake = CONFIRM },
};

#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

static uint8_t frames[BATCH][FRAME_MAX];
static size_t frame_len;
static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static void die(const char *what)
{
	fprintf(stderr, "srnic-garbage: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint8_t *put(uint8_t *p, uint32_t value, int bytes)
{
	while (bytes--)
		*p++ = value >> (8 * bytes);
	return p;
}

/* PSNs far behind what the connection expects; sealed packets have plausible ones. */
static uint32_t psn_of(const struct kind *kind, unsigned int number)
{
	return kind->sealed ? (1U << 20) + number : (0xff0000U | number);
}

static uint8_t *put_bth(uint8_t *p, const struct kind *kind, uint32_t qpn, unsigned int number)
{
	*p++ = WRITE_ONLY;
	*p++ = 0x40 | kind->version;
	p = put(p, 0xffff, 2);
	p = put(p, kind->wrong_qp ? NO_QP : qpn, 4);
	return put(p, 0x80000000U | (kind->sealed ? STH_128_CODE << 28 : 0) |
		   psn_of(kind, number), 4);
}

/* Write the BTH and the body of a handshake frame under a key that nobody has. */
static void put_handshake(uint8_t *p, const struct kind *kind, uint32_t qpn, unsigned int number)
{
	p[0] = kind->handshake;
	p[1] = 0;
	put(p + 2, 0xffff, 2);
	put(p + 4, qpn, 4);
	put(p + 8, STH_128_CODE << 28 | FRAME_PSN, 4);
	p += BTH;
	for (size_t i = 4; i < FRAME_BODY + STH_128; i++)
		p[i] = 1 + number + i;
	put(p, (FRAME_VERSION + kind->newer) << 24, 4);
	if (kind->handshake == HELLO)
		memset(p + FRAME_NONCE_R, 0, FRAME_SHARE - FRAME_NONCE_R);
}

/* Write what follows the header of UDP; return its length, without ICRC. */
static size_t put_body(uint8_t *p, const struct kind *kind, uint32_t qpn, unsigned int number)
{
	size_t body = BTH + RETH + (kind->sealed ? STH_128 : 0) + kind->payload;

	if (kind->handshake) {
		put_handshake(p, kind, qpn, number);
		return BTH + FRAME_BODY + STH_128;
	}
	put_bth(p, kind, qpn, number);
	for (size_t i = BTH; i < body; i++)
		p[i] = number + i - BTH;
	put(p + BTH + 12, kind->payload, 4);	/* RETH's length */
	return body;
}

static void put_headers(uint8_t *frame, const struct kind *kind, const char *mac,
			const char *from, const char *to, size_t udp_len)
{
	uint8_t *ip = frame + ETH_HLEN, *udp = ip + 20;

	if (sscanf(mac, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", frame, frame + 1, frame + 2,
		   frame + 3, frame + 4, frame + 5) != 6)
		die(mac);
	frame[6] = 2;		/* locally administered address */
	put(frame + 12, ETH_P_IP, 2);
	ip[0] = 0x45;
	put(ip + 2, 20 + udp_len, 2);
	ip[6] = 0x40;		/* DF */
	ip[8] = 64;
	ip[9] = IPPROTO_UDP;
	if (inet_pton(AF_INET, from, ip + 12) != 1 || inet_pton(AF_INET, to, ip + 16) != 1)
		die("an address");
	put(udp, 0xc000, 2);
	put(udp + 2, kind->port, 2);
	put(udp + 4, udp_len, 2);
}

static void build(unsigned int number, const struct kind *kind, char **where)
{
	uint8_t *frame = frames[number], *ip = frame + ETH_HLEN;
	size_t body = put_body(frame + HEADERS, kind, strtoul(where[3], NULL, 0), number);

	put_headers(frame, kind, where[0], where[1], where[2], 8 + body + ICRC);
	frame_len = HEADERS + body + ICRC;
	repair_icrc(ip, 20, frame_len - ETH_HLEN);
	repair_sums(ip, 20, frame_len - ETH_HLEN);
	if (kind->wrong_icrc)
		frame[frame_len - 1] ^= 0x5a;
}

static int open_port(const char *name)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET };
	int fd = socket(AF_PACKET, SOCK_RAW, 0), one = 1;

	at.sll_ifindex = if_nametoindex(name);
	if (fd < 0 || !at.sll_ifindex || bind(fd, (struct sockaddr *)&at, sizeof(at)))
		die(name);
	setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof(one));
	return fd;
}

static unsigned long flood(int fd, unsigned long count)
{
	struct mmsghdr messages[BATCH] = {};
	struct iovec parts[BATCH];
	unsigned long sent = 0;

	for (int i = 0; i < BATCH; i++) {
		parts[i] = (struct iovec){ frames[i], frame_len };
		messages[i].msg_hdr = (struct msghdr){ .msg_iov = &parts[i], .msg_iovlen = 1 };
	}
	while (!stop && sent < count) {
		unsigned int most = count - sent < BATCH ? count - sent : BATCH;
		int n = sendmmsg(fd, messages, most, 0);

		if (n > 0)
			sent += n;
		else if (errno != ENOBUFS && errno != EINTR)
			die("sendmmsg");
	}
	return sent;
}

static unsigned long long now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1000000000ULL + at.tv_nsec;
}

static const struct kind *find(const char *name)
{
	for (size_t i = 0; i < KINDS; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	fprintf(stderr, "srnic-garbage: no kind '%s'\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	const struct kind *kind;
	unsigned long count, sent;
	unsigned long long begin, took;

	if (argc != 7 && argc != 8) {
		fprintf(stderr, "usage: srnic-garbage KIND NETDEV MAC FROM TO QP-NUMBER [COUNT]\n"
			"kinds: closed closed-1k malformed qp icrc old seal frame-icrc hello hello-newer\n"
			"       confirm\n"
			"example: srnic-garbage icrc va $(cat /sys/class/net/vb/address) "
			"10.77.0.1 10.77.0.2 0x12 20000\n");
		return 2;
	}
	kind = find(argv[1]);
	count = argc > 7 ? strtoul(argv[7], NULL, 0) : ULONG_MAX;
	for (unsigned int i = 0; i < BATCH; i++)
		build(i, kind, argv + 3);
	signal(SIGTERM, on_signal);
	begin = now();
	sent = flood(open_port(argv[2]), count);
	took = now() - begin;
	printf("%lu packets in %llu s, each %llu ns\n", sent, took / 1000000000,
	       sent ? took / sent : 0ULL);
	return 0;
}
