// SPDX-License-Identifier: GPL-2.0
/*
 * srnic show, srnic quota: devices, and how much they grant.
 */
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "dev.h"
#include "json.h"
#include "list.h"

static int take_dev(struct args *args, const char **name)
{
	int err = args_need(args, "the device's name", name);

	if (!err && !strcmp(*name, "dev"))
		err = args_need(args, "the device's name behind 'dev'", name);
	return err;
}

int dev_take_optional(struct args *args, const char **name)
{
	*name = NULL;
	if (!args_peek(args))
		return CLI_OK;
	return take_dev(args, name) ?: args_end(args);
}

int dev_find(const char *where, const char *name, uint32_t *index)
{
	const struct nlmsghdr *nlh;
	struct nl_list list;
	bool found = false;
	union nl_buf buf;
	nl_attrs tb;
	int left;
	int err;

	err = nl_dump(where, nl_begin(&buf, SRNIC_CMD_DEV_GET), &list);
	if (err)
		return err;
	nl_for_each(nlh, left, &list) {
		nl_parse(nlh, tb);
		if (strcmp(nl_text(tb[SRNIC_A_DEV_NAME]), name))
			continue;
		*index = nl_u32(tb[SRNIC_A_DEV_INDEX]);
		found = true;
	}
	free(list.data);
	if (!found)
		return cli_refused(where, "no srnic device '%s' in this namespace: see 'srnic show'",
				   name);
	return CLI_OK;
}

/* A device's quotas, one after the other: @attr starts as NULL and ends so. */
static const struct nlattr *next_quota(const struct nlmsghdr *nlh, const struct nlattr *attr,
				       nl_attrs tb)
{
	attr = attr ? mnl_attr_next(attr) :
		mnl_nlmsg_get_payload_offset(nlh, sizeof(struct genlmsghdr));
	for (; mnl_attr_ok(attr, (char *)mnl_nlmsg_get_payload_tail(nlh) - (char *)attr);
	     attr = mnl_attr_next(attr)) {
		if (mnl_attr_get_type(attr) != SRNIC_A_DEV_QUOTA)
			continue;
		nl_parse_nested(attr, tb);
		return attr;
	}
	return NULL;
}

static uint32_t quota_used(const struct nlmsghdr *nlh, const char *name)
{
	const struct nlattr *attr = NULL;
	nl_attrs tb;

	while ((attr = next_quota(nlh, attr, tb)))
		if (!strcmp(nl_text(tb[SRNIC_A_QUOTA_NAME]), name))
			return nl_u32(tb[SRNIC_A_QUOTA_USED]);
	return 0;
}

static void json_in_use(const struct nlmsghdr *nlh)
{
	const struct nlattr *attr = NULL;
	nl_attrs tb;

	json_open("in_use", '{');
	while ((attr = next_quota(nlh, attr, tb)))
		json_number(nl_text(tb[SRNIC_A_QUOTA_NAME]), nl_u32(tb[SRNIC_A_QUOTA_USED]));
	json_close();
}

/* @only: the name of the one device to show, or NULL */
static void show_dev(struct table *table, const struct nlmsghdr *nlh, const void *only)
{
	char netdev[IF_NAMESIZE] = "";
	nl_attrs tb;

	nl_parse(nlh, tb);
	if (only && strcmp(only, nl_text(tb[SRNIC_A_DEV_NAME])))
		return;
	if_indextoname(nl_u32(tb[SRNIC_A_DEV_IFINDEX]), netdev);

	if (!cli.json) {
		table_cell(table, "%s", nl_text(tb[SRNIC_A_DEV_NAME]));
		table_cell(table, "%s", netdev);
		table_cell(table, "%u", nl_u32(tb[SRNIC_A_DEV_MTU]));
		table_cell(table, "%u", quota_used(nlh, "qp"));
		table_cell(table, "%u", quota_used(nlh, "cq"));
		table_cell(table, "%u", quota_used(nlh, "mr"));
		return;
	}
	json_open(NULL, '{');
	json_string("device", nl_text(tb[SRNIC_A_DEV_NAME]));
	json_number("index", nl_u32(tb[SRNIC_A_DEV_INDEX]));
	json_string("netdev", netdev);
	json_number("ifindex", nl_u32(tb[SRNIC_A_DEV_IFINDEX]));
	json_number("mtu", nl_u32(tb[SRNIC_A_DEV_MTU]));
	json_in_use(nlh);
	json_close();
}

