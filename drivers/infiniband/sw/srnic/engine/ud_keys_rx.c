// SPDX-License-Identifier: GPL-2.0
/*
 * State of the senders of incoming datagrams: for each salt of a sender, a sub-key and the
 * numbers seen under it; or two, while the rule's key has two secrets. The first datagram under a
 * salt waits until the worker has derived the sub-keys. The worker keeps a sender only after one
 * of its datagrams has verified, so that forgeries evict no other sender. Datagrams of an evicted
 * sender can be replayed (protocol.md, section 11). A change of rules or keys discards sub-keys
 * (ud_keys_discard.c).
 */
#include <crypto/utils.h>
#include <linux/list.h>
#include <linux/rhashtable.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include "srnic.h"
#include "engine/open.h"
#include "engine/ud_keys.h"
#include "trace/drop.h"

/**
 * struct sender_key - A sub-key of a sender
 * @dgram: the sub-key; NULL: there is none
 * @params: input of its derivation, without another K_UD
 * @proven: a datagram has verified under it
 */
struct sender_key {
	struct srnic_dgram *dgram;
	struct srnic_dgram_params params;
	bool proven;
};

/**
 * struct sender_keys - The sub-keys of a sender
 * @of: the one that is tried first, and another or none
 */
struct sender_keys {
	struct sender_key of[SRNIC_SECRETS];
};

/**
 * struct sender - One salt of one sender, towards one of our addresses or groups
 * @node: entry in srnic_dgram_in.senders
 * @all: entry in srnic_dgram_in.all or .dead
 * @id: identity of the sub-keys
 * @lock: BH; protects @keys
 * @keys: the sub-keys
 * @net: cookie of the namespace whose rule determined @keys
 * @policy_seq: version of the rules at that time
 * @key_seq: version of the keys at that time
 * @used: jiffies: when a datagram last verified
 */
struct sender {
	struct rhash_head node;
	struct list_head all;
	struct srnic_dgram_id id;
	spinlock_t lock;			/* keys */
	struct sender_keys keys;
	u64 net;
	unsigned int policy_seq;
	unsigned int key_seq;
	unsigned long used;
};

/**
 * struct srnic_dgram_in - The senders of a device
 * @dev: the device
 * @lock: protects @senders, @all, @count and @dead, and what sub-keys a sender has
 * @senders: struct sender, by id; read under RCU
 * @all: list of the same senders
 * @count: number of senders
 * @dead: senders to be freed after a grace period
 * @deferred: datagrams that wait for the worker, from srnic_rx_copy()
 * @work: the worker
 */
struct srnic_dgram_in {
	struct srnic_dev *dev;
	struct mutex lock;			/* the senders */
	struct rhashtable senders;
	struct list_head all;
	u32 count;
	struct list_head dead;
	struct sk_buff_head deferred;
	struct work_struct work;
};

static const struct rhashtable_params sender_params = {
	.key_len = sizeof_field(struct sender, id),
	.key_offset = offsetof(struct sender, id),
	.head_offset = offsetof(struct sender, node),
	.automatic_shrinking = true,
};

static struct srnic_dgram_id *deferred_id(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct srnic_dgram_id) > sizeof(skb->cb));
	return (struct srnic_dgram_id *)skb->cb;
}

/* Return whether the rules and keys are still those from which the sub-keys were derived. */
static bool sender_is_current(const struct sender *sender, struct net *net)
{
	return READ_ONCE(sender->policy_seq) == srnic_policy_seq(net) &&
	       READ_ONCE(sender->key_seq) == srnic_key_seq(net) &&
	       READ_ONCE(sender->net) == net->net_cookie;
}

