// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "table.h"

static void no_memory(void)
{
	fputs("srnic: out of memory\n", cli.err);
	exit(CLI_REFUSED);
}

void table_cell(struct table *table, const char *fmt, ...)
{
	va_list ap;

	table->cells = reallocarray(table->cells, table->count + 1, sizeof(*table->cells));
	if (!table->cells)
		no_memory();
	va_start(ap, fmt);
	if (vasprintf(&table->cells[table->count++], fmt, ap) < 0)
		no_memory();
	va_end(ap);
}

static int column_width(const struct table *table, unsigned int column)
{
	size_t width = strlen(table->columns[column].title);
	unsigned int i;

	for (i = column; i < table->count; i += table->num)
		if (strlen(table->cells[i]) > width)
			width = strlen(table->cells[i]);
	return width;
}

static void put_cell(const struct table *table, unsigned int column, int width, const char *text)
{
	bool last = column == table->num - 1;

	if (table->columns[column].number)
		fprintf(cli.out, "%*s", width, text);
	else if (last)
		fputs(text, cli.out);
	else
		fprintf(cli.out, "%-*s", width, text);
	fputs(last ? "\n" : "  ", cli.out);
}

void table_print(struct table *table)
{
	int width[table->num];
	unsigned int i;

	if (table->count) {
		for (i = 0; i < table->num; i++)
			width[i] = column_width(table, i);
		for (i = 0; i < table->num; i++)
			put_cell(table, i, width[i], table->columns[i].title);
	}
	for (i = 0; i < table->count; i++) {
		put_cell(table, i % table->num, width[i % table->num], table->cells[i]);
		free(table->cells[i]);
	}
	free(table->cells);
	table->cells = NULL;
	table->count = 0;
}
