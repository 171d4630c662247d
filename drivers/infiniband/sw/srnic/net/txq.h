/* SPDX-License-Identifier: GPL-2.0 */
/*
 * txq - account of the packets that a sender has handed to the stack and that have not left
 * it yet. Separate from net.h because the device structure contains a part of the account.
 */
#ifndef SRNIC_NET_TXQ_H
#define SRNIC_NET_TXQ_H

#include <linux/skbuff.h>
#include <net/sock.h>

/**
 * struct srnic_txq_group - limit that the senders of a device share
 * @busy: number of senders with packets in the stack: only the sum over all CPUs is valid
 * @count: that sum, as of @counted_at
 * @counted_at: jiffies
 * @limit: bytes that they may have in the stack in all; falls when packets are refused
 * @changed_at: jiffies at the last change of @limit
 */
struct srnic_txq_group {
	int __percpu *busy;
	u32 count;
	unsigned long counted_at;
	u32 limit;
	unsigned long changed_at;
};

/*
 * Bytes that the account may show although all packets have left: sock_wfree() holds one for
 * each CPU that frees a packet at present. Less than any packet's truesize.
 */
#define SRNIC_TXQ_SLACK		511

/**
 * struct srnic_txq - account of the packets that one sender has in the stack
 * @sk: socket that owns the packets; NULL: the account is closed
 * @group: account of the device
 * @wake: called if @waiting when at most @low bytes remain in the stack, or hardly more
 * @charged: total bytes charged, of truesize; wraps
 * @low: bytes, see @wake
 * @waiting: the sender waits for @wake
 * @busy: the sender is counted in @group
 *
 * Aligned, because sk_user_data has flags in the three lowest bits of the pointer.
 */
struct srnic_txq {
	struct sock *sk;
	struct srnic_txq_group *group;
	void (*wake)(struct srnic_txq *txq);
	u32 charged;
	u32 low;
	bool waiting;
	bool busy;
} __aligned(8);

/* txq.c */
int srnic_txq_init(void);
void srnic_txq_exit(void);
int srnic_txq_group_init(struct srnic_txq_group *group);
void srnic_txq_group_exit(struct srnic_txq_group *group);
int srnic_txq_open(struct srnic_txq *txq, struct srnic_txq_group *group, struct net *net,
		   void (*wake)(struct srnic_txq *txq));
void srnic_txq_close(struct srnic_txq *txq);
void srnic_txq_charge(struct srnic_txq *txq, struct sk_buff *skb);
void srnic_txq_undo(struct srnic_txq *txq, u32 bytes);
bool srnic_txq_wait(struct srnic_txq *txq, u32 low);
u32 srnic_txq_limit(const struct srnic_txq *txq);
void srnic_txq_dropped(const struct srnic_txq *txq);

/* Return the bytes that have been charged and not freed yet, of truesize. */
static inline u32 srnic_txq_bytes(const struct srnic_txq *txq)
{
	return txq->sk ? sk_wmem_alloc_get(txq->sk) : 0;
}

#endif /* SRNIC_NET_TXQ_H */
