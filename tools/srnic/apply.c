// SPDX-License-Identifier: GPL-2.0
/*
 * srnic apply: run the commands of a file. srnic save: write such a file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <srnic/srnic.h>
#include "../srnicd/identity.h"
#include "../srnicd/peers.h"
#include "cli.h"
#include "keys.h"

#define SETTINGS	"/etc/srnic/srnic.conf"
#define WORDS_MAX	32

/* Split a line at blanks, in place, up to a comment. Return the number of words, or -1. */
static int split(char *line, char *words[WORDS_MAX + 1])
{
	static const char blanks[] = " \t\r\n";
	char *word, *rest = line;
	int n = 0;

	for (word = strtok_r(line, blanks, &rest); word && *word != '#';
	     word = strtok_r(NULL, blanks, &rest)) {
		if (n == WORDS_MAX)
			return -1;
		words[n++] = word;
	}
	words[n] = NULL;
	return n;
}

static int apply_line(char *line)
{
	char *words[WORDS_MAX + 1];
	struct args args = { .next = words, .about = "apply", .where = "apply" };
	int n = split(line, words);

	if (n < 0)
		return cli_usage(&args, "more than %d words", WORDS_MAX);
	if (n == 0)
		return CLI_OK;
	if (!strcmp(words[0], "apply"))
		return cli_usage(&args, "a file cannot apply another one");
	args = (struct args){ .next = words, .about = "" };
	return cli_command(&args);
}

static int apply_lines(FILE *from, const char *path)
{
	char place[512], *line = NULL;
	unsigned int number = 0;
	int status = CLI_OK;
	size_t room = 0;

	cli.place = place;
	while (!status && getline(&line, &room, from) >= 0) {
		snprintf(place, sizeof(place), "%s:%u", path, ++number);
		status = apply_line(line);
	}
	cli.place = NULL;
	free(line);
	if (!status && ferror(from))
		status = cli_refused("apply", "cannot read %s: %s", path, strerror(errno));
	return status;
}

/* The first line that fails is the last: later ones may rely on it, as limits do on a device. */
int apply_run(struct args *args)
{
	const char *path = args_take(args) ?: SETTINGS;
	FILE *from;
	int status;

	status = args_end(args);
	if (status)
		return status;
	from = strcmp(path, "-") ? fopen(path, "re") : stdin;
	if (!from)
		return cli_refused(args->where, "cannot open %s: %s", path, strerror(errno));
	status = apply_lines(from, path);
	if (from != stdin)
		fclose(from);
	return status;
}

/* srnicd makes the keys of its peers: no file has them. */
static void save_key(const struct srnic_key *key, const struct peers *peers)
{
	const char *name = srnic_key_name(key);

	if (peers_find(peers, name))
		fprintf(cli.out, "# peer %s: srnicd makes the key\n", name);
	else
		fprintf(cli.out, "key replace %s --file /etc/srnic/%s.key\n", name, name);
}

/* Whether it is the rule that srnicd adds for a peer; others for its key are the user's. */
static bool is_rule_of_peer(const struct srnic_policy *policy, const struct peers *peers)
{
	const struct peer *peer = peers_find(peers, srnic_policy_key(policy));
	struct srnic_prefix prefix = srnic_policy_prefix(policy);

	return peer && !memcmp(&peer->prefix, &prefix, sizeof(prefix)) &&
		srnic_policy_rule(policy) == SRNIC_RULE_REQUIRE &&
		srnic_policy_mode(policy) == SRNIC_MODE_AEAD &&
		!strcmp(srnic_policy_suite(policy), peer->suite) &&
		!srnic_policy_clear_cm(policy) && !srnic_policy_uncached(policy);
}

static void save_rule(const struct srnic_policy *policy, const struct peers *peers)
{
	struct srnic_prefix prefix = srnic_policy_prefix(policy);
	char text[SRNIC_TEXT_MAX];

	if (is_rule_of_peer(policy, peers)) {
		fprintf(cli.out, "# peer %s: srnicd adds the rule\n", srnic_policy_key(policy));
		return;
	}
	srnic_prefix_text(&prefix, text);
	fprintf(cli.out, "policy replace %s %s", text, srnic_rule_name(srnic_policy_rule(policy)));
	if (*srnic_policy_key(policy))
		fprintf(cli.out, " %s %s key %s%s%s", srnic_mode_name(srnic_policy_mode(policy)),
			srnic_policy_suite(policy), srnic_policy_key(policy),
			srnic_policy_clear_cm(policy) ? " clear-cm" : "",
			srnic_policy_uncached(policy) ? " uncached" : "");
	fputc('\n', cli.out);
}

int save_run(struct args *args)
{
	struct srnic_list *policies = NULL, *keys = NULL;
	const struct srnic_policy *policy;
	const struct srnic_key *key;
	struct peers peers = {};
	struct why why;
	int err;

	err = args_end(args) ?: keys_and_rules(args->where, &keys, &policies);
	if (!err && !peers_read(identity_folder(), &peers, &why))
		err = cli_refused(args->where, "%s", why.text);
	if (!err) {
		fputs("# The kernel shows no secret: these files must have them\n", cli.out);
		srnic_for_each_key(key, keys)
			save_key(key, &peers);
		srnic_for_each_policy(policy, policies)
			save_rule(policy, &peers);
	}
	peers_free(&peers);
	srnic_list_free(policies);
	srnic_list_free(keys);
	return err;
}
