// SPDX-License-Identifier: GPL-2.0
/*
 * The words of a peer's line, and of the command that adds it.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "peers.h"

#define NAME_CHARS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

bool peer_set_name(struct peer *peer, const char *word, struct why *why)
{
	size_t len = strlen(word);

	if (!len || len > SRNIC_NAME_MAX || word[0] == '-' || strspn(word, NAME_CHARS) != len)
		return why_not(why, "name '%.40s' is invalid: use 1 to %d letters, digits, '.', '_' or '-'",
			       word, SRNIC_NAME_MAX);
	memcpy(peer->name, word, len + 1);
	return true;
}

bool peer_set_public_key(struct peer *peer, const char *word, struct why *why)
{
	if (key_from_text(word, strlen(word), peer->public_key))
		return true;
	return why_not(why, "'%.60s' is not a public key: it must have the %d characters that 'srnic pubkey' prints on the peer",
		       word, KEY_TEXT_LEN);
}

/* Split "host:port" or "[host]:port"; return the port, or 0. */
static unsigned int split_endpoint(const char *endpoint, char *host, size_t size)
{
	const char *colon = strrchr(endpoint, ':');
	const char *end = colon;
	char *rest;
	unsigned long port;

	if (!colon)
		return 0;
	if (*endpoint == '[') {
		endpoint++;
		end--;
		if (end < endpoint || *end != ']')
			return 0;
	} else if (memchr(endpoint, ':', colon - endpoint)) {
		return 0;
	}
	if (end == endpoint || (size_t)(end - endpoint) >= size ||
	    strspn(colon + 1, "0123456789") != strlen(colon + 1))
		return 0;
	snprintf(host, size, "%.*s", (int)(end - endpoint), endpoint);
	port = strtoul(colon + 1, &rest, 10);
	return port <= 65535 ? port : 0;
}

bool endpoint_address(const char *endpoint, struct sockaddr_storage *address, socklen_t *len)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)address;
	struct sockaddr_in *in4 = (struct sockaddr_in *)address;
	char host[ENDPOINT_MAX];
	unsigned int port;

	memset(address, 0, sizeof(*address));
	port = split_endpoint(endpoint, host, sizeof(host));
	if (!port)
		return false;
	if (inet_pton(AF_INET, host, &in4->sin_addr) == 1) {
		in4->sin_family = AF_INET;
		in4->sin_port = htons(port);
		*len = sizeof(*in4);
		return true;
	}
	if (inet_pton(AF_INET6, host, &in6->sin6_addr) != 1)
		return false;
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	*len = sizeof(*in6);
	return true;
}

bool peer_set_endpoint(struct peer *peer, const char *word, struct why *why)
{
	struct sockaddr_storage address;
	socklen_t len;

	if (!strcmp(word, "-")) {
		peer->endpoint[0] = '\0';
		return true;
	}
	if (strlen(word) >= sizeof(peer->endpoint) || !endpoint_address(word, &address, &len))
		return why_not(why, "'%.80s' is not an endpoint: write an address and a port, as 192.0.2.1:%d or [2001:db8::1]:%d",
			       word, PEER_PORT, PEER_PORT);
	memcpy(peer->endpoint, word, strlen(word) + 1);
	return true;
}

bool peer_set_prefix(struct peer *peer, const char *word, struct why *why)
{
	return !srnic_prefix_parse(&peer->prefix, word) || why_not(why, "%s", srnic_error());
}

bool peer_set_suite(struct peer *peer, const char *word, struct why *why)
{
	size_t len = strlen(word);

	if (!len || len > SRNIC_NAME_MAX)
		return why_not(why, "suite '%.40s' must have 1 to %d characters: see 'srnic suite list'",
			       word, SRNIC_NAME_MAX);
	memcpy(peer->suite, word, len + 1);
	return true;
}
