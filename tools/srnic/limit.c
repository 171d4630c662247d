// SPDX-License-Identifier: GPL-2.0
/*
 * srnic limit: limits beyond which a peer is disconnected or cut off.
 */
#include <string.h>
#include "ask.h"
#include "cli.h"
#include "dev.h"
#include "json.h"
#include "list.h"

static void show_limits(struct table *table, const struct srnic_dev *dev)
{
	const struct srnic_limit *limit;

	srnic_for_each_limit(limit, dev) {
		if (!cli.json) {
			table_cell(table, "%s", srnic_dev_name(dev));
			table_cell(table, "%s", srnic_limit_name(limit));
			if (srnic_limit_value(limit))
				table_cell(table, "%u", srnic_limit_value(limit));
			else
				table_cell(table, "none");
			continue;
		}
		json_open(NULL, '{');
		json_string("device", srnic_dev_name(dev));
		json_string("limit", srnic_limit_name(limit));
		json_number("value", srnic_limit_value(limit));
		json_number("highest", srnic_limit_highest(limit));
		json_close();
	}
}

static int limit_show(struct args *args)
{
	static const struct column columns[] = {
		{ "DEVICE", false }, { "LIMIT", false }, { "VALUE", true },
	};
	struct table table = { .columns = columns, .num = NUM(columns) };

	return dev_show(args, &table, show_limits);
}

/* Parse a number, or "none" */
static int take_value(struct args *args, uint32_t *value)
{
	const char *word;
	int err;

	err = args_need(args, "the new value (or 'none')", &word);
	if (err)
		return err;
	*value = 0;
	return strcmp(word, "none") ? parse_u32(args, "value", word, value) : CLI_OK;
}

static int limit_set(struct args *args)
{
	const char *dev, *limit;
	uint32_t index, value;
	struct srnic *srnic;
	int err;

	err = dev_take(args, &dev) ?:
		args_need(args, "the limit (see 'srnic limit show')", &limit) ?:
		take_value(args, &value) ?: args_end(args);
	if (err)
		return err;
	if (strlen(limit) > SRNIC_NAME_MAX)
		return cli_usage(args, "unknown limit '%.40s': see 'srnic limit show'", limit);

	return dev_find(args->where, dev, &index) ?:
		ask_open(args->where, &srnic) ?:
		ask_done(args->where, srnic_limit_set(srnic, index, limit, value));
}

int limit_run(struct args *args)
{
	static const struct verb verbs[] = { { "show", limit_show }, { "set", limit_set } };

	return args_verb(args, verbs, NUM(verbs));
}
