// SPDX-License-Identifier: GPL-2.0
/*
 * Account of the bytes that a QP has handed to the stack and that the driver has not freed
 * yet: in neighbour queues, queueing disciplines and transmit rings. As with TCP small queues,
 * they are bounded, so that the QP's window waits in its send queue and not in the stack.
 *
 * The packets belong to a socket that user space never sees. The stack keeps the account in
 * sock_wfree(), also when it cuts a super-packet: segments inherit that destructor, and no
 * other (__udp_gso_segment()).
 */
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/wait_bit.h>
#include <net/inet_sock.h>
#include "export.h"
#include "net/internal.h"

/* Limits of bytes in the stack, for a device and for one of its QPs */
#define TXQ_DEVICE_MAX		SZ_512K
#define TXQ_DEVICE_MIN		SZ_16K
#define TXQ_MAX			(320 * SZ_1K)
#define TXQ_MIN			SZ_8K

/* A drop halves the device's limit, which then grows by 1/TXQ_GROWTH each TXQ_PERIOD. */
#define TXQ_GROWTH		16
#define TXQ_PERIOD		(HZ / 10)

/* IPv6 reads the options of each packet's socket (inet6_sk()); this one has none. */
static struct proto txq_proto = {
	.name = "SRNIC",
	.obj_size = sizeof(struct inet_sock),
};

/*
 * Number of sockets. A socket outlives its QP until the last packet has been freed. Sockets
 * hold no reference to the module, which could otherwise never be unloaded: each device has a
 * QP of ib_mad. srnic_txq_exit() waits for them.
 */
static atomic_t txq_socks = ATOMIC_INIT(0);

/**
 * srnic_txq_group_init() - Set up the account of a device
 * @group: the account, zeroed
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int srnic_txq_group_init(struct srnic_txq_group *group)
{
	group->busy = alloc_percpu_gfp(int, GFP_KERNEL_ACCOUNT);
	if (!group->busy)
		return -ENOMEM;
	group->limit = TXQ_DEVICE_MAX;
	group->counted_at = jiffies;
	group->changed_at = jiffies;
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_txq_group_init);

/**
 * srnic_txq_group_exit() - Undo srnic_txq_group_init()
 * @group: account of the device, or all zero; no sender's account is open, and a grace period
 *	has passed since the last one was closed
 *
 * Context: process.
 */
void srnic_txq_group_exit(struct srnic_txq_group *group)
{
	free_percpu(group->busy);
	group->busy = NULL;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_txq_group_exit);

/* Senders become busy and idle on any CPU: only the sum is valid, and it is never exact. */
static u32 group_count(struct srnic_txq_group *group)
{
	int cpu, sum = 0;

	for_each_possible_cpu(cpu)
		sum += *per_cpu_ptr(group->busy, cpu);
	return max(sum, 1);
}

/* The first caller in a tick refreshes the count; if two do so at once, both get the same. */
static void group_refresh(struct srnic_txq_group *group)
{
	unsigned long now = jiffies;
	u32 limit;

	if (likely(READ_ONCE(group->counted_at) == now))
		return;
	WRITE_ONCE(group->counted_at, now);
	WRITE_ONCE(group->count, group_count(group));

	limit = READ_ONCE(group->limit);
	if (likely(limit == TXQ_DEVICE_MAX) ||
	    time_before(now, READ_ONCE(group->changed_at) + TXQ_PERIOD))
		return;
	WRITE_ONCE(group->changed_at, now);
	WRITE_ONCE(group->limit, min_t(u32, limit + limit / TXQ_GROWTH, TXQ_DEVICE_MAX));
}

/**
 * srnic_txq_limit() - Return how many bytes a sender may have in the stack
 * @txq: account of the sender, open
 *
 * The senders that have packets in the stack share the device's limit.
 *
 * Context: any.
 * Return: bytes of truesize.
 */
u32 srnic_txq_limit(const struct srnic_txq *txq)
{
	struct srnic_txq_group *group = txq->group;

	group_refresh(group);
	return clamp_t(u32, READ_ONCE(group->limit) / max(READ_ONCE(group->count), 1U),
		       TXQ_MIN, TXQ_MAX);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_txq_limit);

/**
 * srnic_txq_dropped() - Lower the limit after a queueing discipline dropped a packet
 * @txq: account of the packet's sender
 *
 * Context: any.
 */
void srnic_txq_dropped(const struct srnic_txq *txq)
{
	struct srnic_txq_group *group = txq->group;
	unsigned long now = jiffies;

	/* one overflow may drop packets of many senders */
	if (READ_ONCE(group->limit) != TXQ_DEVICE_MAX &&
	    time_before(now, READ_ONCE(group->changed_at) + 1))
		return;
	WRITE_ONCE(group->changed_at, now);
	WRITE_ONCE(group->limit, max_t(u32, READ_ONCE(group->limit) / 2, TXQ_DEVICE_MIN));
}

SRNIC_EXPORT_FOR_KUNIT(srnic_txq_dropped);

/* xchg() counts each transition once, even if others see the same state. */
static void txq_set_busy(struct srnic_txq *txq)
{
	if (!READ_ONCE(txq->busy) && !xchg(&txq->busy, true))
		this_cpu_inc(*txq->group->busy);
}

