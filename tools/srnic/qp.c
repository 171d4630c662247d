// SPDX-License-Identifier: GPL-2.0
/*
 * srnic qp: queue pairs with their peers, seals and counters.
 */
#include <string.h>
#include "ask.h"
#include "cli.h"
#include "dev.h"
#include "json.h"
#include "list.h"

struct counts {
	uint64_t sealed;
	uint64_t opened;
	uint64_t failed;
	uint64_t replayed;
};

static void add_counts(const struct srnic_flow *flow, struct counts *counts)
{
	counts->sealed += srnic_flow_sealed(flow);
	counts->opened += srnic_flow_opened(flow);
	counts->failed += srnic_flow_failed(flow);
	counts->replayed += srnic_flow_replayed(flow);
}

/* Add the columns common to all QPs. */
static void qp_cells(struct table *table, const struct srnic_qp *qp)
{
	const uint8_t *peer = srnic_qp_peer(qp);
	char text[SRNIC_TEXT_MAX];

	table_cell(table, "%s", srnic_qp_dev_name(qp));
	table_cell(table, "%u", srnic_qp_num(qp));
	table_cell(table, "%s", srnic_qp_type_name(srnic_qp_type(qp)));
	table_cell(table, "%s", srnic_qp_state_name(srnic_qp_state(qp)));
	table_cell(table, "%s", peer ? srnic_addr_text(peer, text) : "-");
	if (peer)
		table_cell(table, "%u", srnic_qp_peer_num(qp));
	else
		table_cell(table, "-");
	table_cell(table, "%s", srnic_mode_name(srnic_qp_mode(qp)));
	table_cell(table, "%s", *srnic_qp_suite(qp) ? srnic_qp_suite(qp) : "-");
}

static void count_cells(struct table *table, const struct counts *counts)
{
	table_cell(table, "%llu", (unsigned long long)counts->sealed);
	table_cell(table, "%llu", (unsigned long long)counts->opened);
	table_cell(table, "%llu", (unsigned long long)counts->failed);
	table_cell(table, "%llu", (unsigned long long)counts->replayed);
}

/* Show a QP in one line, with the counts of its flows added up */
static void show_line(struct table *table, const struct srnic_qp *qp)
{
	const struct srnic_flow *flow;
	struct counts counts = {};

	srnic_for_each_flow(flow, qp)
		add_counts(flow, &counts);
	qp_cells(table, qp);
	count_cells(table, &counts);
}

static void flow_cells(struct table *table, const struct srnic_flow *flow)
{
	struct counts counts = {};

	table_cell(table, "%s", srnic_flow_side_name(srnic_flow_side(flow)));
	table_cell(table, "%s", srnic_flow_ready(flow) ? "yes" : "no");
	table_cell(table, "%llu", (unsigned long long)srnic_flow_epoch(flow));
	table_cell(table, "%llu", (unsigned long long)srnic_flow_psn64(flow));
	add_counts(flow, &counts);
	count_cells(table, &counts);
}

/* Show a QP in one line per flow, or in one line if it has no flows */
static void show_lines(struct table *table, const struct srnic_qp *qp)
{
	unsigned int start = table->count;
	const struct srnic_flow *flow;

	srnic_for_each_flow(flow, qp) {
		qp_cells(table, qp);
		table_cell(table, "%s", srnic_qp_driver(qp));
		table_cell(table, "%s", srnic_qp_uncached(qp) ? "uncached" : "cached");
		flow_cells(table, flow);
	}
	if (table->count > start)
		return;
	qp_cells(table, qp);
	while ((table->count - start) % table->num)
		table_cell(table, "-");
}

static void json_flow(const struct srnic_flow *flow)
{
	json_open(NULL, '{');
	json_string("flow", srnic_flow_side_name(srnic_flow_side(flow)));
	json_bool("ready", srnic_flow_ready(flow));
	json_number("epoch", srnic_flow_epoch(flow));
	json_number("psn64", srnic_flow_psn64(flow));
	json_number("sealed", srnic_flow_sealed(flow));
	json_number("opened", srnic_flow_opened(flow));
	json_number("failed", srnic_flow_failed(flow));
	json_number("replayed", srnic_flow_replayed(flow));
	json_close();
}

static void json_qp(const struct srnic_qp *qp)
{
	const uint8_t *peer = srnic_qp_peer(qp);
	const struct srnic_flow *flow;
	char text[SRNIC_TEXT_MAX];

	json_open(NULL, '{');
	json_string("device", srnic_qp_dev_name(qp));
	json_number("qpn", srnic_qp_num(qp));
	json_string("type", srnic_qp_type_name(srnic_qp_type(qp)));
	json_string("state", srnic_qp_state_name(srnic_qp_state(qp)));
	if (peer) {
		json_string("peer", srnic_addr_text(peer, text));
		json_number("peer_qpn", srnic_qp_peer_num(qp));
	}
	json_string("mode", srnic_mode_name(srnic_qp_mode(qp)));
	if (*srnic_qp_suite(qp)) {
		json_string("suite", srnic_qp_suite(qp));
		json_string("crypto_driver", srnic_qp_driver(qp));
		json_bool("uncached", srnic_qp_uncached(qp));
		json_open("flows", '[');
		srnic_for_each_flow(flow, qp)
			json_flow(flow);
		json_close();
	}
	json_close();
}

static void show_qp(struct table *table, const struct srnic_qp *qp)
{
	if (cli.json)
		json_qp(qp);
	else if (cli.details)
		show_lines(table, qp);
	else
		show_line(table, qp);
}

int qp_run(struct args *args)
{
	static const struct column brief[] = {
		{ "DEVICE", false }, { "QPN", true }, { "TYPE", false }, { "STATE", false },
		{ "PEER", false }, { "PEER-QPN", true }, { "MODE", false }, { "SUITE", false },
		{ "SEALED", true }, { "OPENED", true }, { "FAILED", true }, { "REPLAYED", true },
	};
	static const struct column details[] = {
		{ "DEVICE", false }, { "QPN", true }, { "TYPE", false }, { "STATE", false },
		{ "PEER", false }, { "PEER-QPN", true }, { "MODE", false }, { "SUITE", false },
		{ "DRIVER", false }, { "SUB-KEYS", false }, { "FLOW", false },
		{ "READY", false }, { "EPOCH", true }, { "PSN64", true },
		{ "SEALED", true }, { "OPENED", true }, { "FAILED", true }, { "REPLAYED", true },
	};
	struct table table = {
		.columns = cli.details ? details : brief,
		.num = cli.details ? NUM(details) : NUM(brief),
	};
	const struct srnic_qp *qp;
	struct srnic_list *list;
	struct srnic *srnic;
	uint32_t index;
	int err;

	err = dev_take_index(args, &index) ?: ask_open(args->where, &srnic) ?:
		ask_done(args->where, srnic_qp_list(srnic, index, &list));
	if (err)
		return err;

	list_begin();
	srnic_for_each_qp(qp, list)
		show_qp(&table, qp);
	list_end(&table);
	srnic_list_free(list);
	return CLI_OK;
}
