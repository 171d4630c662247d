// SPDX-License-Identifier: GPL-2.0
/*
 * Seals of outgoing datagrams: each QP has a salt, and a key for each destination, which the
 * worker derives at first use.
 */
#include <linux/jhash.h>
#include <linux/random.h>
#include <linux/slab.h>
#include "export.h"
#include "srnic.h"
#include "engine/build.h"
#include "engine/due.h"
#include "engine/ud_keys.h"
#include "engine/ud_keys_tx.h"
#include "mem/mem.h"

#define ERROR_JIFFIES	HZ	/* time for which a lack of memory is remembered */

static u32 dgid_hash(const u8 dgid[SRNIC_GID_LEN])
{
	return jhash(dgid, SRNIC_GID_LEN, 0);
}

static bool out_key_valid(const struct srnic_out_key *key, struct net *net)
{
	if (key->net != net->net_cookie || key->policy_seq != srnic_policy_seq(net) ||
	    key->key_seq != srnic_key_seq(net))
		return false;
	return !key->err || key->err == -EACCES || time_before(jiffies, key->used + ERROR_JIFFIES);
}

static void out_key_remove(struct srnic_dgram_out *out, struct srnic_out_key *key)
{
	hash_del(&key->node);
	hlist_add_head(&key->node, &out->dead);
	out->count--;
}

/**
 * srnic_dgram_out_discard() - Discard the keys that were derived before a change
 * @qp: QP that sends datagrams
 * @net: namespace whose rules or keys have changed
 *
 * Context: any up to softirq, under the QP's lock.
 * Return: true if the worker has keys to free.
 */
bool srnic_dgram_out_discard(struct srnic_qp *qp, struct net *net)
{
	struct srnic_dgram_out *out = qp->dgram_out;
	struct hlist_node *next;
	struct srnic_out_key *key;
	int i;

	lockdep_assert_held(&qp->lock);

	hash_for_each_safe(out->keys, i, next, key, node)
		if (key->net == net->net_cookie && !out_key_valid(key, net))
			out_key_remove(out, key);
	return !hlist_empty(&out->dead);
}

/* Discard all keys, which were derived for the former salt. */
static void out_new_salt(struct srnic_dgram_out *out)
{
	struct hlist_node *next;
	struct srnic_out_key *key;
	int i;

	hash_for_each_safe(out->keys, i, next, key, node)
		out_key_remove(out, key);
	out->life = srnic_sth_life();	/* first, so that the salt is not from an earlier one */
	out->salt = get_random_u64();
	out->counter = 0;
}

/* Request a key from the worker, unless it already has to derive one. */
static int out_key_request(struct srnic_qp *qp, const struct srnic_path *path)
{
	struct srnic_dgram_out *out = qp->dgram_out;
	struct net *net;

	if (out->key_requested || out->deriving)
		return -ENOKEY;
	net = maybe_get_net(path->net);
	if (!net)
		return -ENETDOWN;
	out->req_net = net;
	out->req_id = (struct srnic_dgram_id){
		.salt = out->salt,
		.sqpn = srnic_ends_kind(&path->ends) | qp->ib.qp_num,
	};
	memcpy(out->req_id.sgid, path->ends.sgid, SRNIC_GID_LEN);
	memcpy(out->req_id.dgid, path->ends.dgid, SRNIC_GID_LEN);
	out->key_requested = true;
	if (qp->mem.pd)
		atomic_inc(&qp->mem.pd->dgram_waiters);
	srnic_qp_kick(qp, SRNIC_QP_WORK_DGRAM);
	return -ENOKEY;
}

/**
 * srnic_dgram_out_renew() - Replace the salt if the present one is from a former life
 * @qp: QP that sends datagrams
 *
 * Context: any up to softirq, under the QP's lock.
 * Return: true if there is another salt: the worker frees the keys of the former one.
 */
bool srnic_dgram_out_renew(struct srnic_qp *qp)
{
	struct srnic_dgram_out *out = qp->dgram_out;

	lockdep_assert_held(&qp->lock);

	if (likely(out->life == srnic_sth_life()))
		return false;
	out_new_salt(out);
	return true;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dgram_out_renew);

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
 * they are lost; -EBUSY: the machine is hibernating.
 */
struct srnic_dgram *srnic_dgram_out_find(struct srnic_qp *qp, const struct srnic_path *path)
{
	struct srnic_dgram_out *out = qp->dgram_out;
	struct srnic_out_key *key;

