// SPDX-License-Identifier: GPL-2.0
/*
 * Seals of outgoing datagrams: each QP has a salt, and a key for each destination, which the
 * worker derives at first use.
 */
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include "srnic.h"
#include "engine/build.h"
#include "engine/due.h"
#include "engine/requester.h"
#include "engine/ud_keys.h"
#include "engine/unlock.h"
#include "verbs/verbs.h"

#define KEY_BITS	6
#define ERROR_JIFFIES	HZ	/* time for which a lack of memory is remembered */

/**
 * struct out_key - The key of datagrams to one destination
 * @node: entry in srnic_dgram_out.keys or .dead
 * @net: cookie of the namespace whose rule determined the seal
 * @policy_seq: version of the rules at that time
 * @key_seq: version of the keys at that time
 * @id: identity of the sub-key, from our QP to the destination
 * @dgram: the sub-key; NULL: datagrams go in the clear, unless @err
 * @err: -EACCES: datagrams must not be sent; another errno: not at present
 * @used: jiffies: last use; with @err: when the error occurred
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
 * struct srnic_dgram_out - Seals of a QP's datagrams, under the QP's lock
 * @salt: random salt
 * @counter: number of datagrams sealed under @salt
 * @keys: struct out_key, by destination
 * @count: number of entries in @keys
 * @dead: struct out_key that the worker must free
 * @wanted: the worker must derive a key
 * @owed: the worker has derived a key and sends the datagrams that waited for it; used by the
 *	worker only
 * @want_net: namespace for the wanted key; a reference is held
 * @want_id: identity of the wanted key; its salt is @salt
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

/* Discard all keys, which were derived for the former salt. */
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

/* Ask the worker for a key, unless it already has to derive one. */
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
 * srnic_dgram_out_find() - Find the seal of datagrams on a path
 * @qp: QP that sends
 * @path: the path; its rule is not 'off'
 *
 * The key may be used for all packets of a turn.
 *
 * Context: any up to softirq, under the QP's lock.
 * Return: the key; NULL if datagrams go in the clear; or an ERR_PTR: -EACCES if the policy
 * forbids them, -ENOKEY if the worker will derive the key and then send, any other error if
 * they are lost.
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
 * srnic_dgram_out_number() - Return the number of the next sealed datagram
 * @qp: QP that sends, for which srnic_dgram_out_find() has found a key
 *
 * The number is used up even if the datagram is not sent, so that no nonce is used twice.
 *
 * Context: any up to softirq, under the QP's lock.
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
 * srnic_dgram_out_alloc() - Allocate the seals of a new QP for datagrams
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

/* Make the wanted key. If it cannot be derived, it stores the errno; NULL: no memory. */
static struct out_key *make_key(struct net *net, const struct srnic_dgram_id *id)
{
	struct out_key *key = kzalloc(sizeof(*key), GFP_KERNEL);
	struct srnic_dgram_seal seal;

	if (!key)
		return NULL;
	key->id = *id;
	key->net = net->net_cookie;
	/* read first: later changes make the key invalid */
	key->policy_seq = srnic_policy_seq(net);
	key->key_seq = srnic_key_seq(net);
	key->used = jiffies;

	key->err = srnic_dgram_resolve(net, id->sgid, id->dgid, true, &seal);
	if (!key->err && seal.suite) {
		key->dgram = srnic_dgram_create(&seal, id);
		if (IS_ERR(key->dgram)) {
			key->err = PTR_ERR(key->dgram);
			key->dgram = NULL;
		}
	}
	memzero_explicit(&seal, sizeof(seal));
	return key;
}

/* Discard the least recently used key. */
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
 * srnic_dgram_out_work() - Make the key that is wanted, and request sending
 * @qp: the QP
 *
 * Context: process, in the worker of the QP.
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
	/* a former wait that has not ended becomes one with this wait */
	if (out->owed)
		end_wait(qp);
	out->owed = true;
	set_bit(SRNIC_QP_WORK_SEND, &qp->work_bits);
}

/**
 * srnic_dgram_out_sent() - End the wait for a key after the worker has sent
 * @qp: the QP; it may be a connected one
 *
 * The datagrams that waited for the key have been sent, or wait for another key.
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
 * srnic_dgram_out_wait() - Wait until no QP of a PD waits for the key of a datagram
 * @pd: protection domain of an address handle that is to be destroyed
 *
 * Other adapters copy the address into the work request, so programs destroy an address handle
 * as soon as they have posted. Here, a datagram and those behind it may wait for a key. The
 * wait is limited to a second, because programs are not entitled to it.
 *
 * Context: process.
 */
void srnic_dgram_out_wait(struct srnic_pd *pd)
{
	wait_var_event_timeout(&pd->dgrams_wait, !atomic_read(&pd->dgrams_wait), HZ);
}

/**
 * srnic_dgram_out_forget() - Discard a QP's request for a key, when the QP is reset
 * @qp: the QP; its worker does not run; it may be a connected one
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
 * srnic_dgram_out_free() - Free the seals of a QP that is destroyed
 * @qp: the QP, without a wanted key; it may be a connected one
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
