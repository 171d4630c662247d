/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Address handles: where datagrams go. verbs creates and modifies them; sending
 * reads and routes their paths.
 */
#ifndef SRNIC_ENGINE_AH_H
#define SRNIC_ENGINE_AH_H

#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>
#include "net/net.h"
#include "sth/sth.h"

struct srnic_pd;

/**
 * struct srnic_ah - An address handle
 * @number: index in dev->ahs; 0: of a kernel consumer, not in dev->ahs
 * @smi_qpn: QP that datagrams from QP0 to QP0 go to: QP0, or that of this node's switch
 * @pd: protection domain; must be that of the work request's QP
 * @lock: BH; protects @path, @policy_seq and @policy
 * @path: path to the destination; the sender routes it
 * @attr_lock: protects @attr; ib_mad queries handles with interrupts off
 * @attr: attributes as given, for query
 * @policy_seq: version of the rules that @policy was looked up in; 0: not
 *	looked up
 * @policy: result of the rule for the destination
 * @rcu: frees the handle and releases @path after a grace period; users find it
 *	under RCU and hold @lock inside the same read-side section
 */
struct srnic_ah {
	u32 number;
	u32 smi_qpn;
	struct srnic_pd *pd;
	spinlock_t lock;	/* BH; path, policy */
	struct srnic_path path;
	spinlock_t attr_lock;	/* interrupts off; attr */
	struct rdma_ah_attr attr;
	unsigned int policy_seq;
	struct srnic_policy_brief policy;
	struct rcu_head rcu;
};

/* The core frees an ib_ah at once, even in atomic context, so the rest is separate. */
struct srnic_ibah {
	struct ib_ah ib;
	struct srnic_ah *ah;
};

static inline struct srnic_ah *to_srnic_ah(struct ib_ah *ib)
{
	return container_of(ib, struct srnic_ibah, ib)->ah;
}

#endif /* SRNIC_ENGINE_AH_H */
