// SPDX-License-Identifier: GPL-2.0
/*
 * Table of suites (Documentation/protocol.md, section 3). Each suite is one
 * row.
 */
#include "compat_crypto.h"
#include "export.h"
#include "sth/crypto.h"

#define MODES_MAC	(BIT(SRNIC_STH_HEADER) | BIT(SRNIC_STH_PACKET))
#define MODES_AEAD	(BIT(SRNIC_STH_AEAD) | BIT(SRNIC_STH_OPAQUE))

/*
 * Columns: name, id, family, algorithm of the crypto API, internal
 * implementation or NULL; key and tag length in bytes, STH code, modes, limit
 * of failed tags (section 10), whether sub-keys can be derived for each packet.
 */
static const struct srnic_sth_suite suites[] = {
	{ "aes-cmac-128", 0x0101, &srnic_sth_prf, "cmac(aes)", "__cbc(aes)",
	  16, 16, 2, MODES_MAC, BIT_ULL(52), true },
	{ "aes-cmac-192", 0x0102, &srnic_sth_prf, "cmac(aes)", "__cbc(aes)",
	  24, 16, 2, MODES_MAC, BIT_ULL(52), true },
	{ "aes-cmac-256", 0x0103, &srnic_sth_prf, "cmac(aes)", "__cbc(aes)",
	  32, 16, 2, MODES_MAC, BIT_ULL(52), true },
	{ "aes-cmac-128/96", 0x0111, &srnic_sth_prf, "cmac(aes)", "__cbc(aes)",
	  16, 12, 1, MODES_MAC, BIT_ULL(39), true },
	{ "aes-cmac-192/96", 0x0112, &srnic_sth_prf, "cmac(aes)", "__cbc(aes)",
	  24, 12, 1, MODES_MAC, BIT_ULL(39), true },
	{ "aes-cmac-256/96", 0x0113, &srnic_sth_prf, "cmac(aes)", "__cbc(aes)",
	  32, 12, 1, MODES_MAC, BIT_ULL(39), true },
	{ "hmac-sha1", 0x0201, &srnic_sth_prf, "hmac(sha1)", NULL,
	  20, 20, 3, MODES_MAC, BIT_ULL(52), true },
	{ "hmac-sha224", 0x0202, &srnic_sth_prf, "hmac(sha224)", NULL,
	  28, 28, 4, MODES_MAC, BIT_ULL(52), true },
	{ "hmac-sha256", 0x0203, &srnic_sth_prf, "hmac(sha256)", NULL,
	  32, 32, 5, MODES_MAC, BIT_ULL(52), true },
	{ "hmac-sha384", 0x0204, &srnic_sth_prf, "hmac(sha384)", NULL,
	  48, 48, 6, MODES_MAC, BIT_ULL(52), true },
	{ "hmac-sha512", 0x0205, &srnic_sth_prf, "hmac(sha512)", NULL,
	  64, 64, 7, MODES_MAC, BIT_ULL(52), true },
	{ "aes-gmac-128", 0x0301, &srnic_sth_nonce, "gcm(aes)", "__gcm(aes)",
	  16, 16, 3, MODES_MAC, BIT_ULL(52), false },
	{ "aes-gmac-256", 0x0303, &srnic_sth_nonce, "gcm(aes)", "__gcm(aes)",
	  32, 16, 3, MODES_MAC, BIT_ULL(52), false },
	{ "aes-gcm-128", 0x0401, &srnic_sth_nonce, "gcm(aes)", "__gcm(aes)",
	  16, 16, 3, MODES_AEAD, BIT_ULL(52), false },
	{ "aes-gcm-192", 0x0402, &srnic_sth_nonce, "gcm(aes)", "__gcm(aes)",
	  24, 16, 3, MODES_AEAD, BIT_ULL(52), false },
	{ "aes-gcm-256", 0x0403, &srnic_sth_nonce, "gcm(aes)", "__gcm(aes)",
	  32, 16, 3, MODES_AEAD, BIT_ULL(52), false },
	{ "chacha20-poly1305", 0x0501, &srnic_sth_nonce, "rfc7539(chacha20,poly1305)", NULL,
	  32, 16, 3, MODES_AEAD, BIT_ULL(36), true },
};

/**
 * srnic_sth_suite_find() - Look up a suite by name
 * @name: name as in protocol.md
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
 * srnic_sth_suite_at() - Return the suite at an index
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
 * srnic_sth_suite_name() - Return the name of a suite
 * @suite: a row of the table
 */
const char *srnic_sth_suite_name(const struct srnic_sth_suite *suite)
{
	return suite->name;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_suite_name);

/**
 * srnic_sth_suite_allows() - Tell whether a suite has a mode
 * @suite: a row of the table
 * @mode: header, packet, aead or opaque
 */
bool srnic_sth_suite_allows(const struct srnic_sth_suite *suite, enum srnic_sth_mode mode)
{
	return mode != SRNIC_STH_OFF && suite->modes & BIT(mode);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_suite_allows);

/**
 * srnic_sth_suite_uncached() - Tell whether sub-keys can be derived for each
 *	packet
 * @suite: a row of the table
 */
bool srnic_sth_suite_uncached(const struct srnic_sth_suite *suite)
{
	return suite->uncached;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_suite_uncached);

/**
 * srnic_sth_suite_sth_len() - Return the length of a suite's STH
 * @suite: a row of the table
 *
 * Return: bytes: tag and, if the suite has one, emission counter.
 */
unsigned int srnic_sth_suite_sth_len(const struct srnic_sth_suite *suite)
{
	return suite->tag_len + (suite->family->has_counter ? SRNIC_STH_COUNTER_LEN : 0);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_suite_sth_len);

/**
 * srnic_sth_suite_tag_len() - Return the length of a suite's tag
 * @suite: a row of the table
 *
 * Return: bytes, without the emission counter.
 */
unsigned int srnic_sth_suite_tag_len(const struct srnic_sth_suite *suite)
{
	return suite->tag_len;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_suite_tag_len);

/**
 * srnic_sth_suite_loaded() - Tell whether the kernel has a suite's algorithms at present
 * @suite: a row of the suite table
 *
 * Loads no module, and makes no instance of a template.
 *
 * Context: process; sleeps.
 */
bool srnic_sth_suite_loaded(const struct srnic_sth_suite *suite)
{
	return srnic_alg_is_loaded(SRNIC_STH_KDF_ALG) && srnic_alg_is_loaded(suite->alg);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_suite_loaded);

/**
 * srnic_sth_suite_check() - Check that the kernel supports a suite
 * @suite: a row of the table
 * @missing: with -ENOENT: name of the missing algorithm of the crypto API
 *
 * Loads the modules that the suite needs.
 *
 * Context: process; sleeps.
 * Return: 0; -ENOENT if an algorithm is missing; or another negative errno if
 * the check failed.
 */
int srnic_sth_suite_check(const struct srnic_sth_suite *suite, const char **missing)
{
	char driver[CRYPTO_MAX_ALG_NAME];

	return srnic_suite_probe(suite, driver, missing);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_suite_check);
