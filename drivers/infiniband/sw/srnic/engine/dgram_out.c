// SPDX-License-Identifier: GPL-2.0
/*
 * What our datagrams are sealed with: a queue pair has a salt, and for every destination
 * a key, which the worker derives when it is first needed.
 */
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include "srnic.h"
#include "engine/build.h"
#include "engine/dgram.h"
#include "engine/requester.h"
#include "engine/unlock.h"
#include "verbs/verbs.h"

#define KEY_BITS	6
#define ERROR_JIFFIES	HZ	/* how long want of memory is remembered */

/**
 * struct out_key - what datagrams to one destination are sealed with
 * @node: in srnic_dgram_out.keys, or .dead
 * @net: cookie of the namespace whose rule says so
 * @policy_seq: the rules then
 * @key_seq: and the keys
 * @id: of our queue pair towards the destination
 * @dgram: NULL: they go in the clear, unless @err
 * @err: -EACCES: they do not go; anything else: not now
 * @used: jiffies; with @err: when that was found
 */
struct out_key {
	struct hlist_node node;
	u64 net;
	unsigned int policy_seq;
	unsigned int key_seq;
	struct srnic_dgram_id id;
	struct srnic_dgram *dgram;
	int err;
	unsigned long used;
};

/**
 * struct srnic_dgram_out - of one queue pair, under its lock
 * @salt: random
 * @counter: emissions under it
 * @keys: struct out_key
 * @count: of them
 * @dead: likewise, for the worker to free
 * @wanted: a key is, to be made by the worker
 * @owed: it has been, and what waited for it is being sent; the worker's
 * @want_net: for it: held
 * @want_id: likewise; its salt is ours
 */
struct srnic_dgram_out {
	u64 salt;
	u64 counter;
	DECLARE_HASHTABLE(keys, KEY_BITS);
	u32 count;
	struct hlist_head dead;
	bool wanted;
	bool owed;
	struct net *want_net;
	struct srnic_dgram_id want_id;
};

static u32 hash_of(const u8 dgid[SRNIC_GID_LEN])
{
	return jhash(dgid, SRNIC_GID_LEN, 0);
}

static bool key_valid(const struct out_key *key, struct net *net)
{
	if (key->net != net->net_cookie || key->policy_seq != srnic_policy_seq(net) ||
	    key->key_seq != srnic_key_seq(net))
		return false;
	return !key->err || key->err == -EACCES || time_before(jiffies, key->used + ERROR_JIFFIES);
}

static void key_bury(struct srnic_dgram_out *out, struct out_key *key)
{
	hash_del(&key->node);
	hlist_add_head(&key->node, &out->dead);
	out->count--;
}

/* Everything was made under the salt. */
static void new_salt(struct srnic_dgram_out *out)
{
	struct hlist_node *next;
	struct out_key *key;
	int i;

	hash_for_each_safe(out->keys, i, next, key, node)
		key_bury(out, key);
	out->salt = get_random_u64();
	out->counter = 0;
}

/* The worker is asked for a key, if it is not at work on one already. */
static int want(struct srnic_qp *qp, const struct srnic_path *path)
{
	struct srnic_dgram_out *out = qp->dgram_out;
	struct net *net;

	if (out->wanted)
		return -ENOKEY;
	net = maybe_get_net(path->net);
	if (!net)
		return -ENETDOWN;
	out->want_net = net;
	out->want_id = (struct srnic_dgram_id){ .salt = out->salt, .sqpn = qp->ib.qp_num };
	memcpy(out->want_id.sgid, path->ends.sgid, SRNIC_GID_LEN);
	memcpy(out->want_id.dgid, path->ends.dgid, SRNIC_GID_LEN);
	out->wanted = true;
	if (qp->pd)
		atomic_inc(&qp->pd->dgrams_wait);
	srnic_qp_kick(qp, SRNIC_QP_WORK_DGRAM);
	return -ENOKEY;
}

