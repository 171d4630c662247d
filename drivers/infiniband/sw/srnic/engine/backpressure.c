// SPDX-License-Identifier: GPL-2.0
/*
 * Backpressure: a QP builds only as many packets as the stack has room for, and resumes when
 * packets have left (resume.c).
 */
#include "compat.h"
#include "export.h"
#include "srnic.h"
#include "engine/backpressure.h"

/**
 * srnic_tx_wake() - Resume a QP after packets have left
 * @txq: account of a QP that waits for room
 *
 * The QP resumes on the CPU that its packets last left from, which keeps them in order.
 *
 * Context: any up to softirq, under RCU; the caller may hold other locks.
 */
void srnic_tx_wake(struct srnic_txq *txq)
{
	struct srnic_qp *qp = container_of(txq, struct srnic_qp, txq);
	int cpu = READ_ONCE(qp->out_cpu);

	queue_work_on(cpu_online(cpu) ? cpu : raw_smp_processor_id(), system_bh_wq,
		      &qp->out_work);
}

/**
 * srnic_tx_allowance() - Return how many bytes may be built now
 * @qp: the QP
 *
 * Context: any up to softirq, under the QP's lock.
 * Return: bytes; 0 if there is no room: srnic_tx_resume() is called when there is.
 */
u32 srnic_tx_allowance(struct srnic_qp *qp)
{
	u32 limit, bytes;

	lockdep_assert_held(&qp->lock);

	if (unlikely(qp->tx_stopped))
		return 0;
	if (unlikely(!qp->txq.sk))
		return U32_MAX;
	limit = srnic_txq_limit(&qp->txq);
	bytes = srnic_txq_bytes(&qp->txq);
	if (likely(bytes < limit))
		return limit - bytes;
	return srnic_txq_wait(&qp->txq, limit / 2) ? 0 : limit / 2;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_tx_allowance);
