// SPDX-License-Identifier: GPL-2.0
/*
 * The end of keys of datagrams that were derived from a former rule, or from a secret that was
 * replaced or retired. Without it they would stay in memory until the peer sends, or is sent, the
 * next datagram, as they do if the namespace of a VLAN ends before the device of its netdev.
 */
#include "srnic.h"
#include "engine/due.h"
#include "engine/qpn.h"
#include "engine/ud_keys.h"
#include "engine/unlock.h"

static void out_discard(struct srnic_qp *qp, void *net)
{
	if (!qp->dgram_out)
		return;
	srnic_qp_lock(qp);
	if (srnic_dgram_out_discard(qp, net))
		srnic_qp_kick(qp, SRNIC_QP_WORK_DGRAM);
	srnic_qp_unlock(qp);
}

/**
 * srnic_dgram_discard() - Discard the keys of datagrams that a change has made invalid
 * @dev: the device
 * @net: namespace whose rules or keys have changed
 *
 * Those of incoming datagrams are wiped when it returns (see srnic_dgram_in_discard()), those of
 * outgoing ones soon afterwards.
 *
 * Context: process.
 */
void srnic_dgram_discard(struct srnic_dev *dev, struct net *net)
{
	srnic_dgram_in_discard(dev->dgram_in, net);
	srnic_qp_each(dev, out_discard, net);
}
