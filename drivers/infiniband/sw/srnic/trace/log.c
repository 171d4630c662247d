// SPDX-License-Identifier: GPL-2.0
/*
 * The log of refusals: a ring, rate-limited by reason.
 */
#include <linux/ktime.h>
#include <linux/slab.h>
#include "../export.h"
#include "trace/log.h"

#define LOG_PAUSE	(HZ / 10)	/* between two entries of a reason */

/**
 * srnic_log_alloc - an empty log
 * @dev: whose; NULL: nobody will listen
 *
 * Context: process.
 * Return: to be given to srnic_log_free(), or NULL.
 */
struct srnic_log *srnic_log_alloc(const struct srnic_dev *dev)
{
	struct srnic_log *log = kvzalloc(sizeof(*log), GFP_KERNEL);

	if (!log)
		return NULL;
	log->dev = dev;
	spin_lock_init(&log->lock);
	for (unsigned int why = 0; why < SRNIC_STAT_COUNT; why++)
		log->quiet_until[why] = jiffies;
	return log;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_log_alloc);

/**
 * srnic_log_free - give it back
 * @log: may be NULL; nobody listens, and nobody adds to it any more
 */
void srnic_log_free(struct srnic_log *log)
{
	kvfree(log);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_log_free);

/**
 * srnic_log_listen - be told of new entries
 * @log: nobody listens yet
 * @tell: finds those from @log->told on
 *
 * Context: process.
 */
void srnic_log_listen(struct srnic_log *log, work_func_t tell)
{
	INIT_WORK(&log->tell, tell);
	spin_lock_irq(&log->lock);
	log->heard = true;
	spin_unlock_irq(&log->lock);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_log_listen);

/**
 * srnic_log_deafen - not any more; returns when it has ended
 * @log: somebody listens
 *
 * Context: process.
 */
void srnic_log_deafen(struct srnic_log *log)
{
	spin_lock_irq(&log->lock);
	log->heard = false;
	spin_unlock_irq(&log->lock);
	cancel_work_sync(&log->tell);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_log_deafen);

/**
 * srnic_log_add - keep a refusal, unless there was one like it just now
 * @log: the device's
 * @stats: the device's, in which it is counted already
 * @what: but for serial, time and count
 *
 * Context: any but NMI.
 */
void srnic_log_add(struct srnic_log *log, const struct srnic_stats __percpu *stats,
		   const struct srnic_log_entry *what)
{
	u64 sum = srnic_stats_sum(stats, what->why);
	struct srnic_log_entry *entry;
	unsigned long flags;

	spin_lock_irqsave(&log->lock, flags);
	/* two may have found the same pause at its end */
	if (!srnic_log_wants(log, what->why))
		goto unlock;
	WRITE_ONCE(log->quiet_until[what->why], jiffies + LOG_PAUSE);
	entry = &log->entries[log->next % SRNIC_LOG_ROOM];
	*entry = *what;
	entry->serial = log->next++;
	entry->time = ktime_get_real_ns();
	entry->count = sum - log->counted[what->why];
	log->counted[what->why] = sum;
	if (log->heard)
		schedule_work(&log->tell);
unlock:
	spin_unlock_irqrestore(&log->lock, flags);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_log_add);

/**
 * srnic_log_find - the oldest entry that is still there
 * @log: the device's
 * @serial: of this serial or a greater one
 * @entry: a copy of it
 *
 * Context: process.
 * Return: false if there is none yet.
 */
bool srnic_log_find(struct srnic_log *log, u64 serial, struct srnic_log_entry *entry)
{
	unsigned long flags;
	bool found;

	spin_lock_irqsave(&log->lock, flags);
	if (log->next > SRNIC_LOG_ROOM)
		serial = max(serial, log->next - SRNIC_LOG_ROOM);
	found = serial < log->next;
	if (found)
		*entry = log->entries[serial % SRNIC_LOG_ROOM];
	spin_unlock_irqrestore(&log->lock, flags);
	return found;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_log_find);
