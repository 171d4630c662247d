// SPDX-License-Identifier: GPL-2.0
/*
 * srnic mtu: the MTU of an InfiniBand port.
 */
#include "ask.h"
#include "cli.h"
#include "dev.h"
#include "json.h"
#include "list.h"

static void show_mtu(struct table *table, const struct srnic_dev *dev)
{
	if (!srnic_dev_ib_mtu(dev))
		return;
	if (!cli.json) {
		table_cell(table, "%s", srnic_dev_name(dev));
		table_cell(table, "%u", srnic_dev_ib_mtu(dev));
		return;
	}
	json_open(NULL, '{');
	json_string("device", srnic_dev_name(dev));
	json_number("ib_mtu", srnic_dev_ib_mtu(dev));
	json_close();
}

static int mtu_show(struct args *args)
{
	static const struct column columns[] = {
		{ "DEVICE", false }, { "IB-MTU", true },
	};
	struct table table = { .columns = columns, .num = NUM(columns) };

	return dev_show(args, &table, show_mtu);
}

static int mtu_set(struct args *args)
{
	struct srnic *srnic;
	uint32_t index, mtu;
	const char *dev, *word;
	int err;

	err = dev_take(args, &dev) ?: args_need(args, "the MTU, such as 4096,", &word) ?:
		parse_u32(args, "MTU", word, &mtu) ?: args_end(args);
	if (err)
		return err;
	return dev_find(args->where, dev, &index) ?: ask_open(args->where, &srnic) ?:
		ask_done(args->where, srnic_dev_set_ib_mtu(srnic, index, mtu));
}

int mtu_run(struct args *args)
{
	static const struct verb verbs[] = {
		{ "show", mtu_show }, { "set", mtu_set },
	};

	return args_verb(args, verbs, NUM(verbs));
}
