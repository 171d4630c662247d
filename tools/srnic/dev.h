/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dev - devices by name.
 */
#ifndef DEV_H
#define DEV_H

#include <stdint.h>

struct args;

/*
 * What is left of the line: "[dev] NAME", whose index in this namespace that is, or
 * nothing (SRNIC_DEV_ALL).
 */
int dev_take_index(struct args *args, uint32_t *index);

#endif /* DEV_H */
