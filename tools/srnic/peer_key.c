// SPDX-License-Identifier: GPL-2.0
/*
 * srnic peer add, del, list: the peers with which srnicd(8) shares keys, in its file, and the
 * rules that require these keys.
 */
#include <errno.h>
#include <netdb.h>
#include <string.h>
#include "../srnicd/identity.h"
#include "../srnicd/peers.h"
#include "ask.h"
#include "cli.h"
#include "json.h"
#include "keys.h"
#include "list.h"
#include "peer_key.h"

/* Split "host", "host:port", "[host]:port" or an IPv6 address; the port may be missing. */
static bool split_host(const char *word, char *host, size_t size, char *port, size_t port_size)
{
	const char *end, *colon;

	snprintf(port, port_size, "%d", PEER_PORT);
	if (*word == '[') {
		end = strchr(++word, ']');
		if (!end || (end[1] && end[1] != ':'))
			return false;
		colon = end[1] ? end + 1 : NULL;
	} else {
		colon = strchr(word, ':');
		/* several colons: an IPv6 address without a port */
		if (colon && strchr(colon + 1, ':'))
			colon = NULL;
		end = colon ?: word + strlen(word);
	}
	if (end == word || (size_t)(end - word) >= size ||
	    (colon && strlen(colon + 1) >= port_size))
		return false;
	snprintf(host, size, "%.*s", (int)(end - word), word);
	if (colon)
		snprintf(port, port_size, "%s", colon + 1);
	return true;
}

/* Look the host up now: the daemon dials addresses only, and does not depend on DNS. */
static bool resolve(const char *word, char *endpoint, size_t size, struct why *why)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
	char host[256], port[6], address[64];
	struct addrinfo *found;
	int err;

	if (!split_host(word, host, sizeof(host), port, sizeof(port)))
		return why_not(why, "'%.80s' is not an endpoint: write HOST or HOST:PORT, and an IPv6 address as [2001:db8::1]:%d",
			       word, PEER_PORT);
	err = getaddrinfo(host, port, &hints, &found);
	if (err)
		return why_not(why, "cannot find the endpoint '%.80s': %s", word,
			       gai_strerror(err));
	err = getnameinfo(found->ai_addr, found->ai_addrlen, address, sizeof(address), NULL, 0,
			  NI_NUMERICHOST);
	if (!err)
		snprintf(endpoint, size, found->ai_family == AF_INET6 ? "[%s]:%s" : "%s:%s",
			 address, port);
	freeaddrinfo(found);
	return !err || why_not(why, "cannot find the endpoint '%.80s': %s", word,
			       gai_strerror(err));
}

static bool set_endpoint(struct peer *peer, const char *word, struct why *why)
{
	char endpoint[ENDPOINT_MAX + 32];

	return resolve(word, endpoint, sizeof(endpoint), why) &&
		peer_set_endpoint(peer, endpoint, why);
}

/* An option of 'peer add' */
struct option {
	const char *name;
	bool (*set)(struct peer *peer, const char *word, struct why *why);
	bool needed;
	bool given;
};

static int take_option(struct args *args, struct option *options, unsigned int num,
		       struct peer *peer)
{
	const char *name = args_take(args), *word;
	struct why why;
	unsigned int i;

	for (i = 0; i < num; i++) {
		if (strcmp(options[i].name, name))
			continue;
		if (options[i].given)
			return cli_usage(args, "'%s' is given twice: remove one", name);
		word = args_take(args);
		if (!word)
			return cli_usage(args, "the value after '%s' is missing", name);
		options[i].given = true;
		return options[i].set(peer, word, &why) ? CLI_OK :
							  cli_usage(args, "%s", why.text);
	}
	return cli_usage(args, "'%s' is not expected here: remove it", name);
}

static int take_name(struct args *args, struct peer *peer)
{
	const char *word;
	struct why why;
	int err;

	err = args_need(args, "the peer's name", &word);
	if (err)
		return err;
	return peer_set_name(peer, word, &why) ? CLI_OK : cli_usage(args, "%s", why.text);
}

static int take_peer(struct args *args, struct peer *peer)
{
	struct option options[] = {
		{ "--public-key", peer_set_public_key, true, false },
		{ "--address", peer_set_prefix, true, false },
		{ "--endpoint", set_endpoint, false, false },
		{ "--suite", peer_set_suite, false, false },
	};
	unsigned int i;
	int err;

	memset(peer, 0, sizeof(*peer));
	snprintf(peer->suite, sizeof(peer->suite), PEER_SUITE);
	err = take_name(args, peer);
	while (!err && args_peek(args))
		err = take_option(args, options, NUM(options), peer);
	for (i = 0; !err && i < NUM(options); i++)
		if (options[i].needed && !options[i].given)
			err = cli_usage(args, "'%s' is missing", options[i].name);
	return err;
}

