// SPDX-License-Identifier: GPL-2.0
/*
 * LIDs of a managed port's peers. The subnet manager chooses LIDs, and its path records name ports
 * by them; packets have GIDs. So the port remembers which GID has a LID, from the path records that
 * its consumers receive, and from the LIDs that the switch of this node has seen.
 */
#include <linux/slab.h>
#include "export.h"
#include "fabric/sa.h"

#define LIDS_MAX	4096	/* entries: bounds the memory */

struct lid_entry {
	union ib_gid gid;
	struct rcu_head rcu;
};

/* Tell whether an entry is to be made; a new one counts. */
static bool lid_is_news(struct srnic_fabric *fabric, u16 lid, const union ib_gid *gid)
{
	const struct lid_entry *entry;
	bool news;

	rcu_read_lock();
	entry = xa_load(&fabric->lids.gids, lid);
	news = !entry || memcmp(&entry->gid, gid, sizeof(*gid));
	rcu_read_unlock();
	return news;
}

/*
 * Remember the port that has a LID. The caller trusts the source: a subnet manager, or the port.
 *
 * Context: process.
 */
void srnic_lids_learn(struct srnic_fabric *fabric, u16 lid, const union ib_gid *gid)
{
	struct lid_entry *entry, *old;

	if (!srnic_lid_is_unicast(lid) || !lid_is_news(fabric, lid, gid))
		return;
	entry = kmalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return;
	entry->gid = *gid;
	mutex_lock(&fabric->lids.lock);
	old = xa_load(&fabric->lids.gids, lid);
	if ((!old && fabric->lids.count >= LIDS_MAX) ||
	    xa_is_err(xa_store(&fabric->lids.gids, lid, entry, GFP_KERNEL)))
		kfree(entry);
	else if (old)
		kfree_rcu(old, rcu);
	else
		fabric->lids.count++;
	mutex_unlock(&fabric->lids.lock);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_lids_learn);

/* Learn from a reply of the SA that has one path record. */
void srnic_lids_learn_path(struct srnic_fabric *fabric, const struct ib_mad *in)
{
	const struct ib_sa_mad *mad = (const void *)in;
	const struct srnic_sa_path *path = (const void *)mad->data;
	union ib_gid gid;

	if (in->mad_hdr.method != IB_MGMT_METHOD_GET_RESP || in->mad_hdr.status ||
	    in->mad_hdr.attr_id != cpu_to_be16(IB_SA_ATTR_PATH_REC))
		return;
	memcpy(&gid, &path->dgid, sizeof(gid));	/* aligned */
	srnic_lids_learn(fabric, be16_to_cpu(path->dlid), &gid);
}

/* Find a node that has sent a datagram by LID. @subnet may be NULL. */
static bool find_heard(struct srnic_subnet *subnet, u16 lid, union ib_gid *gid)
{
	const struct srnic_subnet_heard *heard;
	unsigned long flags;
	bool found;

	if (!subnet)
		return false;
	heard = &subnet->heard[lid % SRNIC_SUBNET_HEARD];
	spin_lock_irqsave(&subnet->heard_lock, flags);
	found = heard->lid == lid;
	*gid = heard->gid;
	spin_unlock_irqrestore(&subnet->heard_lock, flags);
	return found;
}

/**
 * srnic_lids_find() - Find the port that a LID names
 * @fabric: an InfiniBand port
 * @lid: LID, host order
 * @gid: set to the port's GID if it is known
 *
 * The LIDs of this port, and that of its switch, are its own. Any other is known only to a port
 * that has a subnet manager.
 *
 * Context: any.
 * Return: 0 or -EHOSTUNREACH.
 */
int srnic_lids_find(struct srnic_fabric *fabric, u16 lid, union ib_gid *gid)
{
	const struct lid_entry *entry;
	int err = -EHOSTUNREACH;

	rcu_read_lock();
	entry = xa_load(&fabric->lids.gids, lid);
	if (entry) {
		*gid = entry->gid;
		err = 0;
	} else if (lid && find_heard(rcu_dereference(fabric->dev->subnet), lid, gid)) {
		err = 0;
	}
	rcu_read_unlock();
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_lids_find);

/* Forget all LIDs: their manager is gone. Context: process. */
void srnic_lids_clear(struct srnic_fabric *fabric)
{
	struct lid_entry *entry;
	unsigned long lid;

	mutex_lock(&fabric->lids.lock);
	xa_for_each(&fabric->lids.gids, lid, entry) {
		xa_erase(&fabric->lids.gids, lid);
		kfree_rcu(entry, rcu);
	}
	fabric->lids.count = 0;
	mutex_unlock(&fabric->lids.lock);
}
