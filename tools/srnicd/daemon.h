/* SPDX-License-Identifier: GPL-2.0 */
/*
 * daemon - the parts of srnicd.
 */
#ifndef DAEMON_H
#define DAEMON_H

#include "clock.h"
#include "exchange.h"
#include "kernel.h"
#include "session.h"
#include "strangers.h"

#define LISTEN_MAX	8	/* addresses */

struct daemon;

/**
 * struct link - a peer, and the connections with it
 * @next: in the daemon's list
 * @daemon: the daemon
 * @peer: from the file of peers
 * @leader: this end begins generations: its public key is the smaller one
 * @session: the open connection, if there is one
 * @dialing: the connection that this end is making, if there is one
 * @exchange: that of @session
 * @done: the generation of @session that was announced
 * @failures: attempts since the last success
 * @dial_at: not earlier
 * @look_at: when to look whether the kernel still has the key, and what it has sealed
 * @said: the last reason that was logged, so that it is not repeated
 */
struct link {
	struct link *next;
	struct daemon *daemon;
	struct peer peer;
	bool leader;
	struct session *session;
	struct session *dialing;
	struct exchange exchange;
	uint64_t done;
	unsigned int failures;
	uint64_t dial_at;
	uint64_t look_at;
	struct why said;
};

/**
 * struct daemon - all of it
 * @folder: of the files
 * @rekey_ms: time between generations
 * @rekey_bytes: bytes that a generation may seal before the next one is made
 * @tls: settings of TLS, with the private key
 * @kernel: netlink
 * @links: peers
 * @sessions: all connections
 * @strangers: how many of them may begin
 * @listeners: sockets
 * @listener_count: of them
 * @watch: inotify descriptor of the folder
 * @signals: signalfd
 * @stop: end the loop
 * @reload: read the file of peers
 */
struct daemon {
	const char *folder;
	uint64_t rekey_ms;
	uint64_t rekey_bytes;
	struct tls tls;
	struct kernel kernel;
	struct link *links;
	struct session *sessions;
	struct strangers strangers;
	int listeners[LISTEN_MAX];
	unsigned int listener_count;
	int watch;
	int signals;
	bool stop;
	bool reload;
};

/* link.c: peers and their connections */
extern const struct session_ops link_session_ops;
/* Update the links from the file of peers; if the file is invalid, keep the present links. */
bool links_read(struct daemon *daemon, struct why *why);
void links_free(struct daemon *daemon);
/* Perform the actions that are due. */
void link_tick(struct link *link, uint64_t now);
uint64_t link_due(const struct link *link);
/* Detach a connection that is about to be closed; an empty reason is not logged. */
void link_lost(struct session *session, const struct why *why);
/* Dial, or check the key, at once: the kernel reports that the key of this name is missing. */
void links_wanted(void *daemon, const char *name);

/* listen.c */
bool listen_open(struct daemon *daemon, const char *endpoint, struct why *why);
void listen_accept(struct daemon *daemon, int listener);

/* loop.c */
void daemon_add(struct daemon *daemon, struct session *session);
/* Close a connection, and log why unless the reason is empty. */
void daemon_drop(struct daemon *daemon, struct session *session, const struct why *why);
bool daemon_run(struct daemon *daemon, struct why *why);

#endif /* DAEMON_H */
