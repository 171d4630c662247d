/* SPDX-License-Identifier: GPL-2.0 */
/*
 * log - the last packets and accesses that were refused: who, what, when (RFC 5042
 * 6.4.4, R25). Of each reason at most ten a second are kept, each with how many there
 * have been since the one before, so that a flood of one hides no other and costs
 * nothing but its counting.
 */
#ifndef SRNIC_TRACE_LOG_H
#define SRNIC_TRACE_LOG_H

#include <linux/jiffies.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "stats.h"

struct srnic_dev;

#define SRNIC_LOG_ROOM	256	/* entries of a device; the oldest make room */

/**
 * struct srnic_log_entry - one refusal
 * @serial: of the device, from 0 on
 * @time: nanoseconds since 1970
 * @count: how many of this reason since the entry before it, this one included
 * @why: the counter that it moved
 * @peer: where it came from, by its own account
 * @legible: @qpn, @psn and @opcode are known
 * @qpn: for which queue pair
 * @psn: its sequence number
 * @opcode: what it was
 */
struct srnic_log_entry {
	u64 serial;
	u64 time;
	u64 count;
	enum srnic_stat why;
	u8 peer[16];
	bool legible;
	u32 qpn;
	u32 psn;
	u8 opcode;
};

/**
 * struct srnic_log - the log of a device
 * @dev: whose
 * @lock: all but @told; of @quiet_until, its changes
 * @next: serial of the entry to come
 * @quiet_until: when another entry of a reason may be made, jiffies
 * @counted: what the reason's counter was at its last entry
 * @heard: there is somebody to tell of new entries
 * @tell: and how
 * @told: serial of the first entry that @tell has not seen; its own
 * @entries: by serial, modulo their number
 */
struct srnic_log {
	const struct srnic_dev *dev;
	spinlock_t lock;		/* see above */
	u64 next;
	unsigned long quiet_until[SRNIC_STAT_COUNT];
	u64 counted[SRNIC_STAT_COUNT];
	bool heard;
	struct work_struct tell;
	u64 told;
	struct srnic_log_entry entries[SRNIC_LOG_ROOM];
};

struct srnic_log *srnic_log_alloc(const struct srnic_dev *dev);
void srnic_log_free(struct srnic_log *log);
void srnic_log_listen(struct srnic_log *log, work_func_t tell);
void srnic_log_deafen(struct srnic_log *log);
void srnic_log_add(struct srnic_log *log, const struct srnic_stats __percpu *stats,
		   const struct srnic_log_entry *what);
bool srnic_log_find(struct srnic_log *log, u64 serial, struct srnic_log_entry *entry);

/* Whether another entry of that reason would be kept; looked at before one is made */
static inline bool srnic_log_wants(const struct srnic_log *log, enum srnic_stat why)
{
	return log && !time_before(jiffies, READ_ONCE(log->quiet_until[why]));
}

#endif /* SRNIC_TRACE_LOG_H */
