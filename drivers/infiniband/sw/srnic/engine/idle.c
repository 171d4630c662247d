// SPDX-License-Identifier: GPL-2.0
/*
 * Connections whose peer has said nothing for longer than the administrator allows are
 * ended (RFC 5042 6.4.2, R19). What a peer says is a packet that got past every check;
 * that an ACK is one makes whoever asks a living peer for something heard.
 */
#include "srnic.h"
#include "engine/engine.h"
#include "engine/idle.h"
#include "engine/unlock.h"

/* Looked for so many times in the time that is allowed: that is how late one may be found */
#define LOOKS	8

static bool is_idle(const struct srnic_qp *qp, u32 seconds)
{
	return srnic_qp_connected(qp) && srnic_qp_receives(qp) &&
	       time_after(jiffies, READ_ONCE(qp->heard) + seconds * (unsigned long)HZ);
}

static void reap(struct srnic_qp *qp, u32 seconds)
{
	if (!is_idle(qp, seconds))
		return;
	srnic_qp_lock(qp);
	if (is_idle(qp, seconds)) {
		srnic_count(qp->dev, idle_reaped);
		srnic_qp_fatal(qp, IB_EVENT_QP_FATAL);
	}
	srnic_qp_unlock(qp, true);
}

/* There may be thousands: a grace period is held up for one at a time. */
static void reap_all(struct srnic_dev *dev, u32 seconds)
{
	unsigned long qpn = 0;
	struct srnic_qp *qp;

	do {
		rcu_read_lock();
		qp = xa_find(&dev->qps, &qpn, ULONG_MAX, XA_PRESENT);
		if (qp)
			reap(qp, seconds);
		rcu_read_unlock();
		cond_resched();
		qpn++;
	} while (qp);
}

static void idle_work(struct work_struct *work)
{
	struct srnic_dev *dev = container_of(work, struct srnic_dev, idle_work.work);
	u32 seconds = srnic_limit_get(&dev->guard, SRNIC_LIMIT_IDLE);

	if (!seconds)
		return;
	reap_all(dev, seconds);
	queue_delayed_work(srnic_wq, &dev->idle_work, max(seconds * HZ / LOOKS, 1UL * HZ));
}

/**
 * srnic_idle_init - nobody is ended yet
 * @dev: being made
 */
void srnic_idle_init(struct srnic_dev *dev)
{
	INIT_DELAYED_WORK(&dev->idle_work, idle_work);
}

/**
 * srnic_idle_changed - the rule has
 * @dev: registered
 *
 * Context: process.
 */
void srnic_idle_changed(struct srnic_dev *dev)
{
	mod_delayed_work(srnic_wq, &dev->idle_work, 0);
}

/**
 * srnic_idle_exit - nobody is ended any more; returns when that is so
 * @dev: the rule cannot change any more
 *
 * Context: process.
 */
void srnic_idle_exit(struct srnic_dev *dev)
{
	cancel_delayed_work_sync(&dev->idle_work);
}
