/* SPDX-License-Identifier: GPL-2.0 */
/*
 * txq - what a sender has handed to the stack and has not left it yet. Apart from
 * net.h because the device has a part in it.
 */
#ifndef SRNIC_NET_TXQ_H
#define SRNIC_NET_TXQ_H

#include <linux/skbuff.h>
#include <net/sock.h>

/**
 * struct srnic_txq_group - What the senders of a device have in the stack together
 * @busy: how many of them have something there; the sum over all CPUs counts
 * @count: that sum, @counted_at
 * @counted_at: jiffies
 * @limit: bytes; falls when packets are refused
 * @changed_at: jiffies, when @limit has changed
 */
struct srnic_txq_group {
	int __percpu *busy;
	u32 count;
	unsigned long counted_at;
	u32 limit;
	unsigned long changed_at;
};

/**
 * struct srnic_txq - What one sender has in the stack
 * @sk: owns its packets; NULL: closed
 * @group: the device's
 * @room: called when @waiting and no more than @low bytes are left
 * @charged: bytes so far, of truesize; wraps
 * @low: see @room
 * @waiting: see @room
 * @busy: it is counted in @group
 */
struct srnic_txq {
	struct sock *sk;
	struct srnic_txq_group *group;
	void (*room)(struct srnic_txq *txq);
	u32 charged;
	u32 low;
	bool waiting;
	bool busy;
};

/* txq.c */
int srnic_txq_init(void);
void srnic_txq_exit(void);
int srnic_txq_group_init(struct srnic_txq_group *group);
void srnic_txq_group_exit(struct srnic_txq_group *group);
int srnic_txq_open(struct srnic_txq *txq, struct srnic_txq_group *group, struct net *net,
		   void (*room)(struct srnic_txq *txq));
void srnic_txq_close(struct srnic_txq *txq);
void srnic_txq_charge(struct srnic_txq *txq, struct sk_buff *skb);
bool srnic_txq_wait(struct srnic_txq *txq, u32 low);
u32 srnic_txq_limit(const struct srnic_txq *txq);
void srnic_txq_refused(const struct srnic_txq *txq);

/* Bytes that have been charged and not been freed, of truesize */
static inline u32 srnic_txq_bytes(const struct srnic_txq *txq)
{
	return txq->sk ? sk_wmem_alloc_get(txq->sk) : 0;
}

#endif /* SRNIC_NET_TXQ_H */
