// SPDX-License-Identifier: GPL-2.0
/*
 * Keys of protection domains, queue pairs and regions, set by applications
 * through driver methods of uverbs (include/uapi/rdma/srnic-ioctl.h, libsrnic).
 *
 * uverbs looks up a handle in the caller's context and holds the object until
 * the method returns. Arguments are checked before anything changes. No copy of
 * a key outlives the call. The handle of an XRC target stands for a QP that
 * several processes share: only real_qp is srnic's.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include "verbs/ops.h"

#define UVERBS_MODULE_NAME srnic
#include <rdma/uverbs_named_ioctl.h>
#include <rdma/srnic-ioctl.h>

static_assert(SRNIC_IOCTL_KEY_MIN == SRNIC_STH_KEY_MIN);
static_assert(SRNIC_IOCTL_KEY_MAX == SRNIC_STH_KEY_MAX);
static_assert(SRNIC_IOCTL_KEY_MAX == SRNIC_PD_KEY_MAX);
static_assert(SRNIC_IOCTL_MKEY_LEN == SRNIC_MKEY_LEN);
static_assert((int)SRNIC_IOCTL_READ == SRNIC_RIGHT_READ);
static_assert((int)SRNIC_IOCTL_ATOMIC == SRNIC_RIGHT_ATOMIC);

/*
 * Copy an optional secret of up to @max bytes. Return its length, 0, or a
 * negative errno.
 */
static int copy_key_attr(const struct uverbs_attr_bundle *attrs, u16 id, u8 *key, size_t max)
{
	int len;

	if (!uverbs_attr_is_valid(attrs, id))
		return 0;
	len = uverbs_attr_get_len(attrs, id);
	if (len < 0)
		return len;
	if (len > max)
		return -EINVAL;
	return _uverbs_copy_from(key, attrs, id, len) ?: len;
}

/*
 * Set K_PD, or draw it at random if @len is 0. It is set only once per domain,
 * because peers hold keys derived from it.
 */
static int pd_set_key(struct srnic_pd *pd, const u8 *key, unsigned int len)
{
	int err = 0;

	mutex_lock(&pd->key_lock);
	if (pd->key_len) {
		err = -EEXIST;
		goto unlock;
	}
	if (len) {
		memcpy(pd->key, key, len);
		pd->key_len = len;
	} else {
		get_random_bytes(pd->key, sizeof(pd->key));
		pd->key_len = sizeof(pd->key);
		pd->key_drawn = true;
	}
unlock:
	mutex_unlock(&pd->key_lock);
	return err;
}

static int UVERBS_HANDLER(SRNIC_METHOD_PD_SET_KEY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_pd *pd = uverbs_attr_get_obj(attrs, SRNIC_ATTR_PD_SET_KEY_HANDLE);
	u8 key[SRNIC_IOCTL_KEY_MAX];
	int len, err;

	len = copy_key_attr(attrs, SRNIC_ATTR_PD_SET_KEY_KEY, key, sizeof(key));
	err = len < 0 ? len : pd_set_key(to_srnic_pd(pd), key, len);
	memzero_explicit(key, sizeof(key));
	return err;
}

static int parse_seal_request(const struct srnic_ioctl_seal *seal,
			      struct srnic_seal_request *request)
{
	const char *missing;

	if (strnlen(seal->suite, sizeof(seal->suite)) == sizeof(seal->suite) ||
	    memchr_inv(seal->reserved, 0, sizeof(seal->reserved)))
		return -EINVAL;
	request->suite = srnic_sth_suite_find(seal->suite);
	if (!request->suite || !seal->mode || seal->mode >= SRNIC_STH_MODES)
		return -EINVAL;
	request->mode = seal->mode;
	if (!srnic_sth_suite_allows(request->suite, request->mode))
		return -EOPNOTSUPP;
	/* report a missing algorithm now instead of when packets arrive */
	return srnic_sth_suite_check(request->suite, &missing) == -ENOENT ? -EOPNOTSUPP : 0;
}

/* On return, *@request is what the caller must free. */
static int qp_set_seal_request(struct srnic_qp *qp, struct srnic_seal_request **request)
{
	int err = 0;

	if (!srnic_qp_connected(qp))
		return -EOPNOTSUPP;
	mutex_lock(&qp->modify_mutex);
	if (qp->state == IB_QPS_RESET || qp->state == IB_QPS_INIT)
		swap(qp->seal_request, *request);
	else
		err = -EINVAL;
	mutex_unlock(&qp->modify_mutex);
	return err;
}

