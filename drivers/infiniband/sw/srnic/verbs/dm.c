// SPDX-License-Identifier: GPL-2.0
/*
 * Device memory (ibv_alloc_dm(3)): pages of the kernel that belong to a user's
 * context. Processes map them, and regions of them are registered (mr.c).
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include "verbs/ops.h"

#define UVERBS_MODULE_NAME srnic
#include <rdma/uverbs_named_ioctl.h>
#include <rdma/srnic-ioctl.h>

/*
 * The core keeps the length in 32 bits, and compares ranges with that.
 * Whole pages are aligned to a page, wherever a process maps them.
 */
static int dm_check(const struct ib_dm_alloc_attr *attr)
{
	if (!attr->length || attr->alignment > PAGE_SHIFT)
		return -EINVAL;
	return attr->length > U32_MAX ? -ENOMEM : 0;
}

/* The quota is taken before the pages are (R18); the pages come zeroed (R13). */
static int dm_create(struct srnic_dm *dm, struct ib_ucontext *uctx, u32 length)
{
	int err;

	dm->length = length;
	dm->mmap = srnic_mmap_new(uctx, SRNIC_QUOTA_DEVICE, PFN_UP((u64)length));
	if (IS_ERR(dm->mmap))
		return PTR_ERR(dm->mmap);
	err = srnic_pages_alloc(&dm->pages, PFN_UP((u64)length));
	if (err)
		goto err_mmap;
	err = srnic_mmap_insert(dm->mmap, &dm->pages);
	if (err)
		goto err_pages;
	return 0;

err_pages:
	srnic_pages_free(&dm->pages);
err_mmap:
	srnic_mmap_remove(dm->mmap);
	return err;
}

struct ib_dm *srnic_alloc_dm(struct ib_device *ib, struct ib_ucontext *uctx,
			     struct ib_dm_alloc_attr *attr, struct uverbs_attr_bundle *attrs)
{
	struct srnic_dm *dm;
	int err;

	err = dm_check(attr);
	if (err)
		return ERR_PTR(err);
	dm = kzalloc(sizeof(*dm), GFP_KERNEL_ACCOUNT);
	if (!dm)
		return ERR_PTR(-ENOMEM);
	err = dm_create(dm, uctx, attr->length);
	if (err) {
		kfree(dm);
		return ERR_PTR(err);
	}
	return &dm->ib;
}

/* The core calls this only after the last region has been deregistered. */
int srnic_dealloc_dm(struct ib_dm *ib, struct uverbs_attr_bundle *attrs)
{
	struct srnic_dm *dm = to_srnic_dm(ib);

	srnic_mmap_remove(dm->mmap);
	srnic_pages_free(&dm->pages);
	kfree(dm);
	return 0;
}

/* For the process that has allocated the memory, and for those that import it */
static int UVERBS_HANDLER(SRNIC_METHOD_DM_QUERY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_dm *ib = uverbs_attr_get_obj(attrs, SRNIC_ATTR_DM_QUERY_HANDLE);
	struct srnic_dm *dm = to_srnic_dm(ib);
	const struct srnic_ioctl_dm resp = {
		.offset = srnic_mmap_offset(dm->mmap),
		.size = (u64)dm->pages.count << PAGE_SHIFT,
		.length = dm->length,
	};

	return uverbs_copy_to(attrs, SRNIC_ATTR_DM_QUERY_RESP, &resp, sizeof(resp));
}

DECLARE_UVERBS_NAMED_METHOD(SRNIC_METHOD_DM_QUERY,
			    UVERBS_ATTR_IDR(SRNIC_ATTR_DM_QUERY_HANDLE, UVERBS_OBJECT_DM,
					    UVERBS_ACCESS_READ, UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(SRNIC_ATTR_DM_QUERY_RESP,
						UVERBS_ATTR_TYPE(struct srnic_ioctl_dm),
						UA_MANDATORY));

ADD_UVERBS_METHODS(srnic_dm_methods, UVERBS_OBJECT_DM, &UVERBS_METHOD(SRNIC_METHOD_DM_QUERY));

const struct uapi_definition srnic_dm_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DM, &srnic_dm_methods),
	{},
};
