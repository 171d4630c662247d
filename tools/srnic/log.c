// SPDX-License-Identifier: GPL-2.0
/*
 * srnic log: packets and accesses that devices have refused, past and new.
 */
#include <errno.h>
#include <time.h>
#include "ask.h"
#include "cli.h"
#include "dev.h"
#include "json.h"
#include "list.h"

#define TIME_MAX	40
#define NSEC		1000000000ull

/* Format as "2026-11-22 14:03:07.123", in local time */
static const char *time_text(uint64_t when, char *text)
{
	char date[TIME_MAX - 8];
	time_t seconds = when / NSEC;
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || !strftime(date, sizeof(date), "%F %T", &tm))
		snprintf(date, sizeof(date), "?");
	snprintf(text, TIME_MAX, "%s.%03u", date, (unsigned int)(when % NSEC / 1000000));
	return text;
}

static const char *peer_text(const struct srnic_log_entry *entry, char *text)
{
	const uint8_t *peer = srnic_log_peer(entry);

	return peer ? srnic_addr_text(peer, text) : "-";
}

static void json_entry(const struct srnic_log_entry *entry)
{
	char text[SRNIC_TEXT_MAX];

	json_open(NULL, '{');
	json_string("device", srnic_log_dev_name(entry));
	json_number("serial", srnic_log_serial(entry));
	json_number("time", srnic_log_time(entry));
	json_string("reason", srnic_log_reason(entry));
	json_number("count", srnic_log_count(entry));
	if (srnic_log_peer(entry))
		json_string("peer", peer_text(entry, text));
	if (srnic_log_legible(entry)) {
		json_number("qpn", srnic_log_qp_num(entry));
		json_number("opcode", srnic_log_opcode(entry));
		json_number("psn", srnic_log_psn(entry));
	}
	json_close();
}

static void show_entry(struct table *table, const struct srnic_log_entry *entry)
{
	char when[TIME_MAX], text[SRNIC_TEXT_MAX];
	bool legible = srnic_log_legible(entry);

	table_cell(table, "%s", time_text(srnic_log_time(entry), when));
	table_cell(table, "%s", srnic_log_dev_name(entry));
	table_cell(table, "%s", srnic_log_reason(entry));
	table_cell(table, "%llu", (unsigned long long)srnic_log_count(entry));
	table_cell(table, "%s", peer_text(entry, text));
	table_cell(table, legible ? "%u" : "-", srnic_log_qp_num(entry));
	table_cell(table, legible ? "0x%02x" : "-", srnic_log_opcode(entry));
	table_cell(table, legible ? "0x%06x" : "-", srnic_log_psn(entry));
}

static int log_show(struct args *args)
{
	static const struct column columns[] = {
		{ "TIME", false }, { "DEVICE", false }, { "REASON", false }, { "COUNT", true },
		{ "PEER", false }, { "QPN", true }, { "OPCODE", true }, { "PSN", true },
	};
	struct table table = { .columns = columns, .num = NUM(columns) };
	const struct srnic_log_entry *entry;
	struct srnic_list *list;
	struct srnic *srnic;
	uint32_t index;
	int err;

	err = dev_take_index(args, &index) ?: ask_open(args->where, &srnic) ?:
		ask_done(args->where, srnic_log_list(srnic, index, &list));
	if (err)
		return err;

	list_begin();
	srnic_for_each_log(entry, list) {
		if (cli.json)
			json_entry(entry);
		else
			show_entry(&table, entry);
	}
	list_end(&table);
	srnic_list_free(list);
	return CLI_OK;
}

static void print_entry(const struct srnic_log_entry *entry)
{
	char when[TIME_MAX], text[SRNIC_TEXT_MAX];

	if (cli.json) {
		json_entry(entry);
		return;
	}
	fprintf(cli.out, "%s %s: %s", time_text(srnic_log_time(entry), when),
		srnic_log_dev_name(entry), srnic_log_reason(entry));
	if (srnic_log_count(entry) > 1)
		fprintf(cli.out, ", the last of %llu", (unsigned long long)srnic_log_count(entry));
	fprintf(cli.out, ", from %s", peer_text(entry, text));
	if (srnic_log_legible(entry))
		fprintf(cli.out, " to QP %u, opcode 0x%02x, PSN 0x%06x", srnic_log_qp_num(entry),
			srnic_log_opcode(entry), srnic_log_psn(entry));
	fputc('\n', cli.out);
}

static void print_entries(const struct srnic_list *list, uint32_t index)
{
	const struct srnic_log_entry *entry;

	srnic_for_each_log(entry, list)
		if (index == SRNIC_DEV_ALL || srnic_log_dev_index(entry) == index)
			print_entry(entry);
	fflush(cli.out);
}

/* Print entries until interrupted, or until the output is closed */
static int log_follow(struct args *args)
{
	struct srnic_list *list;
	struct srnic *srnic;
	uint32_t index;
	int err;

	err = dev_take_index(args, &index) ?: ask_open(args->where, &srnic);
	while (!err && !ferror(cli.out)) {
		err = srnic_log_follow(srnic, -1, &list);
		if (err == -EINTR)
			return CLI_OK;
		if (err == -ENOBUFS) {
			cli_refused(args->where, "entries came faster than they could be read, and some were lost: see 'srnic log'");
			err = 0;
			continue;
		}
		err = ask_done(args->where, err);
		if (err)
			break;
		print_entries(list, index);
		srnic_list_free(list);
	}
	return err;
}

int log_run(struct args *args)
{
	static const struct verb verbs[] = { { "show", log_show }, { "follow", log_follow } };

	return args_verb(args, verbs, NUM(verbs));
}
