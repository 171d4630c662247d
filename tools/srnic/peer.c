// SPDX-License-Identifier: GPL-2.0
/*
 * srnic peer: the faults of peers, and cut-offs; and the verbs of peer_key.c.
 */
#include <stdlib.h>
#include <string.h>
#include "ask.h"
#include "cli.h"
#include "dev.h"
#include "json.h"
#include "list.h"
#include "peer_key.h"

static const char *address_text(const struct srnic_peer *peer, char *text)
{
	const uint8_t *address = srnic_peer_address(peer);

	return address ? srnic_addr_text(address, text) : "-";
}

static void json_peer(const struct srnic_peer *peer)
{
	const struct srnic_fault *fault;
	char text[SRNIC_TEXT_MAX];

	json_open(NULL, '{');
	json_string("device", srnic_peer_dev_name(peer));
	json_string("peer", address_text(peer, text));
	json_open("faults", '{');
	srnic_for_each_fault(fault, peer)
		json_number(srnic_fault_name(fault), srnic_fault_count(fault));
	json_close();
	json_number("silent_ms", srnic_peer_silent(peer));
	json_number("dropped", srnic_peer_dropped(peer));
	json_bool("cut_off", srnic_peer_is_cut_off(peer));
	if (srnic_peer_is_timed(peer))
		json_number("seconds", srnic_peer_seconds(peer));
	json_close();
}

/* Add a cell like "garbage 12, seal 3" */
static void show_faults(struct table *table, const struct srnic_peer *peer)
{
	const struct srnic_fault *fault;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out) {
		table_cell(table, "?");
		return;
	}
	srnic_for_each_fault(fault, peer)
		fprintf(out, "%s%s %llu", ftell(out) ? ", " : "", srnic_fault_name(fault),
			(unsigned long long)srnic_fault_count(fault));
	fclose(out);
	table_cell(table, "%s", text && *text ? text : "-");
	free(text);
}

static void show_peer(struct table *table, const struct srnic_peer *peer)
{
	unsigned long long silent = srnic_peer_silent(peer);
	char text[SRNIC_TEXT_MAX];

	table_cell(table, "%s", srnic_peer_dev_name(peer));
	table_cell(table, "%s", address_text(peer, text));
	table_cell(table, "%llu.%llu s", silent / 1000, silent % 1000 / 100);
	if (srnic_peer_is_timed(peer))
		table_cell(table, "%u s", srnic_peer_seconds(peer));
	else
		table_cell(table, srnic_peer_is_cut_off(peer) ? "yes" : "no");
	table_cell(table, "%llu", (unsigned long long)srnic_peer_dropped(peer));
	show_faults(table, peer);
}

static int peer_show(struct args *args)
{
	static const struct column columns[] = {
		{ "DEVICE", false }, { "PEER", false }, { "SILENT", true }, { "CUT-OFF", true },
		{ "DROPPED", true }, { "FAULTS", false },
	};
	struct table table = { .columns = columns, .num = NUM(columns) };
	const struct srnic_peer *peer;
	struct srnic_list *list;
	struct srnic *srnic;
	uint32_t index;
	int err;

	err = dev_take_index(args, &index) ?: ask_open(args->where, &srnic) ?:
		ask_done(args->where, srnic_peer_list(srnic, index, &list));
	if (err)
		return err;

	list_begin();
	srnic_for_each_peer(peer, list) {
		if (cli.json)
			json_peer(peer);
		else
			show_peer(&table, peer);
	}
	list_end(&table);
	srnic_list_free(list);
	return CLI_OK;
}

/* Parse one address: a prefix of full length */
static int take_address(struct args *args, struct srnic_prefix *prefix)
{
	const char *word;
	int err;

	err = args_need(args, "the peer's address", &word) ?: parse_prefix(args, word, prefix);
	if (err || prefix->len == 128)
		return err;
	return cli_usage(args, "'%s' covers more than one address: name one", word);
}

/* Parse "[seconds N]" at the end of the line */
static int take_seconds(struct args *args, uint32_t *seconds)
{
	const char *word = args_peek(args);

	*seconds = 0;
	if (!word || strcmp(word, "seconds"))
		return args_end(args);
	args_take(args);
	return args_need(args, "the number after 'seconds'", &word) ?:
		parse_u32(args, "seconds", word, seconds) ?: args_end(args);
}

static int peer_cut(struct args *args)
{
	struct srnic_prefix peer;
	uint32_t index, seconds;
	struct srnic *srnic;
	const char *dev;

	return dev_take(args, &dev) ?: take_address(args, &peer) ?:
		take_seconds(args, &seconds) ?:
		dev_find(args->where, dev, &index) ?:
		ask_open(args->where, &srnic) ?:
		ask_done(args->where, srnic_peer_cut(srnic, index, peer.addr, seconds));
}

static int peer_allow(struct args *args)
{
	struct srnic_prefix peer;
	struct srnic *srnic;
	const char *dev;
	uint32_t index;

	return dev_take(args, &dev) ?: take_address(args, &peer) ?: args_end(args) ?:
		dev_find(args->where, dev, &index) ?:
		ask_open(args->where, &srnic) ?:
		ask_done(args->where, srnic_peer_allow(srnic, index, peer.addr));
}

int peer_run(struct args *args)
{
	static const struct verb verbs[] = {
		{ "show", peer_show },
		{ "cut", peer_cut },
		{ "allow", peer_allow },
		{ "add", peer_add },
		{ "del", peer_del },
		{ "list", peer_list },
	};

	return args_verb(args, verbs, NUM(verbs));
}