/* Defer a datagram until the worker has derived the sub-key, if the rule allows a seal at all. */
static int datagram_defer(struct srnic_dgram_in *in, const struct srnic_rx *rx,
			  const struct srnic_pkt *pkt)
{
	struct net *net = dev_net(rx->skb->dev);
	const u8 *gid = rx->multicast ? rx->ends.dgid : rx->ends.sgid;
	struct srnic_policy_brief brief = srnic_policy_brief(net, gid);
	struct sk_buff *skb;

	if (brief.rule == SRNIC_POLICY_OFF || !brief.datagrams)
		return -EPROTO;
	/* not a second time: the rules change faster than the worker derives keys */
	if (rx->reinjected || skb_queue_len_lockless(&in->deferred) >= SRNIC_MAX_DGRAM_DEFERRED)
		return -ENOBUFS;
	skb = srnic_rx_copy(rx, pkt);
	if (!skb)
		return -ENOBUFS;
	/* The rule tells which form a datagram has, never the datagram. */
	srnic_dgram_id_of(pkt, brief.opaque ? SRNIC_STH_OPAQUE : SRNIC_STH_AEAD, deferred_id(skb));
	skb_queue_tail(&in->deferred, skb);
	queue_work(srnic_wq, &in->work);
	return -EINPROGRESS;
}

/*
 * Open a datagram by the sub-key that it is sealed under. The sender uses one of the two for long,
 * so the one that has verified is tried first from then on.
 */
static int open_by_either(struct sender_keys *keys, struct srnic_pkt *pkt,
			  const struct srnic_sth_payload *payload)
{
	int err;

	err = srnic_dgram_open(keys->of[0].dgram, pkt, payload);
	if (err == -EBADMSG && unlikely(keys->of[1].dgram)) {
		err = srnic_dgram_open(keys->of[1].dgram, pkt, payload);
		if (!err)
			swap(keys->of[0], keys->of[1]);
	}
	if (!err)
		keys->of[0].proven = true;
	return err;
}

static int sender_open(struct sender *sender, struct srnic_rx *rx, struct srnic_pkt *pkt)
{
	struct sender_keys *keys = &sender->keys;
	struct srnic_opening opening __uninitialized;
	struct srnic_sth_payload payload;
	int err = -EMSGSIZE;

	spin_lock(&sender->lock);
	/* A second attempt needs the ciphertext, which a first one in place destroys. */
	if (srnic_opening_init(&opening, rx, pkt, srnic_dgram_mode(keys->of[0].dgram),
			       keys->of[1].dgram ? SRNIC_KEEP_SOURCE : SRNIC_SPEND_SOURCE)) {
		payload = srnic_opening_payload(&opening);
		err = open_by_either(keys, pkt, &payload);
	}
	if (!err) {
		srnic_opening_take(&opening, pkt);
		sender->used = jiffies;
	}
	spin_unlock(&sender->lock);
	return err;
}

/*
 * Return the sender whose sub-key a datagram claims, or NULL. An id has its form, so a sender is
 * found only by the form of the rule that its sub-keys were derived from.
 */
static struct sender *claimed_sender(struct srnic_dgram_in *in, const struct srnic_pkt *pkt)
{
	struct srnic_dgram_id id;
	struct sender *sender;

	srnic_dgram_id_of(pkt, SRNIC_STH_AEAD, &id);
	sender = rhashtable_lookup(&in->senders, &id, sender_params);
	if (sender)
		return sender;
	srnic_dgram_id_of(pkt, SRNIC_STH_OPAQUE, &id);
	return rhashtable_lookup(&in->senders, &id, sender_params);
}

/**
 * srnic_dgram_in_open() - Verify and remove the seal of a datagram
 * @rx: carrier of the packet
 * @pkt: a packet with a correct ICRC and an STH; on success, its payload and its extension
 *	headers are plaintext
 *
 * Context: softirq, or BHs off; under RCU.
 * Return: 0; -EINPROGRESS if the datagram is deferred and will be received again; otherwise the
 * reason to drop it: -EPROTO (unexpected kind of seal), -EMSGSIZE, -ENOBUFS (too many deferred),
 * -EALREADY (replayed), -EBADMSG, -EKEYEXPIRED or another errno (verification failed).
 */
int srnic_dgram_in_open(struct srnic_rx *rx, struct srnic_pkt *pkt)
{
	struct srnic_dgram_in *in = rx->dev->dgram_in;
	struct sender *sender;

	if (pkt->sth_code != SRNIC_DGRAM_CODE)
		return -EPROTO;
	sender = claimed_sender(in, pkt);
	if (unlikely(!sender || !sender_is_current(sender, dev_net(rx->skb->dev))))
		return datagram_defer(in, rx, pkt);
	return sender_open(sender, rx, pkt);
}

