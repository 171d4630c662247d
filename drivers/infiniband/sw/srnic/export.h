/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exports for the KUnit suites (kunit/), which are modules of their own.
 *
 * Symbols are exported only if the kernel has KUnit, and in a namespace, so
 * that no other module comes to depend on them. In user space the suites link
 * statically.
 */
#ifndef SRNIC_EXPORT_H
#define SRNIC_EXPORT_H

#ifdef __KERNEL__
#include <linux/module.h>
#if IS_ENABLED(CONFIG_KUNIT)
#define SRNIC_EXPORT_FOR_KUNIT(sym)	EXPORT_SYMBOL_NS_GPL(sym, SRNIC_KUNIT)
#endif
#endif

#ifndef SRNIC_EXPORT_FOR_KUNIT
#define SRNIC_EXPORT_FOR_KUNIT(sym)	static_assert(true, #sym)
#endif

#endif /* SRNIC_EXPORT_H */
