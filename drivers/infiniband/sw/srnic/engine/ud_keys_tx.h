/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keys of outgoing datagrams, for ud_keys_tx.c and ud_keys_work.c only.
 */
#ifndef SRNIC_ENGINE_UD_KEYS_TX_H
#define SRNIC_ENGINE_UD_KEYS_TX_H

#include <linux/hashtable.h>
#include "engine/engine.h"

#define SRNIC_OUT_KEY_BITS	6

/**
 * struct srnic_out_key - The key of datagrams to one destination
 * @node: entry in srnic_dgram_out.keys or .dead
 * @net: cookie of the namespace whose rule determined the seal
 * @policy_seq: version of the rules at that time
 * @key_seq: version of the keys at that time
 * @id: identity of the sub-key, from our QP to the destination
 * @dgram: the sub-key; NULL: datagrams go in the clear, unless @err
 * @err: -EACCES: datagrams must not be sent; another errno: not at present
 * @used: jiffies: last use; with @err: when the error occurred
 */
struct srnic_out_key {
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
 * @life: life in which @salt was drawn (sth/life.c); 0: none
 * @keys: struct srnic_out_key, by destination
 * @count: number of entries in @keys
 * @dead: struct srnic_out_key that the worker must free
 * @key_requested: the worker must derive a key
 * @deriving: the worker has taken the request, and derives the key
 * @wait_open: the worker has derived a key and sends the datagrams that waited for it
 * @req_net: namespace for the requested key; a reference is held
 * @req_id: identity of the requested key; its salt is @salt
 */
struct srnic_dgram_out {
	u64 salt;
	u64 counter;
	unsigned int life;
	DECLARE_HASHTABLE(keys, SRNIC_OUT_KEY_BITS);
	u32 count;
	struct hlist_head dead;
	bool key_requested;
	bool deriving;
	bool wait_open;
	struct net *req_net;
	struct srnic_dgram_id req_id;
};

/* ud_keys_tx.c */
void srnic_out_key_add(struct srnic_dgram_out *out, struct srnic_out_key *key, struct net *net);
void srnic_out_keys_free(struct hlist_head *dead);

#endif /* SRNIC_ENGINE_UD_KEYS_TX_H */
