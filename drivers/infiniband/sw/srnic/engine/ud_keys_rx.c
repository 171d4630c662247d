// SPDX-License-Identifier: GPL-2.0
/*
 * State of the senders of incoming datagrams: for each salt of a sender, a sub-key and the
 * numbers seen under it. The first datagram under a salt waits until the worker has derived the
 * sub-key. The worker keeps a sender only after one of its datagrams has verified, so that
 * forgeries evict no other sender. Datagrams of an evicted sender can be replayed (protocol.md,
 * section 11).
 */
#include <crypto/utils.h>
#include <linux/list.h>
#include <linux/rhashtable.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include "srnic.h"
#include "engine/open.h"
#include "engine/ud_keys.h"
#include "trace/refuse.h"

/**
 * struct sender - One salt of one sender, towards one of our addresses or groups
 * @node: entry in srnic_dgram_in.senders
 * @all: entry in srnic_dgram_in.all or .dead
 * @id: identity of the sub-key
 * @lock: BH; protects @dgram
 * @dgram: the sub-key
 * @params: input of the derivation of @dgram; used by the worker only
 * @net: cookie of the namespace whose rule determined @params
 * @policy_seq: version of the rules at that time
 * @key_seq: version of the keys at that time
 * @proven: a datagram has verified
 * @used: jiffies: when a datagram last verified
 */
struct sender {
	struct rhash_head node;
	struct list_head all;
	struct srnic_dgram_id id;
	spinlock_t lock;			/* dgram */
	struct srnic_dgram *dgram;
	struct srnic_dgram_params params;
	u64 net;
	unsigned int policy_seq;
	unsigned int key_seq;
	bool proven;
	unsigned long used;
};

/**
 * struct srnic_dgram_in - The senders of a device
 * @dev: the device
 * @senders: struct sender, by id; read under RCU, changed by the worker
 * @all: list of the same senders; used by the worker only
 * @count: number of senders
 * @dead: senders to be freed after a grace period; used by the worker only
 * @held: datagrams that wait for the worker, from srnic_rx_copy()
 * @work: the worker
 */
struct srnic_dgram_in {
	struct srnic_dev *dev;
	struct rhashtable senders;
	struct list_head all;
	u32 count;
	struct list_head dead;
	struct sk_buff_head held;
	struct work_struct work;
};

static const struct rhashtable_params sender_params = {
	.key_len = sizeof_field(struct sender, id),
	.key_offset = offsetof(struct sender, id),
	.head_offset = offsetof(struct sender, node),
	.automatic_shrinking = true,
};

static struct srnic_dgram_id *held_id(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct srnic_dgram_id) > sizeof(skb->cb));
	return (struct srnic_dgram_id *)skb->cb;
}

/* Return whether the rules and keys are still those from which the sub-key was derived. */
static bool is_fresh(const struct sender *sender, struct net *net)
{
	return READ_ONCE(sender->policy_seq) == srnic_policy_seq(net) &&
	       READ_ONCE(sender->key_seq) == srnic_key_seq(net) &&
	       READ_ONCE(sender->net) == net->net_cookie;
}

/* Hold a datagram until the worker has derived the sub-key, if the rule allows a seal at all. */
static int datagram_hold(struct srnic_dgram_in *in, const struct srnic_rx *rx,
			 const struct srnic_pkt *pkt, const struct srnic_dgram_id *id)
{
	struct net *net = dev_net(rx->skb->dev);
	const u8 *gid = rx->multicast ? rx->ends.dgid : rx->ends.sgid;
	struct srnic_policy_brief brief = srnic_policy_brief(net, gid);
	struct sk_buff *skb;

	if (brief.rule == SRNIC_POLICY_OFF || !brief.datagrams)
		return -EPROTO;
	/* not a second time: the rules change faster than the worker derives keys */
	if (rx->again || skb_queue_len_lockless(&in->held) >= SRNIC_MAX_DGRAM_HELD)
		return -ENOBUFS;
	skb = srnic_rx_copy(rx, pkt);
	if (!skb)
		return -ENOBUFS;
	*held_id(skb) = *id;
	skb_queue_tail(&in->held, skb);
	queue_work(srnic_wq, &in->work);
	return -EINPROGRESS;
}

static int sender_open(struct sender *sender, struct srnic_rx *rx, struct srnic_pkt *pkt)
{
	u32 len = pkt->payload_len + pkt->pad;
	struct scatterlist src, dst;
	const struct srnic_text text = {
		.src = len ? &src : NULL,
		.dst = len ? &dst : NULL,
		.len = len,
	};
	bool decrypts;
	int err;
	u8 *to;

	spin_lock(&sender->lock);
	decrypts = srnic_dgram_encrypts(sender->dgram);
	/* neither the clone of a packet tap nor other members of the group must see plaintext */
	to = srnic_open_lists(pkt, decrypts && !rx->writable, &src, &dst);
	if (to)
		err = srnic_dgram_open(sender->dgram, pkt, &text);
	else
		err = -EMSGSIZE;
	if (!err) {
		pkt->payload = to;
		sender->used = jiffies;
		WRITE_ONCE(sender->proven, true);
	}
	spin_unlock(&sender->lock);
	return err;
}

