// SPDX-License-Identifier: GPL-2.0
/*
 * srnic qp: who talks to whom, under which seal, and how it fares.
 */
#include <string.h>
#include "cli.h"
#include "dev.h"
#include "json.h"
#include "list.h"

static const char *const type_names[] = { "rc", "uc", "ud", "gsi" };
static const char *const state_names[] = { "reset", "init", "rtr", "rts", "sqd", "sqe", "err" };
static const char *const side_names[] = { "ours", "theirs" };

struct counts {
	uint64_t sealed;
	uint64_t opened;
	uint64_t failed;
	uint64_t replayed;
};

static void get_counts(const struct nlattr *nest, struct counts *counts)
{
	nl_attrs tb;

	nl_parse_nested(nest, tb);
	counts->sealed += nl_uint(tb[SRNIC_A_FLOW_SEALED]);
	counts->opened += nl_uint(tb[SRNIC_A_FLOW_OPENED]);
	counts->failed += nl_uint(tb[SRNIC_A_FLOW_FAILED]);
	counts->replayed += nl_uint(tb[SRNIC_A_FLOW_REPLAYED]);
}

static void peer_of(nl_attrs tb, char text[PREFIX_TEXT])
{
	const struct nlattr *peer = tb[SRNIC_A_QP_PEER];

	strcpy(text, "-");
	if (peer && mnl_attr_get_payload_len(peer) == 16)
		print_addr(text, mnl_attr_get_payload(peer));
}

static const char *type_of(nl_attrs tb)
{
	return name_of(type_names, NUM(type_names), nl_u8(tb[SRNIC_A_QP_TYPE]));
}

static const char *state_of(nl_attrs tb)
{
	return name_of(state_names, NUM(state_names), nl_u8(tb[SRNIC_A_QP_STATE]));
}

static const char *mode_of(nl_attrs tb)
{
	return name_of(mode_names, NUM(mode_names), nl_u8(tb[SRNIC_A_QP_MODE]));
}

/* The columns that all QPs have. */
static void qp_cells(struct table *table, nl_attrs tb)
{
	char peer[PREFIX_TEXT];

	peer_of(tb, peer);
	table_cell(table, "%s", nl_text(tb[SRNIC_A_QP_DEV_NAME]));
	table_cell(table, "%u", nl_u32(tb[SRNIC_A_QP_QPN]));
	table_cell(table, "%s", type_of(tb));
	table_cell(table, "%s", state_of(tb));
	table_cell(table, "%s", peer);
	if (tb[SRNIC_A_QP_PEER])
		table_cell(table, "%u", nl_u32(tb[SRNIC_A_QP_PEER_QPN]));
	else
		table_cell(table, "-");
	table_cell(table, "%s", mode_of(tb));
	table_cell(table, "%s", tb[SRNIC_A_QP_SUITE] ? nl_text(tb[SRNIC_A_QP_SUITE]) : "-");
}

static void count_cells(struct table *table, const struct counts *counts)
{
	table_cell(table, "%llu", (unsigned long long)counts->sealed);
	table_cell(table, "%llu", (unsigned long long)counts->opened);
	table_cell(table, "%llu", (unsigned long long)counts->failed);
	table_cell(table, "%llu", (unsigned long long)counts->replayed);
}

/* A QP in one line, its flows added up */
static void show_line(struct table *table, const struct nlmsghdr *nlh, nl_attrs tb)
{
	const struct nlattr *attr;
	struct counts counts = {};

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == SRNIC_A_QP_FLOW)
			get_counts(attr, &counts);
	qp_cells(table, tb);
	count_cells(table, &counts);
}

static void flow_cells(struct table *table, const struct nlattr *nest)
{
	struct counts counts = {};
	nl_attrs tb;

	nl_parse_nested(nest, tb);
	table_cell(table, "%s", name_of(side_names, NUM(side_names), nl_u8(tb[SRNIC_A_FLOW_SIDE])));
	table_cell(table, "%s", tb[SRNIC_A_FLOW_READY] ? "yes" : "no");
	table_cell(table, "%llu", (unsigned long long)nl_uint(tb[SRNIC_A_FLOW_EPOCH]));
	table_cell(table, "%llu", (unsigned long long)nl_uint(tb[SRNIC_A_FLOW_PSN64]));
	get_counts(nest, &counts);
	count_cells(table, &counts);
}