static bool kud_equal(const u8 *a, const u8 *b)
{
	return !crypto_memneq(a, b, SRNIC_STH_KDF_KEY_LEN);
}

/* Return whether a rule's key, which may have two secrets, yields a sub-key. */
static bool params_yield(const struct srnic_dgram_params *params, const struct sender_key *key)
{
	return key->dgram && key->params.suite == params->suite &&
	       key->params.mode == params->mode &&
	       (kud_equal(key->params.kud, params->kud) ||
		(params->has_other && kud_equal(key->params.kud, params->other_kud)));
}

/* Free and wipe sub-keys. */
static void keys_free(struct sender_keys *keys)
{
	unsigned int i;

	for (i = 0; i < SRNIC_SECRETS; i++)
		srnic_dgram_destroy(keys->of[i].dgram);
	memzero_explicit(keys, sizeof(*keys));
}

static void sender_free(struct sender *sender)
{
	keys_free(&sender->keys);
	kfree_sensitive(sender);
}

static struct sender *sender_new(struct srnic_dgram_in *in, const struct srnic_dgram_id *id,
				 const struct sender_keys *keys)
{
	struct sender *sender = kzalloc(sizeof(*sender), GFP_KERNEL);
	int err;

	lockdep_assert_held(&in->lock);
	if (!sender)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&sender->lock);
	sender->id = *id;
	sender->keys = *keys;
	sender->used = jiffies;
	err = rhashtable_insert_fast(&in->senders, &sender->node, sender_params);
	if (err) {
		kfree_sensitive(sender);
		return ERR_PTR(err);
	}
	list_add(&sender->all, &in->all);
	in->count++;
	return sender;
}

/* RCU readers may still use the sender: free_dead_senders() frees it. */
static void sender_remove(struct srnic_dgram_in *in, struct sender *sender)
{
	lockdep_assert_held(&in->lock);
	rhashtable_remove_fast(&in->senders, &sender->node, sender_params);
	list_move(&sender->all, &in->dead);
	in->count--;
}

static void free_dead_senders(struct srnic_dgram_in *in)
{
	struct sender *sender, *next;

	lockdep_assert_held(&in->lock);
	if (list_empty(&in->dead))
		return;
	synchronize_rcu();
	list_for_each_entry_safe(sender, next, &in->dead, all) {
		list_del(&sender->all);
		sender_free(sender);
	}
}

static bool sender_proven(struct sender *sender)
{
	bool proven;

	spin_lock_bh(&sender->lock);
	proven = sender->keys.of[0].proven || sender->keys.of[1].proven;
	spin_unlock_bh(&sender->lock);
	return proven;
}

/* Return the sub-key that was derived from @params, which have one K_UD, or NULL. */
static struct sender_key *find_key(struct sender_keys *keys,
				   const struct srnic_dgram_params *params)
{
	unsigned int i;

	for (i = 0; i < SRNIC_SECRETS; i++)
		if (params_yield(params, &keys->of[i]))
			return &keys->of[i];
	return NULL;
}

/* The answer stays true under the lock of struct srnic_dgram_in. */
static bool sender_has_key(struct sender *sender, const struct srnic_dgram_params *params)
{
	bool has;

	spin_lock_bh(&sender->lock);
	has = find_key(&sender->keys, params);
	spin_unlock_bh(&sender->lock);
	return has;
}

/*
 * Replace the sub-keys by those of @keys, and keep a sub-key that @sender has already, with its
 * replay window. Only a datagram under one of them makes the sender proven. @keys gets those that
 * have to be freed.
 */
static void sender_set_keys(struct sender *sender, struct sender_keys *keys)
{
	unsigned int i;

	spin_lock_bh(&sender->lock);
	for (i = 0; i < SRNIC_SECRETS; i++) {
		struct sender_key *key = find_key(&sender->keys, &keys->of[i].params);

		if (key)
			swap(*key, keys->of[i]);
	}
	swap(sender->keys, *keys);
	spin_unlock_bh(&sender->lock);
}

/*
 * Derive a sub-key from each K_UD of @params, except those that @sender, which may be NULL, has
 * already. On failure there are none.
 */
