// SPDX-License-Identifier: GPL-2.0
/*
 * srnic-cut - a NIC that segments UDP, with wrong IPv4 identifications.
 *
 * Forwards every frame between two netdevs. It segments UDP super-packets; all segments have
 * the identification of the first or, on request, consecutive ones, as from Linux
 * (inet_gso_segment()) and correct NICs. Segments have no UDP checksum, so that GRO does not
 * merge them again.
 */
#include <getopt.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include "port.h"
#include "sums.h"

#define GSO_UDP_L4	5	/* VIRTIO_NET_HDR_GSO_UDP_L4, which Debian 12's headers lack */
#define HEADERS		(ETH_HLEN + 20 + 8)
#define FRAME_MAX	(ETH_HLEN + 65535)
#define ROOM		(16 << 20)

/* A frame as passed by a packet socket with PACKET_VNET_HDR, with its pending offloads */
struct carrier {
	struct virtio_net_hdr todo;
	uint8_t frame[FRAME_MAX];
} __attribute__((packed));

static volatile sig_atomic_t stop;
static unsigned long cut, segments, others;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static void put16(uint8_t *at, unsigned int value)
{
	at[0] = value >> 8;
	at[1] = value;
}

static unsigned int get16(const uint8_t *at)
{
	return at[0] << 8 | at[1];
}

static void send_segment(int to, const uint8_t *whole, unsigned int id, const uint8_t *payload,
			 size_t len)
{
	static const struct virtio_net_hdr nothing;
	uint8_t headers[HEADERS], *ip = headers + ETH_HLEN, *udp = ip + 20;
	struct iovec parts[] = {
		{ (void *)&nothing, sizeof(nothing) },
		{ headers, HEADERS },
		{ (void *)payload, len },
	};

	memcpy(headers, whole, HEADERS);
	put16(ip + 2, 20 + 8 + len);
	put16(ip + 4, id);
	put16(udp + 4, 8 + len);
	put16(udp + 6, 0);
	repair_sums(ip, 20, 20 + 8 + len);
	/* a full queue loses the segment, as a wire could */
	if (writev(to, parts, 3) > 0)
		segments++;
}

static void forward(int from, int to, bool increment)
{
	static struct carrier carrier;
	ssize_t len = recv(from, &carrier, sizeof(carrier), MSG_DONTWAIT);
	const uint8_t *frame = carrier.frame;
	size_t size = carrier.todo.gso_size, end;
	unsigned int id;

	if (len <= (ssize_t)sizeof(carrier.todo))
		return;
	if (carrier.todo.gso_type != GSO_UDP_L4 || frame[ETH_HLEN] != 0x45) {
		if (send(to, &carrier, len, 0) == len)
			others++;
		return;
	}
	end = len - sizeof(carrier.todo);
	id = get16(frame + ETH_HLEN + 4);
	for (size_t at = HEADERS; at < end; at += size, id += increment)
		send_segment(to, frame, id, frame + at, at + size < end ? size : end - at);
	cut++;
}

static int open_whole(const char *name)
{
	int fd = port_open(name, ROOM), one = 1;

	if (setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof(one)))
		die("cannot take super-packets whole from", name);
	return fd;
}

static const char usage[] =
"usage: srnic-cut [--increment] DEV1 DEV2\n"
"\n"
"  -i, --increment  number the segments consecutively, as a correct NIC does\n"
"\n"
"Forwards frames, and segments UDP super-packets, until it is ended (SIGTERM); then prints\n"
"how many it has segmented.\n";

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "increment", 0, NULL, 'i' }, { "help", 0, NULL, 'h' }, { }
	};
	struct sigaction act = { .sa_handler = on_signal };
	struct pollfd port[2];
	bool increment = false;
	int c;

	while ((c = getopt_long(argc, argv, "ih", longs, NULL)) != -1) {
		switch (c) {
		case 'i': increment = true; break;
		case 'h': fputs(usage, stdout); return 0;
		default: fputs(usage, stderr); return 2;
		}
	}
	if (argc - optind != 2) {
		fputs(usage, stderr);
		return 2;
	}
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	for (int i = 0; i < 2; i++)
		port[i] = (struct pollfd){ .fd = open_whole(argv[optind + i]), .events = POLLIN };
	while (!stop) {
		if (poll(port, 2, 1000) <= 0)
			continue;
		for (int i = 0; i < 2; i++)
			if (port[i].revents & POLLIN)
				forward(port[i].fd, port[1 - i].fd, increment);
	}
	printf("srnic-cut: %lu super-packets cut into %lu segments, %lu other frames\n", cut,
	       segments, others);
	return 0;
}
