// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of queue pairs, for "rdma statistic qp". A counter is a set of all counters that the
 * device has, and the QPs that are bound to it count there instead of in the device's set: packets
 * cost the same. The core adds the sets up for "rdma statistic link". Drops, and faults of packets
 * that reach no QP, are the device's.
 */
#include "export.h"
#include "verbs/ops.h"

static struct srnic_stat_sets *sets_of(const struct rdma_counter *counter)
{
	return &to_srnic(counter->device)->stat_sets;
}

/* Nobody counts for the QP while its lock is held. */
static void count_in(struct srnic_qp *qp, struct srnic_stats __percpu *stats)
{
	spin_lock_bh(&qp->lock);
	qp->stats = stats;
	spin_unlock_bh(&qp->lock);
}

struct rdma_hw_stats *srnic_counter_alloc_stats(struct rdma_counter *counter)
{
	return srnic_alloc_hw_port_stats(counter->device, counter->port);
}

/* The core serialises the operations of a counter. */
int srnic_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ib, u32 port)
{
	int err;

	if (!counter->id) {
		err = srnic_stat_set_new(sets_of(counter), &counter->id);
		if (err)
			return err;
	}
	ib->counter = counter;
	count_in(to_srnic_qp(ib), srnic_stat_set_get(sets_of(counter), counter->id));
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_counter_bind_qp);

int srnic_counter_unbind_qp(struct ib_qp *ib, u32 port)
{
	struct srnic_qp *qp = to_srnic_qp(ib);

	count_in(qp, qp->dev->stats);
	ib->counter = NULL;
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_counter_unbind_qp);

int srnic_counter_dealloc(struct rdma_counter *counter)
{
	if (counter->id)
		srnic_stat_set_free(sets_of(counter), counter->id);
	counter->id = 0;
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_counter_dealloc);

int srnic_counter_update_stats(struct rdma_counter *counter)
{
	struct srnic_stats __percpu *stats = srnic_stat_set_get(sets_of(counter), counter->id);

	for (int i = 0; i < SRNIC_STAT_COUNT; i++)
		counter->stats->value[i] = srnic_stats_sum(stats, i);
	return 0;
}
