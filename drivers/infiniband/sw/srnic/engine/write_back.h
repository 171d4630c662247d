/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_WRITE_BACK_H
#define SRNIC_ENGINE_WRITE_BACK_H

#include "engine/engine.h"
#include "mem/mem.h"

/* Return the rights that a FLUSH needs, of the QP and of the key. */
static inline u32 srnic_flush_rights(u32 feth)
{
	return (feth & SRNIC_FETH_GLOBAL ? IB_ACCESS_FLUSH_GLOBAL : 0) |
	       (feth & SRNIC_FETH_PERSISTENT ? IB_ACCESS_FLUSH_PERSISTENT : 0);
}

enum srnic_mem_status srnic_write_back(struct srnic_qp *qp, struct srnic_rres *rres)
	__must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_WRITE_BACK_H */
