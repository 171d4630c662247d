// SPDX-License-Identifier: GPL-2.0
/*
 * srnic policy: which peer gets which seal.
 */
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "json.h"
#include "list.h"

struct rule {
	struct prefix prefix;
	int rule;
	int mode;		/* 0: not given */
	const char *suite;
	const char *key;
};

static int take_prefix(struct args *args, struct prefix *prefix)
{
	const char *word;
	int err;

	err = args_need(args, "the prefix of the peers", &word);
	if (err)
		return err;
	if (!strcmp(word, "prefix")) {
		err = args_need(args, "the prefix of the peers", &word);
		if (err)
			return err;
	}
	return parse_prefix(args, word, prefix);
}

static int take_mode(const struct args *args, const char *word, struct rule *rule)
{
	int mode = find_name(mode_names, NUM(mode_names), word);

	if (mode <= 0)
		return cli_usage(args, "no mode '%s', but header, packet or aead", word);
	rule->mode = mode;
	return CLI_OK;
}

/* One of: header, packet, aead, SUITE; or with its name in front, in any order */
static int take_seal_word(struct args *args, struct rule *rule)
{
	const char *word = args_take(args);

	if (!strcmp(word, "key"))
		return args_need(args, "the name behind 'key'", &rule->key);
	if (!strcmp(word, "suite"))
		return args_need(args, "the name behind 'suite'", &rule->suite);
	if (!strcmp(word, "mode")) {
		int err = args_need(args, "the mode behind 'mode'", &word);

		return err ?: take_mode(args, word, rule);
	}
	if (find_name(mode_names, NUM(mode_names), word) > 0 || (!rule->mode && !rule->suite))
		return take_mode(args, word, rule);
	if (!rule->suite) {
		rule->suite = word;
		return CLI_OK;
	}
	return cli_usage(args, "'%s' is one word too many, or not known here", word);
}

static int check_name(const struct args *args, const char *what, const char *name)
{
	if (!*name || strlen(name) > SRNIC_NAME_MAX)
		return cli_usage(args, "%s '%.40s' must have 1 to %d characters", what, name,
				 SRNIC_NAME_MAX);
	return CLI_OK;
}

static int take_seal(struct args *args, struct rule *rule)
{
	const char *name = rule_names[rule->rule];
	int err = CLI_OK;

	if (rule->rule == SRNIC_RULE_OFF)
		return args_end(args);
	while (!err && args_peek(args))
		err = take_seal_word(args, rule);
	if (err)
		return err;
	if (!rule->mode)
		return cli_usage(args, "'%s' needs a mode: header, packet or aead", name);
	if (!rule->suite)
		return cli_usage(args, "'%s' needs a suite: see 'srnic suite list'", name);
	if (!rule->key)
		return cli_usage(args, "'%s' needs a key: add 'key NAME'", name);
	return check_name(args, "suite", rule->suite) ?: check_name(args, "key", rule->key);
}

static int take_rule(struct args *args, struct rule *rule)
{
	const char *word;
	int err;

	memset(rule, 0, sizeof(*rule));
	err = take_prefix(args, &rule->prefix) ?:
		args_need(args, "the rule (off, prefer or require)", &word);
	if (err)
		return err;
	rule->rule = find_name(rule_names, NUM(rule_names), word);
	if (rule->rule < 0)
		return cli_usage(args, "no rule '%s', but off, prefer or require", word);
	return take_seal(args, rule);
}

static void put_prefix(struct nlmsghdr *nlh, const struct prefix *prefix)
{
	mnl_attr_put(nlh, SRNIC_A_POLICY_PREFIX, sizeof(prefix->addr), prefix->addr);
	mnl_attr_put_u8(nlh, SRNIC_A_POLICY_PREFIX_LEN, prefix->len);
}

static int set_rule(struct args *args, bool replace)
{
	struct nlmsghdr *nlh;
	union nl_buf buf;
	struct rule rule;
	int err;

	err = take_rule(args, &rule);
	if (err)
		return err;

	nlh = nl_begin(&buf, SRNIC_CMD_POLICY_ADD);
	put_prefix(nlh, &rule.prefix);
	mnl_attr_put_u8(nlh, SRNIC_A_POLICY_RULE, rule.rule);
	if (rule.rule != SRNIC_RULE_OFF) {
		mnl_attr_put_u8(nlh, SRNIC_A_POLICY_MODE, rule.mode);
		mnl_attr_put_strz(nlh, SRNIC_A_POLICY_SUITE, rule.suite);
		mnl_attr_put_strz(nlh, SRNIC_A_POLICY_KEY, rule.key);
	}
	if (replace)
		mnl_attr_put(nlh, SRNIC_A_POLICY_REPLACE, 0, NULL);
	return nl_do(args->where, nlh);
}

