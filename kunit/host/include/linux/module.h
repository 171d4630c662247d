/* SPDX-License-Identifier: GPL-2.0 */
#include "shim.h"

#define MODULE_AUTHOR(x)	static_assert(true, x)
#define MODULE_DESCRIPTION(x)	static_assert(true, x)
#define MODULE_IMPORT_NS(ns)	static_assert(true, #ns)
#define MODULE_LICENSE(x)	static_assert(true, x)
