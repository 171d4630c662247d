// SPDX-License-Identifier: GPL-2.0
/*
 * srnic's CRC by shifts and exclusive-or, a copy of its own: there is no calling it in srnic.ko,
 * which exports it for KUnit alone. Nothing is exported from here.
 */
#include <linux/build_bug.h>

#define SRNIC_EXPORT_H
#define SRNIC_EXPORT_FOR_KUNIT(sym)	static_assert(true, #sym)

#include "wire/crc_sparse.c"
