/* SPDX-License-Identifier: GPL-2.0 */
/*
 * strangers - connections that others have made and whose owner has not proved its key: how many
 * there may be, and which one makes room. A flood of them must not keep peers out.
 */
#ifndef STRANGERS_H
#define STRANGERS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define STRANGERS_MAX		32	/* connections of a class */
#define STRANGERS_OF_HOST	8	/* those of one host */
#define STRANGERS_A_SECOND	32	/* that begin in a class: each costs a signature */

struct peer;
struct session;

/**
 * enum stranger_class - classes, which have limits of their own
 * @STRANGER_UNKNOWN: comes from an address of no peer
 * @STRANGER_EXPECTED: comes from an address of a peer
 */
enum stranger_class {
	STRANGER_UNKNOWN,
	STRANGER_EXPECTED,
	STRANGER_CLASSES
};

/**
 * struct source - where a connection comes from
 * @host: IPv6 network of 64 bits, or IPv4-mapped address; all hosts of a network count as one,
 *	because one host can use each of its addresses
 * @class: see there
 */
struct source {
	struct in6_addr host;
	enum stranger_class class;
};

/**
 * struct strangers - limits of the rate at which connections begin
 * @left: number that may begin now
 * @since: when @left was computed, in clock_ms()
 */
struct strangers {
	unsigned int left[STRANGER_CLASSES];
	uint64_t since[STRANGER_CLASSES];
};

/* Return the IPv6 address, or the IPv4-mapped one, of a socket address. */
struct in6_addr address_of(const struct sockaddr_storage *address);
/* Test whether an address is a peer's: that of its endpoint, or of one of its RDMA devices. */
bool peer_has_address(const struct peer *peer, const struct in6_addr *address);
/* Reduce an address to the host that it counts for. */
struct in6_addr host_of(const struct in6_addr *address);

/* Test whether one more may begin at this time, and count it. */
bool strangers_begin(struct strangers *strangers, enum stranger_class class, uint64_t now);
/*
 * Return the connection that has to go before another one of @source begins, or NULL: of that
 * host if it has its share, else of the host with the most; of several the oldest one.
 */
struct session *strangers_excess(struct session *sessions, const struct source *source);

#endif /* STRANGERS_H */
