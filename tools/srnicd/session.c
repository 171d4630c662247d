// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "clock.h"
#include "session.h"

#define TURN	64	/* messages that are taken before other connections get their turn */

int session_verify(gnutls_session_t gnutls)
{
	struct session *session = gnutls_session_get_ptr(gnutls);
	const uint8_t *key = tls_peer_key(gnutls);

	if (key && session->ops->admit(session, key, &session->refusal))
		return 0;
	if (!key)
		why_not(&session->refusal, "the peer has sent no Ed25519 key");
	session->refused = true;
	return GNUTLS_E_CERTIFICATE_ERROR;
}

/* A peer that vanishes must not hold a connection for ever. */
static void set_options(int fd)
{
	int on = 1, patience = SESSION_DEAD_MS;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, sizeof(patience));
}

static struct session *session_new(const struct tls *tls, int fd, bool dialed, const char *address,
				   struct why *why)
{
	struct session *session = calloc(1, sizeof(*session));

	if (!session) {
		close(fd);
		why_not(why, "out of memory");
		return NULL;
	}
	session->tls = tls;
	session->fd = fd;
	session->dialed = dialed;
	session->state = dialed ? SESSION_CONNECTING : SESSION_HANDSHAKE;
	session->since = clock_ms();
	snprintf(session->address, sizeof(session->address), "%s", address);
	set_options(fd);
	session->gnutls = tls_start(tls, fd, dialed, session, why);
	if (session->gnutls)
		return session;
	close(fd);
	free(session);
	return NULL;
}

struct session *session_dial(const struct tls *tls, const char *endpoint, struct why *why)
{
	struct sockaddr_storage address;
	socklen_t len;
	int fd;

	if (!endpoint_address(endpoint, &address, &len)) {
		why_not(why, "'%s' is not an endpoint", endpoint);
		return NULL;
	}
	fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, len) && errno != EINPROGRESS) {
		why_not(why, "cannot connect to %s: %s", endpoint, strerror(errno));
		close(fd);
		return NULL;
	}
	if (fd < 0) {
		why_not(why, "no socket: %s", strerror(errno));
		return NULL;
	}
	return session_new(tls, fd, true, endpoint, why);
}

struct session *session_accept(const struct tls *tls, int fd, const char *address,
			       struct why *why)
{
	return session_new(tls, fd, false, address, why);
}

void session_close(struct session *session)
{
	/* the socket does not block: the alert is sent, or the peer sees the end of the stream */
	if (session->state == SESSION_OPEN)
		gnutls_bye(session->gnutls, GNUTLS_SHUT_WR);
	gnutls_deinit(session->gnutls);
	close(session->fd);
	explicit_bzero(session, sizeof(*session));
	free(session);
}

short session_events(const struct session *session)
{
	switch (session->state) {
	case SESSION_CONNECTING:
		return POLLOUT;
	case SESSION_HANDSHAKE:
		return gnutls_record_get_direction(session->gnutls) ? POLLOUT : POLLIN;
	case SESSION_LINGER:
		return POLLIN;
	default:
		return session->out_len ? POLLIN | POLLOUT : POLLIN;
	}
}

bool session_is_pending(const struct session *session)
{
	return session->state == SESSION_OPEN && gnutls_record_check_pending(session->gnutls);
}

/* Explain an error of GnuTLS. */
static bool explain(struct session *session, int err, struct why *why)
{
	int alert;

	if (session->refused)
		return why_not(why, "%s", session->refusal.text);
	if (err == GNUTLS_E_PREMATURE_TERMINATION)
		return why_not(why, "the peer closed the connection");
	if (err == GNUTLS_E_PULL_ERROR || err == GNUTLS_E_PUSH_ERROR)
		return why_not(why, "the connection broke");
	if (err != GNUTLS_E_FATAL_ALERT_RECEIVED)
		return why_not(why, "TLS: %s", gnutls_strerror(err));
	alert = gnutls_alert_get(session->gnutls);
	if (alert == GNUTLS_A_BAD_CERTIFICATE)
		return why_not(why, "the peer refuses the public key of this host: add it there by 'srnic peer add', as 'srnic pubkey' prints it here");
	return why_not(why, "the peer refuses: TLS alert: %s",
		       gnutls_alert_get_name(alert) ?: "unknown");
}

static bool finish_connect(struct session *session, struct why *why)
{
	socklen_t len = sizeof(int);
	int err = 0;

	if (getsockopt(session->fd, SOL_SOCKET, SO_ERROR, &err, &len))
		err = errno;
	if (err)
		return why_not(why, "cannot connect to %s: %s", session->address, strerror(err));
	session->state = SESSION_HANDSHAKE;
	return true;
}

