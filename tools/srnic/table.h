/* SPDX-License-Identifier: GPL-2.0 */
/*
 * table - rows in columns as wide as they need be; nothing at all without a row.
 */
#ifndef TABLE_H
#define TABLE_H

struct column {
	const char *title;
	bool number;		/* to the right */
};

struct table {
	const struct column *columns;
	unsigned int num;
	char **cells;
	unsigned int count;
};

void table_cell(struct table *table, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* prints and frees the rows */
void table_print(struct table *table);

#endif /* TABLE_H */
