// SPDX-License-Identifier: GPL-2.0
/*
 * Termination of connections whose peer has been silent for longer than the administrator
 * allows (RFC 5042 6.4.2, R19). A packet from the peer counts if it has passed all checks. ACKs
 * count, too, so a live peer that is sent requests is not silent.
 */
#include "srnic.h"
#include "engine/due.h"
#include "engine/engine.h"
#include "engine/idle.h"
#include "engine/qpn.h"
#include "engine/unlock.h"

/* Checks in the allowed time; an idle connection is found at most one interval too late */
#define IDLE_CHECKS	8

static bool qp_is_idle(const struct srnic_qp *qp, u32 seconds)
{
	return srnic_qp_connected(qp) && srnic_qp_receives(qp) &&
	       time_after(jiffies, READ_ONCE(qp->last_rx) + seconds * (unsigned long)HZ);
}

static void idle_reap(struct srnic_qp *qp, void *arg)
{
	u32 seconds = *(u32 *)arg;

	if (!qp_is_idle(qp, seconds))
		return;
	srnic_qp_lock(qp);
	if (qp_is_idle(qp, seconds)) {
		srnic_count(qp, idle_reaped);
		srnic_qp_fatal(qp, IB_EVENT_QP_FATAL);
	}
	srnic_qp_unlock(qp);
}

static void idle_work(struct work_struct *work)
{
	struct srnic_dev *dev = container_of(work, struct srnic_dev, idle_work.work);
	u32 seconds = srnic_limit_get(&dev->guard, SRNIC_LIMIT_IDLE);

	if (!seconds)
		return;
	srnic_qp_each(dev, idle_reap, &seconds);
	queue_delayed_work(srnic_wq, &dev->idle_work, max(seconds * HZ / IDLE_CHECKS, 1UL * HZ));
}

/**
 * srnic_idle_init() - Initialise the check for idle connections; it does not run yet
 * @dev: a new device
 */
void srnic_idle_init(struct srnic_dev *dev)
{
	INIT_DELAYED_WORK(&dev->idle_work, idle_work);
}

/**
 * srnic_idle_changed() - Apply a change of the limit
 * @dev: a registered device
 *
 * Context: process.
 */
void srnic_idle_changed(struct srnic_dev *dev)
{
	mod_delayed_work(srnic_wq, &dev->idle_work, 0);
}

/**
 * srnic_idle_exit() - Stop the check for idle connections, and wait until it has ended
 * @dev: the device; the limit can no longer change
 *
 * Context: process.
 */
void srnic_idle_exit(struct srnic_dev *dev)
{
	cancel_delayed_work_sync(&dev->idle_work);
}
