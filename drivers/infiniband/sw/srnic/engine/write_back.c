// SPDX-License-Identifier: GPL-2.0
/*
 * Execution of a peer's FLUSH (IBA A19): all that was placed before it becomes visible, or durable.
 *
 * A range may be long, and the processor writes its caches back line by line: the receiving
 * softirq does a piece, the worker the rest. Until then the peer's later requests count as lost,
 * because none may be executed before the FLUSH.
 */
#include <linux/sizes.h>
#include "export.h"
#include "srnic.h"
#include "engine/proof.h"
#include "engine/write_back.h"

/* Most bytes written back at a time: 1024 cache lines */
#define PIECE	SZ_64K

/* A proof is for the bytes of the RETH, and says nothing about a whole region. */
static struct srnic_access flush_access(struct srnic_qp *qp, const struct srnic_rres *rres)
{
	struct srnic_access access = {
		.key = rres->rkey,
		.rights = srnic_flush_rights(rres->feth),
		.va = rres->va,
		.len = rres->length,
	};

	if (rres->feth & SRNIC_FETH_REGION)
		srnic_mem_whole(&qp->mem, &access);
	else
		access.rights |= srnic_proved_access(rres->proved);
	return access;
}

/* Return the number of bytes to be written back. */
static u64 flush_len(const struct srnic_rres *rres, const struct srnic_access *access)
{
	return rres->feth & SRNIC_FETH_PERSISTENT ? access->len : 0;
}

/**
 * srnic_write_back() - Execute a FLUSH, or a piece of it
 * @qp: an RC QP
 * @rres: its entry; @rres->unfinished tells whether more is to be done
 *
 * Access is checked for each piece: the region may be invalidated meanwhile. Visibility needs no
 * more than a barrier, because the processors' caches are coherent.
 *
 * Context: process or softirq, under the QP's lock.
 * Return: SRNIC_MEM_OK, or the reason for the refusal.
 */
enum srnic_mem_status srnic_write_back(struct srnic_qp *qp, struct srnic_rres *rres)
{
	const struct srnic_access access = flush_access(qp, rres);
	enum srnic_mem_status status;
	struct srnic_mem_ref ref;
	u64 left, len;

	lockdep_assert_held(&qp->lock);

	status = srnic_mem_get(&qp->mem, &access, &ref);
	if (unlikely(status))
		return status;
	left = flush_len(rres, &access);
	left -= min(left, rres->flushed);
	len = min_t(u64, left, PIECE);
	srnic_mem_write_back(&ref, access.va + rres->flushed, len);
	wmb();	/* before the answer, and before anything that is placed later */
	srnic_mem_put(&ref);
	rres->flushed += len;
	rres->unfinished = len < left;
	return SRNIC_MEM_OK;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_write_back);