static int policy_add(struct args *args)
{
	return set_rule(args, false);
}

static int policy_replace(struct args *args)
{
	return set_rule(args, true);
}

static int policy_del(struct args *args)
{
	struct prefix prefix;
	struct nlmsghdr *nlh;
	union nl_buf buf;
	int err;

	err = take_prefix(args, &prefix) ?: args_end(args);
	if (err)
		return err;

	nlh = nl_begin(&buf, SRNIC_CMD_POLICY_DEL);
	put_prefix(nlh, &prefix);
	return nl_do(args->where, nlh);
}

static bool has_key(const struct nl_list *keys, const char *name)
{
	const struct nlmsghdr *nlh;
	nl_attrs tb;
	int left;

	nl_for_each(nlh, left, keys) {
		nl_parse(nlh, tb);
		if (!strcmp(nl_text(tb[SRNIC_A_KEY_NAME]), name))
			return true;
	}
	return false;
}

static void get_prefix(nl_attrs tb, struct prefix *prefix)
{
	const struct nlattr *addr = tb[SRNIC_A_POLICY_PREFIX];

	memset(prefix, 0, sizeof(*prefix));
	if (addr && mnl_attr_get_payload_len(addr) == sizeof(prefix->addr))
		memcpy(prefix->addr, mnl_attr_get_payload(addr), sizeof(prefix->addr));
	prefix->len = nl_u8(tb[SRNIC_A_POLICY_PREFIX_LEN]);
}

static void show_rule(struct table *table, const struct nlmsghdr *nlh, const void *keys)
{
	const char *rule, *mode, *suite, *key;
	struct prefix prefix;
	char text[PREFIX_TEXT];
	bool present;
	nl_attrs tb;

	nl_parse(nlh, tb);
	get_prefix(tb, &prefix);
	print_prefix(text, &prefix);
	rule = name_of(rule_names, NUM(rule_names), nl_u8(tb[SRNIC_A_POLICY_RULE]));
	mode = name_of(mode_names, NUM(mode_names), nl_u8(tb[SRNIC_A_POLICY_MODE]));
	suite = nl_text(tb[SRNIC_A_POLICY_SUITE]);
	key = nl_text(tb[SRNIC_A_POLICY_KEY]);
	present = has_key(keys, key);

	if (!cli.json) {
		table_cell(table, "%s", text);
		table_cell(table, "%s", rule);
		table_cell(table, "%s", *key ? mode : "-");
		table_cell(table, "%s", *key ? suite : "-");
		table_cell(table, "%s%s", *key ? key : "-", *key && !present ? " (missing)" : "");
		return;
	}
	json_open(NULL, '{');
	json_string("prefix", text);
	json_string("rule", rule);
	if (*key) {
		json_string("mode", mode);
		json_string("suite", suite);
		json_string("key", key);
		json_bool("key_present", present);
	}
	json_close();
}

static int policy_list(struct args *args)
{
	static const struct column columns[] = {
		{ "PREFIX", false }, { "RULE", false }, { "MODE", false }, { "SUITE", false },
		{ "KEY", false },
	};
	struct table table = { .columns = columns, .num = NUM(columns) };
	struct nl_list keys = {};
	union nl_buf buf;
	int err;

	err = args_end(args) ?:
		nl_dump(args->where, nl_begin(&buf, SRNIC_CMD_KEY_GET), &keys) ?:
		list_show(args->where, nl_begin(&buf, SRNIC_CMD_POLICY_GET), &table,
			  show_rule, &keys);
	free(keys.data);
	return err;
}

int policy_run(struct args *args)
{
	static const struct verb verbs[] = {
		{ "list", policy_list },
		{ "add", policy_add },
		{ "replace", policy_replace },
		{ "del", policy_del },
	};

	return args_verb(args, verbs, NUM(verbs));
}
