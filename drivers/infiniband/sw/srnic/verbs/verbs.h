/* SPDX-License-Identifier: GPL-2.0 */
/*
 * verbs - the operations of ib_device_ops, one file per object.
 */
#ifndef SRNIC_VERBS_H
#define SRNIC_VERBS_H

#include <rdma/ib_verbs.h>
#include "../srnic.h"
#include "../queue/queue.h"
#include "../mem/mem.h"
#include "../net/net.h"
#include "../engine/engine.h"

struct srnic_ucontext {
	struct ib_ucontext ib;
	struct srnic_user *user;
};

static inline struct srnic_ucontext *to_srnic_ucontext(struct ib_ucontext *ib)
{
	return container_of(ib, struct srnic_ucontext, ib);
}

/**
 * struct srnic_mcast_group - QPs attached to a group; replaced, never changed
 * @node: entry in dev->mcast.groups
 * @mgid: GID of the group
 * @rcu: for freeing after a grace period
 * @user: user that created the group, charged until it ends
 * @count: number of QPs, at least 1
 * @qps: the QPs, without duplicates
 */
struct srnic_mcast_group {
	struct list_head node;
	union ib_gid mgid;
	struct rcu_head rcu;
	struct srnic_user *user;
	u32 count;
	struct srnic_qp *qps[] __counted_by(count);
};

/* device.c: called by main */
extern const struct ib_device_ops srnic_dev_ops;
void srnic_dev_init(struct srnic_dev *dev);	/* all but registration */
int srnic_dev_open(struct srnic_dev *dev);	/* tables and counters */
void srnic_dev_close(struct srnic_dev *dev);
void srnic_port_event(struct srnic_dev *dev, enum ib_event_type event);

/* mcast.c: the QPs of a group, under RCU */
struct srnic_mcast_group *srnic_mcast_find(struct srnic_dev *dev, const u8 mgid[16]);

#endif /* SRNIC_VERBS_H */