/**
 * srnic_dgram_out_find - what datagrams that go a way are sealed with
 * @qp: their sender
 * @path: the way; its rule is not 'off'
 *
 * Good for a turn's packets.
 *
 * Context: any up to softirq, under the QP's lock.
 * Return: the key; NULL: they go in the clear; or an ERR_PTR: -EACCES: policy does not let
 * them go; -ENOKEY: the worker makes the key, and sends then; anything else: they are lost.
 */
struct srnic_dgram *srnic_dgram_out_find(struct srnic_qp *qp, const struct srnic_path *path)
{
	struct srnic_dgram_out *out = qp->dgram_out;
	struct out_key *key;

	lockdep_assert_held(&qp->lock);

	if (out->counter > SRNIC_DGRAM_EMISSIONS - SRNIC_TURN)
		new_salt(out);
	hash_for_each_possible(out->keys, key, node, hash_of(path->ends.dgid)) {
		if (!srnic_gid_equal(key->id.dgid, path->ends.dgid) ||
		    !srnic_gid_equal(key->id.sgid, path->ends.sgid))
			continue;
		if (!key_valid(key, path->net)) {
			key_bury(out, key);
			break;
		}
		if (key->err)
			return ERR_PTR(key->err);
		key->used = jiffies;
		return key->dgram;
	}
	return ERR_PTR(want(qp, path));
}

/**
 * srnic_dgram_out_number - the number of the datagram that is sealed next
 * @qp: its sender, of which srnic_dgram_out_find() found a key
 *
 * Counts it, whatever becomes of it: no nonce is used twice.
 */
u64 srnic_dgram_out_number(struct srnic_qp *qp)
{
	lockdep_assert_held(&qp->lock);

	return qp->dgram_out->counter++;
}

static void free_dead(struct hlist_head *dead)
{
	struct hlist_node *next;
	struct out_key *key;

	hlist_for_each_entry_safe(key, next, dead, node) {
		srnic_dgram_destroy(key->dgram);
		kfree(key);
	}
}

/**
 * srnic_dgram_out_alloc - a queue pair that sends datagrams comes into being
 * @qp: the QP
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int srnic_dgram_out_alloc(struct srnic_qp *qp)
{
	struct srnic_dgram_out *out = kzalloc(sizeof(*out), GFP_KERNEL_ACCOUNT);

	if (!out)
		return -ENOMEM;
	hash_init(out->keys);
	INIT_HLIST_HEAD(&out->dead);
	new_salt(out);
	qp->dgram_out = out;
	return 0;
}

/* Makes what was asked for; its error, if there is one, stands in it. */
static struct out_key *make_key(struct net *net, const struct srnic_dgram_id *id)
{
	struct out_key *key = kzalloc(sizeof(*key), GFP_KERNEL);
	struct srnic_dgram_params params;

	if (!key)
		return NULL;
	key->id = *id;
	key->net = net->net_cookie;
	/* what changes from now on makes it invalid */
	key->policy_seq = srnic_policy_seq(net);
	key->key_seq = srnic_key_seq(net);
	key->used = jiffies;

	key->err = srnic_dgram_resolve(net, id->sgid, id->dgid, SRNIC_TO_SEAL, &params);
	if (!key->err && params.suite) {
		key->dgram = srnic_dgram_create(&params, id);
		if (IS_ERR(key->dgram)) {
			key->err = PTR_ERR(key->dgram);
			key->dgram = NULL;
		}
	}
	memzero_explicit(&params, sizeof(params));
	return key;
}

/* The one that nobody has used for longest makes room. */
static void make_room(struct srnic_dgram_out *out)
{
	struct out_key *key, *oldest = NULL;
	int i;

	if (out->count < SRNIC_MAX_DGRAM_PEERS)
		return;
	hash_for_each(out->keys, i, key, node)
		if (!oldest || time_before(key->used, oldest->used))
			oldest = key;
	key_bury(out, oldest);
}

