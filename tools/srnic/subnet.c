// SPDX-License-Identifier: GPL-2.0
/*
 * srnic subnet: nodes that share a subnet manager with an InfiniBand port.
 */
#include <arpa/inet.h>
#include <string.h>
#include "ask.h"
#include "cli.h"
#include "dev.h"
#include "json.h"
#include "list.h"

static const char *const roles[] = {
	[SRNIC_ROLE_MANAGER] = "manager",
	[SRNIC_ROLE_MEMBER] = "member",
};

static const char *role_text(const struct srnic_node *node)
{
	enum srnic_role role = srnic_node_role(node);

	return role < NUM(roles) ? roles[role] : "unknown";
}

static const char *gid_text(const struct srnic_node *node, char text[INET6_ADDRSTRLEN])
{
	const uint8_t *gid = srnic_node_gid(node);

	return gid ? inet_ntop(AF_INET6, gid, text, INET6_ADDRSTRLEN) : "-";
}

static void json_node(const struct srnic_dev *dev, const struct srnic_node *node)
{
	char text[INET6_ADDRSTRLEN];

	json_open(NULL, '{');
	json_string("device", srnic_dev_name(dev));
	json_string("gid", gid_text(node, text));
	json_string("role", role_text(node));
	if (srnic_node_lid(node))
		json_number("lid", srnic_node_lid(node));
	if (srnic_node_port(node)) {
		json_number("port", srnic_node_port(node));
		json_bool("up", srnic_node_is_up(node));
	}
	json_close();
}

static void number_or_dash(struct table *table, unsigned int value)
{
	if (value)
		table_cell(table, "%u", value);
	else
		table_cell(table, "-");
}

static void show_node(struct table *table, const struct srnic_dev *dev,
		      const struct srnic_node *node)
{
	char text[INET6_ADDRSTRLEN];

	table_cell(table, "%s", srnic_dev_name(dev));
	table_cell(table, "%s", gid_text(node, text));
	table_cell(table, "%s", role_text(node));
	number_or_dash(table, srnic_node_lid(node));
	number_or_dash(table, srnic_node_port(node));
	if (srnic_node_port(node))
		table_cell(table, "%s", srnic_node_is_up(node) ? "up" : "down");
	else
		table_cell(table, "-");
}

static void show_nodes(struct table *table, const struct srnic_dev *dev)
{
	const struct srnic_node *node;

	srnic_for_each_node(node, dev) {
		if (cli.json)
			json_node(dev, node);
		else
			show_node(table, dev, node);
	}
}

static int subnet_show(struct args *args)
{
	static const struct column columns[] = {
		{ "DEVICE", false }, { "GID", false }, { "ROLE", false }, { "LID", true },
		{ "PORT", true }, { "LINK", false },
	};
	struct table table = { .columns = columns, .num = NUM(columns) };

	return dev_show(args, &table, show_nodes);
}

static int take_role(struct args *args, enum srnic_role *role)
{
	const char *word;
	int err;

	err = args_need(args, "'manager' or 'member'", &word);
	if (err)
		return err;
	for (*role = 0; *role < NUM(roles); (*role)++)
		if (!strcmp(word, roles[*role]))
			return CLI_OK;
	return cli_usage(args, "'%s' is no role: write 'manager' or 'member'", word);
}

/* Parse the GID; a manager without one is this node. */
static int take_gid(struct args *args, enum srnic_role role, uint8_t gid[16], bool *given)
{
	const char *word;
	int err;

	*given = role != SRNIC_ROLE_MANAGER || args_peek(args);
	if (!*given)
		return CLI_OK;
	err = args_need(args, "the GID of the node's port", &word);
	if (err)
		return err;
	if (inet_pton(AF_INET6, word, gid) != 1)
		return cli_usage(args, "'%s' is no GID, such as fe80::2", word);
	return args_end(args);
}

static int change(struct args *args, int (*apply)(struct srnic *srnic, uint32_t index,
						  enum srnic_role role, const uint8_t *gid))
{
	enum srnic_role role;
	struct srnic *srnic;
	uint8_t gid[16];
	uint32_t index;
	const char *dev;
	bool given;
	int err;

	err = dev_take(args, &dev) ?: take_role(args, &role) ?:
		take_gid(args, role, gid, &given);
	if (err)
		return err;
	return dev_find(args->where, dev, &index) ?: ask_open(args->where, &srnic) ?:
		ask_done(args->where, apply(srnic, index, role, given ? gid : NULL));
}

static int subnet_add(struct args *args)
{
	return change(args, srnic_node_add);
}

static int subnet_del(struct args *args)
{
	return change(args, srnic_node_del);
}

int subnet_run(struct args *args)
{
	static const struct verb verbs[] = {
		{ "show", subnet_show }, { "add", subnet_add }, { "del", subnet_del },
	};

	return args_verb(args, verbs, NUM(verbs));
}
