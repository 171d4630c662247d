/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session - a TLS connection, from its socket to messages. Nothing blocks.
 */
#ifndef SESSION_H
#define SESSION_H

#include "message.h"
#include "peers.h"
#include "strangers.h"
#include "tls.h"

#define SESSION_START_MS	10000	/* until the handshake must be complete */
#define SESSION_PING_MS		15000	/* of silence, after which the peer is asked for a sign */
#define SESSION_DEAD_MS		45000	/* of silence, after which the connection is closed */
#define SESSION_OUT		32	/* messages that may wait to be sent */

struct session;

/**
 * struct session_ops - the owner's part in a session; each returns false with a reason, and the
 *	session is then closed
 * @admit: judge the peer's public key, during the handshake
 * @opened: the handshake is complete
 * @take: a message has arrived
 */
struct session_ops {
	bool (*admit)(struct session *session, const uint8_t key[KEY_LEN], struct why *why);
	bool (*opened)(struct session *session, struct why *why);
	bool (*take)(struct session *session, const struct message *message, struct why *why);
};

enum session_state {
	SESSION_CONNECTING,
	SESSION_HANDSHAKE,
	SESSION_OPEN,
	SESSION_LINGER,		/* refused: the peer has time to read why */
};

/**
 * struct session - a TLS connection
 * @next: for the owner's list
 * @ops: the owner's part
 * @daemon: the owner
 * @link: the peer; NULL until it is known
 * @tls: settings
 * @fd: socket
 * @gnutls: session of GnuTLS
 * @state: see above
 * @dialed: this end has dialed
 * @over: the owner has replaced it
 * @since: when it began, in clock_ms()
 * @heard: when the last message arrived
 * @pinged: when the last PING was sent
 * @address: of the peer, for messages
 * @source: likewise, for the limits of strangers; if this end was dialed
 * @refused: @refusal holds the owner's reason
 * @refusal: reason
 * @in_len: bytes in @in
 * @out_len: bytes in @out
 * @flushing: bytes of @out that GnuTLS has taken, and not sent yet
 * @in: part of a message
 * @out: messages to be sent
 */
struct session {
	struct session *next;
	const struct session_ops *ops;
	struct daemon *daemon;
	struct link *link;
	const struct tls *tls;
	int fd;
	gnutls_session_t gnutls;
	enum session_state state;
	bool dialed;
	bool over;
	uint64_t since;
	uint64_t heard;
	uint64_t pinged;
	char address[ENDPOINT_MAX];
	struct source source;
	bool refused;
	struct why refusal;
	unsigned int in_len;
	unsigned int out_len;
	unsigned int flushing;
	uint8_t in[MESSAGE_LEN];
	uint8_t out[SESSION_OUT * MESSAGE_LEN];
};

/* The function for tls_init() */
int session_verify(gnutls_session_t gnutls);

/* Dial an endpoint, or take a connection that was accepted. Return NULL with a reason. */
struct session *session_dial(const struct tls *tls, const char *endpoint, struct why *why);
struct session *session_accept(const struct tls *tls, int fd, const char *address,
			       struct why *why);
/* Close it: with a TLS alert, if it is open. */
void session_close(struct session *session);

/* Return the events for poll(2). */
short session_events(const struct session *session);
/* Test whether there is input that poll(2) does not report. */
bool session_is_pending(const struct session *session);
/* Go on, after poll(2) has returned. */
bool session_run(struct session *session, uint64_t now, struct why *why);
/* Return when session_tick() has something to do. */
uint64_t session_due(const struct session *session);
bool session_tick(struct session *session, uint64_t now, struct why *why);
bool session_send(struct session *session, const struct message *message, struct why *why);

#endif /* SESSION_H */
