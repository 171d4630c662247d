// SPDX-License-Identifier: GPL-2.0
/*
 * Options, which may be anywhere on the line, and dispatch of commands.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <srnic_version.h>
#include "ask.h"
#include "cli.h"

struct cli cli;

struct options {
	const char *netns;
	bool help;
	bool version;
	bool rest;		/* "--" was found: only words follow */
};

struct command {
	const char *name;
	int (*run)(struct args *args);
};

static const struct command commands[] = {
	{ "show", show_run },
	{ "qp", qp_run },
	{ "policy", policy_run },
	{ "key", key_run },
	{ "quota", quota_run },
	{ "limit", limit_run },
	{ "pkey", pkey_run },
	{ "subnet", subnet_run },
	{ "mtu", mtu_run },
	{ "suite", suite_run },
	{ "log", log_run },
	{ "peer", peer_run },
	{ "genkey", genkey_run },
	{ "pubkey", pubkey_run },
	{ "apply", apply_run },
	{ "save", save_run },
	{ "doctor", doctor_run },
};

/* Parse j, p, d and combinations of them */
static bool take_flags(const char *flags)
{
	if (!*flags || strspn(flags, "jpd") != strlen(flags))
		return false;
	cli.json |= !!strpbrk(flags, "jp");
	cli.pretty |= !!strchr(flags, 'p');
	cli.details |= !!strchr(flags, 'd');
	return true;
}

static bool is_option(const char *word, const char *brief, const char *full)
{
	return !strcmp(word, brief) || !strcmp(word, full);
}

/* Parse @word; return false if it is not a global option. */
static bool take_option(struct options *options, const char *word)
{
	if (!strcmp(word, "--json"))
		return take_flags("j");
	if (!strcmp(word, "--pretty"))
		return take_flags("p");
	if (!strcmp(word, "--details"))
		return take_flags("d");
	if (!strcmp(word, "--"))
		options->rest = true;
	else if (is_option(word, "-h", "--help"))
		options->help = true;
	else if (is_option(word, "-V", "--version"))
		options->version = true;
	else
		return word[0] == '-' && take_flags(word + 1);
	return true;
}

/* Move the words that are not options to the front, and terminate them with NULL. */
static int sort_out(char **argv, struct options *options, const struct args *args)
{
	char **word = argv;

	for (; *argv; argv++) {
		if (options->rest) {
			*word++ = *argv;
		} else if (is_option(*argv, "-n", "--netns")) {
			options->netns = *++argv;
			if (!options->netns)
				return cli_usage(args, "the network namespace after -n is missing");
		} else if (!take_option(options, *argv)) {
			*word++ = *argv;
		}
	}
	*word = NULL;
	return CLI_OK;
}

/* Enter a namespace that iproute2 has named */
static int enter_netns(const char *name)
{
	char path[256];
	int err;
	int fd;

	snprintf(path, sizeof(path), strchr(name, '/') ? "%s" : "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return cli_refused("", "no network namespace '%s': %s: %s", name, path,
				   strerror(errno));
	err = setns(fd, CLONE_NEWNET);
	close(fd);
	if (err)
		return cli_refused("", "cannot enter network namespace '%s': %s", name,
				   strerror(errno));
	return CLI_OK;
}

static int help(struct args *args)
{
	const char *word = args_take(args);

	if (help_print(cli.out, word ?: ""))
		return CLI_OK;
	return cli_usage(args, "no help on '%s': it is not a command", word);
}

int cli_command(struct args *args)
{
	const char *word = args_take(args);
	unsigned int i;

	for (i = 0; i < NUM(commands); i++) {
		if (strcmp(commands[i].name, word))
			continue;
		args->about = commands[i].name;
		snprintf(args->where, sizeof(args->where), "%s", word);
		return commands[i].run(args);
	}
	return cli_usage(args, "unknown command '%s'", word);
}

static int run(struct args *args, const struct options *options)
{
	const char *word = args_peek(args);

	if (!word) {
		help_print(cli.err, "");
		return CLI_USAGE;
	}
	if (!strcmp(word, "help")) {
		args_take(args);
		return help(args);
	}
	if (options->help && help_print(cli.out, word))
		return CLI_OK;
	if (options->netns && enter_netns(options->netns))
		return CLI_REFUSED;
	return cli_command(args);
}

int cli_run(int argc, char **argv)
{
	struct options options = {};
	struct args args = { .next = argv + 1, .about = "" };
	int err;

	(void)argc;
	err = sort_out(argv + 1, &options, &args);
	if (err)
		return err;
	if (options.version) {
		fprintf(cli.out, "srnic %s\n", SRNIC_VERSION);
		return CLI_OK;
	}
	if (options.help && !args_peek(&args))
		return help_print(cli.out, "") ? CLI_OK : CLI_USAGE;

	err = run(&args, &options);
	ask_close();
	/* a full disk or a closed pipe must not count as success */
	if ((fflush(cli.out) || ferror(cli.out)) && !err)
		err = cli_refused("", "cannot write the output: %s", strerror(errno));
	return err;
}
