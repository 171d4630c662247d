// SPDX-License-Identifier: GPL-2.0
#include <assert.h>
#include "cli.h"
#include "json.h"

#define DEPTH_MAX	8

static struct {
	char closing[DEPTH_MAX];
	bool filled[DEPTH_MAX];
	unsigned int depth;
} json;

/* Return the length of the UTF-8 sequence at @text, or 0 if it is invalid. */
static unsigned int utf8_len(const unsigned char *text)
{
	unsigned int len, i;
	uint32_t code;

	if (*text < 0x80)
		return 1;
	len = *text >= 0xf0 ? 4 : *text >= 0xe0 ? 3 : 2;
	code = *text & (0xff >> (len + 1));
	for (i = 1; i < len; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (*text < 0xc2 || *text > 0xf4 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ||
	    (len == 3 && code < 0x800) || (len == 4 && code < 0x10000))
		return 0;
	return len;
}

/* A netdev's name may hold any bytes: those that are not UTF-8 become U+00XX. */
static void put_quoted(const char *value)
{
	const unsigned char *text = (const unsigned char *)value;
	unsigned int len;

	fputc('"', cli.out);
	for (; *text; text += len) {
		len = utf8_len(text);
		if (*text == '"' || *text == '\\')
			fprintf(cli.out, "\\%c", *text);
		else if (!len || *text < 0x20 || *text == 0x7f)
			fprintf(cli.out, "\\u%04x", *text);
		else
			fwrite(text, 1, len, cli.out);
		if (!len)
			len = 1;
	}
	fputc('"', cli.out);
}

static void put_newline(void)
{
	if (cli.pretty)
		fprintf(cli.out, "\n%*s", 4 * (int)json.depth, "");
}

static void put_name(const char *name)
{
	if (json.depth) {
		if (json.filled[json.depth - 1])
			fputc(',', cli.out);
		json.filled[json.depth - 1] = true;
		put_newline();
	}
	if (name) {
		put_quoted(name);
		fputs(cli.pretty ? ": " : ":", cli.out);
	}
}

void json_open(const char *name, char bracket)
{
	assert(json.depth < DEPTH_MAX);
	put_name(name);
	fputc(bracket, cli.out);
	json.closing[json.depth] = bracket == '[' ? ']' : '}';
	json.filled[json.depth] = false;
	json.depth++;
}

void json_close(void)
{
	bool filled;

	assert(json.depth);
	filled = json.filled[--json.depth];
	if (filled)
		put_newline();
	fputc(json.closing[json.depth], cli.out);
	if (!json.depth)
		fputc('\n', cli.out);
}

void json_string(const char *name, const char *value)
{
	put_name(name);
	put_quoted(value);
}

void json_number(const char *name, uint64_t value)
{
	put_name(name);
	fprintf(cli.out, "%llu", (unsigned long long)value);
}

void json_bool(const char *name, bool value)
{
	put_name(name);
	fputs(value ? "true" : "false", cli.out);
}
