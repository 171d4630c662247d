// SPDX-License-Identifier: GPL-2.0
/*
 * The log of rejected packets: a ring, rate-limited per reason.
 */
#include <linux/ktime.h>
#include <linux/slab.h>
#include "export.h"
#include "trace/log.h"

#define LOG_INTERVAL	(HZ / 10)	/* between two entries for one reason */

/**
 * srnic_log_alloc() - Allocate an empty log
 * @dev: device of the log; NULL if srnic_log_listen() will not be called
 *
 * Context: process.
 * Return: the log, to be freed by srnic_log_free(), or NULL.
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
 * srnic_log_free() - Free a log
 * @log: may be NULL; without a listener and no longer in use
 */
void srnic_log_free(struct srnic_log *log)
{
	kvfree(log);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_log_free);

/**
 * srnic_log_listen() - Schedule work for new entries
 * @log: the log, without a listener
 * @notify: work that reads the entries from @log->next_unread on
 *
 * Context: process.
 */
void srnic_log_listen(struct srnic_log *log, work_func_t notify)
{
	INIT_WORK(&log->notify_work, notify);
	spin_lock_irq(&log->lock);
	log->listening = true;
	spin_unlock_irq(&log->lock);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_log_listen);

/**
 * srnic_log_unlisten() - Stop the listener and wait until it has finished
 * @log: the log, with a listener
 *
 * Context: process.
 */
void srnic_log_unlisten(struct srnic_log *log)
{
	spin_lock_irq(&log->lock);
	log->listening = false;
	spin_unlock_irq(&log->lock);
	cancel_work_sync(&log->notify_work);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_log_unlisten);

/**
 * srnic_log_add() - Add an entry, unless one for the same reason was added just now
 * @log: log of the device
 * @stats: counters of the device, which already include this packet
 * @what: the entry; serial, time and count are filled in here
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
	/* another CPU may have added an entry since the caller checked */
	if (!srnic_log_wants(log, what->why))
		goto unlock;
	WRITE_ONCE(log->quiet_until[what->why], jiffies + LOG_INTERVAL);
	entry = &log->entries[log->next % SRNIC_LOG_SIZE];
	*entry = *what;
	entry->serial = log->next++;
	entry->time = ktime_get_real_ns();
	entry->count = sum - log->last_count[what->why];
	log->last_count[what->why] = sum;
	if (log->listening)
		schedule_work(&log->notify_work);
unlock:
	spin_unlock_irqrestore(&log->lock, flags);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_log_add);

/**
 * srnic_log_find() - Copy the oldest entry from a serial on
 * @log: log of the device
 * @serial: least serial wanted
 * @entry: filled in
 *
 * Context: process.
 * Return: false if there is no such entry yet.
 */
bool srnic_log_find(struct srnic_log *log, u64 serial, struct srnic_log_entry *entry)
{
	unsigned long flags;
	bool found;

	spin_lock_irqsave(&log->lock, flags);
	if (log->next > SRNIC_LOG_SIZE)
		serial = max(serial, log->next - SRNIC_LOG_SIZE);
	found = serial < log->next;
	if (found)
		*entry = log->entries[serial % SRNIC_LOG_SIZE];
	spin_unlock_irqrestore(&log->lock, flags);
	return found;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_log_find);
