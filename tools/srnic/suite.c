// SPDX-License-Identifier: GPL-2.0
/*
 * srnic suite: cipher suites that rules can name.
 */
#include <stdio.h>
#include <string.h>
#include "ask.h"
#include "cli.h"
#include "json.h"
#include "list.h"

/* The modes known to this program */
#define for_each_mode(mode)	for ((mode) = 0; (mode) <= SRNIC_MODE_OPAQUE; (mode)++)

static void cells(struct table *table, const struct srnic_suite *suite)
{
	char text[64] = "";
	unsigned int mode;

	for_each_mode(mode)
		if (srnic_suite_has_mode(suite, mode))
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
				 *text ? "," : "", srnic_mode_name(mode));
	table_cell(table, "%s", srnic_suite_name(suite));
	table_cell(table, "%s", text);
	table_cell(table, "%u", srnic_suite_tag_len(suite));
	table_cell(table, "%u", srnic_suite_sth_len(suite));
	table_cell(table, "%s", srnic_suite_available(suite) ? "yes" : "no");
}

static void show_suite(struct table *table, const struct srnic_suite *suite)
{
	unsigned int mode;

	if (!cli.json) {
		cells(table, suite);
		return;
	}
	json_open(NULL, '{');
	json_string("suite", srnic_suite_name(suite));
	json_open("modes", '[');
	for_each_mode(mode)
		if (srnic_suite_has_mode(suite, mode))
			json_string(NULL, srnic_mode_name(mode));
	json_close();
	json_number("tag_bytes", srnic_suite_tag_len(suite));
	json_number("packet_bytes", srnic_suite_sth_len(suite));
	json_bool("available", srnic_suite_available(suite));
	json_close();
}

static int suite_list(struct args *args)
{
	static const struct column columns[] = {
		{ "SUITE", false }, { "MODES", false }, { "TAG", true }, { "BYTES/PACKET", true },
		{ "AVAILABLE", false },
	};
	struct table table = { .columns = columns, .num = NUM(columns) };
	const struct srnic_suite *suite;
	struct srnic_list *list;
	struct srnic *srnic;
	int err;

	err = args_end(args) ?:
		ask_open(args->where, &srnic) ?:
		ask_done(args->where, srnic_suite_list(srnic, &list));
	if (err)
		return err;
	list_begin();
	srnic_for_each_suite(suite, list)
		show_suite(&table, suite);
	list_end(&table);
	srnic_list_free(list);
	return CLI_OK;
}

int suite_run(struct args *args)
{
	static const struct verb verbs[] = { { "list", suite_list } };

	return args_verb(args, verbs, NUM(verbs));
}
