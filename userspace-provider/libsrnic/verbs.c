// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Keys of libibverbs objects, and regions bound to a queue pair. Keys are not copied: the
 * kernel reads them from the caller's memory.
 */
#include <errno.h>
#include <string.h>
#include "error.h"
#include "grant.h"
#include "tree.h"
#include "uverbs.h"

static int check_key(const void *key, size_t len)
{
	if (!key && len)
		return fail(EINVAL, "key is NULL, but its length is %zu", len);
	if (key && (len < SRNIC_IOCTL_KEY_MIN || len > SRNIC_IOCTL_KEY_MAX))
		return fail(EINVAL, "key has %zu bytes: it must have %d to %d", len,
			    SRNIC_IOCTL_KEY_MIN, SRNIC_IOCTL_KEY_MAX);
	return 0;
}

static const struct uv_refusal key_pd_refusals[] = {
	{ EEXIST, "the domain has a key, set or generated, and keeps it: allocate another domain" },
	{ EINVAL, "the kernel refuses this as a domain's key" },
	{}
};

int srnic_key_pd(struct ibv_pd *pd, const void *key, size_t len)
{
	union uv_call call;
	int err;

	err = check_key(key, len);
	if (err)
		return err;
	uv_begin(&call, UVERBS_OBJECT_PD, SRNIC_METHOD_PD_SET_KEY);
	uv_put_handle(&call, SRNIC_ATTR_PD_SET_KEY_HANDLE, pd->handle);
	if (key)
		uv_put(&call, SRNIC_ATTR_PD_SET_KEY_KEY, key, len);
	return uv_do(pd->context, &call, key_pd_refusals);
}

static int put_seal_request(struct srnic_ioctl_seal *request, enum srnic_mode mode,
			    const char *suite)
{
	size_t len = suite ? strlen(suite) : 0;

	if (mode == SRNIC_MODE_OFF || mode > SRNIC_MODE_OPAQUE)
		return fail(EINVAL, "unknown mode %u: use header, packet, aead or opaque", mode);
	if (!len || len >= sizeof(request->suite))
		return fail(EINVAL, "suite name '%.40s' is invalid: use 1 to %zu characters",
			    suite ?: "", sizeof(request->suite) - 1);
	memset(request, 0, sizeof(*request));
	memcpy(request->suite, suite, len);
	request->mode = mode;
	return 0;
}

static const struct uv_refusal seal_refusals[] = {
	{ EINVAL, "no such suite ('srnic suite'), or the queue pair is in RTR: seal it before" },
	{ EOPNOTSUPP, "the suite lacks the mode ('srnic suite'), or the QP is not RC or UC" },
	{}
};

int srnic_seal_qp(struct ibv_qp *qp, enum srnic_mode mode, const char *suite, const void *key,
		  size_t len)
{
	struct srnic_ioctl_seal request;
	union uv_call call;
	int err;

	err = check_key(key, len) ?: put_seal_request(&request, mode, suite);
	if (err)
		return err;
	uv_begin(&call, UVERBS_OBJECT_QP, SRNIC_METHOD_QP_SEAL);
	uv_put_handle(&call, SRNIC_ATTR_QP_SEAL_HANDLE, qp->handle);
	uv_put(&call, SRNIC_ATTR_QP_SEAL_REQUEST, &request, sizeof(request));
	if (key)
		uv_put(&call, SRNIC_ATTR_QP_SEAL_KEY, key, len);
	return uv_do(qp->context, &call, seal_refusals);
}

static const struct uv_refusal protect_refusals[] = {
	{ EEXIST, "the region is already protected: register another" },
	{ EBUSY, "windows are bound to the region, and would need no proof: unbind them" },
	{ EINVAL, "the kernel does not protect a region of this kind, or with this tree" },
	{ EOPNOTSUPP, "the kernel has no AES-CMAC: load the module cmac" },
	{}
};

int srnic_protect_mr(struct ibv_mr *mr, const struct srnic_tree *tree, const void *key)
{
	struct srnic_ioctl_tree as;
	union uv_call call;
	int err;

	err = grant_check_tree(tree);
	if (err)
		return err;
	as = (struct srnic_ioctl_tree){
		.depth = tree ? tree->depth : 0,
		.block_shift = grant_block_shift(tree),
	};
	uv_begin(&call, UVERBS_OBJECT_MR, SRNIC_METHOD_MR_PROTECT);
	uv_put_handle(&call, SRNIC_ATTR_MR_PROTECT_HANDLE, mr->handle);
	uv_put(&call, SRNIC_ATTR_MR_PROTECT_TREE, &as, sizeof(as));
	if (key)
		uv_put(&call, SRNIC_ATTR_MR_PROTECT_KEY, key, SRNIC_MKEY_LEN);
	return uv_do(mr->context, &call, protect_refusals);
}