/**
 * srnic_dgram_in_open() - Verify and remove the seal of a datagram
 * @rx: carrier of the packet
 * @pkt: a packet with a correct ICRC and an STH; on success, its payload is plaintext
 *
 * Context: softirq, or BHs off; under RCU.
 * Return: 0; -EINPROGRESS if the datagram is held and will be received again; otherwise the
 * reason to drop it: -EPROTO (unexpected kind of seal), -EMSGSIZE, -ENOBUFS (too many are held),
 * -EALREADY (replayed), -EBADMSG, -EKEYEXPIRED or another errno (verification failed).
 */
int srnic_dgram_in_open(struct srnic_rx *rx, struct srnic_pkt *pkt)
{
	struct srnic_dgram_in *in = rx->dev->dgram_in;
	struct srnic_dgram_id id;
	struct sender *sender;

	if (pkt->sth_code != SRNIC_DGRAM_CODE)
		return -EPROTO;
	srnic_dgram_id_of(pkt, &id);
	sender = rhashtable_lookup(&in->senders, &id, sender_params);
	if (unlikely(!sender || !is_fresh(sender, dev_net(rx->skb->dev))))
		return datagram_hold(in, rx, pkt, &id);
	return sender_open(sender, rx, pkt);
}

static bool same_params(const struct srnic_dgram_params *a, const struct srnic_dgram_params *b)
{
	return a->suite == b->suite && a->mode == b->mode &&
	       !crypto_memneq(a->kud, b->kud, sizeof(a->kud));
}

static void sender_free(struct sender *sender)
{
	srnic_dgram_destroy(sender->dgram);
	kfree_sensitive(sender);
}

static struct sender *sender_new(struct srnic_dgram_in *in, const struct srnic_dgram_id *id,
				 struct srnic_dgram *dgram)
{
	struct sender *sender = kzalloc(sizeof(*sender), GFP_KERNEL);
	int err;

	if (!sender)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&sender->lock);
	sender->id = *id;
	sender->dgram = dgram;
	sender->used = jiffies;
	err = rhashtable_insert_fast(&in->senders, &sender->node, sender_params);
	if (err) {
		kfree(sender);
		return ERR_PTR(err);
	}
	list_add(&sender->all, &in->all);
	in->count++;
	return sender;
}

/* RCU readers may still use the sender: bury_dead() frees it. */
static void sender_forget(struct srnic_dgram_in *in, struct sender *sender)
{
	rhashtable_remove_fast(&in->senders, &sender->node, sender_params);
	list_move(&sender->all, &in->dead);
	in->count--;
}

static void bury_dead(struct srnic_dgram_in *in)
{
	struct sender *sender, *next;

	if (list_empty(&in->dead))
		return;
	synchronize_rcu();
	list_for_each_entry_safe(sender, next, &in->dead, all) {
		list_del(&sender->all);
		sender_free(sender);
	}
}

/* Replace the sub-key. Only a datagram under the new one makes the sender proven again. */
static void change_key(struct sender *sender, struct srnic_dgram *dgram)
{
	spin_lock_bh(&sender->lock);
	swap(sender->dgram, dgram);
	sender->proven = false;
	spin_unlock_bh(&sender->lock);
	srnic_dgram_destroy(dgram);
}

/* Derive the sub-key of @id, unless @sender has it: then the numbers seen under it remain. */
static struct sender *sender_derive(struct srnic_dgram_in *in, struct sender *sender,
				    const struct srnic_dgram_id *id,
				    const struct srnic_dgram_params *params)
{
	struct srnic_dgram *dgram;
	struct sender *new;

	if (sender && same_params(&sender->params, params))
		return sender;
	dgram = srnic_dgram_create(params, id);
	if (IS_ERR(dgram))
		return ERR_CAST(dgram);
	if (sender) {
		change_key(sender, dgram);
		return sender;
	}
	new = sender_new(in, id, dgram);
	if (IS_ERR(new))
		srnic_dgram_destroy(dgram);
	return new;
}

/* Update @sender, or add the sender of @id if it is NULL. An ERR_PTR: its datagrams are dropped. */
static struct sender *sender_learn(struct srnic_dgram_in *in, struct sender *sender,
				   struct net *net, const struct srnic_dgram_id *id)
{
	/* read first, so that later changes are noticed */
	unsigned int policy_seq = srnic_policy_seq(net), key_seq = srnic_key_seq(net);
	struct srnic_dgram_params params;
	int err;

