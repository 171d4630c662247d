// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Doorbells that are owed: one that failed for now, for lack of memory or by a signal, although
 * entries were published. Such a post has succeeded, since its entries cannot be taken back; the
 * doorbell is rung again by the queue's next post, by an empty poll of its CQ, and before an event
 * of that CQ is requested.
 */
#include <errno.h>

#include "srnic.h"

bool srnic_is_transient(int err)
{
	return err == EINTR || err == EAGAIN || err == ENOMEM;
}

static struct ibv_cq *cq_of(const struct srnic_qp *qp, const struct srnic_debt *debt)
{
	return debt == &qp->send_debt ? qp->vqp.qp.send_cq : qp->vqp.qp.recv_cq;
}

/**
 * srnic_owe() - Note that a doorbell is to be rung later
 * @debt: the QP's send_debt or recv_debt
 *
 * Context: Called without locks. May wait for a doorbell of another thread.
 */
void srnic_owe(struct srnic_qp *qp, struct srnic_debt *debt)
{
	struct ibv_cq *ibcq = cq_of(qp, debt);
	struct srnic_cq *cq;

	if (!ibcq)
		return;
	cq = to_scq(ibcq);
	pthread_mutex_lock(&cq->debts_lock);
	if (!debt->qp) {
		debt->qp = qp;
		debt->next = atomic_load_explicit(&cq->debts, memory_order_relaxed);
		atomic_store_explicit(&cq->debts, debt, memory_order_relaxed);
	}
	pthread_mutex_unlock(&cq->debts_lock);
}

/* Ring a doorbell, unless the kernel no longer asks for it. */
static int pay(struct srnic_debt *debt)
{
	struct srnic_qp *qp = debt->qp;

	return debt == &qp->send_debt ? srnic_sq_ring(qp) : srnic_rq_ring(qp);
}

/**
 * srnic_pay_all() - Ring the doorbells that are owed on a CQ
 *
 * The lock keeps the queue pairs from being destroyed meanwhile.
 *
 * Return: 0, or the errno of a doorbell that fails for now. If the device is gone, nothing is
 * owed any more.
 */
int srnic_pay_all(struct srnic_cq *cq)
{
	struct srnic_debt *debt;
	int ret = 0;

	pthread_mutex_lock(&cq->debts_lock);
	while ((debt = atomic_load_explicit(&cq->debts, memory_order_relaxed))) {
		ret = pay(debt);
		if (srnic_is_transient(ret))
			break;
		ret = 0;
		atomic_store_explicit(&cq->debts, debt->next, memory_order_relaxed);
		debt->qp = NULL;
	}
	pthread_mutex_unlock(&cq->debts_lock);
	return ret;
}

static void forget(const struct srnic_qp *qp, struct srnic_debt *debt)
{
	struct ibv_cq *ibcq = cq_of(qp, debt);
	struct srnic_debt *before;
	struct srnic_cq *cq;

	if (!ibcq)
		return;
	cq = to_scq(ibcq);
	pthread_mutex_lock(&cq->debts_lock);
	before = atomic_load_explicit(&cq->debts, memory_order_relaxed);
	if (before == debt)
		atomic_store_explicit(&cq->debts, debt->next, memory_order_relaxed);
	for (; debt->qp && before; before = before->next)
		if (before->next == debt)
			before->next = debt->next;
	debt->qp = NULL;
	pthread_mutex_unlock(&cq->debts_lock);
}

/* Drop what a QP that is destroyed owes. */
void srnic_debts_forget(struct srnic_qp *qp)
{
	forget(qp, &qp->send_debt);
	forget(qp, &qp->recv_debt);
}