/*
 * Tell the peer why. If the socket was closed before the peer's bytes are read, the peer would
 * get a reset in place of the alert.
 */
static bool refuse(struct session *session, int err, struct why *why)
{
	gnutls_alert_send_appropriate(session->gnutls, err);
	if (!session->refused)
		return explain(session, err, why);
	shutdown(session->fd, SHUT_WR);
	session->state = SESSION_LINGER;
	return true;
}

/* Read until the peer closes. */
static bool linger(struct session *session, struct why *why)
{
	char unread[512];
	ssize_t got;

	got = read(session->fd, unread, sizeof(unread));
	if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)))
		return true;
	return why_not(why, "%s", session->refusal.text);
}

static bool shake_hands(struct session *session, uint64_t now, struct why *why)
{
	int err;

	do {
		err = gnutls_handshake(session->gnutls);
	} while (err == GNUTLS_E_INTERRUPTED || err == GNUTLS_E_WARNING_ALERT_RECEIVED);
	if (err == GNUTLS_E_AGAIN)
		return true;
	if (err < 0)
		return refuse(session, err, why);
	/* SESSION_START_MS also limits the time until the first message */
	session->state = SESSION_OPEN;
	session->pinged = now;
	return session->ops->opened(session, why);
}

static bool flush(struct session *session, struct why *why)
{
	ssize_t sent;

	while (session->out_len) {
		/* bytes that GnuTLS has taken go first, by a call without data */
		if (session->flushing) {
			sent = gnutls_record_send(session->gnutls, NULL, 0);
		} else {
			sent = gnutls_record_send(session->gnutls, session->out, session->out_len);
			session->flushing = session->out_len;
		}
		if (sent == GNUTLS_E_INTERRUPTED)
			continue;
		if (sent == GNUTLS_E_AGAIN)
			return true;
		if (sent < 0)
			return explain(session, sent, why);
		session->flushing = 0;
		session->out_len -= sent;
		memmove(session->out, session->out + sent, session->out_len);
	}
	return true;
}

bool session_send(struct session *session, const struct message *message, struct why *why)
{
	if (session->out_len == sizeof(session->out))
		return why_not(why, "the peer does not read what it is sent");
	message_pack(message, session->out + session->out_len);
	session->out_len += MESSAGE_LEN;
	return flush(session, why);
}

static bool take(struct session *session, uint64_t now, struct why *why)
{
	struct message message;

	session->in_len = 0;
	session->heard = now;
	if (!message_unpack(&message, session->in))
		return why_not(why, "the peer sent a malformed message: update it");
	return session->ops->take(session, &message, why);
}

static bool receive(struct session *session, uint64_t now, struct why *why)
{
	unsigned int taken = 0;
	ssize_t got;

	while (taken < TURN && !session->over) {
		got = gnutls_record_recv(session->gnutls, session->in + session->in_len,
					 MESSAGE_LEN - session->in_len);
		if (got == GNUTLS_E_INTERRUPTED)
			continue;
		if (got == GNUTLS_E_AGAIN)
			return true;
		if (!got)
			return why_not(why, "the peer closed the connection");
		if (got < 0)
			return explain(session, got, why);
		session->in_len += got;
		if (session->in_len < MESSAGE_LEN)
			continue;
		if (!take(session, now, why))
			return false;
		taken++;
	}
	return true;
}

bool session_run(struct session *session, uint64_t now, struct why *why)
{
	if (session->state == SESSION_CONNECTING && !finish_connect(session, why))
		return false;
	if (session->state == SESSION_HANDSHAKE && !shake_hands(session, now, why))
		return false;
	if (session->state == SESSION_LINGER)
		return linger(session, why);
	if (session->state != SESSION_OPEN || session->over)
		return true;
	return flush(session, why) && receive(session, now, why);
}

uint64_t session_due(const struct session *session)
{
	uint64_t ping;

	if (!session->heard)
		return session->since + SESSION_START_MS;
	ping = (session->pinged > session->heard ? session->pinged : session->heard) +
		SESSION_PING_MS;
	return ping < session->heard + SESSION_DEAD_MS ? ping : session->heard + SESSION_DEAD_MS;
}

bool session_tick(struct session *session, uint64_t now, struct why *why)
{
	const struct message ping = { .type = MESSAGE_PING };

	if (now < session_due(session))
		return true;
	if (session->refused)
		return why_not(why, "%s", session->refusal.text);
	if (!session->heard)
		return why_not(why, "no answer from %s within %d seconds", session->address,
			       SESSION_START_MS / 1000);
	if (now >= session->heard + SESSION_DEAD_MS)
		return why_not(why, "nothing heard from %s for %d seconds", session->address,
			       SESSION_DEAD_MS / 1000);
	session->pinged = now;
	return session_send(session, &ping, why);
}
