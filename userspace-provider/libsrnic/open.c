// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Handles: a socket in a network namespace, and the family's id there.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "error.h"
#include "nl.h"

struct visit {
	int netns;
	struct mnl_socket *socket;
	int err;
	bool entered;
};

static void *visit_netns(void *arg)
{
	struct visit *visit = arg;

	visit->entered = !setns(visit->netns, CLONE_NEWNET);
	if (visit->entered)
		visit->socket = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	visit->err = errno;
	return NULL;
}

/*
 * A socket stays in the namespace in which it was created. A short-lived thread creates it,
 * because a thread that has entered a namespace may not be permitted to return. The thread
 * blocks all signals: they are meant for the program's own threads.
 */
static int open_there(struct visit *visit)
{
	sigset_t all, before;
	pthread_t thread;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&thread, NULL, visit_netns, visit);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return fail(err, "cannot start a thread: %s", strerror(err));
	pthread_join(thread, NULL);

	if (!visit->entered)
		return fail(visit->err, "cannot enter the network namespace: %s",
			    strerror(visit->err));
	errno = visit->err;
	return 0;
}

static int open_socket(struct srnic *srnic, int netns)
{
	struct visit visit = { .netns = netns };
	int err;

	if (netns == SRNIC_NETNS_OWN) {
		srnic->socket = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	} else {
		err = open_there(&visit);
		if (err)
			return err;
		srnic->socket = visit.socket;
	}
	return srnic->socket ? 0 : fail(errno, "no netlink socket: %s", strerror(errno));
}

int srnic_open(struct srnic **srnic, int netns)
{
	struct srnic *opened;
	int err;

	*srnic = NULL;
	opened = calloc(1, sizeof(*opened));
	if (!opened)
		return fail(ENOMEM, "out of memory");
	err = open_socket(opened, netns);
	if (!err)
		err = nl_connect(opened);
	if (err) {
		srnic_close(opened);
		return err;
	}
	*srnic = opened;
	return 0;
}

void srnic_close(struct srnic *srnic)
{
	if (!srnic)
		return;
	if (srnic->socket)
		mnl_socket_close(srnic->socket);
	free(srnic);
}

void srnic_list_free(struct srnic_list *list)
{
	free(list);
}
