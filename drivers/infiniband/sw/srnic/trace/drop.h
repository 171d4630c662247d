/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dropped packets: each is counted by reason, traced, logged and held against
 * its source. The reasons are the names of the counters in stat_list.h.
 *
 * Context of all functions: any.
 */
#ifndef SRNIC_TRACE_DROP_H
#define SRNIC_TRACE_DROP_H

#include "trace/events.h"
#include "trace/log.h"

/* Log a packet of @peer, as far as it could be parsed. */
static inline void srnic_log_packet(const struct srnic_dev *dev, const u8 *peer,
				    struct srnic_log_entry what)
{
	if (!srnic_log_wants(dev->log, what.why))
		return;
	memcpy(what.peer, peer, sizeof(what.peer));
	srnic_log_add(dev->log, dev->stats, &what);
}

/**
 * srnic_count_drop() - Count, trace and log a dropped packet
 * @device: receiving device
 * @p: the packet, parsed
 * @reason: the counter
 */
#define srnic_count_drop(device, p, reason) do {					\
	const struct srnic_dev *__dev = (device);					\
	const struct srnic_pkt *__pkt = (p);						\
											\
	srnic_count(__dev, reason);							\
	trace_srnic_refused(__dev, __pkt->ends->sgid, __pkt->dqpn, __pkt->opcode,	\
			    __pkt->psn, #reason);					\
	srnic_log_packet(__dev, __pkt->ends->sgid, (struct srnic_log_entry){		\
		.why = SRNIC_STAT_##reason, .parsed = true, .qpn = __pkt->dqpn,		\
		.opcode = __pkt->opcode, .psn = __pkt->psn });				\
	srnic_peer_fault(__dev->peers, __pkt->ends->sgid, SRNIC_STAT_##reason,		\
			 jiffies);							\
} while (0)

/**
 * srnic_count_drop_unparsed() - Count, trace and log a packet that cannot be parsed
 * @device: receiving device
 * @gid: source address
 * @reason: the counter
 */
#define srnic_count_drop_unparsed(device, gid, reason) do {				\
	const struct srnic_dev *__dev = (device);					\
	const u8 *__gid = (gid);							\
											\
	srnic_count(__dev, reason);							\
	trace_srnic_refused_unread(__dev, __gid, #reason);				\
	srnic_log_packet(__dev, __gid, (struct srnic_log_entry){			\
		.why = SRNIC_STAT_##reason });						\
	srnic_peer_fault(__dev->peers, __gid, SRNIC_STAT_##reason, jiffies);		\
} while (0)

#endif /* SRNIC_TRACE_DROP_H */
