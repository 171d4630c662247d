/* SPDX-License-Identifier: GPL-2.0 */
/*
 * list - what all commands that show something have in common.
 */
#ifndef LIST_H
#define LIST_H

#include "nl.h"
#include "table.h"

/*
 * Asks for @request's dump and gives each message to @row, which adds its cells to the
 * table or writes one JSON object; puts the array's brackets around them.
 */
typedef void list_row(struct table *table, const struct nlmsghdr *nlh, const void *arg);
int list_show(const char *where, struct nlmsghdr *request, struct table *table,
	      list_row *row, const void *arg);

#endif /* LIST_H */
