// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Parameters of connections: checked, copied, and completed with their defaults.
 */
#include <errno.h>
#include <string.h>
#include "error.h"
#include "keys.h"
#include "pipeline.h"

#define TIMEOUT_MS	30000
#define RESOLVE_MS	2000
#define RETRIES		7	/* as many as the field holds; of RNR: without end */
#define VERSION		2

static size_t len_of(const struct sockaddr *addr)
{
	switch (addr->sa_family) {
	case AF_INET:
		return sizeof(struct sockaddr_in);
	case AF_INET6:
		return sizeof(struct sockaddr_in6);
	default:
		return 0;
	}
}

static int copy_addr(struct sockaddr_storage *to, const struct sockaddr *from, const char *name)
{
	size_t len = len_of(from);

	if (!len)
		return fail(EINVAL, "%s is no IPv4 or IPv6 address: its family is %u", name,
			    from->sa_family);
	memcpy(to, from, len);
	return 0;
}

static int check_private(const struct rdma_pipeline_param *param, bool listener)
{
	if (param->private_data_len > RDMA_PIPELINE_PRIVATE_MAX)
		return fail(EINVAL, "private data has %u bytes: it can have %d",
			    param->private_data_len, RDMA_PIPELINE_PRIVATE_MAX);
	if (param->private_data_len && !param->private_data)
		return fail(EINVAL, "private_data is NULL, but its length is %u",
			    param->private_data_len);
	if (param->keys && param->private_data_len && !listener)
		return fail(EINVAL, "the authentication takes all of the private data: leave it empty, or the keys");
	return 0;
}

static int check(const struct rdma_pipeline_param *param, bool listener)
{
	static const uint64_t zeros[sizeof(param->reserved) / sizeof(param->reserved[0])];

	if (!param->dst)
		return fail(EINVAL, "dst is NULL");
	if (param->qp.qp_type && param->qp.qp_type != IBV_QPT_RC)
		return fail(EINVAL, "queue pairs of type %d cannot be connected: use IBV_QPT_RC",
			    param->qp.qp_type);
	if (param->retry_count > RETRIES || param->rnr_retry_count > RETRIES)
		return fail(EINVAL, "at most %d retries are possible", RETRIES);
	if (param->version > VERSION)
		return fail(EINVAL, "unknown version %u of the authentication: use 1 or 2",
			    param->version);
	if (param->timeout_ms > INT32_MAX || param->resolve_ms > INT32_MAX)
		return fail(EINVAL, "a time must be less than 2^31 ms");
	if (memcmp(param->reserved, zeros, sizeof(zeros)))
		return fail(EINVAL, "reserved members of the parameters are not 0");
	return check_private(param, listener);
}

static int copy_addrs(struct settings *settings, const struct rdma_pipeline_param *param,
		      bool listener)
{
	int err = copy_addr(&settings->dst, param->dst, "dst");

	if (!err && param->src && !listener)
		err = copy_addr(&settings->src, param->src, "src");
	if (!err && settings->src.ss_family && settings->src.ss_family != settings->dst.ss_family)
		err = fail(EINVAL, "src and dst are of different families");
	return err;
}

int settings_copy(struct settings *settings, const struct rdma_pipeline_param *param,
		  bool listener)
{
	int err = check(param, listener);

	if (err)
		return err;
	*settings = (struct settings){
		.qp = param->qp,
		.pd = param->pd,
		.keys = param->keys,
		.context = param->context,
		.timeout_ms = param->timeout_ms ?: TIMEOUT_MS,
		.resolve_ms = param->resolve_ms ?: RESOLVE_MS,
		.conn = {
			.responder_resources = param->responder_resources,
			.initiator_depth = param->initiator_depth,
			.retry_count = param->retry_count ?: RETRIES,
			.rnr_retry_count = param->rnr_retry_count ?: RETRIES,
		},
		.version = param->version ?: VERSION,
		.private_len = param->private_data_len,
	};
	if (param->private_data_len)
		memcpy(settings->private_data, param->private_data, param->private_data_len);
	err = copy_addrs(settings, param, listener);
	if (!err && settings->keys && !listener)
		err = keys_can_sign(settings->keys, settings->version);
	return err;
}
