// SPDX-License-Identifier: GPL-2.0
/*
 * srnic pkey: partitions that an InfiniBand port is a member of.
 */
#include <ctype.h>
#include <stdlib.h>
#include "ask.h"
#include "cli.h"
#include "dev.h"
#include "json.h"
#include "list.h"

#define FULL		0x8000	/* of a P_Key: full member */

static const char *membership(uint16_t pkey)
{
	return pkey & FULL ? "full" : "limited";
}

static void show_pkeys(struct table *table, const struct srnic_dev *dev)
{
	const struct srnic_pkey *entry;
	char word[8];

	srnic_for_each_pkey(entry, dev) {
		uint16_t pkey = srnic_pkey_value(entry);

		snprintf(word, sizeof(word), "0x%04x", pkey);
		if (!cli.json) {
			table_cell(table, "%s", srnic_dev_name(dev));
			table_cell(table, "%s", word);
			table_cell(table, "%s", membership(pkey));
			continue;
		}
		json_open(NULL, '{');
		json_string("device", srnic_dev_name(dev));
		json_string("pkey", word);
		json_string("membership", membership(pkey));
		json_close();
	}
}

static int pkey_show(struct args *args)
{
	static const struct column columns[] = {
		{ "DEVICE", false }, { "PKEY", false }, { "MEMBERSHIP", false },
	};
	struct table table = { .columns = columns, .num = NUM(columns) };

	return dev_show(args, &table, show_pkeys);
}

static int take_pkey(struct args *args, uint16_t *pkey)
{
	unsigned long value;
	const char *word;
	char *rest;
	int err;

	err = args_need(args, "the P_Key, such as 0x8001,", &word);
	if (err)
		return err;
	/* strtoul() takes a sign and blanks, and returns its maximum for a larger number */
	value = strtoul(word, &rest, 0);
	if (!isdigit((unsigned char)*word) || *rest || value > UINT16_MAX)
		return cli_usage(args, "P_Key '%s' must be a number from 0x0001 to 0xffff", word);
	*pkey = value;
	return args_end(args);
}

static int change(struct args *args, int (*apply)(struct srnic *srnic, uint32_t index,
						  uint16_t pkey))
{
	struct srnic *srnic;
	uint32_t index;
	const char *dev;
	uint16_t pkey = 0;
	int err;

	err = dev_take(args, &dev) ?: take_pkey(args, &pkey);
	if (err)
		return err;
	return dev_find(args->where, dev, &index) ?: ask_open(args->where, &srnic) ?:
		ask_done(args->where, apply(srnic, index, pkey));
}

static int pkey_add(struct args *args)
{
	return change(args, srnic_pkey_add);
}

static int pkey_del(struct args *args)
{
	return change(args, srnic_pkey_del);
}

int pkey_run(struct args *args)
{
	static const struct verb verbs[] = {
		{ "show", pkey_show }, { "add", pkey_add }, { "del", pkey_del },
	};

	return args_verb(args, verbs, NUM(verbs));
}
