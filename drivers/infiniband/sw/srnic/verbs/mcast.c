// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching QPs to multicast groups (IBA 11.2.11), and the joins on the
 * underlay.
 */
#include <linux/slab.h>
#include "engine/mcast.h"
#include "verbs/ops.h"

static struct srnic_mcast_member *group_member(struct srnic_mcast_group *group,
					       const struct srnic_qp *qp)
{
	for (u32 i = 0; group && i < group->count; i++) {
		if (group->member[i].qp == qp)
			return &group->member[i];
	}
	return NULL;
}

/*
 * A packet is copied to each QP of its group, so a group has few places. Users share them as they
 * share a device's objects, and cannot keep the kernel's ib_ipoib out of its own groups.
 */
static bool group_has_place(const struct srnic_mcast_group *group, const struct srnic_user *user)
{
	struct srnic_quota_state state = {
		.used = group ? group->count : 0,
		.limit = SRNIC_MAX_MCAST_QP,
		.reserve = srnic_quota_default_reserve(SRNIC_MAX_MCAST_QP),
	};
	u32 held = 0;

	for (u32 i = 0; i < state.used; i++)
		held += group->member[i].qp->mem.pd->user == user;
	return srnic_quota_is_fair(&state, user ? &held : NULL, 1);
}

static struct srnic_mcast_group *group_alloc(const union ib_gid *mgid, u32 count, gfp_t gfp)
{
	struct srnic_mcast_group *group;

	group = kzalloc(struct_size(group, member, count), gfp);
	if (group) {
		group->count = count;
		group->mgid = *mgid;
	}
	return group;
}

/*
 * Charge an attachment and, with the first one, the group. The creator of a
 * group may be gone before the group ends, so the group holds a reference to it.
 */
static int mcast_take_quota(struct srnic_dev *dev, struct srnic_user *user, bool new_group)
{
	int err;

	err = srnic_take_quota(dev, SRNIC_QUOTA_MCAST_QP, user);
	if (err || !new_group)
		return err;

	err = srnic_take_quota(dev, SRNIC_QUOTA_MCAST, user);
	if (err)
		srnic_give_quota(dev, SRNIC_QUOTA_MCAST_QP, user);
	else
		srnic_user_hold(&dev->guard, user);
	return err;
}

static void mcast_give_group_quota(struct srnic_dev *dev, struct srnic_user *user)
{
	srnic_give_quota(dev, SRNIC_QUOTA_MCAST, user);
	srnic_user_put(&dev->guard, user);
}

static int mcast_attach(struct srnic_dev *dev, struct srnic_qp *qp, const union ib_gid *mgid)
	__must_hold(&dev->mcast.lock)
{
	struct srnic_mcast_group *old = srnic_mcast_find(dev, mgid->raw);
	struct srnic_mcast_member *again = group_member(old, qp);
	struct srnic_user *user = qp->mem.pd->user;
	u32 count = old ? old->count : 0;
	struct srnic_mcast_group *new;
	int err;

	if (!again && !group_has_place(old, user))
		return -ENOMEM;
	err = mcast_take_quota(dev, user, !old);
	if (err)
		return err;
	if (again) {
		again->attached++;
		return 0;
	}

	err = -ENOMEM;
	new = group_alloc(mgid, count + 1, GFP_KERNEL_ACCOUNT);
	if (!new)
		goto err_give;
	err = old ? 0 : srnic_net_join(dev, mgid);
	if (err)
		goto err_free;

	for (u32 i = 0; i < count; i++)
		new->member[i] = old->member[i];
	new->member[count] = (struct srnic_mcast_member){ .qp = qp, .attached = 1 };
	new->user = old ? old->user : user;
	err = srnic_mcast_replace(dev, old, new);
	if (err)
		goto err_leave;
	return 0;

err_leave:
	if (!old)
		srnic_net_leave(dev, mgid);
err_free:
	kfree(new);
err_give:
	srnic_give_quota(dev, SRNIC_QUOTA_MCAST_QP, user);
	if (!old)
		mcast_give_group_quota(dev, user);
	return err;
}

static int mcast_detach(struct srnic_dev *dev, struct srnic_qp *qp, const union ib_gid *mgid)
	__must_hold(&dev->mcast.lock)
{
	struct srnic_mcast_group *old = srnic_mcast_find(dev, mgid->raw);
	struct srnic_mcast_member *member = group_member(old, qp);
	struct srnic_mcast_group *new = NULL;
	struct srnic_user *creator;
	u32 kept = 0;

	if (!member)
		return -EINVAL;
	if (--member->attached) {
		srnic_give_quota(dev, SRNIC_QUOTA_MCAST_QP, qp->mem.pd->user);
		return 0;
	}
	creator = old->user;
	if (old->count > 1) {
		/*
		 * Must not fail: at process exit the error would be ignored and
		 * the QP stay attached.
		 */
		new = group_alloc(mgid, old->count - 1, GFP_KERNEL | __GFP_NOFAIL);
		new->user = creator;
	}

	for (u32 i = 0; i < old->count; i++) {
		if (old->member[i].qp != qp)
			new->member[kept++] = old->member[i];
	}
	srnic_mcast_replace(dev, old, new);
	srnic_give_quota(dev, SRNIC_QUOTA_MCAST_QP, qp->mem.pd->user);
	if (!new) {
		srnic_net_leave(dev, mgid);
		mcast_give_group_quota(dev, creator);
	}
	return 0;
}

int srnic_attach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	struct srnic_dev *dev = to_srnic(ib->device);
	int err;

	mutex_lock(&dev->mcast.lock);
	err = mcast_attach(dev, to_srnic_qp(ib), gid);
	mutex_unlock(&dev->mcast.lock);
	return err;
}

/* Packets in progress may still be delivered; destroy_qp waits for them. */
int srnic_detach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	struct srnic_dev *dev = to_srnic(ib->device);
	int err;

	mutex_lock(&dev->mcast.lock);
	err = mcast_detach(dev, to_srnic_qp(ib), gid);
	mutex_unlock(&dev->mcast.lock);
	return err;
}
