/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock - time in milliseconds. It goes on while the machine sleeps, and nobody can set it.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

#define NEVER	UINT64_MAX

uint64_t clock_ms(void);

#endif /* CLOCK_H */
