/* SPDX-License-Identifier: GPL-2.0 */
/*
 * log - the last packets and accesses that were rejected: source, reason, time
 * (RFC 5042 6.4.4, R25). At most ten entries per second and reason are kept,
 * each with the number of rejections since the previous one. A flood for one
 * reason thus hides no other reason and costs only its counting.
 */
#ifndef SRNIC_TRACE_LOG_H
#define SRNIC_TRACE_LOG_H

#include <linux/jiffies.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "stats.h"

struct srnic_dev;

#define SRNIC_LOG_SIZE	256	/* entries per device; the oldest are overwritten */

/**
 * struct srnic_log_entry - A rejected packet
 * @serial: number of the entry in the device's log, from 0
 * @time: nanoseconds since 1970
 * @count: rejections for this reason since the previous entry for it, including
 *	this one
 * @why: the counter
 * @peer: source address of the packet
 * @parsed: @qpn, @psn and @opcode are valid
 * @qpn: destination QPN
 * @psn: PSN
 * @opcode: opcode
 */
struct srnic_log_entry {
	u64 serial;
	u64 time;
	u64 count;
	enum srnic_stat why;
	u8 peer[16];
	bool parsed;
	u32 qpn;
	u32 psn;
	u8 opcode;
};

/**
 * struct srnic_log - The log of a device
 * @dev: the device
 * @lock: protects everything but @next_unread; @quiet_until is read without it
 * @next: serial of the next entry
 * @quiet_until: jiffies: no further entry for a reason before this time
 * @last_count: value of the reason's counter at its last entry
 * @listening: there is a listener
 * @notify_work: work of the listener
 * @next_unread: serial of the first entry that @notify_work has not read; used
 *	by @notify_work only
 * @entries: entries, indexed by serial modulo SRNIC_LOG_SIZE
 */
struct srnic_log {
	const struct srnic_dev *dev;
	spinlock_t lock;		/* see above */
	u64 next;
	unsigned long quiet_until[SRNIC_STAT_COUNT];
	u64 last_count[SRNIC_STAT_COUNT];
	bool listening;
	struct work_struct notify_work;
	u64 next_unread;
	struct srnic_log_entry entries[SRNIC_LOG_SIZE];
};

struct srnic_log *srnic_log_alloc(const struct srnic_dev *dev);
void srnic_log_free(struct srnic_log *log);
void srnic_log_listen(struct srnic_log *log, work_func_t notify);
void srnic_log_unlisten(struct srnic_log *log);
void srnic_log_add(struct srnic_log *log, const struct srnic_stats __percpu *stats,
		   const struct srnic_log_entry *what);
bool srnic_log_find(struct srnic_log *log, u64 serial, struct srnic_log_entry *entry);

/* Check whether an entry for @why would be kept, before making one. */
static inline bool srnic_log_wants(const struct srnic_log *log, enum srnic_stat why)
{
	return log && !time_before(jiffies, READ_ONCE(log->quiet_until[why]));
}

#endif /* SRNIC_TRACE_LOG_H */
