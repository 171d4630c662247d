// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "illegal.h"

void illegal_init(struct illegal_log *log, const struct rdma_pipeline_listen_param *param,
		  uint64_t now_ms)
{
	pthread_mutex_init(&log->lock, NULL);
	log->fd = param->illegal_fd;
	log->tell = param->illegal;
	log->context = param->illegal_context;
	log->tokens = ILLEGAL_BURST;
	log->filled_ms = now_ms;
	log->suppressed = 0;
}

void illegal_exit(struct illegal_log *log)
{
	pthread_mutex_destroy(&log->lock);
}

static void refill(struct illegal_log *log, uint64_t now_ms)
{
	uint64_t more = (now_ms - log->filled_ms) / ILLEGAL_EVERY_MS;

	log->filled_ms += more * ILLEGAL_EVERY_MS;
	if (more >= ILLEGAL_BURST - log->tokens)
		log->tokens = ILLEGAL_BURST;
	else
		log->tokens += more;
}

static void address_text(const struct sockaddr *addr, char text[INET6_ADDRSTRLEN])
{
	const void *bytes = NULL;

	if (addr->sa_family == AF_INET)
		bytes = &((const struct sockaddr_in *)addr)->sin_addr;
	else if (addr->sa_family == AF_INET6)
		bytes = &((const struct sockaddr_in6 *)addr)->sin6_addr;
	if (!bytes || !inet_ntop(addr->sa_family, bytes, text, INET6_ADDRSTRLEN))
		snprintf(text, INET6_ADDRSTRLEN, "unknown");
}

/*
 * No text comes from the peer, so nothing needs to be quoted. Each line is one write, so that
 * lines of several processes do not mix.
 */
static void write_line(int fd, const struct rdma_pipeline_illegal *access)
{
	char peer[INET6_ADDRSTRLEN], line[320];
	ssize_t done;
	int len;

	address_text(access->peer, peer);
	len = snprintf(line, sizeof(line),
		       "{\"time\":%llu,\"reason\":\"%s\",\"peer\":\"%s\",\"service\":%llu,\"version\":%u,"
		       "\"key\":%u,\"qpn\":%u,\"psn\":%u,\"suppressed\":%llu}\n",
		       (unsigned long long)access->when, access->reason, peer,
		       (unsigned long long)access->service, access->version, access->key_id,
		       access->qpn, access->psn, (unsigned long long)access->suppressed);
	done = write(fd, line, len);
	(void)done;	/* a failure cannot be reported */
}

static bool may_report(struct illegal_log *log, uint64_t now_ms, uint64_t *suppressed)
{
	bool may;

	pthread_mutex_lock(&log->lock);
	refill(log, now_ms);
	may = log->tokens;
	if (may) {
		log->tokens--;
		*suppressed = log->suppressed;
		log->suppressed = 0;
	} else {
		log->suppressed++;
	}
	pthread_mutex_unlock(&log->lock);
	return may;
}

void illegal_report(struct illegal_log *log, struct rdma_pipeline_illegal *access,
		    uint64_t now_ms)
{
	if (!may_report(log, now_ms, &access->suppressed))
		return;
	access->when = time(NULL);
	if (log->fd)
		write_line(log->fd, access);
	if (log->tell)
		log->tell(access, log->context);
}
