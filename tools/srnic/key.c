// SPDX-License-Identifier: GPL-2.0
/*
 * srnic key: pre-shared keys. They are added to the kernel and cannot be read back.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "ask.h"
#include "cli.h"
#include "json.h"
#include "list.h"

static int take_name(struct args *args, const char **name)
{
	return args_need(args, "the key's name", name) ?: check_key_name(args, *name);
}

struct source {
	const char *path;	/* NULL: standard input */
	bool raw;
};

static int take_source(struct args *args, struct source *source)
{
	const char *word;
	int err;

	memset(source, 0, sizeof(*source));
	while ((word = args_peek(args))) {
		if (!strcmp(word, "--raw")) {
			source->raw = true;
			args_take(args);
		} else if (source->path) {
			return args_end(args);
		} else if (!strcmp(word, "--file") || !strcmp(word, "file")) {
			args_take(args);
			err = args_need(args, "the name of the key file", &source->path);
			if (err)
				return err;
		} else if (!strcmp(word, "-")) {
			source->path = args_take(args);
		} else {
			return cli_usage(args, "'%.16s' is not expected here: give the key by --file FILE or on standard input, never on the command line",
					 word[0] == '-' ? word : "...");
		}
	}
	return CLI_OK;
}

typedef int (*sender)(struct srnic *srnic, const char *name, const struct secret *secret);

static int send_new(struct srnic *srnic, const char *name, const struct secret *secret)
{
	return srnic_key_add(srnic, name, secret->bytes, secret->len, 0);
}

static int send_replaced(struct srnic *srnic, const char *name, const struct secret *secret)
{
	return srnic_key_add(srnic, name, secret->bytes, secret->len, SRNIC_REPLACE);
}

static int send_next(struct srnic *srnic, const char *name, const struct secret *secret)
{
	return srnic_key_stage(srnic, name, secret->bytes, secret->len);
}

static int send_key(const char *where, const char *name, const struct secret *secret,
		    sender send)
{
	struct srnic *srnic;

	return ask_open(where, &srnic) ?: ask_done(where, send(srnic, name, secret));
}

static int set_key(struct args *args, sender send)
{
	struct source source;
	struct secret secret;
	const char *name;
	int err;

	err = take_name(args, &name) ?: take_source(args, &source);
	if (err)
		return err;

	prctl(PR_SET_DUMPABLE, 0);	/* keep keys out of core dumps */
	err = secret_read(args, source.path, source.raw, &secret) ?:
		send_key(args->where, name, &secret, send);
	explicit_bzero(&secret, sizeof(secret));
	return err;
}

static int key_add(struct args *args)
{
	return set_key(args, send_new);
}

static int key_replace(struct args *args)
{
	return set_key(args, send_replaced);
}

static int key_stage(struct args *args)
{
	return set_key(args, send_next);
}

/* The peer needs the key as well, so it is also written to a file. */
static int key_gen(struct args *args)
{
	struct source source;
	struct secret secret;
	const char *name;
	int err;

	err = take_name(args, &name) ?: take_source(args, &source);
	if (err)
		return err;
	if (!source.path || !strcmp(source.path, "-") || source.raw)
		return cli_usage(args, "the file for the new key is missing: add --file FILE, and copy FILE to the peer");

	prctl(PR_SET_DUMPABLE, 0);
	err = secret_make(args, source.path, &secret);
	if (!err) {
		err = send_key(args->where, name, &secret, send_new);
		if (err)
			unlink(source.path);
	}
	explicit_bzero(&secret, sizeof(secret));
	return err;
}

static int do_named(struct args *args, int (*act)(struct srnic *srnic, const char *name))
{
	struct srnic *srnic;
	const char *name;

	return take_name(args, &name) ?:
		args_end(args) ?:
		ask_open(args->where, &srnic) ?:
		ask_done(args->where, act(srnic, name));
}

static int key_promote(struct args *args)
{
	return do_named(args, srnic_key_promote);
}

static int key_retire(struct args *args)
{
	return do_named(args, srnic_key_retire);
}

static int key_del(struct args *args)
{
	return do_named(args, srnic_key_del);
}

/* Name the second secret; "-": there is none. */
static const char *other_name(const struct srnic_key *key)
{
	if (!srnic_key_other_len(key))
		return "-";
	return srnic_key_is_staged(key) ? "next" : "former";
}

static void show_key(struct table *table, const struct srnic_key *key)
{
	if (!cli.json) {
		table_cell(table, "%s", srnic_key_name(key));
		table_cell(table, "%u", srnic_key_len(key));
		table_cell(table, "%u", srnic_key_generation(key));
		table_cell(table, "%" PRIu64, srnic_key_sealed(key));
		table_cell(table, "%s", other_name(key));
		return;
	}
	json_open(NULL, '{');
	json_string("name", srnic_key_name(key));
	json_number("bytes", srnic_key_len(key));
	json_number("generation", srnic_key_generation(key));
	json_number("sealed", srnic_key_sealed(key));
	if (srnic_key_other_len(key)) {
		json_string("other", other_name(key));
		json_number("other_bytes", srnic_key_other_len(key));
	}
	json_close();
}

static int key_list(struct args *args)
{
	static const struct column columns[] = {
		{ "NAME", false }, { "BYTES", true }, { "GENERATION", true }, { "SEALED", true },
		{ "OTHER", false },
	};
	struct table table = { .columns = columns, .num = NUM(columns) };
	const struct srnic_key *key;
	struct srnic_list *list;
	struct srnic *srnic;
	int err;

	err = args_end(args) ?:
		ask_open(args->where, &srnic) ?:
		ask_done(args->where, srnic_key_list(srnic, &list));
	if (err)
		return err;
	list_begin();
	srnic_for_each_key(key, list)
		show_key(&table, key);
	list_end(&table);
	srnic_list_free(list);
	return CLI_OK;
}

int key_run(struct args *args)
{
	static const struct verb verbs[] = {
		{ "list", key_list },
		{ "add", key_add },
		{ "replace", key_replace },
		{ "gen", key_gen },
		{ "stage", key_stage },
		{ "promote", key_promote },
		{ "retire", key_retire },
		{ "del", key_del },
	};

	return args_verb(args, verbs, NUM(verbs));
}
