/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rejection of packets: each is counted by reason, traced, logged and held
 * against its source. The reasons are the names of the counters in
 * stat_list.h.
 *
 * Context of all functions: any.
 */
#ifndef SRNIC_TRACE_REFUSE_H
#define SRNIC_TRACE_REFUSE_H

#include "trace/events.h"
#include "trace/log.h"

/* Log a packet that could be parsed. */
static inline void srnic_log_packet(const struct srnic_dev *dev, enum srnic_stat why,
				    const u8 *peer, u32 qpn, u8 opcode, u32 psn)
{
	struct srnic_log_entry what = {
		.why = why,
		.legible = true,
		.qpn = qpn,
		.opcode = opcode,
		.psn = psn,
	};

	if (!srnic_log_wants(dev->log, why))
		return;
	memcpy(what.peer, peer, sizeof(what.peer));
	srnic_log_add(dev->log, dev->stats, &what);
}

/* Log a packet that could not be parsed. */
static inline void srnic_log_unread(const struct srnic_dev *dev, enum srnic_stat why,
				    const u8 *peer)
{
	struct srnic_log_entry what = { .why = why };

	if (!srnic_log_wants(dev->log, why))
		return;
	memcpy(what.peer, peer, sizeof(what.peer));
	srnic_log_add(dev->log, dev->stats, &what);
}

/**
 * srnic_refuse() - Reject a packet
 * @device: receiving device
 * @p: the packet, parsed
 * @reason: the counter
 */
#define srnic_refuse(device, p, reason) do {						\
	const struct srnic_dev *__dev = (device);					\
	const struct srnic_pkt *__pkt = (p);						\
											\
	srnic_count(__dev, reason);							\
	trace_srnic_refused(__dev, __pkt->ends->sgid, __pkt->dqpn, __pkt->opcode,	\
			    __pkt->psn, #reason);					\
	srnic_log_packet(__dev, SRNIC_STAT_##reason, __pkt->ends->sgid, __pkt->dqpn,	\
			 __pkt->opcode, __pkt->psn);					\
	srnic_peer_fault(__dev->peers, __pkt->ends->sgid, SRNIC_STAT_##reason,		\
			 jiffies);							\
} while (0)

/**
 * srnic_refuse_unread() - Reject a packet that cannot be parsed
 * @device: receiving device
 * @gid: source address
 * @reason: the counter
 */
#define srnic_refuse_unread(device, gid, reason) do {					\
	const struct srnic_dev *__dev = (device);					\
	const u8 *__gid = (gid);							\
											\
	srnic_count(__dev, reason);							\
	trace_srnic_refused_unread(__dev, __gid, #reason);				\
	srnic_log_unread(__dev, SRNIC_STAT_##reason, __gid);				\
	srnic_peer_fault(__dev->peers, __gid, SRNIC_STAT_##reason, jiffies);		\
} while (0)

#endif /* SRNIC_TRACE_REFUSE_H */