/* A QP in a line for each flow, or one if it has none */
static void show_lines(struct table *table, const struct nlmsghdr *nlh, nl_attrs tb)
{
	const struct nlattr *attr;
	unsigned int start = table->count;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != SRNIC_A_QP_FLOW)
			continue;
		qp_cells(table, tb);
		table_cell(table, "%s", nl_text(tb[SRNIC_A_QP_DRIVER]));
		flow_cells(table, attr);
	}
	if (table->count > start)
		return;
	qp_cells(table, tb);
	while ((table->count - start) % table->num)
		table_cell(table, "-");
}

static void json_flow(const struct nlattr *nest)
{
	struct counts counts = {};
	nl_attrs tb;

	nl_parse_nested(nest, tb);
	get_counts(nest, &counts);
	json_open(NULL, '{');
	json_string("flow", name_of(side_names, NUM(side_names), nl_u8(tb[SRNIC_A_FLOW_SIDE])));
	json_bool("ready", tb[SRNIC_A_FLOW_READY]);
	json_number("epoch", nl_uint(tb[SRNIC_A_FLOW_EPOCH]));
	json_number("psn64", nl_uint(tb[SRNIC_A_FLOW_PSN64]));
	json_number("sealed", counts.sealed);
	json_number("opened", counts.opened);
	json_number("failed", counts.failed);
	json_number("replayed", counts.replayed);
	json_close();
}

static void json_flows(const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;

	json_open("flows", '[');
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == SRNIC_A_QP_FLOW)
			json_flow(attr);
	json_close();
}

static void json_qp(const struct nlmsghdr *nlh, nl_attrs tb)
{
	char peer[PREFIX_TEXT];

	json_open(NULL, '{');
	json_string("device", nl_text(tb[SRNIC_A_QP_DEV_NAME]));
	json_number("qpn", nl_u32(tb[SRNIC_A_QP_QPN]));
	json_string("type", type_of(tb));
	json_string("state", state_of(tb));
	if (tb[SRNIC_A_QP_PEER]) {
		peer_of(tb, peer);
		json_string("peer", peer);
		json_number("peer_qpn", nl_u32(tb[SRNIC_A_QP_PEER_QPN]));
	}
	json_string("mode", mode_of(tb));
	if (tb[SRNIC_A_QP_SUITE]) {
		json_string("suite", nl_text(tb[SRNIC_A_QP_SUITE]));
		json_string("crypto_driver", nl_text(tb[SRNIC_A_QP_DRIVER]));
		json_flows(nlh);
	}
	json_close();
}

static void show_qp(struct table *table, const struct nlmsghdr *nlh, const void *unused)
{
	nl_attrs tb;

	(void)unused;
	nl_parse(nlh, tb);
	if (cli.json)
		json_qp(nlh, tb);
	else if (cli.details)
		show_lines(table, nlh, tb);
	else
		show_line(table, nlh, tb);
}

#define QP_COLUMNS	\
	{ "DEVICE", false }, { "QPN", true }, { "TYPE", false }, { "STATE", false },	\
	{ "PEER", false }, { "PEER-QPN", true }, { "MODE", false }, { "SUITE", false }
#define COUNT_COLUMNS	\
	{ "SEALED", true }, { "OPENED", true }, { "FAILED", true }, { "REPLAYED", true }

int qp_run(struct args *args)
{
	static const struct column brief[] = { QP_COLUMNS, COUNT_COLUMNS };
	static const struct column details[] = {
		QP_COLUMNS, { "DRIVER", false }, { "FLOW", false }, { "READY", false },
		{ "EPOCH", true }, { "PSN64", true }, COUNT_COLUMNS,
	};
	struct table table = {
		.columns = cli.details ? details : brief,
		.num = cli.details ? NUM(details) : NUM(brief),
	};
	struct nlmsghdr *nlh;
	union nl_buf buf;
	const char *name;
	uint32_t index;
	int err;

	err = dev_take_optional(args, &name);
	if (err)
		return err;
	nlh = nl_begin(&buf, SRNIC_CMD_QP_GET);
	if (name) {
		err = dev_find(args->where, name, &index);
		if (err)
			return err;
		mnl_attr_put_u32(nlh, SRNIC_A_QP_DEV_INDEX, index);
	}
	return list_show(args->where, nlh, &table, show_qp, NULL);
}
