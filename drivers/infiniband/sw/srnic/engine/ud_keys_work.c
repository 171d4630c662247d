// SPDX-License-Identifier: GPL-2.0
/*
 * The worker's part of the keys of outgoing datagrams: it derives the requested key, and then sends
 * the datagrams that wait for it.
 */
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include "srnic.h"
#include "engine/ud_keys.h"
#include "engine/ud_keys_tx.h"
#include "engine/unlock.h"
#include "mem/mem.h"

/* Make the requested key. If it cannot be derived, it stores the errno; NULL: no memory. */
static struct srnic_out_key *derive_out_key(struct net *net, const struct srnic_dgram_id *id)
{
	struct srnic_out_key *key = kzalloc(sizeof(*key), GFP_KERNEL);
	struct srnic_dgram_params params;

	if (!key)
		return NULL;
	key->id = *id;
	key->net = net->net_cookie;
	/* read first: later changes make the key invalid */
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

static bool take_key_request(struct srnic_qp *qp, struct net **net, struct srnic_dgram_id *id)
{
	struct srnic_dgram_out *out = qp->dgram_out;
	bool requested;

	srnic_qp_lock(qp);
	requested = out->key_requested;
	out->key_requested = false;
	out->deriving = requested;
	*net = out->req_net;
	*id = out->req_id;
	srnic_qp_unlock(qp);
	return requested;
}

static void dgram_wait_end(struct srnic_qp *qp)
{
	if (qp->mem.pd && atomic_dec_and_test(&qp->mem.pd->dgram_waiters))
		wake_up_var(&qp->mem.pd->dgram_waiters);
}

static void free_dead_keys(struct srnic_qp *qp)
{
	struct hlist_head dead;

	srnic_qp_lock(qp);
	hlist_move_list(&qp->dgram_out->dead, &dead);
	srnic_qp_unlock(qp);
	srnic_out_keys_free(&dead);
}

/**
 * srnic_dgram_out_work() - Make the requested key, if there is one, and request sending
 * @qp: the QP
 *
 * Context: process, in the worker of the QP.
 */
void srnic_dgram_out_work(struct srnic_qp *qp)
{
	struct srnic_dgram_out *out = qp->dgram_out;
	struct srnic_dgram_id id;
	struct srnic_out_key *key;
	struct net *net;
	bool waited;

	if (!take_key_request(qp, &net, &id)) {
		free_dead_keys(qp);
		return;
	}
	key = derive_out_key(net, &id);

	srnic_qp_lock(qp);
	out->deriving = false;
	if (key)
		srnic_out_key_add(out, key, net);
	waited = out->wait_open;
	out->wait_open = true;
	srnic_qp_unlock(qp);
	put_net(net);
	free_dead_keys(qp);
	/* a former wait that has not ended becomes one with this wait */
	if (waited)
		dgram_wait_end(qp);
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
	bool waited;

	if (!out || !READ_ONCE(out->wait_open))
		return;
	spin_lock_bh(&qp->lock);
	waited = out->wait_open;
	out->wait_open = false;
	spin_unlock_bh(&qp->lock);
	if (waited)
		dgram_wait_end(qp);
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
	wait_var_event_timeout(&pd->dgram_waiters, !atomic_read(&pd->dgram_waiters), HZ);
}

/**
 * srnic_dgram_out_forget() - Discard a QP's request for a key, when the QP is reset
 * @qp: the QP; it may be a connected one. Its worker does not run, unless keys have just been
 *	discarded (life.c, ud_keys_discard.c)
 *
 * Context: process.
 */
void srnic_dgram_out_forget(struct srnic_qp *qp)
{
	struct srnic_dgram_out *out = qp->dgram_out;
	struct hlist_head dead;
	bool requested;

	srnic_dgram_out_sent(qp);
	if (!out)
		return;
	spin_lock_bh(&qp->lock);
	requested = out->key_requested;
	out->key_requested = false;
	hlist_move_list(&out->dead, &dead);	/* the worker may have been told, and stopped */
	spin_unlock_bh(&qp->lock);
	srnic_out_keys_free(&dead);
	if (!requested)
		return;
	put_net(out->req_net);
	dgram_wait_end(qp);
}
