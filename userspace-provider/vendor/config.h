/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * In place of the config.h that rdma-core's CMake writes: only what the
 * vendored headers ask for.
 */
#ifndef SRNIC_VENDOR_CONFIG_H
#define SRNIC_VENDOR_CONFIG_H

#define HAVE_STATEMENT_EXPR		1
#define HAVE_BUILTIN_TYPES_COMPATIBLE_P	1
#define HAVE_TYPEOF			1
#define HAVE_ISBLANK			1

#ifndef IBVERBS_PABI_VERSION
#error "The Makefile chooses the provider ABI: IBVERBS_PABI_VERSION"
#endif

#endif /* SRNIC_VENDOR_CONFIG_H */