static int keys_derive(struct sender *sender, const struct srnic_dgram_id *id,
		       const struct srnic_dgram_params *params, struct sender_keys *keys)
{
	unsigned int i;
	int err = 0;

	memset(keys, 0, sizeof(*keys));
	for (i = 0; !err && i <= params->has_other; i++) {
		struct sender_key *key = &keys->of[i];

		key->params.suite = params->suite;
		key->params.mode = params->mode;
		memcpy(key->params.kud, i ? params->other_kud : params->kud,
		       sizeof(key->params.kud));
		if (sender && sender_has_key(sender, &key->params))
			continue;
		key->dgram = srnic_dgram_create(&key->params, id);
		if (IS_ERR(key->dgram)) {
			err = PTR_ERR(key->dgram);
			key->dgram = NULL;
		}
	}
	if (err)
		keys_free(keys);
	return err;
}

/*
 * Derive the sub-keys of @id, and store them in @sender, or in a new one if that is NULL. Return
 * the sender, or an ERR_PTR.
 */
static struct sender *sender_derive(struct srnic_dgram_in *in, struct sender *sender,
				    const struct srnic_dgram_id *id,
				    const struct srnic_dgram_params *params)
{
	struct sender_keys keys;
	int err;

	err = keys_derive(sender, id, params, &keys);
	if (err)
		return ERR_PTR(err);
	if (sender) {
		sender_set_keys(sender, &keys);
		keys_free(&keys);
		return sender;
	}
	sender = sender_new(in, id, &keys);
	if (IS_ERR(sender))
		keys_free(&keys);
	else
		memzero_explicit(&keys, sizeof(keys));
	return sender;
}

/* Update @sender, or add the sender of @id if it is NULL. An ERR_PTR: its datagrams are dropped. */
static struct sender *sender_learn(struct srnic_dgram_in *in, struct sender *sender,
				   struct net *net, const struct srnic_dgram_id *id)
{
	/* read first, so that later changes are noticed */
	unsigned int policy_seq = srnic_policy_seq(net), key_seq = srnic_key_seq(net);
	struct srnic_dgram_params params;
	bool opaque;
	int err;

