// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Error messages: one line per thread, because functions without a handle can fail, too.
 */
#include <stdarg.h>
#include <stdio.h>
#include <srnic/srnic.h>
#include "error.h"

static __thread char line[256];

/* Messages quote names from the caller: replace characters that would break the line. */
static void put_on_one_line(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
}

int fail(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	put_on_one_line(line);
	return -err;
}

const char *srnic_error(void)
{
	return line;
}
