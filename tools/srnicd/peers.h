/* SPDX-License-Identifier: GPL-2.0 */
/*
 * peers - the file of this host's peers. Each line has a name, a public key, an endpoint or '-',
 * an address or prefix, and a suite; '#' begins a comment.
 */
#ifndef PEERS_H
#define PEERS_H

#include <srnic/srnic.h>
#include <sys/socket.h>
#include "base64.h"
#include "why.h"

#define PEERS_FILE	"peers"
#define PEERS_MAX	256
#define PEER_SUITE	"aes-gcm-128"	/* unless another is chosen */
#define PEER_PORT	14791		/* of TCP */
#define ENDPOINT_MAX	64		/* characters, with the terminator */

/**
 * struct peer - a host with which this one shares keys
 * @name: its name here, which is also that of the key; as for srnic_key_add()
 * @public_key: the key that proves that it is the peer
 * @endpoint: address and port where it listens, as "192.0.2.1:14791" or "[2001:db8::1]:14791";
 *	empty: it is not dialed
 * @prefix: the addresses of its RDMA devices
 * @suite: suite of the rule for @prefix, in mode aead
 */
struct peer {
	char name[SRNIC_NAME_MAX + 1];
	uint8_t public_key[KEY_LEN];
	char endpoint[ENDPOINT_MAX];
	struct srnic_prefix prefix;
	char suite[SRNIC_NAME_MAX + 1];
};

struct peers {
	struct peer *list;
	unsigned int count;
};

/* Parse words of a line; return false with the reason. */
bool peer_set_name(struct peer *peer, const char *word, struct why *why);
bool peer_set_public_key(struct peer *peer, const char *word, struct why *why);
bool peer_set_endpoint(struct peer *peer, const char *word, struct why *why);
bool peer_set_prefix(struct peer *peer, const char *word, struct why *why);
bool peer_set_suite(struct peer *peer, const char *word, struct why *why);

/* Return the socket address of a numeric endpoint; false if it is not one. */
bool endpoint_address(const char *endpoint, struct sockaddr_storage *address, socklen_t *len);

/* Read all peers; a file that does not exist has none. */
bool peers_read(const char *folder, struct peers *peers, struct why *why);
void peers_free(struct peers *peers);
/* Append a peer, unless another has its name, key or address. */
bool peers_append(struct peers *peers, const struct peer *peer, struct why *why);
struct peer *peers_find(const struct peers *peers, const char *name);

/* Write a line for a new peer. Comments are kept. */
bool peers_add(const char *folder, const struct peer *peer, struct why *why);
/* Remove the line of the peer whose name @peer has, and fill in the rest of @peer from it. */
bool peers_del(const char *folder, struct peer *peer, struct why *why);

#endif /* PEERS_H */
