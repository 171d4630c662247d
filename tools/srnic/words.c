// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses, numbers and names, as people write them.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"

#define MAPPED_BITS	96

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

const char *const rule_names[3] = { "off", "prefer", "require" };
const char *const mode_names[4] = { "off", "header", "packet", "aead" };

int find_name(const char *const *names, unsigned int num, const char *word)
{
	unsigned int i;

	for (i = 0; i < num; i++)
		if (!strcmp(names[i], word))
			return i;
	return -1;
}

const char *name_of(const char *const *names, unsigned int num, unsigned int value)
{
	return value < num ? names[value] : "?";
}

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
		return cli_usage(args, "%s '%s' is no number from 0 to %u", what, word, UINT32_MAX);
	*value = number;
	return CLI_OK;
}

/* Clears what lies beyond the prefix; false if nothing did. */
static bool cut_prefix(struct prefix *prefix)
{
	bool cut = false;
	unsigned int i;

	for (i = prefix->len; i < 128; i++) {
		uint8_t bit = 0x80 >> (i % 8);

		if (prefix->addr[i / 8] & bit)
			cut = true;
		prefix->addr[i / 8] &= ~bit;
	}
	return cut;
}

/* The address alone; how many bits a prefix of its family can have, or 0. */
static unsigned int parse_addr(const char *text, uint8_t addr[16])
{
	memcpy(addr, mapped, sizeof(mapped));
	if (inet_pton(AF_INET, text, addr + sizeof(mapped)) == 1)
		return 32;
	if (inet_pton(AF_INET6, text, addr) == 1)
		return 128;
	return 0;
}

/* More than any prefix has if it is none */
static unsigned int parse_len(const char *text)
{
	return digits_only(text) && strlen(text) <= 3 ? strtoul(text, NULL, 10) : UINT32_MAX;
}

int parse_prefix(const struct args *args, const char *word, struct prefix *prefix)
{
	char text[PREFIX_TEXT];
	unsigned int bits, len;
	char *slash;

	memset(prefix, 0, sizeof(*prefix));
	if (!strcmp(word, "default") || !strcmp(word, "all"))
		return CLI_OK;

	if (snprintf(text, sizeof(text), "%s", word) >= (int)sizeof(text))
		return cli_usage(args, "'%.16s...' is too long for an address", word);
	slash = strchr(text, '/');
	if (slash)
		*slash++ = '\0';

	bits = parse_addr(text, prefix->addr);
	if (!bits)
		return cli_usage(args, "'%s' is no IPv4 or IPv6 address: write 192.0.2.0/24 or 2001:db8::/32",
				 text);
	len = slash ? parse_len(slash) : bits;
	if (len > bits)
		return cli_usage(args, "'/%s' in '%s' is no prefix length from 0 to %u", slash,
				 word, bits);
	prefix->len = 128 - bits + len;

	if (cut_prefix(prefix)) {
		print_prefix(text, prefix);
		return cli_usage(args, "'%s' has bits beyond its prefix length: write %s", word,
				 text);
	}
	return CLI_OK;
}

void print_addr(char text[PREFIX_TEXT], const uint8_t addr[16])
{
	if (!memcmp(addr, mapped, sizeof(mapped)))
		inet_ntop(AF_INET, addr + sizeof(mapped), text, PREFIX_TEXT);
	else
		inet_ntop(AF_INET6, addr, text, PREFIX_TEXT);
}

void print_prefix(char text[PREFIX_TEXT], const struct prefix *prefix)
{
	bool v4 = prefix->len >= MAPPED_BITS && !memcmp(prefix->addr, mapped, sizeof(mapped));
	size_t len;

	if (!prefix->len) {
		strcpy(text, "default");
		return;
	}
	/* ::ffff:0:0/80 and the like cover more than IPv4 */
	if (v4)
		inet_ntop(AF_INET, prefix->addr + sizeof(mapped), text, PREFIX_TEXT);
	else
		inet_ntop(AF_INET6, prefix->addr, text, PREFIX_TEXT);
	len = strlen(text);
	snprintf(text + len, PREFIX_TEXT - len, "/%u", prefix->len - (v4 ? MAPPED_BITS : 0));
}
