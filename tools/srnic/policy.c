// SPDX-License-Identifier: GPL-2.0
/*
 * srnic policy: rules that select the seal for a peer.
 */
#include <string.h>
#include "ask.h"
#include "cli.h"
#include "json.h"
#include "keys.h"
#include "list.h"

struct rule {
	struct srnic_prefix prefix;
	enum srnic_rule rule;
	enum srnic_mode mode;	/* SRNIC_MODE_OFF: not given */
	const char *suite;
	const char *key;
	unsigned int flags;	/* SRNIC_CLEAR_CM, SRNIC_UNCACHED */
};

static int take_prefix(struct args *args, struct srnic_prefix *prefix)
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
	if (srnic_mode_parse(&rule->mode, word) || rule->mode == SRNIC_MODE_OFF)
		return cli_usage(args, "unknown mode '%s': use header, packet, aead or opaque",
				 word);
	return CLI_OK;
}

/* Parse a mode, SUITE, clear-cm or uncached, or a keyword and its value */
static int take_seal_word(struct args *args, struct rule *rule)
{
	const char *word = args_take(args);
	enum srnic_mode mode;

	if (!strcmp(word, "key"))
		return args_need(args, "the name after 'key'", &rule->key);
	if (!strcmp(word, "suite"))
		return args_need(args, "the name after 'suite'", &rule->suite);
	if (!strcmp(word, "clear-cm")) {
		rule->flags |= SRNIC_CLEAR_CM;
		return CLI_OK;
	}
	if (!strcmp(word, "uncached")) {
		rule->flags |= SRNIC_UNCACHED;
		return CLI_OK;
	}
	if (!strcmp(word, "mode")) {
		int err = args_need(args, "the mode after 'mode'", &word);

		return err ?: take_mode(args, word, rule);
	}
	if ((!rule->mode && !rule->suite) || (!srnic_mode_parse(&mode, word) && mode))
		return take_mode(args, word, rule);
	if (!rule->suite) {
		rule->suite = word;
		return CLI_OK;
	}
	return cli_usage(args, "'%s' is not expected here: remove it", word);
}

static int take_seal(struct args *args, struct rule *rule)
{
	const char *name = srnic_rule_name(rule->rule);
	int err = CLI_OK;

	if (rule->rule == SRNIC_RULE_OFF)
		return args_end(args);
	while (!err && args_peek(args))
		err = take_seal_word(args, rule);
	if (err)
		return err;
	if (!rule->mode)
		return cli_usage(args, "'%s' needs a mode: header, packet, aead or opaque", name);
	if (!rule->suite)
		return cli_usage(args, "'%s' needs a suite: see 'srnic suite list'", name);
	if (!rule->key)
		return cli_usage(args, "'%s' needs a key: add 'key NAME'", name);
	return check_suite_name(args, rule->suite) ?: check_key_name(args, rule->key);
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
	if (srnic_rule_parse(&rule->rule, word))
		return cli_usage(args, "%s", srnic_error());
	return take_seal(args, rule);
}

static int set_rule(struct args *args, unsigned int flags)
{
	struct srnic *srnic;
	struct rule rule;

	return take_rule(args, &rule) ?:
		ask_open(args->where, &srnic) ?:
		ask_done(args->where, srnic_policy_add(srnic, &rule.prefix, rule.rule, rule.mode,
						       rule.suite, rule.key, flags | rule.flags));
}

static int policy_add(struct args *args)
{
	return set_rule(args, 0);
}

static int policy_replace(struct args *args)
{
	return set_rule(args, SRNIC_REPLACE);
}

static int policy_del(struct args *args)
{
	struct srnic_prefix prefix;
	struct srnic *srnic;

	return take_prefix(args, &prefix) ?:
		args_end(args) ?:
		ask_open(args->where, &srnic) ?:
		ask_done(args->where, srnic_policy_del(srnic, &prefix));
}

static int policy_flush(struct args *args)
{
	struct srnic *srnic;

	return args_end(args) ?:
		ask_open(args->where, &srnic) ?:
		ask_done(args->where, srnic_policy_flush(srnic));
}

static void show_rule(struct table *table, const struct srnic_policy *policy,
		      const struct srnic_list *keys)
{
	const char *rule = srnic_rule_name(srnic_policy_rule(policy));
	const char *mode = srnic_mode_name(srnic_policy_mode(policy));
	struct srnic_prefix prefix = srnic_policy_prefix(policy);
	const char *suite = srnic_policy_suite(policy);
	const char *key = srnic_policy_key(policy);
	bool present = keys_have(keys, key);
	bool clear_cm = srnic_policy_clear_cm(policy);
	bool uncached = srnic_policy_uncached(policy);
	char text[SRNIC_TEXT_MAX];

	srnic_prefix_text(&prefix, text);
	if (!cli.json) {
		table_cell(table, "%s", text);
		table_cell(table, "%s", rule);
		table_cell(table, "%s", *key ? mode : "-");
		table_cell(table, "%s", *key ? suite : "-");
		table_cell(table, "%s%s", *key ? key : "-", *key && !present ? " (missing)" : "");
		table_cell(table, "%s", !*key ? "-" : clear_cm ? "clear" : "sealed");
		table_cell(table, "%s", !*key ? "-" : uncached ? "uncached" : "cached");
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
		json_bool("clear_cm", clear_cm);
		json_bool("uncached", uncached);
	}
	json_close();
}

static int policy_list(struct args *args)
{
	static const struct column columns[] = {
		{ "PREFIX", false }, { "RULE", false }, { "MODE", false }, { "SUITE", false },
		{ "KEY", false }, { "CM", false }, { "SUB-KEYS", false },
	};
	struct table table = { .columns = columns, .num = NUM(columns) };
	struct srnic_list *policies = NULL, *keys = NULL;
	const struct srnic_policy *policy;
	int err;

	err = args_end(args) ?: keys_and_rules(args->where, &keys, &policies);
	if (!err) {
		list_begin();
		srnic_for_each_policy(policy, policies)
			show_rule(&table, policy, keys);
		list_end(&table);
	}
	srnic_list_free(policies);
	srnic_list_free(keys);
	return err;
}

int policy_run(struct args *args)
{
	static const struct verb verbs[] = {
		{ "list", policy_list },
		{ "add", policy_add },
		{ "replace", policy_replace },
		{ "del", policy_del },
		{ "flush", policy_flush },
	};

	return args_verb(args, verbs, NUM(verbs));
}
