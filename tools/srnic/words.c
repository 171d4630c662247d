// SPDX-License-Identifier: GPL-2.0
/*
 * Parsers of numbers, names and addresses.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"

static bool digits_only(const char *word)
{
	return *word && strspn(word, "0123456789") == strlen(word);
}

int parse_u32(const struct args *args, const char *what, const char *word, uint32_t *value)
{
	unsigned long number;

	errno = 0;
	number = strtoul(word, NULL, 10);
	if (!digits_only(word) || errno || number > UINT32_MAX)
		return cli_usage(args, "%s '%s' must be a number from 0 to %u", what, word,
				 UINT32_MAX);
	*value = number;
	return CLI_OK;
}

/* Is this a word of letters, digits and marks that no option can be mistaken for? */
static bool is_word(const char *word, const char *marks)
{
	size_t len = strlen(word);
	size_t i;

	for (i = 0; i < len; i++)
		if (!isalnum((unsigned char)word[i]) && !strchr(marks, word[i]))
			return false;
	return len && len <= SRNIC_NAME_MAX && word[0] != '-';
}

int check_key_name(const struct args *args, const char *name)
{
	if (is_word(name, "._-"))
		return CLI_OK;
	return cli_usage(args, "key name '%.40s' is invalid: use 1 to %d letters, digits, '.', '_', '-'",
			 name, SRNIC_NAME_MAX);
}

int check_suite_name(const struct args *args, const char *name)
{
	if (is_word(name, "/-"))
		return CLI_OK;
	return cli_usage(args, "suite name '%.40s' is invalid: see 'srnic suite list'", name);
}

int parse_prefix(const struct args *args, const char *word, struct srnic_prefix *prefix)
{
	if (srnic_prefix_parse(prefix, word))
		return cli_usage(args, "%s", srnic_error());
	return CLI_OK;
}
