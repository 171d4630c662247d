// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include "ask.h"
#include "cli.h"
#include "keys.h"

int keys_and_rules(const char *where, struct srnic_list **keys, struct srnic_list **rules)
{
	struct srnic *srnic;

	return ask_open(where, &srnic) ?:
		ask_done(where, srnic_key_list(srnic, keys)) ?:
		ask_done(where, srnic_policy_list(srnic, rules));
}

bool keys_have(const struct srnic_list *keys, const char *name)
{
	const struct srnic_key *key;

	srnic_for_each_key(key, keys)
		if (!strcmp(srnic_key_name(key), name))
			return true;
	return false;
}
