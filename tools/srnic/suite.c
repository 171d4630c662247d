// SPDX-License-Identifier: GPL-2.0
/*
 * srnic suite: what a rule can name.
 */
#include <stdio.h>
#include <string.h>
#include "cli.h"
#include "json.h"
#include "list.h"

static void cells(struct table *table, nl_attrs tb)
{
	uint32_t modes = nl_u32(tb[SRNIC_A_SUITE_MODES]);
	char text[64] = "";
	unsigned int i;

	for (i = 0; i < NUM(mode_names); i++)
		if (modes & 1u << i)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
				 *text ? "," : "", mode_names[i]);
	table_cell(table, "%s", nl_text(tb[SRNIC_A_SUITE_NAME]));
	table_cell(table, "%s", text);
	table_cell(table, "%u", nl_u32(tb[SRNIC_A_SUITE_TAG_LEN]));
	table_cell(table, "%u", nl_u32(tb[SRNIC_A_SUITE_STH_LEN]));
	table_cell(table, "%s", tb[SRNIC_A_SUITE_AVAILABLE] ? "yes" : "no");
}

static void show_suite(struct table *table, const struct nlmsghdr *nlh, const void *unused)
{
	uint32_t modes;
	unsigned int i;
	nl_attrs tb;

	(void)unused;
	nl_parse(nlh, tb);
	modes = nl_u32(tb[SRNIC_A_SUITE_MODES]);
	if (!cli.json) {
		cells(table, tb);
		return;
	}
	json_open(NULL, '{');
	json_string("suite", nl_text(tb[SRNIC_A_SUITE_NAME]));
	json_open("modes", '[');
	for (i = 0; i < NUM(mode_names); i++)
		if (modes & 1u << i)
			json_string(NULL, mode_names[i]);
	json_close();
	json_number("tag_bytes", nl_u32(tb[SRNIC_A_SUITE_TAG_LEN]));
	json_number("packet_bytes", nl_u32(tb[SRNIC_A_SUITE_STH_LEN]));
	json_bool("available", tb[SRNIC_A_SUITE_AVAILABLE]);
	json_close();
}

static int suite_list(struct args *args)
{
	static const struct column columns[] = {
		{ "SUITE", false }, { "MODES", false }, { "TAG", true }, { "BYTES/PACKET", true },
		{ "AVAILABLE", false },
	};
	struct table table = { .columns = columns, .num = NUM(columns) };
	union nl_buf buf;

	return args_end(args) ?:
		list_show(args->where, nl_begin(&buf, SRNIC_CMD_SUITE_GET), &table, show_suite,
			  NULL);
}

int suite_run(struct args *args)
{
	static const struct verb verbs[] = { { "list", suite_list } };

	return args_verb(args, verbs, NUM(verbs));
}
