/* SPDX-License-Identifier: GPL-2.0 */
/*
 * why - the reason of a failure, in one line that also says what to do.
 */
#ifndef WHY_H
#define WHY_H

#include <stdbool.h>

#define WHY_MAX		400

struct why {
	char text[WHY_MAX];
};

/* Store the reason; return false. */
bool why_not(struct why *why, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif /* WHY_H */
