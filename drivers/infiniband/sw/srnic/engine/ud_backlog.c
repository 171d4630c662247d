// SPDX-License-Identifier: GPL-2.0
/*
 * Datagrams on their way to the network stack: a queue for each CPU, whose NAPI joins segments of
 * TCP (GRO). The stack runs there and not where packets arrive, below a whole pass through it.
 *
 * gro_cells do the same, but count each datagram as one packet and keep 1000 of them. A
 * super-packet has dozens of datagrams, and the stack receives up to 64 super-packets before
 * another NAPI runs.
 */
#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/udp.h>
#include "export.h"
#include "engine/ud_netdev.h"

/* As many as may arrive in one round of the stack's NAPI; a super-packet is a carrier */
#define BACKLOG_MAX	(NAPI_POLL_WEIGHT * UDP_MAX_SEGMENTS)

/**
 * struct srnic_ud_backlog - Queue of one CPU
 * @napi: passes @queue to the stack
 * @queue: sk_buffs, oldest first; its lock is needed if NAPI runs in a thread
 */
struct srnic_ud_backlog {
	struct napi_struct napi;
	struct sk_buff_head queue;
};

/* The first datagram of a carrier */
static bool *begins_carrier(struct sk_buff *skb)
{
	return (bool *)skb->cb;
}

/*
 * The budget is in carriers, as in the NAPI that they have come from. The first datagram of a
 * carrier may have been dropped, so datagrams are counted, too.
 */
static int poll_backlog(struct napi_struct *napi, int budget)
{
	struct srnic_ud_backlog *backlog = container_of(napi, struct srnic_ud_backlog, napi);
	int left = budget * UDP_MAX_SEGMENTS;
	struct sk_buff *skb;
	bool empty = false;
	int done = 0;

	while (done < budget && left--) {
		skb = skb_dequeue(&backlog->queue);
		empty = !skb;
		if (empty)
			break;
		done += *begins_carrier(skb);
		napi_gro_receive(napi, skb);
	}
	if (!empty)
		return budget;	/* netpoll has none, and takes nothing */
	/* GRO keeps nothing beyond this poll: it would escape srnic_ud_backlog_discard(). */
	napi_complete(napi);
	return done;
}

/**
 * srnic_ud_backlog_add() - Let the network stack receive a packet soon
 * @netdev: the netdev that receives it
 * @skb: the packet; consumed
 * @first: it is the first one of its carrier
 *
 * Context: softirq, or BHs off.
 */
void srnic_ud_backlog_add(struct srnic_ud_netdev *netdev, struct sk_buff *skb, bool first)
{
	struct srnic_ud_backlog *backlog = this_cpu_ptr(netdev->backlog);

	if (unlikely(skb_queue_len_lockless(&backlog->queue) >= BACKLOG_MAX)) {
		DEV_STATS_INC(netdev->dev, rx_dropped);
		kfree_skb(skb);
		return;
	}
	*begins_carrier(skb) = first;
	skb_queue_tail(&backlog->queue, skb);
	napi_schedule(&backlog->napi);
}

/**
 * srnic_ud_backlog_init() - Create the queues
 * @netdev: the netdev; its @dev is set
 *
 * Context: process, RTNL.
 * Return: 0 or -ENOMEM.
 */
int srnic_ud_backlog_init(struct srnic_ud_netdev *netdev)
{
	int cpu;

	netdev->backlog = alloc_percpu(struct srnic_ud_backlog);
	if (!netdev->backlog)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct srnic_ud_backlog *backlog = per_cpu_ptr(netdev->backlog, cpu);

		skb_queue_head_init(&backlog->queue);
		/* a queue has a CPU, and no socket waits for it */
		set_bit(NAPI_STATE_NO_BUSY_POLL, &backlog->napi.state);
		netif_napi_add(netdev->dev, &backlog->napi, poll_backlog);
		napi_enable(&backlog->napi);
	}
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ud_backlog_init);

/**
 * srnic_ud_backlog_discard() - Discard what is queued
 * @netdev: the netdev, for which nothing arrives
 *
 * Context: process.
 */
void srnic_ud_backlog_discard(struct srnic_ud_netdev *netdev)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct srnic_ud_backlog *backlog = per_cpu_ptr(netdev->backlog, cpu);

		napi_disable(&backlog->napi);
		skb_queue_purge(&backlog->queue);
		napi_enable(&backlog->napi);
	}
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ud_backlog_discard);

/**
 * srnic_ud_backlog_exit() - Undo srnic_ud_backlog_init()
 * @netdev: the netdev, which receives nothing any more
 *
 * Context: process, RTNL.
 */
void srnic_ud_backlog_exit(struct srnic_ud_netdev *netdev)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct srnic_ud_backlog *backlog = per_cpu_ptr(netdev->backlog, cpu);

		napi_disable(&backlog->napi);
		__netif_napi_del(&backlog->napi);
		skb_queue_purge(&backlog->queue);
	}
	synchronize_net();
	free_percpu(netdev->backlog);
	netdev->backlog = NULL;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ud_backlog_exit);
