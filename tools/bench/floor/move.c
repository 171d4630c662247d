// SPDX-License-Identifier: GPL-2.0
/*
 * A private copy of srnic's copy routine: see sparse.c.
 */
#include <linux/build_bug.h>

#define SRNIC_EXPORT_H
#define SRNIC_EXPORT_FOR_KUNIT(sym)	static_assert(true, #sym)

#include "mem/memcpy.c"
