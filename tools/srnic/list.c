// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include "cli.h"
#include "json.h"
#include "list.h"

int list_show(const char *where, struct nlmsghdr *request, struct table *table,
	      list_row *row, const void *arg)
{
	const struct nlmsghdr *nlh;
	struct nl_list list;
	int left;
	int err;

	err = nl_dump(where, request, &list);
	if (err)
		return err;

	if (cli.json)
		json_open(NULL, '[');
	nl_for_each(nlh, left, &list)
		row(table, nlh, arg);
	if (cli.json)
		json_close();
	else
		table_print(table);
	free(list.data);
	return CLI_OK;
}
