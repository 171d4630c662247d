// SPDX-License-Identifier: GPL-2.0
#include "trace/drop.h"
#include "export.h"
#include "guard/peer.h"
#include "srnic.h"
#include "trace/events.h"

/**
 * srnic_count_refused() - Count, trace and log what has been refused
 * @dev: receiving device
 * @what: the source, the reason, and what is known of the packet
 */
void srnic_count_refused(const struct srnic_dev *dev, const struct srnic_log_entry *what)
{
	const char *name = srnic_stat_names[what->why];

	srnic_stat_add(dev, what->why, 1);
	if (what->parsed)
		trace_srnic_refused(dev, what->peer, what->qpn, what->opcode, what->psn, name);
	else
		trace_srnic_refused_unread(dev, what->peer, name);
	if (srnic_log_wants(dev->log, what->why))
		srnic_log_add(dev->log, dev->stats, what);
	srnic_peer_fault(dev->peers, what->peer, what->why, jiffies);
}

/**
 * srnic_count_drop() - Count, trace and log a dropped packet
 * @dev: receiving device
 * @pkt: the packet, parsed
 * @why: counter of the reason
 */
void srnic_count_drop(const struct srnic_dev *dev, const struct srnic_pkt *pkt,
		      enum srnic_stat why)
{
	struct srnic_log_entry what = {
		.why = why, .parsed = true, .qpn = pkt->dqpn, .opcode = pkt->opcode,
		.psn = pkt->psn,
	};

	memcpy(what.peer, pkt->ends->sgid, sizeof(what.peer));
	srnic_count_refused(dev, &what);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_count_drop);

/**
 * srnic_count_drop_unparsed() - Count, trace and log a packet that cannot be parsed
 * @dev: receiving device
 * @gid: source address of the packet
 * @why: counter of the reason
 */
void srnic_count_drop_unparsed(const struct srnic_dev *dev, const u8 *gid, enum srnic_stat why)
{
	struct srnic_log_entry what = { .why = why };

	memcpy(what.peer, gid, sizeof(what.peer));
	srnic_count_refused(dev, &what);
}
