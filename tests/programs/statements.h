/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Statements of the tests in this folder: those that are not true are printed and counted.
 */
#ifndef SRNIC_STATEMENTS_H
#define SRNIC_STATEMENTS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdio.h>

static int failed;

static void ok(bool good, const char *what)
{
	if (good)
		return;
	printf("not ok: %s\n", what);
	failed++;
}

static void is(enum ibv_wc_status status, enum ibv_wc_status want, const char *what)
{
	if (status == want)
		return;
	printf("not ok: %s: %s instead of %s\n", what, ibv_wc_status_str(status),
	       ibv_wc_status_str(want));
	failed++;
}

#endif /* SRNIC_STATEMENTS_H */
