// SPDX-License-Identifier: GPL-2.0
/*
 * Requests for the log of rejected packets: a dump of all entries, and
 * notifications of new ones.
 */
#include "control/genl.h"
#include "srnic.h"
#include "trace/log.h"

static int put_entry(struct sk_buff *skb, const struct srnic_dev *dev,
		     const struct srnic_log_entry *entry)
{
	if (nla_put_u32(skb, SRNIC_A_LOG_DEV_INDEX, dev->ib.index) ||
	    nla_put_string(skb, SRNIC_A_LOG_DEV_NAME, dev->ib.name) ||
	    nla_put_uint(skb, SRNIC_A_LOG_SERIAL, entry->serial) ||
	    nla_put_uint(skb, SRNIC_A_LOG_TIME, entry->time) ||
	    nla_put_uint(skb, SRNIC_A_LOG_COUNT, entry->count) ||
	    nla_put_string(skb, SRNIC_A_LOG_REASON, srnic_stat_names[entry->why]) ||
	    nla_put(skb, SRNIC_A_LOG_PEER, sizeof(entry->peer), entry->peer))
		return -EMSGSIZE;
	if (!entry->parsed)
		return 0;
	if (nla_put_u32(skb, SRNIC_A_LOG_QPN, entry->qpn) ||
	    nla_put_u32(skb, SRNIC_A_LOG_PSN, entry->psn) ||
	    nla_put_u8(skb, SRNIC_A_LOG_OPCODE, entry->opcode))
		return -EMSGSIZE;
	return 0;
}

static int dump_entry(struct sk_buff *skb, const struct genl_info *info,
		      const struct srnic_dev *dev, const struct srnic_log_entry *entry)
{
	void *hdr = genlmsg_iput(skb, info);

	if (!hdr)
		return -EMSGSIZE;
	if (put_entry(skb, dev, entry)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/* Put the entries from serial *@at on; set *@at to the first one that did not fit. */
static int put_log_entries(struct sk_buff *skb, const struct genl_info *info, struct srnic_dev *dev,
			   long *at)
{
	struct srnic_log_entry entry;
	int err;

	while (srnic_log_find(dev->log, *at, &entry)) {
		err = dump_entry(skb, info, dev, &entry);
		if (err)
			return err;
		*at = entry.serial + 1;
	}
	return 0;
}

int srnic_nl_log_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return srnic_dump_by_device(skb, cb, SRNIC_A_LOG_DEV_INDEX, put_log_entries);
}

static void notify_entry(const struct srnic_dev *dev, const struct srnic_log_entry *entry)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	void *hdr;

	if (!skb)
		return;		/* the entry can still be dumped */
	hdr = genlmsg_put(skb, 0, 0, &srnic_nl_family, 0, SRNIC_CMD_LOG_NTF);
	if (!hdr || put_entry(skb, dev, entry)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, hdr);
	genlmsg_multicast_netns(&srnic_nl_family, dev->net, skb, 0, SRNIC_NLGRP_EVENTS, GFP_KERNEL);
}

/*
 * Send new entries of a device's log to the listeners. The work ends before the
 * device does, and the device holds its namespace.
 */
void srnic_nl_log_notify(struct work_struct *work)
{
	struct srnic_log *log = container_of(work, struct srnic_log, notify_work);
	const struct srnic_dev *dev = log->dev;
	struct srnic_log_entry entry;

	while (srnic_log_find(log, log->next_unread, &entry)) {
		log->next_unread = entry.serial + 1;
		if (genl_has_listeners(&srnic_nl_family, dev->net, SRNIC_NLGRP_EVENTS))
			notify_entry(dev, &entry);
	}
}
