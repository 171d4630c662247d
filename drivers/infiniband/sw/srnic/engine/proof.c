// SPDX-License-Identifier: GPL-2.0
/*
 * Proofs of requests (sRDMA 4.6; protocol.md, section 12): the memory key that a received
 * request must prove, and the one among the QP's grants that proves a request to be sent.
 */
#include <linux/slab.h>
#include "export.h"
#include "srnic.h"
#include "engine/proof.h"
#include "engine/write_back.h"
#include "engine/xrc.h"

/*
 * Return the right that a request needs; 0: none that could be proved. A FLUSH needs the right to
 * write the same bytes; one of a whole region names no bytes.
 */
static enum srnic_right pkt_right(const struct srnic_pkt *pkt)
{
	if (pkt->opc->atomic)
		return SRNIC_RIGHT_ATOMIC;
	if (!pkt->opc->reth || !pkt->dmalen)
		return 0;
	if (pkt->opc->feth && pkt->feth & SRNIC_FETH_REGION)
		return 0;
	return pkt->opc->flags & SRNIC_OPF_READ ? SRNIC_RIGHT_READ : SRNIC_RIGHT_WRITE;
}

static u64 pkt_access_len(const struct srnic_pkt *pkt)
{
	return pkt->opc->atomic ? sizeof(u64) : pkt->dmalen;
}

/**
 * srnic_proof_demanded() - Return the memory key that a received packet must prove
 * @qp: a sealed QP
 * @pkt: the packet, parsed, not verified yet
 * @ref: reference that the caller puts after it has opened the packet, if there is a key
 *
 * A request that will be refused in any case needs no proof: the NAK tells the reason after the
 * seal has been verified.
 *
 * Context: softirq, under the QP's lock.
 * Return: the key, or %NULL.
 */
const struct srnic_mkey *srnic_proof_demanded(struct srnic_qp *qp, const struct srnic_pkt *pkt,
					      struct srnic_mem_ref *ref)
{
	static const u32 rights[SRNIC_RIGHTS + 1] = {
		[SRNIC_RIGHT_READ]	= IB_ACCESS_REMOTE_READ,
		[SRNIC_RIGHT_WRITE]	= IB_ACCESS_REMOTE_WRITE,
		[SRNIC_RIGHT_ATOMIC]	= IB_ACCESS_REMOTE_ATOMIC,
	};
	enum srnic_right right = pkt_right(pkt);
	const struct srnic_mem_stream *stream;
	const struct srnic_mkey *mkeys;
	struct srnic_access access;

	if (!right)
		return NULL;
	stream = srnic_xrc_stream(qp, pkt->srqn);
	if (!stream || likely(!READ_ONCE(stream->pd->protects)))
		return NULL;
	access = (struct srnic_access){
		.key = pkt->rkey,
		.rights = pkt->opc->feth ? srnic_flush_rights(pkt->feth) : rights[right],
		.va = pkt->va,
		.len = pkt_access_len(pkt),
	};
	mkeys = srnic_mem_mkeys(stream, &access, ref);
	return mkeys ? &mkeys[right - 1] : NULL;
}

/**
 * srnic_proof_find() - Find the memory key that proves a request to be sent
 * @qp: a QP with grants
 * @pkt: the request to be built; its mkey is set
 *
 * Context: any up to softirq, under the QP's lock.
 * Return: 0; -EFAULT if there are keys for the rkey, but none for this access.
 */
int srnic_proof_find(const struct srnic_qp *qp, struct srnic_pkt *pkt)
{
	enum srnic_right right = pkt_right(pkt);
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
		if (mkey->right != right || !srnic_mkey_covers(mkey, pkt->va, pkt_access_len(pkt)))
			continue;
		pkt->mkey = mkey;
		return 0;
	}
	return some ? -EFAULT : 0;
}

/**
 * srnic_grant_add() - Add a memory key for the requests of a QP
 * @qp: an RC or UC QP, which need not be connected yet
 * @mkey: the key as it was given; the caller wipes it
 *
 * Context: process.
 * Return: 0; -EINVAL if there is no such block; -EOPNOTSUPP if this kernel has no AES-CMAC;
 * -ENOSPC at SRNIC_MAX_GRANTS; -ENOMEM.
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
 * srnic_grant_drop() - Remove a QP's memory keys of one region
 * @qp: the QP
 * @rkey: rkey of the region
 *
 * Context: process.
 * Return: 0, or -ENOENT if the QP has none.
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
	if (qp->sth && !list_empty(&dropped))
		srnic_sth_forget_proof(qp->sth);
	spin_unlock_bh(&qp->lock);
	err = list_empty(&dropped) ? -ENOENT : 0;
	free_grants(&dropped);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_grant_drop);

/**
 * srnic_grant_forget() - Remove all memory keys of a QP
 * @qp: the QP, which is being destroyed or reset: the next peer's regions have other keys
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
