// SPDX-License-Identifier: GPL-2.0
/*
 * What an application asks for beside what the policy has: never less (decision 19).
 */
#define pr_fmt(fmt) "srnic: " fmt

#include <linux/ratelimit.h>
#include "export.h"
#include "sth/crypto.h"

/*
 * More is covered, and neither key nor tag is shorter. Suites are not weighed against
 * each other otherwise.
 */
static bool is_weaker(const struct srnic_wish *wish, const struct srnic_sth_params *policy)
{
	return wish->mode < policy->mode || wish->suite->key_len < policy->suite->key_len ||
	       wish->suite->tag_len < policy->suite->tag_len;
}

static void take_key(struct srnic_sth_params *params, const u8 *key, unsigned int len, bool pair)
{
	memcpy(params->own_key, key, len);
	params->own_len = len;
	params->own_pair = pair;
}

/**
 * srnic_wish_grant - a seal as the application wants it, if the policy lets it
 * @wish: what it wants
 * @kpd: the key of its protection domain
 * @kpd_len: bytes; 0: it has none
 * @params: as srnic_policy_resolve() has left them, with @params->remote_gid set; the
 *	caller wipes them
 *
 * Where the policy has a key, too, the connection's is made of both: who has the
 * application's alone is not who the administrator trusts.
 *
 * Return: 0, or -EACCES: weaker than the policy's, or there is no key at all; the log
 * says which.
 */
int srnic_wish_grant(const struct srnic_wish *wish, const u8 *kpd, unsigned int kpd_len,
		     struct srnic_sth_params *params)
{
	if (params->mode != SRNIC_STH_OFF && is_weaker(wish, params)) {
		pr_warn_ratelimited("no connection with %pI6c: the application asks for %s, which is weaker than the %s of the policy\n",
				    params->remote_gid, wish->suite->name, params->suite->name);
		return -EACCES;
	}
	if (wish->key_len) {
		take_key(params, wish->key, wish->key_len, true);
	} else if (kpd_len) {
		take_key(params, kpd, kpd_len, false);
	} else if (!params->key_len) {
		pr_warn_ratelimited("no connection with %pI6c: the application asks for %s and gives no key, nor does a policy; see srnic_seal_qp(3)\n",
				    params->remote_gid, wish->suite->name);
		return -EACCES;
	}
	params->mode = wish->mode;
	params->suite = wish->suite;
	params->preferred_clear = false;
	/* the administrator saves memory where it can be saved */
	params->uncached &= wish->suite->uncached;
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_wish_grant);
