// SPDX-License-Identifier: GPL-2.0
/*
 * Seals that an application requests for a connection. They may strengthen what
 * the policy demands, never weaken it (protocol.md, section 6).
 */
#define pr_fmt(fmt) "srnic: " fmt

#include <linux/ratelimit.h>
#include "export.h"
#include "sth/crypto.h"

/* Without a counter, a replay inside the window of PSNs passes the seal (section 13). */
static bool gives_up_counter(const struct srnic_sth_suite *suite,
			     const struct srnic_sth_suite *policy)
{
	return policy->family->has_counter && !suite->family->has_counter;
}

/*
 * A request is weaker if its mode covers less, its key or tag is shorter, or it
 * does not detect the replays that the policy's suite detects. Suites are not
 * compared in any other respect.
 */
static bool seal_is_weaker(const struct srnic_seal_request *request,
			   const struct srnic_sth_params *policy)
{
	return request->mode < policy->mode || request->suite->key_len < policy->suite->key_len ||
	       request->suite->tag_len < policy->suite->tag_len ||
	       gives_up_counter(request->suite, policy->suite);
}

static void set_app_key(struct srnic_sth_params *params, const u8 *key, unsigned int len)
{
	memcpy(params->app_key, key, len);
	params->app_key_len = len;
}

/**
 * srnic_seal_request_apply() - Apply a seal request to the parameters of a
 *	connection
 * @request: mode, suite and key that the application requests
 * @kpd: key of its protection domain
 * @kpd_len: bytes in @kpd; 0: the domain has no key
 * @params: result of srnic_policy_resolve(), with @params->remote_gid set;
 *	updated on success; the caller wipes it
 *
 * If the policy has a key, too, the connection's key is derived from both: a
 * peer that holds only the application's key is not one that the administrator
 * trusts.
 *
 * Return: 0, or -EACCES if the request is weaker than the policy or there is no
 * key; the log says which.
 */
int srnic_seal_request_apply(const struct srnic_seal_request *request, const u8 *kpd,
			     unsigned int kpd_len, struct srnic_sth_params *params)
{
	if (params->mode != SRNIC_STH_OFF && seal_is_weaker(request, params)) {
		pr_warn_ratelimited("no connection with %pI6c: the application asks for %s, which is weaker than the %s of the policy\n",
				    params->remote_gid, request->suite->name, params->suite->name);
		return -EACCES;
	}
	if (request->key_len) {
		set_app_key(params, request->key, request->key_len);
		params->app_pair_key = true;
	} else if (kpd_len) {
		set_app_key(params, kpd, kpd_len);
		params->app_pair_key = false;
	} else if (!params->key_len) {
		pr_warn_ratelimited("no connection with %pI6c: the application asks for %s and gives no key, nor does a policy; see srnic_seal_qp(3)\n",
				    params->remote_gid, request->suite->name);
		return -EACCES;
	}
	params->mode = request->mode;
	params->suite = request->suite;
	params->preferred_clear = false;
	/* Stay uncached, to save memory as the rule demands, only if the suite supports it. */
	params->uncached &= request->suite->uncached;
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_seal_request_apply);
