// SPDX-License-Identifier: GPL-2.0
/*
 * Receive work requests: taken from the receive queue or the shared one, and
 * completed. One that was taken and not used up (an unreliable message that broke
 * off) serves the next message.
 */
#include "srnic.h"
#include "engine/fault.h"
#include "engine/recv.h"
#include "engine/srq.h"
#include "engine/timer.h"
#include "engine/unlock.h"

/* For how long a stream that came to an empty queue is waited for, beyond the RNR delay */
#define SRQ_PATIENCE	msecs_to_jiffies(20)

/* IBA 10.2.9.2: once, when fewer than the limit remain; then disarmed */
static bool srq_low(struct srnic_srq *srq)
{
	int left = srnic_ring_pending(&srq->ring);

	if (!srq->limit || left < 0 || (u32)left >= srq->limit)
		return false;
	srq->limit = 0;
	return true;
}

/*
 * Return true if the SRQ enters the error state: its index makes no sense. It hands out
 * nothing from then on, and each QP that wants a WQE goes to ERR (IBA 10.2.9.3, 11.6.3.3).
 */
static bool srq_breaks(struct srnic_srq *srq)
{
	if (srq->error || srnic_ring_pending(&srq->ring) >= 0)
		return false;
	srq->error = true;
	return true;
}

/* Who takes too much waits for those that do not (R20). */
static enum srnic_share_answer srq_ask(struct srnic_srq *srq, struct srnic_qp *qp)
{
	const struct srnic_share_queue queue = {
		.room = srq->ring.limit,
		.left = srnic_ring_pending(&srq->ring),
		.patience = 2 * srnic_timer_rnr_delay(qp->attr.min_rnr_timer) + SRQ_PATIENCE,
		.greed = srnic_limit_get(&qp->dev->guard, SRNIC_LIMIT_GREED),
	};

	return srnic_share_ask(&srq->share, &qp->stream, &queue, jiffies);
}

static int srq_take(struct srnic_srq *srq, struct srnic_qp *qp)
{
	int ret = srnic_rq_fetch(&srq->ring, &qp->resp.rwqe, srq->max_sge);

	if (ret)
		srnic_share_took(&srq->share, &qp->stream);
	return ret;
}

static int srq_get(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	enum srnic_share_answer answer = SRNIC_SHARE_EMPTY;
	struct srnic_srq *srq = qp->srq;
	bool low = false, breaks;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&srq->lock, flags);
	breaks = srq_breaks(srq);
	if (srq->error)
		ret = -EIO;
	else
		answer = srq_ask(srq, qp);
	if (answer == SRNIC_SHARE_TAKE) {
		ret = srq_take(srq, qp);
		low = srq_low(srq);
	}
	spin_unlock_irqrestore(&srq->lock, flags);

	if (unlikely(breaks))
		srnic_qp_event(qp, IB_EVENT_SRQ_ERR);
	if (low)
		srnic_qp_event(qp, IB_EVENT_SRQ_LIMIT_REACHED);
	if (unlikely(answer == SRNIC_SHARE_UNFAIR))
		srnic_qp_refuse(qp, pkt, srq_unfair);
	return ret;
}

/**
 * srnic_recv_get - have a receive work request in resp.rwqe
 * @qp: the QP
 * @pkt: what needs it; may be NULL if the receive queue is the QP's own
 *
 * Context: softirq, under the QP's lock.
 * Return: 1; 0: none is posted, or none for this QP; -EINVAL: what is posted makes no
 * sense; -EIO: the shared queue is in error, and there is nothing to complete.
 */
int srnic_recv_get(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	struct srnic_rwqe *rwqe = &qp->resp.rwqe;
	int ret;

	lockdep_assert_held(&qp->lock);

	if (rwqe->valid) {
		rwqe->done = 0;
		return 1;
	}
	rwqe->wr_id = 0;
	if (qp->srq)
		ret = srq_get(qp, pkt);
	else
		ret = srnic_rq_fetch(&qp->rq.ring, rwqe, qp->rq.max_sge);

	/* a bad one too is there to be completed, in error */
	rwqe->valid = ret && ret != -EIO;
	if (unlikely(ret < 0))
		srnic_count(qp->dev, bad_wqe);
	return ret;
}

/**
 * srnic_recv_complete - a message has arrived
 * @qp: the QP
 * @cqe: opcode, byte_len and what a datagram knows of its sender are set
 * @pkt: the message's last packet
 */
void srnic_recv_complete(struct srnic_qp *qp, struct srnic_cqe *cqe, const struct srnic_pkt *pkt)
{
	struct srnic_rwqe *rwqe = &qp->resp.rwqe;

	lockdep_assert_held(&qp->lock);

	cqe->wr_id = rwqe->wr_id;
	cqe->status = IB_WC_SUCCESS;
	cqe->qp_num = qp->ib.qp_num;
	if (pkt->opc->flags & SRNIC_OPF_IMM) {
		cqe->wc_flags |= SRNIC_WC_WITH_IMM;
		cqe->imm = (__force u32)pkt->imm;
	} else if (pkt->opc->flags & SRNIC_OPF_IETH) {
		cqe->wc_flags |= SRNIC_WC_WITH_INV;
		cqe->imm = pkt->rkey;
	}
	rwqe->valid = false;
	srnic_count(qp->dev, rdma_recvs);
	srnic_qp_push(qp, qp->rcq, cqe, pkt->se);
}

/**
 * srnic_recv_fail - complete the receive work request in use, in error
 * @qp: the QP
 * @status: why
 */
void srnic_recv_fail(struct srnic_qp *qp, enum ib_wc_status status)
{
	struct srnic_rwqe *rwqe = &qp->resp.rwqe;
	struct srnic_cqe cqe = {
		.wr_id = rwqe->wr_id,
		.status = status,
		.opcode = IB_WC_RECV,
		.qp_num = qp->ib.qp_num,
	};

	lockdep_assert_held(&qp->lock);

	if (!rwqe->valid)
		return;
	rwqe->valid = false;
	srnic_qp_push(qp, qp->rcq, &cqe, true);
}

/**
 * srnic_refuse_access - an access that mem refused is counted, by reason
 * @qp: whose
 * @opcode: of the request
 * @psn: of the request, or of the part of its answer
 * @status: the reason
 */
void srnic_refuse_access(struct srnic_qp *qp, u8 opcode, u32 psn, enum srnic_mem_status status)
{
	enum srnic_stat why = SRNIC_STAT_stag_invalid + status - SRNIC_MEM_INVALID;

	static_assert(SRNIC_STAT_stag_access - SRNIC_STAT_stag_invalid ==
		      SRNIC_MEM_ACCESS - SRNIC_MEM_INVALID);

	this_cpu_inc(qp->dev->stats->val[why]);
	trace_srnic_refused(qp->dev, qp->path.ends.dgid, qp->ib.qp_num, opcode, psn,
			    srnic_stat_names[why]);
	srnic_log_packet(qp->dev, why, qp->path.ends.dgid, qp->ib.qp_num, opcode, psn);
	srnic_peer_fault(qp->dev->peers, qp->path.ends.dgid, why, jiffies);
	srnic_qp_fault(qp, why);
}
