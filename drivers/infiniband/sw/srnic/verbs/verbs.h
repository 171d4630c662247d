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
	struct srnic_user *user;
};

static inline struct srnic_ucontext *to_srnic_ucontext(struct ib_ucontext *ib)
{
	return container_of(ib, struct srnic_ucontext, ib);
}

/**
 * srnic_qp_find - whose number is this?
 * @dev: the device
 * @qpn: number
 *
 * Numbers go round from a random start, so the tree of all has four levels from the first
 * QP on.
 *
 * Context: under RCU.
 * Return: the QP, valid for as long as the read side lasts, or %NULL.
 */
static inline struct srnic_qp *srnic_qp_find(struct srnic_dev *dev, u32 qpn)
{
	struct srnic_qp *qp = rcu_dereference(dev->near_qps[qpn % SRNIC_NEAR_QPS]);

	return likely(qp && qp->ib.qp_num == qpn) ? qp : xa_load(&dev->qps, qpn);
}

/**
 * struct srnic_ah - an address handle, as the engine uses it
 * @number: in dev->ahs; 0: a kernel consumer's, which is not there
 * @pd: protection domain; a work request's QP must have the same
 * @lock: BH: @path, @attr, @policy_seq, @policy
 * @path: to the destination; routed by who sends
 * @attr: as given, for query
 * @policy_seq: the rules when @policy was looked up; 0: it has not been yet
 * @policy: what the rule for the destination asks for
 * @rcu: freed, and @path released, after a grace period: found under RCU, used under
 *	@lock and still under RCU
 */
struct srnic_ah {
	u32 number;
	struct srnic_pd *pd;
	spinlock_t lock;	/* BH: path, attr, policy */
	struct srnic_path path;
	struct rdma_ah_attr attr;
	unsigned int policy_seq;
	struct srnic_policy_brief policy;
	struct rcu_head rcu;
};

/* The core frees an ib_ah at once, even in atomic context, so the rest lies apart. */
struct srnic_ibah {
	struct ib_ah ib;
	struct srnic_ah *ah;
};

static inline struct srnic_ah *to_srnic_ah(struct ib_ah *ib)
{
	return container_of(ib, struct srnic_ibah, ib)->ah;
}

/**
 * struct srnic_srq - a shared receive queue
 * @ib: the core's part
 * @number: in dev->srqs
 * @pd: protection domain
 * @lock: irqsave: the consumer's side, resize, limit; kernel consumers' post
 * @ring: receive work requests
 * @share: among the QPs, whose part (qp->stream) is under the same lock
 * @limit: low-water mark, 0: disarmed (IBA 10.2.9.2)
 * @error: its ring made no sense; it gives out nothing any more
 * @max_sge: a work request
 * @mutex: one resize at a time
 * @mmap: a user ring's place in its context's mmap space
 */
struct srnic_srq {
	struct ib_srq ib;
	u32 number;
	struct srnic_pd *pd;
	spinlock_t lock;	/* irqsave: ring, share, limit */
	struct srnic_ring ring;
	struct srnic_share share;
	u32 limit;
	bool error;
	u32 max_sge;
	struct mutex mutex;	/* resize */
	struct srnic_mmap *mmap;
};

static inline struct srnic_srq *to_srnic_srq(struct ib_srq *ib)
{
	return container_of(ib, struct srnic_srq, ib);
}

/**
 * struct srnic_mcast_group - QPs attached to a group; never changes, is replaced
 * @node: in dev->mcast.groups
 * @mgid: the group
 * @rcu: for freeing
 * @user: who began it, and pays until it ends
 * @count: QPs, at least 1
 * @qps: none twice
 */
struct srnic_mcast_group {
	struct list_head node;
	union ib_gid mgid;
	struct rcu_head rcu;
	struct srnic_user *user;
	u32 count;
	struct srnic_qp *qps[] __counted_by(count);
};

/* device.c: main's calls */
extern const struct ib_device_ops srnic_dev_ops;
void srnic_dev_init(struct srnic_dev *dev);	/* all but registration */
int srnic_dev_open(struct srnic_dev *dev);	/* tables, counters */
void srnic_dev_close(struct srnic_dev *dev);
void srnic_port_event(struct srnic_dev *dev, enum ib_event_type event);
enum ib_mtu srnic_active_mtu(const struct srnic_dev *dev);

/* mcast.c: the QPs of a group, under RCU */
struct srnic_mcast_group *srnic_mcast_find(struct srnic_dev *dev, const u8 mgid[16]);

#endif /* SRNIC_VERBS_H */
