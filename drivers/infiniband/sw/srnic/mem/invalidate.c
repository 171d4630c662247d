// SPDX-License-Identifier: GPL-2.0
/*
 * Invalidation and fast registration of keys by work request: LOCAL_INV, SEND
 * with Invalidate, REG_MR (IBA 10.6.5, 10.6.7.2.5).
 */
#include <linux/rcupdate.h>
#include "export.h"
#include "mem/mem.h"

static int fast_reg_invalidate(const struct srnic_mem_stream *stream, struct srnic_stag *stag,
			       u32 key, enum srnic_inv_by by)
	__must_hold(&stag->lock)
{
	lockdep_assert_held(&stag->lock);

	if (stag->key != key)
		return -EINVAL;
	if (stag->pd != stream->pd)
		return -EACCES;	/* R7 */
	/*
	 * R26: a peer may invalidate a key only if the key grants it a remote
	 * right, and only on the QP that the region was registered on: other
	 * QPs of the domain share the key.
	 */
	if (by == SRNIC_INV_BY_PEER &&
	    (!(stag->access & SRNIC_ACCESS_REMOTE) || stag->reg_qpn != stream->qpn))
		return -EACCES;

	/*
	 * Not an error if already invalid: the peer may have been faster than
	 * the owner.
	 */
	srnic_stag_quiesce_atomic(stag);
	return 0;
}

static int stag_invalidate(const struct srnic_mem_stream *stream, struct srnic_stag *stag,
			   u32 key, enum srnic_inv_by by)
{
	int err;

	switch (stag->kind) {
	case SRNIC_STAG_FAST:
		spin_lock(&stag->lock);
		err = fast_reg_invalidate(stream, stag, key, by);
		spin_unlock(&stag->lock);
		return err;
	case SRNIC_STAG_MW1:
	case SRNIC_STAG_MW2:
		return srnic_window_invalidate(stream, stag, key);
	default:
		/* only a verb deregisters a region that a verb registered (IBA 10.6.5) */
		return -EACCES;
	}
}

/**
 * srnic_mem_invalidate() - Execute LOCAL_INV, or a peer's SEND with Invalidate
 * @stream: stream of the work request, or that received the SEND
 * @key: all 32 bits
 * @by: origin of the request
 *
 * When it returns 0, no packet reads or writes through the key any more (R12).
 *
 * Context: process or softirq, BHs off, no srnic_mem_ref held.
 * Return: 0; -EINVAL: no such key, or a window that is not bound; -EACCES: key
 * of another protection domain or stream, or of a kind that cannot be
 * invalidated this way.
 */
int srnic_mem_invalidate(const struct srnic_mem_stream *stream, u32 key, enum srnic_inv_by by)
{
	struct srnic_stag *stag;
	int err = -EINVAL;

	rcu_read_lock();
	stag = srnic_stag_find(stream, key);
	if (stag)
		err = stag_invalidate(stream, stag, key, by);
	rcu_read_unlock();
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mem_invalidate);

/* A region with gaps starts with its first piece, whatever the address that names it. */
static u64 fast_reg_offset(const struct srnic_map *map, u64 iova)
{
	return map->pieces ? 0 : iova & (BIT_ULL(map->shift) - 1);
}

static int fast_reg_check(const struct srnic_mem_stream *stream, const struct srnic_mr *mr, u32 key,
			  u32 access)
{
	const struct srnic_map *map = mr->has_next_map ? &mr->next_map : &mr->map;
	u64 offset = fast_reg_offset(map, mr->ib.iova);

	if (mr->stag.kind != SRNIC_STAG_FAST || mr->stag.index != key >> 8)
		return -EINVAL;
	if (mr->stag.pd != stream->pd)
		return -EACCES;
	/* no check here whether the memory is persistent: that takes locks of processes */
	if (srnic_region_check_access(access) || access & IB_ACCESS_FLUSH_PERSISTENT)
		return -EINVAL;
	/* only an invalid region may be registered (IBA 10.6.5, 11.4.1.1) */
	if (srnic_stag_valid(&mr->stag))
		return -EINVAL;
	if (offset + mr->ib.length > srnic_map_length(map))
		return -EINVAL;
	/* a word that is aligned for the peer may lie in two pieces */
	if (map->pieces && access & IB_ACCESS_REMOTE_ATOMIC)
		return -EINVAL;
	return 0;
}

/**
 * srnic_mem_reg() - Execute REG_MR
 * @stream: stream of a kernel consumer
 * @mr: fast-register region, invalid
 * @key: index of @mr and the consumer's variant
 * @access: IB_ACCESS_*
 *
 * Context: process or softirq, BHs off.
 * Return: 0, -EINVAL or -EACCES.
 */
int srnic_mem_reg(const struct srnic_mem_stream *stream, struct srnic_mr *mr, u32 key, u32 access)
{
	struct srnic_stag *stag = &mr->stag;
	int err;

	spin_lock(&stag->lock);
	err = fast_reg_check(stream, mr, key, access);
	if (err)
		goto out;

	if (mr->has_next_map) {
		swap(mr->map, mr->next_map);
		mr->has_next_map = false;
	}
	stag->key = key;
	stag->access = access;
	stag->reg_qpn = stream->qpn;
	/* the consumer may have changed upper bits of iova since map_mr_sg */
	stag->iova = mr->ib.iova;
	stag->length = mr->ib.length;
	stag->offset = fast_reg_offset(&mr->map, stag->iova);
	srnic_stag_publish(stag);
out:
	spin_unlock(&stag->lock);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mem_reg);
