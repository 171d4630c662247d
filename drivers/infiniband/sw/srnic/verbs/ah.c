// SPDX-License-Identifier: GPL-2.0
/*
 * Address handles: destinations of datagrams (IBA 11.2.2).
 */
#include <linux/jhash.h>
#include <linux/slab.h>
#include "engine/ah.h"
#include "fabric/fabric.h"
#include "verbs/ops.h"
#include "sth/sth.h"

/*
 * An address handle has no QPNs to derive the source port from. Without a flow label, hash the
 * destination to spread the traffic. If it is this port itself, the kernel sends there from the
 * port that its socket holds, as no process can (engine/ud.c).
 */
static u16 ah_sport(const struct srnic_dev *dev, const struct rdma_ah_attr *attr, bool user)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);
	u32 hash = jhash(grh->dgid.raw, sizeof(grh->dgid.raw), rdma_ah_get_dlid(attr));

	if (!user && srnic_av_is_own(dev, attr))
		return SRNIC_IB_PORT;
	return rdma_flow_label_to_udp_sport(grh->flow_label ?: hash & IB_GRH_FLOWLABEL_MASK);
}

/* the core counts references to the GID entry; our copy holds none */
static void ah_set_attr(struct srnic_ah *ah, const struct rdma_ah_attr *attr)
{
	unsigned long flags;

	spin_lock_irqsave(&ah->attr_lock, flags);
	ah->attr = *attr;
	ah->attr.grh.sgid_attr = NULL;
	spin_unlock_irqrestore(&ah->attr_lock, flags);
}

static void ah_free(struct rcu_head *rcu)
{
	struct srnic_ah *ah = container_of(rcu, struct srnic_ah, rcu);

	/* not earlier: senders may route it again until the grace period ends */
	srnic_path_release(&ah->path);
	kfree(ah);
}

static u32 ah_smi_qpn(struct srnic_dev *dev, const struct rdma_ah_attr *attr)
{
	if (!srnic_av_is_own(dev, attr))
		return SRNIC_SMI_QPN;
	return srnic_switch_qpn(dev->fabric, rdma_ah_get_dlid(attr));
}

static struct srnic_ah *ah_new(struct ib_ah *ib, const struct rdma_ah_init_attr *init,
			       const struct ib_udata *udata)
{
	struct srnic_dev *dev = to_srnic(ib->device);
	gfp_t gfp = init->flags & RDMA_CREATE_AH_SLEEPABLE ? GFP_KERNEL : GFP_ATOMIC;
	struct srnic_ah *ah;
	int err;

	err = srnic_av_check(dev, init->ah_attr);
	if (err)
		return ERR_PTR(err);
	ah = kzalloc(sizeof(*ah), gfp | __GFP_ACCOUNT);
	if (!ah)
		return ERR_PTR(-ENOMEM);

	err = srnic_av_path(&ah->path, dev, init->ah_attr,
			    ah_sport(dev, init->ah_attr, udata));
	if (err) {
		kfree(ah);
		return ERR_PTR(err);
	}
	spin_lock_init(&ah->lock);
	spin_lock_init(&ah->attr_lock);
	ah->pd = to_srnic_pd(ib->pd);
	ah->smi_qpn = ah_smi_qpn(dev, init->ah_attr);
	ah_set_attr(ah, init->ah_attr);
	return ah;
}

/*
 * Make the handle known to user work requests, which name it by number. Process
 * context.
 */
static int ah_publish(struct srnic_dev *dev, struct srnic_ah *ah, struct ib_udata *udata)
{
	struct srnic_create_ah_resp resp = {};
	int err;

	err = xa_alloc_cyclic(&dev->ahs, &ah->number, ah, xa_limit_32b, &dev->next_ah,
			      GFP_KERNEL_ACCOUNT);
	if (err < 0)
		return err;

	resp.ah = ah->number;
	err = srnic_respond(udata, &resp, sizeof(resp));
	if (err)
		xa_erase(&dev->ahs, ah->number);
	return err;
}

/* Kernel consumers call this in atomic context, some with interrupts off. */
int srnic_create_ah(struct ib_ah *ib, struct rdma_ah_init_attr *init, struct ib_udata *udata)
{
	struct srnic_dev *dev = to_srnic(ib->device);
	struct srnic_ah *ah;
	int err;

	err = srnic_take_quota(dev, SRNIC_QUOTA_AH, to_srnic_pd(ib->pd)->user);
	if (err)
		return err;

	ah = ah_new(ib, init, udata);
	if (IS_ERR(ah)) {
		err = PTR_ERR(ah);
		goto err_give;
	}
	err = udata ? ah_publish(dev, ah, udata) : 0;
	if (err)
		goto err_free;

	container_of(ib, struct srnic_ibah, ib)->ah = ah;
	return 0;

err_free:
	call_rcu(&ah->rcu, ah_free);
err_give:
	srnic_give_quota(dev, SRNIC_QUOTA_AH, to_srnic_pd(ib->pd)->user);
	return err;
}

int srnic_modify_ah(struct ib_ah *ib, struct rdma_ah_attr *attr)
{
	struct srnic_dev *dev = to_srnic(ib->device);
	struct srnic_ah *ah = to_srnic_ah(ib);
	struct srnic_path path;
	int err;

	err = srnic_av_check(dev, attr);
	if (err)
		return err;
	err = srnic_av_path(&path, dev, attr, ah_sport(dev, attr, ah->number));
	if (err)
		return err;

	spin_lock_bh(&ah->lock);
	swap(ah->path, path);
	ah->policy_seq = 0;
	ah_set_attr(ah, attr);
	spin_unlock_bh(&ah->lock);

	srnic_path_release(&path);
	return 0;
}

int srnic_query_ah(struct ib_ah *ib, struct rdma_ah_attr *attr)
{
	struct srnic_ah *ah = to_srnic_ah(ib);
	unsigned long flags;

	spin_lock_irqsave(&ah->attr_lock, flags);
	*attr = ah->attr;
	spin_unlock_irqrestore(&ah->attr_lock, flags);
	return 0;
}

/* Kernel consumers call this in atomic context, some with interrupts off. */
int srnic_destroy_ah(struct ib_ah *ib, u32 flags)
{
	struct srnic_dev *dev = to_srnic(ib->device);
	struct srnic_ah *ah = to_srnic_ah(ib);

	if (flags & RDMA_DESTROY_AH_SLEEPABLE)
		srnic_dgram_out_wait(ah->pd);
	if (ah->number)
		xa_erase(&dev->ahs, ah->number);
	call_rcu(&ah->rcu, ah_free);
	srnic_give_quota(dev, SRNIC_QUOTA_AH, to_srnic_pd(ib->pd)->user);
	return 0;
}
