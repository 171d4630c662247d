/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Checks of the libraries' tests, as TAP. Define last_error() before: the library's message. */
#ifndef TEST_CHECKS_H
#define TEST_CHECKS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned int tests, failures;

static void check(bool fine, const char *name)
{
	tests++;
	if (!fine)
		failures++;
	printf("%sok %u - %s\n", fine ? "" : "not ", tests, name);
	if (!fine)
		printf("# last error: %s\n", last_error());
	fflush(stdout);
}

/* Abort the test on errors that make further checks meaningless */
static inline void must_work(int err)
{
	if (!err)
		return;
	printf("Bail out! %d: %s\n", err, last_error());
	exit(1);
}

/* Test whether a call failed with this error and a one-line message */
static inline bool failed(int err, int wanted, const char *says)
{
	return err == -wanted && strstr(last_error(), says) && !strchr(last_error(), '\n');
}

#endif /* TEST_CHECKS_H */
