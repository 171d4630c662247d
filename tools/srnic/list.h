/* SPDX-License-Identifier: GPL-2.0 */
/*
 * list - common frame of all commands that list objects: between list_begin() and list_end(),
 * each row either adds its cells to the table or writes one JSON object.
 */
#ifndef LIST_H
#define LIST_H

#include "table.h"

void list_begin(void);
/* Print the table and free its rows */
void list_end(struct table *table);

#endif /* LIST_H */
