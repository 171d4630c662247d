// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "daemon.h"
#include "say.h"

#define BACKLOG	512	/* connections that the kernel completes before they are accepted */
#define TURN	64	/* connections that are accepted before the others get their turn */

static bool failed(int fd, const char *endpoint, struct why *why)
{
	int err = errno;

	if (fd >= 0)
		close(fd);
	return why_not(why, "cannot listen on %s: %s%s", endpoint, strerror(err),
		       err == EADDRINUSE ? ": choose another port by --listen" : "");
}

bool listen_open(struct daemon *daemon, const char *endpoint, struct why *why)
{
	struct sockaddr_storage address;
	int on = 1, off = 0;
	socklen_t len;
	int fd;

	if (daemon->listener_count == LISTEN_MAX)
		return why_not(why, "there are more than %d addresses to listen on", LISTEN_MAX);
	if (!endpoint_address(endpoint, &address, &len))
		return why_not(why, "'%.80s' is not an endpoint: write an address and a port, as [::]:%d",
			       endpoint, PEER_PORT);
	fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return failed(fd, endpoint, why);
	/* [::] is for IPv4, too */
	if (address.ss_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, (struct sockaddr *)&address, len) || listen(fd, BACKLOG))
		return failed(fd, endpoint, why);
	daemon->listeners[daemon->listener_count++] = fd;
	return true;
}

static void format_address(const struct sockaddr_storage *address, char *text, size_t size)
{
	const struct sockaddr_in6 *in6 = (const void *)address;
	const struct sockaddr_in *in4 = (const void *)address;
	char host[INET6_ADDRSTRLEN] = "?";

	if (address->ss_family == AF_INET) {
		inet_ntop(AF_INET, &in4->sin_addr, host, sizeof(host));
		snprintf(text, size, "%s:%u", host, ntohs(in4->sin_port));
	} else if (IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr)) {
		inet_ntop(AF_INET, &in6->sin6_addr.s6_addr[12], host, sizeof(host));
		snprintf(text, size, "%s:%u", host, ntohs(in6->sin6_port));
	} else {
		inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof(host));
		snprintf(text, size, "[%s]:%u", host, ntohs(in6->sin6_port));
	}
}

/* Find out where a connection comes from. */
static struct source source_of(const struct daemon *daemon, const struct sockaddr_storage *from)
{
	const struct in6_addr address = address_of(from);
	struct source source = { .host = host_of(&address), .class = STRANGER_UNKNOWN };
	const struct link *link;

	for (link = daemon->links; link; link = link->next)
		if (peer_has_address(&link->peer, &address))
			source.class = STRANGER_EXPECTED;
	return source;
}

static void make_room(struct daemon *daemon, const struct source *source)
{
	static const struct why why = { "too many connections are being made" };
	struct session *excess = strangers_excess(daemon->sessions, source);

	if (excess)
		daemon_drop(daemon, excess, &why);
}

static bool begin(struct daemon *daemon, int fd, const struct sockaddr_storage *from,
		  const char *text, struct why *why)
{
	const struct source source = source_of(daemon, from);
	struct session *session;

	if (!strangers_begin(&daemon->strangers, source.class, clock_ms())) {
		close(fd);
		return why_not(why, "more than %d connections begin in a second",
			       STRANGERS_A_SECOND);
	}
	make_room(daemon, &source);
	session = session_accept(&daemon->tls, fd, text, why);
	if (!session)
		return false;
	session->source = source;
	daemon_add(daemon, session);
	return true;
}

/* Return whether there was a connection. */
static bool accept_one(struct daemon *daemon, int listener)
{
	struct sockaddr_storage address = {};
	socklen_t len = sizeof(address);
	char text[ENDPOINT_MAX];
	struct why why;
	int fd;

	fd = accept4(listener, (struct sockaddr *)&address, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return false;
	format_address(&address, text, sizeof(text));
	if (!begin(daemon, fd, &address, text, &why))
		say_refusal("connection from %s: %s", text, why.text);
	return true;
}

/* Take several at once, so that a flood does not keep those of peers in the kernel's queue. */
void listen_accept(struct daemon *daemon, int listener)
{
	unsigned int taken = 0;

	while (taken < TURN && accept_one(daemon, listener))
		taken++;
}
