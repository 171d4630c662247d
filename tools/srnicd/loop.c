// SPDX-License-Identifier: GPL-2.0
/*
 * The loop: it waits for descriptors and times, and calls the other parts.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "daemon.h"
#include "say.h"

#define OTHERS	(LISTEN_MAX + 3)	/* descriptors besides those of connections */

/* Descriptors of one turn */
struct turn {
	struct pollfd *fds;
	unsigned int count;
};

void daemon_add(struct daemon *daemon, struct session *session)
{
	session->ops = &link_session_ops;
	session->daemon = daemon;
	session->next = daemon->sessions;
	daemon->sessions = session;
}

void daemon_drop(struct daemon *daemon, struct session *session, const struct why *why)
{
	struct session **at;

	link_lost(session, why);
	for (at = &daemon->sessions; *at; at = &(*at)->next)
		if (*at == session) {
			*at = session->next;
			break;
		}
	session_close(session);
}

static uint64_t next_due(const struct daemon *daemon)
{
	const struct session *session;
	const struct link *link;
	uint64_t due = NEVER;

	for (session = daemon->sessions; session; session = session->next) {
		if (session_is_pending(session) || session->over)
			return 0;
		if (session_due(session) < due)
			due = session_due(session);
	}
	for (link = daemon->links; link; link = link->next)
		if (link_due(link) < due)
			due = link_due(link);
	return due;
}

/* Return a time for poll(2): at most a minute, because its clock stops when the machine sleeps. */
static int time_left(const struct daemon *daemon)
{
	uint64_t due = next_due(daemon), now = clock_ms();

	if (due <= now)
		return 0;
	return due - now < 60000 ? (int)(due - now) : 60000;
}

static void turn_add(struct turn *turn, int fd, short events)
{
	turn->fds[turn->count++] = (struct pollfd) { .fd = fd, .events = events };
}

static bool turn_fill(struct daemon *daemon, struct turn *turn, struct why *why)
{
	const struct session *session;
	unsigned int count = OTHERS, i;
	struct pollfd *fds;

	for (session = daemon->sessions; session; session = session->next)
		count++;
	fds = realloc(turn->fds, count * sizeof(*fds));
	if (!fds)
		return why_not(why, "out of memory");
	turn->fds = fds;
	turn->count = 0;
	turn_add(turn, daemon->signals, POLLIN);
	turn_add(turn, daemon->watch, POLLIN);
	/* a descriptor of -1 is left out */
	turn_add(turn, daemon->kernel.reports ? srnic_fd(daemon->kernel.reports) : -1, POLLIN);
	for (i = 0; i < daemon->listener_count; i++)
		turn_add(turn, daemon->listeners[i], POLLIN);
	for (session = daemon->sessions; session; session = session->next)
		turn_add(turn, session->fd, session_events(session));
	return true;
}

static void take_signals(struct daemon *daemon)
{
	struct signalfd_siginfo info;

	while (read(daemon->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGHUP)
			daemon->reload = true;
		else
			daemon->stop = true;
	}
}

static void take_changes(struct daemon *daemon)
{
	char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	const struct inotify_event *event;
	ssize_t len, at;

	while ((len = read(daemon->watch, buffer, sizeof(buffer))) > 0)
		for (at = 0; at < len; at += sizeof(*event) + event->len) {
			event = (const void *)(buffer + at);
			if (event->len && !strcmp(event->name, PEERS_FILE))
				daemon->reload = true;
		}
}

static void take_reports(struct daemon *daemon)
{
	struct why why;

	if (kernel_reports(&daemon->kernel, links_wanted, daemon, &why))
		return;
	/* a look at a key opens it again */
	say_warning("%s", why.text);
	kernel_close(&daemon->kernel);
}

/* Find the events of a connection, which may be one that came after poll(2). */
static short events_of(const struct turn *turn, int fd)
{
	unsigned int i;

	for (i = 0; i < turn->count; i++)
		if (turn->fds[i].fd == fd)
			return turn->fds[i].revents;
	return 0;
}

static void run_sessions(struct daemon *daemon, const struct turn *turn)
{
	struct session *session, *next;
	uint64_t now = clock_ms();
	struct why why;

	for (session = daemon->sessions; session; session = next) {
		next = session->next;
		why.text[0] = '\0';
		if (session->over ||
		    ((events_of(turn, session->fd) || session_is_pending(session)) &&
		     !session_run(session, now, &why)) ||
		    !session_tick(session, now, &why))
			daemon_drop(daemon, session, &why);
	}
}

static void tick_links(struct daemon *daemon)
{
	uint64_t now = clock_ms();
	struct link *link;

	for (link = daemon->links; link; link = link->next)
		link_tick(link, now);
}

static void reload(struct daemon *daemon)
{
	struct why why;

	daemon->reload = false;
	if (links_read(daemon, &why))
		say_info("the file of peers was read again");
	else
		say_error("%s", why.text);
}

/* Accept after the connections had their turn: a new one may get the number of a closed one. */
static void run_turn(struct daemon *daemon, const struct turn *turn)
{
	unsigned int i;

	if (turn->fds[0].revents)
		take_signals(daemon);
	if (turn->fds[1].revents)
		take_changes(daemon);
	if (turn->fds[2].revents)
		take_reports(daemon);
	run_sessions(daemon, turn);
	for (i = 0; i < daemon->listener_count; i++)
		if (turn->fds[3 + i].revents)
			listen_accept(daemon, daemon->listeners[i]);
	if (daemon->reload)
		reload(daemon);
	tick_links(daemon);
}

bool daemon_run(struct daemon *daemon, struct why *why)
{
	struct turn turn = {};
	bool fine = true;

	while (fine && !daemon->stop) {
		fine = turn_fill(daemon, &turn, why);
		if (!fine)
			break;
		if (poll(turn.fds, turn.count, time_left(daemon)) < 0) {
			fine = errno == EINTR || why_not(why, "poll: %s", strerror(errno));
			continue;
		}
		run_turn(daemon, &turn);
	}
	free(turn.fds);
	return fine;
}
