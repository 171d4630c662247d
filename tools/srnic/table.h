/* SPDX-License-Identifier: GPL-2.0 */
/*
 * table - rows in aligned columns; prints nothing without rows.
 */
#ifndef TABLE_H
#define TABLE_H

struct column {
	const char *title;
	bool number;		/* align right */
};

struct table {
	const struct column *columns;
	unsigned int num;
	char **cells;
	unsigned int count;
};

void table_cell(struct table *table, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Print the rows and free them */
void table_print(struct table *table);

#endif /* TABLE_H */
