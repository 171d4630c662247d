// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that have to be proved (sRDMA 4.6; protocol.md, section 12): which memory key
 * a received one must know, and which of those that a queue pair was given it is sent
 * with.
 */
#include <linux/slab.h>
#include "srnic.h"
#include "engine/proof.h"

/* what a request asks of memory; 0: nothing that could be proved */
static enum srnic_right right_of(const struct srnic_pkt *pkt)
{
	if (pkt->opc->atomic)
		return SRNIC_RIGHT_ATOMIC;
	if (!pkt->opc->reth || !pkt->dmalen)
		return 0;
	return pkt->opc->flags & SRNIC_OPF_READ ? SRNIC_RIGHT_READ : SRNIC_RIGHT_WRITE;
}

static u64 length_of(const struct srnic_pkt *pkt)
{
	return pkt->opc->atomic ? sizeof(u64) : pkt->dmalen;
}

/**
 * srnic_proof_demanded - the key that a received packet has to be proved by
 * @qp: sealed
 * @pkt: as parsed; not verified yet
 * @ref: to be put when the packet has been opened, if there is one
 *
 * None is asked of a request that will be refused whatever it can prove: the answer
 * says why, once the seal is known to be right.
 *
 * Context: softirq, under the QP's lock.
 * Return: the key, or %NULL.
 */
const struct srnic_mkey *srnic_proof_demanded(struct srnic_qp *qp, const struct srnic_pkt *pkt,
					      struct srnic_mem_ref *ref)
{
	static const u32 access[SRNIC_RIGHTS + 1] = {
		[SRNIC_RIGHT_READ]	= IB_ACCESS_REMOTE_READ,
		[SRNIC_RIGHT_WRITE]	= IB_ACCESS_REMOTE_WRITE,
		[SRNIC_RIGHT_ATOMIC]	= IB_ACCESS_REMOTE_ATOMIC,
	};
	enum srnic_right right = right_of(pkt);
	const struct srnic_mkey *mkeys;

	if (!right || likely(!READ_ONCE(qp->pd->protects)))
		return NULL;
	mkeys = srnic_mem_mkeys(qp, pkt->rkey, pkt->va, length_of(pkt), access[right], ref);
	return mkeys ? &mkeys[right - 1] : NULL;
}

/**
 * srnic_proof_find - the key that a request is sent with
 * @qp: has grants
 * @pkt: to be built; its mkey is set
 *
 * Context: under the QP's lock.
 * Return: 0; -EFAULT: there are keys for that memory, and none for what is asked of it.
 */
int srnic_proof_find(const struct srnic_qp *qp, struct srnic_pkt *pkt)
{
	enum srnic_right right = right_of(pkt);
	const struct srnic_grant *grant;
	bool some = false;

	lockdep_assert_held(&qp->lock);

	pkt->mkey = NULL;
	if (!right)
		return 0;
	list_for_each_entry(grant, &qp->grants, node) {
		const struct srnic_mkey *mkey = &grant->mkey;

		if (mkey->rkey != pkt->rkey)
			continue;
		some = true;
		if (mkey->right != right || !srnic_mkey_covers(mkey, pkt->va, length_of(pkt)))
			continue;
		pkt->mkey = mkey;
		return 0;
	}
	return some ? -EFAULT : 0;
}

/**
 * srnic_grant_add - requests of a queue pair may be proved by one more key
 * @qp: connected, or going to be
 * @mkey: as it was given; the caller wipes it
 *
 * Context: process.
 * Return: 0; -EINVAL if there is no such block; -EOPNOTSUPP if this kernel has no
 * AES-CMAC; -ENOSPC, at SRNIC_MAX_GRANTS; -ENOMEM.
 */
int srnic_grant_add(struct srnic_qp *qp, const struct srnic_mkey *mkey)
{
	struct srnic_grant *grant;
	int err;

	err = srnic_mkey_prepare();
	if (err)
		return err;
	grant = kzalloc(sizeof(*grant), GFP_KERNEL_ACCOUNT);
	if (!grant)
		return -ENOMEM;
	grant->mkey = *mkey;
	err = srnic_mkey_validate(&grant->mkey);
	if (err)
		goto free;

	spin_lock_bh(&qp->lock);
	if (qp->grant_count < SRNIC_MAX_GRANTS) {
		list_add(&grant->node, &qp->grants);
		qp->grant_count++;
	} else {
		err = -ENOSPC;
	}
	spin_unlock_bh(&qp->lock);
	if (!err)
		return 0;
free:
	kfree_sensitive(grant);
	return err;
}

static void free_grants(struct list_head *grants)
{
	struct srnic_grant *grant, *next;

	list_for_each_entry_safe(grant, next, grants, node)
		kfree_sensitive(grant);
}

/**
 * srnic_grant_drop - forget a queue pair's keys of one region
 * @qp: the QP
 * @rkey: the region's
 *
 * Context: process.
 * Return: 0, or -ENOENT if it has none.
 */
int srnic_grant_drop(struct srnic_qp *qp, u32 rkey)
{
	struct srnic_grant *grant, *next;
	LIST_HEAD(dropped);
	int err;

	spin_lock_bh(&qp->lock);
	list_for_each_entry_safe(grant, next, &qp->grants, node) {
		if (grant->mkey.rkey != rkey)
			continue;
		list_move(&grant->node, &dropped);
		qp->grant_count--;
	}
	spin_unlock_bh(&qp->lock);
	err = list_empty(&dropped) ? -ENOENT : 0;
	free_grants(&dropped);
	return err;
}

/**
 * srnic_grant_forget - forget all of them
 * @qp: the QP, going, or back in RESET: the next peer's regions have other keys
 *
 * Context: process.
 */
void srnic_grant_forget(struct srnic_qp *qp)
{
	LIST_HEAD(dropped);

	spin_lock_bh(&qp->lock);
	list_splice_init(&qp->grants, &dropped);
	qp->grant_count = 0;
	spin_unlock_bh(&qp->lock);
	free_grants(&dropped);
}
