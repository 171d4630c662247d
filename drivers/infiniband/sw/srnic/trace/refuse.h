/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A packet that is not taken is counted by reason, and told to who traces. The reasons
 * are the counters' names, of verbs/stat_list.h.
 *
 * Context of all of these: any.
 */
#ifndef SRNIC_TRACE_REFUSE_H
#define SRNIC_TRACE_REFUSE_H

#include "trace/events.h"

/**
 * srnic_refuse - a packet is not taken
 * @device: that it came to
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
} while (0)

/**
 * srnic_refuse_unread - a packet is not taken, for it cannot be read
 * @device: that it came to
 * @gid: from where
 * @reason: the counter
 */
#define srnic_refuse_unread(device, gid, reason) do {					\
	const struct srnic_dev *__dev = (device);					\
											\
	srnic_count(__dev, reason);							\
	trace_srnic_refused_unread(__dev, (gid), #reason);			\
} while (0)

#endif /* SRNIC_TRACE_REFUSE_H */
