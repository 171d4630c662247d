/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sealed datagrams (protocol.md, section 11): seals of outgoing datagrams, and state of the
 * senders of incoming ones.
 */
#ifndef SRNIC_ENGINE_UD_KEYS_H
#define SRNIC_ENGINE_UD_KEYS_H

#include "engine/engine.h"

/* ud_keys_tx.c */
int srnic_dgram_out_alloc(struct srnic_qp *qp);
struct srnic_dgram *srnic_dgram_out_find(struct srnic_qp *qp, const struct srnic_path *path)
	__must_hold(&qp->lock);
bool srnic_dgram_out_discard(struct srnic_qp *qp, struct net *net) __must_hold(&qp->lock);
bool srnic_dgram_out_renew(struct srnic_qp *qp) __must_hold(&qp->lock);
u64 srnic_dgram_out_next_counter(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_dgram_out_free(struct srnic_qp *qp);

/* ud_keys_work.c: process context */
void srnic_dgram_out_work(struct srnic_qp *qp);
void srnic_dgram_out_sent(struct srnic_qp *qp);
void srnic_dgram_out_forget(struct srnic_qp *qp);

/* ud_keys_rx.c */
int srnic_dgram_in_open(struct srnic_rx *rx, struct srnic_pkt *pkt);
void srnic_dgram_in_discard(struct srnic_dgram_in *in, struct net *net);

/* ud_keys_discard.c */
void srnic_dgram_discard(struct srnic_dev *dev, struct net *net);

#endif /* SRNIC_ENGINE_UD_KEYS_H */
