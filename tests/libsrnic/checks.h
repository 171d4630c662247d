/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Checks of lib_test.c and verbs_test.c */
#ifndef LIBSRNIC_CHECKS_H
#define LIBSRNIC_CHECKS_H

#include <srnic/srnic.h>

#define last_error srnic_error
#include "../checks.h"

#endif /* LIBSRNIC_CHECKS_H */
