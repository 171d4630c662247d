/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations shared by the files of control/.
 */
#ifndef SRNIC_CONTROL_GENL_H
#define SRNIC_CONTROL_GENL_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <net/genetlink.h>
#include "control/compat_genl.h"
#include "control/nl.h"
#include "subnet.h"

/* devices.c: sorted by RDMA device index, so that a dump can resume */
extern struct list_head srnic_devices;
extern struct mutex srnic_devices_lock;

struct srnic_dev;
struct srnic_key_listener;
struct srnic_dev *srnic_device_from(struct net *net, u32 index);
struct srnic_dev *srnic_named_dev(struct genl_info *info, int attr);
int srnic_dump_by_device(struct sk_buff *skb, struct netlink_callback *cb, int only,
			 int (*put)(struct sk_buff *skb, const struct genl_info *info,
				    struct srnic_dev *dev, long *at));
int srnic_seals_changed(struct genl_info *info, int err);

/* nodes_put.c */
int srnic_put_nodes(struct sk_buff *skb, struct srnic_dev *dev);

/* log.c: send new entries of a device's log to the listeners */
void srnic_nl_log_notify(struct work_struct *work);

/* keys.c: send the names of wanted keys to the listeners */
extern const struct srnic_key_listener srnic_nl_key_listener;

/* Return the bit of a role that user space names. */
static inline u8 srnic_role_bit(enum srnic_role role)
{
	return role == SRNIC_ROLE_MANAGER ? SRNIC_SUBNET_MANAGER : SRNIC_SUBNET_MEMBER;
}

/* Return the result of a dump: message length if the rest did not fit, 0 if complete. */
static inline int srnic_dump_result(const struct sk_buff *skb, int err)
{
	return err == -EMSGSIZE && skb->len ? (int)skb->len : err;
}

#endif /* SRNIC_CONTROL_GENL_H */
