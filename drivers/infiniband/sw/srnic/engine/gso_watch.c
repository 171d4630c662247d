// SPDX-License-Identifier: GPL-2.0
/*
 * Detection of NICs that segment super-packets wrongly. The ICRC covers the IPv4 identification
 * (annex A17.3.3). srnic expects those of the segments to rise by one, as inet_gso_segment() and
 * most NICs write them. If a NIC repeats the first one, or changes the segments in another way,
 * peers silently drop all segments but the first.
 *
 * Only the peer's answers show this: flight after flight, nothing arrives from the second packet
 * of a super-packet on. A random loss begins there as rarely as anywhere else. After FLIGHTS such
 * flights in a row the device sends single packets, until the features of its netdev change: an
 * administrator may have turned tx-udp-segmentation off, so that the stack segments.
 */
#include "export.h"
#include "srnic.h"
#include "engine/gso_watch.h"

#define FLIGHTS		8

/**
 * srnic_gso_watch_judge - Judge a flight that has lost packets
 * @qp: RC
 * @watch: of the requests, or of the responses
 * @psn: PSN where the next flight begins: all packets before it have arrived
 */
void srnic_gso_watch_judge(struct srnic_qp *qp, struct srnic_gso_watch *watch, u32 psn)
{
	struct srnic_dev *dev = qp->dev;
	u32 from = watch->from;

	lockdep_assert_held(&qp->lock);

	watch->from = psn;
	if (!watch->watched)
		return;
	watch->watched = false;
	if (psn != watch->second) {
		if (psn != from)	/* else nothing at all has arrived */
			watch->flights = 0;
		return;
	}
	if (++watch->flights < FLIGHTS)
		return;
	watch->flights = 0;
	if (!srnic_path_offloads(&qp->path) || READ_ONCE(dev->no_gso) || xchg(&dev->no_gso, true))
		return;
	srnic_count(dev, segmentation_off);
	ibdev_warn(&dev->ib, "peers receive only the first segment of each super-packet: packets are sent singly until 'ethtool -K %s tx-udp-segmentation off'\n",
		   netdev_name(dev->ndev));
}

SRNIC_EXPORT_FOR_KUNIT(srnic_gso_watch_judge);