	err = srnic_dgram_resolve(net, id->sgid, id->dgid, SRNIC_TO_OPEN, &params);
	opaque = params.mode == SRNIC_STH_OPAQUE;
	/* The rule may have changed since the datagram came. */
	if (!err && (!params.suite || opaque != id->opaque))
		err = -EPROTO;
	sender = err ? ERR_PTR(err) : sender_derive(in, sender, id, &params);
	if (!IS_ERR(sender)) {
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
static void sender_evict(struct srnic_dgram_in *in, const struct sender *newcomer)
{
	struct sender *sender, *oldest = NULL, *host_oldest = NULL;
	u32 host_count = 0;

	if (in->count <= SRNIC_MAX_DGRAM_SENDERS)
		return;
	list_for_each_entry(sender, &in->all, all) {
		if (sender == newcomer)
			continue;
		if (!oldest || time_before(sender->used, oldest->used))
			oldest = sender;
		if (!srnic_gid_equal(sender->id.sgid, newcomer->id.sgid))
			continue;
		host_count++;
		if (!host_oldest || time_before(sender->used, host_oldest->used))
			host_oldest = sender;
	}
	sender_remove(in, host_count > SRNIC_MAX_DGRAM_SENDERS / 8 ? host_oldest : oldest);
}

static struct sender *sender_find(struct srnic_dgram_in *in, const struct srnic_dgram_id *id)
{
	struct sender *sender;

	lockdep_assert_held(&in->lock);
	rcu_read_lock();
	sender = rhashtable_lookup(&in->senders, id, sender_params);
	rcu_read_unlock();
	return sender;
}

static void datagram_count_drop(struct srnic_dgram_in *in, const struct srnic_dgram_id *id, int err)
{
	if (err == -EPROTO || err == -EACCES)
		srnic_count_drop_unparsed(in->dev, id->sgid, SRNIC_STAT_sth_unexpected);
	else
		srnic_count_drop_unparsed(in->dev, id->sgid, SRNIC_STAT_sth_crowded);
}

static void datagram_resume(struct srnic_dgram_in *in, struct sk_buff *skb)
{
	const struct srnic_dgram_id id = *deferred_id(skb);
	struct net *net = dev_net(skb->dev);
	struct sender *sender = sender_find(in, &id);

	if (!sender || !sender_is_current(sender, net)) {
		sender = sender_learn(in, sender, net, &id);
		if (IS_ERR(sender)) {
			datagram_count_drop(in, &id, PTR_ERR(sender));
			srnic_rx_free_copy(skb);
			return;
		}
	}
	srnic_rx_reinject(in->dev, skb);
	if (sender_proven(sender))
		sender_evict(in, sender);
	else
		sender_remove(in, sender);
}

/* Writeback may use a QP of this device, so allocations of keys must not wait for it. */
static void dgram_in_work(struct work_struct *work)
{
	struct srnic_dgram_in *in = container_of(work, struct srnic_dgram_in, work);
	unsigned int noio = memalloc_noio_save();
	struct sk_buff *skb;
	int n;

	mutex_lock(&in->lock);
	for (n = 0; n < SRNIC_MAX_DGRAM_DEFERRED; n++) {
		skb = skb_dequeue(&in->deferred);
		if (!skb)
			break;
		datagram_resume(in, skb);
		cond_resched();
	}
	free_dead_senders(in);
	mutex_unlock(&in->lock);
	memalloc_noio_restore(noio);
	if (!skb_queue_empty(&in->deferred))
		queue_work(srnic_wq, &in->work);
}

/*
 * Free a sub-key of @sender that @params do not yield, if they yield the other one. Return false
 * if they yield none.
 */
static bool sender_keep_yielded(struct sender *sender, const struct srnic_dgram_params *params)
{
	struct sender_keys *keys = &sender->keys;
	struct sender_keys stale = {};
	bool yielded[SRNIC_SECRETS];
	unsigned int i;

	spin_lock_bh(&sender->lock);
	for (i = 0; i < SRNIC_SECRETS; i++)
		yielded[i] = params_yield(params, &keys->of[i]);
	/* RCU readers use the first one without looking whether there is one */
	if (yielded[1] && !yielded[0])
		swap(keys->of[0], keys->of[1]);
	if (yielded[0] != yielded[1])
		swap(keys->of[1], stale.of[1]);
	spin_unlock_bh(&sender->lock);
	keys_free(&stale);
	return yielded[0] || yielded[1];
}

static void sender_discard(struct srnic_dgram_in *in, struct sender *sender, struct net *net)
{
	struct srnic_dgram_params params;
	int err;

	err = srnic_dgram_resolve(net, sender->id.sgid, sender->id.dgid, SRNIC_TO_OPEN, &params);
	/* If this cannot be told, the sender stays as it is, so that nothing can be replayed. */
	if ((!err || err == -EACCES) && !sender_keep_yielded(sender, &params))
		sender_remove(in, sender);
	memzero_explicit(&params, sizeof(params));
}

/**
 * srnic_dgram_in_discard() - Discard the sub-keys that the rules and keys no longer yield
 * @in: sender state of a device
 * @net: namespace whose rules or keys have changed
 *
 * They are wiped when it returns, unless there is no memory to derive what the rules yield.
 *
 * Context: process. The worker waits for this, so allocations must not wait for writeback.
 */
void srnic_dgram_in_discard(struct srnic_dgram_in *in, struct net *net)
{
	unsigned int noio = memalloc_noio_save();
	struct sender *sender, *next;

	mutex_lock(&in->lock);
	list_for_each_entry_safe(sender, next, &in->all, all) {
		if (sender->net == net->net_cookie && !sender_is_current(sender, net))
			sender_discard(in, sender, net);
		cond_resched();
	}
	free_dead_senders(in);
	mutex_unlock(&in->lock);
	memalloc_noio_restore(noio);
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
	mutex_init(&in->lock);
	INIT_LIST_HEAD(&in->all);
	INIT_LIST_HEAD(&in->dead);
	skb_queue_head_init(&in->deferred);
	INIT_WORK(&in->work, dgram_in_work);
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
	while ((skb = skb_dequeue(&in->deferred)))
		srnic_rx_free_copy(skb);
	mutex_lock(&in->lock);
	list_for_each_entry_safe(sender, next, &in->all, all)
		sender_remove(in, sender);
	free_dead_senders(in);
	mutex_unlock(&in->lock);
	rhashtable_destroy(&in->senders);
	kfree(in);
}
