// SPDX-License-Identifier: GPL-2.0
#include "cli.h"
#include "json.h"
#include "list.h"

void list_begin(void)
{
	if (cli.json)
		json_open(NULL, '[');
}

void list_end(struct table *table)
{
	if (cli.json)
		json_close();
	else
		table_print(table);
}
