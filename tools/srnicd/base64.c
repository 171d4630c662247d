// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include "base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void key_to_text(const uint8_t key[KEY_LEN], char text[KEY_TEXT_LEN + 1])
{
	unsigned int i, j;
	uint32_t group;

	/* ten groups of three bytes, and one of two */
	for (i = 0; i < KEY_LEN; i += 3) {
		group = key[i] << 16 | key[i + 1] << 8 | (i + 2 < KEY_LEN ? key[i + 2] : 0);
		for (j = 0; j < 4; j++)
			*text++ = digits[group >> (18 - 6 * j) & 63];
	}
	text[-1] = '=';
	*text = '\0';
	explicit_bzero(&group, sizeof(group));
}

/* Return the value of a digit, or -1. */
static int digit_value(char digit)
{
	const char *at = digit ? strchr(digits, digit) : NULL;

	return at ? (int)(at - digits) : -1;
}

bool key_from_text(const char *text, size_t len, uint8_t key[KEY_LEN])
{
	unsigned int i, j, at = 0;
	uint32_t group;
	int value;

	if (len != KEY_TEXT_LEN || text[KEY_TEXT_LEN - 1] != '=')
		return false;
	for (i = 0; i < KEY_TEXT_LEN; i += 4) {
		group = 0;
		for (j = 0; j < 4; j++) {
			value = i + j == KEY_TEXT_LEN - 1 ? 0 : digit_value(text[i + j]);
			if (value < 0)
				return false;
			group = group << 6 | value;
		}
		for (j = 0; j < 3 && at < KEY_LEN; j++)
			key[at++] = group >> (16 - 8 * j);
	}
	/* the bits beyond the last byte: one key has one text only */
	value = group & 0xff;
	explicit_bzero(&group, sizeof(group));
	return !value;
}