/* All devices, or the one that the line names, which must be there. */
static int show(struct args *args, struct table *table, list_row *row)
{
	const char *name;
	union nl_buf buf;
	uint32_t index;
	int err;

	err = dev_take_optional(args, &name);
	if (!err && name)
		err = dev_find(args->where, name, &index);
	return err ?: list_show(args->where, nl_begin(&buf, SRNIC_CMD_DEV_GET), table, row,
				name);
}

int show_run(struct args *args)
{
	static const struct column columns[] = {
		{ "DEVICE", false }, { "NETDEV", false }, { "MTU", true },
		{ "QPS", true }, { "CQS", true }, { "MRS", true },
	};
	struct table table = { .columns = columns, .num = NUM(columns) };

	return show(args, &table, show_dev);
}

static void show_quotas(struct table *table, const struct nlmsghdr *nlh, const void *only)
{
	const struct nlattr *attr = NULL;
	nl_attrs dev, tb;

	nl_parse(nlh, dev);
	if (only && strcmp(only, nl_text(dev[SRNIC_A_DEV_NAME])))
		return;

	while ((attr = next_quota(nlh, attr, tb))) {
		if (!cli.json) {
			table_cell(table, "%s", nl_text(dev[SRNIC_A_DEV_NAME]));
			table_cell(table, "%s", nl_text(tb[SRNIC_A_QUOTA_NAME]));
			table_cell(table, "%u", nl_u32(tb[SRNIC_A_QUOTA_USED]));
			table_cell(table, "%u", nl_u32(tb[SRNIC_A_QUOTA_LIMIT]));
			continue;
		}
		json_open(NULL, '{');
		json_string("device", nl_text(dev[SRNIC_A_DEV_NAME]));
		json_string("quota", nl_text(tb[SRNIC_A_QUOTA_NAME]));
		json_number("used", nl_u32(tb[SRNIC_A_QUOTA_USED]));
		json_number("limit", nl_u32(tb[SRNIC_A_QUOTA_LIMIT]));
		json_close();
	}
}

static int quota_show(struct args *args)
{
	static const struct column columns[] = {
		{ "DEVICE", false }, { "QUOTA", false }, { "USED", true }, { "LIMIT", true },
	};
	struct table table = { .columns = columns, .num = NUM(columns) };

	return show(args, &table, show_quotas);
}

static int quota_set(struct args *args)
{
	const char *dev, *quota, *word;
	uint32_t index, limit;
	struct nlmsghdr *nlh;
	struct nlattr *nest;
	union nl_buf buf;
	int err;

	err = take_dev(args, &dev) ?:
		args_need(args, "the quota (see 'srnic quota show')", &quota) ?:
		args_need(args, "the new limit", &word) ?:
		parse_u32(args, "limit", word, &limit) ?:
		args_end(args);
	if (err)
		return err;
	if (strlen(quota) > SRNIC_NAME_MAX)
		return cli_usage(args, "no quota '%.40s': see 'srnic quota show'", quota);
	err = dev_find(args->where, dev, &index);
	if (err)
		return err;

	nlh = nl_begin(&buf, SRNIC_CMD_QUOTA_SET);
	mnl_attr_put_u32(nlh, SRNIC_A_DEV_INDEX, index);
	nest = mnl_attr_nest_start(nlh, SRNIC_A_DEV_QUOTA);
	mnl_attr_put_strz(nlh, SRNIC_A_QUOTA_NAME, quota);
	mnl_attr_put_u32(nlh, SRNIC_A_QUOTA_LIMIT, limit);
	mnl_attr_nest_end(nlh, nest);
	return nl_do(args->where, nlh);
}

int quota_run(struct args *args)
{
	static const struct verb verbs[] = { { "show", quota_show }, { "set", quota_set } };

	return args_verb(args, verbs, NUM(verbs));
}
