// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Text form of names and addresses.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <srnic/srnic.h>
#include "error.h"

#define MAPPED_BITS	96
#define NUM(array)	(sizeof(array) / sizeof(*(array)))

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

static const char *const rules[] = { "off", "prefer", "require" };
static const char *const modes[] = { "off", "header", "packet", "aead", "opaque" };
static const char *const types[] = {
	"rc", "uc", "ud", "gsi", "smi", "xrc-ini", "xrc-tgt", "raw-packet"
};
static const char *const states[] = { "reset", "init", "rtr", "rts", "sqd", "sqe", "err" };
static const char *const sides[] = { "ours", "theirs" };

static const char *name_of(const char *const *names, unsigned int num, unsigned int value)
{
	return value < num ? names[value] : "?";
}

const char *srnic_rule_name(enum srnic_rule rule)
{
	return name_of(rules, NUM(rules), rule);
}

const char *srnic_mode_name(enum srnic_mode mode)
{
	return name_of(modes, NUM(modes), mode);
}

const char *srnic_qp_type_name(enum srnic_qp_type type)
{
	return name_of(types, NUM(types), type);
}

const char *srnic_qp_state_name(enum srnic_qp_state state)
{
	return name_of(states, NUM(states), state);
}

const char *srnic_flow_side_name(enum srnic_flow_side side)
{
	return name_of(sides, NUM(sides), side);
}

int srnic_rule_parse(enum srnic_rule *rule, const char *name)
{
	unsigned int i;

	for (i = 0; i < NUM(rules); i++) {
		if (strcmp(rules[i], name))
			continue;
		*rule = i;
		return 0;
	}
	return fail(EINVAL, "unknown rule '%s': use off, prefer or require", name);
}

int srnic_mode_parse(enum srnic_mode *mode, const char *name)
{
	unsigned int i;

	for (i = 0; i < NUM(modes); i++) {
		if (strcmp(modes[i], name))
			continue;
		*mode = i;
		return 0;
	}
	return fail(EINVAL, "unknown mode '%s': use off, header, packet, aead or opaque", name);
}

/* Clear the bits beyond the prefix; return whether any was set. */
static bool cut_prefix(struct srnic_prefix *prefix)
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

/* Parse an address without length; return its family's maximum prefix length, or 0. */
static unsigned int parse_addr(const char *text, uint8_t addr[16])
{
	memcpy(addr, mapped, sizeof(mapped));
	if (inet_pton(AF_INET, text, addr + sizeof(mapped)) == 1)
		return 32;
	if (inet_pton(AF_INET6, text, addr) == 1)
		return 128;
	return 0;
}

/* Return a value above any prefix length if @text is not a number */
static unsigned int parse_len(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits && digits <= 3 && !text[digits] ? strtoul(text, NULL, 10) : UINT32_MAX;
}

int srnic_prefix_parse(struct srnic_prefix *prefix, const char *text)
{
	struct srnic_prefix read = {};
	char copy[SRNIC_TEXT_MAX];
	unsigned int bits, len;
	char *slash;

	if (!strcmp(text, "default") || !strcmp(text, "all")) {
		*prefix = read;
		return 0;
	}

	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return fail(EINVAL, "'%.16s...' is too long for an address", text);
	slash = strchr(copy, '/');
	if (slash)
		*slash++ = '\0';

	bits = parse_addr(copy, read.addr);
	if (!bits)
		return fail(EINVAL,
			    "'%s' is not an IPv4 or IPv6 address: write 192.0.2.0/24 or fd00::/8",
			    copy);
	len = slash ? parse_len(slash) : bits;
	if (len > bits)
		return fail(EINVAL, "prefix length '%s' in '%s' must be a number from 0 to %u",
			    slash, text, bits);
	read.len = 128 - bits + len;

	if (cut_prefix(&read))
		return fail(EINVAL, "'%s' has bits beyond its prefix length: write %s", text,
			    srnic_prefix_text(&read, copy));
	*prefix = read;
	return 0;
}

const char *srnic_addr_text(const uint8_t addr[16], char text[SRNIC_TEXT_MAX])
{
	if (!memcmp(addr, mapped, sizeof(mapped)))
		return inet_ntop(AF_INET, addr + sizeof(mapped), text, SRNIC_TEXT_MAX);
	return inet_ntop(AF_INET6, addr, text, SRNIC_TEXT_MAX);
}

const char *srnic_prefix_text(const struct srnic_prefix *prefix, char text[SRNIC_TEXT_MAX])
{
	/* ::ffff:0:0/80 and other shorter prefixes cover more than IPv4 */
	bool v4 = prefix->len >= MAPPED_BITS && !memcmp(prefix->addr, mapped, sizeof(mapped));
	size_t len;

	if (!prefix->len)
		return memcpy(text, "default", sizeof("default"));
	if (v4)
		inet_ntop(AF_INET, prefix->addr + sizeof(mapped), text, SRNIC_TEXT_MAX);
	else
		inet_ntop(AF_INET6, prefix->addr, text, SRNIC_TEXT_MAX);
	len = strlen(text);
	snprintf(text + len, SRNIC_TEXT_MAX - len, "/%u", prefix->len - (v4 ? MAPPED_BITS : 0));
	return text;
}
