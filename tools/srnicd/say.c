// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "clock.h"
#include "say.h"

#define REFUSALS	5
#define REFUSALS_MS	10000

static void say(int level, const char *fmt, va_list ap)
{
	char line[600];

	/* one write a line, so that lines of several processes do not mix */
	vsnprintf(line, sizeof(line), fmt, ap);
	if (getenv("JOURNAL_STREAM"))
		fprintf(stderr, "<%d>%s\n", level, line);
	else
		fprintf(stderr, "srnicd: %s\n", line);
}

void say_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(3, fmt, ap);
	va_end(ap);
}

void say_warning(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(4, fmt, ap);
	va_end(ap);
}

void say_info(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(6, fmt, ap);
	va_end(ap);
}

void say_refusal(const char *fmt, ...)
{
	static unsigned int said, unsaid;
	static uint64_t since;
	uint64_t now = clock_ms();
	va_list ap;

	if (now - since >= REFUSALS_MS) {
		if (unsaid)
			say_warning("%u more connections were refused", unsaid);
		since = now;
		said = 0;
		unsaid = 0;
	}
	if (said == REFUSALS) {
		unsaid++;
		return;
	}
	said++;
	va_start(ap, fmt);
	say(4, fmt, ap);
	va_end(ap);
}
