// SPDX-License-Identifier: GPL-2.0
/*
 * srnic-garbage - flood of packets that are all dropped, sent as fast as possible.
 *
 * `kinds` lists the reasons for which they are dropped. Two kinds go to a closed UDP port and
 * show the cost of the flood itself. The packets carry the addresses of a peer, which an
 * attacker can forge. Sends a given number of packets, or until SIGTERM, and prints the
 * number.
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
};

static const struct kind kinds[] = {
	{ "closed", CLOSED_PORT, 64, 0, false, false, false },
	{ "closed-1k", CLOSED_PORT, 1024, 0, false, false, false },
	{ "malformed", ROCE_PORT, 64, 7, false, false, false },
	{ "qp", ROCE_PORT, 64, 0, false, true, false },
	{ "icrc", ROCE_PORT, 1024, 0, true, false, false },
	{ "old", ROCE_PORT, 64, 0, false, false, false },
	{ "seal", ROCE_PORT, 1024, 0, false, false, true },
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
	size_t body = BTH + RETH + (kind->sealed ? STH_128 : 0) + kind->payload;
	uint8_t *frame = frames[number], *ip = frame + ETH_HLEN, *p = frame + HEADERS;

	put_headers(frame, kind, where[0], where[1], where[2], 8 + body + ICRC);
	p = put_bth(p, kind, strtoul(where[3], NULL, 0), number);
	for (size_t i = 0; i < body - BTH; i++)
		*p++ = number + i;
	put(frame + HEADERS + BTH + 12, kind->payload, 4);	/* RETH's length */
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
	unsigned long count;
	time_t begin;

	if (argc != 7 && argc != 8) {
		fprintf(stderr, "usage: srnic-garbage KIND NETDEV MAC FROM TO QP-NUMBER [COUNT]\n"
			"kinds: closed closed-1k malformed qp icrc old seal\n"
			"example: srnic-garbage icrc va $(cat /sys/class/net/vb/address) "
			"10.77.0.1 10.77.0.2 0x12 20000\n");
		return 2;
	}
	kind = find(argv[1]);
	count = argc > 7 ? strtoul(argv[7], NULL, 0) : ULONG_MAX;
	for (unsigned int i = 0; i < BATCH; i++)
		build(i, kind, argv + 3);
	signal(SIGTERM, on_signal);
	begin = time(NULL);
	printf("%lu packets", flood(open_port(argv[2]), count));
	printf(" in %ld s\n", (long)(time(NULL) - begin));
	return 0;
}
