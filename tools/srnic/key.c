// SPDX-License-Identifier: GPL-2.0
/*
 * srnic key: pre-shared keys. They are added to the kernel and cannot be read back.
 */
#include <ctype.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "ask.h"
#include "cli.h"
#include "json.h"
#include "list.h"

static bool is_name(const char *word)
{
	size_t len = strlen(word);
	size_t i;

	for (i = 0; i < len; i++)
		if (!isalnum((unsigned char)word[i]) && !strchr("._-", word[i]))
			return false;
	return len && len <= SRNIC_NAME_MAX && word[0] != '-';
}

static int take_name(struct args *args, const char **name)
{
	int err;

	err = args_need(args, "the key's name", name);
	if (err)
		return err;
	if (is_name(*name))
		return CLI_OK;
	return cli_usage(args, "'%.40s' is no name for a key: 1 to %d letters, digits, '.', '_', '-'",
			 *name, SRNIC_NAME_MAX);
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
			return cli_usage(args, "no '%.16s' here: a key comes from --file FILE or standard input, never from the command line",
					 word[0] == '-' ? word : "...");
		}
	}
	return CLI_OK;
}

static int send_key(const char *where, const char *name, const struct secret *secret,
		    unsigned int flags)
{
	struct srnic *srnic;

	return ask_open(where, &srnic) ?:
		ask_done(where, srnic_key_add(srnic, name, secret->bytes, secret->len, flags));
}

static int set_key(struct args *args, unsigned int flags)
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
		send_key(args->where, name, &secret, flags);
	explicit_bzero(&secret, sizeof(secret));
	return err;
}

static int key_add(struct args *args)
{
	return set_key(args, 0);
}

static int key_replace(struct args *args)
{
	return set_key(args, SRNIC_REPLACE);
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
		return cli_usage(args, "where shall the key go, for the peer to have it? Add --file FILE");

	prctl(PR_SET_DUMPABLE, 0);
	err = secret_make(args, source.path, &secret);
	if (!err) {
		err = send_key(args->where, name, &secret, 0);
		if (err)
			unlink(source.path);
	}
	explicit_bzero(&secret, sizeof(secret));
	return err;
}

static int key_del(struct args *args)
{
	struct srnic *srnic;
	const char *name;

	return take_name(args, &name) ?:
		args_end(args) ?:
		ask_open(args->where, &srnic) ?:
		ask_done(args->where, srnic_key_del(srnic, name));
}

static void show_key(struct table *table, const struct srnic_key *key)
{
	if (!cli.json) {
		table_cell(table, "%s", srnic_key_name(key));
		table_cell(table, "%u", srnic_key_len(key));
		return;
	}
	json_open(NULL, '{');
	json_string("name", srnic_key_name(key));
	json_number("bytes", srnic_key_len(key));
	json_close();
}

static int key_list(struct args *args)
{
	static const struct column columns[] = { { "NAME", false }, { "BYTES", true } };
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
		{ "del", key_del },
	};

	return args_verb(args, verbs, NUM(verbs));
}