static int UVERBS_HANDLER(SRNIC_METHOD_QP_SEAL)(struct uverbs_attr_bundle *attrs)
{
	struct ib_qp *qp = uverbs_attr_get_obj(attrs, SRNIC_ATTR_QP_SEAL_HANDLE);
	struct srnic_ioctl_seal seal;
	struct srnic_seal_request *request;
	int err;

	err = uverbs_copy_from(&seal, attrs, SRNIC_ATTR_QP_SEAL_REQUEST);
	if (err)
		return err;
	request = kzalloc(sizeof(*request), GFP_KERNEL_ACCOUNT);
	if (!request)
		return -ENOMEM;
	err = copy_key_attr(attrs, SRNIC_ATTR_QP_SEAL_KEY, request->key, sizeof(request->key));
	if (err < 0)
		goto free;
	request->key_len = err;
	err = parse_seal_request(&seal, request);
	if (!err)
		err = qp_set_seal_request(to_srnic_qp(qp->real_qp), &request);
free:
	kfree_sensitive(request);
	return err;
}

static int UVERBS_HANDLER(SRNIC_METHOD_QP_USE_GRANT)(struct uverbs_attr_bundle *attrs)
{
	struct ib_qp *qp = uverbs_attr_get_obj(attrs, SRNIC_ATTR_QP_USE_GRANT_HANDLE);
	struct srnic_ioctl_grant grant;
	struct srnic_mkey mkey;
	int err;

	err = uverbs_copy_from(&grant, attrs, SRNIC_ATTR_QP_USE_GRANT_GRANT);
	if (err)
		return err;
	mkey = (struct srnic_mkey){
		.addr = grant.addr,
		.rkey = grant.rkey,
		.right = grant.right,
		.tree = {
			.length = grant.length,
			.depth = grant.depth,
			.block_shift = grant.block_shift,
		},
		.node = {
			.start = grant.start,
			.shift = grant.node_shift,
		},
	};
	memcpy(mkey.key, grant.key, sizeof(mkey.key));
	err = srnic_qp_connected(to_srnic_qp(qp->real_qp)) ?
	      srnic_grant_add(to_srnic_qp(qp->real_qp), &mkey) : -EOPNOTSUPP;
	memzero_explicit(&grant, sizeof(grant));
	memzero_explicit(&mkey, sizeof(mkey));
	return err;
}

static int UVERBS_HANDLER(SRNIC_METHOD_QP_DROP_GRANTS)(struct uverbs_attr_bundle *attrs)
{
	struct ib_qp *qp = uverbs_attr_get_obj(attrs, SRNIC_ATTR_QP_DROP_GRANTS_HANDLE);
	u32 rkey;
	int err;

	err = uverbs_copy_from(&rkey, attrs, SRNIC_ATTR_QP_DROP_GRANTS_RKEY);
	return err ?: srnic_grant_drop(to_srnic_qp(qp->real_qp), rkey);
}

/* Derive K_MR from K_PD of the domain, which is drawn now if it is not set. */
static int mr_derive_kmr(struct srnic_mr *mr, u8 kmr[SRNIC_MKEY_LEN])
{
	struct srnic_stag *stag = &mr->stag;
	const struct srnic_va_range region = { .addr = stag->iova, .len = stag->length };
	struct srnic_pd *pd = stag->pd;
	int err;

	err = pd_set_key(pd, NULL, 0);
	if (err && err != -EEXIST)
		return err;
	/* no lock: K_PD is set once and never changes */
	return srnic_mkey_region(pd->key, pd->key_len, &region, stag->key, kmr);
}