static void add_key(struct srnic_dgram_out *out, struct out_key *key)
{
	if (key->id.salt != out->salt) {
		hlist_add_head(&key->node, &out->dead);
		return;
	}
	make_room(out);
	hash_add(out->keys, &key->node, hash_of(key->id.dgid));
	out->count++;
}

static bool take_want(struct srnic_qp *qp, struct net **net, struct srnic_dgram_id *id)
{
	struct srnic_dgram_out *out = qp->dgram_out;
	bool wanted;

	srnic_qp_lock(qp);
	wanted = out->wanted;
	*net = out->want_net;
	*id = out->want_id;
	srnic_qp_unlock(qp, true);
	return wanted;
}

static void end_wait(struct srnic_qp *qp)
{
	if (qp->pd && atomic_dec_and_test(&qp->pd->dgrams_wait))
		wake_up_var(&qp->pd->dgrams_wait);
}

/**
 * srnic_dgram_out_work - the worker's part: make the key that is wanted, and send
 * @qp: the QP
 *
 * Context: process; one at a time for one QP.
 */
void srnic_dgram_out_work(struct srnic_qp *qp)
{
	struct srnic_dgram_out *out = qp->dgram_out;
	struct srnic_dgram_id id;
	struct hlist_head dead;
	struct out_key *key;
	struct net *net;

	if (!take_want(qp, &net, &id))
		return;
	key = make_key(net, &id);

	srnic_qp_lock(qp);
	out->wanted = false;
	if (key)
		add_key(out, key);
	hlist_move_list(&out->dead, &dead);
	srnic_qp_unlock(qp, true);
	put_net(net);
	free_dead(&dead);
	/* of one that was owed already, the other is taken over */
	if (out->owed)
		end_wait(qp);
	out->owed = true;
	set_bit(SRNIC_QP_WORK_SEND, &qp->work_bits);
}

/**
 * srnic_dgram_out_sent - the worker has sent all that it could
 * @qp: the QP; it may be a connected one
 *
 * What waited for a key has gone, or waits for another.
 *
 * Context: process.
 */
void srnic_dgram_out_sent(struct srnic_qp *qp)
{
	struct srnic_dgram_out *out = qp->dgram_out;

	if (!out || !out->owed)
		return;
	out->owed = false;
	end_wait(qp);
}

/**
 * srnic_dgram_out_wait - wait until what was posted can have been sent
 * @pd: a domain, whose address handle is to go
 *
 * Adapters that put addresses into the work request have taught programs that a handle may be
 * destroyed when it has been posted. Here a datagram may wait for its key, and what is behind
 * it, too. Not for longer than a second: nobody is entitled to it.
 *
 * Context: process.
 */
void srnic_dgram_out_wait(struct srnic_pd *pd)
{
	wait_var_event_timeout(&pd->dgrams_wait, !atomic_read(&pd->dgrams_wait), HZ);
}

/**
 * srnic_dgram_out_forget - a queue pair is reset
 * @qp: its worker is at rest; it may be a connected one
 *
 * Context: process.
 */
void srnic_dgram_out_forget(struct srnic_qp *qp)
{
	struct srnic_dgram_out *out = qp->dgram_out;

	srnic_dgram_out_sent(qp);
	if (!out || !out->wanted)
		return;
	out->wanted = false;
	put_net(out->want_net);
	end_wait(qp);
}

/**
 * srnic_dgram_out_free - a queue pair goes
 * @qp: forgotten; it may be a connected one
 *
 * Context: process.
 */
void srnic_dgram_out_free(struct srnic_qp *qp)
{
	struct srnic_dgram_out *out = qp->dgram_out;

	if (!out)
		return;
	new_salt(out);
	free_dead(&out->dead);
	kfree_sensitive(out);
	qp->dgram_out = NULL;
}
