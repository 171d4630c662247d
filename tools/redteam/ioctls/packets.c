// SPDX-License-Identifier: GPL-2.0
/*
 * Packets as a peer could send them, with known QPNs and keys, and as an attacker could spoil
 * them. No privilege is needed: a datagram sent from here to the device's own address appears
 * to come from that address, which is where the queue pairs' peers are.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../sums.h"
#include "ioctls.h"

#define ROCE_PORT	4791
#define HEADERS		28	/* IP and UDP */
#define BTH		12
#define ICRC		4
#define MTU		1024	/* as set by sense_modify_qp() */
#define BATCH		24

/* Extension headers and data behind the BTH (IBA 9.2.1, A19) */
enum {
	RETH = 1, ATOMIC = 2, AETH = 4, ATOMIC_ACK = 8, IMM = 16, IETH = 32, DETH = 64, DATA = 128,
	FETH = 256, WORD = 512,
};

/* Indexed by the opcode's low five bits, for RC and UC */
static const uint16_t has[32] = {
	[0x00] = DATA, [0x01] = DATA, [0x02] = DATA, [0x03] = IMM | DATA, [0x04] = DATA,
	[0x05] = IMM | DATA, [0x06] = RETH | DATA, [0x07] = DATA, [0x08] = DATA,
	[0x09] = IMM | DATA, [0x0a] = RETH | DATA, [0x0b] = RETH | IMM | DATA, [0x0c] = RETH,
	[0x0d] = AETH | DATA, [0x0e] = DATA, [0x0f] = AETH | DATA, [0x10] = AETH | DATA,
	[0x11] = AETH, [0x12] = AETH | ATOMIC_ACK, [0x13] = ATOMIC, [0x14] = ATOMIC,
	[0x16] = IETH | DATA, [0x17] = IETH | DATA, [0x1c] = FETH | RETH,
	[0x1d] = RETH | DATA | WORD,
};

/* A packet from its IP header on, and its current length */
struct packet {
	uint8_t bytes[HEADERS + 256 + 2 * MTU];
	size_t len;
};

static void add(struct packet *packet, uint64_t value, int bytes)
{
	while (bytes--)
		packet->bytes[packet->len++] = value >> (8 * bytes);
}

static uint8_t any_opcode(struct chance *chance, uint8_t type)
{
	if (chance_one_in(chance, 16))
		return chance_any(chance);
	if (type == UD)
		return 0x64 + chance_below(chance, 2);
	return (type == UC ? 0x20 : 0) + chance_below(chance, type == UC ? 0x0c : 0x1e);
}

static void add_bth(struct packet *packet, struct chance *chance, uint8_t opcode, uint32_t qpn,
		    size_t payload)
{
	uint32_t psn = chance_one_in(chance, 8) ? chance_any(chance) : chance_below(chance, 24);

	add(packet, opcode, 1);
	add(packet, 0x40 | (-payload & 3) << 4 | chance_below(chance, 2) << 7, 1);
	add(packet, 0xffff, 2);
	add(packet, qpn & 0xffffff, 4);
	add(packet, (uint32_t)chance_below(chance, 2) << 31 | (psn & 0xffffff), 4);
}

static void add_memory(struct packet *packet, struct caller *caller, struct file *file)
{
	struct object *mr = object_any(caller, file, MR);

	add(packet, mr ? mr->start : chance_any(&caller->chance), 8);
	add(packet, mr ? mr->number : chance_any(&caller->chance), 4);
}

static void add_extended(struct packet *packet, struct caller *caller, struct file *file,
			 uint16_t what, size_t payload)
{
	struct chance *chance = &caller->chance;

	if (what & FETH)	/* placement types and selectivity; the rest is reserved */
		add(packet, chance_below(chance, chance_one_in(chance, 8) ? 256 : 4) |
		    chance_below(chance, 2) << 4, 4);
	if (what & DETH) {
		add(packet, 0x11111111, 4);
		add(packet, chance_below(chance, 1 << 24), 4);
	}
	if (what & (RETH | ATOMIC))
		add_memory(packet, caller, file);
	if (what & RETH)
		add(packet, chance_one_in(chance, 4) ? chance_below(chance, 8192) : payload, 4);
	if (what & ATOMIC) {
		add(packet, chance_any(chance), 8);
		add(packet, chance_any(chance), 8);
	}
	if (what & AETH)	/* ACK, RNR NAK or NAK, and MSN */
		add(packet, chance_below(chance, 4) << 29 | chance_below(chance, 1 << 29), 4);
	if (what & ATOMIC_ACK)
		add(packet, chance_any(chance), 8);
	if (what & (IMM | IETH))
		add(packet, chance_any(chance), 4);
}

