/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of this room share.
 */
#ifndef SRNIC_CONTROL_GENL_H
#define SRNIC_CONTROL_GENL_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <net/genetlink.h>
#include "control/nl.h"

/* devices.c: sorted by the RDMA device index, so that a dump can go on from one */
extern struct list_head srnic_devices;
extern struct mutex srnic_devices_lock;

struct srnic_dev;
struct srnic_dev *srnic_device_from(struct net *net, u32 index);
struct srnic_dev *srnic_named_dev(struct genl_info *info, int attr);
int srnic_dump_by_device(struct sk_buff *skb, struct netlink_callback *cb, int only,
			 int (*put)(struct sk_buff *skb, const struct genl_info *info,
				    struct srnic_dev *dev, long *at));

/* log.c: to who listens, what is new in a device's log */
void srnic_nl_log_tell(struct work_struct *work);

/* What a dump returns: the rest does not fit (-EMSGSIZE), or it is complete (0). */
static inline int srnic_dump_result(const struct sk_buff *skb, int err)
{
	return err == -EMSGSIZE && skb->len ? (int)skb->len : err;
}

#endif /* SRNIC_CONTROL_GENL_H */
