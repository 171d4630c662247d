// SPDX-License-Identifier: GPL-2.0
#include "engine/fault.h"
#include "guard/peer.h"
#include "srnic.h"
#include "trace/drop.h"

/**
 * srnic_qp_inc_faults() - Count a fault for a QP, by kind
 * @qp: the QP
 * @why: counter of the reason
 */
void srnic_qp_inc_faults(struct srnic_qp *qp, enum srnic_stat why)
{
	lockdep_assert_held(&qp->lock);
	qp->faults[srnic_fault_of(why)]++;
}

/**
 * srnic_qp_count_drop() - Count, trace and log a dropped packet for a QP
 * @qp: the QP
 * @pkt: the packet, parsed
 * @why: counter of the reason
 */
void srnic_qp_count_drop(struct srnic_qp *qp, const struct srnic_pkt *pkt, enum srnic_stat why)
{
	srnic_count_drop(qp->dev, pkt, why);
	srnic_qp_inc_faults(qp, why);
}

/**
 * srnic_qp_count_fault() - Count work that the peer causes, a fault only if it does not end
 * @qp: a connected QP
 * @why: counter of the reason
 */
void srnic_qp_count_fault(struct srnic_qp *qp, enum srnic_stat why)
{
	srnic_stat_add(qp, why, 1);
	srnic_peer_fault(qp->dev->peers, qp->path.ends.dgid, why, jiffies);
	srnic_qp_inc_faults(qp, why);
}

/**
 * srnic_qp_count_access() - Count an access that mem has refused, by reason
 * @qp: a connected QP
 * @opcode: opcode of the request
 * @psn: PSN of the request, or of the refused part of its answer
 * @status: the reason
 */
void srnic_qp_count_access(struct srnic_qp *qp, u8 opcode, u32 psn, enum srnic_mem_status status)
{
	struct srnic_log_entry what = {
		.why = SRNIC_STAT_stag_invalid + status - SRNIC_MEM_INVALID, .parsed = true,
		.qpn = qp->ib.qp_num, .opcode = opcode, .psn = psn,
	};

	static_assert(SRNIC_STAT_stag_access - SRNIC_STAT_stag_invalid ==
		      SRNIC_MEM_ACCESS - SRNIC_MEM_INVALID);

	memcpy(what.peer, qp->path.ends.dgid, sizeof(what.peer));
	srnic_count_refused(qp->dev, &what);
	srnic_qp_inc_faults(qp, what.why);
}
