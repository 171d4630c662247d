// SPDX-License-Identifier: GPL-2.0
/*
 * NICs that segment super-packets wrongly. The ICRC covers the IPv4 identification (annex
 * A17.3.3), and those of the segments are taken to rise by one, as inet_gso_segment() and the
 * NICs that Linux drives have it. If a NIC repeats the first, or spoils the segments in
 * another way, peers drop all but the first, silently.
 *
 * Only the peer's answers tell of that: flight after flight, all arrives up to the first
 * packet of a super-packet, and nothing from the second on. A random loss begins there as
 * rarely as anywhere else. After FLIGHTS such flights in a row the device sends packets one
 * by one, until the features of its netdev change: tx-udp-segmentation may be off, then, and
 * the stack cuts.
 */
#include "export.h"
#include "srnic.h"
#include "engine/gso_watch.h"

#define FLIGHTS		8

/**
 * srnic_gso_watch_judge - Judge a flight of which something was lost
 * @qp: RC
 * @watch: of the requests, or of the responses
 * @psn: where the next flight begins: all before it has arrived
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
