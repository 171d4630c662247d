/* SPDX-License-Identifier: GPL-2.0 */
/*
 * list - what all commands that show something have in common: between these two,
 * each row adds its cells to the table, or writes one JSON object.
 */
#ifndef LIST_H
#define LIST_H

#include "table.h"

void list_begin(void);
/* prints the table, and frees its rows */
void list_end(struct table *table);

#endif /* LIST_H */
