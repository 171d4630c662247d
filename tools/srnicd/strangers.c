// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include "peers.h"
#include "session.h"
#include "strangers.h"

#define NETWORK_LEN	8	/* bytes of an IPv6 network */

struct in6_addr address_of(const struct sockaddr_storage *address)
{
	const struct sockaddr_in6 *in6 = (const void *)address;
	const struct sockaddr_in *in4 = (const void *)address;
	struct in6_addr mapped = { .s6_addr = { [10] = 0xff, [11] = 0xff } };

	if (address->ss_family == AF_INET6)
		return in6->sin6_addr;
	memcpy(mapped.s6_addr + 12, &in4->sin_addr, sizeof(in4->sin_addr));
	return mapped;
}

struct in6_addr host_of(const struct in6_addr *address)
{
	struct in6_addr host = *address;

	if (!IN6_IS_ADDR_V4MAPPED(address))
		memset(host.s6_addr + NETWORK_LEN, 0, sizeof(host) - NETWORK_LEN);
	return host;
}

static bool prefix_has(const struct srnic_prefix *prefix, const struct in6_addr *address)
{
	unsigned int bytes = prefix->len / 8, bits = prefix->len % 8;

	if (memcmp(prefix->addr, address->s6_addr, bytes))
		return false;
	return !bits || !((prefix->addr[bytes] ^ address->s6_addr[bytes]) >> (8 - bits));
}

bool peer_has_address(const struct peer *peer, const struct in6_addr *address)
{
	struct sockaddr_storage endpoint;
	struct in6_addr own;
	socklen_t len;

	if (prefix_has(&peer->prefix, address))
		return true;
	if (!endpoint_address(peer->endpoint, &endpoint, &len))
		return false;
	own = address_of(&endpoint);
	return IN6_ARE_ADDR_EQUAL(&own, address);
}

bool strangers_begin(struct strangers *strangers, enum stranger_class class, uint64_t now)
{
	unsigned int *left = &strangers->left[class];
	uint64_t *since = &strangers->since[class];
	uint64_t more = (now - *since) * STRANGERS_A_SECOND / 1000;

	if (more) {
		*left = more + *left < STRANGERS_A_SECOND ? more + *left : STRANGERS_A_SECOND;
		*since = now;
	}
	if (!*left)
		return false;
	--*left;
	return true;
}

static bool is_stranger(const struct session *session, enum stranger_class class)
{
	return !session->dialed && !session->heard && session->source.class == class;
}

static bool is_of(const struct session *session, const struct source *source)
{
	return is_stranger(session, source->class) &&
		IN6_ARE_ADDR_EQUAL(&session->source.host, &source->host);
}

/* Count the strangers of a host; find the oldest. */
static unsigned int count_of(struct session *sessions, const struct source *source,
			     struct session **oldest)
{
	struct session *session;
	unsigned int count = 0;

	for (session = sessions; session; session = session->next) {
		if (!is_of(session, source))
			continue;
		if (!count++ || session->since < (*oldest)->since)
			*oldest = session;
	}
	return count;
}

struct session *strangers_excess(struct session *sessions, const struct source *source)
{
	struct session *session, *oldest = NULL, *excess = NULL;
	unsigned int count, most = 0, all = 0;

	if (count_of(sessions, source, &oldest) >= STRANGERS_OF_HOST)
		return oldest;
	for (session = sessions; session; session = session->next) {
		if (!is_stranger(session, source->class))
			continue;
		all++;
		count = count_of(sessions, &session->source, &oldest);
		if (count > most || (count == most && oldest->since < excess->since)) {
			most = count;
			excess = oldest;
		}
	}
	return all >= STRANGERS_MAX ? excess : NULL;
}
