// SPDX-License-Identifier: GPL-2.0
/*
 * The table of suites (Documentation/protocol.md, section 3). A new suite is a row.
 */
#include "export.h"
#include "sth/crypto.h"

#define MODES_MAC	(BIT(SRNIC_STH_HEADER) | BIT(SRNIC_STH_PACKET))
#define MODES_AEAD	BIT(SRNIC_STH_AEAD)

static const struct srnic_sth_suite suites[] = {
	{
		.name = "aes-cmac-128", .id = 0x0101, .family = &srnic_sth_prf,
		.alg = "cmac(aes)", .fast = "__cbc(aes)", .key_len = 16, .tag_len = 16, .code = 2,
		.modes = MODES_MAC, .max_failed = BIT_ULL(52),
	}, {
		.name = "aes-gcm-128", .id = 0x0401, .family = &srnic_sth_nonce,
		.alg = "gcm(aes)", .fast = "__gcm(aes)", .key_len = 16, .tag_len = 16, .code = 3,
		.modes = MODES_AEAD, .max_failed = BIT_ULL(52),
	},
};

/**
 * srnic_sth_suite_find - look up a suite
 * @name: as in protocol.md
 *
 * Return: the suite, or NULL.
 */
const struct srnic_sth_suite *srnic_sth_suite_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(suites); i++)
		if (!strcmp(suites[i].name, name))
			return &suites[i];
	return NULL;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_suite_find);

/**
 * srnic_sth_suite_at - walk the table
 * @index: from 0
 *
 * Return: the suite, or NULL past the end.
 */
const struct srnic_sth_suite *srnic_sth_suite_at(unsigned int index)
{
	return index < ARRAY_SIZE(suites) ? &suites[index] : NULL;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_suite_at);

/**
 * srnic_sth_suite_name - a suite's name
 * @suite: a row
 */
const char *srnic_sth_suite_name(const struct srnic_sth_suite *suite)
{
	return suite->name;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_suite_name);

/**
 * srnic_sth_suite_allows - does a suite have a mode?
 * @suite: a row
 * @mode: header, packet or aead
 */
bool srnic_sth_suite_allows(const struct srnic_sth_suite *suite, enum srnic_sth_mode mode)
{
	return mode != SRNIC_STH_OFF && suite->modes & BIT(mode);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_suite_allows);

/**
 * srnic_sth_suite_code - a suite's STH code
 * @suite: a row
 */
u8 srnic_sth_suite_code(const struct srnic_sth_suite *suite)
{
	return suite->code;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_suite_code);

/**
 * srnic_sth_suite_tag_len - length of a suite's tag
 * @suite: a row
 *
 * Return: bytes, without emission counter.
 */
unsigned int srnic_sth_suite_tag_len(const struct srnic_sth_suite *suite)
{
	return suite->tag_len;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_suite_tag_len);

/**
 * srnic_sth_suite_check - does this kernel have what a suite needs?
 * @suite: a row
 * @missing: with -ENOENT: the crypto API's name of what it lacks
 *
 * Loads the modules it needs; may sleep.
 *
 * Return: 0, -ENOENT, or why that cannot be told.
 */
int srnic_sth_suite_check(const struct srnic_sth_suite *suite, const char **missing)
{
	char driver[CRYPTO_MAX_ALG_NAME];

	return srnic_suite_probe(suite, driver, missing);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_suite_check);
