// SPDX-License-Identifier: GPL-2.0
/*
 * Who seals the datagrams that come: a sub-key for every sender's salt, with the numbers
 * that have been seen under it. The first datagram under a salt waits until the worker has
 * derived the key. A sender is remembered once one of its datagrams has verified, so that
 * forgers push nobody out; whoever has been pushed out can be replayed (protocol.md,
 * section 11).
 */
#include <crypto/utils.h>
#include <linux/list.h>
#include <linux/rhashtable.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include "srnic.h"
#include "engine/dgram.h"
#include "engine/open.h"
#include "trace/refuse.h"

/**
 * struct sender - one salt of one sender, towards one of our addresses or groups
 * @node: in srnic_dgram_in.senders
 * @all: in srnic_dgram_in.all, or .dead
 * @id: who
 * @lock: BH: @dgram
 * @dgram: its sub-key
 * @params: what that was made of; the worker's
 * @net: cookie of the namespace whose rule said so
 * @policy_seq: the rules then
 * @key_seq: and the keys
 * @proven: a datagram has verified
 * @used: jiffies, when one last did
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
 * struct srnic_dgram_in - of one device
 * @dev: which
 * @senders: struct sender, by id; read under RCU, changed by the worker
 * @all: the same; the worker's
 * @count: of them
 * @dead: those that are to be freed after a grace period; the worker's
 * @held: datagrams that wait for the worker: of srnic_rx_copy()
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

/* Do rules and keys still say what they said when the sub-key was derived? */
static bool is_fresh(const struct sender *sender, struct net *net)
{
	return READ_ONCE(sender->policy_seq) == srnic_policy_seq(net) &&
	       READ_ONCE(sender->key_seq) == srnic_key_seq(net) &&
	       READ_ONCE(sender->net) == net->net_cookie;
}

/* The worker derives the key. What could not be sealed by any does not wait for it. */
static int hold(struct srnic_dgram_in *in, const struct srnic_rx *rx, const struct srnic_pkt *pkt,
		const struct srnic_dgram_id *id)
{
	struct net *net = dev_net(rx->skb->dev);
	const u8 *gid = rx->multicast ? rx->ends.dgid : rx->ends.sgid;
	struct srnic_policy_brief brief = srnic_policy_brief(net, gid);
	struct sk_buff *skb;

	if (brief.rule == SRNIC_POLICY_OFF || !brief.datagrams)
		return -EPROTO;
	/* once is enough: the rules change faster than keys can be derived */
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

static int open_by(struct sender *sender, struct srnic_rx *rx, struct srnic_pkt *pkt)
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
	/* a tap's clone, or another member of the group, must not see plaintext */
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
 * srnic_dgram_in_open - check and remove a datagram's seal
 * @rx: what it came in
 * @pkt: with a good ICRC, and an STH; payload points to plaintext afterwards
 *
 * Context: softirq, or BHs off; under RCU.
 * Return: 0; -EINPROGRESS: it waits, and will come again; or else it is to be dropped:
 * -EPROTO (no seal of ours), -EMSGSIZE, -ENOBUFS (too many wait), -EALREADY (seen),
 * -EBADMSG, -EKEYEXPIRED or another errno (not what its sender sealed).
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
		return hold(in, rx, pkt, &id);
	return open_by(sender, rx, pkt);
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

/* Somebody may still look at it: it is freed by bury_dead(). */
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

/* What was sealed under the key before is not to be believed any more. */
static void change_key(struct sender *sender, struct srnic_dgram *dgram)
{
	spin_lock_bh(&sender->lock);
	swap(sender->dgram, dgram);
	sender->proven = false;
	spin_unlock_bh(&sender->lock);
	srnic_dgram_destroy(dgram);
}

/* The sub-key of @id, unless @sender has it: then the numbers seen under it stay. */
static struct sender *derive(struct srnic_dgram_in *in, struct sender *sender,
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

/* @sender: what is known of @id, or NULL. Returns an ERR_PTR if nothing is to be opened. */
static struct sender *learn(struct srnic_dgram_in *in, struct sender *sender, struct net *net,
			    const struct srnic_dgram_id *id)
{
	/* what changes from now on is looked at again */
	unsigned int policy_seq = srnic_policy_seq(net), key_seq = srnic_key_seq(net);
	struct srnic_dgram_params params;
	int err;

	err = srnic_dgram_resolve(net, id->sgid, id->dgid, SRNIC_TO_OPEN, &params);
	if (!err && !params.suite)
		err = -EPROTO;
	sender = err ? ERR_PTR(err) : derive(in, sender, id, &params);
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
 * The sender that has been silent for longest makes room: one of the newcomer's own
 * address, if that has more than its part.
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

static struct sender *find(struct srnic_dgram_in *in, const struct srnic_dgram_id *id)
{
	struct sender *sender;

	rcu_read_lock();
	sender = rhashtable_lookup(&in->senders, id, sender_params);
	rcu_read_unlock();
	return sender;	/* only the worker, who asks, takes it away */
}

static void refuse(struct srnic_dgram_in *in, const struct srnic_dgram_id *id, int err)
{
	if (err == -EPROTO || err == -EACCES)
		srnic_refuse_unread(in->dev, id->sgid, sth_unexpected);
	else
		srnic_refuse_unread(in->dev, id->sgid, sth_crowded);
}

static void admit(struct srnic_dgram_in *in, struct sk_buff *skb)
{
	const struct srnic_dgram_id id = *held_id(skb);
	struct net *net = dev_net(skb->dev);
	struct sender *sender = find(in, &id);

	if (!sender || !is_fresh(sender, net)) {
		sender = learn(in, sender, net, &id);
		if (IS_ERR(sender)) {
			refuse(in, &id, PTR_ERR(sender));
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

/* Allocations of keys must not wait for writeback, which may use a QP of this device. */
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
		admit(in, skb);
		cond_resched();
	}
	bury_dead(in);
	memalloc_noio_restore(noio);
	if (!skb_queue_empty(&in->held))
		queue_work(srnic_wq, &in->work);
}

/**
 * srnic_dgram_in_alloc - a device comes into being
 * @dev: the device
 *
 * Context: process.
 * Return: its senders, none yet; NULL for want of memory.
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
 * srnic_dgram_in_free - a device goes
 * @in: its senders; nothing comes in any more
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
