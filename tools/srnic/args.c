// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing of the command line's words, and error messages about them.
 */
#include <stdarg.h>
#include <string.h>
#include "cli.h"

static void complain(const char *where, const char *fmt, va_list ap)
{
	fprintf(cli.err, "srnic: ");
	if (cli.place)
		fprintf(cli.err, "%s: ", cli.place);
	if (where[0])
		fprintf(cli.err, "%s: ", where);
	vfprintf(cli.err, fmt, ap);
}

int cli_usage(const struct args *args, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(args->where, fmt, ap);
	va_end(ap);
	fprintf(cli.err, " (srnic help%s%s)\n", args->about[0] ? " " : "", args->about);
	return CLI_USAGE;
}

int cli_refused(const char *where, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(where, fmt, ap);
	va_end(ap);
	fputc('\n', cli.err);
	return CLI_REFUSED;
}

const char *args_peek(const struct args *args)
{
	return *args->next;
}

const char *args_take(struct args *args)
{
	return *args->next ? *args->next++ : NULL;
}

int args_need(struct args *args, const char *what, const char **word)
{
	*word = args_take(args);
	return *word ? CLI_OK : cli_usage(args, "%s is missing", what);
}

int args_end(const struct args *args)
{
	if (!args_peek(args))
		return CLI_OK;
	return cli_usage(args, "'%s' is not expected here: remove it", args_peek(args));
}

static int unknown_verb(const struct args *args, const struct verb *verbs, unsigned int num)
{
	char names[256] = "";
	unsigned int i;
	size_t at = 0;

	for (i = 0; i < num && at < sizeof(names); i++)
		at += snprintf(names + at, sizeof(names) - at, "%s %s",
			       !i ? "" : i < num - 1 ? "," : " or", verbs[i].name);
	return cli_usage(args, "unknown verb '%s': use%s", args_peek(args), names);
}

int args_verb(struct args *args, const struct verb *verbs, unsigned int num)
{
	const char *word = args_peek(args);
	unsigned int i;

	if (!word) {
		snprintf(args->where, sizeof(args->where), "%s %s", args->about, verbs[0].name);
		return verbs[0].run(args);
	}
	for (i = 0; i < num; i++) {
		if (strcmp(verbs[i].name, word))
			continue;
		args_take(args);
		snprintf(args->where, sizeof(args->where), "%s %s", args->about, word);
		return verbs[i].run(args);
	}
	return unknown_verb(args, verbs, num);
}
