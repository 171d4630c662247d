// SPDX-License-Identifier: GPL-2.0
/*
 * Parsers of numbers and addresses.
 */
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

int parse_prefix(const struct args *args, const char *word, struct srnic_prefix *prefix)
{
	if (srnic_prefix_parse(prefix, word))
		return cli_usage(args, "%s", srnic_error());
	return CLI_OK;
}
