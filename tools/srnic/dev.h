/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dev - lookup and listing of devices by name.
 */
#ifndef DEV_H
#define DEV_H

#include <stdint.h>

struct args;
struct srnic_dev;
struct table;

/* Parse "[dev] NAME" */
int dev_take(struct args *args, const char **name);
/* Return the index of a device in this namespace */
int dev_find(const char *where, const char *name, uint32_t *index);
/* Show rows of all devices, or of the device named by the rest of the line */
int dev_show(struct args *args, struct table *table,
	     void (*row)(struct table *table, const struct srnic_dev *dev));

/*
 * Parse the rest of the line: "[dev] NAME", returned as the device's index in this
 * namespace, or nothing (SRNIC_DEV_ALL).
 */
int dev_take_index(struct args *args, uint32_t *index);

#endif /* DEV_H */