static struct srnic_mkey *mr_derive_mkeys(struct srnic_mr *mr, const struct srnic_tree *tree,
					  const u8 kmr[SRNIC_MKEY_LEN])
{
	struct srnic_mkey *mkeys;
	enum srnic_right right;
	int err;

	mkeys = kcalloc(SRNIC_RIGHTS, sizeof(*mkeys), GFP_KERNEL_ACCOUNT);
	if (!mkeys)
		return ERR_PTR(-ENOMEM);
	for (right = SRNIC_RIGHT_READ; right <= SRNIC_RIGHTS; right++) {
		struct srnic_mkey *mkey = &mkeys[right - 1];

		mkey->addr = mr->stag.iova;
		mkey->rkey = mr->stag.key;
		mkey->tree = *tree;
		err = srnic_mkey_root(mkey, kmr, right);
		if (err) {
			kfree_sensitive(mkeys);
			return ERR_PTR(err);
		}
	}
	return mkeys;
}

static int mr_protect(struct srnic_mr *mr, const struct srnic_tree *tree, u8 kmr[SRNIC_MKEY_LEN],
		      bool given)
{
	struct srnic_mkey *mkeys;
	int err = 0;

	if (!given)
		err = mr_derive_kmr(mr, kmr);
	if (err)
		return err;
	mkeys = mr_derive_mkeys(mr, tree, kmr);
	if (IS_ERR(mkeys))
		return PTR_ERR(mkeys);
	err = srnic_region_protect(mr, mkeys);
	if (err)
		kfree_sensitive(mkeys);
	return err;
}

static int UVERBS_HANDLER(SRNIC_METHOD_MR_PROTECT)(struct uverbs_attr_bundle *attrs)
{
	struct ib_mr *ib = uverbs_attr_get_obj(attrs, SRNIC_ATTR_MR_PROTECT_HANDLE);
	struct srnic_mr *mr = to_srnic_mr(ib);
	struct srnic_ioctl_tree wanted;
	u8 kmr[SRNIC_MKEY_LEN];
	struct srnic_tree tree;
	int len, err;

	err = uverbs_copy_from(&wanted, attrs, SRNIC_ATTR_MR_PROTECT_TREE);
	if (err)
		return err;
	if (memchr_inv(wanted.reserved, 0, sizeof(wanted.reserved)))
		return -EINVAL;
	err = srnic_tree_init(&tree, mr->stag.length, wanted.depth, wanted.block_shift);
	if (!err)
		err = srnic_mkey_prepare();
	if (err)
		return err;

	len = copy_key_attr(attrs, SRNIC_ATTR_MR_PROTECT_KEY, kmr, sizeof(kmr));
	err = len < 0 ? len : mr_protect(mr, &tree, kmr, len);
	memzero_explicit(kmr, sizeof(kmr));
	return err;
}

static int UVERBS_HANDLER(SRNIC_METHOD_MR_GRANT)(struct uverbs_attr_bundle *attrs)
{
	struct ib_mr *ib = uverbs_attr_get_obj(attrs, SRNIC_ATTR_MR_GRANT_HANDLE);
	struct srnic_mr *mr = to_srnic_mr(ib);
	const struct srnic_mkey *mkey;
	struct srnic_ioctl_grant grant;
	u32 right;
	int err;

	err = uverbs_copy_from(&right, attrs, SRNIC_ATTR_MR_GRANT_RIGHT);
	if (err)
		return err;
	if (right < SRNIC_RIGHT_READ || right > SRNIC_RIGHTS)
		return -EINVAL;
	if (!mr->stag.mkeys)
		return -ENOKEY;
	mkey = &mr->stag.mkeys[right - 1];
	grant = (struct srnic_ioctl_grant){
		.addr = mkey->addr,
		.length = mkey->tree.length,
		.start = mkey->node.start,
		.rkey = mkey->rkey,
		.right = mkey->right,
		.depth = mkey->tree.depth,
		.block_shift = mkey->tree.block_shift,
		.node_shift = mkey->node.shift,
	};
	memcpy(grant.key, mkey->key, sizeof(grant.key));
	err = uverbs_copy_to(attrs, SRNIC_ATTR_MR_GRANT_GRANT, &grant, sizeof(grant));
	memzero_explicit(&grant, sizeof(grant));
	return err;
}