static const struct uv_refusal grant_refusals[] = {
	{ ENOKEY, "the region has no key: protect it by srnic_protect_mr()" },
	{ EINVAL, "the kernel cannot grant this right to this region" },
	{}
};

static int ask_for_grant(struct ibv_mr *mr, uint32_t right, struct srnic_ioctl_grant *body)
{
	union uv_call call;
	int err;

	uv_begin(&call, UVERBS_OBJECT_MR, SRNIC_METHOD_MR_GRANT);
	uv_put_handle(&call, SRNIC_ATTR_MR_GRANT_HANDLE, mr->handle);
	uv_put(&call, SRNIC_ATTR_MR_GRANT_RIGHT, &right, sizeof(right));
	uv_put_out(&call, SRNIC_ATTR_MR_GRANT_GRANT, body, sizeof(*body));
	err = uv_do(mr->context, &call, grant_refusals);
	if (err)
		return err;
	if (!tree_is_sound(body) || body->right != right)
		return fail(EPROTO, "the kernel's grant is malformed: update module and library together");
	return 0;
}

int srnic_grant_mr(struct ibv_mr *mr, enum srnic_right right, struct srnic_grant **grant)
{
	int err;

	*grant = NULL;
	err = grant_check_right(right) ?: grant_new(grant);
	if (err)
		return err;
	err = ask_for_grant(mr, right, &(*grant)->body);
	if (err) {
		srnic_grant_free(*grant);
		*grant = NULL;
	}
	return err;
}

static const struct uv_refusal use_refusals[] = {
	{ ENOSPC, "the QP uses the maximum of grants: drop some by srnic_drop_grants()" },
	{ EINVAL, "the kernel refuses this grant: no region has its block" },
	{ EOPNOTSUPP, "only RC and UC queue pairs use grants, if the kernel has AES-CMAC" },
	{}
};

int srnic_use_grant(struct ibv_qp *qp, const struct srnic_grant *grant)
{
	union uv_call call;

	uv_begin(&call, UVERBS_OBJECT_QP, SRNIC_METHOD_QP_USE_GRANT);
	uv_put_handle(&call, SRNIC_ATTR_QP_USE_GRANT_HANDLE, qp->handle);
	uv_put(&call, SRNIC_ATTR_QP_USE_GRANT_GRANT, &grant->body, sizeof(grant->body));
	return uv_do(qp->context, &call, use_refusals);
}

static const struct uv_refusal drop_refusals[] = {
	{ ENOENT, "the queue pair uses no grant for this rkey" },
	{}
};

int srnic_drop_grants(struct ibv_qp *qp, uint32_t rkey)
{
	union uv_call call;

	uv_begin(&call, UVERBS_OBJECT_QP, SRNIC_METHOD_QP_DROP_GRANTS);
	uv_put_handle(&call, SRNIC_ATTR_QP_DROP_GRANTS_HANDLE, qp->handle);
	uv_put(&call, SRNIC_ATTR_QP_DROP_GRANTS_RKEY, &rkey, sizeof(rkey));
	return uv_do(qp->context, &call, drop_refusals);
}

static const struct uv_refusal bind_refusals[] = {
	{ EEXIST, "the region is already bound to a queue pair: register another" },
	{ EBUSY, "windows are bound to the region, and may serve others: unbind them" },
	{ EINVAL, "region and queue pair must be of one protection domain" },
	{}
};

int srnic_bind_mr(struct ibv_mr *mr, struct ibv_qp *qp)
{
	union uv_call call;

	uv_begin(&call, UVERBS_OBJECT_MR, SRNIC_METHOD_MR_BIND);
	uv_put_handle(&call, SRNIC_ATTR_MR_BIND_HANDLE, mr->handle);
	uv_put_handle(&call, SRNIC_ATTR_MR_BIND_QP, qp->handle);
	return uv_do(mr->context, &call, bind_refusals);
}