	lockdep_assert_held(&qp->lock);

	srnic_dgram_out_renew(qp);
	if (unlikely(!out->life))
		return ERR_PTR(-EBUSY);
	if (out->counter > SRNIC_DGRAM_EMISSIONS - SRNIC_TURN)
		out_new_salt(out);
	hash_for_each_possible(out->keys, key, node, dgid_hash(path->ends.dgid)) {
		if (!srnic_gid_equal(key->id.dgid, path->ends.dgid) ||
		    !srnic_gid_equal(key->id.sgid, path->ends.sgid))
			continue;
		if (!out_key_valid(key, path->net)) {
			out_key_remove(out, key);
			break;
		}
		if (key->err)
			return ERR_PTR(key->err);
		key->used = jiffies;
		return key->dgram;
	}
	return ERR_PTR(out_key_request(qp, path));
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dgram_out_find);

/**
 * srnic_dgram_out_next_counter() - Return the number of the next sealed datagram
 * @qp: QP that sends, for which srnic_dgram_out_find() has found a key
 *
 * The number is used up even if the datagram is not sent, so that no nonce is used twice.
 *
 * Context: any up to softirq, under the QP's lock.
 */
u64 srnic_dgram_out_next_counter(struct srnic_qp *qp)
{
	lockdep_assert_held(&qp->lock);

	return qp->dgram_out->counter++;
}

/**
 * srnic_out_keys_free() - Free keys that are in use no longer
 * @dead: the former list of dead keys of a QP
 *
 * Context: process.
 */
void srnic_out_keys_free(struct hlist_head *dead)
{
	struct hlist_node *next;
	struct srnic_out_key *key;

	hlist_for_each_entry_safe(key, next, dead, node) {
		srnic_dgram_destroy(key->dgram);
		kfree(key);
	}
}

/**
 * srnic_dgram_out_alloc() - Allocate the seals of a new QP for datagrams
 * @qp: the QP
 *
 * Context: process; early in the boot, waits until random numbers are unpredictable: no salt may
 * come twice under a key.
 * Return: 0, -ENOMEM, or -ERESTARTSYS if a signal has ended the wait.
 */
int srnic_dgram_out_alloc(struct srnic_qp *qp)
{
	struct srnic_dgram_out *out;
	int err;

	err = wait_for_random_bytes();
	if (err)
		return err;
	out = kzalloc(sizeof(*out), GFP_KERNEL_ACCOUNT);
	if (!out)
		return -ENOMEM;
	hash_init(out->keys);
	INIT_HLIST_HEAD(&out->dead);
	out_new_salt(out);
	qp->dgram_out = out;
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dgram_out_alloc);

/* Discard the least recently used key. */
static void out_key_evict(struct srnic_dgram_out *out)
{
	struct srnic_out_key *key, *oldest = NULL;
	int i;

	if (out->count < SRNIC_MAX_DGRAM_PEERS)
		return;
	hash_for_each(out->keys, i, key, node)
		if (!oldest || time_before(key->used, oldest->used))
			oldest = key;
	out_key_remove(out, oldest);
}

/**
 * srnic_out_key_add() - Add a key, unless it is no longer valid
 * @out: seals of the QP
 * @key: the key; one for a former salt, or from before a change of the rules or keys, goes to
 *	@out->dead, whose keys are freed later
 * @net: namespace whose rule determined the seal
 *
 * Context: process, under the QP's lock.
 */
void srnic_out_key_add(struct srnic_dgram_out *out, struct srnic_out_key *key, struct net *net)
{
	if (key->id.salt != out->salt || !out_key_valid(key, net)) {
		hlist_add_head(&key->node, &out->dead);
		return;
	}
	out_key_evict(out);
	hash_add(out->keys, &key->node, dgid_hash(key->id.dgid));
	out->count++;
}

/**
 * srnic_dgram_out_free() - Free the seals of a QP that is destroyed
 * @qp: the QP, without a requested key; it may be a connected one
 *
 * Context: process.
 */
void srnic_dgram_out_free(struct srnic_qp *qp)
{
	struct srnic_dgram_out *out = qp->dgram_out;

	if (!out)
		return;
	out_new_salt(out);
	srnic_out_keys_free(&out->dead);
	kfree_sensitive(out);
	qp->dgram_out = NULL;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dgram_out_free);