DECLARE_UVERBS_NAMED_METHOD(SRNIC_METHOD_PD_SET_KEY,
			    UVERBS_ATTR_IDR(SRNIC_ATTR_PD_SET_KEY_HANDLE, UVERBS_OBJECT_PD,
					    UVERBS_ACCESS_READ, UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(SRNIC_ATTR_PD_SET_KEY_KEY,
					       UVERBS_ATTR_SIZE(SRNIC_IOCTL_KEY_MIN,
								SRNIC_IOCTL_KEY_MAX),
					       UA_OPTIONAL));

DECLARE_UVERBS_NAMED_METHOD(SRNIC_METHOD_QP_SEAL,
			    UVERBS_ATTR_IDR(SRNIC_ATTR_QP_SEAL_HANDLE, UVERBS_OBJECT_QP,
					    UVERBS_ACCESS_READ, UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(SRNIC_ATTR_QP_SEAL_REQUEST,
					       UVERBS_ATTR_TYPE(struct srnic_ioctl_seal),
					       UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(SRNIC_ATTR_QP_SEAL_KEY,
					       UVERBS_ATTR_SIZE(SRNIC_IOCTL_KEY_MIN,
								SRNIC_IOCTL_KEY_MAX),
					       UA_OPTIONAL));

DECLARE_UVERBS_NAMED_METHOD(SRNIC_METHOD_QP_USE_GRANT,
			    UVERBS_ATTR_IDR(SRNIC_ATTR_QP_USE_GRANT_HANDLE, UVERBS_OBJECT_QP,
					    UVERBS_ACCESS_READ, UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(SRNIC_ATTR_QP_USE_GRANT_GRANT,
					       UVERBS_ATTR_TYPE(struct srnic_ioctl_grant),
					       UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(SRNIC_METHOD_QP_DROP_GRANTS,
			    UVERBS_ATTR_IDR(SRNIC_ATTR_QP_DROP_GRANTS_HANDLE, UVERBS_OBJECT_QP,
					    UVERBS_ACCESS_READ, UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(SRNIC_ATTR_QP_DROP_GRANTS_RKEY,
					       UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

/* UVERBS_ACCESS_WRITE: calls are exclusive, because keys are made once per region */
DECLARE_UVERBS_NAMED_METHOD(SRNIC_METHOD_MR_PROTECT,
			    UVERBS_ATTR_IDR(SRNIC_ATTR_MR_PROTECT_HANDLE, UVERBS_OBJECT_MR,
					    UVERBS_ACCESS_WRITE, UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(SRNIC_ATTR_MR_PROTECT_TREE,
					       UVERBS_ATTR_TYPE(struct srnic_ioctl_tree),
					       UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(SRNIC_ATTR_MR_PROTECT_KEY,
					       UVERBS_ATTR_TYPE(u8[SRNIC_IOCTL_MKEY_LEN]),
					       UA_OPTIONAL));

DECLARE_UVERBS_NAMED_METHOD(SRNIC_METHOD_MR_GRANT,
			    UVERBS_ATTR_IDR(SRNIC_ATTR_MR_GRANT_HANDLE, UVERBS_OBJECT_MR,
					    UVERBS_ACCESS_READ, UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(SRNIC_ATTR_MR_GRANT_RIGHT,
					       UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(SRNIC_ATTR_MR_GRANT_GRANT,
						UVERBS_ATTR_TYPE(struct srnic_ioctl_grant),
						UA_MANDATORY));

ADD_UVERBS_METHODS(srnic_pd_methods, UVERBS_OBJECT_PD, &UVERBS_METHOD(SRNIC_METHOD_PD_SET_KEY));
ADD_UVERBS_METHODS(srnic_qp_methods, UVERBS_OBJECT_QP, &UVERBS_METHOD(SRNIC_METHOD_QP_SEAL),
		   &UVERBS_METHOD(SRNIC_METHOD_QP_USE_GRANT),
		   &UVERBS_METHOD(SRNIC_METHOD_QP_DROP_GRANTS));
ADD_UVERBS_METHODS(srnic_mr_methods, UVERBS_OBJECT_MR, &UVERBS_METHOD(SRNIC_METHOD_MR_PROTECT),
		   &UVERBS_METHOD(SRNIC_METHOD_MR_GRANT));

const struct uapi_definition srnic_uapi_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_PD, &srnic_pd_methods),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_QP, &srnic_qp_methods),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_MR, &srnic_mr_methods),
	UAPI_DEF_CHAIN(srnic_mr_bind_defs),
	UAPI_DEF_CHAIN(srnic_dm_defs),
	UAPI_DEF_CHAIN(srnic_pd_defs),
	UAPI_DEF_CHAIN(srnic_ucontext_defs),
	{},
};
