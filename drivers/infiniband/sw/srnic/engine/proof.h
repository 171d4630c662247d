/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_PROOF_H
#define SRNIC_ENGINE_PROOF_H

#include "engine/engine.h"
#include "mem/mem.h"

const struct srnic_mkey *srnic_proof_demanded(struct srnic_qp *qp, const struct srnic_pkt *pkt,
					      struct srnic_mem_ref *ref) __must_hold(&qp->lock);
int srnic_proof_find(const struct srnic_qp *qp, struct srnic_pkt *pkt) __must_hold(&qp->lock);

/* Return the access flag of a request that has been proved; 0: not proved. */
static inline u32 srnic_proved_access(bool proved)
{
	return proved ? SRNIC_ACCESS_PROVED : 0;
}

#endif /* SRNIC_ENGINE_PROOF_H */
