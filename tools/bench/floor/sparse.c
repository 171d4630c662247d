// SPDX-License-Identifier: GPL-2.0
/*
 * A private copy of srnic's CRC by shifts and exclusive-or. srnic.ko exports
 * its own for KUnit only, so it cannot be called from here. This module exports
 * nothing.
 */
#include <linux/build_bug.h>

#define SRNIC_EXPORT_H
#define SRNIC_EXPORT_FOR_KUNIT(sym)	static_assert(true, #sym)

#include "wire/crc_sparse.c"
