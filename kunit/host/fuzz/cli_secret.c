// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz two user inputs of the srnic command: key files and prefixes. An
 * accepted key must be the contents of its file, and a written prefix must
 * parse to the same prefix.
 *
 * Input: a byte that selects the parser, then the text.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/fuzz.h"
#include "srnic/cli.h"

static void fuzz_secret(const char *text, size_t len, bool raw)
{
	struct args args = { .about = "key" };
	struct secret secret;
	size_t i, at = 0;

	memset(&secret, 0xa5, sizeof(secret));
	if (secret_parse(&args, "file", text, len, raw, &secret))
		return;
	CHECK(secret.len >= SRNIC_SECRET_MIN && secret.len <= SRNIC_SECRET_MAX);
	if (len == secret.len && !memcmp(text, secret.bytes, len))
		return;
	/* not the bytes of the file: then its hexadecimal digits, and nothing else */
	CHECK(!raw);
	for (i = 0; i < len; i++) {
		static const char digits[] = "0123456789abcdef";

		if (isspace((unsigned char)text[i]))
			continue;
		CHECK(at < 2 * secret.len);
		CHECK(digits[secret.bytes[at / 2] >> (at % 2 ? 0 : 4) & 0xf] ==
		      tolower((unsigned char)text[i]));
		at++;
	}
	CHECK(at == 2 * secret.len);
}

static void fuzz_prefix(const char *text)
{
	struct srnic_prefix prefix, again;
	char written[SRNIC_TEXT_MAX];

	memset(&prefix, 0, sizeof(prefix));
	memset(&again, 0, sizeof(again));
	if (srnic_prefix_parse(&prefix, text))
		return;
	CHECK(prefix.len <= 128);
	srnic_prefix_text(&prefix, written);
	CHECK(!srnic_prefix_parse(&again, written));
	CHECK(!memcmp(&prefix, &again, sizeof(prefix)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	if (!cli.err)
		cli.err = fopen("/dev/null", "w");
	text = malloc(size);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	if (data[0] & 1) {
		fuzz_prefix(text);
	} else {
		/* no terminating zero, so that ASan detects reads past the end */
		char *exact = malloc(size - 1 ?: 1);

		memcpy(exact, text, size - 1);
		fuzz_secret(exact, size - 1, data[0] & 2);
		free(exact);
	}
	free(text);
	return 0;
}
