// SPDX-License-Identifier: GPL-2.0
/*
 * srnic's way to copy, a copy of its own: see sparse.c.
 */
#include <linux/build_bug.h>

#define SRNIC_EXPORT_H
#define SRNIC_EXPORT_FOR_KUNIT(sym)	static_assert(true, #sym)

#include "mem/move.c"