static void txq_clear_busy(struct srnic_txq *txq)
{
	if (READ_ONCE(txq->busy) && xchg(&txq->busy, false))
		this_cpu_dec(*txq->group->busy);
}

/*
 * sock_wfree() keeps one byte of a packet until its call of sk_write_space has returned, and
 * nothing is called then. Several CPUs may be there at once: SRNIC_TXQ_SLACK.
 */
static void txq_write_space(struct sock *sk)
{
	u32 bytes = sk_wmem_alloc_get(sk);
	struct srnic_txq *txq;

	rcu_read_lock();
	txq = rcu_dereference_sk_user_data(sk);
	if (!txq)
		goto unlock;
	if (bytes <= SRNIC_TXQ_SLACK)
		txq_clear_busy(txq);
	/* pairs with srnic_txq_wait(): count down, then read @waiting */
	smp_mb__after_atomic();
	if (READ_ONCE(txq->waiting) && bytes <= READ_ONCE(txq->low) + SRNIC_TXQ_SLACK &&
	    xchg(&txq->waiting, false))
		txq->wake(txq);
unlock:
	rcu_read_unlock();
}

static void txq_destruct(struct sock *sk)
{
	if (atomic_dec_and_test(&txq_socks))
		wake_up_var(&txq_socks);
}

/**
 * srnic_txq_open() - Open an account
 * @txq: the account, zeroed or closed
 * @group: account of the device
 * @net: namespace of the sender
 * @wake: called when packets have left and the sender waits for that; in any context up to
 *	softirq, under RCU
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int srnic_txq_open(struct srnic_txq *txq, struct srnic_txq_group *group, struct net *net,
		   void (*wake)(struct srnic_txq *txq))
{
	struct sock *sk = sk_alloc(net, AF_INET, GFP_KERNEL_ACCOUNT, &txq_proto, 1);

	if (!sk)
		return -ENOMEM;
	sock_init_data(NULL, sk);
	sock_set_flag(sk, SOCK_RCU_FREE);
	atomic_inc(&txq_socks);
	sk->sk_destruct = txq_destruct;
	sk->sk_write_space = txq_write_space;
	txq->group = group;
	txq->wake = wake;
	txq->waiting = false;
	txq->busy = false;
	txq->charged = 0;
	rcu_assign_sk_user_data(sk, txq);
	txq->sk = sk;
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_txq_open);

/**
 * srnic_txq_close() - Close an account; packets in the stack are still sent
 * @txq: the account, open or closed
 *
 * The callback @wake may still run until a grace period has passed.
 *
 * Context: process or softirq; users of @txq serialise.
 */
void srnic_txq_close(struct srnic_txq *txq)
{
	struct sock *sk = txq->sk;

	if (!sk)
		return;
	txq->sk = NULL;
	rcu_assign_sk_user_data(sk, NULL);
	txq_clear_busy(txq);
	sock_put(sk);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_txq_close);

/**
 * srnic_txq_charge() - Charge a packet or super-packet to its sender
 * @txq: account of the sender; if it is closed, the packet has no owner
 * @skb: complete, not yet handed to the stack
 *
 * Context: any up to softirq; users of @txq serialise.
 */
void srnic_txq_charge(struct srnic_txq *txq, struct sk_buff *skb)
{
	if (unlikely(!txq->sk))
		return;
	txq->charged += skb->truesize;
	skb_set_owner_w(skb, txq->sk);
	txq_set_busy(txq);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_txq_charge);

/**
 * srnic_txq_undo() - Count a packet that a queue has dropped as one that was never charged
 * @txq: account of the sender
 * @bytes: truesize of the packet
 *
 * Context: any up to softirq; users of @txq serialise.
 */
void srnic_txq_undo(struct srnic_txq *txq, u32 bytes)
{
	if (likely(txq->sk))
		txq->charged -= bytes;
}

/**
 * srnic_txq_wait() - Request a call of @txq->wake when packets have left
 * @txq: the account, open
 * @low: bytes, of truesize: the call comes when at most this many remain
 *
 * There is one request at a time. Another takes its place, and may be met later or sooner.
 *
 * Context: any up to softirq; users of @txq serialise.
 * Return: true if the call will come or has come; false if at most @low bytes remain already:
 * then it comes only for a former request.
 */
bool srnic_txq_wait(struct srnic_txq *txq, u32 low)
{
	bool other = READ_ONCE(txq->waiting);

	WRITE_ONCE(txq->low, low);
	/* txq_write_space() counts down, then looks at @waiting: one of the two sees the other */
	smp_store_mb(txq->waiting, true);
	if (srnic_txq_bytes(txq) > low + SRNIC_TXQ_SLACK || !xchg(&txq->waiting, false))
		return true;
	if (other)	/* whose request this would take back */
		txq->wake(txq);
	return false;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_txq_wait);

/* At module load */
int __init srnic_txq_init(void)
{
	return proto_register(&txq_proto, 1);
}

/* At module unload, with no account open: wait until the stack has freed all packets. */
void srnic_txq_exit(void)
{
	wait_var_event(&txq_socks, !atomic_read(&txq_socks));
	rcu_barrier();		/* the last socket's destructor runs in an RCU callback */
	proto_unregister(&txq_proto);
}
