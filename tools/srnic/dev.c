// SPDX-License-Identifier: GPL-2.0
/*
 * srnic show, srnic quota: devices and their quotas.
 */
#include <net/if.h>
#include <pwd.h>
#include <string.h>
#include "ask.h"
#include "cli.h"
#include "dev.h"
#include "json.h"
#include "list.h"

int dev_take(struct args *args, const char **name)
{
	int err = args_need(args, "the device's name", name);

	if (!err && !strcmp(*name, "dev"))
		err = args_need(args, "the device's name after 'dev'", name);
	return err;
}

/* Parse the rest of the line: "[dev] NAME", or nothing (NULL) */
static int take_optional(struct args *args, const char **name)
{
	*name = NULL;
	if (!args_peek(args))
		return CLI_OK;
	return dev_take(args, name) ?: args_end(args);
}

/* List all devices; fail if @name is given and not among them */
static int ask_devs(const char *where, const char *name, struct srnic_list **list)
{
	struct srnic *srnic;
	int err;

	err = ask_open(where, &srnic) ?: ask_done(where, srnic_dev_list(srnic, list));
	if (err || !name || srnic_dev_find(*list, name))
		return err;
	srnic_list_free(*list);
	return cli_refused(where, "no srnic device '%s' in this namespace: see 'srnic show'", name);
}

int dev_find(const char *where, const char *name, uint32_t *index)
{
	struct srnic_list *list;
	int err;

	err = ask_devs(where, name, &list);
	if (err)
		return err;
	*index = srnic_dev_index(srnic_dev_find(list, name));
	srnic_list_free(list);
	return CLI_OK;
}

int dev_take_index(struct args *args, uint32_t *index)
{
	const char *name;
	int err;

	*index = SRNIC_DEV_ALL;
	err = take_optional(args, &name);
	return err || !name ? err : dev_find(args->where, name, index);
}

static uint32_t quota_used(const struct srnic_dev *dev, const char *name)
{
	const struct srnic_quota *quota;

	srnic_for_each_quota(quota, dev)
		if (!strcmp(srnic_quota_name(quota), name))
			return srnic_quota_used(quota);
	return 0;
}

static void json_in_use(const struct srnic_dev *dev)
{
	const struct srnic_quota *quota;

	json_open("in_use", '{');
	srnic_for_each_quota(quota, dev)
		json_number(srnic_quota_name(quota), srnic_quota_used(quota));
	json_close();
}

static void show_dev(struct table *table, const struct srnic_dev *dev)
{
	char netdev[IF_NAMESIZE] = "";

	if_indextoname(srnic_dev_ifindex(dev), netdev);
	if (!cli.json) {
		table_cell(table, "%s", srnic_dev_name(dev));
		table_cell(table, "%s", netdev);
		table_cell(table, "%u", srnic_dev_mtu(dev));
		if (srnic_dev_ib_mtu(dev))
			table_cell(table, "%u", srnic_dev_ib_mtu(dev));
		else
			table_cell(table, "-");
		table_cell(table, "%u", quota_used(dev, "qp"));
		table_cell(table, "%u", quota_used(dev, "cq"));
		table_cell(table, "%u", quota_used(dev, "mr"));
		return;
	}
	json_open(NULL, '{');
	json_string("device", srnic_dev_name(dev));
	json_number("index", srnic_dev_index(dev));
	json_string("netdev", netdev);
	json_number("ifindex", srnic_dev_ifindex(dev));
	json_number("mtu", srnic_dev_mtu(dev));
	if (srnic_dev_ib_mtu(dev))
		json_number("ib_mtu", srnic_dev_ib_mtu(dev));
	json_in_use(dev);
	json_close();
}

int dev_show(struct args *args, struct table *table,
	     void (*row)(struct table *table, const struct srnic_dev *dev))
{
	const struct srnic_dev *dev;
	struct srnic_list *list;
	const char *name;
	int err;

	err = take_optional(args, &name) ?: ask_devs(args->where, name, &list);
	if (err)
		return err;
	list_begin();
	srnic_for_each_dev(dev, list)
		if (!name || !strcmp(srnic_dev_name(dev), name))
			row(table, dev);
	list_end(table);
	srnic_list_free(list);
	return CLI_OK;
}

int show_run(struct args *args)
{
	static const struct column columns[] = {
		{ "DEVICE", false }, { "NETDEV", false }, { "MTU", true }, { "IB-MTU", true },
		{ "QPS", true }, { "CQS", true }, { "MRS", true },
	};
	struct table table = { .columns = columns, .num = NUM(columns) };

	return dev_show(args, &table, show_dev);
}

