/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The version of module, tools and Debian packages. debian/changelog begins with the same.
 */
#ifndef SRNIC_VERSION_H
#define SRNIC_VERSION_H

#define SRNIC_VERSION	"0.1"

#endif /* SRNIC_VERSION_H */
