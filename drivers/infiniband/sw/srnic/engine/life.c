// SPDX-License-Identifier: GPL-2.0
/*
 * The end of seals when a life of this machine's memory ends (sth/life.c). They seal nothing any
 * more when this runs, so it may be slow: it notifies applications, and wipes keys.
 */
#include "export.h"
#include "srnic.h"
#include "engine/due.h"
#include "engine/life.h"
#include "engine/qpn.h"
#include "engine/ud_keys.h"
#include "engine/unlock.h"

static void end_seals_of(struct srnic_qp *qp, void *unused)
{
	srnic_qp_lock(qp);
	if (qp->sth && qp->state != IB_QPS_RESET && srnic_sth_end(qp->sth)) {
		srnic_count(qp, sth_ended);
		srnic_qp_fatal(qp, IB_EVENT_QP_FATAL);
		srnic_qp_kick(qp, SRNIC_QP_WORK_WIPE);
	}
	if (qp->dgram_out && srnic_dgram_out_renew(qp))
		srnic_qp_kick(qp, SRNIC_QP_WORK_DGRAM);
	srnic_qp_unlock(qp);
}

/**
 * srnic_life_end_seals() - End all seals of a device that belong to a former life
 * @dev: the device
 *
 * Connections go to error. QPs that send datagrams get another salt.
 *
 * Context: process.
 */
void srnic_life_end_seals(struct srnic_dev *dev)
{
	srnic_qp_each(dev, end_seals_of, NULL);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_life_end_seals);

/**
 * srnic_life_wipe() - Wipe the keys of a connection that has ended
 * @qp: the QP; it may have got another connection since, which is left alone
 *
 * Context: process, in the worker of the QP.
 */
void srnic_life_wipe(struct srnic_qp *qp)
{
	mutex_lock(&qp->hs_mutex);
	if (qp->sth)
		srnic_sth_wipe(qp->sth);
	mutex_unlock(&qp->hs_mutex);
}