static void show_quotas(struct table *table, const struct srnic_dev *dev)
{
	const struct srnic_quota *quota;

	srnic_for_each_quota(quota, dev) {
		if (!cli.json) {
			table_cell(table, "%s", srnic_dev_name(dev));
			table_cell(table, "%s", srnic_quota_name(quota));
			table_cell(table, "%u", srnic_quota_used(quota));
			table_cell(table, "%u", srnic_quota_limit(quota));
			table_cell(table, "%u", srnic_quota_reserve(quota));
			continue;
		}
		json_open(NULL, '{');
		json_string("device", srnic_dev_name(dev));
		json_string("quota", srnic_quota_name(quota));
		json_number("used", srnic_quota_used(quota));
		json_number("limit", srnic_quota_limit(quota));
		json_number("reserve", srnic_quota_reserve(quota));
		json_close();
	}
}

static int quota_show(struct args *args)
{
	static const struct column columns[] = {
		{ "DEVICE", false }, { "QUOTA", false }, { "USED", true }, { "LIMIT", true },
		{ "RESERVE", true },
	};
	struct table table = { .columns = columns, .num = NUM(columns) };

	return dev_show(args, &table, show_quotas);
}

static void show_user(struct table *table, const struct srnic_user *user)
{
	const struct passwd *known = getpwuid(srnic_user_uid(user));
	const struct srnic_quota *quota;

	srnic_for_each_user_quota(quota, user) {
		if (!srnic_quota_used(quota))
			continue;
		if (!cli.json) {
			table_cell(table, "%s", srnic_user_dev_name(user));
			if (known)
				table_cell(table, "%s", known->pw_name);
			else
				table_cell(table, "%u", srnic_user_uid(user));
			table_cell(table, "%s", srnic_quota_name(quota));
			table_cell(table, "%u", srnic_quota_used(quota));
			continue;
		}
		json_open(NULL, '{');
		json_string("device", srnic_user_dev_name(user));
		json_number("uid", srnic_user_uid(user));
		json_string("quota", srnic_quota_name(quota));
		json_number("used", srnic_quota_used(quota));
		json_close();
	}
}

static int quota_users(struct args *args)
{
	static const struct column columns[] = {
		{ "DEVICE", false }, { "USER", false }, { "QUOTA", false }, { "USED", true },
	};
	struct table table = { .columns = columns, .num = NUM(columns) };
	const struct srnic_user *user;
	struct srnic_list *list;
	struct srnic *srnic;
	uint32_t index;
	int err;

	err = dev_take_index(args, &index) ?: ask_open(args->where, &srnic) ?:
		ask_done(args->where, srnic_user_list(srnic, index, &list));
	if (err)
		return err;
	list_begin();
	srnic_for_each_user(user, list)
		show_user(&table, user);
	list_end(&table);
	srnic_list_free(list);
	return CLI_OK;
}

/* Parse "[reserve N]" at the end of the line */
static int take_reserve(struct args *args, bool *given, uint32_t *reserve)
{
	const char *word;

	*given = args_peek(args) && !strcmp(args_peek(args), "reserve");
	if (!*given)
		return args_end(args);
	return args_need(args, "'reserve'", &word) ?:
		args_need(args, "the number after 'reserve'", &word) ?:
		parse_u32(args, "reserve", word, reserve) ?: args_end(args);
}

static int quota_set(struct args *args)
{
	const char *dev, *quota, *word;
	uint32_t index, limit, reserve;
	struct srnic *srnic;
	bool given;
	int err;

	err = dev_take(args, &dev) ?:
		args_need(args, "the quota (see 'srnic quota show')", &quota) ?:
		args_need(args, "the new limit", &word) ?:
		parse_u32(args, "limit", word, &limit) ?:
		take_reserve(args, &given, &reserve);
	if (err)
		return err;
	if (strlen(quota) > SRNIC_NAME_MAX)
		return cli_usage(args, "unknown quota '%.40s': see 'srnic quota show'", quota);

	err = dev_find(args->where, dev, &index) ?: ask_open(args->where, &srnic);
	if (err)
		return err;
	return ask_done(args->where, given ?
			srnic_quota_set_reserve(srnic, index, quota, limit, reserve) :
			srnic_quota_set(srnic, index, quota, limit));
}

int quota_run(struct args *args)
{
	static const struct verb verbs[] = {
		{ "show", quota_show }, { "users", quota_users }, { "set", quota_set },
	};

	return args_verb(args, verbs, NUM(verbs));
}
