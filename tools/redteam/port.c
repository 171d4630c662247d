// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "port.h"

void die(const char *what, const char *name)
{
	fprintf(stderr, "%s: %s %s: %s\n", program_invocation_short_name, what, name,
		strerror(errno));
	exit(1);
}

int port_open(const char *name, int room)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	struct packet_mreq promisc = { .mr_type = PACKET_MR_PROMISC };
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)), one = 1;

	at.sll_ifindex = if_nametoindex(name);
	promisc.mr_ifindex = at.sll_ifindex;
	if (fd < 0 || !at.sll_ifindex)
		die("cannot open", name);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promisc, sizeof(promisc)))
		die("cannot bind to", name);
	/* do not receive frames that this process sends on the port */
	setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	return fd;
}
