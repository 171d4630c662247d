// SPDX-License-Identifier: GPL-2.0
/*
 * The worker's part of the keys of outgoing datagrams: it derives the wanted key, and then sends
 * the datagrams that wait for it.
 */
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include "srnic.h"
#include "engine/ud_keys.h"
#include "engine/ud_keys_tx.h"
#include "engine/unlock.h"
#include "mem/mem.h"

/* Make the wanted key. If it cannot be derived, it stores the errno; NULL: no memory. */
static struct srnic_out_key *make_key(struct net *net, const struct srnic_dgram_id *id)
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

static bool take_want(struct srnic_qp *qp, struct net **net, struct srnic_dgram_id *id)
{
	struct srnic_dgram_out *out = qp->dgram_out;
	bool wanted;

	srnic_qp_lock(qp);
	wanted = out->wanted;
	*net = out->want_net;
	*id = out->want_id;
	srnic_qp_unlock(qp);
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
	struct srnic_out_key *key;
	struct net *net;

	if (!take_want(qp, &net, &id))
		return;
	key = make_key(net, &id);

	srnic_qp_lock(qp);
	out->wanted = false;
	if (key)
		srnic_out_key_add(out, key);
	hlist_move_list(&out->dead, &dead);
	srnic_qp_unlock(qp);
	put_net(net);
	srnic_out_keys_free(&dead);
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
