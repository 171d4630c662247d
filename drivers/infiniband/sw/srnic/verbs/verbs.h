/* SPDX-License-Identifier: GPL-2.0 */
/*
 * verbs - one file an object; what ib_device_ops calls.
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
};

struct srnic_pd {
	struct ib_pd ib;
	atomic_t regions;
};

struct srnic_ah {
	struct ib_ah ib;
	u32 number;		/* in dev->ahs */
	struct srnic_pd *pd;
	spinlock_t lock;	/* path */
	struct srnic_path path;
	u8 sl;
	bool clear_allowed;	/* policy at creation: may clear datagrams go there */
	struct rcu_head rcu;
};

struct srnic_srq {
	struct ib_srq ib;
	u32 number;
	struct srnic_pd *pd;
	struct srnic_ring ring;
	spinlock_t lock;	/* irqsave: consumer side, resize, limit; kernel post */
	u32 limit;		/* low-water mark, 0 = disarmed */
	bool error;
	u32 max_sge;
	struct srnic_mmap *mmap;
};

struct srnic_mcast_group {
	struct list_head node;
	union ib_gid mgid;
	u32 count;
	struct srnic_qp **qps;	/* RCU-replaced array */
	struct rcu_head rcu;
};

/* device.c */
extern const struct ib_device_ops srnic_dev_ops;
void srnic_dev_init(struct srnic_dev *dev);	/* all but registration */
int srnic_dev_open(struct srnic_dev *dev);	/* tables, counters */
void srnic_dev_close(struct srnic_dev *dev);
void srnic_port_event(struct srnic_dev *dev, enum ib_event_type event);

/* mmap.c: rings into user space */
struct srnic_mmap *srnic_mmap_insert(struct ib_ucontext *uctx, struct srnic_ring *ring,
				     struct srnic_abi_ring *abi);
void srnic_mmap_remove(struct srnic_mmap *mmap);

/* mcast.c: the QPs of a group, under RCU */
struct srnic_mcast_group *srnic_mcast_find(struct srnic_dev *dev, const u8 mgid[16]);

/* stats.c */
extern const char *const srnic_stat_names[SRNIC_STAT_COUNT];

#endif /* SRNIC_VERBS_H */