	err = srnic_dgram_resolve(net, id->sgid, id->dgid, SRNIC_TO_OPEN, &params);
	if (!err && !params.suite)
		err = -EPROTO;
	sender = err ? ERR_PTR(err) : sender_derive(in, sender, id, &params);
	if (!IS_ERR(sender)) {
		sender->params = params;
		WRITE_ONCE(sender->net, net->net_cookie);
		WRITE_ONCE(sender->key_seq, key_seq);
		WRITE_ONCE(sender->policy_seq, policy_seq);
	}
	memzero_explicit(&params, sizeof(params));
	return sender;
}

/*
 * Evict the sender that has been silent for longest. If the newcomer's host has more than an
 * eighth of the maximum, evict one of that host.
 */
static void make_room(struct srnic_dgram_in *in, const struct sender *newcomer)
{
	struct sender *sender, *oldest = NULL, *own = NULL;
	u32 owns = 0;

	if (in->count <= SRNIC_MAX_DGRAM_SENDERS)
		return;
	list_for_each_entry(sender, &in->all, all) {
		if (sender == newcomer)
			continue;
		if (!oldest || time_before(sender->used, oldest->used))
			oldest = sender;
		if (!srnic_gid_equal(sender->id.sgid, newcomer->id.sgid))
			continue;
		owns++;
		if (!own || time_before(sender->used, own->used))
			own = sender;
	}
	sender_forget(in, owns > SRNIC_MAX_DGRAM_SENDERS / 8 ? own : oldest);
}

static struct sender *sender_find(struct srnic_dgram_in *in, const struct srnic_dgram_id *id)
{
	struct sender *sender;

	rcu_read_lock();
	sender = rhashtable_lookup(&in->senders, id, sender_params);
	rcu_read_unlock();
	return sender;	/* valid: only the worker, the caller, removes senders */
}

static void datagram_refuse(struct srnic_dgram_in *in, const struct srnic_dgram_id *id, int err)
{
	if (err == -EPROTO || err == -EACCES)
		srnic_refuse_unread(in->dev, id->sgid, sth_unexpected);
	else
		srnic_refuse_unread(in->dev, id->sgid, sth_crowded);
}

static void datagram_admit(struct srnic_dgram_in *in, struct sk_buff *skb)
{
	const struct srnic_dgram_id id = *held_id(skb);
	struct net *net = dev_net(skb->dev);
	struct sender *sender = sender_find(in, &id);

	if (!sender || !is_fresh(sender, net)) {
		sender = sender_learn(in, sender, net, &id);
		if (IS_ERR(sender)) {
			datagram_refuse(in, &id, PTR_ERR(sender));
			srnic_rx_forget(skb);
			return;
		}
	}
	srnic_rx_again(in->dev, skb);
	if (READ_ONCE(sender->proven))
		make_room(in, sender);
	else
		sender_forget(in, sender);
}

/* Writeback may use a QP of this device, so allocations of keys must not wait for it. */
static void dgram_work(struct work_struct *work)
{
	struct srnic_dgram_in *in = container_of(work, struct srnic_dgram_in, work);
	unsigned int noio = memalloc_noio_save();
	struct sk_buff *skb;
	int n;

	for (n = 0; n < SRNIC_MAX_DGRAM_HELD; n++) {
		skb = skb_dequeue(&in->held);
		if (!skb)
			break;
		datagram_admit(in, skb);
		cond_resched();
	}
	bury_dead(in);
	memalloc_noio_restore(noio);
	if (!skb_queue_empty(&in->held))
		queue_work(srnic_wq, &in->work);
}

/**
 * srnic_dgram_in_alloc() - Allocate the sender state of a new device
 * @dev: the device
 *
 * Context: process.
 * Return: the state, without senders, or NULL if there is no memory.
 */
struct srnic_dgram_in *srnic_dgram_in_alloc(struct srnic_dev *dev)
{
	struct srnic_dgram_in *in = kzalloc(sizeof(*in), GFP_KERNEL);

	if (!in)
		return NULL;
	if (rhashtable_init(&in->senders, &sender_params)) {
		kfree(in);
		return NULL;
	}
	in->dev = dev;
	INIT_LIST_HEAD(&in->all);
	INIT_LIST_HEAD(&in->dead);
	skb_queue_head_init(&in->held);
	INIT_WORK(&in->work, dgram_work);
	return in;
}

/**
 * srnic_dgram_in_free() - Free the sender state of a device
 * @in: the state; packets no longer arrive
 *
 * Context: process.
 */
void srnic_dgram_in_free(struct srnic_dgram_in *in)
{
	struct sender *sender, *next;
	struct sk_buff *skb;

	cancel_work_sync(&in->work);
	while ((skb = skb_dequeue(&in->held)))
		srnic_rx_forget(skb);
	list_for_each_entry_safe(sender, next, &in->all, all)
		sender_forget(in, sender);
	bury_dead(in);
	rhashtable_destroy(&in->senders);
	kfree(in);
}
