/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dev - devices by name.
 */
#ifndef DEV_H
#define DEV_H

#include <stdint.h>

struct args;
struct srnic_dev;
struct table;

/* The next of the line: "[dev] NAME" */
int dev_take(struct args *args, const char **name);
/* The index of the device of this name in this namespace */
int dev_find(const char *where, const char *name, uint32_t *index);
/* Rows of all devices, or of the one that the rest of the line names, which must be there */
int dev_show(struct args *args, struct table *table,
	     void (*row)(struct table *table, const struct srnic_dev *dev));

/*
 * What is left of the line: "[dev] NAME", whose index in this namespace that is, or
 * nothing (SRNIC_DEV_ALL).
 */
int dev_take_index(struct args *args, uint32_t *index);

#endif /* DEV_H */