/* The rule first: as long as there is no key, it refuses connections. */
int peer_add(struct args *args)
{
	struct srnic *srnic;
	struct peer peer;
	struct why why;
	int err;

	err = take_peer(args, &peer) ?: ask_open(args->where, &srnic) ?:
		ask_done(args->where, srnic_policy_add(srnic, &peer.prefix, SRNIC_RULE_REQUIRE,
						       SRNIC_MODE_AEAD, peer.suite, peer.name, 0));
	if (err)
		return err;
	if (peers_add(identity_folder(), &peer, &why))
		return CLI_OK;
	srnic_policy_del(srnic, &peer.prefix);
	return cli_refused(args->where, "%s", why.text);
}

static bool has_rule(const struct srnic_list *list, const struct peer *peer)
{
	const struct srnic_policy *policy;
	struct srnic_prefix prefix;

	srnic_for_each_policy(policy, list) {
		prefix = srnic_policy_prefix(policy);
		if (!memcmp(&prefix, &peer->prefix, sizeof(prefix)) &&
		    !strcmp(srnic_policy_key(policy), peer->name))
			return true;
	}
	return false;
}

/* Delete the rule that names the peer's key, and the key. */
static int forget(const char *where, const struct peer *peer)
{
	struct srnic_list *list;
	struct srnic *srnic;
	int err;

	err = ask_open(where, &srnic) ?: ask_done(where, srnic_policy_list(srnic, &list));
	if (err)
		return err;
	if (has_rule(list, peer))
		err = ask_done(where, srnic_policy_del(srnic, &peer->prefix));
	srnic_list_free(list);
	if (err)
		return err;
	err = srnic_key_del(srnic, peer->name);
	/* there is no key before the peer was reached */
	return err == -ENOENT ? CLI_OK : ask_done(where, err);
}

int peer_del(struct args *args)
{
	struct peer peer;
	struct why why;
	int err;

	err = take_name(args, &peer) ?: args_end(args);
	if (err)
		return err;
	if (!peers_del(identity_folder(), &peer, &why))
		return cli_refused(args->where, "%s", why.text);
	return forget(args->where, &peer);
}

static void show_peer(struct table *table, const struct peer *peer, bool present)
{
	char key[KEY_TEXT_LEN + 1], prefix[SRNIC_TEXT_MAX];

	key_to_text(peer->public_key, key);
	srnic_prefix_text(&peer->prefix, prefix);
	if (!cli.json) {
		table_cell(table, "%s", peer->name);
		table_cell(table, "%s", prefix);
		table_cell(table, "%s", *peer->endpoint ? peer->endpoint : "-");
		table_cell(table, "%s", peer->suite);
		table_cell(table, "%s", present ? "yes" : "no");
		table_cell(table, "%s", key);
		return;
	}
	json_open(NULL, '{');
	json_string("name", peer->name);
	json_string("address", prefix);
	if (*peer->endpoint)
		json_string("endpoint", peer->endpoint);
	json_string("suite", peer->suite);
	json_bool("key_present", present);
	json_string("public_key", key);
	json_close();
}

int peer_list(struct args *args)
{
	static const struct column columns[] = {
		{ "NAME", false }, { "ADDRESS", false }, { "ENDPOINT", false }, { "SUITE", false },
		{ "KEY", false }, { "PUBLIC-KEY", false },
	};
	struct table table = { .columns = columns, .num = NUM(columns) };
	struct srnic_list *keys = NULL;
	struct peers peers;
	struct srnic *srnic;
	struct why why;
	unsigned int i;
	int err;

	err = args_end(args) ?: ask_open(args->where, &srnic) ?:
		ask_done(args->where, srnic_key_list(srnic, &keys));
	if (err)
		return err;
	if (peers_read(identity_folder(), &peers, &why)) {
		list_begin();
		for (i = 0; i < peers.count; i++)
			show_peer(&table, &peers.list[i], keys_have(keys, peers.list[i].name));
		list_end(&table);
		peers_free(&peers);
	} else {
		err = cli_refused(args->where, "%s", why.text);
	}
	srnic_list_free(keys);
	return err;
}
