/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dev - devices by name.
 */
#ifndef DEV_H
#define DEV_H

#include <stdint.h>

struct args;

/* What is left of the line: "[dev] NAME", or nothing (NULL). */
int dev_take_optional(struct args *args, const char **name);
/* The index of the device of this name in this namespace. */
int dev_find(const char *where, const char *name, uint32_t *index);

#endif /* DEV_H */
