/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fault - faults of a QP's peer, including work that it causes again and again. Each is counted
 * by reason, held against the peer, and counted by kind for the QP (RFC 5042 6.4.4, R25).
 *
 * Context of all functions: under the QP's lock.
 */
#ifndef SRNIC_FAULT_H
#define SRNIC_FAULT_H

#include "engine/engine.h"
#include "trace/drop.h"

__cold void srnic_qp_inc_faults(struct srnic_qp *qp, enum srnic_stat why);
__cold void srnic_qp_count_drop(struct srnic_qp *qp, const struct srnic_pkt *pkt,
				enum srnic_stat why);
__cold void srnic_qp_count_fault(struct srnic_qp *qp, enum srnic_stat why);
__cold void srnic_qp_count_access(struct srnic_qp *qp, u8 opcode, u32 psn,
				  enum srnic_mem_status status);

#endif /* SRNIC_FAULT_H */
