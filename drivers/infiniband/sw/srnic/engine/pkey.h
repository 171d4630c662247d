/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pkey - the P_Key of a QP (IBA 10.9): an entry of the device's table, which may change.
 */
#ifndef SRNIC_ENGINE_PKEY_H
#define SRNIC_ENGINE_PKEY_H

#include "srnic.h"
#include "engine/engine.h"

/* Return the P_Key at the QP's index; 0: the entry is empty, which nothing matches. */
static inline u16 srnic_qp_pkey(const struct srnic_qp *qp)
{
	return READ_ONCE(qp->dev->pkeys[qp->attr.pkey_index]);
}

int srnic_pkey_index(const struct srnic_dev *dev, u16 pkey);

#endif /* SRNIC_ENGINE_PKEY_H */