/* Build a valid packet, without ICRC */
static void make_packet(struct packet *packet, struct caller *caller, struct file *file,
			const struct object *qp)
{
	struct chance *chance = &caller->chance;
	uint8_t opcode = any_opcode(chance, qp->type);
	uint16_t what = qp->type == UD ? DETH | DATA | (opcode & 1 ? IMM : 0) : has[opcode & 0x1f];
	size_t payload = 0;

	if (what & DATA)
		payload = chance_one_in(chance, 2) ? MTU : chance_below(chance, MTU + 1);
	if (what & WORD && !chance_one_in(chance, 4))
		payload = 8;
	packet->len = HEADERS;
	add_bth(packet, chance, opcode, qp->number, payload);
	add_extended(packet, caller, file, what, payload);
	for (size_t i = 0; i < (payload + 3) / 4; i++)
		add(packet, chance_any(chance), 4);
}

/* Truncate, extend, or flip bits */
static void spoil_packet(struct packet *packet, struct chance *chance)
{
	size_t body = packet->len - HEADERS;

	switch (chance_below(chance, 3)) {
	case 0:
		packet->len = HEADERS + chance_below(chance, body + 1);
		break;
	case 1:
		packet->len += chance_below(chance, 64);
		break;
	default:	/* preferably in the headers */
		if (body > 48 && !chance_one_in(chance, 4))
			body = 48;
		for (int i = 1 + chance_below(chance, 3); i; i--)
			packet->bytes[HEADERS + chance_below(chance, body)] ^=
				1 << chance_below(chance, 8);
	}
}

/* Predict the headers that the kernel prepends to a datagram from @port; with DF the ID is 0 */
static void add_front(struct packet *packet, uint32_t address, uint16_t port)
{
	uint8_t *ip = packet->bytes, *udp = ip + 20;
	size_t len = packet->len;

	memset(ip, 0, HEADERS);
	ip[0] = 0x45;
	ip[6] = 0x40;
	ip[9] = IPPROTO_UDP;
	memcpy(ip + 12, &address, 4);
	memcpy(ip + 16, &address, 4);
	packet->len = 2;
	add(packet, len, 2);
	packet->len = 20;
	add(packet, port, 2);
	add(packet, ROCE_PORT, 2);
	add(packet, len - (udp - ip), 2);
	packet->len = len;
}

static int open_socket(uint16_t *port)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), way = IP_PMTUDISC_DO;
	struct sockaddr_in from = { .sin_family = AF_INET };
	socklen_t len = sizeof(from);

	if (fd < 0)
		return fd;
	if (setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &way, sizeof(way)) ||
	    bind(fd, (struct sockaddr *)&from, len) ||
	    getsockname(fd, (struct sockaddr *)&from, &len)) {
		close(fd);
		return -1;
	}
	*port = ntohs(from.sin_port);
	return fd;
}

static int send_packet(struct shot *shot, int fd, uint16_t port, const struct object *qp)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(ROCE_PORT) };
	struct chance *chance = &shot->caller->chance;
	struct packet packet;
	uint8_t gid[16];

	address_of_own(gid);
	memcpy(&to.sin_addr, gid + 12, 4);
	make_packet(&packet, shot->caller, shot->file, qp);
	if (chance_one_in(chance, 2))
		spoil_packet(&packet, chance);
	packet.len += ICRC;
	add_front(&packet, to.sin_addr.s_addr, port);
	repair_icrc(packet.bytes, 20, packet.len);
	if (chance_one_in(chance, 32))
		packet.bytes[packet.len - 1] ^= 1;
	if (sendto(fd, packet.bytes + HEADERS, packet.len - HEADERS, 0, (struct sockaddr *)&to,
		   sizeof(to)) < 0)
		return errno;
	atomic_fetch_add(&world->packets, 1);
	return 0;
}

/* Send several packets from one port, to one queue pair or occasionally to none */
int packets_send(struct shot *shot)
{
	struct object *qp = object_any(shot->caller, shot->file, QP), none = { .type = RC };
	uint16_t port = 0;
	int fd, err = 0;

	if (!qp)
		return ENOENT;
	if (chance_one_in(&shot->caller->chance, 16))
		qp = &none;
	fd = open_socket(&port);
	if (fd < 0)
		return errno;
	for (int i = 0; i < BATCH && !err; i++)
		err = send_packet(shot, fd, port, qp);
	close(fd);
	return err;
}
