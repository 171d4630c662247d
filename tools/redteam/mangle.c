// SPDX-License-Identifier: GPL-2.0
/*
 * srnic-mangle - a wire that flips bits and repairs checksums.
 *
 * Forwards every frame between two netdevs. In one of N packets to UDP port 4791 it
 * flips a random bit after the Ethernet header, then repairs the IP and UDP checksums
 * and, on request, the ICRC: only the ICRC, or else only the seal, can detect the
 * change.
 */
#include <getopt.h>
#include <linux/if_ether.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "port.h"
#include "sums.h"

#define ROCE_PORT	4791
#define FRAME_MAX	65536
#define ROOM		(16 << 20)

static volatile sig_atomic_t stop;
static unsigned long forwarded, mangled;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static void mangle(uint8_t *frame, size_t len, unsigned int rate, bool icrc)
{
	uint8_t *ip = frame + ETH_HLEN;
	size_t at, ip_len;

	if (len < ETH_HLEN + 28 || rand() % rate)
		return;
	at = udp_at(ip, len - ETH_HLEN);
	if (!at || (ip[at + 2] << 8 | ip[at + 3]) != ROCE_PORT)
		return;
	ip_len = at == 20 ? (size_t)(ip[2] << 8 | ip[3]) : 40U + (ip[4] << 8 | ip[5]);
	if (ip_len > len - ETH_HLEN || ip_len < at + 8)
		return;
	ip[rand() % ip_len] ^= 1 << rand() % 8;
	mangled++;
	if (udp_at(ip, ip_len) != at)
		return;		/* the flip made it something else: forward it unchanged */
	if (icrc)
		repair_icrc(ip, at, ip_len);
	repair_sums(ip, at, ip_len);
}

static void forward(int from, int to, unsigned int rate, bool icrc)
{
	static uint8_t frame[FRAME_MAX];
	ssize_t len = recv(from, frame, sizeof(frame), MSG_DONTWAIT);

	if (len <= 0)
		return;
	mangle(frame, len, rate, icrc);
	/* a full queue loses the frame, as a wire could */
	if (send(to, frame, len, 0) == len)
		forwarded++;
}

static const char usage[] =
"usage: srnic-mangle [options] DEV1 DEV2\n"
"\n"
"  -r, --rate N    flip a bit in one of N packets (100)\n"
"  -i, --icrc      repair the ICRC, too, so that only a seal can detect the change\n"
"  -s, --seed N    seed of the random numbers (1)\n"
"\n"
"Forwards frames until it is ended (SIGTERM), then prints how many it has changed.\n";

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "rate", 1, NULL, 'r' }, { "icrc", 0, NULL, 'i' }, { "seed", 1, NULL, 's' },
		{ "help", 0, NULL, 'h' }, { }
	};
	struct sigaction act = { .sa_handler = on_signal };
	unsigned int rate = 100, seed = 1;
	struct pollfd port[2];
	bool icrc = false;
	int c;

	while ((c = getopt_long(argc, argv, "r:is:h", longs, NULL)) != -1) {
		switch (c) {
		case 'r': rate = strtoul(optarg, NULL, 0); break;
		case 'i': icrc = true; break;
		case 's': seed = strtoul(optarg, NULL, 0); break;
		case 'h': fputs(usage, stdout); return 0;
		default: fputs(usage, stderr); return 2;
		}
	}
	if (argc - optind != 2 || !rate) {
		fputs(usage, stderr);
		return 2;
	}
	srand(seed);
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	for (int i = 0; i < 2; i++)
		port[i] = (struct pollfd){
			.fd = port_open(argv[optind + i], ROOM), .events = POLLIN,
		};
	while (!stop) {
		if (poll(port, 2, 1000) <= 0)
			continue;
		for (int i = 0; i < 2; i++)
			if (port[i].revents & POLLIN)
				forward(port[i].fd, port[1 - i].fd, rate, icrc);
	}
	printf("srnic-mangle: %lu frames forwarded, %lu changed\n", forwarded, mangled);
	return 0;
}
